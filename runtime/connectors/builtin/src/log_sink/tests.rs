use std::io::Write;
use std::sync::{Arc, Mutex};

use fairway_engine::data::{Batch, BatchBuilder, Meta};
use fairway_engine::sink::{Group, Outcome};
use tracing_subscriber::fmt::MakeWriter;

use super::cut;
use crate::testing::sink;

/// What was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl<'w> MakeWriter<'w> for Lines {
    type Writer = Self;

    fn make_writer(&'w self) -> Self {
        self.clone()
    }
}

fn batch(texts: &[&str]) -> Batch {
    let mut builder = BatchBuilder::default();
    for (row, text) in texts.iter().enumerate() {
        builder.push_row(Meta::new(row as u64 + 1, row as u32), [("t", (*text).into())]).unwrap();
    }
    builder.finish()
}

async fn logged(config: &str, texts: &[&str]) -> String {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .without_time()
        .with_writer(lines.clone())
        .finish();
    let guard = tracing::subscriber::set_default(subscriber);
    let mut sink = sink("log_sink", config).await.unwrap();
    let outcome = sink.deliver(Group { batches: &[batch(texts)], marks: &[] }).await.unwrap();
    assert!(matches!(outcome, Outcome::Delivered(refused) if refused.is_empty()));
    drop(guard);
    let bytes = lines.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn each_record_is_a_line_of_json() {
    let text = logged("{}", &["a", "one\ntwo"]).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].trim_start().starts_with("INFO") && lines[0].contains(r#"record={"t":"a"}"#), "{text}");
    assert!(lines[1].contains(r#"record={"t":"one\ntwo"}"#), "{text}");
    assert!(lines[0].contains("channel=\"uid\"") && lines[0].contains("node=\"out\""), "{text}");
}

#[tokio::test]
async fn levels_and_lengths_are_kept() {
    let long = "é".repeat(500);
    let text = logged(r#"{"level":"warn","max_bytes":20}"#, &[&long]).await;
    assert!(text.trim_start().starts_with("WARN") && text.contains("bytes=1008 cut=true"), "{text}");
    assert!(text.contains(&format!("record={{\"t\":\"{}\n", "é".repeat(7))), "{text}");
    assert_eq!(logged(r#"{"level":"trace"}"#, &["a"]).await, "");
}

#[test]
fn cuts_fall_between_characters() {
    assert_eq!(cut("aé", 3), None);
    assert_eq!(cut("aé", 2), Some("a"));
    assert_eq!(cut("aé", 1), Some("a"));
    assert_eq!(cut("é", 0), Some(""));
}
