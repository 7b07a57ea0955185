//! Time as one worker measures it: on a clock of its own that never goes back, and that no other worker knows.

use std::ops::Add;
use std::time::Duration;

/// A moment on the clock of one process: time since a start that means nothing to anybody else.
///
/// The clock must go on while the machine is suspended (`CLOCK_BOOTTIME`), or a worker that wakes up believes itself young.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Moment(Duration);

impl Moment {
    /// The moment so long after the start of the clock.
    pub const fn after_start(elapsed: Duration) -> Self {
        Self(elapsed)
    }

    /// Time from an earlier moment to this one; none if it is not earlier.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, time: Duration) -> Self {
        Self(self.0 + time)
    }
}

/// How long everything takes. One setting for a whole cluster: workers that differ may fence each other for nothing, or
/// too late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Between two beats of a worker.
    pub beat: Duration,
    /// Least time between two beats that are sent because something changed.
    pub breath: Duration,
    /// Age of the last proof of being alive at which a worker suspends its tasks.
    pub suspend: Duration,
    /// Age at which it ends them.
    pub halt: Duration,
    /// Silence after which others declare it dead. Greater than `halt` by more than clocks can differ over it.
    pub dead: Duration,
    /// Longest time without own beats that counts as time in which others were silent.
    pub stall: Duration,
    /// How long a worker listens before it joins, if nobody is known to have its name.
    pub listen: Duration,
    /// Time that the first candidate has before the next one stands.
    pub candidate: Duration,
    /// Least time between two new allocations.
    pub rebalance: Duration,
    /// Time after which something that the brokers refused is tried again.
    pub again: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            beat: Duration::from_secs(1),
            breath: Duration::from_millis(20),
            suspend: Duration::from_secs(3),
            halt: Duration::from_secs(4),
            dead: Duration::from_millis(4500),
            stall: Duration::from_secs(2),
            listen: Duration::from_secs(2),
            candidate: Duration::from_secs(3),
            rebalance: Duration::from_secs(1),
            again: Duration::from_secs(1),
        }
    }
}
