//! Two editors of one draft: what only one of them changed is taken, what both changed is chosen here, one by one. The result is one step
//! that can be taken back.

use std::collections::BTreeSet;

use fairway_shared::edit::{About, Clash};
use leptos::prelude::*;
use serde_json::Value;

use crate::i18n::t;
use crate::parts::Dialog;
use crate::state::editor::{Editor, Merging, use_editor};

/// Opens while there is something to be merged.
#[component]
pub(crate) fn MergeDialog() -> impl IntoView {
    let editor = use_editor();
    move || editor.merging.get().map(|merging| view! { <Opened merging /> })
}

fn about(editor: Editor, clash: &Clash) -> (String, String) {
    let name = |id: &String| editor.node(id).map_or_else(|| id.clone(), |node| editor.name_of(&node));
    match &clash.about {
        About::Node(id, Some(part)) => (name(id), part.clone()),
        About::Node(id, None) => (name(id), t!("merge-node")),
        About::Edge(edge) => (edge.replace('>', " → "), t!("edge-title")),
        About::Channel(part) => (t!("channel-settings"), part.clone()),
    }
}

fn said(value: &Option<Value>) -> String {
    match value {
        None => t!("merge-gone"),
        Some(Value::String(text)) if text.is_empty() => t!("empty-text"),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

#[component]
fn Opened(merging: Merging) -> impl IntoView {
    let editor = use_editor();
    let theirs = RwSignal::new(BTreeSet::<usize>::new());
    let close = Callback::new(move |()| editor.merging.set(None));
    let clashes = merging.merge.clashes.clone();
    let none = clashes.is_empty();
    let row = |(at, clash): (usize, &Clash)| {
        let (name, part) = about(editor, clash);
        let side = |is_theirs: bool| {
            let (word, label, value) = match is_theirs {
                true => ("theirs", t!("merge-theirs"), said(&clash.theirs)),
                false => ("mine", t!("merge-mine"), said(&clash.mine)),
            };
            let choose = move |_| {
                theirs.update(|theirs| {
                    if is_theirs {
                        theirs.insert(at);
                    } else {
                        theirs.remove(&at);
                    }
                });
            };
            view! {
                <label class="choice">
                    <input type="radio" name=format!("clash-{at}") value=word data-side=word prop:checked=move || theirs.with(|theirs| theirs.contains(&at)) == is_theirs on:change=choose />
                    <span><b>{label}</b> <bdi class="mono" title=value.clone()>{value.clone()}</bdi></span>
                </label>
            }
        };
        view! {
            <fieldset class="clash" data-clash=at.to_string()>
                <legend><bdi>{name}</bdi> " " <span class="faint mono"><bdi>{part}</bdi></span></legend>
                <div class="clash-sides">{side(false)}{side(true)}</div>
            </fieldset>
        }
    };
    let rows = clashes.iter().enumerate().map(row).collect_view();
    let apply = move |_| {
        let chosen = theirs.get_untracked();
        close.run(());
        editor.take_merged(&merging, &chosen);
    };
    let foot = view! {
        <span class="grow"></span>
        <button type="button" class="button" on:click=move |_| close.run(())>{t!("cancel")}</button>
        <button type="button" class="button primary" data-action="confirm-merge" on:click=apply>{t!("merge-apply")}</button>
    };
    view! {
        <Dialog title=t!("merge-title") width="720px" testid="merge" on_close=close foot=foot.into_any()>
            <p class="muted">{if none { t!("merge-no-clash") } else { t!("merge-help") }}</p>
            {rows}
        </Dialog>
    }
}
