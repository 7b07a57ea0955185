//! `http_sink`: records sent by HTTP. How a group is sent, and what answers mean, is in `sending`.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SinkConfig};
use fairway_engine::files::Files;
use fairway_engine::position::StreamKey;
use fairway_engine::probe::{ProbeConfig, ProbeCtx};
use fairway_engine::secret::Secret;
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_engine::units::{Size, Span};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, SERVER};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sending::address::Address;
use crate::sending::client::Wish;
use crate::sending::courier::Courier;
use crate::sending::key::Keys;
use crate::sending::lane::{Form, Shape};
use crate::sending::verdict::{Meanings, no_answer};

/// Sends records to an address by HTTP: one a request, or several together.
///
/// A success (200 to 299) is the target's receipt. Any other answer is about the record or about the target:
///
/// | Answer | Whose | What happens |
/// |---|---|---|
/// | 400, 409, 413, 415, 422, 501 and those in `refused` | the record's | it becomes a dead letter after this one try, with the beginning of the answer |
/// | 401, 403, 404, 407, 408, 425, 429, other 4xx and 5xx, redirects, no answer | the target's | the channel waits, says so and tries again without limit; `Retry-After` is obeyed, up to an hour |
///
/// A refused request with several records is cut in two until the refused record stands alone; its neighbours are
/// delivered.
///
/// A record is sent at least once: where an answer was lost it is sent again. With `idempotency_header` each request
/// carries a name that stays the same however often it is sent, after a restart too, so that a target that knows such
/// names takes it once. Use it with one record a request: requests of several are cut anew after a restart.
///
/// The address may hold fields of the record, as in `https://api.example.com/orders/{id}`, behind the host only; their
/// values are encoded. Numbers keep every digit, times are as in RFC 3339, bytes in base64. Keys and headers of records
/// are not sent.
///
/// Requests go wherever the address says, from the machine that Fairway runs on: whoever may draw channels can reach
/// what that machine can. Proxies named in the environment are not used.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HttpSink {
    /// A connection with address and access; what is set here counts more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1, "widget": "connection"}))]
    connection: Option<String>,
    /// The address; fields of the record stand in braces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 2, "access": true, "placeholder": "https://api.example.com/orders"}))]
    url: Option<String>,
    /// The method of requests.
    #[serde(default = "default_method")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    method: Method,
    /// What a request holds.
    #[serde(default = "default_body")]
    #[schemars(extend("x-ui" = {"order": 4}))]
    body: Body,
    /// Most records of a request.
    #[serde(default = "default_max_records")]
    #[schemars(range(min = 1, max = 50_000), extend("x-ui" = {"order": 5, "show_if": {"body": ["list", "lines"]}}))]
    max_records: usize,
    /// Most bytes of a request's body, before it is compressed; a larger record goes alone.
    #[serde(default = "default_max_bytes")]
    #[schemars(extend("x-ui" = {"order": 6, "show_if": {"body": ["list", "lines"]}}))]
    max_bytes: Size,
    /// User, for basic authentication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 7, "access": true, "group": "access"}))]
    user: Option<String>,
    /// Password of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 8, "access": true, "group": "access"}))]
    password: Option<Secret>,
    /// Token, sent as `Authorization: Bearer …`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 9, "access": true, "group": "access"}))]
    token: Option<Secret>,
    /// Further headers by name; values may be secrets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-ui" = {"order": 10, "access": true, "group": "access"}))]
    headers: BTreeMap<String, Secret>,
    /// File of certificates (PEM) that are trusted besides the system's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 11, "access": true, "group": "access", "widget": "path", "advanced": true}))]
    ca_file: Option<String>,
    /// Header that carries a name of the records, the same at every try, such as `Idempotency-Key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 12, "placeholder": "Idempotency-Key"}))]
    idempotency_header: Option<String>,
    /// Requests under way at a time. With more than one, records may arrive in another order.
    #[serde(default = "default_concurrency")]
    #[schemars(range(min = 1, max = 64), extend("x-ui" = {"order": 13}))]
    concurrency: usize,
    /// Field by which order is kept with several requests at a time: records with equal values go one behind the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("x-ui" = {"order": 14, "widget": "field"}))]
    order_by: Option<String>,
    /// How bodies are compressed; not every target takes gzip.
    #[serde(default = "default_compression")]
    #[schemars(extend("x-ui" = {"order": 15, "advanced": true}))]
    compression: Compression,
    /// How long a request may take, answer included.
    #[serde(default = "default_timeout")]
    #[schemars(extend("x-ui" = {"order": 16, "advanced": true}))]
    timeout: Span,
    /// What becomes of a redirect.
    #[serde(default = "default_redirects")]
    #[schemars(extend("x-ui" = {"order": 17, "advanced": true}))]
    redirects: Redirects,
    /// Further statuses by which the target refuses a record for good.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(range(min = 300, max = 599)), extend("x-ui" = {"order": 18, "advanced": true}))]
    refused: Vec<u16>,
    /// Further statuses that mean success, such as 404 where things are deleted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(range(min = 300, max = 599)), extend("x-ui" = {"order": 19, "advanced": true}))]
    taken: Vec<u16>,
}

/// The method of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Method {
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
}

/// What a request holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Body {
    /// One record, as a JSON object.
    Record,
    /// Several records, as a JSON list.
    List,
    /// Several records, one JSON object a line.
    Lines,
    /// Nothing: the address names the record.
    Nothing,
}

/// How bodies are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Compression {
    /// Not at all.
    None,
    /// By gzip.
    Gzip,
}

/// What becomes of a redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Redirects {
    /// It is not followed; the channel waits and says where it leads.
    Refuse,
    /// Those that leave method and body as they are (307, 308) are followed, on the same host.
    Follow,
}

fn default_method() -> Method {
    Method::Post
}

fn default_body() -> Body {
    Body::Record
}

fn default_max_records() -> usize {
    500
}

fn default_max_bytes() -> Size {
    Size::parse("1MiB").expect("this is a size")
}

fn default_concurrency() -> usize {
    1
}

fn default_compression() -> Compression {
    Compression::None
}

fn default_timeout() -> Span {
    Span::parse("30s").expect("this is a time")
}

fn default_redirects() -> Redirects {
    Redirects::Refuse
}

/// Largest body that may be asked for: so many times `concurrency` is held at once.
const LARGEST: usize = 64 << 20;

impl Config for HttpSink {
    const META: Meta = Meta {
        delivery: Guarantee::AtLeastOnce,
        examples: &[
            (
                "Each order once, where the target knows keys",
                r#"{"url":"https://api.example.com/orders","token":"${secret:orders_api}","idempotency_header":"Idempotency-Key"}"#,
            ),
            (
                "Lines, five hundred at a time, compressed",
                r#"{"url":"https://logs.example.com/ingest","body":"lines","compression":"gzip","headers":{"X-Api-Key":"${secret:logs}"}}"#,
            ),
            (
                "Customers by their number, four at a time, each in order",
                r#"{"url":"https://api.example.com/customers/{id}","method":"put","concurrency":4,"order_by":"id"}"#,
            ),
        ],
        several: true,
        ..Meta::new("http_sink", "HTTP request", "http")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        let mut issue =
            |field: &str, message: String, help: &str| issues.push(Issue::new(field, message, help));
        match &self.url {
            Some(url) => {
                if let Err(message) = Address::parse(url) {
                    issue(
                        "url",
                        message,
                        "write it as `https://host/path`, with fields as `{id}` in path or query",
                    );
                }
            }
            None if self.connection.is_none() => {
                issue("url", "no address is set".into(), "set one here, or a connection that has one");
            }
            None => {}
        }
        if self.token.is_some() && self.user.is_some() {
            issue("token", "user and token exclude each other".into(), "keep one of them");
        }
        if self.password.is_some() && self.user.is_none() {
            issue("password", "a password without a user is not sent".into(), "set the user as well");
        }
        let names = self.headers.keys().map(|name| (format!("headers.{name}"), name));
        for (field, name) in
            names.chain(self.idempotency_header.iter().map(|name| ("idempotency_header".into(), name)))
        {
            if name.parse::<HeaderName>().is_err() {
                issue(
                    &field,
                    format!("`{name}` cannot be the name of a header"),
                    "use letters, digits and `-`",
                );
            } else if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
                issue(&field, format!("`{name}` is set by Fairway"), "leave it out");
            }
        }
        let bytes = self.max_bytes.get();
        if bytes == 0 || bytes > LARGEST {
            issue("max_bytes", "a body may have 1 byte to 64 MiB".into(), "choose a size between");
        }
        if self.timeout.get() < Duration::from_millis(10) {
            issue("timeout", "nothing is answered so soon".into(), "wait for at least 10ms; 30s is usual");
        }
        if self.order_by.is_some() && self.concurrency == 1 {
            issue("order_by", "one request at a time keeps the order of all records".into(), "leave it out");
        }
        if let Some(both) = self.taken.iter().find(|status| self.refused.contains(status)) {
            issue("taken", format!("{both} cannot mean both"), "take it out of one of the lists");
        }
        issues
    }
}

/// Headers that follow from the body.
const OURS: [&str; 4] = ["content-length", "transfer-encoding", "content-encoding", "host"];

#[async_trait]
impl SinkConfig for HttpSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        self.checked()?;
        let client = self.client(&cx.files)?;
        let form = Form {
            address: self.address()?,
            shape: match self.body {
                Body::Record => Shape::Record,
                Body::List => Shape::List,
                Body::Lines => Shape::Lines,
                Body::Nothing => Shape::Nothing,
            },
            most_records: self.max_records,
            most_bytes: self.max_bytes.get(),
            gzip: self.compression == Compression::Gzip,
        };
        let secrets = self.password.iter().chain(&self.token).chain(self.headers.values());
        let meanings = Meanings {
            taken: self.taken.clone(),
            refused: self.refused.clone(),
            secrets: secrets.map(|secret| secret.reveal().to_owned()).collect(),
        };
        let mut courier = Courier::new(client, self.method(), self.head()?, form, meanings);
        courier.at_a_time = self.concurrency;
        courier.order_by = self.order_by.clone();
        if let Some(name) = &self.idempotency_header {
            courier.key = Some((header(name)?, Keys::new(&cx.uid, &cx.node)));
        }
        Ok(Box::new(Sending { courier }))
    }
}

#[async_trait]
impl ProbeConfig for HttpSink {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        self.checked()?;
        let url = self.address()?.fixed().ok_or_else(no_address)?;
        let client = self.client(&cx.files)?;
        // Asks what there is and changes nothing; targets that do not know the question are asked another one.
        let mut found = None;
        for method in [reqwest::Method::OPTIONS, reqwest::Method::HEAD] {
            let asking =
                client.request(method.clone(), url.clone()).headers(self.head()?).timeout(cx.deadline);
            let answer = asking.send().await.map_err(no_answer)?;
            let status = answer.status();
            let server =
                answer.headers().get(SERVER).and_then(|value| value.to_str().ok()).unwrap_or_default();
            let mut line = format!("{} answers {method} with {status}", url.host_str().unwrap_or_default());
            if !server.is_empty() {
                line = format!("{line} ({server})");
            }
            if matches!(status.as_u16(), 401 | 403 | 407) {
                return Err(Error::outage("http.not_admitted", line).help(
                    "see to user, password, token and headers, and to what they permit at the target",
                ));
            }
            let known = status.is_success();
            found = Some(line);
            if known {
                break;
            }
        }
        Ok(Probe { found: found.unwrap_or_default(), ..Probe::default() })
    }
}

impl HttpSink {
    fn checked(&self) -> Result<(), Error> {
        match self.check().into_iter().next() {
            None => Ok(()),
            Some(issue) => {
                let error = Error::config("http.bad_config", format!("`{}`: {}", issue.field, issue.message));
                Err(issue.help.into_iter().fold(error, Error::help))
            }
        }
    }

    fn address(&self) -> Result<Address, Error> {
        let url = self.url.as_ref().ok_or_else(no_address)?;
        Address::parse(url).map_err(|message| Error::config("http.bad_config", format!("`url`: {message}")))
    }

    fn client(&self, files: &Files) -> Result<reqwest::Client, Error> {
        let ca_file = self.ca_file.as_ref().map(|path| files.resolve(path)).transpose()?;
        let follow = self.redirects == Redirects::Follow;
        Wish { timeout: self.timeout.get(), follow, ca_file: ca_file.as_deref() }.client()
    }

    fn method(&self) -> reqwest::Method {
        match self.method {
            Method::Post => reqwest::Method::POST,
            Method::Put => reqwest::Method::PUT,
            Method::Patch => reqwest::Method::PATCH,
            Method::Delete => reqwest::Method::DELETE,
        }
    }

    /// Headers of every request; none of them is ever shown (I6).
    fn head(&self) -> Result<HeaderMap, Error> {
        let mut headers = HeaderMap::new();
        let mut set = |name: HeaderName, text: &str| -> Result<(), Error> {
            let mut value = HeaderValue::from_str(text).map_err(|_| {
                Error::config(
                    "http.bad_config",
                    format!("the value of `{name}` has characters that no header can have"),
                )
            })?;
            value.set_sensitive(true);
            headers.insert(name, value);
            Ok(())
        };
        if let Some(user) = &self.user {
            let password = self.password.as_ref().map_or("", Secret::reveal);
            set(AUTHORIZATION, &format!("Basic {}", STANDARD.encode(format!("{user}:{password}"))))?;
        }
        if let Some(token) = &self.token {
            set(AUTHORIZATION, &format!("Bearer {}", token.reveal()))?;
        }
        for (name, value) in &self.headers {
            set(header(name)?, value.reveal())?;
        }
        Ok(headers)
    }
}

fn header(name: &str) -> Result<HeaderName, Error> {
    name.parse()
        .map_err(|_| Error::config("http.bad_config", format!("`{name}` cannot be the name of a header")))
}

fn no_address() -> Error {
    Error::config("http.no_url", "the connection names no address")
        .help("set `url` in the connection, or here")
}

/// Requests of one group, for each that may be under way: what a crash may send again, and a stop waits for.
const REQUESTS: usize = 32;

struct Sending {
    courier: Courier,
}

#[async_trait]
impl Sink for Sending {
    fn streams(&mut self, streams: &[StreamKey]) {
        self.courier.streams = streams.to_vec();
    }

    fn most_records(&self) -> usize {
        self.courier.at_a_time
            * REQUESTS
            * if self.courier.form.takes_several() { self.courier.form.most_records } else { 1 }
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        self.courier.send(group).await.map(Outcome::Delivered)
    }
}

#[cfg(test)]
mod tests;
