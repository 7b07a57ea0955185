//! What standard error says while a channel runs: a line that moves on a terminal, plain lines now and then elsewhere.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use fairway_engine::store::Totals;
use fairway_shared::api::status::{ChannelState, ChannelStatus};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::output::{clean, count, say};
use crate::worker::Worker;

/// Time between two looks on a terminal.
const LIVELY: Duration = Duration::from_millis(200);
/// Time between two plain lines.
const PLAIN: Duration = Duration::from_secs(5);

/// Shows progress.
pub(super) struct Show {
    bar: Option<ProgressBar>,
    started: Instant,
    /// Counts of earlier runs, which are not this run's.
    before: Totals,
}

impl Show {
    pub(super) fn new(before: Totals) -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}");
            ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        Self { bar, started: Instant::now(), before }
    }

    /// Shows until it is dropped.
    pub(super) async fn follow(&self, worker: &Worker, uid: &str) {
        let mut ticks = tokio::time::interval(if self.bar.is_some() { LIVELY } else { PLAIN });
        // The first tick comes at once, when there is nothing to say.
        ticks.tick().await;
        loop {
            ticks.tick().await;
            let Some(status) = worker.status(uid) else {
                continue;
            };
            let line = self.line(&status);
            match &self.bar {
                Some(bar) => {
                    bar.set_message(clean(&line).into_owned());
                    bar.tick();
                }
                None => say(&line),
            }
        }
    }

    /// Takes the moving line away.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, status: &ChannelStatus) -> String {
        let (now, before) = (&status.counts, self.before.standing());
        let read = now.read - before.read;
        let mut line = format!(
            "{} read, {} delivered, {} dead-lettered, {}/s",
            count(read),
            count(now.delivered - before.delivered),
            // Letters of earlier runs may have gone.
            count(now.dead_lettered.saturating_sub(before.dead_lettered)),
            count((read as f64 / self.started.elapsed().as_secs_f64()) as u64),
        );
        if let (ChannelState::Degraded | ChannelState::Restarting, Some(cause)) =
            (status.state, &status.cause)
        {
            line.push_str(": waiting, ");
            line.push_str(&cause.message);
        }
        line
    }
}
