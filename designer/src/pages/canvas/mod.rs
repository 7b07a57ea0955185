//! The canvas page.

use leptos::prelude::*;

/// The page of one channel.
#[component]
pub(crate) fn CanvasPage(uid: String) -> impl IntoView {
    view! { <p>{uid}</p> }
}
