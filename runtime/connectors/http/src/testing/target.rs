//! A server for tests that answers as it is told, and keeps what it got.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fairway_peers::tls::Identity;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Method and address.
    pub(crate) line: String,
    /// All of it in lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("tests send text")
    }

    /// The numbers of its records.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        let text = self.text();
        text.split("\"n\":")
            .skip(1)
            .filter_map(|rest| rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok())
            .collect()
    }
}

/// What it answers.
#[derive(Debug, Clone)]
pub(crate) enum Reply {
    /// A status, further header lines (each ends with CR LF), a body.
    Status(u16, &'static str, Vec<u8>),
    /// These bytes, whatever they are, and the end.
    Raw(Vec<u8>),
    /// The same after a while.
    Later(Duration, u16),
    /// Nothing, for ever.
    Silence,
    /// The connection is cut.
    Cut,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        Self::Status(status, "", Vec::new())
    }
}

type Decide = dyn Fn(usize, &Request) -> Reply + Send + Sync;

/// The server; it ends when this goes.
pub(crate) struct Target {
    scheme: &'static str,
    address: SocketAddr,
    got: Arc<Mutex<Vec<Request>>>,
    accepting: JoinHandle<()>,
}

impl Target {
    /// Begins to answer; `decide` gets the number of the request, from 1.
    pub(crate) async fn start(decide: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::begin(None, decide).await
    }

    /// One that takes everything, by TLS.
    pub(crate) async fn secure(identity: &Identity) -> Self {
        let chain =
            vec![CertificateDer::from_pem_slice(identity.certificate.as_bytes()).expect("a certificate")];
        let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes()).expect("a key");
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the usual versions")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("certificate and key fit");
        Self::begin(Some(Arc::new(config).into()), |_, _| Reply::status(200)).await
    }

    async fn begin(
        tls: Option<TlsAcceptor>,
        decide: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let scheme = if tls.is_some() { "https" } else { "http" };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("a bound port has an address");
        let got: Arc<Mutex<Vec<Request>>> = Arc::default();
        let kept = got.clone();
        let decide: Arc<Decide> = Arc::new(decide);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (kept, decide, tls) = (kept.clone(), decide.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => serve(stream, kept, decide).await,
                        // Who does not trust it hangs up.
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                serve(stream, kept, decide).await;
                            }
                        }
                    }
                });
            }
        });
        Self { scheme, address, got, accepting }
    }

    /// One that takes everything.
    pub(crate) async fn willing() -> Self {
        Self::start(|_, _| Reply::status(200)).await
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The same by the name of this machine.
    pub(crate) fn url_by_name(&self, path: &str) -> String {
        format!("{}://localhost:{}{path}", self.scheme, self.address.port())
    }

    /// Requests so far.
    pub(crate) fn got(&self) -> Vec<Request> {
        self.got.lock().expect("no test panics with it").clone()
    }

    /// Numbers of the records of all requests, in order.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        self.got().iter().flat_map(Request::numbers).collect()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    got: Arc<Mutex<Vec<Request>>>,
    decide: Arc<Decide>,
) {
    let mut read = Vec::new();
    while let Some(request) = next(&mut stream, &mut read).await {
        let number = {
            let mut got = got.lock().expect("no test panics with it");
            got.push(request.clone());
            got.len()
        };
        let (wait, reply) = match decide(number, &request) {
            Reply::Later(wait, status) => (wait, Reply::status(status)),
            reply => (Duration::ZERO, reply),
        };
        tokio::time::sleep(wait).await;
        let bytes = match reply {
            Reply::Status(status, headers, body) => {
                let mut bytes =
                    format!("HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\n\r\n", body.len())
                        .into_bytes();
                bytes.extend(body);
                bytes
            }
            Reply::Raw(bytes) => {
                stream.write_all(&bytes).await.ok();
                return;
            }
            Reply::Silence => std::future::pending().await,
            Reply::Cut | Reply::Later(..) => return,
        };
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

async fn next(stream: &mut (impl AsyncRead + Unpin), read: &mut Vec<u8>) -> Option<Request> {
    let mut more = async |read: &mut Vec<u8>| {
        let mut piece = [0; 8192];
        let len = stream.read(&mut piece).await.ok().filter(|len| *len > 0)?;
        read.extend_from_slice(&piece[..len]);
        Some(())
    };
    let end = loop {
        match read.windows(4).position(|window| window == b"\r\n\r\n") {
            Some(at) => break at + 4,
            None => more(read).await?,
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).into_owned();
    let line = head.lines().next()?.rsplit_once(' ')?.0.to_owned();
    let request = Request { line, head: head.to_ascii_lowercase(), body: Vec::new() };
    let len: usize = request.header("content-length").and_then(|len| len.parse().ok()).unwrap_or(0);
    while read.len() < end + len {
        more(read).await?;
    }
    let body = read[end..end + len].to_vec();
    read.drain(..end + len);
    Some(Request { body, ..request })
}
