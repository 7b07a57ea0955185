//! Files, each in a folder that goes with the test.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use fairway_engine::Component;
use fairway_engine::testkit::{SinkFixture, SourceFixture};
use serde_json::{Value, json};

/// A folder, and a new name in it for each call.
pub(super) struct Folder {
    folder: tempfile::TempDir,
    next: AtomicUsize,
}

impl Default for Folder {
    fn default() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), next: AtomicUsize::new(1) }
    }
}

impl Folder {
    pub(super) fn fresh(&self, ending: &str) -> PathBuf {
        self.folder.path().join(format!("{}.{ending}", self.next.fetch_add(1, Ordering::Relaxed)))
    }
}

#[derive(Default)]
pub(super) struct CsvFile(Folder);

#[async_trait]
impl SourceFixture for CsvFile {
    fn component(&self) -> Component {
        super::component("csv_source")
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        let path = self.0.fresh("csv");
        let mut text = "n,note\n".to_owned();
        (1..=count).for_each(|n| writeln!(text, "{n},\"a\n{n}\"").unwrap());
        std::fs::write(&path, text).unwrap();
        json!({ "path": path, "batch": batch })
    }
}

#[derive(Default)]
pub(super) struct JsonlFile(Folder);

#[async_trait]
impl SinkFixture for JsonlFile {
    fn component(&self) -> Component {
        super::component("jsonl_sink")
    }

    async fn fresh(&self) -> Value {
        json!({ "path": self.0.fresh("jsonl") })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        lines(Path::new(config["path"].as_str().unwrap()))
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["n"].as_i64().unwrap())
            .collect()
    }
}

#[derive(Default)]
pub(super) struct JsonlInput(Folder);

#[async_trait]
impl SourceFixture for JsonlInput {
    fn component(&self) -> Component {
        super::component("jsonl_source")
    }

    async fn filled(&self, count: i64, batch: usize) -> Value {
        let path = self.0.fresh("jsonl");
        let mut text = String::new();
        (1..=count).for_each(|n| writeln!(text, "{{\"n\":{n},\"note\":\"a\\n{n}\"}}").unwrap());
        std::fs::write(&path, text).unwrap();
        json!({ "path": path, "batch": batch })
    }
}

/// Of a series, so that commits span files.
#[derive(Default)]
pub(super) struct CsvOutput(Folder);

#[async_trait]
impl SinkFixture for CsvOutput {
    fn component(&self) -> Component {
        super::component("csv_sink")
    }

    async fn fresh(&self) -> Value {
        let path = format!("{}-{{n}}", self.0.fresh("csv").display());
        json!({ "path": path, "roll_records": 7, "columns": ["n"] })
    }

    async fn numbers(&self, config: &Value) -> Vec<i64> {
        let path = config["path"].as_str().unwrap();
        let part = |number: usize| std::fs::read_to_string(path.replace("{n}", &format!("{number:06}"))).ok();
        let texts: Vec<String> = (1..).map_while(part).collect();
        texts.iter().flat_map(|text| text.lines().skip(1)).map(|line| line.parse().unwrap()).collect()
    }
}

fn lines(path: &Path) -> Vec<String> {
    std::fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}
