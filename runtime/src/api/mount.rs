//! From an endpoint type and a plain function to a route, and to an entry of the description.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use fairway_shared::api::status::Caller;
use fairway_shared::api::{Endpoint, Method};
use fairway_shared::channel::text::MAX_BYTES;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use super::Api;
use super::openapi::Operation;
use crate::problem::{Refused, codes};

/// Most bytes of a request: a document and what is around it.
const LARGEST: usize = MAX_BYTES + 4096;
/// Most bytes of an import, which may hold several documents.
pub(super) const LARGEST_IMPORT: usize = 8 * MAX_BYTES;
/// Bytes of a request that is too large which are read all the same, so that its sender gets to read the answer.
const DRAINED: usize = 2 * LARGEST_IMPORT;

/// A call of an endpoint.
pub(super) struct Call<E: Endpoint> {
    path: HashMap<String, String>,
    query: HashMap<String, String>,
    /// The request's body.
    pub(super) body: E::Request,
    /// `If-Match`, where it was sent.
    pub(super) if_match: Option<String>,
    /// Who calls.
    pub(super) caller: Caller,
}

impl<E: Endpoint> Call<E> {
    /// A parameter of the path; it is there, or the route would not have matched.
    pub(super) fn path(&self, name: &str) -> &str {
        self.path.get(name).map(String::as_str).unwrap_or_default()
    }

    /// A text from the query, if it is there.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.query.get(name).map(String::as_str)
    }

    /// A number from the query, if it is there and is one.
    pub(super) fn number(&self, name: &str) -> Result<Option<u64>, Refused> {
        let parse = |text: &String| {
            text.parse().map_err(|_| {
                Refused::new(codes::REQUEST_UNREADABLE, format!("`{name}={text}` is not a number"))
            })
        };
        self.query.get(name).map(parse).transpose()
    }
}

/// What a function answers to a call.
pub(super) struct Reply<E: Endpoint> {
    answer: E::Answer,
    etag: Option<String>,
}

impl<E: Endpoint> Reply<E> {
    /// An answer.
    pub(super) fn new(answer: E::Answer) -> Self {
        Self { answer, etag: None }
    }

    /// Sends this `ETag` with it.
    pub(super) fn etag(mut self, etag: String) -> Self {
        self.etag = Some(etag);
        self
    }
}

/// What a function gives back.
pub(super) type Answer<E> = Result<Reply<E>, Refused>;

/// Routes by endpoint types.
pub(super) struct Mount {
    router: Router<Arc<Api>>,
    operations: Vec<Operation>,
}

impl Mount {
    /// No routes.
    pub(super) fn new() -> Self {
        Self { router: Router::new(), operations: Vec::new() }
    }

    /// Has a function answer an endpoint.
    pub(super) fn on<E, F, A>(self, function: F) -> Self
    where
        E: Endpoint + 'static,
        F: Fn(Arc<Api>, Call<E>) -> A + Copy + Send + Sync + 'static,
        A: Future<Output = Answer<E>> + Send,
        E::Request: Send,
        E::Answer: Send,
    {
        self.limited(LARGEST, function)
    }

    /// The same for requests that may be larger than one document.
    pub(super) fn limited<E, F, A>(self, largest: usize, function: F) -> Self
    where
        E: Endpoint + 'static,
        F: Fn(Arc<Api>, Call<E>) -> A + Copy + Send + Sync + 'static,
        A: Future<Output = Answer<E>> + Send,
        E::Request: Send,
        E::Answer: Send,
    {
        self.bytes::<E, _, _>(largest, move |api, parts, bytes| async move {
            let call = Call::<E> {
                path: parts.path,
                query: parts.query,
                if_match: parts.if_match,
                caller: parts.caller,
                body: read_json(&bytes)?,
            };
            Ok(respond::<E>(function(api, call).await?))
        })
    }

    /// The same for a function that takes the body as it came and answers by itself.
    pub(super) fn bytes<E, F, A>(mut self, largest: usize, function: F) -> Self
    where
        E: Endpoint + 'static,
        F: Fn(Arc<Api>, Parts, Bytes) -> A + Copy + Send + Sync + 'static,
        A: Future<Output = Result<Response, Refused>> + Send,
    {
        let handler = move |State(api): State<Arc<Api>>,
                            Path(path): Path<HashMap<String, String>>,
                            Query(query): Query<HashMap<String, String>>,
                            request: Request| async move {
            let if_match = request
                .headers()
                .get(header::IF_MATCH)
                .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
            let caller = request.extensions().get().copied().unwrap_or_default();
            let answered = match read_body(request.into_body(), largest).await {
                Ok(bytes) => function(api, Parts { path, query, if_match, caller }, bytes).await,
                Err(refused) => Err(refused),
            };
            answered.unwrap_or_else(refuse)
        };
        let method = match E::METHOD {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
            Method::Put => MethodFilter::PUT,
            Method::Delete => MethodFilter::DELETE,
        };
        self.router = self.router.route(E::PATH, on(method, handler));
        self.operations.push(Operation::of::<E>());
        self
    }

    /// The routes.
    pub(super) fn into_router(self) -> Router<Arc<Api>> {
        self.router
    }

    /// What the routes are, for the description.
    pub(super) fn into_operations(self) -> Vec<Operation> {
        self.operations
    }
}

/// A request without its body.
pub(super) struct Parts {
    /// Parameters of the path.
    pub(super) path: HashMap<String, String>,
    query: HashMap<String, String>,
    if_match: Option<String>,
    caller: Caller,
}

/// An answer as HTTP has it.
pub(super) fn respond<E: Endpoint>(reply: Reply<E>) -> Response {
    let status = StatusCode::from_u16(E::STATUS).unwrap_or(StatusCode::OK);
    let mut response = if status == StatusCode::NO_CONTENT {
        status.into_response()
    } else {
        match serde_json::to_vec(&reply.answer) {
            Ok(bytes) => (status, [(header::CONTENT_TYPE, "application/json")], bytes).into_response(),
            Err(error) => {
                tracing::error!(%error, endpoint = E::ID, "an answer cannot be written");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            }
        }
    };
    set_etag(&mut response, reply.etag);
    response
}

/// A refusal as HTTP has it (RFC 9457).
pub(super) fn refuse(refused: Refused) -> Response {
    let status = StatusCode::from_u16(refused.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let body = serde_json::to_vec(&refused.problem).unwrap_or_default();
    let mut response = (status, [(header::CONTENT_TYPE, "application/problem+json")], body).into_response();
    if let Some(seconds) = retry_after(status) {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    set_etag(&mut response, refused.etag);
    response
}

/// When to come back after a refusal that passes by itself, in seconds.
fn retry_after(status: StatusCode) -> Option<&'static str> {
    match status {
        StatusCode::TOO_MANY_REQUESTS => Some("1"),
        StatusCode::SERVICE_UNAVAILABLE => Some("5"),
        _ => None,
    }
}

/// For paths below `/api` that are no endpoint's.
pub(super) async fn no_such_path(request: Request) -> Response {
    let detail = format!("there is nothing at `{}`", request.uri().path());
    refuse(Refused::new(codes::REQUEST_NO_SUCH_PATH, detail).help("see /api/v1/openapi.json"))
}

/// For paths that do not take the method.
pub(super) async fn wrong_method(request: Request) -> Response {
    let detail = format!("`{}` does not take {}", request.uri().path(), request.method());
    refuse(Refused::new(codes::REQUEST_WRONG_METHOD, detail).help("see /api/v1/openapi.json"))
}

fn set_etag(response: &mut Response, etag: Option<String>) {
    if let Some(etag) = etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
        response.headers_mut().insert(header::ETAG, etag);
    }
}

fn read_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    // An endpoint without a request takes an empty body or an empty object.
    let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}" } else { bytes };
    serde_json::from_slice(bytes).map_err(|error| {
        Refused::new(codes::REQUEST_UNREADABLE, format!("the body cannot be read: {error}"))
            .help("send the JSON that /api/v1/openapi.json describes for this endpoint")
    })
}

async fn read_body(mut body: Body, largest: usize) -> Result<Bytes, Refused> {
    let known = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    let mut bytes = Vec::with_capacity(known.min(largest));
    let (mut seen, mut fits) = (0usize, known <= largest);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| {
            Refused::new(codes::REQUEST_UNREADABLE, format!("the body broke off: {error}"))
        })?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        seen = seen.saturating_add(data.len());
        fits &= seen <= largest;
        if fits {
            bytes.extend_from_slice(&data);
        } else if seen > DRAINED {
            break;
        }
    }
    if fits {
        return Ok(bytes.into());
    }
    Err(Refused::new(codes::REQUEST_TOO_LARGE, format!("the request has more than {} KiB", largest / 1024))
        .help("split the channel, or move large values into files that its components read"))
}
