//! The designer's files, carried inside the binary. Everything below `/assets` has a name that changes with its content and
//! may be kept for ever; every other path is the page itself, which finds its way by the address.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::RustEmbed;

use super::{Api, guard, mount};

#[derive(RustEmbed)]
#[folder = "../designer/dist"]
#[allow_missing = true]
struct Bundle;

/// The designer was not built before this binary was.
const MISSING: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>Fairway</title>\
    <h1>Fairway runs</h1><p>This binary was built without the designer. In a checkout, <code>cargo xtask run</code> builds \
    both; the command line and the API work as they are.</p>";

/// A file of the designer, or its page.
pub(super) async fn serve(State(api): State<Arc<Api>>, request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return mount::wrong_method(request).await;
    }
    if let Some(answer) = guard::admit(&api.access, request.uri()) {
        return answer;
    }
    let path = request.uri().path().trim_start_matches('/');
    if let Some(file) = Bundle::get(path).filter(|_| !path.is_empty()) {
        return respond(path, file.data);
    }
    // A missing file is an error; a path without an extension is a place within the designer.
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    match Bundle::get("index.html") {
        _ if is_file => (StatusCode::NOT_FOUND, "there is no such file\n").into_response(),
        Some(page) => respond("index.html", page.data),
        None => Html(MISSING).into_response(),
    }
}

fn respond(path: &str, bytes: Cow<'static, [u8]>) -> Response {
    let mut response = match bytes {
        Cow::Borrowed(bytes) => bytes.into_response(),
        Cow::Owned(bytes) => bytes.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(path)));
    let caching =
        if path.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    response
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "wasm" => "application/wasm",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "ftl" | "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
