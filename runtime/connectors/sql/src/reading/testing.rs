//! Driving a source of tables by hand: what it hands on is acknowledged at once.

use std::path::Path;

use fairway_engine::Error;
use fairway_engine::component::Opener;
use fairway_engine::data::{RecordError, RecordRef, Value};
use fairway_engine::files::Files;
use fairway_engine::hooks::Hooks;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::source::{Next, Polled, Source, SourceCtx};

use crate::testing::component;

/// A source that a test drives.
pub(crate) struct Driven {
    pub(crate) source: Box<dyn Source>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) dead: Vec<RecordError>,
    pub(crate) keys: Vec<Value>,
}

impl Driven {
    pub(crate) async fn open(name: &str, root: &Path, config: &str, marks: Vec<Mark>) -> Self {
        let Opener::Source(open) = component(name).opener else { panic!("it is a source") };
        let cx = SourceCtx {
            uid: "u1".into(),
            node: "in".into(),
            share: None,
            generation: 1,
            files: Files::open(root),
            hooks: Hooks::default(),
            resume: marks.clone(),
            until_caught_up: true,
        };
        let source = open(serde_json::from_str(config).unwrap(), cx).await.unwrap();
        Self { source, marks, dead: Vec::new(), keys: Vec::new() }
    }

    /// The next batch, not acknowledged; `None` when it has caught up.
    pub(crate) async fn batch(&mut self) -> Option<Polled> {
        match self.source.next().await.unwrap() {
            Next::Batch(polled) => Some(polled),
            Next::Idle(_) | Next::End => None,
        }
    }

    /// Everything up to a position is safe, and the position itself.
    pub(crate) async fn acknowledge(&mut self, partition: &str, position: Position) {
        self.source.acknowledge(partition, &position).await.unwrap();
        self.marks.retain(|mark| *mark.stream.partition != *partition);
        self.marks.push(Mark { stream: StreamKey::straight("in", partition), position });
    }

    /// Reads until it has caught up; records as JSON, with the partition before them.
    pub(crate) async fn read(&mut self) -> Result<Vec<String>, Error> {
        let mut all = Vec::new();
        loop {
            let polled = match self.source.next().await? {
                Next::Batch(polled) => polled,
                Next::Idle(_) | Next::End => return Ok(all),
            };
            for record in polled.batch.records() {
                self.keys.extend(record.key().cloned());
                all.push(format!("{}: {}", polled.partition, json(record)));
            }
            self.dead.extend(polled.rejects.into_iter().flat_map(|rejects| rejects.errors));
            self.acknowledge(&polled.partition, polled.position).await;
        }
    }

    /// One whole reading without refusals.
    pub(crate) async fn all(mut self) -> (Vec<String>, Vec<Mark>) {
        let all = self.read().await.unwrap();
        self.source.close().await;
        assert!(self.dead.is_empty(), "{:?}", self.dead);
        (all, self.marks)
    }
}

/// A record as JSON.
pub(crate) fn json(record: RecordRef<'_>) -> String {
    let mut out = Vec::new();
    fairway_engine::data::json_write::write_record(&record, &mut out);
    String::from_utf8(out).unwrap()
}
