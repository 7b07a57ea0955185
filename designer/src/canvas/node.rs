//! One node: title, component, a line about its settings or its figures, its ports.

use std::sync::Arc;

use fairway_canvas::Port;
use fairway_canvas::viewport::Detail;
use fairway_shared::api::status::{ChannelState, Lag, NodeStatus};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::{pointer, summary, use_surface};
use crate::i18n::{components, format, t};
use crate::icons::{Icon, component_icon, icon, state_icon};
use crate::inspector::address::hook_path;
use crate::parts::{state_name, state_word};
use crate::state::editor::{Findings, NodeView};
use crate::state::{NodePorts, use_session};

/// The word of a kind in hooks and styles.
pub(crate) fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Source => "source",
        Kind::Transform => "transform",
        Kind::Sink => "sink",
    }
}

/// How much is drawn, in hooks and styles.
pub(super) fn detail_word(detail: Detail) -> &'static str {
    match detail {
        Detail::Full => "full",
        Detail::Title => "title",
        Detail::Plate => "plate",
    }
}

/// The name of a kind for people.
pub(crate) fn kind_name(kind: Kind) -> String {
    match kind {
        Kind::Source => t!("kind-source"),
        Kind::Transform => t!("kind-transform"),
        Kind::Sink => t!("kind-sink"),
    }
}

/// The node.
#[component]
pub(super) fn Node(node: Arc<NodeView>) -> impl IntoView {
    let surface = use_surface();
    let session = use_session();
    let spec = session.catalog.with_untracked(|catalog| {
        catalog
            .as_ref()
            .and_then(|catalog| catalog.get(&node.component))
            .map(|spec| (components::title(spec), spec.family.clone()))
    });
    let known = spec.is_some();
    let (component, family) = spec.unwrap_or_else(|| (node.component.clone(), String::new()));
    let transform = {
        let at = node.at.clone();
        move || at.with(|at| format!("translate({}px,{}px)", at.x, at.y))
    };
    let title = {
        let (title, id) = (node.title.clone(), node.id.clone());
        Memo::new(move |_| {
            title.with(|title| title.clone().filter(|title| !title.is_empty()).unwrap_or_else(|| id.clone()))
        })
    };
    let findings = {
        let findings = node.findings.clone();
        Memo::new(move |_| findings.get())
    };
    let unsound = move || findings.get().errors != 0;
    let selected = {
        let selected = node.selected.clone();
        move || selected.get()
    };
    let current = {
        let (id, first) = (node.id.clone(), node.id.clone());
        move || {
            surface.current.with(|current| match current {
                Some(current) => *current == id,
                None => surface.editor.first_is(&first),
            })
        }
    };
    let label = {
        let (component, kind, node) = (component.clone(), node.kind, node.clone());
        move || {
            let findings = findings.get();
            let (ins, outs) = node.degrees.get();
            let state = node.trouble.with(|trouble| trouble.as_ref().map(|(state, _)| state_name(*state)));
            let told = t!(
                "node-label",
                component = component.as_str(),
                kind = kind_name(kind),
                name = title.get(),
                errors = findings.errors,
                inputs = ins,
                outputs = outs
            );
            // A group cannot be selected as an option can, so its name says it.
            let chosen = node.selected.get().then(|| t!("node-selected"));
            [Some(told), state, chosen].into_iter().flatten().collect::<Vec<_>>().join(", ")
        }
    };
    let content = {
        let node = node.clone();
        move || {
            let detail = node.detail.get();
            if detail == Detail::Plate {
                return None;
            }
            let full = (detail == Detail::Full).then(|| {
                let shape = node.ports.with(NodePorts::shape);
                let ports = shape.ports().map(|port| view! { <PortDot node=node.clone() port /> });
                view! {
                    <Foot node=node.clone() />
                    {ports.collect_view()}
                }
            });
            let sub = (detail == Detail::Full)
                .then(|| view! { <div class="node-sub clip">{component.clone()}</div> });
            Some(view! {
                <div class="node-head">
                    <span class="node-icon">{component_icon(&node.component, &family, node.kind)}</span>
                    <div class="node-names">
                        <div class="node-title clip">{move || title.get()}</div>
                        {sub}
                    </div>
                    <Slow node=node.clone() />
                    <Lacks node=node.clone() />
                    <Trouble node=node.clone() />
                    <Badge findings />
                </div>
                {full}
            })
        }
    };
    let ports = node.ports.clone();
    let height = move || format!("{}px", ports.with(NodePorts::shape).size().h);
    let id = node.id.clone();
    let (press, focused) = (node.clone(), node.id.clone());
    let unfit = {
        let id = node.id.clone();
        move || surface.unfit.with(|unfit| unfit.contains(&id))
    };
    let flashed = {
        let id = node.id.clone();
        move || surface.flashed.with(|flashed| flashed.as_ref() == Some(&id))
    };
    let detail = {
        let drawn = node.detail.clone();
        move || detail_word(drawn.get())
    };
    let compared = {
        let id = node.id.clone();
        move || super::compared::of_node(surface, &id)
    };
    view! {
        <div
            class="node"
            class:selected=selected
            class:unsound=unsound
            class:unknown=!known
            class:unfit=unfit
            class:flashed=flashed
            data-detail=detail
            data-diff=compared
            data-node=id.clone()
            data-kind=kind_word(node.kind)
            data-component=node.component.clone()
            role="group"
            aria-roledescription=kind_name(node.kind)
            aria-label=label
            tabindex=move || if current() { "0" } else { "-1" }
            style:transform=transform
            style:height=height
            on:pointerdown=move |event| pointer::node_down(surface, &press, &event)
            on:focus=move |_| surface.current.set(Some(focused.clone()))
        >
            {content}
        </div>
    }
}

/// The state of a node that is the cause of its channel's: by shape and words.
#[component]
fn Trouble(node: Arc<NodeView>) -> impl IntoView {
    let trouble = node.trouble.clone();
    move || {
        let (state, why) = trouble.get()?;
        let text = format!("{}: {why}", state_name(state));
        Some(view! {
            <span class="badge" data-tone=if state == ChannelState::Failed { "bad" } else { "warn" } data-node-state=state_word(state) title=text>
                {icon(state_icon(state))}
            </span>
        })
    }
}

/// That its settings name fields which do not come.
#[component]
fn Lacks(node: Arc<NodeView>) -> impl IntoView {
    let missing = node.missing.clone();
    move || {
        let names = missing.get();
        if names.is_empty() {
            return None;
        }
        let text = t!("node-lacks", fields = names.join(", "));
        Some(view! {
            <span class="badge" data-tone="warn" data-lacks=names.join(" ") title=text.clone()>
                {icon(Icon::Lacks)}
                <span class="hidden-text">{text.clone()}</span>
            </span>
        })
    }
}

/// That others wait for this step: it is the cause of what is full behind it.
#[component]
fn Slow(node: Arc<NodeView>) -> impl IntoView {
    let slow = node.slow.clone();
    move || {
        let waiting = slow.get()?;
        let text = t!("node-slow", count = waiting);
        Some(view! {
            <span class="badge slow" data-tone="warn" data-slow=waiting.to_string() title=text.clone()>
                {icon(Icon::Slow)}
                <span class="hidden-text">{text.clone()}</span>
            </span>
        })
    }
}

#[component]
fn Badge(findings: Memo<Findings>) -> impl IntoView {
    move || {
        let Findings { errors, warnings } = findings.get();
        let (tone, shape, text) = match (errors, warnings) {
            (0, 0) => return None,
            (0, warnings) => ("warn", Icon::Warning, t!("node-warnings", count = warnings)),
            (errors, _) => ("bad", Icon::Error, t!("node-errors", count = errors)),
        };
        Some(view! { <span class="badge" data-tone=tone title=text>{icon(shape)}</span> })
    }
}

/// The lower line: figures once there are any, what the node is set to before that.
#[component]
fn Foot(node: Arc<NodeView>) -> impl IntoView {
    let status = node.status.clone();
    let live = Memo::new(move |_| status.with(Option::is_some));
    let status = node.status.clone();
    let (kind, lag) = (node.kind, node.lag.clone());
    let config = node.config.clone();
    // Where others call it, which the settings do not say.
    let (component, id, uid) = (node.component.clone(), node.id.clone(), use_surface().editor.uid());
    let called = move |config: &Map<String, Value>| hook_path(&component, config, &uid, &id);
    move || {
        if live.get() {
            let status = status.clone();
            view! { <Figures status kind lag=lag.clone() /> }.into_any()
        } else {
            let config = config.clone();
            let called = called.clone();
            let line = move || config.with(|config| called(config).unwrap_or_else(|| summary::line(config)));
            view! { <div class="node-foot"><span class="clip mono">{line}</span></div> }.into_any()
        }
    }
}

#[component]
fn Figures(
    status: ArcRwSignal<Option<NodeStatus>>,
    kind: Kind,
    lag: ArcRwSignal<Option<Lag>>,
) -> impl IntoView {
    let read = move |pick: fn(&NodeStatus) -> u64| {
        let status = status.clone();
        Memo::new(move |_| status.with(|status| status.as_ref().map(pick).unwrap_or_default()))
    };
    let rate = read(|status| (status.in_rate.max(status.out_rate) * 10.0) as u64);
    let (entered, left, errors) = (read(|s| s.entered), read(|s| s.out), read(|s| s.errors));
    let count = |name: &'static str, hook: &'static str, value: Memo<u64>, label: String| {
        let bad = move || name == "errors" && value.get() != 0;
        view! {
            <span class="figure" class:bad=bad data-count=name data-value=move || value.get().to_string() title=label>
                <i aria-hidden="true">{hook}</i>
                {move || format::short(value.get())}
            </span>
        }
    };
    let behind = move || {
        let lag = lag.get()?;
        let long = t!("figure-lag-long", records = format::count(lag.records), seconds = lag.seconds);
        Some(view! {
            <span class="figure" data-count="lag" data-value=lag.seconds.to_string() title=long>
                <i aria-hidden="true">"⧗"</i>
                {format::lag(Some(lag))}
            </span>
        })
    };
    view! {
        <div class="node-foot figures-row num">
            {(kind != Kind::Source).then(|| count("in", "→", entered, t!("count-in")))}
            {count("out", if kind == Kind::Sink { "✓" } else { "↦" }, left, t!("count-out"))}
            {count("errors", "×", errors, t!("count-errors"))}
            {behind}
            <span class="rate" title=t!("figure-rate")>{move || t!("rate", rate = format::rate(rate.get() as f64 / 10.0))}</span>
        </div>
    }
}

/// A port: small to see, 24 pixels to hit.
#[component]
fn PortDot(node: Arc<NodeView>, port: Port) -> impl IntoView {
    let surface = use_surface();
    let shape = node.shape();
    let at = shape.port(port);
    let (side, label) = match port {
        Port::Input(_) => ("in", t!("port-in", name = node.port_name(port))),
        Port::Output(_) => ("out", t!("port-out", name = node.port_name(port))),
        Port::Errors => ("errors", t!("port-errors")),
    };
    let several = match port {
        Port::Input(_) => shape.inputs > 1,
        Port::Output(_) => shape.outputs > 1,
        Port::Errors => false,
    };
    let name = node.port_name(port);
    let mine = {
        let node = node.clone();
        move |end: fairway_canvas::wiring::End| {
            end.port == port
                && surface
                    .editor
                    .nodes
                    .with_untracked(|nodes| nodes.get(end.node).is_some_and(|other| other.id == node.id))
        }
    };
    let snapped = {
        let mine = mine.clone();
        move || {
            surface.loose.with(|loose| match loose {
                Some(loose) if loose.snapped.is_some_and(&mine) => {
                    if loose.refusal.is_some() {
                        "bad"
                    } else {
                        "good"
                    }
                }
                Some(loose) if mine(loose.end) => "held",
                _ => "",
            })
        }
    };
    let pressed = node.clone();
    view! {
        <span
            class="port"
            data-port=side
            data-port-name=name.clone()
            data-snap=snapped
            title=label
            style:left=format!("{}px", at.x)
            style:top=format!("{}px", at.y)
            on:pointerdown=move |event| pointer::port_down(surface, &pressed, port, &event)
        ></span>
        {several.then(|| view! { <span class="port-name" data-side=side style:top=format!("{}px", at.y)>{name}</span> })}
    }
}
