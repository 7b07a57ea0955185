//! The panel on the right: the settings of what is selected. `node` for a node, `edge` for an edge, `channel` when nothing
//! is selected; `tap` looks at records that pass an edge, `field` has an editor for each kind of setting, `mapper` is the visual face of some.

pub(crate) mod address;
mod channel;
mod edge;
pub(crate) mod field;
mod mapper;
mod node;
mod schedule;
mod tap;
pub(crate) mod test;

use fairway_canvas::align::Align;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use self::channel::ChannelForm;
use self::edge::EdgeForm;
use self::node::{BulkForm, NodeForm};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::state::editor::use_editor;

/// What the panel shows.
#[derive(Clone, PartialEq)]
enum Shown {
    Channel,
    Node(String),
    Edge(crate::state::editor::EdgeKey),
    Many(Vec<String>),
}

/// The panel.
#[component]
pub(crate) fn Inspector() -> impl IntoView {
    let editor = use_editor();
    let shown = Memo::new(move |_| {
        editor.selection.with(|selection| match (&selection.edge, selection.nodes.len()) {
            (Some(edge), _) => Shown::Edge(edge.clone()),
            (None, 0) => Shown::Channel,
            (None, 1) => selection.single().map_or(Shown::Channel, |id| Shown::Node(id.clone())),
            (None, _) => Shown::Many(selection.nodes.iter().cloned().collect()),
        })
    });
    // A node whose component changed under it (a fix, an undo) gets a new form.
    let body = move || {
        let shown = shown.get();
        match shown {
            Shown::Channel => view! { <ChannelForm /> }.into_any(),
            Shown::Edge(key) => view! { <EdgeForm key /> }.into_any(),
            Shown::Many(ids) => view! { <ManyForm ids /> }.into_any(),
            Shown::Node(id) => {
                let node = {
                    let id = id.clone();
                    Memo::new_with_compare(
                        move |_| {
                            editor.nodes.track();
                            editor.node(&id)
                        },
                        |old: Option<&Option<_>>, new| match (old, new) {
                            (Some(Some(a)), Some(Some(b))) => !std::sync::Arc::ptr_eq(a, b),
                            (Some(None), Some(None)) => false,
                            _ => true,
                        },
                    )
                };
                view! { {move || node.get().map(|node| view! { <NodeForm node /> })} }.into_any()
            }
        }
    };
    view! {
        <aside class="inspector" aria-label=t!("inspector") data-testid="inspector">
            {body}
        </aside>
    }
}

/// Ways to arrange several nodes: hook, way, picture.
const ARRANGE: [(&str, Align, &str); 8] = [
    ("align-left", Align::Left, "M4 3v14M7 6h9v3H7zM7 12h5v3H7z"),
    ("align-centre", Align::Centre, "M10 3v14M5 6h10v3H5zM7 12h6v3H7z"),
    ("align-right", Align::Right, "M16 3v14M4 6h9v3H4zM8 12h5v3H8z"),
    ("align-top", Align::Top, "M3 4h14M6 7v9h3V7zM12 7v5h3V7z"),
    ("align-middle", Align::Middle, "M3 10h14M6 5v10h3V5zM12 7v6h3V7z"),
    ("align-bottom", Align::Bottom, "M3 16h14M6 4v9h3V4zM12 8v5h3V8z"),
    ("spread-across", Align::Across, "M3 4v12M17 4v12M8.500 6h3v8h-3z"),
    ("spread-down", Align::Down, "M4 3h12M4 17h12M6 8.500h8v3H6z"),
];

fn arrange_name(how: Align) -> String {
    match how {
        Align::Left => t!("align-left"),
        Align::Centre => t!("align-centre"),
        Align::Right => t!("align-right"),
        Align::Top => t!("align-top"),
        Align::Middle => t!("align-middle"),
        Align::Bottom => t!("align-bottom"),
        Align::Across => t!("spread-across"),
        Align::Down => t!("spread-down"),
    }
}

/// Several nodes: what can be done with all of them.
#[component]
fn ManyForm(ids: Vec<String>) -> impl IntoView {
    let editor = use_editor();
    let count = ids.len();
    let nodes = ids.iter().filter_map(|id| editor.node(id)).collect::<Vec<_>>();
    view! {
        <header class="inspector-head"><h2>{t!("many-title", count = count)}</h2></header>
        <div class="inspector-body">
            <p class="muted">{t!("many-text")}</p>
            <div class="arrange" role="toolbar" aria-label=t!("align")>
                {ARRANGE.map(|(hook, how, path)| {
                    let name = arrange_name(how);
                    view! {
                        <button class="icon-button" data-action=hook aria-label=name.clone() title=name on:click=move |_| editor.align(how)>
                            <svg viewBox="0 0 20 20" width="18" height="18" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true"><path d=path /></svg>
                        </button>
                    }
                }).into_iter().collect_view()}
            </div>
            <button class="button" data-action="group" on:click=move |_| editor.group_selected(t!("group-new"))>
                {icon(Icon::Group)}
                {t!("key-group")}
            </button>
            <button class="button danger" data-action="delete-selected" on:click=move |_| editor.remove_selected(false)>
                {icon(Icon::Trash)}
                {t!("delete-nodes", count = count)}
            </button>
            <BulkForm nodes />
        </div>
    }
}

/// What takes the focus; the buttons within a list of words do not, for Tab passes them by.
const FOCUSABLE: &str = "input, select, textarea, button:not([tabindex=\"-1\"])";

/// Brings the focus to a field of the panel, once it is drawn: the one of this dotted name, or what holds it, or the
/// first.
fn focus_field(field: Option<String>) {
    request_animation_frame(move || {
        let Ok(Some(panel)) = document().query_selector("[data-testid=inspector]") else { return };
        let mut wanted = field;
        loop {
            let selector = match &wanted {
                Some(field) => format!("[data-field=\"{}\"]", field.replace(['"', '\\'], "")),
                None => "[data-form]".to_owned(),
            };
            if let Ok(Some(found)) = panel.query_selector(&selector) {
                let input = found.query_selector(FOCUSABLE).ok().flatten();
                let target = if found.matches(FOCUSABLE).unwrap_or(false) { Some(found) } else { input };
                if let Some(target) = target.and_then(|target| target.dyn_into::<web_sys::HtmlElement>().ok())
                {
                    // What is folded away cannot take the focus.
                    if let Ok(Some(fold)) = target.closest("details:not([open])") {
                        drop(fold.set_attribute("open", ""));
                    }
                    target.scroll_into_view_with_bool(false);
                    if target.focus().is_err() {
                        leptos::logging::warn!("a field did not take the focus");
                    }
                }
                return;
            }
            wanted = match wanted {
                Some(field) => field.rsplit_once('.').map(|(outer, _)| outer.to_owned()),
                None => return,
            };
        }
    });
}
