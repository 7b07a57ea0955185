//! Where a finding is, in the words that the form has for it: `Rules 1 · Field` is `rules.0.field` in the document.

use fairway_shared::component::ComponentSpec;
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::form::{self, Field, FieldKind};
use leptos::prelude::*;

use crate::i18n::components;
use crate::state::editor::Editor;

/// The titles on the way to a dotted field; what has no title is called as it is written.
fn titles(fields: &[Field], path: &str) -> Vec<String> {
    let (mut told, mut parts) = (Vec::new(), path.split('.').peekable());
    let Some(first) = parts.next() else { return told };
    let Some(field) = fields.iter().find(|field| field.name == first) else { return vec![path.to_owned()] };
    let mut title = field.title.clone();
    let mut kind = &field.kind;
    loop {
        match (kind, parts.peek().and_then(|part| part.parse::<usize>().ok())) {
            (FieldKind::List(list), Some(at)) => {
                title = format!("{title} {}", at + 1);
                kind = &list.item.kind;
                parts.next();
            }
            (FieldKind::OneOf(shapes), _) if parts.peek().is_some() => {
                let held = parts.peek().copied().unwrap_or_default();
                let holds = |field: &&Field| match &field.kind {
                    FieldKind::Object(model) => model.field(held).is_some(),
                    FieldKind::List(_) => held.parse::<usize>().is_ok(),
                    _ => false,
                };
                let mut contents = shapes.variants.iter().filter_map(|shape| shape.content.as_deref());
                match contents.find(holds) {
                    Some(content) => kind = &content.kind,
                    None => break,
                }
            }
            _ => break,
        }
    }
    told.push(title);
    let rest = parts.collect::<Vec<_>>().join(".");
    match kind {
        _ if rest.is_empty() => {}
        FieldKind::Object(model) => told.extend(titles(&model.fields, &rest)),
        _ => told.push(rest),
    }
    told
}

/// The titles on the way to the field of a finding, where its node's component has a form.
fn told(spec: &ComponentSpec, path: &str) -> Vec<String> {
    let mut model = form::model(&spec.config_schema);
    components::localise(&mut model, &spec.name);
    titles(&model.fields, path)
}

fn titles_of(editor: Editor, problem: &Diagnostic) -> Option<Vec<String>> {
    let node = editor.node(problem.place.node.as_deref()?)?;
    let catalog = editor.catalog();
    Some(told(catalog.get(&node.component)?, problem.place.field.as_deref()?))
}

/// Node and field of a finding, for a list.
pub(crate) fn place_of(editor: Editor, problem: &Diagnostic) -> Option<String> {
    let id = problem.place.node.as_deref()?;
    let name = editor.node(id).map_or_else(|| id.to_owned(), |node| editor.name_of(&node));
    let mut parts = vec![name];
    parts.extend(
        titles_of(editor, problem)
            .or_else(|| problem.place.field.clone().map(|field| vec![field]))
            .unwrap_or_default(),
    );
    Some(parts.join(" · "))
}

/// What a finding says, with the title of its field in the place of the name that documents have for it.
pub(crate) fn message_of(problem: &Diagnostic) -> String {
    let titled = || {
        let last = titles_of(use_context::<Editor>()?, problem)?.pop()?;
        let name = problem
            .place
            .field
            .as_deref()?
            .rsplit('.')
            .find(|part| part.parse::<usize>().is_err())?
            .to_owned();
        let written = [format!("`{}`", problem.place.field.as_deref()?), format!("`{name}`")];
        let begins = written.iter().find(|written| problem.message.starts_with(written.as_str()))?;
        Some(format!("“{last}”{}", &problem.message[begins.len()..]))
    };
    titled().unwrap_or_else(|| problem.message.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_way_is_told_in_the_words_of_the_form() {
        let model = form::model(&json!({ "type": "object", "properties": {
            "max_attempts": { "type": "integer" },
            "rules": { "type": "array", "items": { "type": "object", "properties": { "field": { "type": "string" } } } },
            "columns": { "type": "array", "items": { "type": "string" } } } }));
        let told = |path: &str| titles(&model.fields, path).join(" · ");
        assert_eq!(told("max_attempts"), "Max attempts");
        assert_eq!(told("rules.0.field"), "Rules 1 · Field");
        assert_eq!(told("columns.2"), "Columns 3");
        assert_eq!(told("unknown.thing"), "unknown.thing");
    }
}
