//! The laws of sources, transforms and targets (`fairway_engine::testkit`), held against every component of the registry.
//! One file a family says how each is set up and looked at; a component without a fixture and without a reason fails.

mod builtin;
mod file;
mod http;
mod kafka;
mod sql;
mod transforms;

use std::collections::BTreeSet;

use fairway_engine::testkit::{SinkFixture, SourceFixture, sink_conforms, source_conforms};
use fairway_runtime::registry::Registry;
use fairway_shared::component::Kind;

/// Components that the laws cannot be held against, and why.
const EXEMPT: &[(&str, &str)] = &[
    ("discard_sink", "keeps nothing that could be counted"),
    ("http_webhook_source", "forgets what it was sent, so nothing is replayed; its own tests kill it"),
    ("log_sink", "writes to the log of the process; its own tests read that"),
];

fn sources() -> Vec<Box<dyn SourceFixture>> {
    vec![
        Box::new(builtin::Generated),
        Box::new(file::CsvFile::default()),
        Box::new(file::JsonlInput::default()),
        Box::new(kafka::Messages),
        Box::new(sql::PostgresRows),
        Box::new(sql::SqliteRows::default()),
    ]
}

fn sinks() -> Vec<Box<dyn SinkFixture>> {
    vec![
        Box::new(file::JsonlFile::default()),
        Box::new(sql::PostgresTable),
        Box::new(file::CsvOutput::default()),
        Box::new(sql::SqliteTable::default()),
        Box::new(http::HttpTarget::default()),
        Box::new(kafka::Topic),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_source_keeps_the_laws() {
    for fixture in sources() {
        source_conforms(&*fixture).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_target_keeps_the_laws() {
    for fixture in sinks() {
        sink_conforms(&*fixture).await;
    }
}

#[test]
fn no_component_is_left_out() {
    let names = |kind: Kind| -> BTreeSet<String> {
        let registry = Registry::standard();
        registry.specs().iter().filter(|spec| spec.kind == kind).map(|spec| spec.name.clone()).collect()
    };
    let mut expected = names(Kind::Source);
    expected.extend(names(Kind::Sink));
    let mut found: BTreeSet<String> =
        sources().iter().map(|fixture| fixture.component().meta.name.to_owned()).collect();
    found.extend(sinks().iter().map(|fixture| fixture.component().meta.name.to_owned()));
    found.extend(EXEMPT.iter().map(|(name, _)| (*name).to_owned()));
    let missing: Vec<_> = expected.difference(&found).collect();
    assert!(missing.is_empty(), "add fixtures for these to runtime/tests/it/laws: {missing:?}");
    let gone: Vec<_> = found.difference(&expected).collect();
    assert!(gone.is_empty(), "no such component: {gone:?}");
}

/// The product's own entry of a component.
fn component(name: &str) -> fairway_engine::Component {
    *Registry::standard().get(name).unwrap()
}
