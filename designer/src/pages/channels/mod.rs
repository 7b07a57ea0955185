//! All channels as cards: find one, make one, start and stop them, bring documents in and out.

mod card;
mod empty;
mod import;
mod picture;
mod templates;

use std::time::Duration;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{AddChannel, ChannelSummary, CreateChannel, ListChannels};
use leptos::prelude::*;

use self::card::Card;
use self::empty::{Empty, NothingFound};
pub(crate) use self::import::Importer;
use self::templates::Gallery;
use crate::api;
use crate::app::Frame;
use crate::desktop::{OpenButton, RecentDocuments};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::{Ask, Confirm, MenuButton};
use crate::router::{Route, use_router};
use crate::state::editor::made_empty;
use crate::state::{use_live, use_toasts};

/// What the page works on.
#[derive(Clone, Copy)]
pub(crate) struct Channels {
    /// All channels by name, once read.
    pub(crate) list: RwSignal<Option<Vec<ChannelSummary>>>,
    /// A question before something that cannot be taken back.
    pub(crate) ask: RwSignal<Option<Ask>>,
}

impl Channels {
    /// Names that are taken.
    fn names(self) -> Vec<String> {
        self.list.with_untracked(|list| list.iter().flatten().map(|channel| channel.name.clone()).collect())
    }

    /// Reads the list anew.
    pub(crate) fn load(self) {
        let (live, toasts) = (use_live(), use_toasts());
        self.load_with(live, toasts);
    }

    fn load_with(self, live: crate::state::Live, toasts: crate::state::Toasts) {
        let asked = live.asking();
        leptos::task::spawn_local(async move {
            match api::call::<ListChannels>(&[], &Nothing {}).await {
                Ok(mut answer) => {
                    answer.channels.sort_by_cached_key(|channel| shown(channel).to_lowercase());
                    for channel in &answer.channels {
                        live.answered(asked, channel.status.clone());
                    }
                    // The page may have been left meanwhile.
                    let _gone = self.list.try_set(Some(answer.channels));
                }
                Err(problem) => toasts.problem(&problem),
            }
        });
    }
}

/// What a channel is called on the screen.
fn shown(channel: &ChannelSummary) -> &str {
    channel.title.as_deref().filter(|title| !title.is_empty()).unwrap_or(&channel.name)
}

/// The page.
#[component]
pub(crate) fn ChannelsPage() -> impl IntoView {
    let (live, toasts, router) = (use_live(), use_toasts(), use_router());
    let channels = Channels { list: RwSignal::new(None), ask: RwSignal::new(None) };
    provide_context(channels);
    let importer = Importer::provide();
    let search = RwSignal::new(String::new());
    let (menu, gallery) = (RwSignal::new(false), RwSignal::new(false));
    document().set_title(&t!("app-name"));
    channels.load();

    // Several events in a row (an import of many) read the list once.
    let waiting = StoredValue::new(false);
    Effect::watch(
        move || live.stale.get(),
        move |_, _, _| {
            if !waiting.get_value() {
                waiting.set_value(true);
                set_timeout(
                    move || {
                        if waiting.try_set_value(false).is_none() {
                            channels.load_with(live, toasts);
                        }
                    },
                    Duration::from_millis(250),
                );
            }
        },
        false,
    );

    let create = Callback::new(move |()| create(channels, router, toasts));
    let found = Memo::new(move |_| {
        let wanted = search.get().trim().to_lowercase();
        channels.list.with(|list| {
            let list = list.as_deref().unwrap_or_default();
            list.iter().filter(|channel| matches(channel, &wanted)).cloned().collect::<Vec<_>>()
        })
    });
    let count = move || channels.list.with(|list| list.as_ref().map(Vec::len));
    view! {
        <Frame here=Route::Channels>
            <main class="page" data-testid="channels">
                <div class="channels">
                    <div class="channels-head">
                        <h1>{t!("channels-title")}</h1>
                        <span class="count num">{move || count().filter(|n| *n > 0).map(|n| t!("channels-count", count = n))}</span>
                        <span class="grow"></span>
                        <label class="search" hidden=move || count().is_none_or(|n| n == 0)>
                            <span class="hidden-text">{t!("channels-search")}</span>
                            {icon(Icon::Search)}
                            <input
                                class="input"
                                type="search"
                                data-testid="search"
                                placeholder=t!("channels-search")
                                prop:value=move || search.get()
                                on:input=move |event| search.set(event_target_value(&event))
                            />
                        </label>
                        <OpenButton />
                        <div class="split">
                            <button class="button primary" data-action="new-channel" on:click=move |_| create.run(())>
                                {icon(Icon::Plus)}
                                {t!("new-channel")}
                            </button>
                            <MenuButton open=menu hook="new-more" label=t!("new-more") class="button primary">
                                <button class="menu-item" role="menuitem" data-action="from-template" on:click=move |_| {
                                    menu.set(false);
                                    gallery.set(true);
                                }>{icon(Icon::Template)} {t!("from-template")}</button>
                                <button class="menu-item" role="menuitem" data-action="import" on:click=move |_| {
                                    menu.set(false);
                                    importer.pick();
                                }>{icon(Icon::Import)} {t!("import-file")}</button>
                                <button class="menu-item" role="menuitem" data-action="paste" on:click=move |_| {
                                    menu.set(false);
                                    importer.paste();
                                }>{icon(Icon::Paste)} {t!("import-paste")}</button>
                                <p class="menu-note faint">{t!("import-hint")}</p>
                            </MenuButton>
                        </div>
                    </div>
                    <RecentDocuments />
                    {move || match count() {
                        None => (0..3).map(|_| view! { <div class="skeleton"></div> }).collect_view().into_any(),
                        Some(0) => view! { <Empty create gallery importer /> }.into_any(),
                        Some(_) => view! {
                            <ul class="cards">
                                <For each=move || found.get() key=key let:channel>
                                    <Card channel />
                                </For>
                            </ul>
                            {move || found.with(Vec::is_empty).then(|| view! { <NothingFound search /> })}
                        }
                            .into_any(),
                    }}
                </div>
            </main>
        </Frame>
        {move || gallery.get().then(|| view! { <Gallery channels close=Callback::new(move |()| gallery.set(false)) /> })}
        <import::ImportDialog importer />
        <Confirm ask=channels.ask />
    }
}

/// A card is built anew when anything of its summary changes but the status, which it follows by itself.
fn key(channel: &ChannelSummary) -> String {
    let nodes = &channel.picture.nodes;
    let picture: f64 =
        nodes.iter().enumerate().map(|(at, node)| (at + 1) as f64 * (node.x + 3.0 * node.y)).sum();
    format!(
        "{} {} {:?} {:?} {:?} {} {} {} {picture}",
        channel.uid,
        channel.saved_at,
        channel.title,
        channel.description,
        channel.deployed,
        channel.changed,
        nodes.len(),
        channel.picture.edges.len()
    )
}

fn matches(channel: &ChannelSummary, wanted: &str) -> bool {
    let texts = [Some(&channel.name), channel.title.as_ref(), channel.description.as_ref()];
    wanted.is_empty() || texts.into_iter().flatten().any(|text| text.to_lowercase().contains(wanted))
}

/// Makes an empty channel under a free name and opens it.
fn create(channels: Channels, router: crate::router::Router, toasts: crate::state::Toasts) {
    let name = free_name("channel", &channels.names());
    let document = serde_json::json!({
        "apiVersion": fairway_shared::channel::API_VERSION,
        "kind": "Channel",
        "metadata": { "name": name },
        "spec": { "nodes": [], "edges": [] },
    });
    leptos::task::spawn_local(async move {
        match api::call::<AddChannel>(&[], &CreateChannel { document }).await {
            Ok(channel) => {
                made_empty(&channel.uid);
                router.go(Route::Canvas(channel.uid));
            }
            Err(problem) => toasts.problem(&problem),
        }
    });
}

/// `stem`, or `stem-2`, `stem-3`… whichever is free first.
fn free_name(stem: &str, taken: &[String]) -> String {
    let free = |name: &String| !taken.contains(name);
    let numbered = (2u32..).map(|number| format!("{stem}-{number}"));
    std::iter::once(stem.to_owned()).chain(numbered).find(free).unwrap_or_else(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::free_name;

    #[test]
    fn the_first_free_name_is_taken() {
        let taken = ["channel", "channel-2", "channel-4"].map(str::to_owned);
        assert_eq!(free_name("orders", &taken), "orders");
        assert_eq!(free_name("channel", &taken), "channel-3");
    }
}
