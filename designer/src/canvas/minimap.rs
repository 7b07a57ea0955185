//! The small map: shown while the view moves, under the pointer, and for good once it is pinned. A press centres the view
//! there, a drag leads it.

use fairway_canvas::Point;
use fairway_canvas::minimap::{Minimap, SIZE, path};
use fairway_shared::component::Kind;
use leptos::html;
use leptos::prelude::*;

use super::use_surface;
use crate::i18n::t;
use crate::state::editor::NodeView;

/// Milliseconds that it stays after the view has come to rest.
const STAYS: std::time::Duration = std::time::Duration::from_millis(1000);

/// The map.
#[component]
pub(super) fn Map(
    /// Whether the view moves.
    moving: RwSignal<bool>,
) -> impl IntoView {
    let surface = use_surface();
    let over = RwSignal::new(false);
    let recent = recently(moving);
    let shown = Memo::new(move |_| {
        let wanted = surface.map.get() || over.get() || recent.get();
        wanted && surface.editor.nodes.with(|nodes| nodes.len() > 1)
    });
    move || shown.get().then(|| view! { <Shown over /> })
}

/// True while something is so and for a moment after.
fn recently(so: RwSignal<bool>) -> RwSignal<bool> {
    let recent = RwSignal::new(false);
    let waiting = StoredValue::new(None::<TimeoutHandle>);
    // What fits the channel into the view at first is no move of the user.
    let first = StoredValue::new(true);
    Effect::watch(
        move || so.get(),
        move |so, _, _| {
            if let Some(waiting) = waiting.try_update_value(Option::take).flatten() {
                waiting.clear();
            }
            if *so {
                recent.set(!first.get_value());
            } else {
                first.set_value(false);
                let rests = move || {
                    // The page may have been left meanwhile.
                    let _left = recent.try_set(false);
                };
                waiting.set_value(set_timeout_with_handle(rests, STAYS).ok());
            }
        },
        false,
    );
    recent
}

#[component]
fn Shown(over: RwSignal<bool>) -> impl IntoView {
    let surface = use_surface();
    let element = NodeRef::<html::Div>::new();
    let seen = move || surface.view.get().visible(surface.size.get());
    let map = Memo::new(move |_| {
        surface.editor.moved.track();
        surface.editor.nodes.track();
        Minimap::of(fairway_canvas::Rect::around(surface.editor.rects()), seen())
    });
    // One path for all nodes of a kind, and one for those that something is wrong with.
    let of = move |chosen: fn(&NodeView) -> bool| {
        move || {
            let map = map.get();
            surface.editor.nodes.with(|nodes| {
                let nodes = nodes.iter().filter(|node| chosen(node));
                path(nodes.map(|node| map.rect(node.rect())).collect::<Vec<_>>())
            })
        }
    };
    let bad = |node: &NodeView| {
        node.findings.get().errors > 0
            || node.status.with(|status| status.is_some_and(|status| status.errors > 0))
    };
    let frame = move || {
        let rect = map.get().rect(seen());
        path([rect])
    };
    let leading = StoredValue::new(false);
    let look = move |event: &web_sys::PointerEvent| {
        let Some(corner) = element.get_untracked().map(|element| element.get_bounding_client_rect()) else {
            return;
        };
        let at = Point::new(
            f64::from(event.client_x()) - corner.left() - 1.0,
            f64::from(event.client_y()) - corner.top() - 1.0,
        );
        let (map, size) = (map.get_untracked(), surface.size.get_untracked());
        surface.view.update(|view| *view = map.looking_at(at, *view, size));
    };
    let press = move |event: web_sys::PointerEvent| {
        event.stop_propagation();
        if event.button() == 0 {
            leading.set_value(true);
            if let Some(element) = element.get_untracked()
                && element.set_pointer_capture(event.pointer_id()).is_err()
            {
                leptos::logging::warn!("the map did not take the pointer");
            }
            look(&event);
        }
    };
    let lead = move |event: web_sys::PointerEvent| {
        if leading.get_value() {
            look(&event);
        }
    };
    view! {
        <div
            node_ref=element
            class="minimap"
            data-testid="minimap"
            aria-hidden="true"
            title=t!("minimap")
            on:pointerdown=press
            on:pointermove=lead
            on:pointerup=move |_| leading.set_value(false)
            on:pointercancel=move |_| leading.set_value(false)
            on:pointerenter=move |_| over.set(true)
            on:pointerleave=move |_| over.set(false)
        >
            <svg width=SIZE.w height=SIZE.h>
                <path data-kind="source" d=of(|node| node.kind == Kind::Source) />
                <path data-kind="transform" d=of(|node| node.kind == Kind::Transform) />
                <path data-kind="sink" d=of(|node| node.kind == Kind::Sink) />
                <path class="wrong" d=of(bad) />
                <path class="frame" d=frame />
            </svg>
        </div>
    }
}
