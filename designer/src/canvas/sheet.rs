//! The sheet of keys: what each does, and which others people would rather have.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::actions::{ACTIONS, Action, Group, by_browser, chords, of_chord, shown};
use super::{keys, use_surface};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::Dialog;
use crate::state::use_session;

/// Keys that no action of the table has, because what they do depends on where the focus or the pointer is.
fn moves(group: Group) -> Vec<(&'static [&'static str], String)> {
    match group {
        Group::Channel => Vec::new(),
        Group::Draw => {
            vec![(&["Alt", "drag"], t!("key-duplicate-drag")), (&["Alt", "drag"], t!("key-slice"))]
        }
        Group::Select => vec![
            (&["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"], t!("key-nudge")),
            (&["Shift", "ArrowLeft"], t!("key-nudge-far")),
            (&["Alt", "ArrowRight"], t!("key-walk")),
            (&["Tab"], t!("key-next")),
            (&["Space"], t!("key-select")),
            (&["Enter"], t!("key-edit")),
            (&["Escape"], t!("key-escape")),
        ],
        Group::View => vec![(&["Space"], t!("key-pan"))],
    }
}

fn kbds(keys: Vec<String>) -> impl IntoView {
    keys.into_iter().map(|key| view! { <kbd>{key}</kbd> }).collect_view()
}

/// All keys: those of the table of actions, and those that move about.
#[component]
pub(super) fn KeySheet() -> impl IntoView {
    let surface = use_surface();
    move || {
        surface.sheet.get().then(|| {
            let close = Callback::new(move |()| surface.sheet.set(false));
            let foot = view! { <button class="button" on:click=move |_| close.run(())>{t!("close")}</button> };
            view! {
                <Dialog title=t!("keys-title") width="720px" testid="keys" on_close=close foot=foot.into_any()>
                    <KeyTable />
                </Dialog>
            }
        })
    }
}

/// All keys by what they are about. A press on the keys of an action waits for others.
#[component]
pub(crate) fn KeyTable() -> impl IntoView {
    let session = use_session();
    let waiting = RwSignal::new(None::<&'static str>);
    let columns = Group::ALL.into_iter().map(|group| {
        let actions = ACTIONS
            .iter()
            .filter(|action| action.group == group && (by_browser(action) || !action.keys.is_empty()))
            .map(|action| view! { <Row action waiting /> });
        let unbound = ACTIONS
            .iter()
            .filter(|action| action.group == group && !by_browser(action) && action.keys.is_empty())
            .map(|action| view! { <Row action waiting /> });
        let moves = moves(group).into_iter().map(|(keys, what)| {
            let keys = keys.iter().flat_map(|key| shown(key)).collect();
            view! { <div><dt>{what}</dt><dd>{kbds(keys)}</dd></div> }
        });
        view! {
            <section>
                <h3>{group.title()}</h3>
                <dl>{actions.collect_view()} {moves.collect_view()} {unbound.collect_view()}</dl>
            </section>
        }
    });
    let changed = move || session.keys.with(|keys| !keys.is_empty());
    view! {
        <p class="muted keys-help">{t!("keys-change-help")}</p>
        <div class="sheet">{columns.collect_view()}</div>
        {move || changed().then(|| view! {
            <button type="button" class="button small" data-action="reset-keys" on:click=move |_| session.change_keys(|keys| keys.clear())>
                {icon(Icon::Undo)}
                {t!("keys-reset")}
            </button>
        })}
    }
}

/// What an action's keys are, and the way to others.
#[component]
fn Row(action: &'static Action, waiting: RwSignal<Option<&'static str>>) -> impl IntoView {
    let session = use_session();
    let (name, text) = (action.name, (action.text)());
    let mine = Memo::new(move |_| session.keys.with(|keys| chords(action, keys)).into_iter().next());
    let given = Memo::new(move |_| session.keys.with(|keys| keys.contains_key(name)));
    let waits = Memo::new(move |_| waiting.get() == Some(name));
    let taken = RwSignal::new(None::<String>);
    let take = move |event: KeyboardEvent| {
        if !waits.get_untracked() {
            return;
        }
        let key = event.key();
        if matches!(key.as_str(), "Shift" | "Control" | "Alt" | "Meta" | "Tab") {
            return;
        }
        event.prevent_default();
        event.stop_propagation();
        waiting.set(None);
        match key.as_str() {
            "Escape" => {}
            "Backspace" | "Delete" if !action.keys.contains(&key.as_str()) => {
                session.change_keys(|keys| drop(keys.insert(name.to_owned(), String::new())));
            }
            _ => {
                let chord = keys::chord(&event);
                let other = session.keys.with_untracked(|keys| of_chord(&chord, keys));
                let browsers =
                    ACTIONS.iter().any(|other| by_browser(other) && other.keys.contains(&chord.as_str()));
                if browsers {
                    taken.set(Some(t!("keys-browser")));
                    return;
                }
                taken.set(
                    other
                        .filter(|other| other.name != name)
                        .map(|other| t!("keys-taken", what = (other.text)())),
                );
                session.change_keys(|keys| {
                    // Whoever had it goes without.
                    keys.retain(|_, known| *known != chord);
                    if action.keys.first() == Some(&chord.as_str()) {
                        keys.remove(name);
                    } else {
                        keys.insert(name.to_owned(), chord);
                    }
                });
            }
        }
    };
    // The sheet may have been shut, which takes the focus from what it held.
    let leave = move || {
        if waits.try_get_untracked() == Some(true) {
            waiting.set(None);
        }
    };
    let shown_keys = move || match (waits.get(), mine.get()) {
        (true, _) => view! { <span class="waits">{t!("keys-press")}</span> }.into_any(),
        (false, Some(chord)) => kbds(shown(&chord)).into_any(),
        (false, None) => view! { <span class="faint">{t!("keys-none")}</span> }.into_any(),
    };
    let what = text.clone();
    let keys = if by_browser(action) {
        view! { <span class="key-set">{kbds(action.keys.first().map(|chord| shown(chord)).unwrap_or_default())}</span> }.into_any()
    } else {
        view! {
            <button
                type="button"
                class="key-set"
                class:given=move || given.get()
                data-keys-of=name
                aria-label=move || t!("keys-change", what = what.as_str(), keys = mine.get().unwrap_or_default())
                aria-pressed=move || waits.get().to_string()
                on:click=move |_| { taken.set(None); waiting.set(Some(name).filter(|_| !waits.get_untracked())) }
                on:blur=move |_| leave()
                on:keydown=take
            >
                {shown_keys}
            </button>
        }
        .into_any()
    };
    view! {
        <div>
            <dt>{text}</dt>
            <dd>
                {move || taken.get().map(|said| view! { <span class="faint" role="status">{said}</span> })}
                {keys}
            </dd>
        </div>
    }
}
