//! Records set aside, by cause: groups on the left, the records of one in the middle, one record on the right; try again or
//! discard one, a group, or all. `acts` says and does what happens, `edit` edits a record, `letter` shows a record, `place` where it came from.

mod acts;
mod edit;
mod letter;
mod place;

use std::time::Duration;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::dead_letters::{
    DeadLetter, DeadLetters as Page, GroupDeadLetters, LetterGroup, ListDeadLetters, Selection,
};
use leptos::prelude::*;

use self::acts::Acts;
use self::letter::Letter;
use crate::api;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::parts::{Confirm, markdown};
use crate::state::editor::{Editor, use_editor};
use crate::state::{Live, use_live, use_toasts};

const PAGE: usize = 50;
/// While records are being tried, the list is read again after this long.
const LOOK_AGAIN: Duration = Duration::from_millis(700);
/// And at most so often, where it lags behind the count.
const MOST_AGAIN: u32 = 30;

/// A group: which node refused, and with which code.
type Key = (String, String);

/// What the panel works on. A handle.
#[derive(Clone, Copy)]
struct Letters {
    editor: Editor,
    live: Live,
    groups: RwSignal<Option<Vec<LetterGroup>>>,
    page: RwSignal<Option<Page>>,
    /// The group that is shown; none is all.
    group: RwSignal<Option<Key>>,
    shown: RwSignal<usize>,
    /// The record that is shown, by id.
    chosen: RwSignal<Option<String>>,
    /// Counts questions: an answer to an earlier one is no news.
    asked: StoredValue<u64>,
    /// How often the list was read again because it lags behind the count.
    again: StoredValue<u32>,
}

impl Letters {
    /// What the panel shows now: a group, or all.
    fn selection(self) -> Selection {
        let (node, code) = self.group.get_untracked().unzip();
        Selection { node, code, ..Selection::default() }
    }

    /// Records are counted as they are refused, and stored with the next commit: the list may lag behind the count.
    fn catch_up(self, groups: &[LetterGroup], toasts: crate::state::Toasts) {
        let told = self.live.status(&self.editor.uid()).with_untracked(|status| status.dead_letters);
        let here: u64 = groups.iter().map(|group| group.letters).sum();
        let times = if here == told { 0 } else { self.again.try_get_value().unwrap_or(MOST_AGAIN) + 1 };
        self.again.try_update_value(|again| *again = times);
        if (1..=MOST_AGAIN).contains(&times) {
            self.look_again(toasts);
        }
    }

    fn look_again(self, toasts: crate::state::Toasts) {
        set_timeout(
            move || {
                // The drawer may be shut by now.
                if self.page.try_with_untracked(|_| ()).is_some() {
                    self.load(toasts);
                }
            },
            LOOK_AGAIN,
        );
    }

    fn load(self, toasts: crate::state::Toasts) {
        let (uid, limit) = (self.editor.uid(), self.shown.get_untracked());
        let group = self.group.get_untracked();
        let number = self.asked.get_value() + 1;
        self.asked.set_value(number);
        let is_news = move || self.asked.try_get_value() == Some(number);
        leptos::task::spawn_local(async move {
            match api::call::<GroupDeadLetters>(&[("uid", &uid)], &Nothing {}).await {
                Ok(_) if !is_news() => return,
                Ok(answer) => {
                    // A group that is empty by now shows all.
                    let gone = group.as_ref().is_some_and(|(node, code)| {
                        !answer.groups.iter().any(|group| group.node == *node && group.code == *code)
                    });
                    self.catch_up(&answer.groups, toasts);
                    drop(self.groups.try_set(Some(answer.groups)));
                    if gone {
                        drop(self.group.try_set(None));
                        return;
                    }
                }
                Err(problem) => return toasts.problem(&problem),
            }
            let encode = |text: &str| String::from(js_sys::encode_uri_component(text));
            let chosen = group.map(|(node, code)| format!("&node={}&code={}", encode(&node), encode(&code)));
            let query = format!("?limit={limit}{}", chosen.unwrap_or_default());
            match api::query::<ListDeadLetters>(&[("uid", &uid)], &query, &Nothing {}).await {
                Ok(_) if !is_news() => {}
                Ok(answer) => {
                    if answer.replaying > 0 {
                        // A record that is refused again stays, and changes no figure that is told.
                        self.look_again(toasts);
                    }
                    let first = answer.dead_letters.first().map(|letter| letter.id.clone());
                    let kept = |id: &String| answer.dead_letters.iter().any(|letter| letter.id == *id);
                    let chosen = self.chosen.try_get_untracked().flatten().filter(kept).or(first);
                    // The drawer may be shut by now.
                    drop(self.page.try_set(Some(answer)));
                    drop(self.chosen.try_set(chosen));
                }
                Err(problem) => toasts.problem(&problem),
            }
        });
    }
}

/// The panel.
#[component]
pub(super) fn DeadLetters() -> impl IntoView {
    let editor = use_editor();
    let (live, toasts) = (use_live(), use_toasts());
    let letters = Letters {
        editor,
        live,
        groups: RwSignal::new(None),
        page: RwSignal::new(None),
        group: RwSignal::new(None),
        shown: RwSignal::new(PAGE),
        chosen: RwSignal::new(None),
        asked: StoredValue::new(0),
        again: StoredValue::new(0),
    };
    let ask = RwSignal::new(None);
    let acts = Acts { letters, ask, live, toasts };
    let status = live.status(&editor.uid());
    let total = Memo::new(move |_| status.with(|status| status.dead_letters));
    Effect::new(move || {
        total.track();
        letters.shown.track();
        letters.group.track();
        letters.load(toasts);
    });
    // Letters that come in while one looks change figures and rows, and never a button under the pointer.
    let empty = Memo::new(move |_| letters.groups.with(|groups| groups.as_ref().map(Vec::is_empty)));
    let letter = Memo::new(move |_| {
        let id = letters.chosen.get()?;
        letters.page.with(|page| page.as_ref()?.dead_letters.iter().find(|letter| letter.id == id).cloned())
    });
    let body = move || {
        if empty.get()? {
            return Some(view! { <div class="drawer-none">{t!("dead-none")}</div> }.into_any());
        }
        Some(
            view! {
                <div class="letters">
                    <Groups letters />
                    <List letters acts />
                    {move || letter.get().map(|letter| view! { <Letter letter acts /> })}
                </div>
            }
            .into_any(),
        )
    };
    view! {
        <div class="dead" data-testid="dead-letters">{body}</div>
        <Confirm ask />
    }
}

fn name_of(editor: Editor, id: &str) -> String {
    editor.node(id).map_or_else(|| id.to_owned(), |node| editor.name_of(&node))
}

#[component]
fn Groups(letters: Letters) -> impl IntoView {
    let keys = move || {
        let groups = letters.groups.get().unwrap_or_default();
        let keys = groups.into_iter().map(|group| Some((group.node, group.code)));
        std::iter::once(None).chain(keys).collect::<Vec<Option<Key>>>()
    };
    view! {
        <ul class="letter-groups" aria-label=t!("dead-causes")>
            <For each=keys key=Clone::clone let:key>
                <Group letters key />
            </For>
        </ul>
    }
}

/// A cause at a node, or all of them.
#[component]
fn Group(letters: Letters, key: Option<Key>) -> impl IntoView {
    let found = {
        let key = key.clone();
        Memo::new(move |_| {
            let (node, code) = key.as_ref()?;
            letters.groups.with(|groups| {
                groups.iter().flatten().find(|group| group.node == *node && group.code == *code).cloned()
            })
        })
    };
    let count = Memo::new(move |_| match found.get() {
        Some(group) => group.letters,
        None => letters.groups.with(|groups| groups.iter().flatten().map(|group| group.letters).sum()),
    });
    let more = move || {
        let group = found.get()?;
        let place = name_of(letters.editor, &group.node);
        let when =
            t!("dead-between", first = format::ago(&group.first_at), last = format::ago(&group.last_at));
        Some(view! {
            <span class="more"><bdi>{place}</bdi> " · " <code>{group.code}</code></span>
            <span class="more faint">{when}</span>
        })
    };
    let title = move || match found.get() {
        Some(group) => view! { <bdi>{markdown::sentence(&group.message)}</bdi> }.into_any(),
        None => t!("dead-all").into_any(),
    };
    let (mine, press) = (key.clone(), key.clone());
    view! {
        <li>
            <button
                type="button"
                class="letter-group"
                data-group=key.map_or_else(|| "all".to_owned(), |(node, code)| format!("{node} {code}"))
                aria-current=move || letters.group.with(|group| *group == mine).then_some("true")
                on:click=move |_| {
                    letters.shown.set(PAGE);
                    letters.group.set(press.clone());
                }
            >
                <span class="count-badge num" data-tone="bad">{move || format::short(count.get())}</span>
                <span class="what">{title}</span>
                {more}
            </button>
        </li>
    }
}

/// The records of a group, newest first.
#[component]
fn List(letters: Letters, acts: Acts) -> impl IntoView {
    let matching = Memo::new(move |_| {
        letters.page.with(|page| page.as_ref().map(|page| page.matching).unwrap_or_default())
    });
    let replaying = Memo::new(move |_| {
        letters.page.with(|page| page.as_ref().map(|page| page.replaying).unwrap_or_default())
    });
    let evicted = Memo::new(move |_| {
        letters.page.with(|page| page.as_ref().map(|page| page.evicted).unwrap_or_default())
    });
    let rows = move || letters.page.get().map(|page| page.dead_letters).unwrap_or_default();
    let rest = move || {
        let here =
            letters.page.with(|page| page.as_ref().map(|page| page.dead_letters.len()).unwrap_or_default());
        matching.get() > here as u64
    };
    let discard_label =
        move || if letters.group.with(Option::is_some) { t!("discard-group") } else { t!("dead-discard") };
    view! {
        <div class="letter-list">
            <div class="panel-bar">
                <span class="muted num">{move || t!("dead-count", count = matching.get())}</span>
                <span class="grow"></span>
                <button type="button" class="button small" data-action="replay-group" on:click=move |_| acts.ask_replay(letters.selection(), matching.get_untracked(), None)>
                    {icon(Icon::Reload)}
                    {move || if letters.group.with(Option::is_some) { t!("replay-group") } else { t!("replay-all") }}
                </button>
                <button
                    type="button"
                    class="icon-button small danger"
                    data-action="discard-dead-letters"
                    aria-label=discard_label
                    title=discard_label
                    on:click=move |_| acts.ask_discard(letters.selection(), matching.get_untracked())
                >
                    {icon(Icon::Trash)}
                </button>
            </div>
            {move || (replaying.get() > 0).then(|| view! { <p class="note-line num" role="status">{icon(Icon::StateRestarting)} {t!("dead-replaying", count = replaying.get())}</p> })}
            {move || (evicted.get() > 0).then(|| view! { <p class="note-line num" data-tone="warn">{icon(Icon::Warning)} {t!("dead-evicted", count = evicted.get())}</p> })}
            <ul class="letter-rows" role="listbox" aria-label=t!("dead-letters")>
                <For each=rows key=|letter| (letter.id.clone(), letter.tries, letter.replaying, letter.edited.is_some()) let:letter>
                    <Row letters letter />
                </For>
            </ul>
            {move || rest().then(|| view! { <button type="button" class="button small more-rows" on:click=move |_| letters.shown.update(|shown| *shown += PAGE)>{t!("dead-more")}</button> })}
        </div>
    }
}

#[component]
fn Row(letters: Letters, letter: DeadLetter) -> impl IntoView {
    let record = letter.edited.as_ref().unwrap_or(&letter.record);
    let value = record.get("value").unwrap_or(record).to_string();
    // What is cut off by the width of the list anyway need not be laid out.
    let short: String = value.chars().take(240).collect();
    let (id, mine) = (letter.id.clone(), letter.id.clone());
    let place = place::of(letters.editor, &letter);
    view! {
        <li
            class="letter-row"
            role="option"
            tabindex="0"
            data-dead-letter=letter.id.clone()
            aria-selected=move || letters.chosen.with(|chosen| chosen.as_ref() == Some(&mine)).to_string()
            on:click={
                let id = id.clone();
                move |_| letters.chosen.set(Some(id.clone()))
            }
            on:keydown=move |event: web_sys::KeyboardEvent| if matches!(event.key().as_str(), "Enter" | " ") {
                event.prevent_default();
                letters.chosen.set(Some(id.clone()));
            }
        >
            <bdi class="mono clip">{short}</bdi>
            <span class="faint clip num"><bdi>{place}</bdi></span>
            {crate::parts::ago(letter.at.clone())}
            {letter.edited.is_some().then(|| view! { <span class="tag" data-tag="edited">{t!("dead-edited")}</span> })}
            {letter.replaying.then(|| view! { <span class="tag">{t!("dead-waits")}</span> })}
            {(letter.tries > 1).then(|| view! { <span class="faint num">{t!("dead-tries", count = letter.tries)}</span> })}
        </li>
    }
}
