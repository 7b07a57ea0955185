//! Something small that opens beside its button and closes by Esc or a press elsewhere.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Shows its children while `open`. The parent of the popover must be positioned.
#[component]
pub(crate) fn Popover(
    open: RwSignal<bool>,
    #[prop(optional, into)] class: String,
    #[prop(into)] label: String,
    #[prop(default = "dialog")] role: &'static str,
    children: ChildrenFn,
) -> impl IntoView {
    let class = format!("popover {class}");
    move || {
        open.get().then(|| {
            let children = children.clone();
            view! { <Opened open class=class.clone() label=label.clone() role>{children()}</Opened> }
        })
    }
}

#[component]
fn Opened(
    open: RwSignal<bool>,
    class: String,
    label: String,
    role: &'static str,
    children: Children,
) -> impl IntoView {
    let element = NodeRef::<html::Div>::new();
    let outside = window_event_listener(leptos::ev::pointerdown, move |event| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Node>().ok());
        let inside = element.get_untracked().is_some_and(|element| element.contains(target.as_ref()));
        // The press that opened it lands on its button: leave that to the button.
        let on_button = target
            .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
            .is_some_and(|target| matches!(target.closest("[aria-expanded='true']"), Ok(Some(_))));
        if !inside && !on_button {
            open.set(false);
        }
    });
    on_cleanup(move || outside.remove());
    Effect::new(move || {
        let first = element
            .get()
            .and_then(|element| element.query_selector("button, input, select, [tabindex]").ok().flatten());
        if let Some(first) = first.and_then(|first| first.dyn_into::<web_sys::HtmlElement>().ok())
            && first.focus().is_err()
        {
            leptos::logging::warn!("focus could not enter a popover");
        }
    });
    let keys = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" {
            event.stop_propagation();
            open.set(false);
        }
    };
    view! { <div node_ref=element class=class role=role aria-label=label on:keydown=keys>{children()}</div> }
}
