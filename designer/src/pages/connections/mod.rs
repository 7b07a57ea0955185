//! Connections: which there are, whether they answer, which channels use them; add, test, change, delete.

mod row;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::ListChannels;
use fairway_shared::api::connections::{ConnectionDetail, ListConnections};
use leptos::prelude::*;

use self::row::Row;
use crate::api;
use crate::app::Frame;
use crate::dialogs::{ConnectionDialog, ConnectionDraft};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::{Ask, Confirm};
use crate::router::Route;
use crate::state::{use_live, use_session, use_toasts};

/// What the page works on.
#[derive(Clone, Copy)]
struct Connections {
    /// All of them, once read.
    list: RwSignal<Option<Vec<ConnectionDetail>>>,
    /// Names and uids of channels, so that uses can be followed.
    channels: RwSignal<Vec<(String, String)>>,
    /// The one being made or changed.
    editing: RwSignal<Option<ConnectionDraft>>,
    /// A question before something that cannot be taken back.
    ask: RwSignal<Option<Ask>>,
    /// Counts up when all are to be tested.
    test_all: RwSignal<u32>,
    /// Counts up when one may have been tested elsewhere.
    tested: RwSignal<u32>,
}

impl Connections {
    fn load(self) {
        let toasts = use_toasts();
        self.load_with(toasts);
    }

    fn load_with(self, toasts: crate::state::Toasts) {
        leptos::task::spawn_local(async move {
            match api::call::<ListConnections>(&[], &Nothing {}).await {
                // The page may have been left meanwhile.
                Ok(answer) => drop(self.list.try_set(Some(answer.connections))),
                Err(problem) => toasts.problem(&problem),
            }
            if let Ok(answer) = api::call::<ListChannels>(&[], &Nothing {}).await {
                let names = answer.channels.into_iter().map(|channel| (channel.name, channel.uid));
                drop(self.channels.try_set(names.collect()));
            }
        });
    }
}

/// The page.
#[component]
pub(crate) fn ConnectionsPage() -> impl IntoView {
    let (live, toasts, session) = (use_live(), use_toasts(), use_session());
    let page = Connections {
        list: RwSignal::new(None),
        channels: RwSignal::new(Vec::new()),
        editing: RwSignal::new(None),
        ask: RwSignal::new(None),
        test_all: RwSignal::new(0),
        tested: RwSignal::new(0),
    };
    provide_context(page);
    document().set_title(&t!("page-title", name = t!("connections-title")));
    page.load();
    Effect::watch(move || live.stale.get(), move |_, _, _| page.load_with(toasts), false);
    let done = Callback::new(move |stored: Option<String>| {
        page.editing.set(None);
        page.tested.update(|times| *times += 1);
        if stored.is_some() {
            page.load_with(toasts);
        }
    });
    let count = move || page.list.with(|list| list.as_ref().map(Vec::len));
    let add = move || {
        view! {
            <button class="button primary" data-action="add-connection" disabled=move || session.catalog.with(Option::is_none)
                on:click=move |_| page.editing.set(Some(ConnectionDraft::new("")))>
                {icon(Icon::Plus)}
                {t!("connection-new")}
            </button>
        }
    };
    view! {
        <Frame here=Route::Connections>
            <main class="page" data-testid="connections">
                <div class="narrow-page">
                    <div class="channels-head">
                        <h1>{t!("connections-title")}</h1>
                        <span class="count num">{move || count().filter(|n| *n > 0)}</span>
                        <span class="grow"></span>
                        {move || count().filter(|n| *n > 1).map(|_| view! {
                            <button class="button" data-action="test-all" disabled=move || session.catalog.with(Option::is_none) on:click=move |_| page.test_all.update(|times| *times += 1)>
                                {icon(Icon::Plug)}
                                {t!("connections-test-all")}
                            </button>
                        })}
                        {move || count().filter(|n| *n > 0).map(|_| add())}
                    </div>
                    {move || match count() {
                        None => view! { <div class="skeleton low"></div> }.into_any(),
                        Some(0) => view! {
                            <div class="empty" data-testid="no-connections">
                                <span class="mark">{icon(Icon::Plug)}</span>
                                <h2>{t!("connections-empty-title")}</h2>
                                <p>{t!("connections-empty-text")}</p>
                                <div class="acts">{add()}</div>
                            </div>
                        }
                        .into_any(),
                        Some(_) => view! {
                            <ul class="connection-list">
                                <For each=move || page.list.get().unwrap_or_default() key=|one| format!("{}{}{:?}", one.name, one.document, one.used_by) let:detail>
                                    <Row detail />
                                </For>
                            </ul>
                        }
                        .into_any(),
                    }}
                </div>
            </main>
        </Frame>
        {move || page.editing.get().map(|draft| view! { <ConnectionDialog draft done /> })}
        <Confirm ask=page.ask />
    }
}
