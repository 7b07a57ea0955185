//! Records between tasks, on a real broker: what a source task writes, sink tasks read, each at its own pace. Tasks are dropped where
//! they stand, as a process that is killed drops them; the witnesses are not Fairway's.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use fairway_engine::component::Component;
use fairway_engine::data::{BatchBuilder, Meta, Ref, push_wire};
use fairway_engine::error::Error;
use fairway_engine::joint::{STREAM_SINK, STREAM_SOURCE};
use fairway_engine::store::{Letter, Remembered, Routed, Store, StoredMark, Totals};
use fairway_engine::task::{Control, Ended, Progress, TaskSpec, TaskState, run};
use fairway_engine::testkit::{Drawing, Faults, MEMORY_SINK, MEMORY_SOURCE, counts, shelf};
use fairway_runtime::registry::Registry;
use fairway_runtime::services::kafka::Backend;
use fairway_runtime::services::{DeadLetterService, PositionService};
use serde_json::{Value, json};

use crate::conformance::open_on_kafka;

const UID: &str = "u";
/// Name of the stream that the tests cut at.
const STREAM: &str = "numbers";
const LIMIT: Duration = Duration::from_secs(120);

/// What the engine needs remembered of one task, over the services.
struct Remembering {
    positions: Arc<dyn PositionService>,
    letters: Arc<dyn DeadLetterService>,
    task: String,
}

#[async_trait]
impl Store for Remembering {
    async fn begin(&self) -> Result<Remembered, Error> {
        let generation = self.positions.begin(UID, &self.task).await?;
        let marks = self.positions.marks(UID).await?;
        let refusals = self.letters.refusals(UID, &marks).await?;
        let epochs = self.positions.epochs(UID).await?;
        Ok(Remembered { generation, marks, epochs, letters: refusals.letters, routed: refusals.routed })
    }

    async fn commit(&self, generation: u64, marks: &[StoredMark], totals: &Totals) -> Result<(), Error> {
        Ok(self.positions.commit(UID, &self.task, generation, marks, totals).await.map(drop)?)
    }

    async fn set_aside(&self, letters: Vec<Letter>) -> Result<(), Error> {
        Ok(self.letters.set_aside(UID, &self.task, &letters).await?)
    }

    async fn note_routed(&self, notes: Vec<Routed>) -> Result<(), Error> {
        Ok(self.letters.note_routed(UID, &self.task, &notes).await?)
    }

    async fn forget_routed(&self, notes: Vec<Routed>) -> Result<(), Error> {
        Ok(self.letters.forget_routed(UID, &self.task, &notes).await?)
    }
}

/// A worker that runs one task.
struct Worker {
    backend: Backend,
    drawing: Drawing,
}

impl Worker {
    async fn new(cluster: &str, task: &str, drawing: Drawing) -> Self {
        let backend = open_on_kafka(cluster).await;
        let mut drawing = drawing;
        (drawing.0.uid, drawing.0.id) = (UID.into(), task.to_owned());
        for node in &mut drawing.0.nodes {
            if [STREAM_SINK.meta.name, STREAM_SOURCE.meta.name].contains(&node.component.meta.name) {
                node.joint = Some(backend.streams.joint(task, STREAM, 2));
            }
        }
        Self { backend, drawing }
    }

    /// Starts the task; whoever drops what it answers kills it.
    fn start(&self, control: Control) -> tokio::task::JoinHandle<Result<Ended, Error>> {
        self.start_with(control, Arc::default())
    }

    fn start_with(
        &self,
        control: Control,
        progress: Arc<Progress>,
    ) -> tokio::task::JoinHandle<Result<Ended, Error>> {
        let store = Remembering {
            positions: self.backend.positions.clone(),
            letters: self.backend.dead_letters.clone(),
            task: self.drawing.0.id.clone(),
        };
        tokio::spawn(run(self.drawing.0.clone(), Arc::new(store), progress, control))
    }

    /// Starts it over and over, each time killed a little later, then lets it come to its end.
    async fn torment(&self, kills: u64) {
        for kill in 0..kills {
            let running = self.start(Control::default());
            // Around the time that a start takes, and what comes after it.
            tokio::time::sleep(Duration::from_millis(20 + kill * 37 % 600)).await;
            running.abort();
        }
        self.finish().await;
    }

    async fn finish(&self) {
        let ended = tokio::time::timeout(LIMIT, self.start(Control::default())).await;
        let ended = ended.expect("it comes to an end").expect("it does not panic");
        assert!(matches!(ended, Ok(Ended::Completed)), "{}: {ended:?}", self.drawing.0.id);
    }
}

/// Counts into the stream, in batches that no group of a target divides by.
fn counting(count: u64) -> Drawing {
    Drawing::new()
        .node("count", MEMORY_SOURCE, json!({ "count": count, "batch": 7 }))
        .node("~numbers", STREAM_SINK, json!({}))
        .groups_of(100)
        .edges(&["count>~numbers"])
}

/// From the stream into a target.
fn into(name: &str, target: Component, config: Value) -> Drawing {
    let from = format!("numbers@{name}");
    let mut drawing = Drawing::new()
        .node(&from, STREAM_SOURCE, json!({}))
        .node(name, target, config)
        .groups_of(90)
        .edges(&[&format!("{from}>{name}")]);
    drawing.0.until_caught_up = true;
    drawing
}

fn component(name: &str) -> Component {
    *Registry::standard().get(name).unwrap()
}

/// The numbers that lie in the stream, read by another client.
fn lying(cluster: &str) -> Vec<i64> {
    let messages = fairway_peers::kafka::shared().read(&format!("{cluster}.stream.{UID}.{STREAM}")).unwrap();
    let number = |message: fairway_peers::kafka::Message| {
        let mut builder = BatchBuilder::default();
        push_wire(&mut builder, Meta::default(), &message.value.unwrap()).unwrap();
        let batch = builder.finish();
        let Ref::I64(n) = batch.record(0).get("n") else { panic!("no number") };
        n
    };
    messages.into_iter().map(number).collect()
}

/// Each number once, and no other.
fn once(what: &str, numbers: impl IntoIterator<Item = i64>, count: u64) {
    let mut counted: BTreeMap<i64, usize> = BTreeMap::new();
    numbers.into_iter().for_each(|n| *counted.entry(n).or_default() += 1);
    let doubled: Vec<_> = counted.iter().filter(|(_, times)| **times > 1).take(9).collect();
    let lost: Vec<_> = (1..=count.cast_signed()).filter(|n| !counted.contains_key(n)).take(9).collect();
    assert!(doubled.is_empty() && lost.is_empty(), "{what}: doubled {doubled:?}, lost {lost:?}");
    assert_eq!(counted.len() as u64, count, "{what}: strangers");
}

/// A source task that is killed over and over leaves each record in the stream once; three targets that are killed as well, each in
/// a task of its own, have each record once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn killed_at_any_time_every_end_has_each_record_once() {
    let (cluster, count, kills) = ("streams-once", counts(5_000, 100_000) as u64, counts(8, 60) as u64);
    Worker::new(cluster, "source-count", counting(count)).await.torment(kills).await;
    once("the stream", lying(cluster), count);

    let dir = tempfile::tempdir().unwrap();
    let (file, base) = (dir.path().join("out.jsonl"), dir.path().join("out.db"));
    let targets = [
        ("shelf", MEMORY_SINK, json!({ "shelf": cluster })),
        ("file", component("jsonl_sink"), json!({ "path": file })),
        ("table", component("sqlite_sink"), json!({ "path": base, "table": "numbers" })),
    ];
    let tormented = targets.map(|(name, target, config)| async move {
        let task = format!("sink-{name}");
        Worker::new(cluster, &task, into(name, target, config)).await.torment(kills).await;
    });
    futures::future::join_all(tormented).await;
    once("the shelf", shelf(cluster).numbers(), count);
    once("the file", numbers_in(&file), count);
    let url = format!("sqlite://{}", base.display());
    let mut database = <sqlx::SqliteConnection as sqlx::Connection>::connect(&url).await.unwrap();
    let rows: Vec<i64> = sqlx::query_scalar("select n from numbers").fetch_all(&mut database).await.unwrap();
    once("the table", rows, count);
}

fn numbers_in(file: &Path) -> Vec<i64> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["n"].as_i64().unwrap()).collect()
}

/// While one target hangs the other gets everything, nothing is deleted that it still needs, and it gets everything once it goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slow_target_holds_nobody_up_and_loses_nothing() {
    // Several batches as the stream is read.
    let (cluster, count) = ("streams-slow", 20_000);
    Worker::new(cluster, "source-count", counting(count).groups_of(5_000)).await.finish().await;
    let target = |name: &str| into(name, MEMORY_SINK, json!({ "shelf": format!("{cluster}-{name}") }));
    let (fast, slow) = (
        Worker::new(cluster, "sink-fast", target("fast")).await,
        Worker::new(cluster, "sink-slow", target("slow")).await,
    );
    let shelf_of = |name: &str| shelf(&format!("{cluster}-{name}"));
    shelf_of("slow").fail(Faults { hang_after: Some(2), ..Faults::default() });
    let control = Control::default();
    let hanging = slow.start(control.clone());
    fast.finish().await;
    once("the fast one", shelf_of("fast").numbers(), count);
    let begun = async {
        while shelf_of("slow").numbers().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, begun).await.expect("it has something");
    assert!((shelf_of("slow").numbers().len() as u64) < count, "it hangs");

    let backend = &fast.backend;
    let readers = ["numbers@fast".to_owned(), "numbers@slow".to_owned()];
    let trim = async || {
        let marks = backend.positions.marks(UID).await.unwrap();
        backend.streams.trim(UID, STREAM, &readers, &marks, u64::MAX).await.unwrap()
    };
    trim().await;
    let kept = lying(cluster);
    let has = shelf_of("slow").numbers();
    let missing = (1..=count.cast_signed()).filter(|n| !has.contains(n) && !kept.contains(n)).count();
    assert_eq!(missing, 0, "what the slow one has not yet is deleted");

    hanging.abort();
    shelf_of("slow").fail(Faults::default());
    slow.finish().await;
    once("the slow one", shelf_of("slow").numbers(), count);
    assert!(trim().await > 0);
    assert_eq!(lying(cluster), [0; 0], "everybody has everything");
    // A new start of either finds its place behind what was deleted.
    fast.finish().await;
    once("the fast one", shelf_of("fast").numbers(), count);
}

/// When too much waits for a target that is behind, the source waits as well, and goes on once the target has caught up.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_source_waits_while_too_much_lies_in_its_stream() {
    let (cluster, count) = ("streams-full", 400);
    let source = Worker::new(cluster, "source-count", counting(count)).await;
    source.finish().await;
    let trim = async || {
        let marks = source.backend.positions.marks(UID).await.unwrap();
        let readers = ["numbers@shelf".to_owned()];
        source.backend.streams.trim(UID, STREAM, &readers, &marks, 100).await.unwrap()
    };
    assert_eq!(trim().await, 0, "nobody has anything yet");
    let mut more = Worker { backend: source.backend.clone(), drawing: counting(2 * count) };
    more.drawing.0 = TaskSpec { nodes: more.drawing.0.nodes, ..source.drawing.0.clone() };
    more.drawing.0.nodes[1].joint.clone_from(&source.drawing.0.nodes[1].joint);
    let progress = Arc::<Progress>::default();
    let waiting = more.start_with(Control::default(), progress.clone());
    let is_full =
        || matches!(progress.snapshot().state, TaskState::Degraded(cause) if cause.code == "stream.full");
    let told = async {
        while !is_full() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, told).await.expect("it says why it waits");
    once("the stream", lying(cluster), count);
    let config = json!({ "shelf": cluster });
    Worker::new(cluster, "sink-shelf", into("shelf", MEMORY_SINK, config)).await.finish().await;
    assert!(trim().await > 0);
    let ended = tokio::time::timeout(LIMIT, waiting).await.expect("it goes on").unwrap();
    assert!(matches!(ended, Ok(Ended::Completed)), "{ended:?}");
    assert_eq!(lying(cluster).len() as u64, count, "the second half");
}

/// Two lives of one source task: the older writes nothing once the newer has begun, wherever it stands.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_older_life_writes_nothing_into_the_stream() {
    let (cluster, count) = ("streams-zombie", 3_000);
    let endless = |count: u64| {
        Drawing::new()
            .node("count", MEMORY_SOURCE, json!({ "count": count, "batch": 7, "endless": true }))
            .node("~numbers", STREAM_SINK, json!({}))
            .groups_of(20)
            .edges(&["count>~numbers"])
    };
    let old = Worker::new(cluster, "source-count", endless(count)).await;
    let new = Worker::new(cluster, "source-count", counting(count)).await;
    let zombie = old.start(Control::default());
    let under_way = async {
        while old.backend.positions.totals(UID).await.unwrap().counts.read == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, under_way).await.expect("it writes");
    new.finish().await;
    once("the stream", lying(cluster), count);
    let ended = tokio::time::timeout(LIMIT, zombie).await.expect("it learns of it").unwrap();
    assert!(ended.is_err(), "{ended:?}");
    once("the stream, when the zombie is gone", lying(cluster), count);
}

/// A sink that writes into a topic of a user's, in transactions: it is killed over and over, and readers of what is committed find each
/// record once. The same sink without transactions would have doubled some.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_users_topic_has_each_record_once() {
    let (cluster, task) = ("streams-user-topic", "direct-count");
    let (count, kills) = (counts(5_000, 100_000) as u64, counts(8, 60) as u64);
    let kafka = fairway_peers::kafka::shared();
    let topic = kafka.topic(3, &[]).unwrap();
    let config = json!({ "brokers": kafka.address(), "topic": topic, "exactly_once": true });
    let mut sink = component("kafka_sink");
    sink.meta.delivery = fairway_shared::channel::Guarantee::ExactlyOnce;
    let drawing = Drawing::new()
        .node("count", MEMORY_SOURCE, json!({ "count": count, "batch": 7 }))
        .node("out", sink, config.clone())
        .groups_of(100)
        .edges(&["count>out"]);
    let mut worker = Worker::new(cluster, task, drawing).await;
    worker.drawing.0.nodes[1].joint = Some(worker.backend.streams.once(task, config));
    worker.torment(kills).await;
    let number = |message: fairway_peers::kafka::Message| {
        serde_json::from_slice::<Value>(&message.value.unwrap()).unwrap()["n"].as_i64().unwrap()
    };
    once("the topic", kafka.read(&topic).unwrap().into_iter().map(number), count);
}
