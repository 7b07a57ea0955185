//! The event stream as Server-Sent Events. Every event has an id; a browser that comes back says what it saw last.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event as Frame, KeepAlive, Sse};
use futures::{Stream, stream};

use super::Api;

/// A comment this often keeps proxies and browsers from giving the connection up.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Everything that happens, from now or from behind `Last-Event-ID` (or `?after=`).
pub(super) async fn events(
    State(api): State<Arc<Api>>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
) -> Sse<impl Stream<Item = Result<Frame, Infallible>>> {
    let header = headers.get("last-event-id").and_then(|value| value.to_str().ok());
    let after = header.or(query.get("after").map(String::as_str));
    let listener = api.controller.events().listen(after.and_then(|id| id.trim().parse().ok()));
    let closing = api.closing.clone();
    let frames = stream::unfold((listener, closing), |(mut listener, closing)| async move {
        let (id, event) = tokio::select! {
            () = closing.cancelled() => return None,
            next = listener.next() => next?,
        };
        let frame = Frame::default().id(id.to_string()).json_data(&*event).unwrap_or_default();
        Some((Ok(frame), (listener, closing)))
    });
    Sse::new(frames).keep_alive(KeepAlive::new().interval(KEEP_ALIVE))
}
