//! Who may call what, and what every answer says to the browser. A listener on this machine could otherwise be driven by
//! any page the user visits: foreign names and foreign pages are refused, and the API wants a token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use fairway_shared::api::status::Caller;

use super::{Access, Api, mount, relay};
use crate::problem::{Refused, codes};

/// Nothing from elsewhere, nothing inline but style attributes; WebAssembly may be compiled.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Puts the headers on every answer; what does not say otherwise is not to be stored.
pub(super) async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Refuses requests made out to another name, and requests from pages of another site.
pub(super) async fn origin(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    // Whoever stands between may have gone by the other one.
    if request.headers().get_all(header::HOST).iter().count() > 1 {
        let detail = "the request has several `Host` headers";
        return mount::refuse(Refused::new(codes::REQUEST_UNREADABLE, detail).help("send one"));
    }
    let host = host(&request);
    if api.access.local && !host.as_deref().is_some_and(is_this_machine) {
        let detail = format!("the request is addressed to `{}`", host.unwrap_or_default());
        return mount::refuse(
            Refused::new(codes::REQUEST_FOREIGN_HOST, detail).help("use 127.0.0.1 or localhost"),
        );
    }
    if let Some(origin) = text(request.headers(), header::ORIGIN) {
        let own = origin.split_once("://").is_some_and(|(scheme, authority)| {
            matches!(scheme, "http" | "https") && Some(authority) == host.as_deref()
        });
        if !own {
            let detail = format!("the request comes from a page of `{origin}`");
            return mount::refuse(Refused::new(codes::REQUEST_FOREIGN_ORIGIN, detail));
        }
    }
    next.run(request).await
}

/// Begins nothing while the server drains; what there is can still be looked at.
pub(super) async fn draining(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    if api.draining.is_cancelled() && !request.method().is_safe() {
        return mount::refuse(
            Refused::new(codes::SERVER_STOPPING, "the server is about to stop, and drains what is in flight")
                .help("try again when it has started again"),
        );
    }
    next.run(request).await
}

/// Wants the token, from the header or from the cookie that opening the printed address sets.
pub(super) async fn token(State(api): State<Arc<Api>>, mut request: Request, next: Next) -> Response {
    let access = &api.access;
    let bearer = text(request.headers(), header::AUTHORIZATION)
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim());
    let caller = if bearer.is_some() { Caller::Token } else { Caller::Session };
    if bearer.or_else(|| cookie(access, request.headers())).is_some_and(|word| access.token.admits(word)) {
        request.extensions_mut().insert(caller);
        return next.run(request).await;
    }
    // Another worker of the cluster asked for it there, and says for whom.
    let request = match relay::is_signed(&access.token, request).await {
        Ok((mut request, true)) => {
            let caller = relay::caller(&request);
            request.extensions_mut().insert(caller);
            return next.run(request).await;
        }
        Ok((request, false)) => request,
        Err(refused) => return mount::refuse(refused),
    };
    drop(request);
    let mut response = mount::refuse(
        Refused::new(codes::REQUEST_NO_TOKEN, "the request carries no valid token").help(
            "open the address that Fairway printed when it started, or send the token as `Authorization: Bearer …`",
        ),
    );
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// For a page opened with `?token=…`: sets the cookie and leads to the address without it, so that the token stays in
/// neither history nor referrer.
pub(super) fn admit(access: &Access, uri: &Uri) -> Option<Response> {
    let word = uri.query()?.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    if !access.token.admits(word) {
        let detail = "the token in the address is not, or no longer, this server's";
        return Some(mount::refuse(
            Refused::new(codes::REQUEST_NO_TOKEN, detail).help("open the address that Fairway printed last"),
        ));
    }
    let cookie =
        format!("{}={word}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000", cookie_name(access));
    Some(
        (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, uri.path().to_owned())])
            .into_response(),
    )
}

fn cookie_name(access: &Access) -> String {
    format!("fairway_{}", access.port)
}

fn cookie<'h>(access: &Access, headers: &'h HeaderMap) -> Option<&'h str> {
    let name = cookie_name(access);
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

/// Name and port that a request is addressed to.
fn host(request: &Request) -> Option<String> {
    let authority = request.uri().authority().map(|authority| authority.as_str());
    authority.or_else(|| text(request.headers(), header::HOST)).map(str::to_owned)
}

/// Whether an authority names this machine as seen from itself, whatever the port: it may be forwarded.
fn is_this_machine(authority: &str) -> bool {
    let name = match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    };
    matches!(name.to_ascii_lowercase().as_str(), "localhost" | "127.0.0.1" | "[::1]")
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn other_names_are_foreign() {
        for own in ["127.0.0.1:8787", "localhost", "LOCALHOST:1", "[::1]:8787", "[::1]"] {
            assert!(is_this_machine(own), "{own}");
        }
        for foreign in [
            "evil.example:8787",
            "127.0.0.1.evil.example",
            "localhost.evil:80",
            "",
            "127.0.0.1:x",
            "10.0.0.1:8787",
        ] {
            assert!(!is_this_machine(foreign), "{foreign}");
        }
    }
}
