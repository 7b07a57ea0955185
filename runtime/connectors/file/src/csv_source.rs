//! `csv_source`: records from CSV files. Types of columns are in `csv_source/columns` and `infer`, rows in `records`;
//! which files are read, and what becomes of them, is in `reading`.

mod columns;
mod infer;
mod records;

use std::collections::BTreeMap;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig, Varies};
use fairway_engine::data::csv_split::Dialect;
use fairway_engine::probe::{ProbeConfig, ProbeCtx, Sample, SampleConfig, SampleCtx, sample_by_reading};
use fairway_engine::source::{Source, SourceCtx};
use fairway_shared::channel::Guarantee;
use fairway_shared::component::Probe;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::csv_marks::{delimiter, quote};
use crate::reading::{Chunk, Coding, Compression, FileSource, Format, Limits, Paths, Reading, probe};
use columns::Columns;
use records::Csv;

/// Reads CSV files, each record once, and goes on where it was after a stop or a crash.
///
/// **Types.** With `columns: infer` the first 1000 rows of each file (of its first megabyte) decide: a column is `bool`,
/// `int64`, `uint64`, `decimal`, `date` or `timestamp` only if every one of these values would be written back as the very
/// same text, so `007`, `+5` and `1e5` stay text, and so does a column whose values are quoted where others are not. Numbers
/// with an exponent and a point or sign (`1.5e-07`, `1E+05`) make a column `float64` if a float holds every digit of all of
/// them. A later value that does not fit is refused with file, line and column; it is never changed. A list declares the types
/// of the columns it names; the others are text. Declared types are read like an explicit cast.
///
/// **Null.** A field with nothing in it is null; `""` is empty text. A declared column may list the words that mean null
/// instead; in quotes they do not, unless the column is of another type than text.
///
/// **Headers.** Names are kept exactly. Where a name comes twice, the first column keeps it and the others get the first free
/// of `name_2`, `name_3` and so on; a column without a name is called `column_N` by its place. Without a header all columns
/// are called so.
///
/// **Damage.** A row with too many or too few fields, a value that is not of its type, bytes that are no text in the encoding,
/// a quote that is never closed and a record longer than `max_record_bytes` are refused one by one and leave by
/// the errors port as `{ raw, file, line, offset }`, `raw` with its first 256 KiB. A file that cannot be read to its end, or
/// becomes shorter meanwhile, is an error of the source, after everything else was read.
///
/// **Files.** A file is known again by its content, wherever it was moved. A file that replaced another is read from its
/// beginning, and so is a copy: when logs are rotated by copying, keep the copies out of the glob. Files are read in the order
/// of their names. Pipes and devices are refused. Compressed files, and those that are not UTF-8, have no places to jump to:
/// after each start, and whenever they grow, they are decoded again up to where they were read.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CsvSource {
    /// A path, a glob such as `in/**/*.csv`, or a list of them.
    #[schemars(extend("x-ui" = {"order": 1, "widget": "path", "placeholder": "in/*.csv"}))]
    path: Paths,
    /// Whether the first row holds the names of the columns.
    #[serde(default = "default_header")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    header: bool,
    /// How the types of the columns are found: `infer`, `text` for text throughout, or a list of declared columns.
    #[serde(default = "default_columns")]
    #[schemars(extend("x-ui" = {"order": 3, "widget": "columns"}))]
    columns: Columns,
    /// The character between fields; `\t` for a tab.
    #[serde(default = "default_delimiter")]
    #[schemars(length(min = 1, max = 2), extend("x-ui" = {"order": 4, "group": "format"}))]
    delimiter: String,
    /// The character around fields that contain delimiters or line ends, doubled within; empty if quotes mean nothing.
    #[serde(default = "default_quote")]
    #[schemars(length(max = 1), extend("x-ui" = {"order": 5, "group": "format"}))]
    quote: String,
    /// How characters are encoded, as the web calls it, such as `windows-1252`; empty for UTF-8, or UTF-16 where the file
    /// begins with its byte order mark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 6, "group": "format", "placeholder": "utf-8"}))]
    encoding: Option<String>,
    /// How the files are compressed.
    #[serde(default = "default_compression")]
    #[schemars(extend("x-ui" = {"order": 7, "group": "format"}))]
    compression: Compression,
    /// Whether to wait for files to grow and for new ones. A last line without a line end then waits for its end.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 8}))]
    follow: bool,
    /// Field that gets the name of the file in each record; empty for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 9, "placeholder": "file"}))]
    file_field: Option<String>,
    /// Most records handed on at once.
    #[serde(default = "default_batch")]
    #[schemars(range(min = 1, max = 100_000), extend("x-ui" = {"order": 10, "advanced": true}))]
    batch: u32,
    /// Most bytes that one record may have; longer ones are refused.
    #[serde(default = "default_max_record_bytes")]
    #[schemars(range(min = 1024, max = 1_073_741_824), extend("x-ui" = {"order": 11, "advanced": true}))]
    max_record_bytes: u32,
}

fn default_header() -> bool {
    true
}

fn default_columns() -> Columns {
    Columns::INFER
}

fn default_delimiter() -> String {
    ",".into()
}

fn default_quote() -> String {
    "\"".into()
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

impl CsvSource {
    fn dialect(&self) -> Result<Dialect, Issue> {
        let delimiter = delimiter(&self.delimiter)?;
        let quote = quote(&self.quote, delimiter)?;
        Ok(Dialect { delimiter, quote, escape: None, comment: None })
    }
}

impl Config for CsvSource {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        bounded: true,
        catches_up: true,
        varies: &[Varies::endless(&[("follow", &["true"])])],
        position_fields: &["encoding", "delimiter", "quote", "header"],
        examples: &[
            ("All CSV files of a folder", r#"{"path":"in/*.csv"}"#),
            (
                "Declared types, semicolons, an old encoding",
                r#"{"path":"in/orders.csv","delimiter":";","encoding":"windows-1252","columns":[{"name":"id","type":"int64"},{"name":"day","type":"date","format":"%d.%m.%Y","null":["","n/a"]}]}"#,
            ),
            (
                "A file that grows",
                r#"{"path":["log/today.csv","log/extra.csv"],"follow":true,"columns":"text"}"#,
            ),
        ],
        ..Meta::new("csv_source", "CSV files", "file")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        issues.extend(self.path.check("in/*.csv"));
        issues.extend(self.dialect().err());
        if let Err(message) = Coding::new(self.compression, self.encoding.as_deref()) {
            issues.push(Issue::new("encoding", message, "leave it empty for UTF-8"));
        }
        issues.extend(self.columns.check());
        issues
    }
}

#[async_trait]
impl SourceConfig for CsvSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        let config = |message: String| Error::config("csv.bad_config", message);
        let dialect = self.dialect().map_err(|issue| config(issue.message))?;
        let columns = self.columns.declared().map_err(config)?;
        let reading = Reading {
            patterns: self.path.patterns().map_err(config)?,
            coding: Coding::new(self.compression, self.encoding.as_deref()).map_err(config)?,
            limits: Limits {
                batch: self.batch.max(1) as usize,
                record_bytes: self.max_record_bytes as usize,
                growing: self.follow,
            },
            follow: self.follow,
            format: Csv {
                dialect,
                header: self.header,
                columns,
                file_field: self.file_field.filter(|name| !name.is_empty()),
            },
        };
        Ok(Box::new(FileSource::new(reading, cx)))
    }
}

#[async_trait]
impl SampleConfig for CsvSource {
    async fn sample(self, cx: SampleCtx) -> Result<Sample, Error> {
        sample_by_reading(CsvSource { follow: false, ..self }, cx).await
    }
}

#[async_trait]
impl ProbeConfig for CsvSource {
    async fn probe(self, cx: ProbeCtx) -> Result<Probe, Error> {
        let config = |message: String| Error::config("csv.bad_config", message);
        let dialect = self.dialect().map_err(|issue| config(issue.message))?;
        let columns = self.columns.declared().map_err(config)?;
        let coding = Coding::new(self.compression, self.encoding.as_deref()).map_err(config)?;
        let csv = Csv { dialect, header: self.header, columns, file_field: None };
        let look = move |name: &str, head: &Chunk| {
            let Some((rows, _)) = csv.begin(name, head)? else { return Ok(BTreeMap::new()) };
            Ok(BTreeMap::from([("columns[].name".to_owned(), rows.choices())]))
        };
        probe(self.path, "csv", coding, cx, look).await
    }
}

#[cfg(test)]
mod tests;
