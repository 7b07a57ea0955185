//! Schemas that offer several shapes: `anyOf` with null or untagged, `oneOf` of constants or tagged. Part of `schema`.

use serde_json::{Map, Value};

use super::schema::{Reader, bare_choice, strings};
use super::variants::{OneOf, Tagging, Variant};
use super::{Choice, Field, FieldKind, title_of};

impl<'s> Reader<'s> {
    pub(super) fn any_of(&mut self, field: &mut Field, shapes: &'s [Value]) -> FieldKind {
        let is_null = |shape: &&Value| shape.get("type").and_then(Value::as_str) == Some("null");
        let path = field.path.clone();
        let rest: Vec<&'s Value> = shapes.iter().filter(|shape| !is_null(shape)).collect();
        let nullable = rest.len() < shapes.len();
        let kind = match rest.as_slice() {
            [Value::Object(single)] => {
                self.describe(field, single);
                std::mem::replace(&mut field.kind, FieldKind::Json)
            }
            several => {
                let variants = several.iter().map(|shape| {
                    let content = self.field("value", &path, shape);
                    let name = match &content.kind {
                        FieldKind::Text(_) => "text",
                        FieldKind::Number(_) => "number",
                        FieldKind::Bool => "boolean",
                        FieldKind::Choice(_) => "choice",
                        FieldKind::OneOf(_) => "shape",
                        FieldKind::List(_) => "list",
                        FieldKind::Map(_) | FieldKind::Object(_) => "object",
                        FieldKind::Json => "any",
                    };
                    Variant {
                        name: name.into(),
                        title: title_of(name),
                        help: content.help.clone(),
                        content: Some(Box::new(content)),
                    }
                });
                FieldKind::OneOf(OneOf { tagging: Tagging::Untagged, variants: variants.collect() })
            }
        };
        field.nullable |= nullable;
        kind
    }

    pub(super) fn one_of(&mut self, path: &str, shapes: &'s [Value]) -> FieldKind {
        let maps: Vec<&'s Map<String, Value>> = shapes.iter().filter_map(Value::as_object).collect();
        if maps.len() == shapes.len() {
            if maps.iter().all(|map| map.contains_key("const") || map.contains_key("enum")) {
                return FieldKind::Choice(maps.iter().flat_map(|map| choices(map)).collect());
            }
            if let Some(tag) = tag(&maps) {
                return FieldKind::OneOf(self.tagged(path, tag, &maps));
            }
            if maps.iter().all(|map| {
                map.contains_key("const") || map.contains_key("enum") || single_property(map).is_some()
            }) {
                return FieldKind::OneOf(self.external(path, &maps));
            }
        }
        self.fault(path, "`oneOf` is neither of constants nor of tagged shapes");
        FieldKind::Json
    }

    /// Shapes that carry their name in a member: with their own fields beside it, or with their content in one other member.
    fn tagged(&mut self, path: &str, tag: &'s str, maps: &[&'s Map<String, Value>]) -> OneOf {
        let others = |map: &&'s Map<String, Value>| -> Vec<&'s str> {
            properties(map).filter(|name| *name != tag).collect()
        };
        let mut names: Vec<&str> = maps.iter().flat_map(others).collect();
        names.sort_unstable();
        names.dedup();
        let adjacent = (names.len() == 1 && maps.iter().any(|map| others(map).is_empty())).then(|| names[0]);
        let variants = maps
            .iter()
            .map(|map| {
                let name = map["properties"][tag]["const"].as_str().unwrap_or_default().to_owned();
                let content = match adjacent {
                    Some(key) => map["properties"]
                        .get(key)
                        .map(|schema| self.field(&name, &format!("{path}.{key}"), schema)),
                    None if others(map).is_empty() => None,
                    None => {
                        self.keywords(map, path);
                        let kind = FieldKind::Object(self.object(map, path, &[tag]));
                        Some(Field { kind, ..self.field(&name, path, &Value::Bool(true)) })
                    }
                };
                variant(name, map, content)
            })
            .collect();
        let tagging = match adjacent {
            Some(key) => Tagging::Adjacent(tag.to_owned(), key.to_owned()),
            None => Tagging::Internal(tag.to_owned()),
        };
        OneOf { tagging, variants }
    }

    fn external(&mut self, path: &str, maps: &[&'s Map<String, Value>]) -> OneOf {
        let mut variants = Vec::new();
        for map in maps {
            match single_property(map) {
                Some((name, schema)) => {
                    let content = self.field(name, &format!("{path}.{name}"), schema);
                    variants.push(variant(name.to_owned(), map, Some(content)));
                }
                None => variants.extend(choices(map).into_iter().filter_map(|choice| {
                    let name = choice.value.as_str()?.to_owned();
                    Some(Variant { name, title: choice.title, help: choice.help, content: None })
                })),
            }
        }
        OneOf { tagging: Tagging::External, variants }
    }
}

fn properties(map: &Map<String, Value>) -> impl Iterator<Item = &str> {
    map.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str())
}

/// The member whose constant names the shape in each of these objects.
fn tag<'s>(maps: &[&'s Map<String, Value>]) -> Option<&'s str> {
    let constant = |map: &Map<String, Value>, name: &str| {
        map.get("properties")
            .and_then(|properties| properties.get(name))
            .is_some_and(|member| member["const"].is_string())
    };
    properties(maps.first()?).find(|name| maps.iter().all(|map| constant(map, name)))
}

fn single_property(map: &Map<String, Value>) -> Option<(&str, &Value)> {
    let mut members = map.get("properties")?.as_object()?.iter();
    let (name, schema) = members.next()?;
    (members.next().is_none() && strings(map.get("required")) == [name]).then_some((name, schema))
}

fn choices(map: &Map<String, Value>) -> Vec<Choice> {
    let values = map.get("enum").and_then(Value::as_array).into_iter().flatten().chain(map.get("const"));
    let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
    values
        .map(|value| {
            let bare = bare_choice(value);
            Choice {
                title: text("title").unwrap_or(bare.title),
                help: text("description").unwrap_or_default(),
                ..bare
            }
        })
        .collect()
}

fn variant(name: String, map: &Map<String, Value>, content: Option<Field>) -> Variant {
    let text = |key: &str| map.get(key).and_then(Value::as_str).map(str::to_owned);
    Variant {
        title: text("title").unwrap_or_else(|| title_of(&name)),
        help: text("description").unwrap_or_default(),
        content: content.map(Box::new),
        name,
    }
}
