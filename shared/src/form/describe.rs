//! A form as a table for documentation: one row a field, nested ones by their path.

use std::fmt::Write;

use super::{Field, FieldKind, FormModel, List, Tagging};
use crate::canonical;

/// A Markdown table of all fields: name, type, default, what it does. Empty for a form without fields.
pub fn describe(form: &FormModel) -> String {
    if form.fields.is_empty() {
        return String::new();
    }
    let mut table = String::from("| Field | Type | Default | What it does |\n|---|---|---|---|\n");
    rows(form, &mut table);
    table
}

fn rows(form: &FormModel, table: &mut String) {
    for field in &form.fields {
        let default = match &field.default {
            Some(value) => code(&canonical::compact(value)),
            None if field.required => "required".into(),
            None => String::new(),
        };
        let mut help = cell(&field.help);
        for (name, text) in choices(&field.kind) {
            if !help.is_empty() {
                help.push_str("<br>");
            }
            help.push_str(&code(&name));
            if !text.is_empty() {
                let _infallible = write!(help, ": {}", cell(&text));
            }
        }
        let _infallible =
            writeln!(table, "| {} | {} | {default} | {help} |", code(&field.path), cell(&type_of(field)));
        inner(&field.kind, table);
    }
}

fn inner(kind: &FieldKind, table: &mut String) {
    match kind {
        FieldKind::Object(form) => rows(form, table),
        FieldKind::List(List { item, .. }) | FieldKind::Map(item) => inner(&item.kind, table),
        FieldKind::OneOf(one_of) => {
            for content in one_of.variants.iter().filter_map(|variant| variant.content.as_ref()) {
                inner(&content.kind, table);
            }
        }
        _ => {}
    }
}

/// The choices of a field with what each means.
fn choices(kind: &FieldKind) -> Vec<(String, String)> {
    match kind {
        FieldKind::Choice(choices) => {
            let name =
                |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            choices.iter().map(|choice| (name(&choice.value), choice.help.clone())).collect()
        }
        FieldKind::OneOf(one_of) if one_of.tagging != Tagging::Untagged => {
            one_of.variants.iter().map(|variant| (variant.name.clone(), variant.help.clone())).collect()
        }
        FieldKind::List(list) => choices(&list.item.kind),
        FieldKind::Map(value) => choices(&value.kind),
        _ => Vec::new(),
    }
}

/// The type of a field in a few words, with its bounds.
fn type_of(field: &Field) -> String {
    let bounds = |min: Option<String>, max: Option<String>| match (min, max) {
        (Some(min), Some(max)) => format!(", {min} to {max}"),
        (Some(min), None) => format!(", from {min}"),
        (None, Some(max)) => format!(", up to {max}"),
        (None, None) => String::new(),
    };
    let own = |count: Option<u64>| count.map(|count| count.to_string());
    match &field.kind {
        _ if field.secret => "secret reference".into(),
        FieldKind::Text(text) => match text.format.as_deref() {
            Some(format) => format.replace('-', " "),
            None => format!("text{}", bounds(own(text.min.filter(|min| *min > 1)), own(text.max))),
        },
        FieldKind::Number(number) => {
            let kind = if number.integer { "whole number" } else { "number" };
            let shown = |bound: &Option<serde_json::Number>| {
                bound.as_ref().map(ToString::to_string).filter(|digits| digits.len() < 10)
            };
            format!("{kind}{}", bounds(shown(&number.min), shown(&number.max)))
        }
        FieldKind::Bool => "true or false".into(),
        FieldKind::Choice(_) => "choice".into(),
        FieldKind::OneOf(one_of) if one_of.tagging == Tagging::Untagged => {
            let kinds: Vec<_> =
                one_of.variants.iter().filter_map(|v| v.content.as_ref()).map(|f| type_of(f)).collect();
            kinds.join(" or ")
        }
        FieldKind::OneOf(_) => "one of several".into(),
        FieldKind::List(list) => {
            format!(
                "list of {}{}",
                type_of(&list.item),
                bounds(own(list.min.filter(|min| *min > 0)), own(list.max))
            )
        }
        FieldKind::Map(value) => format!("map of {}", type_of(value)),
        FieldKind::Object(_) => "object".into(),
        FieldKind::Json => "any JSON".into(),
    }
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text).replace('`', "'"))
}

/// Text for a cell of a table: on one line, and no bar that would end the cell.
fn cell(text: &str) -> String {
    text.split("\n\n")
        .map(|part| part.replace('\n', " "))
        .collect::<Vec<_>>()
        .join("<br>")
        .replace('|', "\\|")
}
