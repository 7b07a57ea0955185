//! How often a task commits what it writes: each transaction costs the brokers the same, whatever it holds.

use std::time::{Duration, Instant};

/// Shortest time between two transactions with few records.
const SHORTEST: Duration = Duration::from_millis(40);
/// So many records are worth a transaction of their own.
const MANY: usize = 5000;

/// When the last transaction began, if it was a small one.
#[derive(Debug, Default)]
pub(super) struct Pace(Option<Instant>);

impl Pace {
    /// Waits until another transaction, with so many records, may begin. What comes meanwhile goes along with the next one.
    pub(super) async fn keep(&mut self, records: usize) {
        if let Some(last) = self.0.take() {
            tokio::time::sleep(SHORTEST.saturating_sub(last.elapsed())).await;
        }
        self.0 = (records < MANY).then(Instant::now);
    }
}
