//! Text: one line, several lines, code, a path, the name of a connection.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::connections::ListConnections;
use fairway_shared::form::{Field, FieldKind, Widget};
use leptos::prelude::*;
use serde_json::Value;

use super::{Slot, placeholder};
use crate::api;
use crate::state::editor::use_editor;

/// The text of a value; a value of another type as JSON, so that it can be seen and mended.
pub(super) fn shown(value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// What an input's text is written as: an empty one as nothing.
pub(super) fn written(text: String) -> Option<Value> {
    (!text.is_empty()).then_some(Value::String(text))
}

/// A text.
#[component]
pub(super) fn TextEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let editor = use_editor();
    let FieldKind::Text(limits) = &field.kind else { return ().into_any() };
    let several = limits.multiline || matches!(field.widget, Some(Widget::Multiline | Widget::Code));
    let code = matches!(
        field.widget,
        Some(
            Widget::Code | Widget::Expression | Widget::Path | Widget::Field | Widget::Table | Widget::Topic
        )
    );
    let class = if code { "input mono" } else { "input" };
    let (value, invalid, hint, label) =
        (place.value, place.invalid(), placeholder(&field), field.title.clone());
    let text = move || value.with(|value| shown(value.as_ref()));
    let path = place.path.clone();
    let input = move |event| place.put(written(event_target_value(&event)));
    let leave = move |_| editor.close_entry();
    if several {
        view! {
            <textarea id=id class=class rows=if code { "5" } else { "3" } spellcheck=(!code).to_string() placeholder=hint data-input=path aria-label=label
                aria-invalid=move || invalid.get().to_string() prop:value=text on:input=input on:blur=leave></textarea>
        }
        .into_any()
    } else {
        view! {
            <input id=id class=class type="text" spellcheck="false" autocomplete="off" placeholder=hint data-input=path aria-label=label
                aria-invalid=move || invalid.get().to_string() prop:value=text on:input=input on:blur=leave />
        }
        .into_any()
    }
}

/// The name of a connection, with those there are to choose from.
#[component]
pub(super) fn ConnectionEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let names = RwSignal::new(Vec::<String>::new());
    leptos::task::spawn_local(async move {
        if let Ok(answer) = api::call::<ListConnections>(&[], &Nothing {}).await {
            // The form may be gone by now.
            drop(names.try_set(answer.connections.into_iter().map(|one| one.name).collect()));
        }
    });
    let list = format!("{id}-list");
    let (value, invalid, hint, label) =
        (place.value, place.invalid(), placeholder(&field), field.title.clone());
    let path = place.path.clone();
    view! {
        <input
            id=id
            class="input mono"
            type="text"
            list=list.clone()
            autocomplete="off"
            placeholder=hint
            data-input=path
            aria-label=label
            aria-invalid=move || invalid.get().to_string()
            prop:value=move || value.with(|value| shown(value.as_ref()))
            on:input=move |event| place.put(written(event_target_value(&event)))
        />
        <datalist id=list>{move || names.get().into_iter().map(|name| view! { <option value=name></option> }).collect_view()}</datalist>
    }
}
