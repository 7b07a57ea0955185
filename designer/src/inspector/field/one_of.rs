//! One of several shapes: which one, then its content. Where one shape is a choice of words (`infer`, `text`, or a list of
//! columns), the words stand among the shapes.

use std::sync::Arc;

use fairway_shared::form::{Field, FieldKind, OneOf, Tagging};
use leptos::prelude::*;
use serde_json::Value;

use super::{Slot, editor_of, fresh_id, fresh_value, unless_default};
use crate::i18n::t;

/// What can be picked: a word, or a shape by its rank.
#[derive(Clone, PartialEq)]
enum Pick {
    Word(Value),
    Shape(usize),
}

/// All picks with their hooks and names.
fn picks(shapes: &OneOf) -> Vec<(Pick, String, String)> {
    let untagged = shapes.tagging == Tagging::Untagged;
    let shape = |(at, variant): (usize, &fairway_shared::form::Variant)| {
        let words = variant.content.as_ref().filter(|_| untagged).and_then(|content| match &content.kind {
            FieldKind::Choice(choices) => Some(choices.clone()),
            _ => None,
        });
        match words {
            Some(choices) => choices
                .into_iter()
                .map(|choice| {
                    let hook = super::text::shown(Some(&choice.value));
                    (Pick::Word(choice.value), hook, choice.title)
                })
                .collect(),
            None => {
                // The type of an untagged shape says little; what it means says more.
                let meaning = variant.help.lines().next().unwrap_or_default().trim_end_matches('.');
                let title = if untagged && !meaning.is_empty() { meaning } else { &variant.title };
                vec![(Pick::Shape(at), variant.name.clone(), title.to_owned())]
            }
        }
    };
    shapes.variants.iter().enumerate().flat_map(shape).collect()
}

/// A shape and its content.
#[component]
pub(super) fn OneOfEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let FieldKind::OneOf(shapes) = field.kind.clone() else { return ().into_any() };
    let shapes = Arc::new(shapes);
    let picks = Arc::new(picks(&shapes));
    let default = field.default.clone();
    let value = place.value;
    let now = Memo::new(move |_| value.get().or_else(|| default.clone()));
    let known = {
        let (shapes, picks) = (shapes.clone(), picks.clone());
        // What must be given is offered in its first shape at once; and a shape whose content was emptied stays open,
        // for most often something else is about to be typed.
        let first = field.required.then_some(0);
        Memo::new(move |before: Option<&Option<usize>>| {
            let Some(now) = now.get() else { return before.copied().flatten().or(first) };
            let word = picks.iter().position(|(pick, ..)| *pick == Pick::Word(now.clone()));
            word.or_else(|| {
                let shape = shapes.variant_of(&now)?;
                picks.iter().position(|(pick, ..)| *pick == Pick::Shape(shape))
            })
        })
    };
    let change = {
        let (shapes, picks, place, field) = (shapes.clone(), picks.clone(), place.clone(), field.clone());
        move |event| {
            let picked = event_target_value(&event).parse::<usize>().ok().and_then(|at| picks.get(at));
            let value = picked.map(|(pick, ..)| match pick {
                Pick::Word(word) => word.clone(),
                Pick::Shape(shape) => fresh_shape(&shapes, *shape),
            });
            place.put(value.and_then(|value| unless_default(&field, value)));
        }
    };
    let (placeholder, widget) = (field.placeholder.clone(), field.widget);
    let content = {
        let (shapes, picks, place) = (shapes.clone(), picks.clone(), place.clone());
        move || {
            let (Pick::Shape(at), ..) = picks.get(known.get()?)?.clone() else { return None };
            let mut inner = (**shapes.variants.get(at)?.content.as_ref()?).clone();
            // What the schema says about the whole holds for the shapes that say nothing themselves.
            inner.placeholder = inner.placeholder.or_else(|| placeholder.clone());
            inner.widget = inner.widget.or(widget);
            let inside = shapes.content_pointer(at).replace('/', ".");
            let (reading, writing) = (shapes.clone(), shapes.clone());
            let set = place.set;
            let part = Slot {
                node: place.node.clone(),
                path: format!("{}{inside}", place.path),
                value: Memo::new(move |_| {
                    now.with(|now| now.as_ref().and_then(|now| reading.content(at, now)))
                })
                .into(),
                set: Callback::new(move |(key, content): (String, Option<Value>)| {
                    let value = match content {
                        Some(content) => Some(writing.value(at, Some(content))),
                        // Without content a shape that nothing else names is no value.
                        None if writing.tagging == Tagging::Untagged => None,
                        None => Some(fresh_shape(&writing, at)),
                    };
                    set.run((key, value));
                }),
            };
            Some(view! { <div class="nested">{editor_of(inner, part, fresh_id())}</div> })
        }
    };
    let path = place.path.clone();
    let options = picks.iter().enumerate().map(|(at, (_, hook, title))| {
        view! {
            <option value=at.to_string() data-choice=hook.clone() prop:selected=move || known.get() == Some(at)>{title.clone()}</option>
        }
    });
    view! {
        <select id=id class="input" data-input=path aria-label=field.title.clone() on:change=change>
            {move || known.get().is_none().then(|| view! { <option value="" selected=true>{t!("choose")}</option> })}
            {options.collect_view()}
        </select>
        {content}
    }
    .into_any()
}

/// A value of a shape with nothing in it yet.
pub(super) fn fresh_shape(shapes: &OneOf, at: usize) -> Value {
    let content = shapes.variants.get(at).and_then(|variant| variant.content.as_ref());
    shapes.value(at, content.map(|content| fresh_value(&content.kind)))
}

#[cfg(test)]
mod tests {
    use fairway_shared::form;
    use serde_json::json;

    use super::*;

    #[test]
    fn words_stand_among_the_shapes() {
        let schema = json!({ "type": "object", "properties": { "columns": { "anyOf": [
            { "oneOf": [{ "const": "infer", "description": "Guess." }, { "const": "text", "description": "Text." }] },
            { "type": "array", "description": "By declaration.", "items": { "type": "object", "properties": {} } },
        ] } } });
        let model = form::model(&schema);
        let FieldKind::OneOf(shapes) = &model.field("columns").unwrap().kind else {
            panic!("several shapes")
        };
        let names: Vec<_> = picks(shapes).into_iter().map(|(_, hook, title)| (hook, title)).collect();
        assert_eq!(names[0], ("infer".into(), "Infer".into()));
        assert_eq!(names[2].1, "By declaration");
        assert_eq!(fresh_shape(shapes, 1), json!([]));
    }
}
