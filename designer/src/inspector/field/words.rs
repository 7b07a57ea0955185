//! A list of texts as words that can be taken away, with an input behind them.

use fairway_shared::form::{Field, FieldKind};
use leptos::prelude::*;
use serde_json::Value;

use super::desk::use_desk;
use super::text::shown;
use super::{Slot, placeholder};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Combobox;

fn words(value: Option<&Value>) -> Vec<Value> {
    match value {
        Some(Value::Array(list)) => list.clone(),
        Some(Value::Null) | None => Vec::new(),
        Some(single) => vec![single.clone()],
    }
}

/// Words. Enter, Tab or a comma adds one; Backspace in the empty input takes the last one back into it.
#[component]
pub(super) fn WordsEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let FieldKind::List(list) = &field.kind else { return ().into_any() };
    let desk = use_desk();
    let typed = RwSignal::new(String::new());
    let (value, invalid, unique) = (place.value, place.invalid(), list.unique);
    // A comma may be part of a name; it separates only where names are listed.
    let commas = matches!(field.widget, Some(fairway_shared::form::Widget::Fields));
    let default = field.default.clone();
    let required = field.required;
    let put = {
        let place = place.clone();
        move |list: Vec<Value>| {
            let list = Value::Array(list);
            let same =
                default.as_ref() == Some(&list) || (default.is_none() && list == Value::Array(Vec::new()));
            place.put((required || !same).then_some(list));
        }
    };
    let add = {
        let put = put.clone();
        move |keep_empty: bool| {
            // Browsers take the focus from what they remove: then there is nothing to write to any more.
            let Some(text) = typed.try_get_untracked() else { return false };
            let parts: Vec<String> = match commas {
                true => text
                    .split(',')
                    .map(|part| part.trim().to_owned())
                    .filter(|part| !part.is_empty())
                    .collect(),
                false => vec![text].into_iter().filter(|text| keep_empty || !text.is_empty()).collect(),
            };
            if parts.is_empty() {
                return false;
            }
            let mut list = value.with_untracked(|value| words(value.as_ref()));
            for part in parts.into_iter().map(Value::String) {
                if !(unique || commas) || !list.contains(&part) {
                    list.push(part);
                }
            }
            typed.set(String::new());
            put(list);
            desk.close_entry();
            true
        }
    };
    let keys = {
        let (add, put) = (add.clone(), put.clone());
        move |event: web_sys::KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                add(!commas);
            }
            "," if commas => {
                event.prevent_default();
                add(false);
            }
            "Backspace" if typed.with_untracked(String::is_empty) => {
                let mut list = value.with_untracked(|value| words(value.as_ref()));
                if let Some(last) = list.pop() {
                    event.prevent_default();
                    typed.set(shown(Some(&last)));
                    put(list);
                }
            }
            _ => {}
        }
    };
    let leave = {
        let add = add.clone();
        move || {
            add(false);
        }
    };
    let pick = add.clone();
    // What is in the list already is not offered again.
    let (offer, asked) = (desk.offers.of(&field), field.clone());
    let choices = Signal::derive(move || {
        let here = value.with(|value| words(value.as_ref()));
        let mut choices = offer.get().choices;
        choices.retain(|choice| !here.iter().any(|word| word.as_str() == Some(&choice.value)));
        choices
    });
    let note = Signal::derive(move || offer.get().note);
    let chips = {
        let put = put.clone();
        move || {
            value.with(|value| words(value.as_ref())).into_iter().enumerate().map(|(at, word)| {
            let put = put.clone();
            let text = shown(Some(&word));
            let remove = move |_| {
                let mut list = value.with_untracked(|value| words(value.as_ref()));
                if at < list.len() {
                    list.remove(at);
                    put(list);
                }
            };
            let empty = text.is_empty();
            let seen = if text.is_empty() { t!("empty-text") } else { text.clone() };
            view! {
                <span class="chip" class:faint=empty>
                    <span class="clip">{seen}</span>
                    <button type="button" tabindex="-1" aria-label=t!("remove-word", word = text) on:click=remove>{icon(Icon::Close)}</button>
                </span>
            }
        }).collect_view()
        }
    };
    let hint = {
        let hint = placeholder(&field);
        move || {
            if value.with(|value| words(value.as_ref()).is_empty())
                && !hint.is_empty()
                && !hint.starts_with('[')
            {
                hint.clone()
            } else {
                t!("add-word")
            }
        }
    };
    view! {
        <div class="words input" aria-invalid=move || invalid.get().to_string()>
            {chips}
            <Combobox
                id
                path=place.path.clone()
                label=field.title.clone()
                class="bare"
                placeholder=Signal::derive(hint)
                value=typed
                invalid=Signal::stored(false)
                choices
                note
                on_text=Callback::new(move |text| typed.set(text))
                on_pick=Callback::new(move |text| {
                    typed.set(text);
                    pick(false);
                })
                on_focus=Callback::new(move |()| desk.offers.look_for(&asked))
                on_key=Callback::new(keys)
                on_leave=Callback::new(move |()| leave())
            />
        </div>
    }
    .into_any()
}
