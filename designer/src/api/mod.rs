//! The way to the server. Only this folder knows `fetch` and `EventSource`; everything else calls an endpoint by type
//! and gets its answer or a [`Problem`].

pub(crate) mod events;

use fairway_shared::api::{Endpoint, Method, Problem};
use js_sys::encode_uri_component;
use leptos::prelude::window;
use serde::de::DeserializeOwned;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Headers, RequestInit, Response};

/// Code of the problem that stands for a server that does not answer.
pub(crate) const UNREACHABLE: &str = "client.unreachable";

/// Values for the `{parameters}` of a path.
pub(crate) type Params<'a> = &'a [(&'a str, &'a str)];

/// Calls an endpoint.
///
/// # Errors
/// What the server refuses, or [`UNREACHABLE`].
pub(crate) async fn call<E: Endpoint>(params: Params<'_>, body: &E::Request) -> Result<E::Answer, Problem> {
    send::<E>(params, "", body, None).await
}

/// Calls an endpoint with `?name=value…` behind its path.
///
/// # Errors
/// As [`call`].
pub(crate) async fn query<E: Endpoint>(
    params: Params<'_>,
    query: &str,
    body: &E::Request,
) -> Result<E::Answer, Problem> {
    send::<E>(params, query, body, None).await
}

/// Calls an endpoint that changes only what still has this `ETag`.
///
/// # Errors
/// As [`call`]; status 412 when it has another by now.
pub(crate) async fn call_if<E: Endpoint>(
    params: Params<'_>,
    body: &E::Request,
    etag: &str,
) -> Result<E::Answer, Problem> {
    send::<E>(params, "", body, Some(etag)).await
}

async fn send<E: Endpoint>(
    params: Params<'_>,
    query: &str,
    body: &E::Request,
    etag: Option<&str>,
) -> Result<E::Answer, Problem> {
    let url = format!("{}{query}", path(E::PATH, params, |value| encode_uri_component(value).into()));
    let init = RequestInit::new();
    init.set_method(E::METHOD.as_str());
    let headers = Headers::new().map_err(unreachable)?;
    headers.set("Accept", "application/json").map_err(unreachable)?;
    if let Some(etag) = etag {
        headers.set("If-Match", etag).map_err(unreachable)?;
    }
    if E::METHOD != Method::Get && std::mem::size_of::<E::Request>() > 0 {
        let text = serde_json::to_string(body).map_err(|error| local(&error.to_string()))?;
        headers.set("Content-Type", "application/json").map_err(unreachable)?;
        init.set_body(&JsValue::from_str(&text));
    }
    init.set_headers(&headers);
    let response =
        JsFuture::from(window().fetch_with_str_and_init(&url, &init)).await.map_err(unreachable)?;
    let response: Response = response.unchecked_into();
    let text = JsFuture::from(response.text().map_err(unreachable)?).await.map_err(unreachable)?;
    let text = text.as_string().unwrap_or_default();
    if response.ok() {
        read(if text.is_empty() { "{}" } else { &text })
    } else {
        Err(refusal(&response, &text))
    }
}

/// A path template with its parameters filled in.
fn path(template: &str, params: Params<'_>, encode: impl Fn(&str) -> String) -> String {
    params
        .iter()
        .fold(template.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), &encode(value)))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| local(&error.to_string()))
}

fn refusal(response: &Response, text: &str) -> Problem {
    serde_json::from_str(text).unwrap_or_else(|_| Problem {
        code: format!("http.{}", response.status()),
        title: response.status_text(),
        status: response.status(),
        detail: text.chars().take(300).collect(),
        help: None,
        diagnostics: Vec::new(),
    })
}

fn unreachable(error: JsValue) -> Problem {
    let detail =
        error.dyn_ref::<js_sys::Error>().map(|error| String::from(error.message())).unwrap_or_default();
    Problem {
        code: UNREACHABLE.into(),
        title: String::new(),
        status: 0,
        detail,
        help: None,
        diagnostics: Vec::new(),
    }
}

fn local(detail: &str) -> Problem {
    Problem {
        code: "client.answer".into(),
        title: String::new(),
        status: 0,
        detail: detail.into(),
        help: None,
        diagnostics: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_filled_in() {
        let filled =
            path("/a/{uid}/b/{name}", &[("uid", "1"), ("name", "x y")], |value| value.replace(' ', "%20"));
        assert_eq!(filled, "/a/1/b/x%20y");
    }
}
