//! HTTP: the one place that knows axum. Endpoints are mounted by their types from `fairway_shared::api`, so that server,
//! clients and description cannot drift.
//!
//! | File | Holds |
//! |---|---|
//! | [`mount`] | an endpoint type and a plain function become a route |
//! | `routes` | which function answers which endpoint |
//! | `guard` | foreign hosts and origins, tokens, headers of every answer |
//! | `relay` | on a cluster: what is answered here, what the leader answers |
//! | `hooks` | requests to sources that others call |
//! | `serve` | connections: slow heads and idle ones are cut |
//! | `stream` | events as Server-Sent Events |
//! | `openapi` | the description of all endpoints |
//! | `pages` | the designer's files |
//! | `health`, `metrics` | live, ready; how many calls there were |

mod guard;
mod health;
mod hooks;
mod metrics;
mod mount;
mod openapi;
mod pages;
mod relay;
mod routes;
mod serve;
mod stream;

use std::sync::Arc;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use fairway_shared::api::system::About;
use tokio_util::sync::CancellationToken;
use tower_http::compression::CompressionLayer;

use crate::config::Token;
use crate::controller::Controller;
use crate::hooks::HookPort;

pub use metrics::Requests;
pub use openapi::describe;
pub use relay::Answered;
pub(crate) use serve::serve;

/// What the handlers share.
pub struct Api {
    /// The facade.
    pub controller: Controller,
    /// Who answers.
    pub about: About,
    /// Sources that others call.
    pub hooks: HookPort,
    /// Who may call.
    pub access: Access,
    /// Set while the server drains: nothing new is begun.
    pub draining: CancellationToken,
    /// Ends the event streams when the server stops.
    pub closing: CancellationToken,
    /// How many calls there were.
    pub requests: Requests,
    /// Answers to requests that may be sent again.
    pub answered: Answered,
}

/// Who may call.
#[derive(Debug, Clone)]
pub struct Access {
    /// What a caller must know.
    pub token: Token,
    /// Port of the listener: browsers keep cookies by host only, so the cookie's name carries it.
    pub port: u16,
    /// Whether only this machine can reach the listener; then other names in `Host` are refused.
    pub local: bool,
}

/// Everything that is served.
pub fn router(api: Arc<Api>) -> Router {
    let compression = CompressionLayer::new().gzip(true);
    routes::mount()
        .into_router()
        .route(fairway_shared::api::events::EVENTS_PATH, axum::routing::get(stream::events))
        .route("/api/v1/openapi.json", axum::routing::get(openapi::serve))
        .route_layer(from_fn_with_state(api.clone(), relay::relay))
        .route_layer(from_fn_with_state(api.clone(), guard::draining))
        .route_layer(from_fn_with_state(api.clone(), guard::token))
        .route("/api/{*rest}", axum::routing::any(mount::no_such_path))
        .route("/livez", axum::routing::get(health::live))
        .route("/readyz", axum::routing::get(health::ready))
        .route("/metrics", axum::routing::get(health::metrics))
        .method_not_allowed_fallback(mount::wrong_method)
        .fallback(pages::serve)
        .layer(from_fn_with_state(api.clone(), metrics::count))
        .layer(compression)
        .merge(hooks::router(api.clone()))
        .layer(from_fn_with_state(api.clone(), guard::origin))
        .layer(from_fn(guard::headers))
        .with_state(api)
}
