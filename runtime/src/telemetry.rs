//! Logs: to standard error, as text for people or as JSON for machines. `FAIRWAY_LOG` filters (`info`, `fairway_engine=debug`).

use std::io;

use tracing_subscriber::EnvFilter;

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum LogFormat {
    /// One line of text an event.
    #[default]
    Text,
    /// One JSON object an event.
    Json,
}

/// Begins to log. A second call changes nothing.
pub fn start(format: LogFormat, default: &str) {
    let filter = EnvFilter::try_from_env("FAIRWAY_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = match format {
        LogFormat::Text => builder.with_ansi(io::IsTerminal::is_terminal(&io::stderr())).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    // Already logging: an embedding program has chosen its own way.
    drop(started);
}
