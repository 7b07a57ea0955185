//! What the browser keeps: small choices for ever, undo history for the window. A browser that keeps nothing is fine.

use leptos::prelude::window;
use web_sys::Storage;

/// Where to keep something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Until the user clears it.
    Always,
    /// Until this window is closed; survives a reload.
    Window,
}

fn storage(keep: Keep) -> Option<Storage> {
    match keep {
        Keep::Always => window().local_storage(),
        Keep::Window => window().session_storage(),
    }
    .ok()
    .flatten()
}

/// What is kept under a key.
pub(crate) fn read(keep: Keep, key: &str) -> Option<String> {
    storage(keep)?.get_item(key).ok().flatten()
}

/// Keeps a text under a key, as far as the browser lets us: private windows and full stores refuse.
pub(crate) fn write(keep: Keep, key: &str, text: &str) -> bool {
    storage(keep).is_some_and(|storage| storage.set_item(key, text).is_ok())
}

/// Forgets what is kept under a key.
pub(crate) fn forget(keep: Keep, key: &str) -> bool {
    storage(keep).is_some_and(|storage| storage.remove_item(key).is_ok())
}
