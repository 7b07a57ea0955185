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

use crate::i18n::t;

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

/// A document as the server writes it, with the name that it gives to the file.
///
/// # Errors
/// As [`call`].
pub(crate) async fn file<E: Endpoint>(params: Params<'_>) -> Result<(String, Option<String>), Problem>
where
    E::Request: Default,
{
    let (response, text) = exchange::<E>(params, "", &E::Request::default(), None).await?;
    let name = response.headers().get("Content-Disposition").ok().flatten();
    Ok((text, name.and_then(|header| file_name(&header, decode))))
}

/// The extended form of the name in a `Content-Disposition`, which keeps letters of every script.
fn file_name(header: &str, decode: impl Fn(&str) -> Option<String>) -> Option<String> {
    let encoded = header.split(';').find_map(|part| part.trim().strip_prefix("filename*=UTF-8''"))?;
    decode(encoded).filter(|name| !name.is_empty() && !name.contains(['/', '\\']))
}

fn decode(text: &str) -> Option<String> {
    js_sys::decode_uri_component(text).ok().map(String::from)
}

async fn send<E: Endpoint>(
    params: Params<'_>,
    query: &str,
    body: &E::Request,
    etag: Option<&str>,
) -> Result<E::Answer, Problem> {
    let (_, text) = exchange::<E>(params, query, body, etag).await?;
    read(if text.is_empty() { "{}" } else { &text })
}

/// Sends a request; answers what came back, where it is no refusal.
async fn exchange<E: Endpoint>(
    params: Params<'_>,
    query: &str,
    body: &E::Request,
    etag: Option<&str>,
) -> Result<(Response, String), Problem> {
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
    if response.ok() { Ok((response, text)) } else { Err(refusal(&response, &text)) }
}

/// What a problem says to people, in one line.
pub(crate) fn said(problem: &Problem) -> String {
    match () {
        () if problem.code == UNREACHABLE => t!("problem-unreachable"),
        () if problem.detail.is_empty() => problem.title.clone(),
        () => problem.detail.clone(),
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

    #[test]
    fn a_file_is_called_what_the_server_says() {
        let decode = |text: &str| Some(text.replace("%20", " "));
        let name = |header: &str| file_name(header, decode);
        assert_eq!(
            name("attachment; filename=\"a.json\"; filename*=UTF-8''a%20b.json"),
            Some("a b.json".into())
        );
        assert_eq!(name("attachment; filename=\"a.json\""), None);
        assert_eq!(name("attachment; filename*=UTF-8''../x"), None);
    }
}
