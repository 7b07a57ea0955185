//! Logs: to standard error, scrubbed of secrets, as text for people or as JSON for machines. `FAIRWAY_LOG` filters (`info`, `fairway_engine=debug`).

use std::io::{self, IsTerminal, Write};
use std::panic;

use tracing_subscriber::EnvFilter;

use crate::redact;

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// One line of text an event.
    #[default]
    Text,
    /// One JSON object an event.
    Json,
}

impl LogFormat {
    /// As arguments spell it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Begins to log. A second call changes nothing.
pub fn start(format: LogFormat, default: &str) {
    let filter = EnvFilter::try_from_env("FAIRWAY_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(|| Scrubbed);
    let started = match format {
        LogFormat::Text => builder.with_ansi(io::stderr().is_terminal()).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // Where something logs already, an embedding program has chosen its own way.
    if started.is_ok() {
        panic::set_hook(Box::new(|panic| tracing::error!(%panic, "a bug")));
    }
}

/// Standard error, without the values that must not be shown.
struct Scrubbed;

impl Write for Scrubbed {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        io::stderr().write_all(redact::scrub(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
