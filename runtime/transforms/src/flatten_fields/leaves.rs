//! Taking a nested value apart into leaves with names.

use fairway_engine::data::{Ref, Value, json_read, json_write};

/// The leaves of one record; its room is used again for the next.
#[derive(Debug, Default)]
pub(super) struct Leaves {
    separator: String,
    depth: usize,
    index: bool,
    /// The name under way.
    path: String,
    /// All names, one after the other.
    names: String,
    /// Rank of the field it came of, where its name lies, and its value.
    leaves: Vec<(usize, std::ops::Range<usize>, Value)>,
}

impl Leaves {
    pub(super) fn new(separator: String, depth: usize, index: bool) -> Self {
        Self { separator, depth, index, ..Self::default() }
    }

    pub(super) fn clear(&mut self) {
        self.names.clear();
        self.leaves.clear();
    }

    /// Rank of the field, name and value of each leaf, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, &str, &Value)> {
        self.leaves.iter().map(|(rank, name, value)| (*rank, &self.names[name.clone()], value))
    }

    /// Takes the value of a field apart; `false` if it is to stay as it is.
    pub(super) fn take(&mut self, rank: usize, name: &str, value: Ref<'_>) -> bool {
        let parsed;
        let value = match value {
            Ref::Raw(json) if self.may_nest(json) => match json_read::read_value(json) {
                Ok(read) => {
                    parsed = read;
                    parsed.as_ref()
                }
                Err(_) => return false,
            },
            other => other,
        };
        match value {
            Ref::Map(_) => {}
            Ref::List(_) if self.index => {}
            Ref::List(_) => {
                // It stays under its name, as text.
                self.leaf_named(rank, name, as_json(value));
                return true;
            }
            _ => return false,
        }
        self.path.clear();
        self.path.push_str(name);
        self.walk(rank, value, 0);
        true
    }

    /// Whether JSON text is worth reading: a list that would be JSON text again is not.
    fn may_nest(&self, json: &str) -> bool {
        match json.trim_ascii_start().as_bytes().first() {
            Some(b'{') => true,
            Some(b'[') => self.index,
            _ => false,
        }
    }

    fn walk(&mut self, rank: usize, value: Ref<'_>, level: usize) {
        let deeper = level < self.depth;
        match value {
            Ref::Map(map) if deeper && !map.is_empty() => {
                for (name, value) in map.iter() {
                    self.within(name, |leaves| leaves.walk(rank, value, level + 1));
                }
            }
            Ref::List(list) if deeper && self.index && !list.is_empty() => {
                for (at, value) in list.iter().enumerate() {
                    self.within(&at.to_string(), |leaves| leaves.walk(rank, value, level + 1));
                }
            }
            Ref::Map(_) | Ref::List(_) => self.leaf(rank, as_json(value)),
            Ref::Missing => {}
            scalar => self.leaf(rank, scalar.to_value()),
        }
    }

    fn within(&mut self, name: &str, walk: impl FnOnce(&mut Self)) {
        let len = self.path.len();
        let separator = std::mem::take(&mut self.separator);
        self.path.push_str(&separator);
        self.separator = separator;
        self.path.push_str(name);
        walk(self);
        self.path.truncate(len);
    }

    fn leaf(&mut self, rank: usize, value: Value) {
        let path = std::mem::take(&mut self.path);
        self.leaf_named(rank, &path, value);
        self.path = path;
    }

    fn leaf_named(&mut self, rank: usize, name: &str, value: Value) {
        let start = self.names.len();
        self.names.push_str(name);
        self.leaves.push((rank, start..self.names.len(), value));
    }
}

fn as_json(value: Ref<'_>) -> Value {
    let mut text = Vec::new();
    json_write::write_value(value, &mut text);
    String::from_utf8(text).map_or(Value::Null, Value::Raw)
}
