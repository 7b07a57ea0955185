//! `jsonl_sink`: records as lines of JSON. How files hold their own positions is in `writing`.

use std::fs::File;
use std::io;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SinkConfig};
use fairway_engine::data::{RecordRef, json_write};
use fairway_engine::sink::{Sink, SinkCtx};
use fairway_engine::units::{Size, Span};
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::writing::{Compression, Ending, FileSink, Format, Mode, Rolling, ending};

/// Writes each record as a line of JSON into a file, exactly once.
///
/// Numbers keep every digit, times are written as in RFC 3339, bytes in base64; fields that a record does not have are
/// left out. Keys and headers of records are not written.
///
/// **Side file.** Beside the file stands `<path>.fairway`, which says how far the file is committed and how far each source
/// has come: keep both together. After a crash, lines that were not committed are cut off and written again, so every
/// record is there once. While a channel writes, no other program may write the same file: bytes that another one added stop
/// the channel until you decide, as does a file that was replaced or became shorter. A reader that follows the file may see
/// what a crash takes back: let others read finished files.
///
/// **Series.** With `{n}` in the name of the file and a limit under `roll_size`, `roll_records` or `roll_every`, records go to
/// a series of files; `{time}` and `{date}` stand for the beginning of each in UTC. A file begins when the one before has
/// reached its limit, also in the middle of a commit, and a crash leaves neither a record twice nor half a file. All but the
/// last file are finished and may be moved away. Numbers whose files are already there are passed over.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonlSink {
    /// The file, or with `{n}` the files of a series; folders that are missing are created.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "path", "placeholder": "out/orders.jsonl"}))]
    path: String,
    /// What happens to a file that is already there when this channel first writes it.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    mode: Mode,
    /// How the file is compressed.
    #[serde(default = "default_compression")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    compression: Compression,
    /// Size in bytes with which a file is full; of a compressed file about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 4, "group": "series", "placeholder": "100MB"}))]
    roll_size: Option<Size>,
    /// Records with which a file is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("x-ui" = {"order": 5, "group": "series"}))]
    roll_records: Option<u64>,
    /// Age, in time since it was begun, from which on the next commit goes to a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 6, "group": "series", "placeholder": "1h"}))]
    roll_every: Option<Span>,
}

fn default_mode() -> Mode {
    Mode::Append
}

fn default_compression() -> Compression {
    Compression::None
}

impl JsonlSink {
    fn rolling(&self) -> Rolling<'_> {
        Rolling {
            path: &self.path,
            mode: self.mode,
            size: self.roll_size.as_ref(),
            records: self.roll_records,
            age: self.roll_every.as_ref(),
        }
    }
}

impl Config for JsonlSink {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        examples: &[
            ("A file of orders", r#"{"path":"out/orders.jsonl"}"#),
            ("A compressed archive", r#"{"path":"out/orders.jsonl.gz","compression":"gzip"}"#),
            (
                "A file an hour, or sooner when it is large",
                r#"{"path":"out/orders-{time}-{n}.jsonl","roll_every":"1h","roll_size":"256MiB"}"#,
            ),
        ],
        ..Meta::new("jsonl_sink", "JSON lines file", "file")
    };

    fn check(&self) -> Vec<Issue> {
        self.rolling().check()
    }
}

#[async_trait]
impl SinkConfig for JsonlSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        FileSink::open(self.rolling(), self.compression, JsonLines, cx).await
    }
}

struct JsonLines;

impl Format for JsonLines {
    fn write(&mut self, record: &RecordRef<'_>, out: &mut Vec<u8>) {
        json_write::write_record(record, out);
        out.push(b'\n');
    }

    fn ending(&mut self, file: &mut File, length: u64) -> io::Result<Ending> {
        ending(file, length, |line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok())
    }

    fn goes_on_with_compressed(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests;
