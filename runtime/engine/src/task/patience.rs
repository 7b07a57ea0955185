//! What to do about an outage: try again with back-off, say so, and stop trying when asked to stop or told to give up.

use std::sync::Arc;
use std::time::Duration;

use backon::BackoffBuilder;
use tokio::time::Instant;

use super::control::{Control, Wish};
use super::progress::Progress;
use crate::error::{Error, Kind};

/// Retries outages on behalf of the loops of one task.
#[derive(Debug, Clone)]
pub(crate) struct Patience {
    pub(crate) control: Control,
    pub(crate) progress: Arc<Progress>,
    give_up: Option<Duration>,
}

/// Waits of one series of tries.
#[derive(Debug)]
pub(crate) struct Tries {
    waits: backon::ExponentialBackoff,
    since: Instant,
    used: bool,
}

impl Tries {
    /// Whether anything failed yet.
    pub(crate) fn used(&self) -> bool {
        self.used
    }
}

impl Patience {
    pub(crate) fn new(control: &Control, progress: &Arc<Progress>, give_up: Option<Duration>) -> Self {
        Self { control: control.clone(), progress: progress.clone(), give_up }
    }

    pub(crate) fn tries(&self) -> Tries {
        let waits = backon::ExponentialBuilder::default()
            .with_min_delay(Duration::from_millis(100))
            .with_max_delay(Duration::from_secs(15))
            .with_jitter()
            .without_max_times()
            .build();
        Tries { waits, since: Instant::now(), used: false }
    }

    /// Waits before the next try after an outage; `false` when the task is to end instead.
    ///
    /// # Errors
    /// The outage itself when it has lasted too long; anything that is no outage at once.
    pub(crate) async fn bear(&self, node: &str, error: Error, tries: &mut Tries) -> Result<bool, Error> {
        let error = if node.is_empty() { error } else { error.at_node(node) };
        if error.kind != Kind::Outage || self.give_up.is_some_and(|limit| tries.since.elapsed() >= limit) {
            return Err(error);
        }
        tries.used = true;
        let wait = error.retry_after.or_else(|| tries.waits.next()).unwrap_or(Duration::from_secs(15));
        self.progress.degraded(node, error.cause());
        tracing::warn!(node, error.code = %error.code, %error, wait_ms = wait.as_millis() as u64, "out of reach, trying again");
        tokio::select! {
            () = tokio::time::sleep(wait) => Ok(true),
            () = self.control.reached(Wish::Abort) => Ok(false),
        }
    }
}

/// Does something until it works: `Ok(None)` when the task is to end first, an error as [`Patience::bear`] has it.
///
/// A macro and not a function with an async closure: the futures of such closures are not `Send` for every lifetime.
macro_rules! insist {
    ($patience:expr, $node:expr, $attempt:expr) => {{
        let mut tries = $patience.tries();
        loop {
            let result = tokio::select! {
                result = $attempt => result,
                () = $patience.control.reached($crate::task::control::Wish::Abort) => break Ok(None),
            };
            let error = match result {
                Ok(value) => {
                    if tries.used() {
                        $patience.progress.recovered($node);
                    }
                    break Ok(Some(value));
                }
                Err(error) => error,
            };
            match $patience.bear($node, error, &mut tries).await {
                Ok(true) => {}
                Ok(false) => break Ok(None),
                Err(error) => break Err(error),
            }
        }
    }};
}
pub(crate) use insist;
