//! How long ago something was, kept true by the clock.

use leptos::prelude::*;

use crate::i18n::format;

/// How long ago a moment was, given as RFC 3339; the moment itself on hovering.
pub(crate) fn ago(at: String) -> impl IntoView {
    let (moment, full) = (at.clone(), format::moment(&at));
    view! { <time class="faint num" datetime=moment title=full>{move || format::ago(&at)}</time> }
}
