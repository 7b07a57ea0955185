//! Driving the built-in components in tests.

use fairway_engine::Error;
use fairway_engine::component::{Component, Opener};
use fairway_engine::data::Batch;
use fairway_engine::data::json_write::write_record;
use fairway_engine::files::Files;
use fairway_engine::position::{Mark, Position, StreamKey};
use fairway_engine::sink::{Sink, SinkCtx};
use fairway_engine::source::{Next, Source, SourceCtx};

use crate::REGISTRY;

pub(crate) fn component(name: &str) -> &'static Component {
    REGISTRY.iter().find(|component| component.meta.name == name).unwrap()
}

/// The fields that `check` finds fault with.
pub(crate) fn issues(name: &str, config: &str) -> Vec<String> {
    let issues = component(name).check(&serde_json::from_str(config).unwrap()).unwrap();
    issues.into_iter().map(|issue| issue.field).collect()
}

/// A source that goes on behind the record of order `from`.
pub(crate) async fn source(name: &str, config: &str, from: u64) -> Result<Box<dyn Source>, Error> {
    let Opener::Source(open) = component(name).opener else { panic!("{name} is a source") };
    let position = Position { order: from, ..Position::start() };
    let cx = SourceCtx {
        uid: "uid".into(),
        node: "in".into(),
        share: None,
        generation: 1,
        files: Files::open("."),
        hooks: fairway_engine::hooks::Hooks::default(),
        resume: vec![Mark { stream: StreamKey::straight("in", ""), position }],
        until_caught_up: false,
    };
    open(serde_json::from_str(config).unwrap(), cx).await
}

pub(crate) async fn sink(name: &str, config: &str) -> Result<Box<dyn Sink>, Error> {
    let Opener::Sink(open) = component(name).opener else { panic!("{name} is a sink") };
    let cx = SinkCtx {
        uid: "uid".into(),
        node: "out".into(),
        share: None,
        generation: 1,
        files: Files::open("."),
    };
    open(serde_json::from_str(config).unwrap(), cx).await
}

/// All records of a source that ends, as JSON, after checking that orders and positions agree.
pub(crate) async fn drain(source: &mut dyn Source, from: u64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut order = from;
    loop {
        match source.next().await.unwrap() {
            Next::End => return lines,
            Next::Idle(wait) => tokio::time::sleep(wait).await,
            Next::Batch(polled) => {
                for (row, meta) in polled.batch.metas().iter().enumerate() {
                    order += 1;
                    assert_eq!((meta.order, meta.row as usize), (order, row));
                }
                assert_eq!(polled.position.order, order);
                lines.extend(json(&polled.batch));
            }
        }
    }
}

pub(crate) fn json(batch: &Batch) -> Vec<String> {
    let line = |record| {
        let mut out = Vec::new();
        write_record(&record, &mut out);
        String::from_utf8(out).unwrap()
    };
    batch.records().map(line).collect()
}

#[test]
fn components_describe_themselves() {
    fairway_engine::testkit::describe_themselves(REGISTRY);
}
