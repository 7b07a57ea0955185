//! Waiting within a task.

use std::time::Duration;

use leptos::prelude::set_timeout;

/// Waits for some milliseconds.
pub(crate) async fn pause(milliseconds: u64) {
    let wait = js_sys::Promise::new(&mut |resolve, _| {
        set_timeout(
            move || {
                // Resolving a promise has no answer worth looking at.
                let _undefined = resolve.call0(&wasm_bindgen::JsValue::UNDEFINED);
            },
            Duration::from_millis(milliseconds),
        );
    });
    if wasm_bindgen_futures::JsFuture::from(wait).await.is_err() {
        leptos::logging::warn!("a pause was cut short");
    }
}
