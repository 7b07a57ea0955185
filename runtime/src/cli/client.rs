//! The client commands' way to a server: plain HTTP, one call a connection.

use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fairway_shared::api::channels::{ChannelSummary, ListChannels};
use fairway_shared::api::{Endpoint, None as Nothing, Problem};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::net::TcpStream;

use super::exit::{self, Failure};
use crate::config::DataDir;
use crate::config::access::DEFAULT_LISTEN;
use crate::problem::codes;
use crate::redact::percent_encoded;

/// Longest time that a server may take to answer: a stop may drain for 25 s, a deploy of many tasks as well.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long a request is repeated while the workers of a cluster choose a leader.
const ELECTION: Duration = Duration::from_secs(20);
/// Time between two tries.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Where the server is and how it knows us.
#[derive(Debug, clap::Args)]
pub(super) struct Reach {
    /// Address of the server; the one it printed may be given as it is. Else FAIRWAY_SERVER.
    #[arg(long, value_name = "URL", env = "FAIRWAY_SERVER", default_value_t = format!("http://{DEFAULT_LISTEN}"), hide_env_values = true)]
    pub(super) server: String,
    /// File that holds the token; else FAIRWAY_TOKEN, else that of the data directory on this machine.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
}

/// A server.
pub(super) struct Client {
    authority: String,
    token: Option<String>,
}

impl Client {
    /// The server that is meant, and a token for it: from the address, the file, the environment, or the data directory.
    pub(super) fn new(reach: &Reach) -> Result<Self, Failure> {
        let wrong = |what: &str| {
            Failure::new(exit::REFUSED, format!("`{}` {what}", reach.server))
                .help(Some("an address such as http://127.0.0.1:8787 is expected"))
        };
        let uri: Uri = reach.server.parse().map_err(|_| wrong("is no address"))?;
        if uri.scheme_str().is_some_and(|scheme| scheme != "http") {
            return Err(wrong("is not a plain HTTP address"));
        }
        let authority = uri.authority().ok_or_else(|| wrong("names no host"))?;
        let in_address = uri
            .query()
            .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("token=")))
            .map(str::to_owned);
        let token = match (in_address, &reach.token_file) {
            (Some(token), _) => Some(token),
            (None, Some(file)) => Some(
                std::fs::read_to_string(file)
                    .map_err(|error| {
                        Failure::new(exit::REFUSED, format!("cannot read {}: {error}", file.display()))
                    })?
                    .trim()
                    .to_owned(),
            ),
            (None, None) => env::var("FAIRWAY_TOKEN").ok().filter(|token| !token.is_empty()).or_else(kept),
        };
        let authority = match authority.port() {
            Some(_) => authority.to_string(),
            None => format!("{authority}:80"),
        };
        Ok(Self { authority, token })
    }

    /// Calls an endpoint without a request body.
    pub(super) async fn get<E: Endpoint<Request = Nothing>>(
        &self,
        params: &[(&str, &str)],
    ) -> Result<E::Answer, Failure> {
        self.call::<E>(params, &Nothing {}).await
    }

    /// Calls an endpoint.
    ///
    /// # Errors
    /// Exit code 4 when there is no server or it refuses, 3 when it finds errors in a document.
    pub(super) async fn call<E: Endpoint>(
        &self,
        params: &[(&str, &str)],
        request: &E::Request,
    ) -> Result<E::Answer, Failure> {
        let bytes = self.bytes::<E>(params, "", request).await?;
        read(if bytes.is_empty() { b"{}" } else { &bytes })
    }

    /// Calls an endpoint with `?name=value` behind its path.
    pub(super) async fn query<E: Endpoint<Request = Nothing>>(
        &self,
        params: &[(&str, &str)],
        query: &str,
    ) -> Result<E::Answer, Failure> {
        read(&self.bytes::<E>(params, query, &Nothing {}).await?)
    }

    /// The same, and the answer's own text.
    pub(super) async fn bytes<E: Endpoint>(
        &self,
        params: &[(&str, &str)],
        query: &str,
        request: &E::Request,
    ) -> Result<Bytes, Failure> {
        let path = params.iter().fold(E::PATH.to_owned(), |path, (name, value)| {
            path.replace(&format!("{{{name}}}"), &percent_encoded(value))
        });
        let body = if size_of::<E::Request>() > 0 {
            serde_json::to_vec(request).map_err(|error| Failure::new(exit::FAILED, error))?
        } else {
            Vec::new()
        };
        let until = Instant::now() + ELECTION;
        loop {
            let path = format!("{path}{query}");
            let (status, bytes) = self.send(E::METHOD.as_str(), &path, body.clone()).await?;
            if (200..300).contains(&status) {
                return Ok(bytes);
            }
            match serde_json::from_slice::<Problem>(&bytes) {
                // Nothing was done: the workers are choosing a leader.
                Ok(problem) if problem.code == codes::CLUSTER_NO_LEADER.code && Instant::now() < until => {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
                Ok(problem) => return Err(problem.into()),
                Err(_) => {
                    let answer = format!("the server answers with status {status}");
                    return Err(Failure::new(exit::REFUSED, answer));
                }
            }
        }
    }

    /// Sends a request; answers status and body.
    ///
    /// # Errors
    /// Exit code 4 when there is no server.
    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        body: Vec<u8>,
    ) -> Result<(u16, Bytes), Failure> {
        let unreachable = |error: &dyn std::fmt::Display| {
            Failure::new(exit::REFUSED, format!("cannot reach a server at {}: {error}", self.authority))
                .help(Some("start one with `fairway serve`, or say where it is with --server"))
        };
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, &self.authority)
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(|error| unreachable(&error))?;
        let exchange = async {
            let stream = TcpStream::connect(&self.authority).await.map_err(|error| unreachable(&error))?;
            let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
                .await
                .map_err(|error| unreachable(&error))?;
            let driving = tokio::spawn(connection);
            let answer = sender.send_request(request).await.map_err(|error| unreachable(&error))?;
            let status = answer.status().as_u16();
            let bytes = answer.into_body().collect().await.map_err(|error| unreachable(&error))?.to_bytes();
            driving.abort();
            Ok((status, bytes))
        };
        tokio::time::timeout(PATIENCE, exchange).await.map_err(|_| unreachable(&"it does not answer"))?
    }

    /// The channel with this name or uid.
    ///
    /// # Errors
    /// Exit code 4 when there is none.
    pub(super) async fn channel(&self, asked: &str) -> Result<ChannelSummary, Failure> {
        let channels = self.get::<ListChannels>(&[]).await?.channels;
        let names: Vec<String> = channels.iter().map(|channel| channel.name.clone()).collect();
        let found = channels.into_iter().find(|channel| channel.uid == asked || channel.name == asked);
        found.ok_or_else(|| {
            let near = fairway_shared::suggest::closest(asked, names.iter().map(String::as_str));
            Failure::new(exit::REFUSED, format!("the server has no channel called `{asked}`"))
                .help(near.map(|near| format!("did you mean `{near}`?")))
        })
    }
}

/// The token of a server on this machine, when its data directory is the usual one.
fn kept() -> Option<String> {
    let data = DataDir::locate(None).ok()?;
    Some(std::fs::read_to_string(data.join("token")).ok()?.trim().to_owned())
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::new(exit::REFUSED, format!("the server's answer cannot be read: {error}"))
            .help(Some("client and server should be of the same version"))
    })
}
