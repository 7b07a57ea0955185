//! `log_sink`: records shown in the log.

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Meta, SinkConfig};
use fairway_engine::data::json_write;
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Writes each record as JSON into Fairway's own log: for looking at a channel while it is being drawn.
///
/// The log shows the values of records: do not use it for what must stay private. After a crash some records may be
/// written again.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogSink {
    /// How important a record is; whether that is shown depends on how the log is set up.
    #[serde(default = "default_level")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    level: Level,
    /// Most bytes of a record that are written; longer ones are cut.
    #[serde(default = "default_max_bytes")]
    #[schemars(range(min = 16, max = 1_048_576), extend("x-ui" = {"order": 2, "advanced": true}))]
    max_bytes: u32,
}

/// How important a line of the log is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Level {
    /// Needs a look.
    Error,
    /// May need a look.
    Warn,
    /// Good to know.
    Info,
    /// For finding faults.
    Debug,
    /// For finding faults, step by step.
    Trace,
}

fn default_level() -> Level {
    Level::Info
}

fn default_max_bytes() -> u32 {
    4096
}

impl Config for LogSink {
    const META: Meta = Meta {
        delivery: Guarantee::AtLeastOnce,
        examples: &[
            ("Everything as usual", "{}"),
            ("Only the beginnings, for finding faults", r#"{"level":"debug","max_bytes":200}"#),
        ],
        several: true,
        ..Meta::new("log_sink", "Log", "builtin")
    };
}

#[async_trait]
impl SinkConfig for LogSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        Ok(Box::new(Log { config: self, cx, text: Vec::new() }))
    }
}

struct Log {
    config: LogSink,
    cx: SinkCtx,
    text: Vec<u8>,
}

/// Writes one line; the level of a line is fixed where it stands in the code.
macro_rules! line {
    ($level:expr, $($field:tt)*) => {
        match $level {
            Level::Error => tracing::error!($($field)*),
            Level::Warn => tracing::warn!($($field)*),
            Level::Info => tracing::info!($($field)*),
            Level::Debug => tracing::debug!($($field)*),
            Level::Trace => tracing::trace!($($field)*),
        }
    };
}

#[async_trait]
impl Sink for Log {
    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        let most = self.config.max_bytes as usize;
        let (channel, node) = (&*self.cx.uid, &*self.cx.node);
        for record in group.batches.iter().flat_map(|batch| batch.records()) {
            self.text.clear();
            json_write::write_record(&record, &mut self.text);
            let text = String::from_utf8_lossy(&self.text);
            match cut(&text, most) {
                Some(start) => {
                    let bytes = text.len();
                    line!(self.config.level, channel, node, bytes, cut = true, record = %start, "record");
                }
                None => line!(self.config.level, channel, node, record = %text, "record"),
            }
        }
        Ok(Outcome::all())
    }
}

/// The longest beginning of at most so many bytes that ends between characters; `None` if the text is not longer.
fn cut(text: &str, most: usize) -> Option<&str> {
    (text.len() > most).then(|| &text[..text.floor_char_boundary(most)])
}

#[cfg(test)]
mod tests;
