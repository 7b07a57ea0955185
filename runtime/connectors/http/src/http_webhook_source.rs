//! `http_webhook_source`: records that others send by HTTP. A request's way is in `receiving`.

use std::any::Any;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig};
use fairway_engine::position::Position;
use fairway_engine::secret::Secret;
use fairway_engine::source::{Next, Source, SourceCtx};
use fairway_engine::units::{Size, Span};
use fairway_shared::channel::Guarantee;
use http::{HeaderName, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;

use crate::receiving::desk::{Desk, HandedIn, Verdict};
use crate::receiving::intake::Intake;
use crate::receiving::listener::Listener;
use crate::receiving::reply::Refusal;
use crate::receiving::rules::{self, Rules};
use crate::receiving::seen::Seen;
use crate::receiving::signature::{self, Signature};

/// Takes records that other systems send by HTTP, and answers when they are safe.
///
/// A `POST` or `PUT` brings one JSON object, a list of objects, or objects one after the other (lines); each object
/// becomes a record. The answer is a receipt: a success is sent only after every target has the records, or their
/// dead letters, and the position is stored. Whatever else is answered, the sender should send the request again: it may
/// arrive twice then, never not at all.
///
/// | Answer | Why | Send again |
/// |---|---|---|
/// | 200 (or `status`) | the records are safe | no |
/// | 400, 408 | the body broke off, is not what gzip makes, or came too slowly; several `Host` headers | yes |
/// | 401 | the signature is missing or wrong | no |
/// | 403 | the request is addressed to a foreign name, or comes from a web page | no |
/// | 404, 405 | wrong path or method | no |
/// | 413 | the body has more than `max_body`, compressed or not | no |
/// | 415 | wrong `Content-Type`, `Content-Encoding` or charset | no |
/// | 422 | the body is not UTF-8, or not JSON objects; nothing of it was taken | no |
/// | 429 | as much is waiting as may | yes, after `Retry-After` |
/// | 503 | the channel is paused, stopping or was interrupted | yes, after `Retry-After` |
/// | 504 | the targets did not have the records within `timeout` | yes, after `Retry-After` |
///
/// JSON is taken as `application/json`, `application/x-ndjson` and the like, `…+json`, or without a `Content-Type`; as any other
/// one, `text/plain` included, only where `content_types` names it. With `format` `text` or `bytes` every type is taken.
///
/// A bad request is refused and the channel goes on, whatever its error policy. A record that fails later, in a transform
/// or at a target, follows the policy: with `dead_letter` the sender gets its receipt when the dead letter is stored, with
/// `stop` it gets 503, with `drop` a receipt for what was dropped as drawn.
///
/// With `listen` the source has a port of its own. Without it, requests come to Fairway's own address at
/// `/hooks/<uid of the channel>/<id of the node>`, which exists under `fairway serve`; `fairway run` needs `listen`. No token
/// is asked for at either: set `signature` wherever others than you can reach it. Neither port speaks TLS: put a
/// proxy that does before a port that other machines reach.
///
/// With `id_header`, a request that comes again with the same id is answered like the first and brings nothing new: the
/// last 100,000 ids are known, after a restart the last 256 that were safe. What was under way at a crash may still
/// arrive twice.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpWebhookSource {
    /// Address to listen on, `HOST:PORT`; without it, requests come to Fairway's own address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1, "placeholder": "127.0.0.1:9000"}))]
    listen: Option<String>,
    /// The only path that is taken on `listen`; without it every path is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 2, "placeholder": "/orders"}))]
    path: Option<String>,
    /// What a body holds.
    #[serde(default = "default_format")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    format: Format,
    /// Field that a text or bytes go to.
    #[serde(default = "default_field")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 4, "show_if": {"format": ["text", "bytes"]}}))]
    field: String,
    /// How senders sign requests; without it, whoever reaches the address may send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 5}))]
    signature: Option<Signed>,
    /// Header with an id of the request, such as `Idempotency-Key`: a request that comes again counts once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 6, "placeholder": "Idempotency-Key"}))]
    id_header: Option<String>,
    /// Headers of a request that its records take along as headers, under their names in lower case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 7}))]
    headers: Vec<String>,
    /// Query parameters of a request that its records take along as headers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 8}))]
    parameters: Vec<String>,
    /// Status of a success: 200 to 299. 204 is sent without a body.
    #[serde(default = "default_status")]
    #[schemars(range(min = 200, max = 299), extend("x-ui" = {"order": 9, "advanced": true}))]
    status: u16,
    /// How long a sender waits for its receipt at most.
    #[serde(default = "default_timeout")]
    #[schemars(extend("x-ui" = {"order": 10, "advanced": true}))]
    timeout: Span,
    /// Most bytes of one body, also after decompression; at most 256 MiB.
    #[serde(default = "default_max_body")]
    #[schemars(extend("x-ui" = {"order": 11, "advanced": true}))]
    max_body: Size,
    /// Most requests that wait for their receipt; more are answered 429.
    #[serde(default = "default_max_waiting")]
    #[schemars(range(min = 1, max = 100_000), extend("x-ui" = {"order": 12, "advanced": true}))]
    max_waiting: usize,
    /// Most bytes of bodies that wait to enter the channel; more are answered 429.
    #[serde(default = "default_max_waiting_bytes")]
    #[schemars(extend("x-ui" = {"order": 13, "advanced": true}))]
    max_waiting_bytes: Size,
    /// Most connections to `listen` at a time; further ones wait. One that is kept open between requests gives way when others
    /// wait.
    #[serde(default = "default_max_connections")]
    #[schemars(range(min = 1, max = 100_000), extend("x-ui" = {"order": 14, "advanced": true}))]
    max_connections: usize,
    /// Names besides this machine's by which senders may address a `listen` that only this machine reaches, such as that of
    /// a proxy before it. Not needed with `signature`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 15, "advanced": true}))]
    hosts: Vec<String>,
    /// Further values of `Content-Type` that bodies of JSON may come with, such as `text/plain`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 16, "advanced": true, "show_if": {"format": ["json"]}, "placeholder": "text/plain"}))]
    content_types: Vec<String>,
}

/// What a body holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Format {
    /// JSON objects: one, a list, or one after the other.
    Json,
    /// One record with the text of the body.
    Text,
    /// One record with the bytes of the body.
    Bytes,
}

/// How senders sign requests: HMAC-SHA256 over the body as it is sent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signed {
    /// Header with the signature.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "placeholder": "X-Hub-Signature-256"}))]
    header: String,
    /// The secret that sender and source share.
    #[schemars(extend("x-ui" = {"order": 2}))]
    secret: Secret,
    /// How the signature is written.
    #[serde(default = "default_encoding")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    encoding: Encoding,
    /// What stands before the signature, such as `sha256=`.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 4, "placeholder": "sha256="}))]
    prefix: String,
    /// Header with the time of sending, in seconds since 1970; then `<time>.<body>` is what is signed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 5}))]
    time_header: Option<String>,
    /// How far that time may be from now.
    #[serde(default = "default_tolerance")]
    #[schemars(extend("x-ui" = {"order": 6}))]
    tolerance: Span,
}

/// How a signature is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Encoding {
    /// Hexadecimal digits.
    Hex,
    /// Base64, padded.
    Base64,
}

/// Largest body that may be allowed.
const LARGEST: usize = 256 << 20;

fn default_format() -> Format {
    Format::Json
}

fn default_field() -> String {
    "body".into()
}

fn default_status() -> u16 {
    200
}

fn default_timeout() -> Span {
    Span::parse("30s").expect("this is a time")
}

fn default_max_body() -> Size {
    Size::parse("1MiB").expect("this is a size")
}

fn default_max_waiting() -> usize {
    2048
}

fn default_max_waiting_bytes() -> Size {
    Size::parse("16MiB").expect("this is a size")
}

fn default_max_connections() -> usize {
    1024
}

fn default_encoding() -> Encoding {
    Encoding::Hex
}

fn default_tolerance() -> Span {
    Span::parse("5m").expect("this is a time")
}

impl Config for HttpWebhookSource {
    const META: Meta = Meta {
        // What is sent again comes in another order.
        delivery: Guarantee::AtLeastOnce,
        examples: &[
            ("Orders on a port of their own", r#"{"listen":"127.0.0.1:9000","path":"/orders"}"#),
            (
                "Signed as GitHub does it, at Fairway's own address",
                r#"{"signature":{"header":"X-Hub-Signature-256","secret":"${secret:github}","prefix":"sha256="},"id_header":"X-GitHub-Delivery","headers":["X-GitHub-Event"]}"#,
            ),
            ("Plain text", r#"{"listen":"127.0.0.1:9001","format":"text","field":"line"}"#),
        ],
        ..Meta::new("http_webhook_source", "Webhook", "http")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        let mut issue =
            |field: &str, message: String, help: &str| issues.push(Issue::new(field, message, help));
        match &self.listen {
            Some(listen) => {
                let port =
                    listen.rsplit_once(':').and_then(|(host, port)| (!host.is_empty()).then_some(port));
                if port.is_none_or(|port| port.parse::<u16>().is_err()) {
                    issue("listen", format!("`{listen}` is not HOST:PORT"), "write it as `127.0.0.1:9000`");
                }
            }
            None if self.path.is_some() => {
                issue("path", "only a port of its own has paths".into(), "set `listen`, or leave this out");
            }
            None => {}
        }
        if self.path.as_ref().is_some_and(|path| !path.starts_with('/')) {
            issue("path", "a path begins with `/`".into(), "write it as `/orders`");
        }
        let mut names: Vec<(String, &str)> = Vec::new();
        names.extend(self.id_header.iter().map(|name| ("id_header".into(), name.as_str())));
        let numbered = self.headers.iter().enumerate();
        names.extend(numbered.map(|(index, name)| (format!("headers.{index}"), name.as_str())));
        if let Some(signed) = &self.signature {
            names.push(("signature.header".into(), &signed.header));
            names.extend(
                signed.time_header.iter().map(|name| ("signature.time_header".into(), name.as_str())),
            );
            if signed.secret.reveal().is_empty() {
                issue("signature.secret", "an empty secret protects nothing".into(), "set one");
            }
        }
        for (field, name) in names {
            if name.parse::<HeaderName>().is_err() {
                issue(
                    &field,
                    format!("`{name}` cannot be the name of a header"),
                    "use letters, digits and `-`",
                );
            }
        }
        let body = self.max_body.get();
        if body == 0 || body > LARGEST {
            issue("max_body", "a body may have 1 byte to 256 MiB".into(), "choose a size between");
        }
        if self.max_waiting_bytes.get() < body {
            let message = "less than one body of `max_body` may wait".into();
            issue("max_waiting_bytes", message, "make it at least as large as `max_body`");
        }
        if self.timeout.get() < Duration::from_millis(10) {
            issue("timeout", "nothing is safe so soon".into(), "wait for at least 10ms; 30s is usual");
        }
        issues
    }
}

#[async_trait]
impl SourceConfig for HttpWebhookSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        if let Some(issue) = self.check().into_iter().next() {
            let error = Error::config("webhook.bad_config", format!("`{}`: {}", issue.field, issue.message));
            return Err(issue.help.into_iter().fold(error, Error::help));
        }
        let (desk, handed_in) = Desk::new(self.rules()?, self.max_waiting, self.max_waiting_bytes.get());
        let door = match &self.listen {
            Some(listen) => {
                let opened = Listener::open(listen, self.max_connections, desk.clone()).await;
                let listener = opened.map_err(|error| cannot_listen(listen, &error))?;
                tracing::info!(address = %listener.address(), node = %cx.node, "listening for requests");
                Door::Own(listener)
            }
            None => Door::Lent(cx.hooks.open(&cx.uid, &cx.node, desk.clone()).ok_or_else(no_port)?),
        };
        let resumed = cx.position("").cloned().unwrap_or_else(Position::start);
        let seen = self.id_header.is_some().then(|| Seen::of_token(&resumed.token));
        let order = first_order(cx.generation, resumed.order);
        let intake = Intake::new(self.format(), self.field, order, seen);
        Ok(Box::new(Webhook { desk, handed_in, gathered: Vec::new(), bytes: 0, intake, door: Some(door) }))
    }
}

impl HttpWebhookSource {
    fn rules(&self) -> Result<Rules, Error> {
        // Whoever reaches a listener on this machine without a secret may be a web page.
        let open = self.signature.is_none() && self.listen.as_deref().is_some_and(is_loopback);
        let header = |name: &String| -> Result<HeaderName, Error> {
            name.parse().map_err(|_| Error::config("webhook.bad_config", format!("`{name}` is no header")))
        };
        let signature = match &self.signature {
            Some(signed) => Some(signed.signature(header)?),
            None => None,
        };
        let mut headers: Vec<(HeaderName, Arc<str>)> = Vec::new();
        for name in &self.headers {
            let name = header(name)?;
            headers.push((name.clone(), name.as_str().into()));
        }
        Ok(Rules {
            path: self.path.clone(),
            hosts: open.then(|| self.hosts.clone()),
            format: self.format(),
            limit: self.max_body.get(),
            timeout: self.timeout.get(),
            success: StatusCode::from_u16(self.status).unwrap_or(StatusCode::OK),
            signature,
            id: self.id_header.as_ref().map(header).transpose()?,
            headers,
            also_json: self.content_types.iter().map(|media| media.trim().to_ascii_lowercase()).collect(),
            parameters: self.parameters.iter().map(|name| name.as_str().into()).collect(),
        })
    }

    fn format(&self) -> rules::Format {
        match self.format {
            Format::Json => rules::Format::Json,
            Format::Text => rules::Format::Text,
            Format::Bytes => rules::Format::Bytes,
        }
    }
}

impl Signed {
    fn signature(&self, header: impl Fn(&String) -> Result<HeaderName, Error>) -> Result<Signature, Error> {
        let writing = match self.encoding {
            Encoding::Hex => signature::Writing::Hex,
            Encoding::Base64 => signature::Writing::Base64,
        };
        let secret = self.secret.reveal().as_bytes();
        let mut signature = Signature::new(header(&self.header)?, secret, self.prefix.clone(), writing);
        if let Some(name) = &self.time_header {
            signature.time = Some((header(name)?, self.tolerance.get()));
        }
        Ok(signature)
    }
}

fn is_loopback(listen: &str) -> bool {
    let host = listen.rsplit_once(':').map_or(listen, |(host, _)| host);
    host == "localhost"
        || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: std::net::IpAddr| ip.is_loopback())
}

fn cannot_listen(listen: &str, error: &io::Error) -> Error {
    let what = format!("cannot listen on {listen}: {error}");
    match error.kind() {
        // Whoever has the port may leave it.
        io::ErrorKind::AddrInUse => {
            Error::outage("webhook.port_taken", what).help("stop what listens there, or choose another port")
        }
        _ => {
            Error::config("webhook.cannot_listen", what).help("give an address of this machine as HOST:PORT")
        }
    }
}

fn no_port() -> Error {
    Error::config("webhook.no_port", "Fairway has no address of its own here")
        .help("set `listen`: only `fairway serve` has an address that requests can come to")
}

/// Orders per start: a start never uses those of another, for nothing is replayed and targets would take the new records
/// for old ones and skip them (I1, I3).
const ORDERS: u32 = 40;

fn first_order(generation: u64, resumed: u64) -> u64 {
    // Stores keep 63 bits.
    let own = generation.min((1 << (63 - ORDERS)) - 1) << ORDERS;
    own.max(resumed)
}

/// Where requests come in.
enum Door {
    Own(Listener),
    Lent(#[expect(dead_code, reason = "closes when it goes")] Box<dyn Any + Send + Sync>),
}

/// Most requests of a batch.
const REQUESTS: usize = 8192;
/// Bytes of bodies after which a batch is full: reading it must not take long.
const BYTES: usize = 2 << 20;
/// Batches under way while requests gather for the next: under load batches grow by themselves, as long as one commit
/// takes, and alone a request goes at once.
const UNDER_WAY: usize = 2;

struct Webhook {
    desk: Arc<Desk>,
    handed_in: mpsc::Receiver<HandedIn>,
    gathered: Vec<HandedIn>,
    bytes: usize,
    intake: Intake,
    door: Option<Door>,
}

impl Webhook {
    fn gather(&mut self, request: HandedIn) {
        self.bytes += request.body.len();
        self.gathered.push(request);
    }

    fn is_full(&self) -> bool {
        self.gathered.len() >= REQUESTS || self.bytes >= BYTES
    }
}

#[async_trait]
impl Source for Webhook {
    async fn next(&mut self) -> Result<Next, Error> {
        loop {
            while !self.is_full()
                && let Ok(request) = self.handed_in.try_recv()
            {
                self.gather(request);
            }
            if self.is_full() || (!self.gathered.is_empty() && self.intake.in_flight() < UNDER_WAY) {
                self.bytes = 0;
                match self.intake.batch(&mut self.gathered) {
                    Some(polled) => return Ok(Next::Batch(polled)),
                    None => continue,
                }
            }
            // What is gathered stays when this wait is dropped; an acknowledgement drops it.
            match self.handed_in.recv().await {
                Some(request) => self.gather(request),
                None => return Ok(Next::End),
            }
        }
    }

    async fn acknowledge(&mut self, _partition: &str, position: &Position) -> Result<(), Error> {
        self.intake.safe(position.order);
        Ok(())
    }

    fn pause(&mut self, paused: bool) {
        self.desk.rest(paused);
        if !paused {
            return;
        }
        self.bytes = 0;
        while let Ok(request) = self.handed_in.try_recv() {
            self.gathered.push(request);
        }
        for request in self.gathered.drain(..) {
            // A sender that has gone need not be told.
            drop(request.answer.send(Verdict::Refused(Refusal::resting())));
        }
    }

    async fn close(&mut self) {
        self.desk.rest(true);
        self.handed_in.close();
        // Whoever still waits learns that nobody will answer for it.
        while self.handed_in.try_recv().is_ok() {}
        self.gathered.clear();
        self.intake.let_go();
        if let Some(Door::Own(listener)) = self.door.take() {
            listener.close().await;
        }
    }
}

#[cfg(test)]
mod tests;
