//! Requests to sources that others call: `/hooks/<uid>/<node>` on the server's own port. No token is wanted here, for
//! senders have none; what a source wants instead (a signature) it checks itself. Foreign hosts and pages are refused
//! before. On a cluster any worker takes them and passes them on to the one whose source listens.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use fairway_engine::hooks;
use futures::TryStreamExt;

use super::{Api, metrics, mount, relay};
use crate::problem::{Refused, codes};

/// The routes; neither compressed nor guarded by the token.
pub(super) fn router(api: Arc<Api>) -> Router<Arc<Api>> {
    Router::new().route("/hooks/{uid}/{node}", any(call)).route_layer(from_fn_with_state(api, metrics::count))
}

async fn call(
    State(api): State<Arc<Api>>,
    Path((uid, node)): Path<(String, String)>,
    request: Request,
) -> Response {
    let Some(hook) = api.hooks.find(&uid, &node) else {
        return match api.controller.worker_of(&uid, &node).await {
            Some(address) if !relay::was_relayed(&request) => {
                relay::pass_on_hook(&api, &address, request).await.unwrap_or_else(mount::refuse)
            }
            _ => nobody(&api, &uid, &node).await,
        };
    };
    let (head, body) = request.into_parts();
    let request = hooks::Request {
        method: head.method.as_str().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        headers: plain(&head.headers),
        body: Box::pin(body.into_data_stream().map_err(io::Error::other)),
    };
    let answer = hook.call(request).await;
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn plain(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec())).collect()
}

/// Where no source listens: of a channel that is there it may again, so senders shall keep what they have.
async fn nobody(api: &Api, uid: &str, node: &str) -> Response {
    // A name that is wrong stays wrong: a sender who is told to come back would come back for ever.
    if !api.controller.has_node(uid, node).await {
        let detail = format!("there is nothing at `/hooks/{uid}/{node}`");
        return mount::refuse(Refused::new(codes::REQUEST_NO_SUCH_PATH, detail));
    }
    let refused = Refused::new(codes::HOOK_NOT_RUNNING, format!("the channel does not listen at `{node}`"));
    let mut response = mount::refuse(refused).into_response();
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}
