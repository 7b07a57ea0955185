//! Restarts a failed task with back-off and within a budget; a panic is a failed task. When the budget is spent the task
//! stays FAILED with its true cause.

use std::collections::VecDeque;
use std::time::Duration;

use backon::BackoffBuilder;
use fairway_shared::api::status::Cause;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::control::Wish;
use super::{Control, Ended, panicked};
use crate::error::{Error, Kind};

/// How often a task may be restarted.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Most restarts within `window`.
    pub restarts: usize,
    /// Time after which a restart is forgiven.
    pub window: Duration,
    /// First wait before a restart; doubles each time.
    pub min_wait: Duration,
    /// Longest wait before a restart.
    pub max_wait: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            restarts: 8,
            window: Duration::from_secs(600),
            min_wait: Duration::from_millis(500),
            max_wait: Duration::from_secs(30),
        }
    }
}

/// What a supervised task goes through.
#[derive(Debug, Clone, PartialEq)]
pub enum Transition {
    /// It runs, for the n-th time counting from 0.
    Running(u32),
    /// It failed and waits for its restart.
    Restarting {
        /// Why it failed.
        cause: Cause,
        /// Restarts so far, this one included.
        restarts: u32,
        /// How long it waits.
        wait: Duration,
    },
}

/// How a supervised task ended for good.
#[derive(Debug)]
pub enum Final {
    /// Without a fault.
    Ended(Ended),
    /// The budget is spent, or the fault is not worth a restart; see its kind.
    Failed(Error),
}

/// Runs what `make` makes until it ends for good. Each run is a task of its own, so that a panic ends only that.
pub async fn supervise(
    mut make: impl FnMut() -> BoxFuture<'static, Result<Ended, Error>>,
    control: &Control,
    budget: Budget,
    mut on: impl FnMut(Transition),
) -> Final {
    let mut recent: VecDeque<Instant> = VecDeque::new();
    let mut restarts = 0;
    let mut last = Instant::now();
    let mut waits = waits(budget);
    loop {
        on(Transition::Running(restarts));
        let error = match tokio::spawn(make()).await {
            Ok(Ok(ended)) => return Final::Ended(ended),
            Ok(Err(error)) => error,
            Err(join) => panicked(join),
        };
        let now = Instant::now();
        let calm = std::mem::replace(&mut last, now);
        while recent.front().is_some_and(|then| now.duration_since(*then) > budget.window) {
            recent.pop_front();
        }
        if recent.is_empty() && now.duration_since(calm) > budget.max_wait * 2 {
            waits = self::waits(budget);
        }
        // An outage that reaches this place has lasted longer than the user wanted to wait.
        let again = error.kind == Kind::Again;
        let worth_it = again || (error.kind == Kind::Failed && recent.len() < budget.restarts);
        if !worth_it || control.stopping() {
            return Final::Failed(error);
        }
        if !again {
            recent.push_back(now);
        }
        restarts += 1;
        let wait = waits.next().unwrap_or(budget.max_wait);
        on(Transition::Restarting { cause: error.cause(), restarts, wait });
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = control.reached(Wish::Stop) => return Final::Failed(error),
        }
    }
}

fn waits(budget: Budget) -> backon::ExponentialBackoff {
    backon::ExponentialBuilder::default()
        .with_min_delay(budget.min_wait)
        .with_max_delay(budget.max_wait)
        .with_jitter()
        .without_max_times()
        .build()
}
