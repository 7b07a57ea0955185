//! What settings change of a component's description: a file that is followed does not end, a query whose rows nothing tells
//! apart cannot be delivered once.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ComponentSpec;
use crate::channel::Guarantee;

/// Stands for any value that is there.
const ANY: &str = "*";

/// What is different with certain settings.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Variation {
    /// Settings and the values of which each must have one: texts and words as they are, an empty text for what is not set or
    /// empty, `*` for what is.
    pub when: BTreeMap<String, Vec<String>>,
    /// The guarantee then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Guarantee>,
    /// Whether a source then ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounded: Option<bool>,
    /// Whether there must be a cluster then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cluster: bool,
}

impl ComponentSpec {
    /// The guarantee of a node with these settings.
    pub fn delivery_of(&self, config: &Map<String, Value>) -> Guarantee {
        self.fitting(config).find_map(|variation| variation.delivery).unwrap_or(self.delivery)
    }

    /// Whether a source with these settings ends by itself.
    pub fn is_bounded(&self, config: &Map<String, Value>) -> bool {
        self.fitting(config).find_map(|variation| variation.bounded).unwrap_or(self.bounded)
    }

    /// The settings by which a node needs a cluster; none where it does not.
    pub fn needs_cluster(&self, config: &Map<String, Value>) -> Option<String> {
        let needs = self.fitting(config).find(|variation| variation.cluster)?;
        Some(needs.when.keys().cloned().collect::<Vec<_>>().join(", "))
    }

    fn fitting<'s>(&'s self, config: &'s Map<String, Value>) -> impl Iterator<Item = &'s Variation> {
        self.varies.iter().filter(|variation| {
            let mut when = variation.when.iter();
            when.all(|(setting, values)| {
                let found = self.word(config, setting);
                values.iter().any(|value| *value == found || (value == ANY && !found.is_empty()))
            })
        })
    }

    /// A setting, or its default, as a word.
    fn word(&self, config: &Map<String, Value>, setting: &str) -> String {
        let default = || &self.config_schema["properties"][setting]["default"];
        match config.get(setting).unwrap_or_else(default) {
            Value::Null => String::new(),
            Value::String(text) => text.trim().to_owned(),
            Value::Array(list) if list.is_empty() => String::new(),
            Value::Object(map) if map.is_empty() => String::new(),
            other => other.to_string(),
        }
    }
}
