//! What a sender is told. A refusal is a problem (RFC 9457) with a permanent code; only what is safe is a success (G13).

use bytes::Bytes;
use fairway_engine::hooks::Answer;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use http::{Response, StatusCode};
use http_body_util::Full;
use serde_json::json;

/// Why a request was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) code: &'static str,
    pub(crate) detail: String,
    /// Seconds after which the sender should come back.
    pub(crate) retry_after: Option<u32>,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), retry_after: None }
    }

    /// Asks the sender to come back.
    pub(crate) fn retry_after(mut self, seconds: u32) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// More is waiting than may.
    pub(crate) fn busy() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "webhook.busy",
            "as much is waiting for the channel's targets as may: send it again later",
        )
        .retry_after(1)
    }

    /// The channel takes nothing now.
    pub(crate) fn resting() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "webhook.not_running",
            "the channel is paused or stopping, and did not take the request: send it again later",
        )
        .retry_after(5)
    }

    /// The channel ended while the request waited; nobody knows what became of it.
    pub(crate) fn interrupted() -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "webhook.interrupted",
            "the channel stopped before the request was safe: send it again",
        )
        .retry_after(5)
    }

    /// The targets did not take it in time; it may still arrive.
    pub(crate) fn too_late(seconds: u64) -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "webhook.not_in_time",
            format!("the channel's targets did not have the request within {seconds} s: send it again"),
        )
        .retry_after(5)
    }

    pub(crate) fn response(self) -> Response<Full<Bytes>> {
        let body = json!({
            "title": self.status.canonical_reason().unwrap_or("Refused"),
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        let mut response = Response::new(Full::new(Bytes::from(body.to_string())));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("POST, PUT"));
        }
        response
    }
}

/// That so many records are safe; `repeated` says that they were before.
pub(crate) fn safe(status: StatusCode, records: usize, repeated: bool) -> Response<Full<Bytes>> {
    let body = match (status, records, repeated) {
        (StatusCode::NO_CONTENT, _, _) => Bytes::new(),
        (_, 1, false) => Bytes::from_static(b"{\"accepted\":1}"),
        (_, _, true) => Bytes::from_static(b"{\"accepted\":0,\"repeated\":true}"),
        (_, records, false) => Bytes::from(format!("{{\"accepted\":{records}}}")),
    };
    let empty = body.is_empty();
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    if !empty {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    response
}

/// A response as the runtime's port takes it. Every header set here is one of these three.
pub(crate) async fn plain(response: Response<Full<Bytes>>) -> Answer {
    let named = [(CONTENT_TYPE, "content-type"), (RETRY_AFTER, "retry-after"), (ALLOW, "allow")];
    let headers = named
        .into_iter()
        .filter_map(|(name, plain)| {
            Some((plain, response.headers().get(name)?.to_str().unwrap_or_default().to_owned()))
        })
        .collect();
    let status = response.status().as_u16();
    let body = http_body_util::BodyExt::collect(response.into_body()).await;
    let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_else(|never| match never {});
    Answer { status, headers, body }
}
