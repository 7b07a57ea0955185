//! Sending requests by hand in tests, so that they can be as wrong as a test wants.

pub(crate) mod target;

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer as it came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// A connection.
pub(crate) struct Caller {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Caller {
    pub(crate) async fn connect(address: SocketAddr) -> std::io::Result<Self> {
        Ok(Self { stream: TcpStream::connect(address).await?, read: Vec::new() })
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// The next answer; an error if the connection ends before.
    pub(crate) async fn answer(&mut self) -> std::io::Result<Got> {
        let head_end = loop {
            if let Some(at) = self.read.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.more().await?;
        };
        let head = String::from_utf8_lossy(&self.read[..head_end]).to_ascii_lowercase();
        let field = |name: &str| {
            head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim)
        };
        let len: usize = field("content-length").and_then(|len| len.parse().ok()).unwrap_or(0);
        while self.read.len() < head_end + len {
            self.more().await?;
        }
        let body = String::from_utf8_lossy(&self.read[head_end..head_end + len]).into_owned();
        self.read.drain(..head_end + len);
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Ok(Got { status, head, body })
    }

    async fn more(&mut self) -> std::io::Result<()> {
        let mut piece = [0; 4096];
        let read = tokio::time::timeout(Duration::from_secs(20), self.stream.read(&mut piece)).await;
        match read.map_err(|_| std::io::Error::from(std::io::ErrorKind::TimedOut))?? {
            0 => Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => {
                self.read.extend_from_slice(&piece[..read]);
                Ok(())
            }
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn send(&mut self, method: &str, headers: &str, body: &[u8]) -> std::io::Result<Got> {
        let mut bytes = request(method, headers, body.len());
        bytes.extend_from_slice(body);
        self.write(&bytes).await?;
        self.answer().await
    }
}

/// A request's head; `headers` are lines that end with CR LF.
pub(crate) fn request(method: &str, headers: &str, len: usize) -> Vec<u8> {
    format!("{method} / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len}\r\n{headers}\r\n").into_bytes()
}

/// Sends one request on a connection of its own.
pub(crate) async fn send(address: SocketAddr, method: &str, headers: &str, body: &[u8]) -> Got {
    let mut caller = Caller::connect(address).await.expect("the listener is there");
    caller.send(method, headers, body).await.expect("every request is answered")
}

/// Posts JSON.
pub(crate) async fn post(address: SocketAddr, body: &str) -> Got {
    send(address, "POST", "content-type: application/json\r\n", body.as_bytes()).await
}

/// An address that nobody listens on just now.
pub(crate) fn free_address() -> SocketAddr {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("a bound port has an address")
}

/// Waits until something holds.
pub(crate) async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to this: {what}");
}
