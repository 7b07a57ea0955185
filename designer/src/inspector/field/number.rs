//! A number, kept digit for digit (G1): what is typed is what is written. What is no number is kept as text, so that
//! nothing typed is lost, and validation says so.

use fairway_shared::form::{Field, FieldKind};
use leptos::prelude::*;
use serde_json::{Number, Value};

use super::desk::use_desk;
use super::text::shown;
use super::{Slot, placeholder};

/// What a text is written as.
fn written(text: &str) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    Some(serde_json::from_str::<Number>(text).map_or_else(|_| Value::String(text.to_owned()), Value::Number))
}

/// A number.
#[component]
pub(super) fn NumberEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let desk = use_desk();
    let whole = matches!(&field.kind, FieldKind::Number(limits) if limits.integer);
    let (value, invalid, hint, label) =
        (place.value, place.invalid(), placeholder(&field), field.title.clone());
    let path = place.path.clone();
    view! {
        <input
            id=id
            class="input num narrow"
            type="text"
            inputmode=if whole { "numeric" } else { "decimal" }
            autocomplete="off"
            placeholder=hint
            data-input=path
            aria-label=label
            aria-invalid=move || invalid.get().to_string()
            prop:value=move || value.with(|value| shown(value.as_ref()))
            on:input=move |event| place.put(written(&event_target_value(&event)))
            on:blur=move |_| desk.close_entry()
        />
    }
}

#[cfg(test)]
mod tests {
    use super::written;

    #[test]
    fn every_digit_is_kept() {
        for text in ["9007199254740993", "0.10", "-12345678901234567890.5"] {
            assert_eq!(written(text).unwrap().to_string(), text);
        }
        assert_eq!(written(" "), None);
        assert_eq!(written("12a").unwrap(), "12a");
    }
}
