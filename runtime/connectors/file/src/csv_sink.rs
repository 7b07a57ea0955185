//! `csv_sink`: records as rows of CSV. Rows and columns are in `csv_sink/rows`; how files hold their own positions is in
//! `writing`.

mod rows;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SinkConfig};
use fairway_engine::sink::{Sink, SinkCtx};
use fairway_engine::units::{Size, Span};
use fairway_shared::channel::Guarantee;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::csv_marks::{delimiter, quote};
use crate::writing::{Compression, FileSink, Mode, Rolling};
use rows::{Layout, Rows};

/// Writes each record as a row of a CSV file, exactly once.
///
/// **Columns.** They are those of `columns`, or else the fields of the first record, and are fixed with the first commit for
/// all files of this target. A record with another field is refused with its name; a field that a record does not have is
/// written like null. Behind rows that were there already, columns are those of the file's header.
///
/// **Values.** Numbers keep every digit, times are written as in RFC 3339, bytes in base64, lists and maps as JSON. Null is
/// the text of `null` without quotes, so that empty text, written as `""`, and the very word stay apart from it. Keys and
/// headers of records are not written.
///
/// **Side file.** Beside the file stands `<path>.fairway`, which says how far the file is committed and how far each source
/// has come: keep both together. After a crash, rows that were not committed are cut off and written again, so every
/// record is there once. While a channel writes, no other program may write the same file: bytes that another one added stop
/// the channel until you decide, as does a file that was replaced or became shorter. A reader that follows the file may see
/// what a crash takes back: let others read finished files.
///
/// **Series.** With `{n}` in the name of the file and a limit under `roll_size`, `roll_records` or `roll_every`, records go to
/// a series of files, each with its header; `{time}` and `{date}` stand for the beginning of each in UTC. A file begins when
/// the one before has reached its limit, also in the middle of a commit, and a crash leaves neither a record twice nor half
/// a file. All but the last file are finished and may be moved away. Numbers whose files are already there are passed over.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CsvSink {
    /// The file, or with `{n}` the files of a series; folders that are missing are created.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 1, "widget": "path", "placeholder": "out/orders.csv"}))]
    path: String,
    /// What happens to a file that is already there when this channel first writes it.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    mode: Mode,
    /// Fields to write, in this order; empty for those of the first record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-ui" = {"order": 3, "widget": "fields"}))]
    columns: Vec<String>,
    /// Whether each file begins with the names of the columns.
    #[serde(default = "default_header")]
    #[schemars(extend("x-ui" = {"order": 4}))]
    header: bool,
    /// The character between fields; `\t` for a tab.
    #[serde(default = "default_delimiter")]
    #[schemars(length(min = 1, max = 2), extend("x-ui" = {"order": 5, "group": "format"}))]
    delimiter: String,
    /// The character around fields that need it, doubled within.
    #[serde(default = "default_quote")]
    #[schemars(length(min = 1, max = 1), extend("x-ui" = {"order": 6, "group": "format"}))]
    quote: String,
    /// Which fields are put in quotes.
    #[serde(default = "default_quoting")]
    #[schemars(extend("x-ui" = {"order": 7, "group": "format"}))]
    quoting: Quoting,
    /// What is written for null; empty for nothing at all.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 8, "group": "format", "placeholder": "NULL"}))]
    null: String,
    /// What ends a row.
    #[serde(default = "default_line_end")]
    #[schemars(extend("x-ui" = {"order": 9, "group": "format"}))]
    line_end: LineEnd,
    /// How the file is compressed.
    #[serde(default = "default_compression")]
    #[schemars(extend("x-ui" = {"order": 10, "group": "format"}))]
    compression: Compression,
    /// Size in bytes with which a file is full; of a compressed file about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 11, "group": "series", "placeholder": "100MB"}))]
    roll_size: Option<Size>,
    /// Records with which a file is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), extend("x-ui" = {"order": 12, "group": "series"}))]
    roll_records: Option<u64>,
    /// Age, in time since it was begun, from which on the next commit goes to a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 13, "group": "series", "placeholder": "1h"}))]
    roll_every: Option<Span>,
}

/// Which fields are put in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quoting {
    /// Those that could not be read again without.
    Needed,
    /// All texts, so that readers that guess types can tell `"5"` from 5.
    Text,
    /// All but null.
    All,
}

/// What ends a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LineEnd {
    /// A line feed.
    Lf,
    /// A carriage return and a line feed.
    Crlf,
}

fn default_mode() -> Mode {
    Mode::Append
}

fn default_header() -> bool {
    true
}

fn default_delimiter() -> String {
    ",".into()
}

fn default_quote() -> String {
    "\"".into()
}

fn default_quoting() -> Quoting {
    Quoting::Needed
}

fn default_line_end() -> LineEnd {
    LineEnd::Lf
}

fn default_compression() -> Compression {
    Compression::None
}

impl CsvSink {
    fn rolling(&self) -> Rolling<'_> {
        Rolling {
            path: &self.path,
            mode: self.mode,
            size: self.roll_size.as_ref(),
            records: self.roll_records,
            age: self.roll_every.as_ref(),
        }
    }

    fn layout(&self) -> Result<Layout, Issue> {
        let delimiter = delimiter(&self.delimiter)?;
        let Some(quote) = quote(&self.quote, delimiter)? else {
            return Err(Issue::new(
                "quote",
                "there is no quote",
                "give one ASCII character other than the delimiter",
            ));
        };
        if self.null.bytes().any(|byte| byte == delimiter || byte == quote || matches!(byte, b'\r' | b'\n')) {
            let message = format!("{:?} could not be written without quotes", self.null);
            return Err(Issue::new("null", message, "choose a word such as `NULL`, or none"));
        }
        Ok(Layout {
            delimiter,
            quote,
            quoting: self.quoting,
            null: self.null.clone(),
            line_end: match self.line_end {
                LineEnd::Lf => b"\n",
                LineEnd::Crlf => b"\r\n",
            },
            header: self.header,
        })
    }
}

impl Config for CsvSink {
    const META: Meta = Meta {
        delivery: Guarantee::ExactlyOnce,
        examples: &[
            ("A file of orders", r#"{"path":"out/orders.csv"}"#),
            (
                "Chosen columns for a spreadsheet",
                r#"{"path":"out/orders.csv","columns":["id","customer","total"],"delimiter":";","line_end":"crlf"}"#,
            ),
            (
                "A compressed file for every 100,000 records",
                r#"{"path":"out/orders-{date}-{n}.csv.zst","compression":"zstd","roll_records":100000}"#,
            ),
        ],
        ..Meta::new("csv_sink", "CSV file", "file")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = self.rolling().check();
        issues.extend(self.layout().err());
        if let Some(twice) =
            self.columns.iter().enumerate().find(|(at, name)| self.columns[..*at].contains(name))
        {
            let (index, name) = twice;
            let message = format!("`{name}` is named twice");
            issues.push(Issue::new(format!("columns.{index}"), message, "keep one of them"));
        }
        issues
    }
}

#[async_trait]
impl SinkConfig for CsvSink {
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error> {
        if let Some(issue) = self.check().into_iter().next() {
            return Err(Error::config("csv.bad_config", issue.message));
        }
        let layout = self.layout().map_err(|issue| Error::config("csv.bad_config", issue.message))?;
        let rows = Rows::new(layout, self.columns.clone());
        FileSink::open(self.rolling(), self.compression, rows, cx).await
    }
}

#[cfg(test)]
mod tests;
