//! A port of one's own: connections are bounded, slow heads and idle connections are cut, sooner where others wait for their
//! place, and whoever waits when it ends still gets an answer.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::desk::Desk;
use super::seats::{Seat, Seats};

/// How long a sender may take for the head of a request, and a connection may be idle.
const HEAD: Duration = Duration::from_secs(30);
/// Most bytes of a head.
const HEAD_BYTES: usize = 64 << 10;
/// Time that answers have to get through when the listener ends.
const HANG_UP: Duration = Duration::from_secs(1);
/// Pause after a connection could not be accepted: most often no more files may be open.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

/// A running listener; it ends when this goes.
#[derive(Debug)]
pub(crate) struct Listener {
    address: SocketAddr,
    ending: CancellationToken,
    accepting: JoinHandle<()>,
}

impl Listener {
    /// Begins to listen.
    pub(crate) async fn open(listen: &str, connections: usize, desk: Arc<Desk>) -> io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        let address = listener.local_addr()?;
        let ending = CancellationToken::new();
        let accepting = tokio::spawn(accept(listener, connections, desk, ending.clone()));
        Ok(Self { address, ending, accepting })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes no more connections, and waits a little for answers on their way.
    pub(crate) async fn close(mut self) {
        self.ending.cancel();
        tokio::time::timeout(HANG_UP, &mut self.accepting).await.map(drop).unwrap_or_default();
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.ending.cancel();
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, most: usize, desk: Arc<Desk>, ending: CancellationToken) {
    let seats = Seats::new(most);
    let mut connections = tokio::task::JoinSet::new();
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
            () = ending.cancelled() => break,
        };
        while connections.try_join_next().is_some() {}
        // One waits here, further ones with the operating system (I5).
        let seat = tokio::select! {
            seat = seats.take() => seat,
            () = ending.cancelled() => break,
        };
        connections.spawn(serve(stream, seat, desk.clone(), ending.clone()));
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve(stream: TcpStream, seat: Seat, desk: Arc<Desk>, ending: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "answers may be delayed");
    }
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| {
        let (desk, seat) = (&desk, &seat);
        async move {
            let _busy = seat.busy();
            let (head, body) = request.into_parts();
            Ok::<_, Infallible>(desk.answer(&head, body).await)
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let served = tokio::select! {
        served = connection.as_mut() => served,
        () = ending.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = seat.leave().cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = served {
        tracing::debug!(%error, "a connection broke off");
    }
}
