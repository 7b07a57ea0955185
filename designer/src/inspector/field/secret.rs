//! A secret: documents hold a reference only (I6). One is chosen by name, or stored anew in place; its value goes to the
//! server and is never shown again. A form that is saved as a whole stores what is typed here with it: [`NewSecrets`].

use std::collections::BTreeMap;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::Problem;
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

/// A secret that is being typed in.
#[derive(Clone, Copy)]
struct Typed {
    name: Memo<String>,
    text: RwSignal<String>,
    stored: Callback<Option<String>>,
}

impl Typed {
    async fn store(self) -> Result<(), Problem> {
        let (name, value) = (self.name.get_untracked(), self.text.get_untracked());
        api::call::<PutSecret>(&[("name", &name)], &SetSecret { value }).await?;
        self.text.try_set(String::new());
        self.stored.run(Some(name));
        Ok(())
    }
}

/// The secrets that are typed into a form but not stored yet. A handle.
#[derive(Clone, Copy)]
pub(crate) struct NewSecrets(StoredValue<BTreeMap<u64, Typed>>);

impl Default for NewSecrets {
    fn default() -> Self {
        Self(StoredValue::new(BTreeMap::new()))
    }
}

impl NewSecrets {
    /// Knows a secret as long as its form is there.
    fn add(self, typed: Typed) {
        let mut id = 0;
        self.0.update_value(|all| {
            id = all.last_key_value().map_or(0, |(last, _)| last + 1);
            all.insert(id, typed);
        });
        on_cleanup(move || {
            let _gone = self.0.try_update_value(|all| all.remove(&id));
        });
    }

    /// Stores all that have a value; the form refers to them then.
    ///
    /// # Errors
    /// In words for people: a name that no secret may have, or why the server refuses one. What was typed stays.
    pub(crate) async fn store(self) -> Result<(), String> {
        let typed: Vec<Typed> = self.0.with_value(|all| all.values().copied().collect());
        for one in typed.into_iter().filter(|one| !one.text.with_untracked(String::is_empty)) {
            if !one.name.with_untracked(|name| is_name(name)) {
                return Err(t!("secret-bad-name"));
            }
            one.store().await.map_err(|problem| api::said(&problem))?;
        }
        Ok(())
    }
}

/// A name and a value, stored at once. The value leaves for the server and is forgotten here.
#[component]
fn NewSecret(hint: String, names: RwSignal<Vec<String>>, stored: Callback<Option<String>>) -> impl IntoView {
    let toasts = use_toasts();
    // A name that is taken would put this value in the place of another's.
    let free = names.with_untracked(|names| {
        let taken = |name: &String| names.contains(name);
        let mut others = (2..).map(|number| format!("{hint}-{number}"));
        Some(hint.clone()).filter(|hint| !taken(hint)).or_else(|| others.find(|name| !taken(name)))
    });
    let (name, text) = (RwSignal::new(free.unwrap_or(hint)), RwSignal::new(String::new()));
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
    let typed = Typed { name: wanted, text, stored };
    if let Some(form) = use_context::<NewSecrets>() {
        form.add(typed);
    }
    let store = move || {
        if !untrack(ready) {
            return;
        }
        leptos::task::spawn_local(async move {
            if let Err(problem) = typed.store().await {
                toasts.problem(&problem);
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
            <label class="label" for="secret-name">{t!("secret-name")}</label>
            <input id="secret-name" class="input mono" type="text" autocomplete="off"
                prop:value=move || name.get() on:input=move |event| name.set(event_target_value(&event)) />
            {move || fault().map(|(tone, text)| view! { <p class="message-line" data-tone=tone>{text}</p> })}
            <label class="label" for="secret-value">{t!("secret-value")}</label>
            <input node_ref=first id="secret-value" class="input" type="password" autocomplete="new-password"
                prop:value=move || text.get() on:input=move |event| text.set(event_target_value(&event)) />
            <p class="help">{t!("secret-help")}</p>
            <div class="acts">
                <button type="button" class="button small primary" data-action="store-secret" disabled=move || !ready() on:click=move |_| store()>{t!("secret-store")}</button>
                <button type="button" class="button small quiet" on:click=move |_| stored.run(None)>{t!("cancel")}</button>
            </div>
        </div>
    }
}
