//! A connection, new or to be changed: its name, which system it is for, its access data, and a test of them. Secrets are
//! chosen by name or stored in place; the document holds references only (I6).

use std::sync::Arc;

use fairway_shared::api::connections::{ConnectionDetail, PutConnection};
use fairway_shared::api::preview::{ProbeAnswer, ProbeConnection, ProbeRequest};
use fairway_shared::channel::text::Document;
use fairway_shared::connection::Connection;
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::validate::{self, Facts};
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::api;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::inspector::field::desk::Desk;
use crate::inspector::field::offers::Asked;
use crate::inspector::field::{FieldBlock, Message, NewSecrets, Slot};
use crate::inspector::test::ConnectionTest;
use crate::parts::Dialog;
use crate::state::tested::Tested;
use crate::state::{Connector, use_session};

const DEADLINE: u32 = 8000;

/// What the dialog begins with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConnectionDraft {
    /// The connection as it is filled in.
    connection: Connection,
    /// Whether it is stored already: then its name and its system stay.
    stored: bool,
}

impl ConnectionDraft {
    /// A new one for a system; for any where the name is empty.
    pub(crate) fn new(connector: &str) -> Self {
        Self { connection: Connection::new("", connector, Map::new()), stored: false }
    }

    /// A stored one.
    pub(crate) fn of(detail: &ConnectionDetail) -> Option<Self> {
        match fairway_shared::channel::text::document_from_value(&detail.document).0 {
            Some(Document::Connection(connection)) => Some(Self { connection, stored: true }),
            _ => None,
        }
    }
}

/// What a system is called.
pub(crate) fn connector_name(name: &str) -> String {
    match name {
        "postgres" => t!("connector-postgres"),
        "sqlite" => t!("connector-sqlite"),
        "kafka" => t!("connector-kafka"),
        "http" => t!("connector-http"),
        other => other.to_owned(),
    }
}

/// The dialog; `done` gets the name of what was stored, or nothing when it was closed.
#[component]
pub(crate) fn ConnectionDialog(draft: ConnectionDraft, done: Callback<Option<String>>) -> impl IntoView {
    let session = use_session();
    let stored = draft.stored;
    let edited = RwSignal::new(draft.connection.clone());
    let refused = RwSignal::new(Vec::<Diagnostic>::new());
    let fault = RwSignal::new(None::<String>);
    let saving = RwSignal::new(false);
    let probe = RwSignal::new(Asked::<ProbeAnswer>::Not);
    let problems = Memo::new(move |_| {
        let catalog = session.catalog.get();
        let known = catalog.as_deref().map(crate::state::Catalog::all).unwrap_or_default();
        let facts = Facts { components: known, ..Facts::default() };
        let mut found = edited.with(|connection| validate::validate_connection(connection, &facts));
        refused.with(|refused| {
            let new = refused.iter().filter(|one| !found.iter().any(|known| known.code == one.code));
            let new: Vec<Diagnostic> = new.cloned().collect();
            found.extend(new);
        });
        found.into_iter().map(at_field).collect::<Vec<_>>()
    });
    provide_context(Desk::alone(problems.into()));
    let secrets = NewSecrets::default();
    provide_context(secrets);
    // What the last test here came to: it counts for the connection once that is stored as it was tested.
    let tested = StoredValue::new(None::<Tested>);

    let connectors = Memo::new(move |_| {
        session
            .catalog
            .with(|catalog| catalog.as_ref().map(|catalog| catalog.connectors()).unwrap_or_default())
    });
    let connector = Memo::new(move |_| edited.with(|connection| connection.connector().to_owned()));
    let chosen = Memo::new(move |_| {
        let name = connector.get();
        connectors.with(|connectors| connectors.iter().find(|one| one.name == name).cloned())
    });
    let change = move |edit: &dyn Fn(&mut Connection)| {
        edited.update(edit);
        refused.set(Vec::new());
        fault.set(None);
    };
    let test = Callback::new(move |()| {
        let mut connection = edited.get_untracked();
        if connection.metadata.name.trim().is_empty() {
            // A test needs no name; the document does.
            connection.metadata.name = "new".to_owned();
        }
        let request = ProbeRequest {
            component: chosen.with_untracked(|chosen| chosen.as_ref().and_then(|one| one.prober.clone())),
            connection: Some(Document::Connection(connection).to_value()),
            deadline_ms: Some(DEADLINE),
            ..ProbeRequest::default()
        };
        probe.set(Asked::Waiting);
        let tested_as = stored.then(|| edited.with_untracked(|connection| connection.name().to_owned()));
        leptos::task::spawn_local(async move {
            let answer = api::call::<ProbeConnection>(&[], &request).await;
            let came = Tested::of(&request.connection.unwrap_or_default(), &answer);
            if let Some(name) = &tested_as {
                came.keep(name);
            }
            let _shut = tested.try_set_value(Some(came));
            let asked = match answer {
                Ok(answer) => Asked::Answer(answer),
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            // The dialog may be shut by now.
            drop(probe.try_set(asked));
        });
    });
    let ready = move || {
        edited.with(|connection| !connection.name().trim().is_empty()) && chosen.with(Option::is_some)
    };
    let save = move |_| {
        saving.set(true);
        leptos::task::spawn_local(async move {
            // A secret that is typed but not stored yet belongs to what is saved.
            if let Err(why) = secrets.store().await {
                saving.try_set(false);
                fault.try_set(Some(why));
                return;
            }
            let Some(mut connection) = edited.try_get_untracked() else { return };
            connection.metadata.name = connection.metadata.name.trim().to_owned();
            let name = connection.metadata.name.clone();
            let document = Document::Connection(connection).to_value();
            match api::call::<PutConnection>(&[("name", &name)], &document).await {
                Ok(_) => {
                    if let Some(tested) = tested.try_get_value().flatten().filter(|one| one.holds(&document))
                    {
                        tested.keep(&name);
                    }
                    done.run(Some(name));
                }
                Err(problem) => {
                    saving.try_set(false);
                    fault.try_set(Some(api::said(&problem)));
                    refused.try_set(problem.diagnostics);
                }
            }
        });
    };
    let general = move || {
        let unplaced = problems.get().into_iter().filter(|problem| problem.place.field.is_none());
        let refused_now = refused.with(|refused| !refused.is_empty());
        // A name that is still to be typed is no fault to begin with.
        unplaced.filter(|_| refused_now).map(|problem| view! { <Message problem /> }).collect_view()
    };
    let title = match stored {
        true => t!("connection-edit-title", name = draft.connection.name()),
        false => t!("connection-new-title"),
    };
    let foot = view! {
        <button class="button" on:click=move |_| done.run(None)>{t!("cancel")}</button>
        <button class="button primary" data-action="save-connection" disabled=move || !ready() || saving.get() on:click=save>
            {move || if saving.get() { t!("connection-saving") } else { t!("connection-save") }}
        </button>
    };
    let draft_connector = draft.connection.connector().to_owned();
    let picker = move || {
        let connectors = connectors.get();
        (!stored && draft_connector.is_empty()).then(|| view! {
            <fieldset class="field">
                <legend class="label">{t!("connection-system")}</legend>
                <div class="systems" role="radiogroup">
                    {connectors.into_iter().map(|one| {
                        let (name, mine) = (one.name.clone(), one.name.clone());
                        view! {
                            <button type="button" class="system" role="radio" data-connector=one.name.clone()
                                aria-checked=move || (connector.get() == mine).to_string()
                                on:click=move |_| change(&|connection| {
                                    if connection.spec.connector != name {
                                        connection.spec.connector.clone_from(&name);
                                        connection.spec.config.clear();
                                        probe.set(Asked::Not);
                                    }
                                })>
                                {crate::icons::component_icon(&one.name, &one.family, fairway_shared::component::Kind::Source)}
                                {connector_name(&one.name)}
                            </button>
                        }
                    }).collect_view()}
                </div>
            </fieldset>
        })
    };
    view! {
        <Dialog title width="560px" testid="connection" on_close=Callback::new(move |()| done.run(None)) foot=foot.into_any()>
            {move || fault.get().map(|why| view! { <p class="note" data-tone="bad" role="alert">{icon(Icon::Error)} <span>{why}</span></p> })}
            {general}
            {picker}
            <div class="field">
                <label class="label" for="connection-name">{t!("connection-name")} <span class="required">"*"</span></label>
                <input
                    id="connection-name"
                    class="input mono"
                    data-input="name"
                    autocomplete="off"
                    disabled=stored
                    placeholder=t!("connection-name-hint")
                    prop:value=move || edited.with(|connection| connection.metadata.name.clone())
                    on:input=move |event| {
                        let text = event_target_value(&event);
                        change(&|connection| connection.metadata.name.clone_from(&text));
                    }
                />
                <p class="help">{if stored { t!("connection-name-stays") } else { t!("connection-name-help") }}</p>
            </div>
            <div class="field">
                <label class="label" for="connection-title">{t!("connection-title")}</label>
                <input
                    id="connection-title"
                    class="input"
                    data-input="title"
                    autocomplete="off"
                    prop:value=move || edited.with(|connection| connection.metadata.title.clone().unwrap_or_default())
                    on:input=move |event| {
                        let text = Some(event_target_value(&event)).filter(|text| !text.is_empty());
                        change(&|connection| connection.metadata.title.clone_from(&text));
                    }
                />
            </div>
            {move || chosen.get().map(|one| view! { <AccessForm connector=one edited changed=Callback::new(move |()| {
                refused.set(Vec::new());
                fault.set(None);
                // What was tested is not what stands here now.
                probe.set(Asked::Not);
            }) /> })}
            {move || chosen.get().filter(|one| one.prober.is_some()).map(|_| view! { <ConnectionTest probe test /> })}
        </Dialog>
    }
}

/// The access data of a system.
#[component]
fn AccessForm(connector: Connector, edited: RwSignal<Connection>, changed: Callback<()>) -> impl IntoView {
    let model = Arc::new(connector.form);
    let config = Memo::new(move |_| edited.with(|connection| connection.spec.config.clone()));
    let block = {
        let model = model.clone();
        move |field: fairway_shared::form::Field| {
            let (read, write) = (field.name.clone(), field.name.clone());
            let place = Slot {
                node: String::new(),
                path: field.name.clone(),
                value: Memo::new(move |_| config.with(|config| config.get(&read).cloned())).into(),
                set: Callback::new(move |(_, value): (String, Option<Value>)| {
                    edited.update(|connection| match value {
                        Some(value) => drop(connection.spec.config.insert(write.clone(), value)),
                        None => drop(connection.spec.config.remove(&write)),
                    });
                    changed.run(());
                }),
            };
            let shown = {
                let (model, field) = (model.clone(), field.clone());
                Memo::new(move |_| config.with(|config| model.is_shown(&field, config)))
            };
            move || shown.get().then(|| view! { <FieldBlock field=field.clone() place=place.clone() /> })
        }
    };
    let (rare, plain): (Vec<_>, Vec<_>) = model.fields.iter().cloned().partition(|field| field.advanced);
    let open = rare.iter().any(|field| config.with_untracked(|config| config.contains_key(&field.name)));
    view! {
        <div data-form="connection">
            {plain.into_iter().map(block.clone()).collect_view()}
            {(!rare.is_empty()).then(|| view! {
                <details class="rare" open=open>
                    <summary>{t!("more-settings")}</summary>
                    {rare.into_iter().map(block).collect_view()}
                </details>
            })}
        </div>
    }
}

/// A finding about access data, at the dotted field that its pointer means.
fn at_field(mut problem: Diagnostic) -> Diagnostic {
    if problem.place.field.is_none() {
        problem.place.field =
            problem.place.pointer.strip_prefix("/spec/config/").map(|rest| rest.replace('/', "."));
    }
    problem
}

/// What an access setting says about itself in a list: where the system is.
pub(crate) fn whereabouts(detail: &ConnectionDetail) -> Option<String> {
    let config = detail.document.pointer("/spec/config")?.as_object()?;
    let text = |key: &str| config.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let host = text("host").map(|host| match (config.get("port"), text("database")) {
        (Some(port), Some(database)) => format!("{host}:{port}/{database}"),
        (None, Some(database)) => format!("{host}/{database}"),
        (Some(port), None) => format!("{host}:{port}"),
        (None, None) => host.to_owned(),
    });
    host.or_else(|| ["url", "brokers", "path"].into_iter().find_map(text).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn detail(config: Value) -> ConnectionDetail {
        let Value::Object(config) = config else { panic!("settings are an object") };
        let document = Document::Connection(Connection::new("shop", "postgres", config)).to_value();
        ConnectionDetail { name: "shop".into(), document, used_by: Vec::new() }
    }

    #[test]
    fn a_list_says_where_the_system_is() {
        let of = |config: Value| whereabouts(&detail(config));
        assert_eq!(of(json!({"host": "db", "port": 5433, "database": "shop"})), Some("db:5433/shop".into()));
        assert_eq!(of(json!({"brokers": "a:9092,b:9092"})), Some("a:9092,b:9092".into()));
        assert_eq!(of(json!({"user": "x"})), None);
    }

    #[test]
    fn a_stored_connection_is_taken_up_as_it_is() {
        let draft = ConnectionDraft::of(&detail(json!({"host": "db"}))).unwrap();
        assert!(draft.stored);
        assert_eq!(draft.connection.config()["host"], "db");
    }
}
