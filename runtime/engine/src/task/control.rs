//! What the user wants of a running task: a handle that any number of places hold.

use std::sync::Arc;

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use super::tap::Taps;

/// What is wanted, from least to most urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wish {
    Run,
    /// Read nothing new; what is in flight drains; connections stay.
    Pause,
    /// Read nothing new, drain, then release everything.
    Stop,
    /// Let go now; what is not durable is read again next time.
    Abort,
}

/// Steers a task through all its restarts. A stop cannot be taken back.
#[derive(Debug, Clone)]
pub struct Control {
    wish: Arc<watch::Sender<Wish>>,
    /// Looks at what passes its edges.
    pub(crate) taps: Taps,
    /// Dead letters are to be tried again.
    pub(crate) replays: Arc<Notify>,
    /// No write is to begin for now.
    suspended: Arc<watch::Sender<bool>>,
    /// Stops one run from inside, when one of its sources has failed.
    drain: CancellationToken,
    /// Ends one run from inside, when one of its loops has failed.
    fault: CancellationToken,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            wish: Arc::new(watch::Sender::new(Wish::Run)),
            taps: Taps::default(),
            replays: Arc::default(),
            suspended: Arc::default(),
            drain: CancellationToken::new(),
            fault: CancellationToken::new(),
        }
    }
}

impl Control {
    /// Reads nothing new, keeps connections.
    pub fn pause(&self) {
        self.change(Wish::Pause, |now| now == Wish::Run);
    }

    /// Goes on after a pause.
    pub fn resume(&self) {
        self.change(Wish::Run, |now| now == Wish::Pause);
    }

    /// Drains and ends.
    pub fn stop(&self) {
        self.change(Wish::Stop, |now| now < Wish::Stop);
    }

    /// Ends at once.
    pub fn abort(&self) {
        self.change(Wish::Abort, |now| now < Wish::Abort);
    }

    /// Says that there are dead letters to be tried again.
    pub fn replay(&self) {
        self.replays.notify_one();
    }

    /// Where looks at its edges hang.
    pub fn taps(&self) -> &Taps {
        &self.taps
    }

    /// Whether it was asked to end.
    pub fn stopping(&self) -> bool {
        *self.wish.borrow() >= Wish::Stop
    }

    /// Begins no write, into targets or positions, until told to go on: it may be somebody else's task by now (I4).
    pub fn suspend(&self) {
        self.suspended.send_replace(true);
    }

    /// Writes again after it was suspended.
    pub fn go_on(&self) {
        self.suspended.send_replace(false);
    }

    /// Waits until a write may begin; `false` when the task is to end first.
    pub(crate) async fn may_write(&self) -> bool {
        if !*self.suspended.borrow() {
            return true;
        }
        let mut suspended = self.suspended.subscribe();
        tokio::select! {
            // This handle keeps the sender.
            _ = suspended.wait_for(|suspended| !suspended) => true,
            () = self.reached(Wish::Abort) => false,
        }
    }

    /// The same wishes, with faults of its own.
    pub(crate) fn for_run(&self) -> Self {
        Self { drain: CancellationToken::new(), fault: CancellationToken::new(), ..self.clone() }
    }

    /// Lets this run, not the task, drain and end.
    pub(crate) fn drain_run(&self) {
        self.drain.cancel();
    }

    /// Ends this run, not the task.
    pub(crate) fn fail_run(&self) {
        self.fault.cancel();
    }

    pub(crate) fn current(&self) -> Wish {
        let wish = *self.wish.borrow();
        if self.fault.is_cancelled() {
            Wish::Abort
        } else if self.drain.is_cancelled() {
            wish.max(Wish::Stop)
        } else {
            wish
        }
    }

    /// Waits until at least this much is wanted.
    pub(crate) async fn reached(&self, wish: Wish) {
        self.until(|now| now >= wish).await;
    }

    /// Waits until the wish fits.
    pub(crate) async fn until(&self, mut fits: impl FnMut(Wish) -> bool) {
        let (at_fault, at_drain) = (fits(Wish::Abort), fits(Wish::Stop));
        let mut receiver = self.wish.subscribe();
        tokio::select! {
            () = self.fault.cancelled(), if at_fault => {}
            () = self.drain.cancelled(), if at_drain => {}
            // This handle keeps the sender, so the wait ends by a fitting wish only.
            _ = receiver.wait_for(|now| fits(*now)) => {}
        }
    }

    fn change(&self, wish: Wish, allowed: impl Fn(Wish) -> bool) {
        self.wish.send_if_modified(|now| {
            let changes = allowed(*now);
            if changes {
                *now = wish;
            }
            changes
        });
    }
}
