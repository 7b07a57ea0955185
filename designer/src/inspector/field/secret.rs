//! A secret: documents hold a reference only (I6). One is chosen by name, or stored anew; its value goes to the server
//! and is never shown again.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::connections::{ListSecrets, PutSecret, SetSecret};
use fairway_shared::form::Field;
use leptos::prelude::*;
use serde_json::Value;

use super::Slot;
use super::text::shown;
use crate::api;
use crate::i18n::t;
use crate::state::use_toasts;

const NEW: &str = "+";

/// A reference to a secret.
#[component]
pub(super) fn SecretEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let toasts = use_toasts();
    let names = RwSignal::new(Vec::<String>::new());
    let storing = RwSignal::new(false);
    let (name, text) = (RwSignal::new(String::new()), RwSignal::new(String::new()));
    leptos::task::spawn_local(async move {
        if let Ok(answer) = api::call::<ListSecrets>(&[], &Nothing {}).await {
            names.try_update(|names| *names = answer.secrets);
        }
    });
    let (value, invalid) = (place.value, place.invalid());
    let now = Memo::new(move |_| value.with(|value| shown(value.as_ref())));
    let reference = |name: &str| format!("${{secret:{name}}}");
    let options = move || {
        let now = now.get();
        let known = names.get();
        let stray =
            (!now.is_empty() && !known.iter().any(|name| reference(name) == now)).then(|| now.clone());
        let stray =
            stray.map(|text| view! { <option value=text.clone() selected=true>{text.clone()}</option> });
        let rest = known.into_iter().map(|name| {
            let text = reference(&name);
            let selected = text == now;
            view! { <option value=text selected=selected>{name}</option> }
        });
        (
            view! { <option value="" selected=now.is_empty()>{t!("secret-none")}</option> },
            stray,
            rest.collect_view(),
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
    let store = {
        let place = place.clone();
        move |_| {
            let (wanted, secret, place) =
                (name.get_untracked().trim().to_owned(), text.get_untracked(), place.clone());
            if wanted.is_empty() || secret.is_empty() {
                return;
            }
            leptos::task::spawn_local(async move {
                match api::call::<PutSecret>(&[("name", &wanted)], &SetSecret { value: secret }).await {
                    Ok(_) => {
                        names.try_update(|names| {
                            if !names.contains(&wanted) {
                                names.push(wanted.clone())
                            }
                        });
                        place.put(Some(Value::String(format!("${{secret:{wanted}}}"))));
                        storing.try_set(false);
                        text.try_set(String::new());
                    }
                    Err(problem) => toasts.problem(&problem),
                }
            });
        }
    };
    let path = place.path.clone();
    view! {
        <select id=id class="input" data-input=path aria-label=field.title.clone() aria-invalid=move || invalid.get().to_string() on:change=change>
            {options}
            <option value=NEW>{t!("secret-new")}</option>
        </select>
        {move || {
            let store = store.clone();
            storing.get().then(|| view! {
                <div class="nested">
                    <input class="input mono" type="text" autocomplete="off" placeholder=t!("secret-name") aria-label=t!("secret-name") on:input=move |event| name.set(event_target_value(&event)) />
                    <input class="input" type="password" autocomplete="new-password" placeholder=t!("secret-value") aria-label=t!("secret-value") on:input=move |event| text.set(event_target_value(&event)) />
                    <button type="button" class="button small" on:click=store>{t!("secret-store")}</button>
                </div>
            })
        }}
    }
}
