//! How many records are due by now: a bucket that fills at the rate asked for and holds one second's worth.

use std::time::Duration;

use tokio::time::Instant;

/// Shortest wait: a batch now and then is cheaper than a record at a time.
const TICK: Duration = Duration::from_millis(50);

/// The rate and what is due.
pub(super) struct Pace {
    per_second: f64,
    /// Records that may come at once; the first may come right away.
    due: f64,
    since: Instant,
}

impl Pace {
    /// A pace of so many records a second, above 0.
    pub(super) fn new(per_second: f64) -> Self {
        Self { per_second, due: 1.0, since: Instant::now() }
    }

    /// How many records may come now, at most `most`; or how long to wait until some may.
    pub(super) fn due(&mut self, most: u64) -> Result<u64, Duration> {
        let now = Instant::now();
        let filled = now.duration_since(self.since).as_secs_f64() * self.per_second;
        self.due = (self.due + filled).min(self.per_second.max(1.0));
        self.since = now;
        if self.due >= 1.0 {
            // Never above 10 million, so no digit is lost.
            return Ok(most.min(self.due as u64));
        }
        let wait = Duration::from_secs_f64((1.0 - self.due) / self.per_second) + Duration::from_micros(1);
        Err(wait.max(TICK))
    }

    /// Takes note of records that came.
    pub(super) fn spend(&mut self, records: u64) {
        self.due -= records as f64;
    }
}
