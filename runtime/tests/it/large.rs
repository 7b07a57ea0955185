//! A channel of very many tasks, through the real topics: what says who runs them is larger than what brokers take by themselves.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use fairway_cluster::allocate::Strategy;
use fairway_cluster::{About, Allocation, Life, Record, Setup, Slot, TaskName, Timing, Why};
use fairway_engine::files::Files;
use fairway_kafka::{Access, Security};
use fairway_runtime::seat::{Seat, Tasks};
use fairway_runtime::services::kafka::Backend;

/// As many tasks as a cluster is to bear.
const TASKS: usize = 10_000;
/// What brokers take by themselves, in bytes.
const USUAL: usize = 1_048_588;
const LIMIT: Duration = Duration::from_secs(120);

/// Is granted nothing.
struct Nothing;

impl Tasks for Nothing {
    fn open(&self, _: &TaskName, _: u64, _: &str) {}

    fn go(&self, _: &TaskName, _: u64) {}

    fn drain(&self, _: &TaskName) {}

    fn halt(&self, _: &TaskName) {}

    fn suspend(&self, _: &TaskName) {}

    fn resume(&self, _: &TaskName) {}
}

/// The leader writes down who runs ten thousand tasks of one channel, and every worker reads it as it was.
#[tokio::test(flavor = "multi_thread")]
async fn who_runs_ten_thousand_tasks_of_a_channel_can_be_written_and_read() {
    let access =
        Access::new(fairway_peers::kafka::shared().address(), &Security::default(), &Files::open("."));
    let access = access.expect("settings that work");
    let backend = Backend::open(&access, "large").await.expect("a cluster");
    let uid = "0192f0c4-6b1e-7a55-8f0e-3b9a1c2d4e5f";
    // What tasks run is known by hashes, which nothing makes smaller than half.
    let spread = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835_u128;
    let slot = |task: usize| Slot {
        life: Life::new(format!("worker-{:03}", task % 100), (task as u64 % 100).wrapping_mul(spread as u64)),
        generation: None,
        form: format!(
            "{:032x}{:032x}",
            (task as u128).wrapping_mul(spread),
            (task as u128).wrapping_mul(spread >> 3)
        ),
        why: Why::Started,
        revoked: None,
    };
    let tasks: BTreeMap<String, Slot> =
        (0..TASKS).map(|task| (format!("source-orders.{task}"), slot(task))).collect();
    let record = Record::Allocation(uid.to_owned(), Some(Allocation { tasks: tasks.clone() })).encode();
    let size = record.1.as_ref().map_or(0, String::len);
    println!("{TASKS} tasks take {size} bytes");
    assert!(size > USUAL && size < fairway_cluster::LARGEST, "{size}");
    backend.control.initialise(Duration::from_secs(30)).await.expect("it leads");
    backend.control.write(vec![record]).await.expect("the brokers take it");

    let setup = Setup {
        life: Life::new("reader", 1),
        about: About { address: "http://reader".into(), ..About::default() },
        strategy: Strategy::Sticky,
        timing: Timing::default(),
    };
    let seat = Seat::take(setup, &access, "large", &backend, |_| Nothing).expect("a seat");
    let read = || {
        seat.look(|protocol, _| {
            let allocation = protocol.settled().allocations().get(uid)?;
            let as_written = |slot: &Slot| Slot { generation: None, ..slot.clone() };
            Some(
                allocation
                    .tasks
                    .iter()
                    .map(|(task, slot)| (task.clone(), as_written(slot)))
                    .collect::<BTreeMap<_, _>>(),
            )
        })
    };
    let begun = Instant::now();
    let found = loop {
        if let Some(found) = read() {
            break found;
        }
        assert!(begun.elapsed() < LIMIT, "it was never read");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    println!("it was read after {} ms", begun.elapsed().as_millis());
    assert!(found == tasks, "what was read is not what was written");
}
