//! The way to the engine, and acknowledgements back. The loop that reads runs by itself, so that the engine may drop its wait
//! for records whenever it likes and nothing is lost.

use std::collections::HashMap;
use std::sync::Arc;

use fairway_engine::Error;
use fairway_engine::source::{Next, Polled};
use tokio::sync::mpsc;

/// The source's end was let go of: there is nobody to read for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Closed;

impl From<Closed> for Error {
    fn from(_: Closed) -> Self {
        Error::failed("table.closed", "the source was closed")
    }
}

/// The reading loop's end.
#[derive(Debug)]
pub(crate) struct Outlet {
    pub(crate) to_source: mpsc::Sender<Result<Next, Error>>,
    pub(crate) acknowledged: mpsc::UnboundedReceiver<(Arc<str>, u64)>,
    /// Highest order acknowledged, by partition.
    pub(crate) reached: HashMap<Arc<str>, u64>,
    /// Whether rows wait until their announcement is acknowledged. Samples do not: nothing of them is kept.
    pub(crate) waits: bool,
}

impl Outlet {
    /// Hands on.
    pub(crate) async fn send(&self, next: Result<Next, Error>) -> Result<(), Closed> {
        self.to_source.send(next).await.map_err(|_| Closed)
    }

    /// Hands a batch on.
    pub(crate) async fn hand_on(&self, polled: Polled) -> Result<(), Closed> {
        self.send(Ok(Next::Batch(polled))).await
    }

    /// The highest order of a partition that is acknowledged by now.
    pub(crate) fn reached(&mut self, partition: &str) -> u64 {
        while let Ok(acknowledged) = self.acknowledged.try_recv() {
            self.note(acknowledged);
        }
        self.reached.get(partition).copied().unwrap_or(0)
    }

    /// Waits for an acknowledgement.
    pub(crate) async fn wait(&mut self) -> Result<(), Closed> {
        let acknowledged = self.acknowledged.recv().await.ok_or(Closed)?;
        self.note(acknowledged);
        Ok(())
    }

    fn note(&mut self, (partition, order): (Arc<str>, u64)) {
        let reached = self.reached.entry(partition).or_default();
        *reached = (*reached).max(order);
    }
}
