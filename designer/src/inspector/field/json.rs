//! Any JSON, typed as people would: what reads as JSON is JSON, everything else is text.

use fairway_shared::form::Field;
use leptos::prelude::*;
use serde_json::Value;

use super::desk::use_desk;
use super::{Slot, placeholder};

/// The text of a value, such that [`read`] gives the value back.
fn shown(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text))
            if serde_json::from_str::<Value>(text).is_err() && text.trim() == text && !text.is_empty() =>
        {
            text.clone()
        }
        Some(other) => other.to_string(),
    }
}

/// The value of a text; an empty one is none.
fn read(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    Some(serde_json::from_str(trimmed).unwrap_or_else(|_| Value::String(trimmed.to_owned())))
}

/// One line of JSON or text.
#[component]
pub(super) fn JsonEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let desk = use_desk();
    let (value, invalid) = (place.value, place.invalid());
    // While one types, the text is the user's; the value's own form comes back when the input is left.
    let typing = RwSignal::new(None::<String>);
    let text = move || typing.get().unwrap_or_else(|| value.with(|value| shown(value.as_ref())));
    let path = place.path.clone();
    view! {
        <input
            id=id
            class="input mono"
            type="text"
            spellcheck="false"
            autocomplete="off"
            placeholder=placeholder(&field)
            data-input=path
            aria-label=field.title.clone()
            aria-invalid=move || invalid.get().to_string()
            prop:value=text
            on:input=move |event| {
                let text = event_target_value(&event);
                place.put(read(&text));
                typing.set(Some(text));
            }
            on:blur=move |_| {
                typing.set(None);
                desk.close_entry();
            }
        />
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{read, shown};

    #[test]
    fn what_people_type_means_what_they_think() {
        assert_eq!(read("paid"), Some(json!("paid")));
        assert_eq!(read("true"), Some(json!(true)));
        assert_eq!(read("\"007\""), Some(json!("007")));
        assert_eq!(read("[\"DE\", \"FR\"]"), Some(json!(["DE", "FR"])));
        assert_eq!(read("9007199254740993").unwrap().to_string(), "9007199254740993");
        assert_eq!(shown(Some(&json!("007x"))), "007x");
        assert_eq!(shown(Some(&json!("7"))), "\"7\"");
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in ".*") {
            let value = Value::String(text);
            prop_assert_eq!(read(&shown(Some(&value))), Some(value));
        }
    }
}
