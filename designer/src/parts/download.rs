//! A text as a file on the user's disk.

use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Saves a text under a name, by the browser's own download.
///
/// # Errors
/// What the browser says when it will not.
pub(crate) fn save(name: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type("application/json");
    let parts = js_sys::Array::of1(&JsValue::from_str(text));
    let url = Url::create_object_url_with_blob(&Blob::new_with_str_sequence_and_options(&parts, &options)?)?;
    let anchor: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    anchor.set_href(&url);
    anchor.set_download(name);
    anchor.click();
    Url::revoke_object_url(&url)
}

/// A file name made from any name: what file systems refuse becomes a dash.
pub(crate) fn file_name(name: &str) -> String {
    let safe: String = name
        .trim()
        .chars()
        .map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '-' } else { c })
        .collect();
    format!("{}.fairway.json", if safe.trim_matches('.').is_empty() { "channel" } else { &safe })
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn a_name_becomes_a_file_name() {
        assert_eq!(file_name("orders"), "orders.fairway.json");
        assert_eq!(file_name("../a:b"), "..-a-b.fairway.json");
        assert_eq!(file_name("…订单 1"), "…订单 1.fairway.json");
        assert_eq!(file_name(".."), "channel.fairway.json");
    }
}
