//! Notes and group frames on the surface, below edges and nodes.

use fairway_canvas::drag::{GRID, Press, snapped};
use fairway_canvas::{Point, Rect};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, PointerEvent};

use super::{Surface, pointer, use_surface};
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::parts::markdown;
use crate::state::NodePorts;
use crate::state::editor::{Group, LEAST_NOTE, Note, frame};

/// All of them.
#[component]
pub(super) fn Cards() -> impl IntoView {
    let editor = use_surface().editor;
    let ranks = |count: usize| (0..count).collect::<Vec<_>>();
    view! {
        <For each=move || ranks(editor.groups.with(Vec::len)) key=|rank| *rank let:rank><Frame rank /></For>
        <For each=move || ranks(editor.notes.with(Vec::len)) key=|rank| *rank let:rank><NoteCard rank /></For>
    }
}

/// `N` with Shift: an empty note at the pointer, ready to be written into.
pub(super) fn add_note(surface: Surface) {
    add_at(surface, super::quick_add::QuickAdd::here(surface).world);
}

/// An empty note in the middle of what is seen.
pub(super) fn add_in_view(surface: Surface) {
    add_at(surface, surface.world(surface.centre()));
}

fn add_at(surface: Surface, middle: Point) {
    let rank = surface.editor.add_note(middle);
    surface.writing.set(Some(rank));
}

/// The frame of a group, which follows its nodes.
#[component]
fn Frame(rank: usize) -> impl IntoView {
    let surface = use_surface();
    let editor = surface.editor;
    let group =
        Memo::new(move |_| editor.groups.with(|groups| groups.get(rank).map(Group::of)).unwrap_or_default());
    let around = Memo::new(move |_| {
        editor.nodes.track();
        let nodes: Vec<_> = group.get().nodes.iter().filter_map(|id| editor.node(id)).collect();
        let rects = nodes.iter().map(|node| node.ports.with(NodePorts::shape).rect(node.at.get()));
        frame(rects)
    });
    let naming = RwSignal::new(false);
    let field = NodeRef::<html::Input>::new();
    Effect::new(move || {
        if let Some(field) = field.get() {
            // Once its text is in it.
            request_animation_frame(move || field.select());
        }
    });
    let hold = move |event: PointerEvent| {
        if event.button() == 0 && !naming.get_untracked() {
            pointer::frame_down(surface, &group.get_untracked().nodes, &event);
        }
    };
    let title = move || {
        if naming.get() {
            let done = move |text: String| {
                naming.set(false);
                if text != group.get_untracked().title {
                    editor.title_group(rank, &text);
                }
            };
            view! {
                <input
                    node_ref=field
                    class="input"
                    data-testid="group-title"
                    aria-label=t!("group-title")
                    prop:value=group.get_untracked().title
                    on:pointerdown=|event: PointerEvent| event.stop_propagation()
                    on:blur=move |event| if naming.try_get_untracked() == Some(true) { done(event_target_value(&event)) }
                    on:keydown=move |event: KeyboardEvent| {
                        event.stop_propagation();
                        match event.key().as_str() {
                            "Enter" => done(event_target_value(&event)),
                            "Escape" => naming.set(false),
                            _ => {}
                        }
                    }
                />
            }
            .into_any()
        } else {
            view! {
                <button type="button" class="frame-title clip" title=move || group.get().title on:dblclick=move |event| {
                    event.stop_propagation();
                    naming.set(true);
                } on:keydown=move |event: KeyboardEvent| if matches!(event.key().as_str(), "F2" | "Enter") {
                    event.stop_propagation();
                    event.prevent_default();
                    naming.set(true);
                }><bdi>{move || group.get().title}</bdi></button>
            }
            .into_any()
        }
    };
    let px = |read: fn(Rect) -> f64| move || format!("{}px", around.get().map(read).unwrap_or_default());
    view! {
        <div
            class="frame"
            data-frame=rank.to_string()
            role="group"
            aria-label=move || group.get().title
            hidden=move || around.get().is_none()
            style:transform=move || around.get().map(|rect| format!("translate({}px,{}px)", rect.x, rect.y))
            style:width=px(|rect| rect.w)
            style:height=px(|rect| rect.h)
        >
            <div class="frame-head" on:pointerdown=hold>
                {title}
                <button type="button" class="icon-button small" data-action="remove-group" aria-label=t!("group-delete") title=t!("group-delete")
                    on:pointerdown=|event: PointerEvent| event.stop_propagation() on:click=move |_| editor.remove_group(rank)>
                    {icon(Icon::Close)}
                </button>
            </div>
        </div>
    }
}

/// What a pointer does with a note.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    /// It is moved: the press, and where the note was.
    Moved(Press, Rect),
    /// It gets another size.
    Sized(Press, Rect),
}

/// A note: moved and sized by pointer or arrows, written into by double click or Enter.
#[component]
fn NoteCard(rank: usize) -> impl IntoView {
    let surface = use_surface();
    let editor = surface.editor;
    let note =
        Memo::new(move |_| editor.notes.with(|notes| notes.get(rank).map(Note::of)).unwrap_or_default());
    let held = RwSignal::new(Held::Nothing);
    let dragged = RwSignal::new(None::<Rect>);
    let rect = Memo::new(move |_| dragged.get().unwrap_or_else(|| note.get().rect));
    let writing = Memo::new(move |_| surface.writing.get() == Some(rank));
    let field = NodeRef::<html::Textarea>::new();
    let card = NodeRef::<html::Div>::new();
    Effect::new(move || {
        if let Some(field) = field.get()
            && field.focus().is_err()
        {
            leptos::logging::warn!("a note did not take the focus");
        }
    });
    let press = move |event: &PointerEvent, size: bool| {
        if event.button() != 0 || writing.get_untracked() || surface.space.get_untracked() {
            return;
        }
        event.stop_propagation();
        let at = Point::new(f64::from(event.client_x()), f64::from(event.client_y()));
        let (press, now) = (Press::new(at, event.pointer_type() == "touch"), note.get_untracked().rect);
        held.set(if size { Held::Sized(press, now) } else { Held::Moved(press, now) });
        if let Some(card) = card.get_untracked() {
            // Without it the note follows only while the pointer is over it.
            if card.set_pointer_capture(event.pointer_id()).is_err() {
                leptos::logging::warn!("the pointer is not held");
            }
        }
    };
    let moved = move |event: PointerEvent| {
        let now = Point::new(f64::from(event.client_x()), f64::from(event.client_y()));
        let zoom = surface.view.with_untracked(|view| view.zoom);
        let free = event.shift_key();
        let placed = |point: Point| if free { point } else { snapped(point) };
        held.update(|held| match held {
            Held::Nothing => {}
            Held::Moved(press, from) => {
                if let Some(by) = press.to(now) {
                    let corner = placed(Point::new(from.x, from.y) + by * (1.0 / zoom));
                    dragged.set(Some(Rect { x: corner.x, y: corner.y, ..*from }));
                }
            }
            Held::Sized(press, from) => {
                if let Some(by) = press.to(now) {
                    let end = placed(Point::new(from.right(), from.bottom()) + by * (1.0 / zoom));
                    let (w, h) = ((end.x - from.x).max(LEAST_NOTE.0), (end.y - from.y).max(LEAST_NOTE.1));
                    dragged.set(Some(Rect { w, h, ..*from }));
                }
            }
        });
    };
    let released = move |_| {
        held.set(Held::Nothing);
        if let Some(rect) = dragged.get_untracked() {
            editor.place_note(rank, rect);
            dragged.set(None);
        }
    };
    let keys = move |event: KeyboardEvent| {
        if writing.get_untracked() {
            return;
        }
        let by = match event.key().as_str() {
            "ArrowLeft" => Point::new(-GRID, 0.0),
            "ArrowRight" => Point::new(GRID, 0.0),
            "ArrowUp" => Point::new(0.0, -GRID),
            "ArrowDown" => Point::new(0.0, GRID),
            "Enter" => {
                event.prevent_default();
                event.stop_propagation();
                return surface.writing.set(Some(rank));
            }
            "Delete" | "Backspace" => {
                event.prevent_default();
                event.stop_propagation();
                return editor.remove_note(rank);
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        let rect = note.get_untracked().rect;
        editor.place_note(rank, Rect { x: rect.x + by.x, y: rect.y + by.y, ..rect });
    };
    let done = move |text: String| {
        // Leaving the field takes it away, which leaves it once more.
        if surface.writing.get_untracked() != Some(rank) {
            return;
        }
        surface.writing.set(None);
        // The note may be gone.
        if note.try_get_untracked().is_some_and(|note| note.text != text) {
            editor.write_note(rank, &text);
        }
    };
    let back = move || {
        if let Some(card) = card.get_untracked()
            && card.unchecked_ref::<web_sys::HtmlElement>().focus().is_err()
        {
            leptos::logging::warn!("a note did not take the focus");
        }
    };
    let body = move || {
        if writing.get() {
            view! {
                <textarea
                    node_ref=field
                    class="note-text"
                    aria-label=t!("note")
                    prop:value=note.get_untracked().text
                    on:pointerdown=|event: PointerEvent| event.stop_propagation()
                    on:dblclick=|event: web_sys::MouseEvent| event.stop_propagation()
                    on:blur=move |event| done(event_target_value(&event))
                    on:keydown=move |event: KeyboardEvent| {
                        event.stop_propagation();
                        let finished = event.key() == "Enter" && (event.ctrl_key() || event.meta_key());
                        if event.key() == "Escape" || finished {
                            event.prevent_default();
                            done(event_target_value(&event));
                            back();
                        }
                    }
                ></textarea>
            }
            .into_any()
        } else {
            let text = note.get().text;
            match text.trim().is_empty() {
                true => view! { <p class="faint">{t!("note-empty")}</p> }.into_any(),
                false => view! { <div class="note-said">{markdown::block(&text)}</div> }.into_any(),
            }
        }
    };
    view! {
        <div
            node_ref=card
            class="canvas-note"
            data-note=rank.to_string()
            role="group"
            aria-roledescription=t!("note")
            aria-label=move || { let text = note.get().text; if text.is_empty() { t!("note-empty") } else { text } }
            tabindex="0"
            style:transform=move || format!("translate({}px,{}px)", rect.get().x, rect.get().y)
            style:width=move || format!("{}px", rect.get().w)
            style:height=move || format!("{}px", rect.get().h)
            on:pointerdown=move |event| press(&event, false)
            on:pointermove=moved
            on:pointerup=released
            on:pointercancel=move |_| { held.set(Held::Nothing); dragged.set(None); }
            on:dblclick=move |event: web_sys::MouseEvent| {
                event.stop_propagation();
                surface.writing.set(Some(rank));
            }
            on:keydown=keys
        >
            {body}
            <button type="button" tabindex="-1" class="icon-button small note-gone" data-action="remove-note" aria-label=t!("note-delete") title=t!("note-delete")
                on:pointerdown=|event: PointerEvent| event.stop_propagation() on:click=move |_| editor.remove_note(rank)>
                {icon(Icon::Close)}
            </button>
            <span class="note-size" title=t!("note-resize") on:pointerdown=move |event| press(&event, true)></span>
        </div>
    }
}
