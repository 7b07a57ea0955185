//! Connections to the server's port. A caller that takes its time over the head of a request, or keeps a connection and says
//! nothing, is cut: senders to hooks need no token, so anybody may try.

use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long a caller may take for the head of a request, and a connection may be idle.
const HEAD: Duration = Duration::from_secs(30);
/// Pause after a connection could not be accepted: most often no more files may be open.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// Answers until it is to close, and then until what is under way has ended.
pub(crate) async fn serve(listener: TcpListener, router: Router, closing: CancellationToken) {
    serve_within(listener, router, closing, HEAD).await;
}

async fn serve_within(listener: TcpListener, router: Router, closing: CancellationToken, head: Duration) {
    let mut connections = JoinSet::new();
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_AGAIN).await;
                    continue;
                }
            },
            () = closing.cancelled() => break,
        };
        while connections.try_join_next().is_some() {}
        connections.spawn(connection(stream, router.clone(), closing.clone(), head));
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn connection(stream: TcpStream, router: Router, closing: CancellationToken, head: Duration) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "answers may be delayed");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(head)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = closing.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection broke off");
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// What comes until the connection ends.
    async fn rest(stream: &mut TcpStream) -> String {
        let mut read = Vec::new();
        let reading = stream.read_to_end(&mut read);
        tokio::time::timeout(Duration::from_secs(20), reading).await.expect("it is cut").unwrap_or_default();
        String::from_utf8_lossy(&read).into_owned()
    }

    #[tokio::test]
    async fn who_says_nothing_or_half_a_head_is_cut() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let closing = CancellationToken::new();
        let router = Router::new().route("/", get(|| async { "here" }));
        let serving =
            tokio::spawn(serve_within(listener, router, closing.clone(), Duration::from_millis(200)));
        for beginning in ["", "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n"] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(beginning.as_bytes()).await.unwrap();
            assert!(!rest(&mut stream).await.contains("200 OK"), "{beginning}");
        }
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n").await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.contains("200 OK") && answer.ends_with("here"), "{answer}");
        closing.cancel();
        tokio::time::timeout(Duration::from_secs(20), serving).await.expect("it ends").unwrap();
    }
}
