//! A node's records before and after it, side by side: which belong together, which columns there are, what changed. Pure.

use std::collections::HashMap;

use fairway_shared::api::preview::{NodePreview, PreviewRecord, PreviewState};
use fairway_shared::component::Kind;
use serde_json::Value;

/// What became of a record that came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It left, or was made here.
    Passed,
    /// A rule dropped it.
    Filtered,
    /// It was refused; index into the node's rejects.
    Refused(usize),
    /// A target would be given it.
    Written,
    /// The step could not run.
    Waiting,
}

/// One line: a record before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// Index into the inputs; none for a source, and for further children of the same record.
    pub(super) before: Option<usize>,
    /// Output and index into its records.
    pub(super) after: Option<(usize, usize)>,
    pub(super) fate: Fate,
}

/// All lines of a node, in the order in which records came in.
pub(super) fn pairs(node: &NodePreview) -> Vec<Pair> {
    let mut after: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (port, output) in node.outputs.iter().enumerate() {
        for (at, record) in output.records.iter().enumerate() {
            after.entry(&record.id).or_default().push((port, at));
            if record.of != record.id {
                after.entry(&record.of).or_default().push((port, at));
            }
        }
    }
    let refused: HashMap<&str, usize> =
        node.rejects.iter().enumerate().map(|(at, reject)| (reject.record.id.as_str(), at)).collect();
    if node.kind == Some(Kind::Source) || node.inputs.is_empty() {
        let passed = node.outputs.iter().enumerate().flat_map(|(port, output)| {
            (0..output.records.len()).map(move |at| Pair {
                before: None,
                after: Some((port, at)),
                fate: Fate::Passed,
            })
        });
        let refused =
            (0..node.rejects.len()).map(|at| Pair { before: None, after: None, fate: Fate::Refused(at) });
        return passed.chain(refused).collect();
    }
    let mut pairs = Vec::new();
    for (at, input) in node.inputs.iter().enumerate() {
        let before = Some(at);
        let left = after.get(input.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        if let Some(reject) = refused.get(input.id.as_str()) {
            pairs.push(Pair { before, after: None, fate: Fate::Refused(*reject) });
        } else if node.kind == Some(Kind::Sink) {
            pairs.push(Pair { before, after: None, fate: Fate::Written });
        } else if left.is_empty() && node.state == PreviewState::Failed {
            pairs.push(Pair { before, after: None, fate: Fate::Waiting });
        } else if left.is_empty() {
            pairs.push(Pair { before, after: None, fate: Fate::Filtered });
        }
        for (child, place) in left.iter().enumerate() {
            let before = before.filter(|_| child == 0);
            pairs.push(Pair { before, after: Some(*place), fate: Fate::Passed });
        }
    }
    pairs
}

/// What a cell is compared with the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// The record has no such field on this side.
    Absent,
    /// As on the other side, or there is no other side.
    Same,
    /// Another value or another type than before.
    Changed,
    /// Was not there before.
    Added,
    /// Is not there afterwards.
    Removed,
}

impl Mark {
    /// The word in hooks and styles.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Same => "same",
            Self::Changed => "changed",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

/// How a field of `own` differs from `other`; `after` says on which side `own` is.
pub(super) fn mark(own: &PreviewRecord, other: Option<&PreviewRecord>, name: &str, after: bool) -> Mark {
    let Some(value) = own.value.get(name) else { return Mark::Absent };
    let Some(other) = other else { return Mark::Same };
    match other.value.get(name) {
        None if after => Mark::Added,
        None => Mark::Removed,
        Some(before) if before == value && own.types.get(name) == other.types.get(name) => Mark::Same,
        // Only the side behind the node is marked: before it nothing has changed yet.
        Some(_) if after => Mark::Changed,
        Some(_) => Mark::Same,
    }
}

/// A column of both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    /// Type before; empty where the field is not there, or only null.
    pub(super) before: String,
    /// Type after.
    pub(super) after: String,
    /// Whether any record differs in it.
    pub(super) changed: bool,
}

/// The columns of all records, those that come in first; a new one stands behind the one it follows in its record.
pub(super) fn columns(node: &NodePreview, pairs: &[Pair]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    let inputs = node.inputs.iter().chain(node.rejects.iter().map(|reject| &reject.record));
    let outputs = node.outputs.iter().flat_map(|output| &output.records);
    for (record, after) in inputs.map(|record| (record, false)).chain(outputs.map(|record| (record, true))) {
        let mut behind = None;
        for name in &record.fields {
            let at = columns.iter().position(|column| column.name == *name).unwrap_or_else(|| {
                let at = behind.map_or(columns.len(), |behind: usize| behind + 1);
                let new = Column {
                    name: name.clone(),
                    before: String::new(),
                    after: String::new(),
                    changed: false,
                };
                columns.insert(at, new);
                at
            });
            behind = Some(at);
            let kind = record.types.get(name).map(String::as_str).unwrap_or_default();
            let side = if after { &mut columns[at].after } else { &mut columns[at].before };
            if side.is_empty() && kind != "null" {
                kind.clone_into(side);
            }
        }
    }
    for pair in pairs {
        if let (Some(before), Some((port, at))) = (pair.before, pair.after) {
            let (before, after) = (&node.inputs[before], &node.outputs[port].records[at]);
            for column in &mut columns {
                let differs = |own: &PreviewRecord, other: &PreviewRecord, behind: bool| {
                    !matches!(mark(own, Some(other), &column.name, behind), Mark::Same | Mark::Absent)
                };
                column.changed |= differs(after, before, true) || differs(before, after, false);
            }
        }
    }
    columns
}

/// A value as a cell shows it, and how: text as it is, everything else as JSON.
pub(super) fn cell(value: &Value) -> (String, &'static str) {
    match value {
        Value::Null => (String::new(), "null"),
        Value::String(text) if text.is_empty() => (String::new(), "empty"),
        Value::String(text) => (text.clone(), "text"),
        Value::Number(number) => (number.to_string(), "number"),
        other => (other.to_string(), "json"),
    }
}

#[cfg(test)]
mod tests {
    use fairway_shared::api::preview::{PreviewOutput, PreviewReject};
    use fairway_shared::api::status::Cause;
    use serde_json::json;

    use super::*;

    fn record(id: &str, value: Value) -> PreviewRecord {
        let Value::Object(value) = value else { panic!("records are objects") };
        PreviewRecord {
            id: id.into(),
            of: id.split('.').next().unwrap_or(id).into(),
            fields: value.keys().cloned().collect(),
            value,
            ..PreviewRecord::default()
        }
    }

    fn node() -> NodePreview {
        let cause = Cause { code: "x".into(), message: "no".into(), help: None, node: None };
        NodePreview {
            kind: Some(Kind::Transform),
            inputs: ["s:1", "s:2", "s:3", "s:4"].map(|id| record(id, json!({"a": 1, "b": 2}))).into(),
            outputs: vec![PreviewOutput {
                port: "out".into(),
                records: vec![
                    record("s:1", json!({"a": 1, "c": 3, "b": 5})),
                    record("s:4.0", json!({"a": 1})),
                    record("s:4.1", json!({"a": 2})),
                ],
            }],
            rejects: vec![PreviewReject { record: record("s:3", json!({"a": 1})), cause, field: None }],
            ..NodePreview::default()
        }
    }

    #[test]
    fn every_record_has_its_line() {
        let fates: Vec<_> = pairs(&node()).iter().map(|pair| (pair.before, pair.after, pair.fate)).collect();
        assert_eq!(
            fates,
            [
                (Some(0), Some((0, 0)), Fate::Passed),
                (Some(1), None, Fate::Filtered),
                (Some(2), None, Fate::Refused(0)),
                (Some(3), Some((0, 1)), Fate::Passed),
                (None, Some((0, 2)), Fate::Passed),
            ]
        );
    }

    #[test]
    fn columns_keep_their_order_and_know_what_changed() {
        let mut node = node();
        node.outputs[0].records[0].fields = ["a", "c", "b"].map(str::to_owned).into();
        let columns = columns(&node, &pairs(&node));
        let told: Vec<_> = columns.iter().map(|column| (column.name.as_str(), column.changed)).collect();
        assert_eq!(told, [("a", false), ("c", true), ("b", true)]);
    }

    #[test]
    fn what_differs_is_marked_behind_the_node() {
        let (before, after) =
            (record("s:1", json!({"a": 1, "gone": 1})), record("s:1", json!({"a": 2, "new": 1})));
        assert_eq!(mark(&after, Some(&before), "a", true), Mark::Changed);
        assert_eq!(mark(&before, Some(&after), "a", false), Mark::Same);
        assert_eq!(mark(&after, Some(&before), "new", true), Mark::Added);
        assert_eq!(mark(&before, Some(&after), "gone", false), Mark::Removed);
        assert_eq!(mark(&after, Some(&before), "gone", true), Mark::Absent);
    }

    #[test]
    fn another_type_is_a_change() {
        let mut after = record("s:1", json!({"a": "1"}));
        let mut before = after.clone();
        before.types.insert("a".into(), "string".into());
        after.types.insert("a".into(), "bytes".into());
        assert_eq!(mark(&after, Some(&before), "a", true), Mark::Changed);
    }
}
