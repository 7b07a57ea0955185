//! What a config schema means to people: fields with titles, help, defaults, choices and conditions.
//!
//! The inspector draws it, the docs pages and the CLI list it ([`describe`]), and `validate` checks configs against it, so
//! that form, page and check cannot disagree. How it is read from a JSON Schema, and which part of JSON Schema that may
//! be, is `schema`; the named text formats are `format`.

mod describe;
pub mod format;
mod schema;
mod shapes;
mod variants;

pub use describe::describe;
pub use schema::{help_faults, model, subset_faults};
pub use variants::{OneOf, Tagging, Variant};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

/// The fields of an object, in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FormModel {
    /// Groups that fields name, in the order of their first field. Fields without a group come before them.
    pub groups: Vec<Group>,
    /// Fields.
    pub fields: Vec<Field>,
    /// Whether other fields are let through without effect; otherwise they are errors.
    pub open: bool,
}

/// Fields that stand together under a heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Name as fields write it.
    pub name: String,
    /// Heading.
    pub title: String,
}

/// One field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Name as written in the config.
    pub name: String,
    /// Names from the config's root, dotted; `[]` stands for the elements of a list and `*` for the values of a map.
    pub path: String,
    /// Title for people.
    pub title: String,
    /// What it does, in Markdown; may be empty.
    pub help: String,
    /// What it holds.
    pub kind: FieldKind,
    /// Whether it must be there.
    pub required: bool,
    /// Whether null may stand for nothing.
    pub nullable: bool,
    /// What holds when it is absent.
    pub default: Option<Value>,
    /// Examples of values.
    pub examples: Vec<Value>,
    /// Place among its siblings, smallest first.
    pub order: i64,
    /// Group it stands in.
    pub group: Option<String>,
    /// Whether it is folded away until asked for.
    pub advanced: bool,
    /// Grey text in an empty input.
    pub placeholder: Option<String>,
    /// It is shown only while all of these hold.
    pub show_if: Vec<Condition>,
    /// Whether it holds a secret, which documents may only refer to (I6).
    pub secret: bool,
    /// Whether it says where an outside system is or how to get in: a connection can hold it.
    pub access: bool,
    /// How it is edited, where the kind does not say enough.
    pub widget: Option<Widget>,
}

/// A condition on a sibling field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// Name of the sibling.
    pub field: String,
    /// It holds while the sibling has one of these values.
    pub values: Vec<Value>,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldKind {
    /// Text.
    Text(Text),
    /// A number.
    Number(Numeric),
    /// True or false.
    Bool,
    /// One of several values.
    Choice(Vec<Choice>),
    /// One of several shapes.
    OneOf(OneOf),
    /// A list.
    List(List),
    /// Values of one kind by free names.
    Map(Box<Field>),
    /// Further fields.
    Object(FormModel),
    /// Any JSON.
    Json,
}

/// Limits of a text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Text {
    /// Whether it usually has several lines.
    pub multiline: bool,
    /// Regular expression that it matches; shown, and checked by the component itself.
    pub pattern: Option<String>,
    /// Named format, see [`mod@format`].
    pub format: Option<String>,
    /// Least number of characters.
    pub min: Option<u64>,
    /// Most characters.
    pub max: Option<u64>,
}

/// Limits of a number. All bounds are inclusive and exact.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Numeric {
    /// Whether only whole numbers are taken.
    pub integer: bool,
    /// Least value.
    pub min: Option<Number>,
    /// Greatest value.
    pub max: Option<Number>,
}

/// One of several values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// As written in the config.
    pub value: Value,
    /// Title for people.
    pub title: String,
    /// What it means, in Markdown; may be empty.
    pub help: String,
}

/// Elements of a list and how many they may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct List {
    /// What each element is.
    pub item: Box<Field>,
    /// Least number of elements.
    pub min: Option<u64>,
    /// Most elements.
    pub max: Option<u64>,
    /// Whether no element may be there twice.
    pub unique: bool,
}

/// An editor made for one purpose. Fields whose name is one of the config words get theirs by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Widget {
    /// Several lines of text.
    Multiline,
    /// Several lines of code, SQL for instance.
    Code,
    /// An expression over the fields of a record.
    Expression,
    /// Name of a field of the incoming records.
    Field,
    /// Names of fields of the incoming records.
    Fields,
    /// A file path or glob.
    Path,
    /// Declared columns: name, type, format, nulls.
    Columns,
    /// A list of rules, each on a line of its own.
    Rules,
    /// Pairs of an old and a new name.
    Mapping,
    /// Name of a connection.
    Connection,
    /// Name of a table of the connection.
    Table,
    /// Name of a topic of the connection.
    Topic,
}

impl Widget {
    /// All widgets with their words in schemas.
    pub const ALL: &[(&str, Self)] = &[
        ("multiline", Self::Multiline),
        ("code", Self::Code),
        ("expression", Self::Expression),
        ("field", Self::Field),
        ("fields", Self::Fields),
        ("path", Self::Path),
        ("columns", Self::Columns),
        ("rules", Self::Rules),
        ("mapping", Self::Mapping),
        ("connection", Self::Connection),
        ("table", Self::Table),
        ("topic", Self::Topic),
    ];
}

impl FormModel {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Whether a field is shown for this config: each condition is met by the sibling's value or else by its default.
    pub fn is_shown(&self, field: &Field, config: &Map<String, Value>) -> bool {
        field.show_if.iter().all(|condition| {
            let default = || self.field(&condition.field).and_then(|sibling| sibling.default.as_ref());
            let value = config.get(&condition.field).or_else(default).unwrap_or(&Value::Null);
            condition.values.contains(value)
        })
    }

    /// The fields of a group, or those without one.
    pub fn of_group<'a>(&'a self, group: Option<&'a str>) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |field| field.group.as_deref() == group)
    }
}

/// Words that are written in capitals: nobody says `Url`.
const ACRONYMS: [&str; 16] = [
    "acl", "ca", "csv", "http", "https", "id", "ip", "json", "sasl", "sql", "ssl", "tls", "ttl", "url",
    "utc", "uuid",
];

/// A title made of a name: `max_attempts` is `Max attempts`, `tls_ca` is `TLS CA`.
pub fn title_of(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let words: Vec<String> = words
        .split(' ')
        .enumerate()
        .map(|(at, word)| match word.chars().next() {
            Some(_) if ACRONYMS.contains(&word) => word.to_uppercase(),
            Some(first) if at == 0 => first.to_uppercase().chain(word.chars().skip(1)).collect(),
            _ => word.to_owned(),
        })
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::title_of;

    #[test]
    fn a_title_is_made_of_words_and_acronyms() {
        let titles = ["max_attempts", "tls_ca", "url", "dead-letter", "order_id", ""].map(title_of);
        assert_eq!(titles, ["Max attempts", "TLS CA", "URL", "Dead letter", "Order ID", ""]);
    }
}
