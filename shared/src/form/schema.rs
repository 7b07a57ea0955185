//! From a JSON Schema to fields, and what of a schema lies outside the part that Fairway's forms can show.
//!
//! The part is what schemars writes for plain structs and enums: `type` (with `"null"` beside it), `properties`,
//! `required`, `additionalProperties`, `items`, `enum`, `const`, `oneOf` of constants or tagged shapes, `anyOf` with null or of
//! untagged shapes, bounds of numbers, texts and lists, `format`, `default`, `examples`, `description`, `title`, `writeOnly`,
//! `$ref` into `$defs`, and the hints under `x-ui`. Reading never fails: what is outside becomes [`FieldKind::Json`], and
//! [`subset_faults`] says so to the component's author.

use serde_json::{Map, Number, Value};

use super::variants::{OneOf, Tagging, Variant};
use super::{
    Choice, Condition, Field, FieldKind, FormModel, Group, List, Numeric, Text, Widget, format, title_of,
};

const KEYWORDS: &[&str] = &[
    "$defs",
    "$ref",
    "$schema",
    "additionalProperties",
    "anyOf",
    "const",
    "default",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "oneOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
    "x-ui",
];

const HINTS: &[&str] =
    &["access", "advanced", "group", "order", "placeholder", "secret", "show_if", "title", "widget"];

/// Formats of numbers that schemars writes; their bounds are what counts.
const NUMBER_FORMATS: &[&str] = &[
    "int8", "int16", "int32", "int64", "int", "uint8", "uint16", "uint32", "uint64", "uint", "float",
    "double",
];

/// The fields that a config schema describes.
pub fn model(schema: &Value) -> FormModel {
    Reader::new(schema).root()
}

/// What of a config schema lies outside the subset; a test over all components keeps this empty.
pub fn subset_faults(schema: &Value) -> Vec<String> {
    let mut reader = Reader::new(schema);
    let form = reader.root();
    if form.open && reader.faults.is_empty() {
        reader.fault("", "unknown fields must be refused (`deny_unknown_fields`)");
    }
    reader.faults
}

/// Fields that say nothing about themselves.
pub fn help_faults(schema: &Value) -> Vec<String> {
    fn look(form: &FormModel, faults: &mut Vec<String>) {
        for field in &form.fields {
            if field.help.is_empty() {
                faults.push(format!("{}: has no help (doc comment)", field.path));
            }
            match &field.kind {
                FieldKind::Object(form) => look(form, faults),
                FieldKind::List(List { item, .. }) | FieldKind::Map(item) => {
                    if let FieldKind::Object(form) = &item.kind {
                        look(form, faults);
                    }
                }
                _ => {}
            }
        }
    }
    let mut faults = Vec::new();
    look(&model(schema), &mut faults);
    faults
}

pub(super) struct Reader<'s> {
    root: &'s Value,
    /// References being followed; one inside itself becomes free JSON.
    following: Vec<&'s str>,
    faults: Vec<String>,
}

impl<'s> Reader<'s> {
    fn new(root: &'s Value) -> Self {
        Self { root, following: Vec::new(), faults: Vec::new() }
    }

    pub(super) fn fault(&mut self, path: &str, what: impl Into<String>) {
        let path = if path.is_empty() { "(root)" } else { path };
        self.faults.push(format!("{path}: {}", what.into()));
    }

    fn root(&mut self) -> FormModel {
        let root = self.root;
        match root.as_object() {
            Some(map) if types(map) == ["object"] => {
                self.keywords(map, "");
                self.object(map, "", &[])
            }
            _ => {
                self.fault("", "the root must be an object");
                FormModel { open: true, ..FormModel::default() }
            }
        }
    }

    /// The fields of an object, without those named in `skip`.
    pub(super) fn object(&mut self, map: &'s Map<String, Value>, path: &str, skip: &[&str]) -> FormModel {
        let required: Vec<&str> = strings(map.get("required"));
        let properties = map.get("properties").and_then(Value::as_object);
        let mut fields: Vec<Field> = Vec::new();
        for (name, schema) in properties.into_iter().flatten() {
            if !skip.contains(&name.as_str()) {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                let mut field = self.field(name, &path, schema);
                field.required = required.contains(&name.as_str());
                fields.push(field);
            }
        }
        fields.sort_by(|a, b| a.order.cmp(&b.order).then_with(|| a.name.cmp(&b.name)));
        let mut groups: Vec<Group> = Vec::new();
        for name in fields.iter().filter_map(|field| field.group.as_ref()) {
            if groups.iter().all(|group| group.name != *name) {
                groups.push(Group { name: name.clone(), title: title_of(name) });
            }
        }
        for field in &fields {
            for condition in
                field.show_if.iter().filter(|condition| fields.iter().all(|f| f.name != condition.field))
            {
                self.fault(
                    &field.path,
                    format!("`show_if` names `{}`, which is no field beside it", condition.field),
                );
            }
        }
        FormModel { groups, fields, open: map.get("additionalProperties") != Some(&Value::Bool(false)) }
    }

    pub(super) fn field(&mut self, name: &str, path: &str, schema: &'s Value) -> Field {
        let mut field = Field {
            name: name.to_owned(),
            path: path.to_owned(),
            title: title_of(name),
            help: String::new(),
            kind: FieldKind::Json,
            required: false,
            nullable: false,
            default: None,
            examples: Vec::new(),
            order: i64::from(i32::MAX),
            group: None,
            advanced: false,
            placeholder: None,
            show_if: Vec::new(),
            secret: false,
            access: false,
            widget: None,
        };
        match schema {
            Value::Object(map) => self.describe(&mut field, map),
            Value::Bool(true) => field.nullable = true,
            _ => self.fault(path, "is neither a schema nor `true`"),
        }
        if field.widget.is_none() {
            field.widget = widget_by_name(name, &field.kind);
        }
        if let FieldKind::Text(text) = &mut field.kind {
            text.multiline |= matches!(field.widget, Some(Widget::Multiline | Widget::Code));
        }
        field
    }

    /// Fills a field from its schema. What stands outside (help beside a reference) wins over what stands inside.
    pub(super) fn describe(&mut self, field: &mut Field, map: &'s Map<String, Value>) {
        let path = field.path.clone();
        self.keywords(map, &path);
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let inner = map.get("$ref").and_then(Value::as_str);
        match inner {
            Some(target) => self.follow(field, target),
            None => field.kind = self.kind(field, map),
        }
        if let Some(help) = text("description") {
            field.help = help.to_owned();
        }
        if let Some(title) = text("title") {
            field.title = title.to_owned();
        }
        if let Some(default) = map.get("default") {
            field.default = Some(default.clone()).filter(|default| !default.is_null());
        }
        if let Some(examples) = map.get("examples").and_then(Value::as_array) {
            field.examples.clone_from(examples);
        }
        field.secret |=
            map.get("writeOnly") == Some(&Value::Bool(true)) || text("format") == Some("password");
        if let Some(hints) = map.get("x-ui") {
            self.hints(field, hints);
        }
    }

    fn follow(&mut self, field: &mut Field, target: &'s str) {
        let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let path = field.path.clone();
        match found {
            _ if self.following.contains(&target) => {}
            Some(Value::Object(map)) => {
                self.following.push(target);
                self.describe(field, map);
                self.following.pop();
            }
            _ => self.fault(&path, format!("`$ref` to `{target}`, which is not there")),
        }
    }

    pub(super) fn keywords(&mut self, map: &Map<String, Value>, path: &str) {
        for key in map.keys().filter(|key| !KEYWORDS.contains(&key.as_str())) {
            self.fault(path, format!("`{key}` is not among the keywords that forms understand"));
        }
    }

    fn kind(&mut self, field: &mut Field, map: &'s Map<String, Value>) -> FieldKind {
        let path = field.path.clone();
        if let Some(values) = map.get("enum").and_then(Value::as_array) {
            field.nullable = values.contains(&Value::Null);
            return FieldKind::Choice(
                values.iter().filter(|value| !value.is_null()).map(bare_choice).collect(),
            );
        }
        if let Some(value) = map.get("const") {
            return FieldKind::Choice(vec![bare_choice(value)]);
        }
        if let Some(shapes) = map.get("anyOf").and_then(Value::as_array) {
            return self.any_of(field, shapes);
        }
        if let Some(shapes) = map.get("oneOf").and_then(Value::as_array) {
            return self.one_of(&path, shapes);
        }
        let mut types = types(map);
        field.nullable = types.contains(&"null");
        types.retain(|name| *name != "null");
        match types.as_slice() {
            ["string"] => FieldKind::Text(self.text(map, &path)),
            ["integer"] => FieldKind::Number(self.numeric(map, &path, true)),
            ["number"] => FieldKind::Number(self.numeric(map, &path, false)),
            ["boolean"] => FieldKind::Bool,
            ["array"] => FieldKind::List(self.list(map, &path)),
            ["object"] => self.object_or_map(map, &path),
            [] => {
                field.nullable = true;
                FieldKind::Json
            }
            several => {
                // `type: [string, number]` is the short form of `anyOf`.
                let variants = several
                    .iter()
                    .map(|name| {
                        let kind = match *name {
                            "string" => FieldKind::Text(Text::default()),
                            "integer" | "number" => FieldKind::Number(Numeric {
                                integer: *name == "integer",
                                ..Numeric::default()
                            }),
                            "boolean" => FieldKind::Bool,
                            _ => FieldKind::Json,
                        };
                        (*name, kind)
                    })
                    .map(|(name, kind)| {
                        let content = Field { kind, ..self.field(name, &path, &Value::Bool(true)) };
                        Variant {
                            name: name.into(),
                            title: title_of(name),
                            help: String::new(),
                            content: Some(Box::new(content)),
                        }
                    })
                    .collect();
                FieldKind::OneOf(OneOf { tagging: Tagging::Untagged, variants })
            }
        }
    }

    fn text(&mut self, map: &Map<String, Value>, path: &str) -> Text {
        let own = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
        let named = own("format");
        if let Some(name) = &named
            && format::find(name).is_none()
        {
            self.fault(path, format!("`{name}` is not among the formats of texts"));
        }
        Text {
            multiline: false,
            pattern: own("pattern"),
            format: named,
            min: count(map, "minLength"),
            max: count(map, "maxLength"),
        }
    }

    fn numeric(&mut self, map: &Map<String, Value>, path: &str, integer: bool) -> Numeric {
        if let Some(name) = map.get("format").and_then(Value::as_str)
            && !NUMBER_FORMATS.contains(&name)
        {
            self.fault(path, format!("`{name}` is not among the formats of numbers"));
        }
        let mut bound = |inclusive: &str, exclusive: &str, step: i64| -> Option<Number> {
            if let Some(limit) = map.get(exclusive) {
                match limit.as_i64().filter(|_| integer) {
                    Some(limit) => return Some(Number::from(limit.saturating_add(step))),
                    None => self.fault(path, format!("`{exclusive}` is understood for whole numbers only")),
                }
            }
            map.get(inclusive).and_then(Value::as_number).cloned()
        };
        let (min, max) = (bound("minimum", "exclusiveMinimum", 1), bound("maximum", "exclusiveMaximum", -1));
        let (lowest, highest) = match map.get("format").and_then(Value::as_str) {
            Some("int64" | "int") => (Some(Number::from(i64::MIN)), Some(Number::from(i64::MAX))),
            Some("int32") => (Some(Number::from(i32::MIN)), Some(Number::from(i32::MAX))),
            Some("uint64" | "uint") => (Some(Number::from(0u64)), Some(Number::from(u64::MAX))),
            Some("uint32") => (Some(Number::from(0u32)), Some(Number::from(u32::MAX))),
            _ => (None, None),
        };
        Numeric { integer, min: min.or(lowest), max: max.or(highest) }
    }

    fn list(&mut self, map: &'s Map<String, Value>, path: &str) -> List {
        const ANY: &Value = &Value::Bool(true);
        let item = self.field("item", &format!("{path}[]"), map.get("items").unwrap_or(ANY));
        let unique = map.get("uniqueItems") == Some(&Value::Bool(true));
        List { item: Box::new(item), min: count(map, "minItems"), max: count(map, "maxItems"), unique }
    }

    fn object_or_map(&mut self, map: &'s Map<String, Value>, path: &str) -> FieldKind {
        const ANY: &Value = &Value::Bool(true);
        match map.get("additionalProperties") {
            _ if map.get("properties").is_some() => FieldKind::Object(self.object(map, path, &[])),
            Some(Value::Bool(false)) => FieldKind::Object(FormModel::default()),
            values => {
                FieldKind::Map(Box::new(self.field("value", &format!("{path}.*"), values.unwrap_or(ANY))))
            }
        }
    }

    fn hints(&mut self, field: &mut Field, hints: &Value) {
        let path = field.path.clone();
        let Some(hints) = hints.as_object() else { return self.fault(&path, "`x-ui` must be an object") };
        for (key, value) in hints {
            let understood = match key.as_str() {
                "order" => value.as_i64().map(|order| field.order = order).is_some(),
                "access" => value.as_bool().map(|access| field.access = access).is_some(),
                "advanced" => value.as_bool().map(|advanced| field.advanced = advanced).is_some(),
                "secret" => value.as_bool().map(|secret| field.secret = secret).is_some(),
                "group" => value.as_str().map(|group| field.group = Some(group.to_owned())).is_some(),
                "title" => value.as_str().map(|title| field.title = title.to_owned()).is_some(),
                "placeholder" => {
                    value.as_str().map(|text| field.placeholder = Some(text.to_owned())).is_some()
                }
                "widget" => {
                    let known = Widget::ALL.iter().find(|(name, _)| value.as_str() == Some(name));
                    known.map(|(_, widget)| field.widget = Some(*widget)).is_some()
                }
                "show_if" => value.as_object().map(|map| field.show_if = conditions(map)).is_some(),
                _ => {
                    self.fault(&path, format!("`x-ui.{key}` is unknown; known are {}", HINTS.join(", ")));
                    continue;
                }
            };
            if !understood {
                self.fault(&path, format!("`x-ui.{key}` cannot be {value}"));
            }
        }
    }
}

fn types(map: &Map<String, Value>) -> Vec<&str> {
    strings(map.get("type"))
}

/// A text as a list of one, or the texts of a list.
pub(super) fn strings(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(single)) => vec![single],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn count(map: &Map<String, Value>, key: &str) -> Option<u64> {
    map.get(key).and_then(Value::as_u64)
}

pub(super) fn bare_choice(value: &Value) -> Choice {
    let title = value.as_str().map_or_else(|| value.to_string(), title_of);
    Choice { value: value.clone(), title, help: String::new() }
}

fn conditions(map: &Map<String, Value>) -> Vec<Condition> {
    map.iter()
        .map(|(field, value)| {
            let values = match value {
                Value::Array(values) => values.clone(),
                single => vec![single.clone()],
            };
            Condition { field: field.clone(), values }
        })
        .collect()
}

/// The config words mean the same in every component, so they are edited alike.
fn widget_by_name(name: &str, kind: &FieldKind) -> Option<Widget> {
    match (name, kind) {
        ("connection", FieldKind::Text(_)) => Some(Widget::Connection),
        ("path", FieldKind::Text(_)) => Some(Widget::Path),
        // One path or a list of them.
        ("path", FieldKind::OneOf(shapes)) if shapes.tagging == Tagging::Untagged => Some(Widget::Path),
        ("field", FieldKind::Text(_)) => Some(Widget::Field),
        ("table", FieldKind::Text(_)) => Some(Widget::Table),
        ("topic", FieldKind::Text(_)) => Some(Widget::Topic),
        ("fields", FieldKind::List(list)) if matches!(list.item.kind, FieldKind::Text(_)) => {
            Some(Widget::Fields)
        }
        ("columns", FieldKind::List(list)) if matches!(list.item.kind, FieldKind::Object(_)) => {
            Some(Widget::Columns)
        }
        _ => None,
    }
}
