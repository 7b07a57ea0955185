//! The way to the app that shows this page, where there is one: only this file knows Tauri. In a browser nothing answers,
//! and nothing of this is shown.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A document of the user's disk.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Document {
    pub(super) path: String,
    pub(super) text: String,
}

/// A document opened before.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Recent {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) folder: String,
    /// Whether it is still there.
    pub(super) there: bool,
}

/// How a channel stands to its file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct FileState {
    pub(super) path: String,
    pub(super) name: String,
    /// Whether the file holds just what the channel is.
    pub(super) saved: bool,
}

/// Whether an app shows this page.
pub(super) fn is_there() -> bool {
    app().is_some()
}

fn app() -> Option<JsValue> {
    let app = js_sys::Reflect::get(&leptos::prelude::window(), &"__TAURI__".into()).ok()?;
    app.is_object().then_some(app)
}

/// A function of the app's interface, with the object it belongs to.
fn function(part: &str, name: &str) -> Result<(JsValue, js_sys::Function), String> {
    let find = || {
        let part = js_sys::Reflect::get(&app()?, &part.into()).ok()?;
        let function = js_sys::Reflect::get(&part, &name.into()).ok()?.dyn_into().ok()?;
        Some((part, function))
    };
    find().ok_or_else(|| format!("the app has no {part}.{name}"))
}

/// Asks the app for something.
///
/// # Errors
/// What the app says.
pub(super) async fn call<T: DeserializeOwned>(command: &str, args: &impl Serialize) -> Result<T, String> {
    let args = serde_json::to_string(args).map_err(|error| error.to_string())?;
    let args = js_sys::JSON::parse(&args).map_err(|error| said(&error))?;
    let (part, invoke) = function("core", "invoke")?;
    let asked = invoke.call2(&part, &format!("plugin:desktop|{command}").into(), &args);
    let promise = asked.map_err(|error| said(&error))?.unchecked_into::<js_sys::Promise>();
    let answer = JsFuture::from(promise).await.map_err(|error| said(&error))?;
    let text = js_sys::JSON::stringify(&answer).ok().and_then(|text| text.as_string());
    // Nothing is no JSON text.
    serde_json::from_str(text.as_deref().unwrap_or("null")).map_err(|error| error.to_string())
}

/// Hears what the app says, as long as the page lives.
///
/// # Errors
/// If the app has no such thing.
pub(super) fn listen(event: &str, mut heard: impl FnMut(JsValue) + 'static) -> Result<(), String> {
    let (part, listen) = function("event", "listen")?;
    let closure = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
        heard(js_sys::Reflect::get(&event, &"payload".into()).unwrap_or(JsValue::NULL));
    });
    listen.call2(&part, &event.into(), closure.as_ref()).map_err(|error| said(&error))?;
    closure.forget();
    Ok(())
}

fn said(error: &JsValue) -> String {
    let message = js_sys::Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.or_else(|| error.as_string()).unwrap_or_else(|| format!("{error:?}"))
}
