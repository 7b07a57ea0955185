//! What can be placed on the canvas: the description of a component that palette, form, validation, docs and CLI share.
//!
//! The engine's registry produces these from each component's one file; nothing here knows how a component works.

mod ports;
mod varies;

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::channel::Guarantee;
pub use ports::{NameFault, NameFaultKind, OutputsFrom, Port, Ports, is_output_name};
pub use varies::Variation;

/// Whether a component brings records in, changes them or delivers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Brings records in.
    Source,
    /// Changes, routes or drops records.
    Transform,
    /// Delivers records; the designer calls its node a *target*.
    Sink,
}

/// A worked example of a component's config.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Example {
    /// What the example shows.
    pub title: String,
    /// The config, complete and valid.
    pub config: Value,
}

/// The description of a component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComponentSpec {
    /// Name as written in documents, such as `csv_source`.
    pub name: String,
    /// Title for people, such as `CSV files`.
    pub title: String,
    /// Source, transform or sink.
    pub kind: Kind,
    /// Family the component belongs to, such as `file`; groups the palette and picks the icon.
    pub family: String,
    /// One sentence.
    pub summary: String,
    /// The component's page, in Markdown.
    pub docs: String,
    /// Inputs and outputs besides `errors`; see [`ComponentSpec::ports_for`] for those of one node.
    pub ports: Ports,
    /// For sources: whether replay keeps its order; for sinks: the guarantee of one delivery. With usual settings.
    pub delivery: Guarantee,
    /// Whether a source ends by itself with usual settings.
    pub bounded: bool,
    /// Whether several tasks can run a node at once; of a source each then reads a share of the partitions.
    #[serde(default)]
    pub several: bool,
    /// Settings that change `delivery` or `bounded`; for each of both the first that fits counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub varies: Vec<Variation>,
    /// JSON Schema (2020-12 subset, see `form`) of the config.
    pub config_schema: Value,
    /// Config fields that a source's position depends on; changing one starts a new position.
    pub position_fields: Vec<String>,
    /// Worked examples.
    pub examples: Vec<Example>,
    /// Whether its connection can be tested, which also answers with choices for its settings.
    #[serde(default)]
    pub probe: bool,
    /// For sources: whether a preview can take records from it.
    #[serde(default)]
    pub sample: bool,
}

/// What a test of a connection found: nothing was moved or changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// What answered, in one line: `PostgreSQL 15.18, database shop`.
    pub found: String,
    /// For settings that name something which exists (a table, a column, a topic), what there is: by dotted setting.
    pub choices: BTreeMap<String, Vec<Choice>>,
}

/// Something that exists and can be named in a setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// What is written into the setting.
    pub value: String,
    /// What it is: a column's type, a topic's number of partitions.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

impl Choice {
    /// Something that exists, and what it is.
    pub fn new(value: impl Into<String>, note: impl Into<String>) -> Self {
        Self { value: value.into(), note: note.into() }
    }
}

impl ComponentSpec {
    /// Whether edges may end at this component.
    pub fn accepts_input(&self) -> bool {
        !self.ports.inputs.is_empty()
    }

    /// The ports of a node of this component: settings may name outputs.
    pub fn ports_for(&self, config: &Map<String, Value>) -> Cow<'_, Ports> {
        self.ports.for_config(config)
    }
}
