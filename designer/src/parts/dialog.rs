//! A modal dialog on the browser's own `<dialog>`: focus stays inside, Esc and a press outside close it, and focus goes
//! back to where it was.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::ToastList;
use crate::i18n::t;
use crate::icons::{Icon, icon};

/// A dialog that is open while it exists.
#[component]
pub(crate) fn Dialog(
    /// Heading and accessible name.
    #[prop(into)]
    title: String,
    /// Asked to close; the owner takes it away.
    on_close: Callback<()>,
    /// CSS width.
    #[prop(optional, into)]
    width: String,
    /// Hook for tests.
    #[prop(optional, into)]
    testid: String,
    /// Buttons.
    foot: AnyView,
    children: Children,
) -> impl IntoView {
    let dialog = NodeRef::<html::Dialog>::new();
    let before = document().active_element();
    Effect::new(move || {
        if let Some(dialog) = dialog.get()
            && !dialog.open()
            && dialog.show_modal().is_err()
        {
            dialog.set_open(true);
        }
    });
    on_cleanup({
        let before = send_wrapper::SendWrapper::new(before);
        move || {
            let before = before.take().and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
            // Once the dialog is gone: behind an open one nothing takes the focus.
            let Some(element) = before else { return };
            request_animation_frame(move || {
                let lost = document().active_element().is_none_or(|active| active.tag_name() == "BODY");
                if lost && element.focus().is_err() {
                    leptos::logging::warn!("focus could not go back");
                }
            });
        }
    });
    let outside = move |event: web_sys::MouseEvent| {
        let on_backdrop =
            event.target().and_then(|target| target.dyn_into::<web_sys::HtmlDialogElement>().ok()).is_some();
        if on_backdrop {
            on_close.run(());
        }
    };
    view! {
        <dialog
            node_ref=dialog
            aria-label=title.clone()
            data-testid=testid
            style:width=width
            on:mousedown=outside
            on:cancel=move |event: web_sys::Event| {
                event.prevent_default();
                on_close.run(());
            }
            on:keydown=|event: web_sys::KeyboardEvent| event.stop_propagation()
        >
            <div class="dialog-head">
                <h2><bdi>{title.clone()}</bdi></h2>
                <button class="icon-button small" aria-label=t!("close") title=t!("close") on:click=move |_| on_close.run(())>
                    {icon(Icon::Close)}
                </button>
            </div>
            <div class="dialog-body">{children()}</div>
            <div class="dialog-foot">{foot}</div>
            <ToastList />
        </dialog>
    }
}
