//! Forms made of what schemars really writes for structs and enums of every kind that components use.

use std::collections::BTreeMap;

use fairway_shared::form::{self, FieldKind, FormModel, Tagging, Widget};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Reads everything.
///
/// At length.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Config {
    /// Where to read.
    #[schemars(length(min = 1), extend("x-ui" = json!({"order": 1, "placeholder": "in/*.csv"})))]
    path: String,
    /// What joins columns.
    #[serde(default = "comma")]
    #[schemars(length(min = 1, max = 1), extend("x-ui" = json!({"order": 2, "group": "text_format"})))]
    delimiter: String,
    /// How to follow.
    #[serde(default)]
    #[schemars(extend("x-ui" = json!({"order": 3})))]
    follow: Follow,
    /// How long to wait.
    #[schemars(extend("format" = "duration", "x-ui" = json!({"order": 4, "advanced": true, "show_if": {"follow": ["lines", "files"]}})))]
    wait: Option<String>,
    /// Exactly so many.
    #[schemars(range(min = 1, max = 100), extend("x-ui" = json!({"order": 5, "group": "text_format"})))]
    batch: Option<u64>,
    /// Big.
    big: i64,
    /// Ratio.
    ratio: f64,
    /// The key.
    #[schemars(extend("writeOnly" = true))]
    password: Option<String>,
    /// Columns.
    #[serde(default)]
    columns: Vec<Column>,
    /// Names.
    fields: Vec<String>,
    /// New names.
    #[schemars(extend("x-ui" = json!({"widget": "mapping"})))]
    rename: BTreeMap<String, String>,
    /// Anything.
    value: Value,
    /// Free.
    options: Map<String, Value>,
    /// What to do | and more.
    action: Action,
    /// Shape by tag.
    shape: Shape,
    /// One or many.
    targets: OneOrMany,
    /// Letter.
    level: Option<Level>,
    /// Nested.
    rule: Option<Rule>,
}

fn comma() -> String {
    ",".into()
}

#[derive(Serialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code)]
enum Follow {
    /// Ends at the end.
    #[default]
    No,
    /// Waits for lines.
    Lines,
    /// Waits for files.
    Files,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code)]
enum Action {
    /// Nothing.
    Skip,
    Stop,
    /// Puts a value there.
    Replace(String),
    /// Looks it up.
    Lookup {
        /// Where.
        table: String,
        #[serde(default)]
        strict: bool,
    },
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(dead_code)]
enum Shape {
    Point,
    /// Round.
    Circle {
        /// Of what size.
        size: String,
        unit: Option<String>,
    },
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Serialize, JsonSchema)]
#[allow(dead_code)]
enum Level {
    Low,
    High,
}

/// A column.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Column {
    /// Its name.
    name: String,
    /// Its type.
    #[serde(rename = "type")]
    kind: Option<Level>,
}

/// A rule of rules.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Any of them.
    any: Vec<Rule>,
}

fn schema_of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().to_value()
}

fn form() -> FormModel {
    form::model(&schema_of::<Config>())
}

#[test]
fn the_whole_subset_is_understood() {
    assert_eq!(form::subset_faults(&schema_of::<Config>()), Vec::<String>::new());
    assert_eq!(form::help_faults(&schema_of::<Config>()), Vec::<String>::new());
    insta::assert_snapshot!("described_form", form::describe(&form()));
}

#[test]
fn hints_order_group_and_hide() {
    let form = form();
    let names: Vec<_> = form.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names[..5], ["path", "delimiter", "follow", "wait", "batch"]);
    assert!(names[5..].is_sorted());
    assert_eq!(form.groups.len(), 1);
    assert_eq!(form.groups[0].title, "Text format");
    assert_eq!(form.of_group(Some("text_format")).count(), 2);
    assert_eq!(form.field("path").unwrap().placeholder.as_deref(), Some("in/*.csv"));
    let wait = form.field("wait").unwrap();
    assert!(wait.advanced && wait.nullable && !wait.required);
    let config = |follow: Value| json!({ "follow": follow }).as_object().unwrap().clone();
    assert!(!form.is_shown(wait, &Map::new()), "the default of `follow` is no");
    assert!(!form.is_shown(wait, &config(json!("no"))));
    assert!(form.is_shown(wait, &config(json!("files"))));
}

#[test]
fn kinds_bounds_and_widgets() {
    let form = form();
    let field = |name: &str| form.field(name).unwrap();
    let FieldKind::Number(big) = &field("big").kind else { panic!() };
    assert_eq!(big.max.as_ref().unwrap().to_string(), "9223372036854775807");
    let FieldKind::Choice(choices) = &field("follow").kind else { panic!() };
    assert_eq!((choices[1].title.as_str(), choices[1].help.as_str()), ("Lines", "Waits for lines."));
    let FieldKind::Choice(levels) = &field("level").kind else { panic!() };
    assert!(field("level").nullable && levels.len() == 2);
    assert!(field("password").secret && !field("path").secret);
    for (name, widget) in [
        ("path", Some(Widget::Path)),
        ("columns", Some(Widget::Columns)),
        ("fields", Some(Widget::Fields)),
        ("rename", Some(Widget::Mapping)),
        ("value", None),
    ] {
        assert_eq!(field(name).widget, widget, "{name}");
    }
    let FieldKind::List(list) = &field("columns").kind else { panic!() };
    let FieldKind::Object(column) = &list.item.kind else { panic!() };
    assert_eq!(column.fields[0].path, "columns[].name");
    assert!(!column.open);
    assert!(matches!(&field("options").kind, FieldKind::Map(value) if value.kind == FieldKind::Json));
    let FieldKind::Object(rule) = &field("rule").kind else { panic!() };
    let FieldKind::List(any) = &rule.field("any").unwrap().kind else { panic!() };
    assert!(matches!(any.item.kind, FieldKind::Object(_)), "one level of a recursive type is followed");
}

#[test]
fn shapes_are_told_apart_and_made() {
    let form = form();
    let one_of = |name: &str| match &form.field(name).unwrap().kind {
        FieldKind::OneOf(one_of) => one_of.clone(),
        other => panic!("{name}: {other:?}"),
    };
    for (name, tagging, values) in [
        (
            "action",
            Tagging::External,
            vec![json!("stop"), json!("skip"), json!({"replace": "x"}), json!({"lookup": {"table": "t"}})],
        ),
        (
            "shape",
            Tagging::Internal("type".into()),
            vec![json!({"type": "point"}), json!({"type": "circle", "size": "1"})],
        ),
        ("targets", Tagging::Untagged, vec![json!("a"), json!(["a", "b"])]),
    ] {
        let one_of = one_of(name);
        assert_eq!(one_of.tagging, tagging, "{name}");
        for (index, value) in values.iter().enumerate() {
            assert_eq!(one_of.variant_of(value), Some(index), "{value}");
            let content = one_of.content(index, value);
            assert_eq!(content.is_some(), one_of.variants[index].content.is_some(), "{value}");
            assert_eq!(one_of.value(index, content), *value);
        }
        assert_eq!(one_of.variant_of(&json!(5)), None);
    }
}

#[test]
fn what_lies_outside_is_named() {
    for (schema, expected) in [
        (json!({"type": "string"}), "(root): the root must be an object"),
        (json!({"type": "object", "properties": {}}), "(root): unknown fields must be refused"),
        (
            property(json!({"type": "string", "contentEncoding": "x"})),
            "a: `contentEncoding` is not among the keywords",
        ),
        (property(json!({"type": "string", "format": "iri"})), "a: `iri` is not among the formats"),
        (
            property(json!({"type": "number", "exclusiveMinimum": 0})),
            "a: `exclusiveMinimum` is understood for whole",
        ),
        (property(json!({"oneOf": [{"type": "string"}, {"type": "number"}]})), "a: `oneOf` is neither"),
        (property(json!({"$ref": "#/$defs/x"})), "a: `$ref` to `#/$defs/x`, which is not there"),
        (property(json!({"type": "string", "x-ui": {"widgit": 1}})), "a: `x-ui.widgit` is unknown"),
        (
            property(json!({"type": "string", "x-ui": {"widget": "slider"}})),
            "a: `x-ui.widget` cannot be \"slider\"",
        ),
        (property(json!({"type": "string", "x-ui": {"show_if": {"b": 1}}})), "a: `show_if` names `b`"),
    ] {
        let faults = form::subset_faults(&schema);
        assert!(faults.len() == 1 && faults[0].starts_with(expected), "{schema}: {faults:?}");
    }
    let bare = form::help_faults(&property(json!({"type": "string"})));
    assert_eq!(bare, ["a: has no help (doc comment)"]);
}

fn property(schema: Value) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": {"a": schema}})
}

#[test]
fn a_form_crosses_the_wire() {
    let form = form();
    let text = serde_json::to_string(&form).unwrap();
    assert_eq!(serde_json::from_str::<FormModel>(&text).unwrap(), form);
}
