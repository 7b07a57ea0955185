//! Further fields, set off by a line at their left.

use std::sync::Arc;

use fairway_shared::form::{Field, FieldKind};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::{FieldBlock, Slot};

/// The fields of an object.
#[component]
pub(super) fn ObjectEditor(field: Field, place: Slot) -> impl IntoView {
    let required = field.required;
    let FieldKind::Object(model) = field.kind else { return ().into_any() };
    let model = Arc::new(model);
    let value = place.value;
    let blocks = model.fields.clone().into_iter().map(|field| {
        let part = place.of_key(&field.name);
        let shown = {
            let (model, field) = (model.clone(), field.clone());
            Memo::new(move |_| {
                let none = Map::new();
                value.with(|value| {
                    model.is_shown(&field, value.as_ref().and_then(Value::as_object).unwrap_or(&none))
                })
            })
        };
        // Boxed: a form's type would otherwise hold itself.
        move || {
            shown.get().then(|| view! { <FieldBlock field=field.clone() place=part.clone() /> }.into_any())
        }
    });
    // Nothing is needed of what need not be there, until some of it is.
    let absent = move || !required && value.with(Option::is_none);
    view! { <div class="nested" class:absent=absent>{blocks.collect_view()}</div> }.into_any()
}
