//! Work that is done again and again: by the clock, and at once when somebody wakes it. A fault or a panic in it is told and ends
//! nothing; the work is done again, later and later while it keeps failing.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Longest wait after a fault, as a multiple of the period.
const LATEST: u32 = 30;

/// Periodic work. It ends when this is dropped.
#[derive(Debug)]
pub struct Periodic {
    bell: Arc<Notify>,
    work: JoinHandle<()>,
}

impl Drop for Periodic {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl Periodic {
    /// Does some work now, each time the period is over, and each time it is woken. Wakes during the work count for the next time, all
    /// together. To be called inside the async runtime.
    pub fn spawn<W, E>(
        name: &'static str,
        period: Duration,
        mut work: impl FnMut() -> W + Send + 'static,
    ) -> Self
    where
        W: Future<Output = Result<(), E>> + Send,
        E: std::fmt::Display + Send,
    {
        let bell = Arc::new(Notify::new());
        let ring = bell.clone();
        let work = tokio::spawn(async move {
            let mut wait = period;
            loop {
                let done = match std::panic::catch_unwind(AssertUnwindSafe(&mut work)) {
                    Ok(work) => AssertUnwindSafe(work).catch_unwind().await,
                    Err(panic) => Err(panic),
                };
                wait = match done {
                    Ok(Ok(())) => period,
                    Ok(Err(error)) => {
                        tracing::warn!(%error, name, "periodic work failed, it is done again");
                        (wait * 2).min(period * LATEST)
                    }
                    Err(_) => {
                        tracing::error!(name, "periodic work panicked, it is done again");
                        (wait * 2).min(period * LATEST)
                    }
                };
                tokio::time::timeout(wait, ring.notified()).await.unwrap_or_default();
            }
        });
        Self { bell, work }
    }

    /// Has the work done at once.
    pub fn wake(&self) {
        self.bell.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Work that first fails, then panics; and how often it was done.
    fn faulty(period: Duration) -> (Periodic, Arc<AtomicU32>) {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let periodic = Periodic::spawn("test", period, move || {
            let number = counted.fetch_add(1, Ordering::SeqCst);
            async move {
                match number {
                    0 => Err("a fault"),
                    1 => panic!("on purpose"),
                    _ => Ok(()),
                }
            }
        });
        (periodic, count)
    }

    async fn reached(count: &AtomicU32, times: u32) {
        let reached = async {
            while count.load(Ordering::SeqCst) < times {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(60), reached).await.expect("it is done again");
    }

    #[tokio::test]
    async fn goes_on_by_the_clock_through_faults_and_panics() {
        let (_periodic, count) = faulty(Duration::from_millis(1));
        reached(&count, 5).await;
    }

    #[tokio::test]
    async fn is_done_at_once_when_woken() {
        let (periodic, count) = faulty(Duration::from_secs(3600));
        for times in 1..=5 {
            reached(&count, times).await;
            periodic.wake();
        }
    }
}
