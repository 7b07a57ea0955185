//! Older documents, brought up to date step by step before they are read. A step works on the bare JSON, renames and
//! moves, and drops nothing: what it does not know it leaves where it is.
//!
//! A new version of the document adds one step, one fixture of the version before it in `tests/fixtures/`, and nothing else.

use serde_json::Value;

use super::{API_VERSION, Extra};

/// One step from a version to the next: to that of the step below it, or to the present one.
struct Step {
    from: &'static str,
    /// What changes, told to the user.
    note: &'static str,
    apply: fn(&mut Extra),
}

const STEPS: &[Step] = &[Step {
    from: "fairway/v1alpha1",
    note: "a node's `type` is now `component`, an edge's `source` and `target` are `from` and `to`",
    apply: name_components_and_ports,
}];

/// All versions that can be read, oldest first.
pub fn readable() -> Vec<&'static str> {
    STEPS.iter().map(|step| step.from).chain([API_VERSION]).collect()
}

/// Brings the members of a document of an older version up to the present one and says what changed; nothing for a
/// version that no step starts from.
pub(crate) fn migrate(version: &str, document: &mut Extra) -> Option<Vec<&'static str>> {
    let first = STEPS.iter().position(|step| step.from == version)?;
    Some(
        STEPS[first..]
            .iter()
            .map(|step| {
                (step.apply)(document);
                step.note
            })
            .collect(),
    )
}

fn name_components_and_ports(document: &mut Extra) {
    let Some(Value::Object(spec)) = document.get_mut("spec") else { return };
    for node in elements(spec, "nodes") {
        rename(node, "type", "component");
    }
    for edge in elements(spec, "edges") {
        rename(edge, "source", "from");
        rename(edge, "target", "to");
    }
}

fn elements<'a>(spec: &'a mut Extra, key: &str) -> impl Iterator<Item = &'a mut Extra> {
    spec.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Renames a member, unless one of the new name is there: then both stay, and the old one is reported as unknown.
fn rename(map: &mut Extra, old: &str, new: &str) {
    if !map.contains_key(new)
        && let Some(value) = map.remove(old)
    {
        map.insert(new.to_owned(), value);
    }
}
