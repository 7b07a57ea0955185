//! What every source must hold to, whichever it is: the suite that a registry runs over all of them.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{Bench, Drawing, MEMORY_SINK, shelf};
use crate::component::{Component, Opener};
use crate::data::Ref;
use crate::files::Files;
use crate::position::{Mark, StreamKey};
use crate::source::{Next, Polled, Source, SourceCtx};
use crate::task::Ended;

/// Records that a fixture provides: each has a field `n` that counts from 1.
const COUNT: i64 = 60;

/// How a source is set up.
#[async_trait]
pub trait SourceFixture: Send + Sync {
    /// The source.
    fn component(&self) -> Component;

    /// Settings of a source that brings records with `n` from 1 to `count` and then has no more, each call for a place
    /// of its own. Where the source reads in batches, `batch` is how many at once.
    async fn filled(&self, count: i64, batch: usize) -> Value;
}

/// A record as the laws compare it.
type Seen = (String, u64, u32, i64);

/// Runs every law.
///
/// # Panics
/// If the source breaks one, saying which.
pub async fn source_conforms(fixture: &dyn SourceFixture) {
    batches_of_any_size_give_the_same_records(fixture).await;
    it_goes_on_from_every_position(fixture).await;
    a_dropped_wait_loses_nothing(fixture).await;
    killed_at_any_time_nothing_is_lost_or_doubled(fixture).await;
}

async fn batches_of_any_size_give_the_same_records(fixture: &dyn SourceFixture) {
    let name = fixture.component().meta.name;
    for size in [1, 2, 100] {
        let config = fixture.filled(COUNT, size).await;
        let mut seen = Vec::new();
        for polled in read(fixture, &config, Vec::new(), false).await {
            seen.extend(records(&polled));
        }
        rising(name, &seen);
        let mut numbers: Vec<i64> = seen.iter().map(|seen| seen.3).collect();
        numbers.sort_unstable();
        assert!(numbers == (1..=COUNT).collect::<Vec<_>>(), "{name}: batches of {size} brought {numbers:?}");
    }
}

/// Orders are what targets skip by, so a replay must give the same ones (I3).
async fn it_goes_on_from_every_position(fixture: &dyn SourceFixture) {
    let name = fixture.component().meta.name;
    let config = fixture.filled(COUNT, 7).await;
    let all = read(fixture, &config, Vec::new(), false).await;
    for cut in 0..all.len() {
        let mut resume: Vec<Mark> = Vec::new();
        for polled in &all[..=cut] {
            resume.retain(|mark| mark.stream.partition != polled.partition);
            resume.push(Mark {
                stream: StreamKey::straight("source", &polled.partition),
                position: polled.position.clone(),
            });
        }
        let mut expected: Vec<Seen> = all[cut + 1..].iter().flat_map(records).collect();
        let again = read(fixture, &config, resume, false).await;
        let mut found: Vec<Seen> = again.iter().flat_map(records).collect();
        expected.sort();
        found.sort();
        assert!(found == expected, "{name}: after batch {cut} it goes on with {found:?}, not {expected:?}");
    }
}

/// The engine drops the wait for records whenever something else is to be done.
async fn a_dropped_wait_loses_nothing(fixture: &dyn SourceFixture) {
    let name = fixture.component().meta.name;
    let config = fixture.filled(COUNT, 7).await;
    let mut numbers: Vec<i64> =
        read(fixture, &config, Vec::new(), true).await.iter().flat_map(records).map(|seen| seen.3).collect();
    numbers.sort_unstable();
    assert!(numbers == (1..=COUNT).collect::<Vec<_>>(), "{name}: with dropped waits it brought {numbers:?}");
}

async fn killed_at_any_time_nothing_is_lost_or_doubled(fixture: &dyn SourceFixture) {
    let name = fixture.component().meta.name;
    let config = fixture.filled(COUNT, 3).await;
    let place = format!("laws-of-{name}");
    let mut drawing = Drawing::new()
        .node("source", fixture.component(), config)
        .node("shelf", MEMORY_SINK, json!({ "shelf": place }))
        .groups_of(4)
        .edges(&["source>shelf"]);
    drawing.0.until_caught_up = true;
    let mut bench = Bench::default();
    for round in 0..12u64 {
        bench.crash_after(&drawing, Duration::from_micros(200 + round * 397)).await;
    }
    let ended = bench.run(&drawing).await;
    assert!(matches!(ended, Ok(Ended::Completed)), "{name}: {ended:?}");
    let mut numbers = shelf(&place).numbers();
    numbers.sort_unstable();
    assert!(numbers == (1..=COUNT).collect::<Vec<_>>(), "{name}: killed, it brought {numbers:?}");
}

/// Everything until the source has caught up.
async fn read(
    fixture: &dyn SourceFixture,
    config: &Value,
    resume: Vec<Mark>,
    impatient: bool,
) -> Vec<Polled> {
    let name = fixture.component().meta.name;
    let Opener::Source(open) = fixture.component().opener else { panic!("{name} is no source") };
    let cx = SourceCtx {
        uid: "laws".into(),
        node: "source".into(),
        share: None,
        generation: 1,
        hooks: crate::hooks::Hooks::default(),
        files: Files::open("."),
        resume,
        until_caught_up: true,
    };
    let mut source = open(config.clone(), cx).await.unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut all = Vec::new();
    let mut drops = 0u32;
    let reading = async {
        loop {
            if impatient {
                // Rising patience: at first every wait is dropped, at last none.
                drops += 1;
                let next = tokio::time::timeout(Duration::from_micros(u64::from(drops) * 20), source.next());
                match next.await {
                    Err(_) => continue,
                    Ok(next) => {
                        if !take(name, next, &mut all) {
                            return;
                        }
                    }
                }
            } else if !take(name, source.next().await, &mut all) {
                return;
            }
        }
    };
    let in_time = tokio::time::timeout(Duration::from_secs(30), reading).await;
    assert!(in_time.is_ok(), "{name}: it does not come to its end");
    close(source).await;
    all
}

fn take(name: &str, next: Result<Next, crate::Error>, all: &mut Vec<Polled>) -> bool {
    match next {
        Ok(Next::Batch(polled)) => {
            let rejects = polled.rejects.as_ref().map_or(0, |rejects| rejects.batch.len());
            assert!(rejects == 0, "{name}: sound records were refused");
            all.push(polled);
            true
        }
        Ok(Next::Idle(_) | Next::End) => false,
        Err(error) => panic!("{name}: {error}"),
    }
}

async fn close(mut source: Box<dyn Source>) {
    source.close().await;
}

fn records(polled: &Polled) -> Vec<Seen> {
    let of = |record: crate::data::RecordRef<'_>| {
        let meta = record.meta();
        assert!(meta.order <= polled.position.order, "a position covers all that came with it");
        (polled.partition.to_string(), meta.order, meta.child, number(record.get("n")))
    };
    polled.batch.records().map(of).collect()
}

fn number(value: Ref<'_>) -> i64 {
    match value {
        Ref::I64(n) => n,
        Ref::Str(text) | Ref::Raw(text) => text.parse().unwrap_or(-1),
        _ => -1,
    }
}

fn rising(name: &str, seen: &[Seen]) {
    let mut last: std::collections::HashMap<&str, u64> = std::collections::HashMap::new();
    for (partition, order, ..) in seen {
        let before = last.insert(partition, *order).unwrap_or(0);
        assert!(before < *order, "{name}: orders of a partition rise (I3): {before} then {order}");
    }
}
