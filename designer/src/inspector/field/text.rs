//! Text: one line, several lines, code, a path, the name of something that exists.

use fairway_shared::form::{Field, FieldKind, Widget};
use leptos::prelude::*;
use serde_json::Value;

use super::desk::use_desk;
use super::{Slot, placeholder};
use crate::parts::Combobox;

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
    let desk = use_desk();
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
    if several {
        let input = move |event| place.put(written(event_target_value(&event)));
        return view! {
            <textarea id=id class=class rows=if code { "5" } else { "3" } spellcheck=(!code).to_string() placeholder=hint data-input=path aria-label=label
                aria-invalid=move || invalid.get().to_string() prop:value=text on:input=input on:blur=move |_| desk.close_entry()></textarea>
        }
        .into_any();
    }
    let offer = desk.offers.of(&field);
    let put = Callback::new(move |text: String| place.put(written(text)));
    view! {
        <Combobox
            id
            path
            label
            class
            placeholder=hint
            value=Signal::derive(text)
            invalid
            choices=Signal::derive(move || offer.get().choices)
            note=Signal::derive(move || offer.get().note)
            on_text=put
            on_pick=Callback::new(move |text| {
                put.run(text);
                desk.close_entry();
            })
            on_focus=Callback::new(move |()| desk.offers.look_for(&field))
            on_leave=Callback::new(move |()| desk.close_entry())
        />
    }
    .into_any()
}
