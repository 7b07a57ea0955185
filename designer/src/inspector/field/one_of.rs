//! One of several shapes: which one, then its content.

use fairway_shared::form::{Field, FieldKind, Tagging};
use leptos::prelude::*;
use serde_json::Value;

use super::{Slot, editor_of, fresh_id, unless_default};
use crate::i18n::t;

/// A shape and its content.
#[component]
pub(super) fn OneOfEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let FieldKind::OneOf(shapes) = field.kind.clone() else { return ().into_any() };
    let default = field.default.clone();
    let value = place.value;
    let now = Memo::new(move |_| value.get().or_else(|| default.clone()));
    let known = {
        let shapes = shapes.clone();
        // What must be given is offered in its first shape at once; and a shape whose content was emptied stays open,
        // for most often something else is about to be typed.
        let first = field.required.then_some(0);
        Memo::new(move |before: Option<&Option<usize>>| match now.get() {
            Some(now) => shapes.variant_of(&now),
            None => before.copied().flatten().or(first),
        })
    };
    let change = {
        let (shapes, place, field) = (shapes.clone(), place.clone(), field.clone());
        move |event| {
            let picked = event_target_value(&event).parse::<usize>().ok();
            place.put(picked.and_then(|at| unless_default(&field, shapes.value(at, None))));
        }
    };
    let (placeholder, widget) = (field.placeholder.clone(), field.widget);
    let content = {
        let (shapes, place) = (shapes.clone(), place.clone());
        move || {
            let at = known.get()?;
            let mut inner = (**shapes.variants.get(at)?.content.as_ref()?).clone();
            // What the schema says about the whole holds for the shapes that say nothing themselves.
            inner.placeholder = inner.placeholder.or_else(|| placeholder.clone());
            inner.widget = inner.widget.or(widget);
            let (reading, writing) = (shapes.clone(), shapes.clone());
            let (whole, set) = (now, place.set);
            let part = Slot {
                node: place.node.clone(),
                path: place.path.clone(),
                value: Memo::new(move |_| {
                    whole.with(|whole| whole.as_ref().and_then(|whole| reading.content(at, whole)))
                })
                .into(),
                set: Callback::new(move |(key, content): (String, Option<Value>)| {
                    // Without content a shape that nothing else names is no value.
                    let none = content.is_none() && writing.tagging == Tagging::Untagged;
                    set.run((key, (!none).then(|| writing.value(at, content))))
                }),
            };
            Some(view! { <div class="nested">{editor_of(inner, part, fresh_id())}</div> })
        }
    };
    let path = place.path.clone();
    view! {
        <select id=id class="input" data-input=path aria-label=field.title.clone() on:change=change>
            {move || known.get().is_none().then(|| view! { <option value="" selected=true>{t!("choose")}</option> })}
            {shapes.variants.iter().enumerate().map(|(at, shape)| view! {
                <option value=at.to_string() data-choice=shape.name.clone() prop:selected=move || known.get() == Some(at)>{shape.title.clone()}</option>
            }).collect_view()}
        </select>
        {content}
    }
    .into_any()
}
