//! Paths into nested values: which parts of a value several dotted paths name, and the value with only or without them.

use fairway_engine::data::{Ref, Value, json_read, json_write};

/// The parts that paths name, as a tree of their names.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Whether a path ends here: then all below is meant.
    whole: bool,
    parts: Vec<(String, Tree)>,
}

impl Tree {
    /// Adds a dotted path.
    pub(crate) fn add(&mut self, path: &str) {
        let mut at = self;
        for name in path.split('.') {
            let found = at.parts.iter().position(|(known, _)| known == name);
            let index = found.unwrap_or_else(|| {
                at.parts.push((name.to_owned(), Tree::default()));
                at.parts.len() - 1
            });
            at = &mut at.parts[index].1;
        }
        at.whole = true;
    }

    fn part(&self, name: &str) -> Option<&Tree> {
        self.parts.iter().find(|(known, _)| known == name).map(|(_, tree)| tree)
    }

    /// The value with only the parts named; `None` if it stays as it is, `Missing` if there is nothing that could have
    /// parts.
    pub(crate) fn kept(&self, value: Ref<'_>) -> Option<Value> {
        match value {
            _ if self.whole => None,
            Ref::Missing | Ref::Null => None,
            Ref::Map(map) => {
                let entry = |(name, value): (&str, Ref<'_>)| {
                    let kept = self.part(name)?.kept(value).unwrap_or_else(|| value.to_value());
                    (kept != Value::Missing).then(|| (name.to_owned(), kept))
                };
                Some(Value::Map(map.iter().filter_map(entry).collect()))
            }
            Ref::List(list) => {
                let item = |value: Ref<'_>| self.kept(value).unwrap_or_else(|| value.to_value());
                Some(Value::List(list.iter().map(item).filter(|item| *item != Value::Missing).collect()))
            }
            Ref::Raw(json) => raw(json, |value| self.kept(value)),
            _ => Some(Value::Missing),
        }
    }

    /// The value without the parts named; `None` if it has none of them.
    pub(crate) fn dropped(&self, value: Ref<'_>) -> Option<Value> {
        match value {
            _ if self.whole => Some(Value::Missing),
            _ if !self.touches(value) => None,
            Ref::Map(map) => {
                let entry = |(name, value): (&str, Ref<'_>)| {
                    let left = self.part(name).and_then(|part| part.dropped(value));
                    let left = left.unwrap_or_else(|| value.to_value());
                    (left != Value::Missing).then(|| (name.to_owned(), left))
                };
                Some(Value::Map(map.iter().filter_map(entry).collect()))
            }
            Ref::List(list) => {
                let item = |value: Ref<'_>| self.dropped(value).unwrap_or_else(|| value.to_value());
                Some(Value::List(list.iter().map(item).collect()))
            }
            Ref::Raw(json) => raw(json, |value| self.dropped(value)),
            _ => None,
        }
    }

    /// Whether the value has one of the parts, or may have: JSON text is not taken apart to see.
    fn touches(&self, value: Ref<'_>) -> bool {
        match value {
            _ if self.whole => !value.is_missing(),
            Ref::Map(map) => {
                map.iter().any(|(name, value)| self.part(name).is_some_and(|part| part.touches(value)))
            }
            Ref::List(list) => list.iter().any(|item| self.touches(item)),
            Ref::Raw(_) => true,
            _ => false,
        }
    }
}

/// JSON text changed as a value, as text again; `None` if it stays as it is.
fn raw(json: &str, change: impl FnOnce(Ref<'_>) -> Option<Value>) -> Option<Value> {
    let value = json_read::read_value(json).ok()?;
    match change(value.as_ref())? {
        Value::Missing => Some(Value::Missing),
        changed => {
            let mut text = Vec::new();
            json_write::write_value(changed.as_ref(), &mut text);
            String::from_utf8(text).ok().map(Value::Raw)
        }
    }
}
