//! What a deploy would do, before it does it: tasks, what starts and stops, positions, what is promised to each target.

use fairway_shared::api::None as Nothing;
use fairway_shared::api::Problem;
use fairway_shared::api::channels::{DeployChannel, DeployRequest, PlanAnswer, PlanChannel};
use fairway_shared::channel::Guarantee;
use fairway_shared::plan::{Plan, PlanDiff, PositionFate};
use leptos::prelude::*;

use super::paths::paths;
use crate::api;
use crate::drawer::{Drifted, Trying};
use crate::i18n::{format, t};
use crate::icons::{Icon, icon};
use crate::parts::place::place_of;
use crate::parts::{Dialog, markdown};
use crate::state::editor::{Editor, use_editor};
use crate::state::use_toasts;

type Answer = Result<PlanAnswer, Problem>;

/// Opens while the plan is asked for. The draft is saved first, since the server plans what it has.
#[component]
pub(crate) fn PlanDialog() -> impl IntoView {
    let editor = use_editor();
    move || editor.planning.get().then(|| view! { <Opened /> })
}

#[component]
fn Opened() -> impl IntoView {
    let editor = use_editor();
    let toasts = use_toasts();
    let answer = RwSignal::new(None::<Answer>);
    let deploying = RwSignal::new(false);
    // What samples show now is kept with the version, and compared with what they showed then.
    let trying: Trying = expect_context();
    trying.follow();
    let close = Callback::new(move |()| editor.planning.set(false));
    leptos::task::spawn_local(async move {
        if !editor.saved().await {
            editor.planning.try_set(false);
            return;
        }
        let got = api::call::<PlanChannel>(&[("uid", &editor.uid())], &Nothing {}).await;
        if let Ok(PlanAnswer { plan: Some(plan), .. }) = &got {
            editor.plan.set(Some(plan.clone()));
        }
        answer.try_set(Some(got));
    });
    let deploy = move |_| {
        deploying.set(true);
        leptos::task::spawn_local(async move {
            let request = DeployRequest { fields: trying.all_passing() };
            match api::call::<DeployChannel>(&[("uid", &editor.uid())], &request).await {
                Ok(done) => {
                    editor.deployed_fields.try_update_value(|known| *known = request.fields);
                    trying.mark_drift();
                    editor.deployed.set(Some(done.version));
                    editor.plan.set(Some(done.plan));
                    editor.planning.set(false);
                    toasts.good(t!("deployed", version = done.version));
                }
                Err(problem) => {
                    deploying.try_set(false);
                    toasts.problem(&problem);
                }
            }
        });
    };
    let ready = move || answer.with(|answer| matches!(answer, Some(Ok(PlanAnswer { plan: Some(_), .. }))));
    let foot = view! {
        <span class="grow">{move || summary(&answer.get())}</span>
        <button class="button" on:click=move |_| close.run(())>{t!("cancel")}</button>
        <button class="button primary" data-action="confirm-deploy" disabled=move || !ready() || deploying.get() on:click=deploy>
            {icon(Icon::Deploy)}
            {move || if deploying.get() { t!("deploying") } else { t!("deploy") }}
        </button>
    };
    let body = move || {
        match answer.get() {
        None => view! { <p class="plan-wait" role="status"><span class="spin">{icon(Icon::StateStarting)}</span> {t!("planning")}</p> }.into_any(),
        Some(Err(problem)) => view! {
            <p class="note" data-tone="bad">{icon(Icon::Error)} <span>{markdown::inline(&problem.detail)}</span></p>
            {problem.help.map(|help| view! { <p class="muted">{markdown::inline(&help)}</p> })}
        }
        .into_any(),
        Some(Ok(PlanAnswer { plan: None, diagnostics, .. })) => {
            let errors = diagnostics.into_iter().filter(|problem| problem.is_error());
            let rows = errors.map(|problem| {
                let target = problem.clone();
                let place = place_of(editor, &problem);
                view! {
                    <li>
                        <button class="problem-go" data-problem=problem.code.to_string() on:click=move |_| {
                            editor.planning.set(false);
                            editor.go_to(&target);
                        }>
                            {icon(Icon::Error)}
                            <span class="what">{markdown::finding(&problem)}</span>
                            {place.map(|place| view! { <span class="where"><bdi class="clip" title=place.clone()>{place.clone()}</bdi></span> })}
                            {problem.help.as_deref().map(|help| view! { <span class="more">{markdown::inline(help)}</span> })}
                        </button>
                    </li>
                }
            });
            view! {
                <p class="muted">{t!("plan-errors")}</p>
                <ul class="problem-list plan-problems">{rows.collect_view()}</ul>
            }
            .into_any()
        }
        Some(Ok(PlanAnswer { plan: Some(plan), diff, next_runs, .. })) => {
            let times: Vec<String> = next_runs.iter().map(|time| format::moment(time)).collect();
            view! {
                <Drifted />
                <PlanView plan diff />
                {(!times.is_empty()).then(|| view! { <p class="faint plan-note" data-note="next-runs">{t!("plan-next", times = times.join(" · "))}</p> })}
            }
            .into_any()
        }
    }
    };
    view! { <Dialog title=t!("plan-title") width="620px" testid="plan" on_close=close foot=foot.into_any()>{body}</Dialog> }
}

/// One line about what changes.
fn summary(answer: &Option<Answer>) -> Option<String> {
    let Some(Ok(PlanAnswer { plan: Some(_), diff, .. })) = answer else { return None };
    let PlanDiff { starts, stops, restarts, keeps, .. } = diff;
    if starts.is_empty() && stops.is_empty() && restarts.is_empty() {
        return Some(t!("plan-nothing"));
    }
    Some(t!(
        "plan-summary",
        starts = starts.len(),
        stops = stops.len(),
        restarts = restarts.len(),
        keeps = keeps.len()
    ))
}

fn name_of(editor: Editor, id: &str) -> String {
    editor.node(id).map_or_else(|| id.to_owned(), |node| editor.name_of(&node))
}

fn promise(guarantee: Guarantee) -> (&'static str, String) {
    match guarantee {
        Guarantee::AtLeastOnce => ("at_least_once", t!("delivery-at-least-once")),
        Guarantee::Idempotent => ("idempotent", t!("delivery-idempotent")),
        Guarantee::ExactlyOnce => ("exactly_once", t!("delivery-exactly-once")),
    }
}

#[component]
fn PlanView(plan: Plan, diff: PlanDiff) -> impl IntoView {
    let editor = use_editor();
    let fate_of = move |id: &str| {
        let restart = diff.restarts.iter().find(|restart| restart.task == id);
        if diff.starts.iter().any(|task| task == id) {
            ("starts", t!("task-starts"), None)
        } else if let Some(restart) = restart {
            let names: Vec<String> = restart.because.iter().map(|id| name_of(editor, id)).collect();
            (
                "restarts",
                t!("task-restarts-now"),
                (!names.is_empty()).then(|| t!("task-because", nodes = names.join(", "))),
            )
        } else {
            ("keeps", t!("task-keeps"), None)
        }
    };
    let tasks = plan
        .tasks
        .iter()
        .map(|task| {
            let (word, text, why) = fate_of(&task.id);
            let lines = paths(&task.nodes, &plan.streams, |id| name_of(editor, id));
            view! {
                <li class="plan-row" data-task=task.id.clone() data-fate=word>
                    <span class="fate" data-fate=word>{text}</span>
                    <div>
                        <p class="mono">{task.id.clone()}</p>
                        {lines.into_iter().map(|line| view! { <p class="muted" data-path=""><bdi>{line.join(" → ")}</bdi></p> }).collect_view()}
                        {why.map(|why| view! { <p class="faint">{why}</p> })}
                    </div>
                </li>
            }
        })
        .collect_view();
    let stops = diff.stops.iter().map(|id| view! {
        <li class="plan-row" data-task=id.clone() data-fate="stops"><span class="fate" data-fate="stops">{t!("task-stops")}</span><div><p class="mono">{id.clone()}</p></div></li>
    }).collect_view();
    let targets = plan
        .targets
        .iter()
        .map(|target| {
            let (word, text) = promise(target.delivery);
            view! {
                <li class="plan-row" data-target=target.node.clone() data-delivery=word>
                    <span class="promise" data-delivery=word>{text}</span>
                    <div>
                        <p>{name_of(editor, &target.node)}</p>
                        {target.because.clone().map(|why| view! { <p class="muted">{markdown::inline(&why)}</p> })}
                    </div>
                </li>
            }
        })
        .collect_view();
    let positions = diff
        .positions
        .iter()
        .map(|position| {
            let (word, text) = match position.fate {
                PositionFate::Kept => ("kept", t!("position-kept")),
                PositionFate::New => ("new", t!("position-new")),
                PositionFate::Dropped => ("dropped", t!("position-dropped")),
            };
            let why = (!position.because.is_empty())
                .then(|| t!("position-because", fields = position.because.join(", ")));
            view! {
                <li class="plan-row" data-position=position.node.clone() data-fate=word>
                    <span class="fate" data-fate=word>{text}</span>
                    <div>
                        <p>{name_of(editor, &position.node)}</p>
                        {why.map(|why| view! { <p class="muted">{why}</p> })}
                    </div>
                </li>
            }
        })
        .collect_view();
    let has_positions = !diff.positions.is_empty();
    view! {
        <section class="plan-part"><h3>{t!("plan-tasks")}</h3><ul>{tasks}{stops}</ul></section>
        {has_positions.then(|| view! { <section class="plan-part"><h3>{t!("plan-positions")}</h3><ul>{positions}</ul></section> })}
        <section class="plan-part"><h3>{t!("plan-targets")}</h3><ul>{targets}</ul></section>
        {plan.bounded.then(|| view! { <p class="faint plan-note">{t!("plan-bounded")}</p> })}
    }
}
