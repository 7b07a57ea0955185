//! A request's way: admitted, read, checked, handed in, and answered when the channel says that it is safe.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use async_trait::async_trait;
use bytes::Bytes;
use fairway_engine::data::Value;
use fairway_engine::hooks::{Answer, Hook, Request};
use futures::TryStreamExt;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::{Full, StreamBody};
use hyper::body::{Body, Frame};
use tokio::sync::{mpsc, oneshot};

use super::body;
use super::reply::{self, Refusal};
use super::room::{Bound, Room};
use super::rules::{Coding, Format, Rules};
use super::seen::{self, Id};

/// A request that was read and waits for its turn.
#[derive(Debug)]
pub(crate) struct HandedIn {
    pub(crate) body: Bytes,
    /// Headers that its records take along.
    pub(crate) headers: Vec<(Arc<str>, Value)>,
    pub(crate) id: Option<Id>,
    pub(crate) answer: oneshot::Sender<Verdict>,
    /// Its share of the bytes that may wait.
    pub(crate) _room: Room,
}

/// What became of a request. A request without a verdict was lost with its channel.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Its records are safe.
    Safe {
        records: usize,
        /// They came with an earlier request of the same id.
        repeated: bool,
    },
    /// It cannot be taken.
    Refused(Refusal),
}

/// Where requests come in.
#[derive(Debug)]
pub(crate) struct Desk {
    rules: Rules,
    requests: Arc<Bound>,
    bytes: Arc<Bound>,
    resting: AtomicBool,
    queue: mpsc::Sender<HandedIn>,
}

impl Desk {
    /// A desk, and where what is handed in comes out.
    pub(crate) fn new(rules: Rules, requests: usize, bytes: usize) -> (Arc<Self>, mpsc::Receiver<HandedIn>) {
        let (queue, handed_in) = mpsc::channel(requests);
        let (requests, bytes) = (Bound::new(requests), Bound::new(bytes));
        (Arc::new(Self { rules, requests, bytes, resting: AtomicBool::new(false), queue }), handed_in)
    }

    /// Takes nothing more, or goes on.
    pub(crate) fn rest(&self, resting: bool) {
        self.resting.store(resting, Ordering::Release);
    }

    /// Answers a request.
    pub(crate) async fn answer<B>(&self, head: &Parts, mut body: B) -> Response<Full<Bytes>>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Display,
    {
        match self.take(head, &mut body).await {
            Ok((records, repeated)) => reply::safe(self.rules.success, records, repeated),
            Err(refusal) => {
                body::drain(&mut body).await;
                refusal.response()
            }
        }
    }

    async fn take<B>(&self, head: &Parts, body: &mut B) -> Result<(usize, bool), Refusal>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Display,
    {
        let rules = &self.rules;
        let coding = rules.admit(head)?;
        if self.resting.load(Ordering::Acquire) {
            return Err(Refusal::resting());
        }
        // Held until the answer: a sender that gave up waits no more.
        let _waiting = self.requests.take(1).ok_or_else(Refusal::busy)?;
        let mut room = self.bytes.take(0).ok_or_else(Refusal::busy)?;
        let mut bytes = body::read(body, rules.limit, &mut room).await?;
        if let Some(signature) = &rules.signature {
            signature
                .check(&head.headers, &bytes, SystemTime::now())
                .map_err(|detail| Refusal::new(StatusCode::UNAUTHORIZED, "webhook.bad_signature", detail))?;
        }
        if coding == Coding::Gzip {
            (bytes, room) = body::inflate(bytes, rules.limit, room).await?;
        }
        if rules.format != Format::Bytes {
            bytes = without_mark(bytes);
            if let Err(error) = std::str::from_utf8(&bytes) {
                let detail = format!("the body is not UTF-8 at byte {}", error.valid_up_to());
                return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "webhook.not_utf8", detail));
            }
        }
        let id = rules.id.as_ref().and_then(|name| head.headers.get(name));
        let (answer, verdict) = oneshot::channel();
        let handed_in = HandedIn {
            body: bytes,
            headers: rules.taken_along(head),
            id: id.map(|value| seen::id(value.as_bytes())),
            answer,
            _room: room,
        };
        self.queue.try_send(handed_in).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => Refusal::busy(),
            mpsc::error::TrySendError::Closed(_) => Refusal::resting(),
        })?;
        match tokio::time::timeout(rules.timeout, verdict).await {
            Ok(Ok(Verdict::Safe { records, repeated })) => Ok((records, repeated)),
            Ok(Ok(Verdict::Refused(refusal))) => Err(refusal),
            Ok(Err(_)) => Err(Refusal::interrupted()),
            Err(_) => Err(Refusal::too_late(rules.timeout.as_secs())),
        }
    }
}

/// The text without a byte order mark.
fn without_mark(bytes: Bytes) -> Bytes {
    match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => bytes.slice_ref(rest),
        None => bytes,
    }
}

#[async_trait]
impl Hook for Desk {
    async fn call(&self, request: Request) -> Answer {
        let mut head = http::Request::new(()).into_parts().0;
        // The port has matched the path; methods and queries that HTTP cannot have do not come from one.
        head.method = request.method.parse().unwrap_or_default();
        head.uri = format!("/?{}", request.query).parse().unwrap_or_default();
        for (name, value) in request.headers {
            if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
                head.headers.append(name, value);
            }
        }
        let body = StreamBody::new(request.body.map_ok(Frame::data));
        reply::plain(self.answer(&head, body).await).await
    }
}
