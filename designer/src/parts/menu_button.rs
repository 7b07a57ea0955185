//! A button with something small that opens beside it. Its parent, or a part of it further out, must be positioned.

use leptos::prelude::*;

use super::Popover;
use crate::icons::{Icon, icon};

/// The button and what it opens.
#[component]
pub(crate) fn MenuButton(
    open: RwSignal<bool>,
    /// Hook for tests.
    hook: &'static str,
    /// Name of both.
    #[prop(into)]
    label: String,
    #[prop(default = Icon::ChevronDown)] shape: Icon,
    /// Class of the button.
    #[prop(default = "icon-button")]
    class: &'static str,
    /// Class of what opens.
    #[prop(optional, into)]
    popover: String,
    #[prop(default = "menu")] role: &'static str,
    children: ChildrenFn,
) -> impl IntoView {
    view! {
        <button
            type="button"
            class=class
            data-action=hook
            aria-label=label.clone()
            title=label.clone()
            aria-haspopup=role
            aria-expanded=move || open.get().to_string()
            on:click=move |_| open.update(|open| *open = !*open)
        >
            {icon(shape)}
        </button>
        <Popover open class=popover label role>{children()}</Popover>
    }
}
