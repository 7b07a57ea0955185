//! `jsonl_sink`: records as lines of JSON. How a file holds its own positions is in `writing`.

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Meta, SinkConfig};
use fairway_engine::data::{Batch, RecordRef, json_write};
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Group, Outcome, Sink, SinkCtx};
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::writing::{CommittedFile, Compression, Format, Mode, Owner};

/// Writes each record as a line of JSON into a file, exactly once.
///
/// Numbers keep every digit, times are written as in RFC 3339, bytes in base64; fields that a record does not have are
/// left out. Keys and headers of records are not written.
///
/// Beside the file stands `<path>.fairway`, which says how far the file is committed and how far each source has come:
/// keep both together. After a crash, lines that were not committed are cut off and written again, so every record
/// is there once. While a channel writes, no other may write the same file. A file that was replaced or became
/// shorter stops the channel until you decide.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonlSink {
    /// The file; folders that are missing are created.
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
}

fn default_mode() -> Mode {
    Mode::Append
}

fn default_compression() -> Compression {
    Compression::None
}

impl Config for JsonlSink {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        examples: &[
            ("A file of orders", r#"{"path":"out/orders.jsonl"}"#),
            ("A compressed archive", r#"{"path":"out/orders.jsonl.gz","compression":"gzip"}"#),
        ],
        ..Meta::new("jsonl_sink", "JSON lines file", "file")
    };
}

#[async_trait]
impl SinkConfig for JsonlSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        let path = cx.files.resolve(&self.path)?;
        let owner = Owner { uid: cx.uid.to_string(), node: cx.node.to_string(), generation: cx.generation };
        let open = move || CommittedFile::open(&path, self.mode, self.compression, LINES, owner);
        let file = tokio::task::spawn_blocking(open).await.map_err(interrupted)??;
        Ok(Box::new(Lines { file: Some(file) }))
    }
}

const LINES: Format = Format {
    write: |record: &RecordRef<'_>, out| {
        json_write::write_record(record, out);
        out.push(b'\n');
    },
    is_whole: |line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok(),
};

struct Lines {
    /// Away while a thread works on it.
    file: Option<CommittedFile>,
}

impl Lines {
    /// Works on the file where waiting for the disk holds nobody up.
    async fn work<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut CommittedFile) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let Some(mut file) = self.file.take() else {
            return Err(Error::failed("file.interrupted", "an earlier write was given up while it ran"));
        };
        let (file, result) = tokio::task::spawn_blocking(move || {
            let result = work(&mut file);
            (file, result)
        })
        .await
        .map_err(interrupted)?;
        self.file = Some(file);
        result
    }
}

#[async_trait]
impl Sink for Lines {
    async fn adopt(&mut self, stream: &StreamKey) -> Result<Option<Position>, Error> {
        let stream = stream.clone();
        self.work(move |file| file.adopt(&stream)).await
    }

    async fn deliver(&mut self, group: Group<'_>) -> Result<Outcome, Error> {
        let (batches, marks): (Vec<Batch>, Vec<Mark>) = (group.batches.to_vec(), group.marks.to_vec());
        self.work(move |file| file.commit(&batches, &marks)).await?;
        Ok(Outcome::all())
    }
}

fn interrupted(error: tokio::task::JoinError) -> Error {
    Error::failed("file.interrupted", "writing the file was interrupted").source(error)
}

#[cfg(test)]
mod tests;
