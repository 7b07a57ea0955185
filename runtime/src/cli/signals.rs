//! SIGINT and SIGTERM. The first asks for a clean end; a second ends the process at once.

use std::process;

use tokio::sync::mpsc;

use super::exit;

/// What asked for the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Ctrl-C.
    Interrupt,
    /// The service's superior.
    Terminate,
}

/// Listens from now on; the returned channel tells the first signal.
///
/// # Errors
/// If the system does not let signals be heard.
pub fn listen() -> std::io::Result<mpsc::Receiver<Asked>> {
    let (send, receive) = mpsc::channel(1);
    let mut signals = Signals::new()?;
    tokio::spawn(async move {
        if let Some(asked) = signals.next().await {
            // Nobody waits any more when the command has ended by itself.
            send.send(asked).await.unwrap_or_default();
        }
        if let Some(asked) = signals.next().await {
            process::exit(i32::from(match asked {
                Asked::Interrupt => exit::INTERRUPTED,
                Asked::Terminate => exit::FAILED,
            }));
        }
    });
    Ok(receive)
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// Caught so that a write beyond the limit of a file's size fails, and is told, instead of ending the process.
    _file_size: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        // POSIX systems agree on the number.
        let file_size = SignalKind::from_raw(25);
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            _file_size: signal(file_size)?,
        })
    }

    async fn next(&mut self) -> Option<Asked> {
        tokio::select! {
            got = self.interrupt.recv() => got.map(|()| Asked::Interrupt),
            got = self.terminate.recv() => got.map(|()| Asked::Terminate),
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> Option<Asked> {
        tokio::signal::ctrl_c().await.ok().map(|()| Asked::Interrupt)
    }
}
