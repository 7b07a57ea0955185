//! Which fields a tap must not show: those that the channel masks anywhere, under every name that they may have on the way.
//!
//! What is masked at one place is to be seen by nobody who was not meant to, so it is hidden at every edge, also where it has been masked
//! already. Where steps make names of values (`flatten_fields`, `split_records`), or where what a step does is not known, names that begin
//! alike are hidden too: too much rather than too little.

use std::collections::BTreeSet;

use fairway_shared::channel::{Channel, Node};
use serde_json::Value;

/// Steps that leave names as they are.
const KEEP_NAMES: [&str; 8] = [
    "mask_fields",
    "filter_records",
    "cast_fields",
    "select_fields",
    "route_records",
    "dedupe_records",
    "validate_records",
    "convert_time",
];

/// The fields that are hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    names: BTreeSet<String>,
    /// Whether names that begin alike are hidden too.
    alike: bool,
    /// Whether nothing may be shown.
    everything: bool,
}

impl Hidden {
    /// What is hidden of a channel's records.
    pub(crate) fn of(channel: &Channel) -> Self {
        let nodes = &channel.spec.nodes;
        let masks = nodes.iter().filter(|node| node.component == "mask_fields");
        let mut hidden = Self::default();
        for node in masks {
            match node.config.get("fields").and_then(Value::as_array) {
                Some(fields) => {
                    hidden.names.extend(fields.iter().filter_map(Value::as_str).map(str::to_owned))
                }
                // A mask that cannot be read hides everything.
                None => hidden.everything = true,
            }
        }
        if hidden.names.is_empty() {
            return hidden;
        }
        // Names that stand for the same value, until no more are found.
        loop {
            let before = hidden.names.len();
            nodes.iter().for_each(|node| hidden.follow(node));
            if hidden.names.len() == before {
                return hidden;
            }
        }
    }

    fn follow(&mut self, node: &Node) {
        let config = &node.config;
        match node.component.as_str() {
            known if KEEP_NAMES.contains(&known) => {
                // The time may be written into another field.
                if known == "convert_time" {
                    let text = |name: &str| config.get(name).and_then(Value::as_str);
                    if let (Some(from), Some(to)) = (text("field"), text("into")) {
                        self.same(from, to);
                    }
                }
            }
            "rename_fields" => self.pairs(config.get("fields")),
            "set_fields" => self.pairs(config.get("copy")),
            name if name.ends_with("_source") || name.ends_with("_sink") => {}
            // Names made of values, or a step that nothing is known of.
            _ => {
                self.alike = true;
                let field = config.get("field").and_then(Value::as_str);
                let into = config.get("into").and_then(Value::as_str).filter(|into| !into.is_empty());
                self.names.extend([field, into].into_iter().flatten().map(str::to_owned));
            }
        }
    }

    fn pairs(&mut self, map: Option<&Value>) {
        for (one, other) in map.and_then(Value::as_object).into_iter().flatten() {
            match other.as_str() {
                Some(other) => self.same(one, other),
                None => self.everything = true,
            }
        }
    }

    fn same(&mut self, one: &str, other: &str) {
        if self.hides(one) || self.hides(other) {
            self.names.extend([one.to_owned(), other.to_owned()]);
        }
    }

    /// Whether a field's value must not be seen.
    pub(crate) fn hides(&self, field: &str) -> bool {
        let alike = |name: &String| field.starts_with(name.as_str()) || name.starts_with(field);
        self.everything || self.names.contains(field) || (self.alike && self.names.iter().any(alike))
    }

    /// The names as they are told: with a star where names that begin alike are hidden too.
    pub(crate) fn told(&self) -> Vec<String> {
        if self.everything {
            return vec!["*".to_owned()];
        }
        let star = if self.alike { "*" } else { "" };
        self.names.iter().map(|name| format!("{name}{star}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hidden(steps: &[(&str, Value)]) -> Hidden {
        let nodes: Vec<Value> = steps
            .iter()
            .enumerate()
            .map(|(at, (component, config))| json!({ "id": format!("n{at}"), "component": component, "config": config }))
            .collect();
        let document = json!({
            "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "a" },
            "spec": { "nodes": nodes, "edges": [] }
        });
        Hidden::of(&fairway_shared::channel::text::from_value(&document).0.unwrap())
    }

    fn mask(fields: Value) -> (&'static str, Value) {
        ("mask_fields", json!({ "fields": fields }))
    }

    #[test]
    fn without_a_mask_everything_is_shown() {
        let hidden = hidden(&[("csv_source", json!({})), ("split_records", json!({ "field": "items" }))]);
        assert!(!hidden.hides("email") && !hidden.hides("items"));
        assert!(hidden.told().is_empty());
    }

    #[test]
    fn a_masked_field_is_hidden_under_every_name_it_has() {
        let hidden = hidden(&[
            ("rename_fields", json!({ "fields": { "E-Mail": "email" } })),
            ("set_fields", json!({ "copy": { "contact": "email", "other": "city" } })),
            ("rename_fields", json!({ "fields": { "contact": "address" } })),
            mask(json!(["address"])),
        ]);
        assert_eq!(hidden.told(), ["E-Mail", "address", "contact", "email"]);
        assert!(!hidden.hides("city") && !hidden.hides("other") && !hidden.hides("mail"));
    }

    #[test]
    fn where_names_are_made_of_values_too_much_is_hidden() {
        let flat = hidden(&[("flatten_fields", json!({})), mask(json!(["user__email"]))]);
        assert!(flat.hides("user") && flat.hides("user__email") && flat.hides("user__email__2"));
        assert!(!flat.hides("id"));
        let split =
            hidden(&[("split_records", json!({ "field": "items", "spread": true })), mask(json!(["card"]))]);
        assert!(split.hides("items") && split.hides("card") && !split.hides("id"));
        assert_eq!(split.told(), ["card*", "items*"]);
        let strange = hidden(&[("of_a_later_fairway", json!({})), mask(json!(["card"]))]);
        assert!(strange.hides("card_no"));
    }

    #[test]
    fn a_mask_that_cannot_be_read_hides_everything() {
        let hidden = hidden(&[("mask_fields", json!({ "fields": "card" }))]);
        assert!(hidden.hides("anything"));
        assert_eq!(hidden.told(), ["*"]);
    }
}
