//! What happened to the channel: states with their causes, newest first, and the tasks as they are.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::GetStatus;
use fairway_shared::api::status::{Caller, ChannelState, Deed, DeedKind, HistoryEntry};
use leptos::prelude::*;

use crate::api;
use crate::i18n::{format, t};
use crate::icons::{Icon, icon, state_icon};
use crate::parts::{Confirm, lifecycle, markdown, state_name, state_word};
use crate::state::editor::use_editor;
use crate::state::{use_live, use_toasts};

/// The list.
#[component]
pub(super) fn Activity() -> impl IntoView {
    let editor = use_editor();
    let (live, toasts) = (use_live(), use_toasts());
    let uid = editor.uid();
    let status = live.status(&uid);
    // Events carry no history: it is read anew whenever the state changes.
    let changed = {
        let status = status.clone();
        Memo::new(move |_| status.with(|status| (status.state, status.since.clone(), status.version)))
    };
    let load = uid.clone();
    Effect::new(move || {
        changed.track();
        let (uid, asked) = (load.clone(), live.asking());
        leptos::task::spawn_local(async move {
            if let Ok(status) = api::call::<GetStatus>(&[("uid", &uid)], &Nothing {}).await {
                live.answered(asked, status);
            }
        });
    });
    let history = {
        let status = status.clone();
        Memo::new(move |_| status.with(|status| status.history.clone()))
    };
    let next_run = {
        let status = status.clone();
        Memo::new(move |_| {
            status.with(|status| status.schedule.as_ref().and_then(|schedule| schedule.next.first().cloned()))
        })
    };
    let can_restart = Memo::new(move |_| {
        matches!(changed.get().0, ChannelState::Failed | ChannelState::Hold | ChannelState::Restarting)
    });
    let tasks = Memo::new(move |_| {
        status.with(|status| {
            status
                .tasks
                .iter()
                .map(|task| {
                    (
                        task.id.clone(),
                        task.state,
                        task.restarts,
                        task.worker.clone(),
                        task.cause.as_ref().map(|cause| cause.message.clone()),
                    )
                })
                .collect::<Vec<_>>()
        })
    });
    let any = Memo::new(move |_| tasks.with(|tasks| !tasks.is_empty()));
    let ask = RwSignal::new(None);
    let uid = StoredValue::new(uid);
    let restart = move |_| lifecycle::restart(uid.get_value(), live, toasts);
    let over = move |_| ask.set(Some(lifecycle::start_over(uid.get_value(), live, toasts)));
    view! {
        <div class="activity">
            <div class="activity-main">
                {move || next_run.get().map(|time| view! {
                    <p class="muted" data-note="next-run">{t!("activity-next", time = format::moment(&time))}</p>
                })}
                {move || {
                    let history = history.get();
                    if history.is_empty() {
                        let text = if next_run.with(Option::is_some) { t!("activity-waits") } else { t!("activity-none") };
                        return view! { <div class="drawer-none">{text}</div> }.into_any();
                    }
                    view! { <ol class="timeline">{history.into_iter().map(|entry| view! { <Entry entry /> }).collect_view()}</ol> }.into_any()
                }}
            </div>
            {move || any.get().then(|| view! {
                <div class="activity-tasks">
                    <h3>{t!("tasks")}</h3>
                    <ul>
                        {move || tasks.get().into_iter().map(|(id, state, restarts, worker, cause)| view! {
                            <li data-task=id.clone() data-state=state_word(state)>
                                {icon(state_icon(state))}
                                <div>
                                    <p class="task-line">
                                        <bdi class="mono clip" title=id.clone()>{id.clone()}</bdi>
                                        <span class="faint">{state_name(state)}</span>
                                        {(restarts > 0).then(|| view! { <span class="tag num" data-restarts=restarts.to_string()>{t!("task-restarts", count = restarts)}</span> })}
                                    </p>
                                    {(!worker.is_empty()).then(|| view! { <p class="faint">{t!("task-on", worker = worker)}</p> })}
                                    {cause.map(|cause| view! { <p class="cause">{markdown::sentence(&cause)}</p> })}
                                </div>
                            </li>
                        }).collect_view()}
                    </ul>
                    <div class="acts">
                        {move || can_restart.get().then(|| view! {
                            <button class="button small" data-action="restart" on:click=restart>{icon(Icon::Reload)} {t!("restart")}</button>
                        })}
                        <button class="button small quiet" data-action="start-over" on:click=over>{icon(Icon::Restart)} {t!("start-over")}</button>
                    </div>
                </div>
            })}
        </div>
        <Confirm ask />
    }
}

/// What somebody did by hand, and who.
fn deed_of(deed: &Deed) -> (Icon, String, String) {
    let subject = deed.subject.as_str();
    let (sign, what) = match deed.what {
        DeedKind::LetterEdited => (Icon::Pencil, t!("deed-letter-edited", id = subject)),
        DeedKind::LetterRestored => (Icon::Undo, t!("deed-letter-restored", id = subject)),
        DeedKind::TapOpened => (Icon::Eye, t!("deed-tap-opened", edge = subject.replace('>', " → "))),
    };
    let by = match deed.by {
        Caller::Session => t!("by-session"),
        Caller::Token => t!("by-token"),
        Caller::CommandLine => t!("by-command-line"),
    };
    (sign, what, by)
}

#[component]
fn Entry(entry: HistoryEntry) -> impl IntoView {
    let time = view! { <time datetime=entry.at.clone() title=format::moment(&entry.at)>{format::moment(&entry.at)}</time> };
    if let Some(deed) = &entry.deed {
        let (sign, what, by) = deed_of(deed);
        return view! {
            <li data-deed=deed.subject.clone()>
                {icon(sign)}
                <div><p class="what"><bdi>{what}</bdi> <span class="faint">{by}</span> {time}</p></div>
            </li>
        }
        .into_any();
    }
    let cause = entry.cause.map(|cause| {
        view! {
            <p class="cause">{markdown::sentence(&cause.message)} <code>{cause.code}</code></p>
            {cause.help.map(|help| view! { <p class="muted">{markdown::sentence(&help)}</p> })}
        }
    });
    view! {
        <li data-state=state_word(entry.state)>
            {icon(state_icon(entry.state))}
            <div>
                <p class="what">
                    <b>{state_name(entry.state)}</b>
                    {entry.version.map(|version| view! { <span class="faint">{format!("v{version}")}</span> })}
                    {time}
                </p>
                {cause}
            </div>
        </li>
    }
    .into_any()
}
