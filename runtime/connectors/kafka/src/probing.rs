//! The test of a connection, which source and sink share.

use std::collections::BTreeMap;
use std::time::Duration;

use fairway_engine::Error;
use fairway_engine::probe::ProbeCtx;
use fairway_kafka::{Access, Cluster};
use fairway_shared::component::{Choice, Probe};

/// Asks the brokers for their topics, as choices for `field`.
pub(crate) async fn probe(access: &Access, cx: &ProbeCtx, field: &str) -> Result<Probe, Error> {
    // Some of the time is for finding out what is wrong.
    let limit = cx.deadline.mul_f32(0.8).max(Duration::from_millis(500));
    let seen = Cluster::new(access, false, limit)?.overview().await?;
    let found = format!("Apache Kafka, brokers: {}, topics: {}", seen.brokers, seen.topics.len());
    let partitions =
        |count: usize| if count == 1 { "1 partition".to_owned() } else { format!("{count} partitions") };
    let choices = seen
        .topics
        .iter()
        .map(|topic| Choice::new(&*topic.name, partitions(topic.partitions.len())))
        .collect();
    Ok(Probe { found, choices: BTreeMap::from([(field.to_owned(), choices)]) })
}
