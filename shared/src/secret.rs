//! References to secrets. Documents hold `${secret:name}` and `${env:NAME}` and never a value (I6); the runtime puts the
//! values in when it opens a component, and here nothing ever sees one.

use serde_json::{Map, Value};

use crate::form::{Field, FieldKind, FormModel};

/// Where a value comes from when a component is opened.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// The secret store.
    Secret(String),
    /// The environment of the process.
    Env(String),
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece<'t> {
    /// Plain text.
    Plain(&'t str),
    /// A reference.
    Reference(Reference),
    /// Something that begins like a reference and is none; the whole of it, and why it is none.
    Broken(&'t str, &'static str),
}

/// Takes a text apart into plain text and references. Other templates (`${field}`) are plain text here and the component's
/// own business.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    // Where to look on in `rest`.
    let mut from = 0;
    while let Some(at) = rest[from..].find("${").map(|at| from + at) {
        let inner = &rest[at + 2..];
        let Some(kind) = ["secret:", "env:"].into_iter().find(|kind| inner.starts_with(kind)) else {
            from = at + 2;
            continue;
        };
        push_plain(&mut pieces, &rest[..at]);
        let Some(end) = inner.find('}') else {
            pieces.push(Piece::Broken(&rest[at..], "it has no closing brace"));
            return pieces;
        };
        let name = &inner[kind.len()..end];
        pieces.push(match kind {
            _ if !is_name(name) => Piece::Broken(&rest[at..at + 2 + end + 1], BAD_NAME),
            "env:" => Piece::Reference(Reference::Env(name.to_owned())),
            _ => Piece::Reference(Reference::Secret(name.to_owned())),
        });
        rest = &inner[end + 1..];
        from = 0;
    }
    push_plain(&mut pieces, rest);
    pieces
}

const BAD_NAME: &str = "its name must be letters, digits, `_`, `-`, `.` and `/`, and not empty";

fn push_plain<'t>(pieces: &mut Vec<Piece<'t>>, text: &'t str) {
    if !text.is_empty() {
        pieces.push(Piece::Plain(text));
    }
}

/// Whether a text can be the name of a secret or of an environment variable.
pub fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/'))
}

/// Whether a text is nothing but one reference.
pub fn is_reference(text: &str) -> bool {
    matches!(pieces(text).as_slice(), [Piece::Reference(_)])
}

/// All references in a value, in the order in which they stand.
pub fn references(value: &Value) -> Vec<Reference> {
    let mut found = Vec::new();
    walk(value, &mut |text| {
        found.extend(pieces(text).into_iter().filter_map(|piece| match piece {
            Piece::Reference(reference) => Some(reference),
            _ => None,
        }));
    });
    found
}

fn walk<'v>(value: &'v Value, visit: &mut impl FnMut(&'v str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(list) => list.iter().for_each(|value| walk(value, visit)),
        Value::Object(map) => map.values().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

/// Takes out of a config the values of secret fields that are no references.
pub fn redact(config: &mut Map<String, Value>, form: &FormModel) {
    for field in &form.fields {
        if let Some(value) = config.get_mut(&field.name)
            && !redact_value(value, field)
        {
            config.remove(&field.name);
        }
    }
}

/// Redacts inside a value; false when the value itself must go.
fn redact_value(value: &mut Value, field: &Field) -> bool {
    if field.secret {
        return match value {
            Value::String(text) => is_reference(text),
            Value::Null => true,
            _ => false,
        };
    }
    match (&field.kind, value) {
        (FieldKind::Object(form), Value::Object(map)) => redact(map, form),
        (FieldKind::List(list), Value::Array(items)) => {
            items.retain_mut(|item| redact_value(item, &list.item))
        }
        (FieldKind::Map(inner), Value::Object(map)) => map.retain(|_, value| redact_value(value, inner)),
        (FieldKind::OneOf(one_of), value) => {
            let Some(index) = one_of.variant_of(value) else { return true };
            let content = one_of.variants[index].content.as_ref();
            let at = one_of.content_pointer(index);
            if let (Some(field), Some(inner)) = (content, value.pointer_mut(&at)) {
                return redact_value(inner, field);
            }
        }
        _ => {}
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pieces_of_texts() {
        let secret = |name: &str| Piece::Reference(Reference::Secret(name.into()));
        let env = |name: &str| Piece::Reference(Reference::Env(name.into()));
        let plain = Piece::Plain;
        for (text, expected) in [
            ("", vec![]),
            ("plain $ {x} ${field}", vec![plain("plain $ {x} ${field}")]),
            ("${secret:a}", vec![secret("a")]),
            ("a${secret:b.c/d-e}${env:F_G}h", vec![plain("a"), secret("b.c/d-e"), env("F_G"), plain("h")]),
            ("${secret:}", vec![Piece::Broken("${secret:}", BAD_NAME)]),
            ("a${env:b", vec![plain("a"), Piece::Broken("${env:b", "it has no closing brace")]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }

    #[test]
    fn references_are_found_anywhere() {
        let value = json!({"a": ["${secret:x}", {"b": "p${env:Y}"}], "c": 1});
        assert_eq!(references(&value), [Reference::Secret("x".into()), Reference::Env("Y".into())]);
        assert!(is_reference("${env:Y}") && !is_reference("x${env:Y}") && !is_reference("${field}"));
    }

    #[test]
    fn plain_secrets_stay_behind() {
        let schema = json!({"type": "object", "properties": {
            "password": {"type": "string", "writeOnly": true}, "user": {"type": "string"},
            "headers": {"type": "object", "additionalProperties": {"type": "string", "writeOnly": true}},
            "auth": {"oneOf": [{"const": "none", "type": "string"}, {"type": "object", "required": ["basic"], "properties": {
                "basic": {"type": "object", "properties": {"token": {"type": "string", "writeOnly": true}}}}}]}
        }});
        let mut config = json!({
            "user": "u", "password": "hunter2", "headers": {"a": "${secret:a}", "b": "plain"}, "auth": {"basic": {"token": "t"}}
        });
        redact(config.as_object_mut().unwrap(), &crate::form::model(&schema));
        assert_eq!(config, json!({"user": "u", "headers": {"a": "${secret:a}"}, "auth": {"basic": {}}}));
    }
}
