//! The ends of a component: those that every node of it has, and those that a node's own settings add.
//!
//! [`Ports::for_config`] is the one place that says which outputs a node has; validation, plan, engine and designer all
//! ask it. What is wrong with names that settings give is [`Ports::name_faults`].

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::channel::ERRORS;

/// Most characters in the name of an output.
const LONGEST: usize = 64;

/// A named end of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Port {
    /// Name as written in edges.
    pub name: String,
    /// What passes here.
    pub help: String,
}

/// The ports of a component. Every node also has an `errors` output, which is not listed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Ports {
    /// Inputs; the first is the default.
    pub inputs: Vec<Port>,
    /// Outputs; the first is the default, unless settings name outputs: then every edge says which it means.
    pub outputs: Vec<Port>,
    /// Outputs that settings name; they come before `outputs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outputs_from: Option<OutputsFrom>,
}

/// One output for each item of a list setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputsFrom {
    /// The list setting.
    pub list: String,
    /// The field of each item that names its output.
    pub name: String,
    /// What passes there.
    pub help: String,
}

/// What is wrong with the name that an item gives its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameFault<'a> {
    /// Index of the item.
    pub item: usize,
    /// The name as written.
    pub name: &'a str,
    /// What is wrong.
    pub kind: NameFaultKind,
}

/// Ways in which a name cannot name an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFaultKind {
    /// It has characters that names cannot have, or too many.
    Letters,
    /// The item with this index has the name already.
    Twice(usize),
    /// Every node of the component has an output of this name.
    Fixed,
}

/// Whether a text can name an output: letters and digits of any script, `_` and `-`, at most 64 of them. A dot would
/// separate it from the node, and `>` one end of an edge from the other.
pub fn is_output_name(text: &str) -> bool {
    let letter = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    !text.is_empty() && text.chars().count() <= LONGEST && text.chars().all(letter)
}

impl Ports {
    /// The ports of a node with these settings. Items without a usable name, or with one that is taken, have no output;
    /// what is sound has one output an item, in order, before the fixed ones.
    pub fn for_config(&self, config: &Map<String, Value>) -> Cow<'_, Self> {
        let Some(from) = &self.outputs_from else { return Cow::Borrowed(self) };
        let faulty: HashSet<usize> = self.name_faults(config).iter().map(|fault| fault.item).collect();
        let sound = |item: usize| !faulty.contains(&item);
        let named = self.names(config).filter(|(item, _)| sound(*item));
        let port = |(_, name): (usize, &str)| Port { name: name.to_owned(), help: from.help.clone() };
        let outputs = named.map(port).chain(self.outputs.iter().cloned()).collect();
        Cow::Owned(Self { inputs: self.inputs.clone(), outputs, outputs_from: self.outputs_from.clone() })
    }

    /// What is wrong with the names that settings give to outputs. Items that name none are not judged: the schema of the
    /// settings says whether they must.
    pub fn name_faults<'c>(&self, config: &'c Map<String, Value>) -> Vec<NameFault<'c>> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        let mut faults = Vec::new();
        for (item, name) in self.names(config) {
            let kind = if !is_output_name(name) {
                Some(NameFaultKind::Letters)
            } else if name == ERRORS || self.outputs.iter().any(|port| port.name == name) {
                Some(NameFaultKind::Fixed)
            } else {
                let first = *seen.entry(name).or_insert(item);
                (first != item).then_some(NameFaultKind::Twice(first))
            };
            faults.extend(kind.map(|kind| NameFault { item, name, kind }));
        }
        faults
    }

    /// Names that items give, with the index of each.
    fn names<'c>(&self, config: &'c Map<String, Value>) -> impl Iterator<Item = (usize, &'c str)> {
        let from = self.outputs_from.as_ref();
        let items = from.and_then(|from| config.get(&from.list)).and_then(Value::as_array);
        let field = from.map(|from| from.name.clone()).unwrap_or_default();
        let name = move |(at, item): (usize, &'c Value)| {
            let name = item.get(&field)?.as_str()?;
            (!name.is_empty()).then_some((at, name))
        };
        items.map_or(&[][..], Vec::as_slice).iter().enumerate().filter_map(name)
    }

    /// The output that an edge without a port's name means. There is none where settings name outputs: a change of their
    /// order would silently change what the edge means.
    pub fn default_output(&self) -> Option<&str> {
        match self.outputs_from {
            Some(_) => None,
            None => self.outputs.first().map(|port| port.name.as_str()),
        }
    }

    /// Rank of the output that an edge means by a port's name or by none.
    pub fn output(&self, port: Option<&str>) -> Option<usize> {
        let name = port.or(self.default_output())?;
        self.outputs.iter().position(|known| known.name == name)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ports() -> Ports {
        let port = |name: &str| Port { name: name.into(), help: String::new() };
        let from = OutputsFrom { list: "routes".into(), name: "name".into(), help: "A route.".into() };
        Ports { inputs: vec![port("in")], outputs: vec![port("rest")], outputs_from: Some(from) }
    }

    fn names(config: Value) -> Vec<String> {
        let config = config.as_object().cloned().unwrap_or_default();
        ports().for_config(&config).outputs.iter().map(|port| port.name.clone()).collect()
    }

    #[test]
    fn items_name_outputs_before_the_fixed_ones() {
        assert_eq!(names(json!({"routes": [{"name": "b"}, {"name": "大额"}]})), ["b", "大额", "rest"]);
        assert_eq!(names(json!({})), ["rest"]);
        assert_eq!(names(json!({"routes": 3})), ["rest"]);
        assert_eq!(
            names(json!({"routes": [1, {"name": 2}, {}, {"name": ""}, {"name": "a"}]})),
            ["a", "rest"]
        );
    }

    #[test]
    fn names_that_cannot_be_are_told_and_have_no_output() {
        let config = json!({"routes": [
            {"name": "a"}, {"name": "a.b"}, {"name": "a"}, {"name": "errors"}, {"name": "rest"}, {"name": "x>y"}]});
        let config = config.as_object().unwrap();
        let kinds: Vec<_> =
            ports().name_faults(config).into_iter().map(|fault| (fault.item, fault.kind)).collect();
        use NameFaultKind::{Fixed, Letters, Twice};
        assert_eq!(kinds, [(1, Letters), (2, Twice(0)), (3, Fixed), (4, Fixed), (5, Letters)]);
        assert_eq!(names(Value::Object(config.clone())), ["a", "rest"]);
        assert!(!is_output_name(&"x".repeat(65)));
    }

    #[test]
    fn named_outputs_leave_no_default() {
        assert_eq!(
            (ports().default_output(), ports().output(None), ports().output(Some("rest"))),
            (None, None, Some(0))
        );
        let fixed = Ports { outputs_from: None, ..ports() };
        assert_eq!(
            (fixed.default_output(), fixed.output(None), fixed.output(Some("x"))),
            (Some("rest"), Some(0), None)
        );
    }
}
