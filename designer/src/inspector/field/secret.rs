//! A secret: documents hold a reference only (I6). One is chosen by name, or stored anew in place; its value goes to the
//! server and is never shown again.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::connections::{ListSecrets, PutSecret, SetSecret};
use fairway_shared::form::Field;
use fairway_shared::secret::is_name;
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;

use super::Slot;
use super::text::shown;
use crate::api;
use crate::i18n::t;
use crate::state::use_toasts;

const NEW: &str = "+";
/// How a document refers to a secret.
fn reference(name: &str) -> String {
    format!("${{secret:{name}}}")
}

/// A reference to a secret.
#[component]
pub(super) fn SecretEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let names = RwSignal::new(Vec::<String>::new());
    let storing = RwSignal::new(false);
    leptos::task::spawn_local(async move {
        if let Ok(answer) = api::call::<ListSecrets>(&[], &Nothing {}).await {
            names.try_update(|names| *names = answer.secrets);
        }
    });
    let (value, invalid) = (place.value, place.invalid());
    let now = Memo::new(move |_| value.with(|value| shown(value.as_ref())));
    let options = move || {
        let now = now.get();
        let new = storing.get();
        let known = names.get();
        let stray =
            (!now.is_empty() && !known.iter().any(|name| reference(name) == now)).then(|| now.clone());
        // What is no reference at all may be a password: it is not shown.
        let stray = stray.map(|text| {
            let seen = if text.contains("${") { text.clone() } else { t!("secret-written-out") };
            view! { <option value=text selected=!new>{seen}</option> }
        });
        let rest = known.into_iter().map(|name| {
            let text = reference(&name);
            let selected = text == now && !new;
            view! { <option value=text selected=selected>{name}</option> }
        });
        (
            view! { <option value="" selected=now.is_empty() && !new>{t!("secret-none")}</option> },
            stray,
            rest.collect_view(),
            view! { <option value=NEW selected=new>{t!("secret-new")}</option> },
        )
    };
    let change = {
        let place = place.clone();
        move |event| {
            let picked = event_target_value(&event);
            storing.set(picked == NEW);
            if picked != NEW {
                place.put((!picked.is_empty()).then_some(Value::String(picked)));
            }
        }
    };
    let path = place.path.clone();
    let hint = place.path.replace(['.', '_'], "-");
    let stored = Callback::new(move |name: Option<String>| {
        storing.set(false);
        if let Some(name) = name {
            place.put(Some(Value::String(reference(&name))));
            names.update(|names| {
                if !names.contains(&name) {
                    names.push(name);
                    names.sort();
                }
            });
        }
    });
    view! {
        <select id=id class="input" data-input=path aria-label=field.title.clone() aria-invalid=move || invalid.get().to_string() on:change=change>
            {options}
        </select>
        {move || storing.get().then(|| view! { <NewSecret hint=hint.clone() names stored /> })}
    }
}

/// A name and a value, stored at once. The value leaves for the server and is forgotten here.
#[component]
fn NewSecret(hint: String, names: RwSignal<Vec<String>>, stored: Callback<Option<String>>) -> impl IntoView {
    let toasts = use_toasts();
    let (name, text) = (RwSignal::new(hint), RwSignal::new(String::new()));
    let wanted = Memo::new(move |_| name.get().trim().to_owned());
    let fault = move || match wanted.get() {
        wanted if wanted.is_empty() => None,
        wanted if !is_name(&wanted) => Some(("bad", t!("secret-bad-name"))),
        wanted if names.with(|names| names.contains(&wanted)) => {
            Some(("warn", t!("secret-exists", name = wanted)))
        }
        _ => None,
    };
    let ready = move || is_name(&wanted.get()) && !text.with(String::is_empty);
    let store = move || {
        if !untrack(ready) {
            return;
        }
        let (wanted, value) = (wanted.get_untracked(), text.get_untracked());
        leptos::task::spawn_local(async move {
            match api::call::<PutSecret>(&[("name", &wanted)], &SetSecret { value }).await {
                Ok(_) => {
                    text.try_set(String::new());
                    stored.run(Some(wanted));
                }
                Err(problem) => toasts.problem(&problem),
            }
        });
    };
    let keys = move |event: web_sys::KeyboardEvent| match event.key().as_str() {
        "Enter" => {
            event.prevent_default();
            store();
        }
        "Escape" => {
            event.stop_propagation();
            event.prevent_default();
            stored.run(None);
        }
        _ => {}
    };
    let first = NodeRef::<leptos::html::Input>::new();
    Effect::new(move || {
        if let Some(first) = first.get()
            && first.unchecked_ref::<web_sys::HtmlElement>().focus().is_err()
        {
            leptos::logging::warn!("a new secret did not take the focus");
        }
    });
    view! {
        <div class="nested" data-form="secret" on:keydown=keys>
            <label class="hidden-text" for="secret-name">{t!("secret-name")}</label>
            <input node_ref=first id="secret-name" class="input mono" type="text" autocomplete="off" placeholder=t!("secret-name")
                prop:value=move || name.get() on:input=move |event| name.set(event_target_value(&event)) />
            {move || fault().map(|(tone, text)| view! { <p class="message-line" data-tone=tone>{text}</p> })}
            <label class="hidden-text" for="secret-value">{t!("secret-value")}</label>
            <input id="secret-value" class="input" type="password" autocomplete="new-password" placeholder=t!("secret-value")
                prop:value=move || text.get() on:input=move |event| text.set(event_target_value(&event)) />
            <p class="help">{t!("secret-help")}</p>
            <div class="acts">
                <button type="button" class="button small primary" data-action="store-secret" disabled=move || !ready() on:click=move |_| store()>{t!("secret-store")}</button>
                <button type="button" class="button small quiet" on:click=move |_| stored.run(None)>{t!("cancel")}</button>
            </div>
        </div>
    }
}
