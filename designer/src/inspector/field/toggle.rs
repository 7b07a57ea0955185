//! True or false.

use fairway_shared::form::Field;
use leptos::prelude::*;
use serde_json::Value;

use super::{Slot, unless_default};

/// A switch. Absent shows the default.
#[component]
pub(super) fn Toggle(field: Field, place: Slot, id: String) -> impl IntoView {
    let default = field.default.as_ref().and_then(Value::as_bool).unwrap_or(false);
    let value = place.value;
    let path = place.path.clone();
    let label = field.title.clone();
    let on = move || value.with(|value| value.as_ref().and_then(Value::as_bool).unwrap_or(default));
    let change = move |event| place.put(unless_default(&field, Value::Bool(event_target_checked(&event))));
    view! {
        <span class="switch">
            <input id=id type="checkbox" role="switch" data-input=path aria-label=label prop:checked=on on:change=change />
            <span class="track" aria-hidden="true"></span>
        </span>
    }
}
