//! Letting clients go: dropping one waits for its threads, which must not happen on a thread of the async runtime.

use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

/// How long to wait for a keeper that was told to end.
const LIMIT: Duration = Duration::from_secs(2);

/// Drops a client on a thread of its own, once the task that serves it is gone.
pub(crate) fn release<C: Send + 'static>(client: C, keeper: &JoinHandle<()>) {
    keeper.abort();
    let keeper = keeper.abort_handle();
    let let_go = move || {
        let until = Instant::now() + LIMIT;
        // The keeper may be the last to hold the client, and would then drop it where it must not.
        while !keeper.is_finished() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(client);
    };
    if let Err(error) = std::thread::Builder::new().name("kafka-release".to_owned()).spawn(let_go) {
        tracing::warn!(%error, "no thread to let a Kafka client go on");
    }
}
