//! Letting clients go: dropping one waits for its threads, which must not happen on a thread of the async runtime.

use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

/// How long to wait for a keeper that was told to end.
const LIMIT: Duration = Duration::from_secs(2);

/// A client that is let go on a thread of its own when it is dropped.
pub(crate) struct Releasing<C: Send + 'static>(Option<C>);

impl<C: Send + 'static> Releasing<C> {
    pub(crate) fn new(client: C) -> Self {
        Self(Some(client))
    }

    pub(crate) fn get(&self) -> &C {
        self.0.as_ref().expect("it is there until it is dropped")
    }
}

impl<C: Send + 'static> Drop for Releasing<C> {
    fn drop(&mut self) {
        let client = self.0.take();
        apart(move || drop(client));
    }
}

/// Drops a client on a thread of its own, once the task that serves it is gone.
pub(crate) fn release<C: Send + 'static>(client: C, keeper: &JoinHandle<()>) {
    keeper.abort();
    let keeper = keeper.abort_handle();
    apart(move || {
        let until = Instant::now() + LIMIT;
        // The keeper may be the last to hold the client, and would then drop it where it must not.
        while !keeper.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(client);
    });
}

/// Without a thread what `let_go` holds is dropped here: slow, and nothing worse.
fn apart(let_go: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name("kafka-release".to_owned()).spawn(let_go) {
        tracing::warn!(%error, "no thread to let a Kafka client go on");
    }
}
