//! Records set aside: where, why, and the record as it entered the node.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::dead_letters::{
    DeadLetter, DeadLetters as Page, DiscardDeadLetters, ListDeadLetters, Selection,
};
use leptos::prelude::*;

use crate::api;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::parts::{Ask, Confirm, markdown};
use crate::state::editor::use_editor;
use crate::state::{use_live, use_toasts};

const PAGE: usize = 50;

/// The list, newest first.
#[component]
pub(super) fn DeadLetters() -> impl IntoView {
    let editor = use_editor();
    let (live, toasts) = (use_live(), use_toasts());
    let uid = StoredValue::new(editor.uid());
    let page = RwSignal::new(None::<Page>);
    let shown = RwSignal::new(PAGE);
    let ask = RwSignal::new(None::<Ask>);
    let status = live.status(&editor.uid());
    let total = Memo::new(move |_| status.with(|status| status.dead_letters));
    let load = move || {
        let (uid, limit) = (uid.get_value(), shown.get_untracked());
        leptos::task::spawn_local(async move {
            match api::query::<ListDeadLetters>(&[("uid", &uid)], &format!("?limit={limit}"), &Nothing {})
                .await
            {
                // The drawer may be shut by now.
                Ok(answer) => drop(page.try_set(Some(answer))),
                Err(problem) => toasts.problem(&problem),
            }
        });
    };
    Effect::new(move || {
        total.track();
        shown.track();
        load();
    });
    let discard = Callback::new(move |()| {
        let uid = uid.get_value();
        leptos::task::spawn_local(async move {
            match api::call::<DiscardDeadLetters>(&[("uid", &uid)], &Selection::default()).await {
                Ok(done) => {
                    toasts.good(t!("dead-discarded", count = done.affected));
                    load();
                }
                Err(problem) => toasts.problem(&problem),
            }
        });
    });
    let question = move |_| {
        ask.set(Some(Ask {
            title: t!("dead-discard-title"),
            text: t!("dead-discard-text", count = total.get_untracked()),
            button: t!("dead-discard"),
            act: discard,
        }));
    };
    view! {
        {move || {
            let Some(Page { dead_letters, total, .. }) = page.get() else { return ().into_any() };
            if dead_letters.is_empty() {
                return view! { <div class="drawer-none">{t!("dead-none")}</div> }.into_any();
            }
            let rest = total as usize > dead_letters.len();
            view! {
                <div class="dead-bar">
                    <span class="muted num">{t!("dead-count", count = total)}</span>
                    <button class="button small" data-action="discard-dead-letters" on:click=question>{icon(Icon::Trash)} {t!("dead-discard")}</button>
                </div>
                <table class="dead-table">
                    <thead><tr><th>{t!("dead-when")}</th><th>{t!("dead-node")}</th><th>{t!("dead-why")}</th><th>{t!("dead-record")}</th></tr></thead>
                    <tbody>{dead_letters.into_iter().map(|letter| view! { <Row letter /> }).collect_view()}</tbody>
                </table>
                {rest.then(|| view! { <button class="button small" on:click=move |_| shown.update(|shown| *shown += PAGE)>{t!("dead-more")}</button> })}
            }
            .into_any()
        }}
        <Confirm ask />
    }
}

#[component]
fn Row(letter: DeadLetter) -> impl IntoView {
    let editor = use_editor();
    let open = RwSignal::new(false);
    let node = letter.node.clone();
    let name = editor.node(&letter.node).map_or_else(|| letter.node.clone(), |node| editor.name_of(&node));
    let value = letter.record.get("value").unwrap_or(&letter.record).to_string();
    let full = StoredValue::new(serde_json::to_string_pretty(&letter.record).unwrap_or_default());
    view! {
        <tr data-dead-letter=letter.id.clone()>
            <td class="num"><time datetime=letter.at.clone()>{format::moment(&letter.at)}</time></td>
            <td>
                <button class="link" on:click=move |_| editor.select_node(&node)>{name}</button>
                <div class="faint num">{t!("dead-place", partition = letter.partition.clone(), order = letter.order.to_string())}</div>
            </td>
            <td class="why">
                <p>{markdown::sentence(&letter.cause.message)}</p>
                {letter.cause.help.clone().map(|help| view! { <p class="muted">{markdown::sentence(&help)}</p> })}
                <code>{letter.cause.code.clone()}</code>
            </td>
            <td class="record">
                <button class="record-short mono clip" aria-expanded=move || open.get().to_string() on:click=move |_| open.update(|open| *open = !*open)>{value}</button>
                {move || open.get().then(|| view! { <pre>{full.get_value()}</pre> })}
            </td>
        </tr>
    }
}
