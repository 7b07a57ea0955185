//! The physical view: the plan's tasks with the connectors they run, the streams that join them, and the workers they run on,
//! live once the channel is deployed. It is drawn from the plan, not from the drawing; nothing is edited here.

use std::collections::HashMap;

use fairway_canvas::{Curve, Point, Rect, Size, tidy};
use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::{PlanAnswer, PlanChannel};
use fairway_shared::channel::ERRORS;
use fairway_shared::plan::{Plan, StreamKind, TaskKind};
use leptos::prelude::*;

use crate::api;
use crate::i18n::t;
use crate::icons::{Icon, component_icon, icon, state_icon};
use crate::inspector::field::offers::Asked;
use crate::parts::{state_name, state_word};
use crate::state::editor::{Editor, use_editor};
use crate::state::use_live;

/// Size of a connector, in CSS pixels.
const CONNECTOR: Size = Size { w: 188.0, h: 40.0 };
/// Room between tasks.
const BETWEEN: Size = Size { w: 72.0, h: 28.0 };
/// Room between the connectors of a task.
const GAP: Size = Size { w: 44.0, h: 12.0 };
/// Room around the connectors of a task.
const PAD: f64 = 16.0;
/// Room for a task's own lines above its connectors.
const HEAD: f64 = 64.0;
/// Room around everything.
const MARGIN: f64 = 32.0;
/// Where a task of one connector still has room for its own lines.
const LEAST: f64 = 252.0;
/// What is larger than this allows is scrolled.
const LEAST_SCALE: f64 = 0.5;

/// Where everything stands.
struct Layout {
    /// One rectangle a task.
    tasks: Vec<Rect>,
    /// Rectangles of connectors by node.
    connectors: HashMap<String, Rect>,
    /// Right lower end.
    end: Point,
}

/// Layers of the graph as columns, each as wide as what stands in it, centred on one another. `gap` is the room between columns and
/// between what stands in one of them.
fn columns(sizes: &[Size], links: &[(usize, usize)], gap: Size) -> Vec<Point> {
    let corners = tidy::layered(sizes, links, Point::new(0.0, 0.0));
    let mut places: Vec<f64> = corners.iter().map(|corner| corner.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let members = |place: f64| {
        let mut members: Vec<usize> = (0..corners.len()).filter(|at| corners[*at].x == place).collect();
        members.sort_by(|one, other| corners[*one].y.total_cmp(&corners[*other].y));
        members
    };
    let tall = |members: &[usize]| members.iter().map(|at| sizes[*at].h + gap.h).sum::<f64>() - gap.h;
    let most = places.iter().map(|place| tall(&members(*place))).fold(0.0, f64::max);
    let mut spread = vec![Point::new(0.0, 0.0); corners.len()];
    let mut x = 0.0;
    for place in places {
        let members = members(place);
        let mut y = (most - tall(&members)) / 2.0;
        for at in &members {
            spread[*at] = Point::new(x, y);
            y += sizes[*at].h + gap.h;
        }
        x += members.iter().map(|at| sizes[*at].w).fold(0.0, f64::max) + gap.w;
    }
    spread
}

fn layout(plan: &Plan) -> Layout {
    let task_of: HashMap<&str, usize> = plan
        .tasks
        .iter()
        .enumerate()
        .flat_map(|(at, task)| task.nodes.iter().map(move |node| (node.as_str(), at)))
        .collect();
    let inner: Vec<(Vec<Point>, Size)> = plan
        .tasks
        .iter()
        .map(|task| {
            let rank = |id: &str| task.nodes.iter().position(|node| node == id);
            let links: Vec<(usize, usize)> = plan
                .streams
                .iter()
                .filter_map(|stream| Some((rank(&stream.from.node)?, rank(&stream.to.node)?)))
                .collect();
            let corners = columns(&vec![CONNECTOR; task.nodes.len()], &links, GAP);
            let around =
                Rect::around(corners.iter().map(|corner| Rect::at(*corner, CONNECTOR))).unwrap_or_default();
            let corners = corners.iter().map(|corner| *corner - Point::new(around.x, around.y)).collect();
            (corners, Size { w: (around.w + 2.0 * PAD).max(LEAST), h: around.h + HEAD + PAD })
        })
        .collect();
    let sizes: Vec<Size> = inner.iter().map(|(_, size)| *size).collect();
    let links: Vec<(usize, usize)> = plan
        .streams
        .iter()
        .filter_map(|stream| {
            let ends = (*task_of.get(stream.from.node.as_str())?, *task_of.get(stream.to.node.as_str())?);
            (ends.0 != ends.1).then_some(ends)
        })
        .collect();
    let corners = columns(&sizes, &links, BETWEEN);
    let shift = Point::new(MARGIN, MARGIN);
    let tasks: Vec<Rect> =
        corners.iter().zip(&sizes).map(|(corner, size)| Rect::at(*corner + shift, *size)).collect();
    let mut connectors = HashMap::new();
    for ((task, rect), (inside, _)) in plan.tasks.iter().zip(&tasks).zip(&inner) {
        for (node, corner) in task.nodes.iter().zip(inside) {
            let at = Point::new(rect.x + PAD, rect.y + HEAD) + *corner;
            connectors.insert(node.clone(), Rect::at(at, CONNECTOR));
        }
    }
    let end = Rect::around(tasks.iter().copied()).unwrap_or_default();
    Layout { tasks, connectors, end: Point::new(end.right() + MARGIN, end.y + end.h + MARGIN) }
}

/// The view.
#[component]
pub(super) fn Physical() -> impl IntoView {
    let editor = use_editor();
    let answer = RwSignal::new(Asked::<PlanAnswer>::Waiting);
    let ask = move || {
        leptos::task::spawn_local(async move {
            if !editor.saved().await {
                return;
            }
            let asked = match api::call::<PlanChannel>(&[("uid", &editor.uid())], &Nothing {}).await {
                Ok(answer) => {
                    if let Some(plan) = &answer.plan {
                        editor.plan.set(Some(plan.clone()));
                    }
                    Asked::Answer(answer)
                }
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            // The other view may be shown by now.
            drop(answer.try_set(asked));
        });
    };
    // A deploy changes what runs.
    Effect::new(move || {
        editor.deployed.track();
        ask();
    });
    move || {
        match answer.get() {
        Asked::Not | Asked::Waiting => view! {
            <div class="physical"><p class="drawer-none" role="status"><span class="spin">{icon(Icon::StateStarting)}</span> {t!("planning")}</p></div>
        }
        .into_any(),
        Asked::Failed(why) => view! {
            <div class="physical"><p class="note" data-tone="bad" role="alert">{icon(Icon::Error)} <span>{why}</span></p></div>
        }
        .into_any(),
        Asked::Answer(PlanAnswer { plan: None, .. }) => view! {
            <div class="physical" data-testid="physical-none">
                <div class="empty">
                    <p>{t!("physical-errors")}</p>
                    <button class="button" on:click=move |_| editor.show_panel("problems")>{icon(Icon::Warning)} {t!("problems")}</button>
                </div>
            </div>
        }
        .into_any(),
        Asked::Answer(PlanAnswer { plan: Some(plan), diff, .. }) => {
            let same = diff.starts.is_empty() && diff.stops.is_empty() && diff.restarts.is_empty();
            let runs = same && editor.deployed.get_untracked().is_some();
            view! { <Drawn plan runs /> }.into_any()
        }
    }
    }
}

#[component]
fn Drawn(plan: Plan, runs: bool) -> impl IntoView {
    let editor = use_editor();
    let layout = layout(&plan);
    let streams = plan
        .streams
        .iter()
        .filter_map(|stream| {
            let from = layout.connectors.get(&stream.from.node)?;
            let to = layout.connectors.get(&stream.to.node)?;
            let errors = stream.from.port.as_deref() == Some(ERRORS);
            let curve = match errors {
                true => Curve::downwards(Point::new(from.centre().x, from.y + from.h), Point::new(to.x, to.centre().y)),
                false => Curve::sideways(Point::new(from.right(), from.centre().y), Point::new(to.x, to.centre().y)),
            };
            let middle = curve.at(0.5);
            let topic = stream.kind == StreamKind::Topic;
            Some(view! {
                <g class="edge" class:errors=errors data-stream=format!("{}>{}", stream.from, stream.to) data-kind=if topic { "topic" } else { "direct" }>
                    <path class="edge-line" d=curve.path() />
                    {topic.then(|| view! { <text class="edge-rate" x=middle.x y=middle.y - 7.0 text-anchor="middle">{t!("stream-kafka")}</text> })}
                </g>
            })
        })
        .collect_view();
    let tasks = plan
        .tasks
        .iter()
        .zip(&layout.tasks)
        .map(|(task, rect)| {
            let kind = match task.kind {
                TaskKind::Direct => t!("task-direct"),
                TaskKind::Source => t!("task-source"),
                TaskKind::Sink => t!("task-sink"),
            };
            view! { <Task id=task.id.clone() kind rect=*rect /> }
        })
        .collect_view();
    let connectors = plan
        .connectors
        .iter()
        .filter_map(|connector| {
            let rect = *layout.connectors.get(&connector.node)?;
            Some(view! { <Connector editor node=connector.node.clone() component=connector.component.clone() kind=connector.kind rect /> })
        })
        .collect_view();
    // As large as there is room, never larger than life.
    let element = NodeRef::<leptos::html::Div>::new();
    let scale = RwSignal::new(1.0);
    let wide = layout.end.x;
    Effect::new(move || {
        if let Some(element) = element.get() {
            let room = f64::from(element.client_width());
            scale.set(if room > 0.0 { (room / wide).clamp(LEAST_SCALE, 1.0) } else { 1.0 });
        }
    });
    view! {
        <div node_ref=element class="physical" data-testid="physical" tabindex="0" role="region" aria-label=t!("view-physical")>
            <p class="physical-note">{icon(Icon::Layers)} {if runs { t!("physical-runs") } else { t!("physical-would") }}</p>
            <div class="physical-world" style:zoom=move || scale.get().to_string() style:width=format!("{}px", layout.end.x) style:height=format!("{}px", layout.end.y)>
                {tasks}
                <svg class="edges" width="1" height="1" aria-hidden="true">{streams}</svg>
                {connectors}
            </div>
        </div>
    }
}

/// A task: what it is called, what it does, and how it is.
#[component]
fn Task(id: String, kind: String, rect: Rect) -> impl IntoView {
    let editor = use_editor();
    let status = use_live().status(&editor.uid());
    let mine = id.clone();
    let seen = Memo::new(move |_| {
        status.with(|status| {
            let task = status.tasks.iter().find(|task| task.id == mine)?;
            Some((task.state, task.worker.clone(), task.restarts))
        })
    });
    let how = move || {
        match seen.get() {
        None => view! { <span class="faint">{t!("task-unplaced")}</span> }.into_any(),
        Some((state, worker, restarts)) => view! {
            <span class="pill" data-state=state_word(state)>{icon(state_icon(state))} <span>{state_name(state)}</span></span>
            {(!worker.is_empty()).then(|| view! { <span class="faint clip" data-worker=worker.clone()>{t!("task-on", worker = worker.clone())}</span> })}
            {(restarts > 0).then(|| view! { <span class="tag num">{t!("task-restarts", count = restarts)}</span> })}
        }
        .into_any(),
    }
    };
    view! {
        <section
            class="physical-task"
            data-task=id.clone()
            aria-label=id.clone()
            style:transform=format!("translate({}px,{}px)", rect.x, rect.y)
            style:width=format!("{}px", rect.w)
            style:height=format!("{}px", rect.h)
        >
            <p class="physical-title"><bdi class="mono clip" title=id.clone()>{id.clone()}</bdi> <span class="faint">{kind}</span></p>
            <p class="physical-how">{how}</p>
        </section>
    }
}

/// A connector: the node as the runtime sees it.
#[component]
fn Connector(
    editor: Editor,
    node: String,
    component: String,
    kind: fairway_shared::component::Kind,
    rect: Rect,
) -> impl IntoView {
    let family = editor.catalog().get(&component).map(|spec| spec.family.clone()).unwrap_or_default();
    let name = editor.node(&node).map_or_else(|| node.clone(), |view| editor.name_of(&view));
    let choose = node.clone();
    view! {
        <button
            type="button"
            class="physical-node"
            data-connector=node
            data-kind=crate::canvas::kind_word(kind)
            title=name.clone()
            style:transform=format!("translate({}px,{}px)", rect.x, rect.y)
            style:width=format!("{}px", rect.w)
            style:height=format!("{}px", rect.h)
            on:click=move |_| editor.select_node(&choose)
        >
            <span class="node-icon">{component_icon(&component, &family, kind)}</span>
            <bdi class="clip">{name.clone()}</bdi>
        </button>
    }
}

#[cfg(test)]
mod tests {
    use fairway_shared::channel::PortRef;
    use fairway_shared::plan::{Stream, Task};

    use super::*;

    fn task(id: &str, nodes: &[&str]) -> Task {
        let nodes = nodes.iter().map(|node| (*node).to_owned()).collect();
        Task { id: id.into(), kind: TaskKind::Direct, nodes, hash: String::new(), share: None }
    }

    #[test]
    fn connectors_stand_within_their_task_and_tasks_apart() {
        let stream =
            |from: &str, to: &str, kind| Stream { from: PortRef::node(from), to: PortRef::node(to), kind };
        let plan = Plan {
            hash: String::new(),
            connectors: Vec::new(),
            tasks: vec![task("one", &["a", "b", "c"]), task("two", &["d"])],
            streams: vec![
                stream("a", "b", StreamKind::Direct),
                stream("a", "c", StreamKind::Direct),
                stream("b", "d", StreamKind::Topic),
            ],
            targets: Vec::new(),
            bounded: false,
        };
        let layout = layout(&plan);
        for (at, task) in plan.tasks.iter().enumerate() {
            let around = layout.tasks[at];
            for node in &task.nodes {
                let inside = layout.connectors[node];
                assert!(inside.x >= around.x && inside.right() <= around.right(), "{node}");
                assert!(inside.y >= around.y + HEAD && inside.y + inside.h <= around.y + around.h, "{node}");
            }
        }
        assert!(layout.tasks[0].right() < layout.tasks[1].x, "the second task reads what the first gives");
        assert!(layout.tasks.iter().all(|task| task.x >= MARGIN && task.right() <= layout.end.x));
    }
}
