//! The name of a connection: one of those there are, or a new one made in place.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::connections::ListConnections;
use fairway_shared::component::Choice;
use fairway_shared::form::Field;
use leptos::prelude::*;

use super::desk::use_desk;
use super::text::{shown, written};
use super::{Slot, placeholder};
use crate::api;
use crate::dialogs::{ConnectionDialog, ConnectionDraft};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Combobox;
use crate::state::{connector_of, use_session};

/// The name, with the connections of the same system to choose from.
#[component]
pub(super) fn ConnectionEditor(field: Field, place: Slot, id: String) -> impl IntoView {
    let (desk, session) = (use_desk(), use_session());
    let connector = StoredValue::new(connector_of(&desk.component()).to_owned());
    let choices = RwSignal::new(Vec::<Choice>::new());
    let load = move || {
        leptos::task::spawn_local(async move {
            if let Ok(answer) = api::call::<ListConnections>(&[], &Nothing {}).await {
                let mine = answer.connections.into_iter().filter_map(|one| {
                    let kind = one.document.pointer("/spec/connector").and_then(serde_json::Value::as_str)?;
                    let title = one.document.pointer("/metadata/title").and_then(serde_json::Value::as_str);
                    connector
                        .with_value(|connector| kind == connector)
                        .then(|| Choice::new(one.name.as_str(), title.unwrap_or_default()))
                });
                // The form may be gone by now.
                drop(choices.try_set(mine.collect()));
            }
        });
    };
    load();
    let making = RwSignal::new(None::<ConnectionDraft>);
    let (value, invalid) = (place.value, place.invalid());
    let path = place.path.clone();
    let put = Callback::new(move |text: String| place.put(written(text)));
    let done = Callback::new(move |name: Option<String>| {
        making.set(None);
        if let Some(name) = name {
            put.run(name);
            desk.close_entry();
            load();
        }
    });
    // Only systems whose access data are known can be set up here.
    let known = session.catalog.with_untracked(|catalog| {
        catalog.as_ref().is_some_and(|catalog| connector.with_value(|name| catalog.connector(name).is_some()))
    });
    let new = move |_| making.set(Some(ConnectionDraft::new(&connector.get_value())));
    view! {
        <div class="beside">
            <Combobox
                id
                path
                label=field.title.clone()
                class="input mono"
                placeholder=Signal::derive(move || {
                    if choices.with(Vec::is_empty) { placeholder(&field) } else { t!("choose") }
                })
                value=Signal::derive(move || value.with(|value| shown(value.as_ref())))
                invalid
                choices
                note=Signal::stored(None::<String>)
                on_text=put
                on_pick=put
                on_leave=Callback::new(move |()| desk.close_entry())
            />
            {known.then(|| view! {
                <button type="button" class="button" data-action="new-connection" on:click=new>
                    {icon(Icon::Plus)}
                    {t!("connection-new-short")}
                </button>
            })}
        </div>
        {move || making.get().map(|draft| view! { <ConnectionDialog draft done /> })}
    }
}
