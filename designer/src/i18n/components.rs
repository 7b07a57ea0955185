//! Texts of components and findings in languages other than the one they come in. Both are written in English by who
//! makes them; `components.ftl` and `findings.ftl` of a language say them again, by name, field and code. What is not
//! there stays as it came.
//!
//! A component is a message: its value the title, `.summary` and `.docs`; `.f-PATH` titles a field, `.h-PATH` is its help,
//! `.c-PATH-VALUE` a choice. PATH is the field's path with dashes. What many components share stands under `common`.

use fairway_shared::component::ComponentSpec;
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::form::{Choice, Field, FieldKind, FormModel};
use serde_json::Value;

use super::{attribute, find};

/// The title of a component.
pub(crate) fn title(spec: &ComponentSpec) -> String {
    find(&spec.name, None).unwrap_or_else(|| spec.title.clone())
}

/// The sentence about a component.
pub(crate) fn summary(spec: &ComponentSpec) -> String {
    attribute(&spec.name, "summary").unwrap_or_else(|| spec.summary.clone())
}

/// The page of a component.
pub(crate) fn docs(spec: &ComponentSpec) -> String {
    attribute(&spec.name, "docs").unwrap_or_else(|| spec.docs.clone())
}

/// What a finding means, in the language in force, when it is not the one that the finding is written in.
pub(crate) fn finding(problem: &Diagnostic) -> Option<String> {
    find(&format!("finding-{}", problem.code.replace('.', "-")), None)
}

/// Puts the texts of a component's form into the language in force.
pub(crate) fn localise(model: &mut FormModel, component: &str) {
    if find(component, None).is_none() {
        return;
    }
    for group in &mut model.groups {
        if let Some(title) = attribute("common", &format!("g-{}", group.name)) {
            group.title = title;
        }
    }
    for field in &mut model.fields {
        localise_field(field, component);
    }
}

fn localise_field(field: &mut Field, component: &str) {
    let path: Vec<&str> = field
        .path
        .split('.')
        .map(|name| name.trim_end_matches("[]"))
        .filter(|name| !matches!(*name, "" | "*"))
        .collect();
    let path = path.join("-");
    let own = |kind: char| {
        attribute(component, &format!("{kind}-{path}"))
            .or_else(|| attribute("common", &format!("{kind}-{}", field.name)))
    };
    if let Some(title) = own('f') {
        field.title = title;
    }
    if let Some(help) = own('h') {
        field.help = help;
    }
    localise_kind(&mut field.kind, component, &path);
}

fn localise_kind(kind: &mut FieldKind, component: &str, path: &str) {
    match kind {
        FieldKind::Choice(choices) => {
            for choice in choices {
                localise_choice(choice, component, path);
            }
        }
        FieldKind::List(list) => localise_field(&mut list.item, component),
        FieldKind::Map(value) => localise_field(value, component),
        FieldKind::Object(model) => {
            model.fields.iter_mut().for_each(|field| localise_field(field, component))
        }
        FieldKind::OneOf(shapes) => {
            for shape in &mut shapes.variants {
                let own = attribute(component, &format!("c-{path}-{}", shape.name));
                if let Some(title) = own.or_else(|| attribute("common", &format!("c-{}", shape.name))) {
                    shape.help.clone_from(&title);
                    shape.title = title;
                }
                if let Some(content) = &mut shape.content {
                    localise_field(content, component);
                }
            }
        }
        FieldKind::Text(_) | FieldKind::Number(_) | FieldKind::Bool | FieldKind::Json => {}
    }
}

fn localise_choice(choice: &mut Choice, component: &str, path: &str) {
    let Value::String(word) = &choice.value else { return };
    let own = attribute(component, &format!("c-{path}-{word}"))
        .or_else(|| attribute("common", &format!("c-{word}")));
    if let Some(title) = own {
        choice.title = title;
        choice.help = String::new();
    }
}

#[cfg(test)]
mod tests {
    use fairway_shared::form;
    use serde_json::json;

    use super::*;
    use crate::i18n::{Language, set_language};

    #[test]
    fn a_form_speaks_the_language_in_force() {
        let schema = json!({ "type": "object", "properties": { "rules": { "type": "array", "items": {
            "type": "object", "properties": { "op": { "oneOf": [{ "const": "gt", "description": "Greater than." }] } } } } } });
        set_language(Language::Chinese);
        let mut model = form::model(&schema);
        localise(&mut model, "filter_records");
        set_language(Language::English);
        assert_eq!(model.fields[0].title, "规则");
        let FieldKind::List(list) = &model.fields[0].kind else { panic!("a list") };
        let FieldKind::Object(rule) = &list.item.kind else { panic!("an object") };
        let FieldKind::Choice(choices) = &rule.fields[0].kind else { panic!("a choice") };
        assert_eq!(choices[0].title, "大于");
    }

    #[test]
    fn what_has_no_translation_stays_as_it_came() {
        set_language(Language::Chinese);
        let mut model =
            form::model(&json!({ "type": "object", "properties": { "odd": { "type": "string" } } }));
        localise(&mut model, "a_component_of_later");
        set_language(Language::English);
        assert_eq!(model.fields[0].title, "Odd");
    }
}
