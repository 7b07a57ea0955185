//! Values against the form made of a component's schema: the same form that the inspector shows, so that what it accepts
//! is what passes here.

use serde_json::{Map, Number, Value};

use super::at::At;
use super::nodes::shown;
use crate::channel::fields::{listed, type_of};
use crate::diagnostic::{Diagnostic, codes};
use crate::form::{Choice, Field, FieldKind, FormModel, List, Numeric, OneOf, Tagging, Text, format};
use crate::pointer;
use crate::secret;
use crate::suggest::{closest, did_you_mean};

/// Checks the members of an object that lies at `at`.
pub(super) fn object(form: &FormModel, map: &Map<String, Value>, at: &At<'_>, out: &mut Vec<Diagnostic>) {
    members(form, map, &[], at, out);
}

fn members(
    form: &FormModel,
    map: &Map<String, Value>,
    skip: &[&str],
    at: &At<'_>,
    out: &mut Vec<Diagnostic>,
) {
    for field in &form.fields {
        match map.get(&field.name) {
            Some(item) => value(field, item, &at.member(&field.name), out),
            None if field.required => out.push(missing(field, at)),
            None => {}
        }
    }
    if map.keys().all(|key| form.field(key).is_some()) {
        return;
    }
    let mut absent: Vec<&str> =
        form.fields.iter().map(|field| field.name.as_str()).filter(|name| !map.contains_key(*name)).collect();
    for (key, _) in crate::canonical::sorted(map) {
        if form.field(key).is_none() && !skip.contains(&key.as_str()) {
            out.push(unknown(form, map, key, &mut absent, at));
        }
    }
}

fn missing(field: &Field, at: &At<'_>) -> Diagnostic {
    let inner = at.member(&field.name);
    let name = inner.field();
    let mut fault = Diagnostic::error(codes::CONFIG_MISSING, at.place(), format!("`{name}` is missing"));
    fault.place.field = Some(name);
    let first = field.help.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    if !first.is_empty() {
        fault = fault.help(first);
    }
    match ready(field) {
        Some(value) => {
            let title = format!("Set it to `{}`", shown(&crate::canonical::compact(&value)));
            fault.fix(title, inner.pointer(), Some(value))
        }
        None => fault,
    }
}

/// A value that is surely right: the default, or the only choice.
fn ready(field: &Field) -> Option<Value> {
    match (&field.default, &field.kind) {
        (Some(default), _) => Some(default.clone()),
        (None, FieldKind::Choice(choices)) if choices.len() == 1 => Some(choices[0].value.clone()),
        _ => None,
    }
}

/// An unknown member, with the absent field it may have been meant for; each field is offered once.
fn unknown(
    form: &FormModel,
    map: &Map<String, Value>,
    key: &str,
    absent: &mut Vec<&str>,
    at: &At<'_>,
) -> Diagnostic {
    let inner = at.member(key);
    let near = closest(key, absent.iter().copied());
    absent.retain(|name| Some(*name) != near);
    let message = format!("there is no setting `{}`{}", shown(key), did_you_mean(near));
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    let help = if names.is_empty() {
        "There are no settings here.".into()
    } else {
        format!("Known are {}.", listed(&names))
    };
    let report = if form.open { Diagnostic::warning } else { Diagnostic::error };
    let pointer = inner.pointer();
    let fault = report(codes::CONFIG_UNKNOWN_FIELD, inner.place(), message).help(help);
    match near {
        Some(near) => {
            let renamed = map.iter().map(|(name, value)| {
                (if name == key { near.to_owned() } else { name.clone() }, value.clone())
            });
            fault.fix(format!("Rename to `{near}`"), at.pointer(), Some(Value::Object(renamed.collect())))
        }
        None => fault.fix(format!("Remove `{}`", shown(key)), pointer, None),
    }
}

fn value(field: &Field, item: &Value, at: &At<'_>, out: &mut Vec<Diagnostic>) {
    if item.is_null() && field.nullable {
        return;
    }
    match (&field.kind, item) {
        (FieldKind::Json, _) | (FieldKind::Bool, Value::Bool(_)) => {}
        // What a reference stands for is not known here.
        (FieldKind::Text(_) | FieldKind::Choice(_), Value::String(written)) if has_reference(written) => {}
        (FieldKind::Text(limits), Value::String(written)) => text(limits, written, at, out),
        (FieldKind::Number(limits), Value::Number(number)) => numeric(limits, number, at, out),
        (FieldKind::Choice(choices), _) => choice(choices, item, at, out),
        (FieldKind::OneOf(shapes), _) => one_of(shapes, field, item, at, out),
        (FieldKind::List(limits), Value::Array(items)) => list(limits, items, at, out),
        (FieldKind::Map(inner), Value::Object(map)) => {
            for (key, item) in crate::canonical::sorted(map) {
                value(inner, item, &at.member(key), out);
            }
        }
        (FieldKind::Object(form), Value::Object(map)) => object(form, map, at, out),
        (kind, _) => out.push(wrong_type(field, kind, item, at)),
    }
}

fn wrong_type(field: &Field, kind: &FieldKind, item: &Value, at: &At<'_>) -> Diagnostic {
    let message = format!("`{}` must be {}, but is {}", name(at), expected(kind), type_of(item));
    let fault = Diagnostic::error(codes::CONFIG_WRONG_TYPE, at.place(), message);
    let converted = match (kind, item) {
        (FieldKind::Number(limits), Value::String(text)) => {
            let number: Option<Number> = serde_json::from_str(text.trim()).ok();
            number.filter(|number| !limits.integer || integer(number).is_some()).map(Value::Number)
        }
        (FieldKind::Text(_), Value::Number(number)) => Some(Value::String(number.to_string())),
        (FieldKind::Text(_), Value::Bool(truth)) => Some(Value::String(truth.to_string())),
        (FieldKind::Bool, Value::String(text)) => {
            text.trim().to_ascii_lowercase().parse().ok().map(Value::Bool)
        }
        (FieldKind::List(limits), item) if limits.item.kind.fits(item) && !item.is_null() => {
            Some(Value::Array(vec![item.clone()]))
        }
        _ => None,
    };
    match converted {
        Some(value) => {
            let title = format!("Change to `{}`", shown(&crate::canonical::compact(&value)));
            fault.fix(title, at.pointer(), Some(value))
        }
        None if !field.required => fault.fix("Remove it", at.pointer(), None),
        None => fault,
    }
}

/// What a kind expects, to complete "must be …".
fn expected(kind: &FieldKind) -> String {
    match kind {
        FieldKind::Text(_) => "text".into(),
        FieldKind::Number(limits) if limits.integer => "a whole number".into(),
        FieldKind::Number(_) => "a number".into(),
        FieldKind::Bool => "true or false".into(),
        FieldKind::Choice(choices) => format!("one of {}", words(choices)),
        FieldKind::OneOf(one_of) if one_of.tagging == Tagging::Untagged => {
            let kinds: Vec<_> = one_of
                .variants
                .iter()
                .filter_map(|shape| shape.content.as_ref())
                .map(|field| expected(&field.kind))
                .collect();
            kinds.join(" or ")
        }
        FieldKind::OneOf(one_of) => {
            let names: Vec<_> = one_of.variants.iter().map(|shape| shape.name.as_str()).collect();
            format!("one of {}", listed(&names))
        }
        FieldKind::List(list) => format!("a list (of {})", expected(&list.item.kind)),
        FieldKind::Map(_) | FieldKind::Object(_) => "an object".into(),
        FieldKind::Json => "any JSON".into(),
    }
}

fn words(choices: &[Choice]) -> String {
    let words: Vec<String> = choices
        .iter()
        .map(|choice| choice.value.as_str().map_or_else(|| choice.value.to_string(), str::to_owned))
        .collect();
    listed(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn has_reference(text: &str) -> bool {
    text.contains("${") && secret::pieces(text).iter().any(|piece| !matches!(piece, secret::Piece::Plain(_)))
}

fn text(limits: &Text, written: &str, at: &At<'_>, out: &mut Vec<Diagnostic>) {
    let length = written.chars().count() as u64;
    if let Some(message) = bounds(limits.min, limits.max, length, "character") {
        let message = match length {
            0 => format!("`{}` is empty", name(at)),
            _ => format!("`{}` has {message}", name(at)),
        };
        out.push(Diagnostic::error(codes::CONFIG_LENGTH, at.place(), message));
        return;
    }
    if let Some(format) = limits.format.as_deref().and_then(format::find)
        && !(format.accepts)(written)
    {
        let message = format!("`{}` must be {}, but is `{}`", name(at), format.expected, shown(written));
        out.push(Diagnostic::error(codes::CONFIG_FORMAT, at.place(), message));
    }
}

/// What is wrong with a length, to complete "has …".
fn bounds(min: Option<u64>, max: Option<u64>, length: u64, what: &str) -> Option<String> {
    let plural = |count: u64| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    match (min, max) {
        (Some(min), _) if length < min => Some(format!("{}; the least are {min}", plural(length))),
        (_, Some(max)) if length > max => Some(format!("{}; the most are {max}", plural(length))),
        _ => None,
    }
}

/// A number that is written as a whole number.
fn integer(number: &Number) -> Option<i128> {
    let text = number.to_string();
    // Beyond 128 bits a number is out of any range; its sign says on which side.
    match text.parse() {
        Ok(value) => Some(value),
        Err(_) if text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(if text.starts_with('-') { i128::MIN } else { i128::MAX })
        }
        Err(_) => None,
    }
}

fn numeric(limits: &Numeric, number: &Number, at: &At<'_>, out: &mut Vec<Diagnostic>) {
    if limits.integer && integer(number).is_none() {
        let message = format!("`{}` must be a whole number, but is {}", name(at), shown(&number.to_string()));
        out.push(Diagnostic::error(codes::CONFIG_WRONG_TYPE, at.place(), message));
        return;
    }
    let below = |a: &Number, b: &Number| match (integer(a), integer(b)) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a < b),
    };
    let message = match (&limits.min, &limits.max) {
        (Some(min), Some(max)) if below(number, min) || below(max, number) => {
            format!("must be {min} to {max}")
        }
        (Some(min), None) if below(number, min) => format!("must be at least {min}"),
        (None, Some(max)) if below(max, number) => format!("must be at most {max}"),
        _ => return,
    };
    let bound = match &limits.min {
        Some(min) if below(number, min) => min.clone(),
        _ => limits.max.clone().unwrap_or_else(|| number.clone()),
    };
    let message = format!("`{}` {message}, but is {}", name(at), shown(&number.to_string()));
    out.push(Diagnostic::error(codes::CONFIG_OUT_OF_RANGE, at.place(), message).fix(
        format!("Change to {bound}"),
        at.pointer(),
        Some(Value::Number(bound)),
    ));
}

fn choice(choices: &[Choice], item: &Value, at: &At<'_>, out: &mut Vec<Diagnostic>) {
    if choices.iter().any(|choice| choice.value == *item) {
        return;
    }
    let near = item
        .as_str()
        .and_then(|word| closest(word, choices.iter().filter_map(|choice| choice.value.as_str())));
    let written = item.as_str().map_or_else(|| crate::canonical::compact(item), str::to_owned);
    let message = format!("`{}` cannot be `{}`{}", name(at), shown(&written), did_you_mean(near));
    let fault = Diagnostic::error(codes::CONFIG_UNKNOWN_VALUE, at.place(), message)
        .help(format!("It is one of {}.", words(choices)));
    out.push(match near {
        Some(near) => fault.fix(format!("Change to `{near}`"), at.pointer(), Some(near.into())),
        None => fault,
    });
}

fn list(limits: &List, items: &[Value], at: &At<'_>, out: &mut Vec<Diagnostic>) {
    if let Some(message) = bounds(limits.min, limits.max, items.len() as u64, "element") {
        let message = format!("`{}` has {message}", name(at));
        out.push(Diagnostic::error(codes::CONFIG_LENGTH, at.place(), message));
    }
    let mut seen = std::collections::HashSet::new();
    for (index, item) in items.iter().enumerate() {
        let inner = at.item(index);
        value(&limits.item, item, &inner, out);
        if limits.unique && !seen.insert(crate::canonical::compact(item)) {
            let message = format!("`{}` is there already", shown(&crate::canonical::compact(item)));
            let pointer = inner.pointer();
            out.push(Diagnostic::error(codes::CONFIG_DUPLICATE_ITEM, inner.place(), message).fix(
                "Remove it",
                pointer,
                None,
            ));
        }
    }
}

fn one_of(one_of: &OneOf, field: &Field, item: &Value, at: &At<'_>, out: &mut Vec<Diagnostic>) {
    let Some(index) = one_of.variant_of(item) else {
        return out.push(no_shape(one_of, field, item, at));
    };
    let shape = &one_of.variants[index];
    let inside = one_of.content_pointer(index);
    let segments = pointer::segments(&inside);
    let inner = segments.first().map_or(*at, |segment| at.member(segment));
    match (&shape.content, &one_of.tagging, item.pointer(&inside)) {
        (Some(content), Tagging::Internal(tag), Some(Value::Object(map))) => {
            if let FieldKind::Object(form) = &content.kind {
                members(form, map, &[tag], at, out);
            }
        }
        (Some(content), _, Some(found)) => value(content, found, &inner, out),
        (Some(_), ..) => {
            let message = format!("`{}` needs settings of its own", shape.name);
            out.push(Diagnostic::error(codes::CONFIG_MISSING, at.place(), message));
        }
        (None, Tagging::External, Some(_)) if item.is_object() => {
            let message = format!("`{}` has no settings of its own", shape.name);
            let fault = Diagnostic::error(codes::CONFIG_WRONG_TYPE, at.place(), message);
            out.push(fault.fix("Leave them out", at.pointer(), Some(shape.name.clone().into())));
        }
        (None, Tagging::Internal(tag), _) => extra_members(item, &[tag], at, out),
        (None, Tagging::Adjacent(tag, _), _) => extra_members(item, &[tag], at, out),
        (None, ..) => {}
    }
}

/// Members beside the name of a shape that has none.
fn extra_members(item: &Value, known: &[&str], at: &At<'_>, out: &mut Vec<Diagnostic>) {
    if let Value::Object(map) = item {
        members(&FormModel::default(), map, known, at, out);
    }
}

fn no_shape(one_of: &OneOf, field: &Field, item: &Value, at: &At<'_>) -> Diagnostic {
    let names: Vec<&str> = one_of.variants.iter().map(|shape| shape.name.as_str()).collect();
    let (written, inside) = match (&one_of.tagging, item) {
        (Tagging::External, Value::String(word)) => (Some(word.as_str()), String::new()),
        (Tagging::External, Value::Object(map)) if map.len() == 1 => {
            (map.keys().next().map(String::as_str), String::new())
        }
        (Tagging::Internal(tag) | Tagging::Adjacent(tag, _), Value::Object(map)) => match map.get(tag) {
            Some(Value::String(word)) => (Some(word.as_str()), pointer::join("", tag)),
            Some(other) => {
                let message = format!("`{tag}` must be text, but is {}", type_of(other));
                return Diagnostic::error(codes::CONFIG_WRONG_TYPE, at.member(tag).place(), message);
            }
            None => {
                let message = format!("`{tag}` is missing");
                let fault = Diagnostic::error(codes::CONFIG_MISSING, at.place(), message);
                return fault.help(format!("It is one of {}.", listed(&names)));
            }
        },
        _ => (None, String::new()),
    };
    let Some(word) = written else { return wrong_type(field, &field.kind, item, at) };
    let near = closest(word, names.iter().copied());
    let message = format!("`{}` cannot be `{}`{}", name(at), shown(word), did_you_mean(near));
    let fault = Diagnostic::error(codes::CONFIG_UNKNOWN_VALUE, at.place(), message)
        .help(format!("It is one of {}.", listed(&names)));
    match (near, item) {
        (Some(near), Value::String(_)) => {
            fault.fix(format!("Change to `{near}`"), at.pointer(), Some(near.into()))
        }
        (Some(near), Value::Object(map)) if inside.is_empty() => {
            let content = map.values().next().cloned().unwrap_or_default();
            let value = Value::Object(Map::from_iter([(near.to_owned(), content)]));
            fault.fix(format!("Change to `{near}`"), at.pointer(), Some(value))
        }
        (Some(near), _) => {
            fault.fix(format!("Change to `{near}`"), format!("{}{inside}", at.pointer()), Some(near.into()))
        }
        (None, _) => fault,
    }
}

/// The name of the value at a place, for messages.
fn name(at: &At<'_>) -> String {
    match at.field() {
        field if field.is_empty() => "config".into(),
        field => shown(&field),
    }
}
