//! One connection of the list.

use std::sync::Arc;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::connections::{ConnectionDetail, DeleteConnection};
use fairway_shared::api::preview::{ProbeConnection, ProbeRequest};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::Value;

use super::Connections;
use crate::api;
use crate::dialogs::{ConnectionDraft, connector_name, whereabouts};
use crate::i18n::t;
use crate::icons::{Icon, component_icon, icon};
use crate::parts::{Ask, MenuButton, ago, markdown};
use crate::router::{Link, Route};
use crate::state::tested::{Tested, forget_tested};
use crate::state::{use_session, use_toasts};

const DEADLINE: u32 = 8000;

/// The row.
#[component]
pub(super) fn Row(detail: ConnectionDetail) -> impl IntoView {
    let page: Connections = expect_context();
    let (session, toasts) = (use_session(), use_toasts());
    let name = detail.name.clone();
    let text = |pointer: &str| detail.document.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let connector = text("/spec/connector").unwrap_or_default();
    let title = text("/metadata/title").filter(|title| !title.is_empty());
    let place = whereabouts(&detail);
    let known = StoredValue::new(detail.clone());
    let kept = move || known.with_value(|detail| Tested::kept(&detail.name, &detail.document));
    let tested = RwSignal::new(kept());
    // The dialog may have tested it meanwhile.
    Effect::watch(move || page.tested.get(), move |_, _, _| tested.set(kept()), false);
    let testing = RwSignal::new(false);
    let menu = RwSignal::new(false);
    // The list may be there before the components are.
    let system = {
        let connector = connector.clone();
        Memo::new(move |_| {
            session.catalog.with(|catalog| catalog.as_ref().map(|catalog| catalog.connector(&connector)))
        })
    };
    let prober = Memo::new(move |_| system.get().flatten().and_then(|one| one.prober));
    let can_test = move || prober.with(Option::is_some);
    let test = move || {
        if testing.get_untracked() || prober.with_untracked(Option::is_none) {
            return;
        }
        testing.set(true);
        let request = ProbeRequest {
            component: prober.get_untracked(),
            connection: Some(known.with_value(|detail| detail.document.clone())),
            deadline_ms: Some(DEADLINE),
            ..ProbeRequest::default()
        };
        leptos::task::spawn_local(async move {
            let answer = api::call::<ProbeConnection>(&[], &request).await;
            let came = Tested::of(&request.connection.unwrap_or_default(), &answer);
            if let Some(name) = known.try_with_value(|detail| detail.name.clone()) {
                came.keep(&name);
            }
            // The page may have been left meanwhile.
            let _left = testing.try_set(false);
            drop(tested.try_set(Some(came)));
        });
    };
    Effect::watch(move || page.test_all.get(), move |_, _, _| test(), false);
    let edit = move |_| {
        menu.set(false);
        page.editing.set(known.with_value(ConnectionDraft::of));
    };
    let users = detail.used_by.clone();
    let used = !users.is_empty();
    let remove = {
        let name = name.clone();
        move |_| {
            menu.set(false);
            let gone = name.clone();
            page.ask.set(Some(Ask {
                title: t!("connection-delete-title", name = name.as_str()),
                text: t!("connection-delete-text"),
                button: t!("connection-delete"),
                grave: true,
                act: Arc::new(move || delete(page, toasts, gone.clone())),
            }));
        }
    };
    let uses = move || {
        let names = page.channels.get();
        let many = users.len();
        if many == 0 {
            return view! { <span class="faint">{t!("connection-unused")}</span> }.into_any();
        }
        let links = users.clone().into_iter().map(|user| {
            let uid = names.iter().find(|(name, _)| *name == user).map(|(_, uid)| uid.clone());
            match uid {
                Some(uid) => view! { <li><Link class="link" to=Route::Canvas(uid)><bdi class="clip">{user}</bdi></Link></li> }.into_any(),
                None => view! { <li><bdi class="clip">{user}</bdi></li> }.into_any(),
            }
        });
        view! { <span class="faint">{t!("connection-used")}</span> <ul>{links.collect_view()}</ul> }
            .into_any()
    };
    let result = move || {
        if testing.get() {
            return view! { <p class="faint" role="status"><span class="spin">{icon(Icon::StateStarting)}</span> {t!("testing")}</p> }.into_any();
        }
        match tested.get() {
            // Before the components are there, nobody knows whether it can be tested.
            None => match system.with(Option::is_none) || can_test() {
                true => view! { <p class="faint">{t!("connection-untested")}</p> }.into_any(),
                false => view! { <p class="faint">{t!("connection-untestable")}</p> }.into_any(),
            },
            Some(Tested { at, found: Some(found), .. }) => view! {
                <p data-probe="good">{icon(Icon::Check)} <bdi class="clip" title=found.clone()>{found.clone()}</bdi> {ago(at)}</p>
            }
            .into_any(),
            Some(Tested { at, why, help, .. }) => view! {
                <div data-probe="bad">
                    {icon(Icon::Error)}
                    <p>
                        <span>{markdown::sentence(&why.unwrap_or_default())}</span>
                        " "
                        {ago(at)}
                        {help.map(|help| view! { <span class="more faint">{markdown::sentence(&help)}</span> })}
                    </p>
                </div>
            }
            .into_any(),
        }
    };
    let shape = {
        let connector = connector.clone();
        move || {
            let family = system.get().flatten().map(|one| one.family).unwrap_or_default();
            component_icon(&connector, &family, Kind::Source)
        }
    };
    view! {
        <li class="connection" data-connection=name.clone()>
            <span class="node-icon">{shape}</span>
            <div class="connection-name">
                <h2 class="clip" title=name.clone()><bdi>{title.unwrap_or_else(|| name.clone())}</bdi></h2>
                <p class="faint clip"><bdi class="mono">{name.clone()}</bdi> " · " {connector_name(&connector)} {place.map(|place| view! { " · " <bdi>{place}</bdi> })}</p>
            </div>
            <div class="connection-uses">{uses}</div>
            <div class="connection-acts">
                <button class="button small" data-action="test-connection" disabled=move || !can_test() || testing.get() on:click=move |_| test()>{icon(Icon::Plug)} {t!("test-short")}</button>
                <button class="button small" data-action="edit-connection" on:click=edit>{t!("edit")}</button>
                <MenuButton open=menu hook="more" label=t!("more") shape=Icon::More class="icon-button small">
                    <button class="menu-item danger" role="menuitem" data-action="delete-connection" disabled=used title=used.then(|| t!("connection-delete-used")) on:click=remove.clone()>
                        {icon(Icon::Trash)} {t!("delete")}
                    </button>
                    {used.then(|| view! { <p class="menu-note faint">{t!("connection-delete-used")}</p> })}
                </MenuButton>
            </div>
            <div class="connection-result" data-testid="tested">{result}</div>
        </li>
    }
}

fn delete(page: Connections, toasts: crate::state::Toasts, name: String) {
    let before = page.list.with_untracked(|list| {
        list.iter().flatten().find(|one| one.name == name).map(|one| one.document.clone())
    });
    leptos::task::spawn_local(async move {
        if let Err(problem) = api::call::<DeleteConnection>(&[("name", &name)], &Nothing {}).await {
            toasts.problem(&problem);
            return;
        }
        forget_tested(&name);
        page.load_with(toasts);
        let said = t!("connection-deleted", name = name.as_str());
        let Some(document) = before else { return toasts.good(said) };
        let back = Callback::new(move |()| {
            let (document, name) = (document.clone(), name.clone());
            leptos::task::spawn_local(async move {
                use fairway_shared::api::connections::PutConnection;
                match api::call::<PutConnection>(&[("name", &name)], &document).await {
                    Ok(_) => page.load_with(toasts),
                    Err(problem) => toasts.problem(&problem),
                }
            });
        });
        toasts.offer(said, t!("undo"), back);
    });
}
