//! What the settings ask of a request before its body is read.

use std::sync::Arc;
use std::time::Duration;

use fairway_engine::data::Value;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderName, Method, StatusCode};
use url::form_urlencoded;

use super::reply::Refusal;
use super::signature::Signature;

/// What a body holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Objects: one, a list, or one after the other.
    Json,
    /// One record, its text.
    Text,
    /// One record, its bytes.
    Bytes,
}

/// How a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    Plain,
    Gzip,
}

/// What the settings say.
#[derive(Debug)]
pub(crate) struct Rules {
    /// The only path taken; any if none is set.
    pub(crate) path: Option<String>,
    /// Names besides this machine's that a request may be addressed to; `None` lets every name through.
    pub(crate) hosts: Option<Vec<String>>,
    pub(crate) format: Format,
    /// Most bytes of a body, before and after decompression.
    pub(crate) limit: usize,
    /// How long a request may wait until it is safe.
    pub(crate) timeout: Duration,
    pub(crate) success: StatusCode,
    pub(crate) signature: Option<Signature>,
    /// Header with the id of a request.
    pub(crate) id: Option<HeaderName>,
    /// Headers of a request that its records take along, with their names in records.
    pub(crate) headers: Vec<(HeaderName, Arc<str>)>,
    /// Content types, in lower case, that are taken for JSON besides those that say so.
    pub(crate) also_json: Vec<String>,
    /// Query parameters that records take along as headers.
    pub(crate) parameters: Vec<Arc<str>>,
}

impl Rules {
    /// Whether a request may go on to be read, and how.
    pub(crate) fn admit(&self, head: &Parts) -> Result<Coding, Refusal> {
        if self.path.as_deref().is_some_and(|path| path != head.uri.path()) {
            let detail = format!("nothing is taken at `{}`", head.uri.path());
            return Err(Refusal::new(StatusCode::NOT_FOUND, "webhook.no_such_path", detail));
        }
        if head.method != Method::POST && head.method != Method::PUT {
            let detail = format!("records are sent by POST or PUT, not by {}", head.method);
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "webhook.wrong_method", detail));
        }
        self.check_names(head)?;
        self.check_type(head)?;
        match text(head, &CONTENT_ENCODING).trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(Coding::Plain),
            "gzip" | "x-gzip" => Ok(Coding::Gzip),
            other => Err(unsupported(format!("bodies may be plain or compressed by gzip, not by `{other}`"))),
        }
    }

    /// A listener that only this machine reaches could otherwise be fed by any page that is open on it.
    fn check_names(&self, head: &Parts) -> Result<(), Refusal> {
        // Whoever stands between may have gone by the other one.
        if head.headers.get_all(HOST).iter().count() > 1 {
            let detail = "the request has several `Host` headers";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "webhook.several_hosts", detail));
        }
        let Some(others) = &self.hosts else { return Ok(()) };
        let host = head.uri.authority().map_or_else(|| text(head, &HOST), |authority| authority.as_str());
        let name = without_port(host).to_ascii_lowercase();
        let known = matches!(name.as_str(), "localhost" | "127.0.0.1" | "[::1]")
            || others.iter().any(|other| other.eq_ignore_ascii_case(&name));
        if !known {
            let detail = format!("the request is addressed to `{host}`, which is not among `hosts`");
            return Err(Refusal::new(StatusCode::FORBIDDEN, "webhook.foreign_host", detail));
        }
        let origin = text(head, &ORIGIN);
        let own = origin.is_empty() || origin.split_once("://").is_some_and(|(_, from)| from == host);
        if !own {
            let detail = format!("the request comes from a page of `{origin}`");
            return Err(Refusal::new(StatusCode::FORBIDDEN, "webhook.foreign_origin", detail));
        }
        Ok(())
    }

    fn check_type(&self, head: &Parts) -> Result<(), Refusal> {
        if self.format == Format::Bytes {
            return Ok(());
        }
        let mut parts = text(head, &CONTENT_TYPE).split(';').map(str::trim);
        let media = parts.next().unwrap_or_default().to_ascii_lowercase();
        if self.format == Format::Json && !is_json(&media) && !self.also_json.contains(&media) {
            let detail = format!(
                "`{media}` is not taken: send JSON as `content-type: application/json`, or have it named in `content_types`"
            );
            return Err(unsupported(detail));
        }
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.eq_ignore_ascii_case("charset").then(|| value.trim_matches('"').to_ascii_lowercase())
        });
        match charset.as_deref() {
            None | Some("utf-8" | "utf8" | "us-ascii") => Ok(()),
            Some(other) => Err(unsupported(format!("text must be UTF-8, not `{other}`"))),
        }
    }

    /// What the records of a request take along as headers.
    pub(crate) fn taken_along(&self, head: &Parts) -> Vec<(Arc<str>, Value)> {
        let mut taken = Vec::new();
        for (name, record_name) in &self.headers {
            for value in head.headers.get_all(name) {
                let value = match std::str::from_utf8(value.as_bytes()) {
                    Ok(text) => Value::Str(text.to_owned()),
                    Err(_) => Value::Bytes(value.as_bytes().to_vec()),
                };
                taken.push((record_name.clone(), value));
            }
        }
        if let Some(query) = head.uri.query().filter(|_| !self.parameters.is_empty()) {
            for (name, value) in form_urlencoded::parse(query.as_bytes()) {
                if let Some(name) = self.parameters.iter().find(|wanted| ***wanted == *name) {
                    taken.push((name.clone(), Value::Str(value.into_owned())));
                }
            }
        }
        taken
    }
}

/// A request without a type is taken for what is expected. `text/plain` is not among these: any web page may send it
/// anywhere without being asked.
fn is_json(media: &str) -> bool {
    const ALSO: [&str; 6] = [
        "",
        "application/json",
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "text/json",
    ];
    ALSO.contains(&media) || media.ends_with("+json")
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => authority,
    }
}

fn unsupported(detail: String) -> Refusal {
    Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "webhook.unsupported", detail)
}

fn text<'h>(head: &'h Parts, name: &HeaderName) -> &'h str {
    head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}
