//! On a cluster any worker answers. What only looks is answered from this worker's own memory, after waiting for `?min_offset=` where that
//! is given. What changes something is the leader's: it is passed on to it, signed, and the answer comes back once this worker has read
//! what was changed. Taps are opened and read at the worker past which the records go. A request with an id (`Fairway-Request-Id`) is carried out once, however often it is sent.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use fairway_shared::api::Endpoint;
use fairway_shared::api::channels::{PlanChannel, ValidateDocument};
use fairway_shared::api::dead_letters::PreviewDeadLetter;
use fairway_shared::api::preview::{PreviewChannel, PreviewDocument, ProbeConnection};
use fairway_shared::api::status::Caller;
use fairway_shared::api::taps::{OpenTap, ReadTap};
use hmac::{Hmac, Mac};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;

use super::{Api, mount};
use crate::config::Token;
use crate::controller::TapPlace;
use crate::crew::Crew;
use crate::problem::{Refused, codes};
use crate::services::kafka::{Answer, Known};

/// Id that a caller gives a request, so that sending it again does nothing again.
const REQUEST_ID: HeaderName = HeaderName::from_static("fairway-request-id");
/// Worker that passed a request on.
const RELAYED_BY: HeaderName = HeaderName::from_static("fairway-relayed-by");
/// Who asked that worker.
const CALLER: HeaderName = HeaderName::from_static("fairway-caller");
/// What shows that it is one of the cluster.
const SIGNATURE: HeaderName = HeaderName::from_static("fairway-signature");
/// Everything that was settled before this offset is in the answer.
const OFFSET: HeaderName = HeaderName::from_static("fairway-offset");

/// Headers of a request that the leader needs.
const PASSED_ON: [HeaderName; 4] = [header::CONTENT_TYPE, header::IF_MATCH, REQUEST_ID, CALLER];
/// Headers of an answer that the caller needs.
const PASSED_BACK: [HeaderName; 5] =
    [header::CONTENT_TYPE, header::ETAG, header::RETRY_AFTER, header::LOCATION, OFFSET];

/// Most bytes of a request or an answer that is passed on.
const LARGEST: usize = 4 * mount::LARGEST_IMPORT;
/// Longest time that the leader may take: it may wait until a channel has drained.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest wait for a connection to the leader.
const CONNECT: Duration = Duration::from_secs(2);
/// How long a request waits for a leader.
const ELECTION: Duration = Duration::from_secs(3);
/// Time between two looks whether one leads.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Answers that are remembered for requests that are sent again.
const REMEMBERED: usize = 256;

/// Answers to requests with an id.
#[derive(Default)]
pub struct Answered(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    order: VecDeque<String>,
    answers: HashMap<String, Arc<tokio::sync::OnceCell<Whole>>>,
}

/// A whole answer.
#[derive(Clone)]
struct Whole {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Answered {
    /// Where the answer to a request is, or comes to be.
    fn place(&self, id: &str) -> Arc<tokio::sync::OnceCell<Whole>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.answers.get(id) {
            return place.clone();
        }
        if kept.order.len() >= REMEMBERED
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.answers.remove(&oldest);
        }
        kept.order.push_back(id.to_owned());
        kept.answers.entry(id.to_owned()).or_default().clone()
    }

    /// A request that came to nothing may be sent again.
    fn forget(&self, id: &str) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.answers.remove(id);
        kept.order.retain(|known| known != id);
    }
}

/// Answers here or has the leader answer.
pub(super) async fn relay(
    State(api): State<Arc<Api>>,
    Path(path): Path<HashMap<String, String>>,
    request: Request,
    next: Next,
) -> Response {
    let Some(crew) = api.controller.crew().cloned() else { return next.run(request).await };
    if let Some(place) = tap_place(&request, path) {
        // Where the records pass. What was passed on once stays: who runs a task may have changed on the way.
        let address = match was_relayed(&request) {
            false => api.controller.tap_elsewhere(&place.uid, place.what()).await,
            true => None,
        };
        return match address {
            Some(address) => pass_on(&api, &crew, &address, request).await.unwrap_or_else(mount::refuse),
            None => next.run(request).await,
        };
    }
    if !changes(request.method(), request.uri().path()) {
        return look(&crew, request, next).await;
    }
    let relayed = was_relayed(&request);
    // An election takes seconds, and most are over before a caller would have come again.
    let until = Instant::now() + if relayed { Duration::ZERO } else { ELECTION };
    loop {
        match crew.leader() {
            Some((_, true)) => return lead(&api, &crew, request, next).await,
            Some((address, false)) if !relayed => {
                return pass_on(&api, &crew, &address, request).await.unwrap_or_else(mount::refuse);
            }
            _ if Instant::now() < until => tokio::time::sleep(LOOK_AGAIN).await,
            _ => return mount::refuse(no_leader("no worker leads the cluster just now")),
        }
    }
}

/// Whether a request changes what is settled.
fn changes(method: &Method, path: &str) -> bool {
    let only_looks = [
        ValidateDocument::PATH,
        PreviewDocument::PATH,
        ProbeConnection::PATH,
        PreviewChannel::PATH,
        PreviewDeadLetter::PATH,
        PlanChannel::PATH,
    ];
    let looks = *method == Method::POST && only_looks.iter().any(|template| fits(template, path));
    !looks && !method.is_safe()
}

/// What a request about a tap is about.
struct Tapping {
    uid: String,
    id: Option<String>,
    query: HashMap<String, String>,
}

impl Tapping {
    fn what(&self) -> TapPlace<'_> {
        let text = |name: &str| self.query.get(name).map_or("", String::as_str);
        match &self.id {
            Some(id) => TapPlace::Id(id),
            None => TapPlace::Edge(text("from"), text("to")),
        }
    }
}

/// The tap that a request is about, where it is about one.
fn tap_place(request: &Request, mut path: HashMap<String, String>) -> Option<Tapping> {
    let about = request.uri().path();
    if !fits(OpenTap::PATH, about) && !fits(ReadTap::PATH, about) {
        return None;
    }
    let Query(query) = Query::try_from_uri(request.uri()).ok()?;
    Some(Tapping { uid: path.remove("uid")?, id: path.remove("id"), query })
}

/// Whether a path is of a template with `{parameters}`.
fn fits(template: &str, path: &str) -> bool {
    let (mut parts, mut wanted) = (path.split('/'), template.split('/'));
    wanted.by_ref().all(|wanted| parts.next().is_some_and(|part| wanted.starts_with('{') || part == wanted))
        && parts.next().is_none()
}

fn no_leader(detail: &str) -> Refused {
    Refused::new(codes::CLUSTER_NO_LEADER, detail).help("repeat it in a few seconds")
}

/// Answers from memory, once it holds what the caller has seen elsewhere.
async fn look(crew: &Crew, request: Request, next: Next) -> Response {
    let asked = request
        .uri()
        .query()
        .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("min_offset=")?.parse().ok()));
    if let Some(offset) = asked
        && let Err(error) = crew.backend().control.reach(offset).await
    {
        return mount::refuse(error.into());
    }
    next.run(request).await
}

/// Carries a request out as the leader.
async fn lead(api: &Api, crew: &Crew, request: Request, next: Next) -> Response {
    let id = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let id = id.map(|id| format!("{} {} {id}", request.method(), request.uri().path()));
    let control = crew.backend().control.clone();
    let answer = async move {
        let mut response = next.run(request).await;
        response.headers_mut().insert(OFFSET, HeaderValue::from(control.reached()));
        response
    };
    let Some(id) = id else { return answer.await };
    let place = api.answered.place(&id);
    let (journal, control, key) =
        (crew.backend().journal.clone(), crew.backend().control.clone(), id.clone());
    // What was begun comes to its end, also when whoever asked has gone: it may ask again. A leader that died may have begun it.
    let begin = || async move {
        let work = async move {
            match journal.request(&key).await {
                Ok(None) => {}
                Ok(Some(Known::Answered(answer))) => return Whole::from(answer),
                Ok(Some(Known::Begun)) => return whole(mount::refuse(unfinished())).await,
                Err(error) => return whole(mount::refuse(error.into())).await,
            }
            let answered = journal.carry_out(&key, async move { whole(answer.await).await }).await;
            if !answered.status.is_server_error()
                && let Err(error) = control.note_answer(&key, (&answered).into()).await
            {
                tracing::warn!(%error, "the next leader will not know the answer to a request");
            }
            answered
        };
        tokio::spawn(work).await.unwrap_or_else(|_| Whole::fault())
    };
    let whole = place.get_or_init(begin).await.clone();
    if whole.status.is_server_error() {
        api.answered.forget(&id);
    }
    whole.into_response()
}

fn unfinished() -> Refused {
    Refused::new(
        codes::CLUSTER_UNFINISHED,
        "the worker that led began this request and died before it had answered",
    )
    .help("look what there is, and send what is missing with another id")
}

impl From<Answer> for Whole {
    fn from(answer: Answer) -> Self {
        let header = |(name, value): (String, String)| Some((name.parse().ok()?, value.parse().ok()?));
        Self {
            status: StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK),
            headers: answer.headers.into_iter().filter_map(header).collect(),
            body: Bytes::from(answer.body),
        }
    }
}

impl From<&Whole> for Answer {
    fn from(whole: &Whole) -> Self {
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))
        };
        Self {
            status: whole.status.as_u16(),
            headers: whole.headers.iter().filter_map(header).collect(),
            body: String::from_utf8_lossy(&whole.body).into_owned(),
        }
    }
}

async fn whole(response: Response) -> Whole {
    let (head, body) = response.into_parts();
    match to_bytes(body, LARGEST).await {
        Ok(body) => Whole { status: head.status, headers: head.headers, body },
        Err(error) => {
            tracing::error!(%error, "an answer broke off");
            Whole::fault()
        }
    }
}

impl Whole {
    fn fault() -> Self {
        Self { status: StatusCode::INTERNAL_SERVER_ERROR, headers: HeaderMap::new(), body: Bytes::new() }
    }
}

impl IntoResponse for Whole {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

/// Has the leader carry a request out.
async fn pass_on(api: &Api, crew: &Crew, address: &str, request: Request) -> Result<Response, Refused> {
    let unreachable = |error: &dyn std::fmt::Display| {
        tracing::warn!(leader = address, %error, "a request could not be passed on");
        no_leader("the worker that leads cannot be reached")
    };
    let broken = |error: &dyn std::fmt::Display| {
        tracing::warn!(leader = address, %error, "no answer came to a request that was passed on");
        Refused::new(codes::CLUSTER_UNCERTAIN, "the worker that leads took the request and did not answer")
            .help("look whether it was done before you repeat it")
    };
    let (head, body) = request.into_parts();
    let body = to_bytes(body, LARGEST).await.map_err(|error| {
        Refused::new(codes::REQUEST_TOO_LARGE, format!("the request cannot be passed on: {error}"))
    })?;
    let authority = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut headers: HeaderMap =
        PASSED_ON.iter().filter_map(|name| Some((name.clone(), head.headers.get(name)?.clone()))).collect();
    let caller = head.extensions.get::<Caller>().copied().unwrap_or_default();
    headers.insert(CALLER, HeaderValue::from_static(word_of(caller)));
    // Should the answer be lost on the way, nobody may be told that nothing was done.
    headers.entry(REQUEST_ID).or_insert_with(fresh_id);
    let signature = signature(&api.access.token, &head.method, path, &headers, &body);
    headers.insert(SIGNATURE, HeaderValue::try_from(signature).map_err(|error| unreachable(&error))?);
    let me = HeaderValue::try_from(api.about.worker.clone()).map_err(|error| unreachable(&error))?;
    headers.insert(RELAYED_BY, me);
    let host = HeaderValue::try_from(authority.clone()).map_err(|error| unreachable(&error))?;
    headers.insert(header::HOST, host);

    let exchange = async {
        let mut sent = hyper::Request::new(Full::new(body.clone()));
        *sent.method_mut() = head.method.clone();
        *sent.uri_mut() = path.parse().map_err(|error| unreachable(&error))?;
        *sent.headers_mut() = headers;
        let stream = connect(&authority).await.map_err(|error| unreachable(&error))?;
        let (head, body) = send(stream, sent).await.map_err(|error| broken(&error))?.into_parts();
        let body = body.collect().await.map_err(|error| broken(&error))?.to_bytes();
        Ok::<_, Refused>((head, body))
    };
    let exchange = tokio::time::timeout(PATIENCE, exchange).await;
    let (answered, body) = exchange.map_err(|_| broken(&"it takes too long"))??;
    let headers: HeaderMap = PASSED_BACK
        .iter()
        .filter_map(|name| Some((name.clone(), answered.headers.get(name)?.clone())))
        .collect();
    // Whoever asks here next is to see what was changed.
    let offset = headers.get(OFFSET).and_then(|offset| offset.to_str().ok()?.parse().ok());
    if let Some(offset) = offset
        && let Err(error) = crew.backend().control.reach(offset).await
    {
        tracing::warn!(%error, "what the leader changed is not read here yet");
    }
    Ok(Whole { status: answered.status, headers, body }.into_response())
}

/// Who asked the worker that passed a request on. Its signature is over this as well.
pub(super) fn caller(request: &Request) -> Caller {
    let word = request.headers().get(CALLER).and_then(|word| word.to_str().ok());
    match word {
        Some(word) if word == word_of(Caller::Session) => Caller::Session,
        _ => Caller::Token,
    }
}

fn word_of(caller: Caller) -> &'static str {
    match caller {
        Caller::Session => "session",
        Caller::Token | Caller::CommandLine => "token",
    }
}

/// A connection to another worker.
async fn connect(authority: &str) -> std::io::Result<TcpStream> {
    tokio::time::timeout(CONNECT, TcpStream::connect(authority)).await?
}

/// Sends one request over a connection, which ends with the answer.
async fn send<B>(stream: TcpStream, request: hyper::Request<B>) -> hyper::Result<hyper::Response<Incoming>>
where
    B: hyper::body::Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    // It ends when both halves of the exchange have.
    tokio::spawn(connection);
    sender.send_request(request).await
}

/// Whether another worker passed a request on.
pub(super) fn was_relayed(request: &Request) -> bool {
    request.headers().contains_key(RELAYED_BY)
}

/// Has the worker answer whose source listens, as the sender's request came.
pub(super) async fn pass_on_hook(
    api: &Api,
    address: &str,
    mut request: Request,
) -> Result<Response, Refused> {
    let fault = |error: &dyn std::fmt::Display| {
        tracing::warn!(worker = address, %error, "a request to a hook could not be passed on");
        Refused::new(
            codes::HOOK_NOT_RUNNING,
            "the worker whose source takes these requests cannot be reached",
        )
    };
    let authority = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    *request.uri_mut() = path.parse().map_err(|error| fault(&error))?;
    let headers = request.headers_mut();
    headers.remove(header::CONNECTION);
    headers.insert(header::HOST, HeaderValue::try_from(&authority).map_err(|error| fault(&error))?);
    let me = HeaderValue::try_from(&api.about.worker).map_err(|error| fault(&error))?;
    headers.insert(RELAYED_BY, me);
    let stream = connect(&authority).await.map_err(|error| fault(&error))?;
    let answer = tokio::time::timeout(PATIENCE, send(stream, request)).await;
    let mut answer = answer.map_err(|error| fault(&error))?.map_err(|error| fault(&error))?;
    answer.headers_mut().remove(header::CONNECTION);
    answer.headers_mut().remove(header::TRANSFER_ENCODING);
    Ok(answer.map(Body::new))
}

fn fresh_id() -> HeaderValue {
    HeaderValue::try_from(uuid::Uuid::new_v4().to_string()).expect("a uuid is plain text")
}

/// Whether a worker of this cluster passed a request on. Answers the request as it was, for its body was read.
pub(super) async fn is_signed(token: &Token, request: Request) -> Result<(Request, bool), Refused> {
    let Some(given) = request.headers().get(SIGNATURE).cloned() else { return Ok((request, false)) };
    let (head, body) = request.into_parts();
    let body = to_bytes(body, LARGEST).await.map_err(|error| {
        Refused::new(codes::REQUEST_TOO_LARGE, format!("the request cannot be read: {error}"))
    })?;
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let signed = mac(token, &head.method, path, &head.headers, &body);
    let given = given.to_str().ok().and_then(from_hex).unwrap_or_default();
    if signed.verify_slice(&given).is_err() {
        return Err(Refused::new(
            codes::CLUSTER_STRANGER,
            "the worker that passed this on has another token",
        )
        .help("start all workers of the cluster with the same FAIRWAY_TOKEN or --token-file"));
    }
    Ok((Request::from_parts(head, Body::from(body)), true))
}

fn signature(token: &Token, method: &Method, path: &str, headers: &HeaderMap, body: &[u8]) -> String {
    let signed = mac(token, method, path, headers, body).finalize().into_bytes();
    signed.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Over everything that decides what a request does; its id keeps one that was overheard from being of use again.
fn mac(token: &Token, method: &Method, path: &str, headers: &HeaderMap, body: &[u8]) -> Hmac<Sha256> {
    let key = Sha256::digest(format!("fairway relay\n{}", token.reveal()));
    let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&key).expect("HMAC takes keys of any length");
    let mut part = |bytes: &[u8]| {
        mac.update(&(bytes.len() as u64).to_be_bytes());
        mac.update(bytes);
    };
    part(method.as_str().as_bytes());
    part(path.as_bytes());
    for name in PASSED_ON {
        part(headers.get(name).map_or(b"", |value| value.as_bytes()));
    }
    part(body);
    mac
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks_stays_here() {
        for (method, path, expected) in [
            (Method::GET, "/api/v1/channels", false),
            (Method::POST, "/api/v1/channels", true),
            (Method::POST, ValidateDocument::PATH, false),
            (Method::POST, PreviewDocument::PATH, false),
            (Method::POST, "/api/v1/channels/u/preview", false),
            (Method::POST, "/api/v1/channels/u/plan", false),
            (Method::POST, "/api/v1/channels/u/dead-letters/7/preview", false),
            (Method::PUT, "/api/v1/channels/u/dead-letters/7/record", true),
            (Method::POST, "/api/v1/channels/u/deploy", true),
            (Method::PUT, "/api/v1/channels/u/plan", true),
            (Method::POST, ProbeConnection::PATH, false),
            (Method::DELETE, "/api/v1/secrets/preview-of-mine", true),
        ] {
            assert_eq!(changes(&method, path), expected, "{method} {path}");
        }
    }

    #[tokio::test]
    async fn a_signature_holds_for_one_token_and_one_request() {
        let token = Token::new("a token of the cluster");
        let request = |path: &str, body: &'static str, signature: &str| {
            let mut request = Request::new(Body::from(body));
            *request.method_mut() = Method::POST;
            *request.uri_mut() = path.parse().unwrap();
            request.headers_mut().insert(SIGNATURE, signature.parse().unwrap());
            request
        };
        let good = signature(&token, &Method::POST, "/x?a=1", &HeaderMap::new(), b"body");
        let (back, signed) = is_signed(&token, request("/x?a=1", "body", &good)).await.unwrap();
        assert!(signed);
        assert_eq!(to_bytes(back.into_body(), 100).await.unwrap(), "body");
        for wrong in [
            request("/x?a=2", "body", &good),
            request("/x?a=1", "other", &good),
            request("/x?a=1", "body", "00"),
        ] {
            assert!(is_signed(&token, wrong).await.is_err());
        }
        let other = Token::new("a token of another one");
        assert!(is_signed(&other, request("/x?a=1", "body", &good)).await.is_err());
    }
}
