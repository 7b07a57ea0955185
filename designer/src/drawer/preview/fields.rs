//! The fields of records as samples show them: what enters a node, what passes an edge, and which names of a node's settings
//! none of the records that come has.

use std::collections::{BTreeMap, BTreeSet};

use fairway_shared::api::preview::{NodePreview, PreviewRecord};
use fairway_shared::channel::ERRORS;
use fairway_shared::form::{Field, FieldKind, FormModel, Widget};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::Trying;
use super::compare::cell;
use crate::inspector::field::offers::Asked;
use crate::state::editor::EdgeKey;

/// A field as samples showed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Its name.
    pub(crate) name: String,
    /// Types that it had, `int64`, but for null.
    pub(crate) kind: String,
    /// The first value that is not null, as a text.
    pub(crate) sample: Option<String>,
    /// Whether some records lack it, or have null in it.
    pub(crate) gaps: bool,
}

/// All fields in the order in which they are first seen.
pub(crate) fn seen<'r>(records: impl IntoIterator<Item = &'r PreviewRecord>) -> Vec<Seen> {
    let mut fields: Vec<Seen> = Vec::new();
    let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
    let mut times: Vec<usize> = Vec::new();
    let mut count = 0;
    for record in records {
        count += 1;
        for name in &record.fields {
            let rank = *ranks.entry(name).or_insert_with(|| {
                fields.push(Seen { name: name.clone(), kind: String::new(), sample: None, gaps: false });
                times.push(0);
                fields.len() - 1
            });
            let field = &mut fields[rank];
            let kind = record.types.get(name).map(String::as_str).unwrap_or_default();
            match record.value.get(name) {
                None | Some(Value::Null) => field.gaps = true,
                Some(value) => {
                    times[rank] += 1;
                    if field.kind.is_empty() {
                        field.kind = kind.to_owned();
                    } else if !field.kind.split(" | ").any(|known| known == kind) {
                        field.kind = format!("{} | {kind}", field.kind);
                    }
                    field.sample.get_or_insert_with(|| cell(value).0);
                }
            }
        }
    }
    for (field, times) in fields.iter_mut().zip(times) {
        field.gaps |= times < count;
    }
    fields
}

/// Names of incoming fields that settings speak of, by the widgets of their form.
pub(crate) fn named(model: &FormModel, config: &Map<String, Value>) -> BTreeSet<String> {
    fn of(field: &Field, value: &Value, names: &mut BTreeSet<String>) {
        match (&field.kind, field.widget, value) {
            (_, Some(Widget::Field), Value::String(name)) => drop(names.insert(name.clone())),
            (_, Some(Widget::Fields), Value::Array(list)) => {
                names.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            (FieldKind::List(list), _, Value::Array(values)) => {
                values.iter().for_each(|value| of(&list.item, value, names));
            }
            (FieldKind::Object(model), _, Value::Object(map)) => names.extend(named(model, map)),
            _ => {}
        }
    }
    let mut names = BTreeSet::new();
    for field in &model.fields {
        if let Some(value) = config.get(&field.name) {
            of(field, value, &mut names);
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Which of these names no record has, neither as a field nor as a way into one.
fn missing(names: BTreeSet<String>, node: &NodePreview) -> Vec<String> {
    if node.inputs.is_empty() {
        return Vec::new();
    }
    let known: BTreeSet<&str> =
        node.inputs.iter().flat_map(|record| record.fields.iter().map(String::as_str)).collect();
    let there = |name: &String| {
        known.contains(name.as_str()) || name.split('.').next().is_some_and(|first| known.contains(first))
    };
    names.into_iter().filter(|name| !there(name)).collect()
}

impl Trying {
    /// The fields of what enters a node, once samples were run. Tracks.
    pub(crate) fn incoming(self, node: &str) -> Option<Vec<Seen>> {
        self.answer.with(|answer| match answer {
            Asked::Answer(answer) => answer.nodes.get(node).map(|node| seen(&node.inputs)),
            _ => None,
        })
    }

    /// Why there is no answer, where that is so. Tracks.
    pub(crate) fn trouble(self) -> Option<String> {
        self.answer.with(|answer| match answer {
            Asked::Failed(why) => Some(why.clone()),
            _ => None,
        })
    }

    /// The fields of what passes an edge, once samples were run. Tracks.
    pub(crate) fn passing(self, key: &EdgeKey) -> Option<Vec<Seen>> {
        self.answer.with(|answer| {
            let Asked::Answer(answer) = answer else { return None };
            let node = answer.nodes.get(&key.from.node)?;
            if key.from.is_errors() {
                return Some(seen(node.rejects.iter().map(|reject| &reject.record)));
            }
            let port = match &key.from.port {
                Some(port) if port != ERRORS => node.outputs.iter().find(|output| output.port == *port),
                _ => node.outputs.first(),
            };
            Some(seen(port.into_iter().flat_map(|output| &output.records)))
        })
    }

    /// Marks nodes whose settings name fields that none of their records has.
    pub(super) fn mark_missing(self) {
        let catalog = self.editor.catalog();
        self.answer.with_untracked(|answer| {
            let Asked::Answer(answer) = answer else { return };
            self.editor.nodes.with_untracked(|nodes| {
                for node in nodes {
                    let lacks =
                        answer.nodes.get(&node.id).zip(catalog.get(&node.component)).map(|(came, spec)| {
                            let model = fairway_shared::form::model(&spec.config_schema);
                            missing(node.config.with_untracked(|config| named(&model, config)), came)
                        });
                    let lacks = lacks.unwrap_or_default();
                    if node.missing.with_untracked(|known| *known != lacks) {
                        node.missing.set(lacks);
                    }
                }
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(value: Value, types: &[(&str, &str)]) -> PreviewRecord {
        let value = value.as_object().cloned().unwrap_or_default();
        PreviewRecord {
            fields: types.iter().map(|(name, _)| (*name).to_owned()).collect(),
            types: types.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect(),
            value,
            ..PreviewRecord::default()
        }
    }

    #[test]
    fn fields_say_their_types_a_sample_and_whether_they_have_gaps() {
        let records = [
            record(json!({ "id": 1, "note": null }), &[("id", "int64"), ("note", "null")]),
            record(json!({ "id": "x", "note": "n" }), &[("id", "string"), ("note", "string")]),
        ];
        let fields = seen(&records);
        assert_eq!(
            fields[0],
            Seen { name: "id".into(), kind: "int64 | string".into(), sample: Some("1".into()), gaps: false }
        );
        assert_eq!(
            fields[1],
            Seen { name: "note".into(), kind: "string".into(), sample: Some("n".into()), gaps: true }
        );
    }

    #[test]
    fn a_name_that_no_record_has_is_missing_and_a_way_into_one_is_not() {
        let names = BTreeSet::from(["id".to_owned(), "address.city".to_owned(), "nowhere".to_owned()]);
        let inputs = vec![record(json!({ "id": 1, "address": {} }), &[("id", "int64"), ("address", "map")])];
        let node = NodePreview { inputs, ..NodePreview::default() };
        assert_eq!(missing(names.clone(), &node), ["nowhere"]);
        assert_eq!(
            missing(names, &NodePreview::default()),
            Vec::<String>::new(),
            "nothing came, nothing is known"
        );
    }
}
