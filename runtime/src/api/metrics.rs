//! How many calls there were, by endpoint and status, and how long they took. Paths are those of the routes, not of the
//! requests, so that the labels come from a closed set.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

use super::Api;

/// Calls so far.
#[derive(Debug, Default)]
pub struct Requests(Mutex<BTreeMap<Labels, Calls>>);

/// Method, path of the route, status.
type Labels = (&'static str, String, u16);

#[derive(Debug, Default)]
struct Calls {
    count: u64,
    seconds: f64,
}

impl Requests {
    fn note(&self, labels: Labels, seconds: f64) {
        let mut requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let calls = requests.entry(labels).or_default();
        calls.count += 1;
        calls.seconds += seconds;
    }

    /// Writes them in the Prometheus text format.
    pub(super) fn write(&self, text: &mut String) {
        let requests = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut family = |name: &str, help: &str, value: fn(&Calls) -> String| {
            let mut lines = format!("# HELP {name} {help}\n# TYPE {name} counter\n");
            for ((method, path, status), calls) in requests.iter() {
                let value = value(calls);
                writeln!(lines, "{name}{{method=\"{method}\",path=\"{path}\",status=\"{status}\"}} {value}")
                    .expect("writing to a String cannot fail");
            }
            text.push_str(&lines);
        };
        family("fairway_http_requests_total", "Calls answered.", |calls| calls.count.to_string());
        family("fairway_http_requests_seconds_total", "Time until the answer began.", |calls| {
            format!("{:.6}", calls.seconds)
        });
    }
}

/// Counts a call.
pub(super) async fn count(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    let method = match *request.method() {
        Method::GET => "GET",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        _ => "other",
    };
    let path = request.extensions().get::<MatchedPath>().map_or("page", MatchedPath::as_str).to_owned();
    let start = Instant::now();
    let response = next.run(request).await;
    let elapsed = start.elapsed();
    tracing::debug!(
        method,
        path,
        status = response.status().as_u16(),
        elapsed_ms = elapsed.as_millis(),
        "answered"
    );
    api.requests.note((method, path, response.status().as_u16()), elapsed.as_secs_f64());
    response
}
