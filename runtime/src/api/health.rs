//! What operators and their tools ask: is it alive, is it ready, how does it fare. None of it needs a token, none of it
//! says more than counts.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Api;

/// Answers while the process runs.
pub(super) async fn live() -> &'static str {
    "live\n"
}

/// Answers 200 when the store can be used and the server is not stopping.
pub(super) async fn ready(State(api): State<Arc<Api>>) -> Response {
    if api.draining.is_cancelled() {
        return (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response();
    }
    if api.controller.crew().is_some_and(|crew| !crew.in_touch()) {
        return (StatusCode::SERVICE_UNAVAILABLE, "the brokers of the cluster are out of reach\n")
            .into_response();
    }
    match api.controller.secrets().await {
        Ok(_) => "ready\n".into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store cannot be used\n").into_response(),
    }
}

/// Counts in the Prometheus text format.
pub(super) async fn metrics(State(api): State<Arc<Api>>) -> Response {
    match api.controller.metrics().await {
        Ok(mut text) => {
            api.requests.write(&mut text);
            ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
        }
        Err(refused) => super::mount::refuse(refused),
    }
}
