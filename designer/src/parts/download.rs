//! Texts and pictures as files on the user's disk.

use std::time::Duration;

use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// How long the browser has to fetch what is saved.
const KEPT: Duration = Duration::from_secs(60);

/// Saves a document under a name, by the browser's own download.
///
/// # Errors
/// What the browser says when it will not.
pub(crate) fn save(name: &str, text: &str) -> Result<(), JsValue> {
    save_as(name, "application/json", text)
}

/// Saves a text of some kind under a name.
///
/// # Errors
/// As [`save`].
pub(crate) fn save_as(name: &str, kind: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(kind);
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    save_blob(name, &Blob::new_with_str_sequence_and_options(&parts, &options)?)
}

/// Saves anything under a name.
///
/// # Errors
/// As [`save`].
pub(crate) fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let url = Url::create_object_url_with_blob(blob)?;
    let anchor: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    // The browser fetches the text some time after the press: taken away at once, now and then nothing would be saved.
    leptos::prelude::set_timeout(
        move || {
            if Url::revoke_object_url(&url).is_err() {
                leptos::logging::warn!("an exported text stays in memory");
            }
        },
        KEPT,
    );
    Ok(())
}
