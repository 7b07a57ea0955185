//! The outline: the channel as a tree that can be read and walked without seeing the canvas. Nodes stand in the order of the
//! graph; below each what leads into it, what it leads to, and what is wrong with it.
//!
//! Keys are those of every tree: up and down, right opens, left shuts, Home and End; Enter goes to the settings, Space
//! selects, and what the canvas does with a selected node works here as well.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairway_shared::diagnostic::Diagnostic;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::canvas::{kind_word, use_surface};
use crate::i18n::{components, t};
use crate::icons::{Icon, component_icon, icon};
use crate::parts::markdown;
use crate::state::editor::{EdgeKey, NodeView, Selection, use_editor};

/// What a row stands for.
#[derive(Clone)]
enum Row {
    Node(Arc<NodeView>),
    /// An edge of a node: whether it leaves there, and the node at its other end.
    Edge(EdgeKey, bool, Arc<NodeView>, String),
    Problem(Diagnostic),
}

impl Row {
    /// Tells rows apart over changes.
    fn key(&self, node: &str) -> String {
        match self {
            Self::Node(view) => format!("n {}", view.id),
            Self::Edge(key, out, ..) => format!("e {node} {out} {}", key.hook()),
            Self::Problem(problem) => {
                format!("p {node} {} {} {}", problem.code, problem.place.pointer, problem.message)
            }
        }
    }
}

/// A row with the node that it belongs to.
#[derive(Clone)]
struct Line {
    key: String,
    row: Row,
    node: String,
}

impl Line {
    fn of(row: Row, node: &str) -> Self {
        Self { key: row.key(node), row, node: node.to_owned() }
    }
}

/// The tree.
#[component]
pub(super) fn Outline() -> impl IntoView {
    let (editor, surface) = (use_editor(), use_surface());
    let tree = NodeRef::<html::Ul>::new();
    let shut = RwSignal::new(BTreeSet::<String>::new());
    let current = RwSignal::new(None::<String>);
    // In the order of the graph, as a flat list; what lies below a node that is shut is left out.
    let rows = Memo::new_with_compare(
        move |_| {
            editor.nodes.track();
            editor.edges.track();
            editor.problems.track();
            let mut rows = Vec::new();
            for node in editor.order().iter().filter_map(|id| editor.node(id)) {
                rows.push(Line::of(Row::Node(node.clone()), &node.id));
                if !shut.with(|shut| shut.contains(&node.id)) {
                    rows.extend(children(editor, &node).into_iter().map(|row| Line::of(row, &node.id)));
                }
            }
            rows
        },
        |_, _| true,
    );
    let visible =
        move || rows.with_untracked(|rows| rows.iter().map(|line| line.key.clone()).collect::<Vec<_>>());
    // The row that Tab reaches; the first one when the last is gone.
    let stop = Memo::new(move |_| {
        rows.with(|rows| {
            let known = current.get().filter(|key| rows.iter().any(|line| line.key == *key));
            known.or_else(|| rows.first().map(|line| line.key.clone()))
        })
    });
    let go = move |key: String| {
        current.set(Some(key.clone()));
        let Some(tree) = tree.get_untracked() else { return };
        let Ok(items) = tree.query_selector_all("[data-outline]") else { return };
        for at in 0..items.length() {
            let item = items.get(at).and_then(|item| item.dyn_into::<web_sys::HtmlElement>().ok());
            if let Some(item) = item
                && item.get_attribute("data-outline").as_ref() == Some(&key)
                && item.focus().is_err()
            {
                leptos::logging::warn!("a row did not take the focus");
            }
        }
    };
    let step = move |key: &str, by: i64| {
        let keys = visible();
        let at =
            keys.iter().position(|known| known == key).and_then(|at| i64::try_from(at).ok()).unwrap_or(0);
        let last = i64::try_from(keys.len()).unwrap_or(1) - 1;
        let to = (at.saturating_add(by)).clamp(0, last.max(0));
        if let Some(key) = usize::try_from(to).ok().and_then(|to| keys.get(to)) {
            go(key.clone());
        }
    };
    let choose = move |row: &Row, open: bool| match row {
        Row::Node(node) => {
            editor.select_node(&node.id);
            surface.reveal(&node.id);
            if open {
                editor.edit_field(None);
            }
        }
        Row::Edge(_, _, other, _) if open => {
            editor.select_node(&other.id);
            surface.reveal(&other.id);
        }
        Row::Edge(key, ..) => editor.select(Selection::of_edge(key.clone())),
        Row::Problem(problem) => editor.go_to(problem),
    };
    let keys = move |event: &web_sys::KeyboardEvent, row: &Row, node: &str| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let key = row.key(node);
        let is_node = matches!(row, Row::Node(_));
        let open = !shut.with_untracked(|shut| shut.contains(node));
        match event.key().as_str() {
            "ArrowDown" => step(&key, 1),
            "ArrowUp" => step(&key, -1),
            "Home" => step(&key, i64::MIN / 2),
            "End" => step(&key, i64::MAX / 2),
            "ArrowRight" if is_node && !open => shut.update(|shut| {
                shut.remove(node);
            }),
            "ArrowRight" if is_node => step(&key, 1),
            "ArrowLeft" if is_node => shut.update(|shut| {
                shut.insert(node.to_owned());
            }),
            "ArrowLeft" => go(format!("n {node}")),
            "ArrowRight" => {}
            "Enter" => choose(row, true),
            " " => choose(row, false),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let item = move |Line { key, row, node }: Line| {
        let (mine, focused) = (key.clone(), key.clone());
        let stop = move || stop.with(|stop| stop.as_ref() == Some(&mine));
        let (level, selected) = match &row {
            Row::Node(view) => {
                let selected = view.selected.clone();
                ("1", Some(Signal::derive(move || selected.get())))
            }
            Row::Edge(key, ..) => {
                let key = key.clone();
                (
                    "2",
                    Some(Signal::derive(move || {
                        editor.selection.with(|selection| selection.edge.as_ref() == Some(&key))
                    })),
                )
            }
            Row::Problem(_) => ("2", None),
        };
        let expanded = matches!(row, Row::Node(_)).then(|| {
            let node = node.clone();
            move || (!shut.with(|shut| shut.contains(&node))).to_string()
        });
        let turn = matches!(row, Row::Node(_)).then(|| {
            let (node, shown) = (node.clone(), node.clone());
            let press = move |event: web_sys::MouseEvent| {
                event.stop_propagation();
                shut.update(|shut| {
                    if !shut.remove(&node) {
                        shut.insert(node.clone());
                    }
                });
            };
            view! {
                <span class="outline-turn" aria-hidden="true" on:click=press>
                    {move || icon(if shut.with(|shut| shut.contains(&shown)) { Icon::ChevronRight } else { Icon::ChevronDown })}
                </span>
            }
        });
        let (pressed, typed) = (row.clone(), row.clone());
        let kind = match &row {
            Row::Node(view) => Some(kind_word(view.kind)),
            _ => None,
        };
        view! {
            <li
                class="outline-row"
                role="treeitem"
                data-outline=key
                data-kind=kind
                aria-expanded=expanded
                aria-selected=selected.map(|selected| move || selected.get().to_string())
                tabindex=move || if stop() { "0" } else { "-1" }
                on:focus=move |_| current.set(Some(focused.clone()))
                on:click=move |_| choose(&pressed, false)
                on:keydown=move |event: web_sys::KeyboardEvent| keys(&event, &typed, &node)
            >
                {turn}
                {words(editor, row)}
            </li>
        }
        .attr("aria-level", level)
    };
    let empty = move || editor.nodes.with(Vec::is_empty);
    view! {
        <ul class="outline" node_ref=tree role="tree" aria-label=t!("outline") data-testid="outline" hidden=empty>
            <For each=move || rows.get() key=|line| line.key.clone() children=item />
        </ul>
        {move || empty().then(|| view! { <p class="none">{t!("outline-empty")}</p> })}
    }
}

/// What stands below a node.
fn children(editor: crate::state::editor::Editor, node: &Arc<NodeView>) -> Vec<Row> {
    let mut rows = Vec::new();
    editor.edges.with_untracked(|edges| {
        for edge in edges.iter().filter(|edge| edge.to.id == node.id) {
            rows.push(Row::Edge(
                edge.key.clone(),
                false,
                edge.from.clone(),
                edge.from.port_name(edge.from_port),
            ));
        }
        for edge in edges.iter().filter(|edge| edge.from.id == node.id) {
            rows.push(Row::Edge(
                edge.key.clone(),
                true,
                edge.to.clone(),
                edge.from.port_name(edge.from_port),
            ));
        }
    });
    editor.problems.with_untracked(|problems| {
        let mine = problems.iter().filter(|problem| problem.place.node.as_deref() == Some(node.id.as_str()));
        rows.extend(mine.cloned().map(Row::Problem));
    });
    rows
}

/// What a row says.
fn words(editor: crate::state::editor::Editor, row: Row) -> AnyView {
    match row {
        Row::Node(node) => {
            let catalog = editor.catalog();
            let spec = catalog.get(&node.component);
            let family = spec.map(|spec| spec.family.clone()).unwrap_or_default();
            let component = spec.map_or_else(|| node.component.clone(), components::title);
            let picture = component_icon(&node.component, &family, node.kind);
            let findings = node.findings.clone();
            let badge = move || {
                let found = findings.get();
                (found.errors > 0).then(|| {
                    let text = t!("node-errors", count = found.errors);
                    let said = text.clone();
                    view! { <span class="badge" data-tone="bad" title=text>{icon(Icon::Error)} <span class="hidden-text">{said}</span></span> }
                })
            };
            let title = {
                let (title, id) = (node.title.clone(), node.id.clone());
                move || title.get().filter(|title| !title.is_empty()).unwrap_or_else(|| id.clone())
            };
            view! {
                <span class="node-icon">{picture}</span>
                <span class="outline-names">
                    <span class="clip">{title}</span>
                    <span class="clip faint">{component}</span>
                </span>
                {badge}
            }
            .into_any()
        }
        Row::Edge(_, out, other, port) => {
            let name = {
                let (title, id) = (other.title.clone(), other.id.clone());
                move || title.get().filter(|title| !title.is_empty()).unwrap_or_else(|| id.clone())
            };
            let text = move || {
                if out {
                    t!("outline-to", port = port.as_str(), name = name())
                } else {
                    t!("outline-from", port = port.as_str(), name = name())
                }
            };
            view! { <span class="outline-sign" aria-hidden="true">{if out { "→" } else { "←" }}</span> <span class="clip">{text}</span> }.into_any()
        }
        Row::Problem(problem) => {
            let (tone, shape) =
                if problem.is_error() { ("bad", Icon::Error) } else { ("warn", Icon::Warning) };
            view! {
                <span class="badge small" data-tone=tone>{icon(shape)}</span>
                <span class="outline-problem">{markdown::finding(&problem)}</span>
            }
            .into_any()
        }
    }
}
