//! `jsonl_source`: records from files of JSON lines. Lines are in `jsonl_source/records`; which files are read, and what
//! becomes of them, is in `reading`.

mod records;

use std::collections::BTreeMap;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig, Varies};
use fairway_engine::probe::{ProbeConfig, ProbeCtx, Sample, SampleConfig, SampleCtx, sample_by_reading};
use fairway_engine::source::{Source, SourceCtx};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::reading::{Coding, Compression, FileSource, Limits, Paths, Reading, probe};
use records::JsonLines;

/// Reads files that hold a JSON object on each line, each record once, and goes on where it was after a stop or a crash.
///
/// **Values.** Every number keeps all its digits, whatever its size. Each name of an object is a field; where a name comes
/// twice, the last value counts. Objects and lists within stay what they are. Lines with nothing on them are passed over.
///
/// **Damage.** A line that is no JSON, a line that is JSON but no object, bytes that are no text in the encoding, and a line
/// longer than `max_record_bytes` are refused one by one and leave by the errors port as `{ raw, file, line, offset }`, `raw`
/// with its first 256 KiB. A file that cannot be read to its end, or becomes shorter meanwhile, is an error of the
/// source, after everything else was read.
///
/// **Files.** A file is known again by its content, wherever it was moved. A file that replaced another is read from its
/// beginning, and so is a copy: when logs are rotated by copying, keep the copies out of the glob. Files are read in the order
/// of their names. Pipes and devices are refused. Compressed files, and those that are not UTF-8, have no places to jump to:
/// after each start, and whenever they grow, they are decoded again up to where they were read.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JsonlSource {
    /// A path, a glob such as `in/**/*.jsonl`, or a list of them.
    #[schemars(extend("x-ui" = {"order": 1, "widget": "path", "placeholder": "in/*.jsonl"}))]
    path: Paths,
    /// How characters are encoded, as the web calls it, such as `windows-1252`; empty for UTF-8, or UTF-16 where the file
    /// begins with its byte order mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 2, "group": "format", "placeholder": "utf-8"}))]
    encoding: Option<String>,
    /// How the files are compressed.
    #[serde(default = "default_compression")]
    #[schemars(extend("x-ui" = {"order": 3, "group": "format"}))]
    compression: Compression,
    /// Whether to wait for files to grow and for new ones. A last line without a line end then waits for its end.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 4}))]
    follow: bool,
    /// Field that gets the name of the file in each record; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 5, "placeholder": "file"}))]
    file_field: Option<String>,
    /// Most records handed on at once.
    #[serde(default = "default_batch")]
    #[schemars(range(min = 1, max = 100_000), extend("x-ui" = {"order": 6, "advanced": true}))]
    batch: u32,
    /// Most bytes that one line may have; longer ones are refused.
    #[serde(default = "default_max_record_bytes")]
    #[schemars(range(min = 1024, max = 1_073_741_824), extend("x-ui" = {"order": 7, "advanced": true}))]
    max_record_bytes: u32,
}

fn default_compression() -> Compression {
    Compression::Auto
}

fn default_batch() -> u32 {
    1000
}

fn default_max_record_bytes() -> u32 {
    16 << 20
}

impl JsonlSource {
    fn coding(&self) -> Result<Coding, String> {
        Coding::new(self.compression, self.encoding.as_deref())
    }
}

impl Config for JsonlSource {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        bounded: true,
        catches_up: true,
        varies: &[Varies::endless(&[("follow", &["true"])])],
        position_fields: &["encoding"],
        examples: &[
            ("All files of a folder", r#"{"path":"in/*.jsonl"}"#),
            ("A log that is rotated", r#"{"path":"log/*.jsonl","follow":true}"#),
            (
                "Compressed archives, with records of up to 64 MiB",
                r#"{"path":["archive/**/*.jsonl.gz","archive/**/*.jsonl.zst"],"max_record_bytes":67108864}"#,
            ),
        ],
        ..Meta::new("jsonl_source", "JSON lines files", "file")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::from_iter(self.path.check("in/*.jsonl"));
        if let Err(message) = self.coding() {
            issues.push(Issue::new("encoding", message, "leave it empty for UTF-8"));
        }
        issues
    }
}

#[async_trait]
impl SourceConfig for JsonlSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        let config = |message: String| Error::config("jsonl.bad_config", message);
        let reading = Reading {
            patterns: self.path.patterns().map_err(config)?,
            coding: self.coding().map_err(config)?,
            limits: Limits {
                batch: self.batch.max(1) as usize,
                record_bytes: self.max_record_bytes as usize,
                growing: self.follow,
            },
            follow: self.follow,
            format: JsonLines { file_field: self.file_field.filter(|name| !name.is_empty()) },
        };
        Ok(Box::new(FileSource::new(reading, cx)))
    }
}

#[async_trait]
impl SampleConfig for JsonlSource {
    async fn sample(self, cx: SampleCtx) -> Result<Sample, Error> {
        sample_by_reading(JsonlSource { follow: false, ..self }, cx).await
    }
}

#[async_trait]
impl ProbeConfig for JsonlSource {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let coding = self.coding().map_err(|message| Error::config("jsonl.bad_config", message))?;
        probe(self.path, "jsonl", coding, cx, |_, _| Ok(BTreeMap::new())).await
    }
}

#[cfg(test)]
mod tests;
