//! The direct task against components in memory: every record counted, whatever fails and whenever it is killed.

mod again;
mod stuck;

use std::collections::BTreeMap;
use std::time::Duration;

use fairway_shared::api::status::Counts;
use fairway_shared::channel::ErrorPolicy;
use serde_json::json;

use super::{Budget, Control, Ended, Final, Progress, TaskState, Transition, supervise};
use crate::error::Kind;
use crate::store::Passed;
use crate::testkit::{
    Bench, Drawing, Faults, MEMORY_SINK, MEMORY_SOURCE, PANIC_AT, PLAIN_SINK, REFUSE_EVEN,
    counts as how_often, shelf,
};

fn count_to(count: u64, batch: u64) -> Drawing {
    Drawing::new().node("numbers", MEMORY_SOURCE, json!({ "count": count, "batch": batch }))
}

fn to_shelf(drawing: Drawing, id: &str, name: &str) -> Drawing {
    drawing.node(id, MEMORY_SINK, json!({ "shelf": name }))
}

fn once_each(numbers: impl IntoIterator<Item = i64>) -> BTreeMap<i64, usize> {
    numbers.into_iter().map(|n| (n, 1)).collect()
}

/// Compares what arrived with what should have, and says only where they differ.
#[track_caller]
fn assert_once_each(name: &str, expected: impl IntoIterator<Item = i64>) {
    let (found, expected) = (shelf(name).counted(), once_each(expected));
    let lost: Vec<_> = expected.keys().filter(|n| !found.contains_key(n)).take(20).collect();
    let wrong: Vec<_> = found.iter().filter(|(n, times)| expected.get(n) != Some(times)).take(20).collect();
    assert!(lost.is_empty() && wrong.is_empty(), "{name}: lost {lost:?}, doubled or stray {wrong:?}");
}

fn counts(read: u64, delivered: u64, filtered: u64, dead_lettered: u64) -> Counts {
    Counts { read, delivered, filtered, dead_lettered, ..Counts::default() }
}

#[tokio::test]
async fn two_targets_get_every_record_once_and_in_order() {
    let drawing =
        to_shelf(to_shelf(count_to(1000, 7), "a", "two-a"), "b", "two-b").edges(&["numbers>a", "numbers>b"]);
    let mut bench = Bench::default();
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    for name in ["two-a", "two-b"] {
        assert_eq!(shelf(name).numbers(), (1..=1000).collect::<Vec<_>>());
    }
    let totals = bench.store.totals();
    assert_eq!(totals.counts, counts(1000, 1000, 0, 0));
    assert_eq!(totals.nodes["numbers"], Passed { entered: 1000, out: 1000, ..Passed::default() });
    assert_eq!(totals.edges["numbers>a"], 1000);
    assert_eq!(bench.progress.snapshot().totals.counts, totals.counts);
    assert_eq!(bench.progress.snapshot().in_flight, 0);
}

#[tokio::test]
async fn two_sources_feed_one_chain_and_each_goes_on_by_itself() {
    let drawing = |one: u64, two: u64| {
        let drawing = Drawing::new()
            .node("one", MEMORY_SOURCE, json!({ "count": one, "batch": 7 }))
            .node("two", MEMORY_SOURCE, json!({ "count": two, "batch": 11 }))
            .node("odd", REFUSE_EVEN, json!({}));
        to_shelf(drawing, "a", "fan-in").edges(&["one>odd", "two>odd", "odd>a"])
    };
    let mut bench = Bench::default();
    bench.run(&drawing(300, 0)).await.unwrap();
    bench.run(&drawing(300, 200)).await.unwrap();
    let good = |n: &i64| n % 2 == 1 && n % 5 != 0;
    let expected: BTreeMap<i64, usize> =
        (1..=300).filter(good).map(|n| (n, if n <= 200 { 2 } else { 1 })).collect();
    assert_eq!(shelf("fan-in").counted(), expected);
    let counts = bench.store.totals().counts;
    assert_eq!((counts.read, counts.delivered, counts.filtered, counts.dead_lettered), (500, 200, 50, 250));
}

/// Ways that part and meet again layer by layer make 2^40 copies of one record (I5).
#[tokio::test]
async fn a_batch_that_grows_without_end_ends_the_task() {
    let mut drawing = to_shelf(count_to(1, 1), "a", "layers");
    for layer in 0..40 {
        for side in ["l", "r"] {
            drawing = drawing.node(&format!("{side}{layer}"), REFUSE_EVEN, json!({}));
            let before = ["l", "r"]
                .map(|side| if layer == 0 { "numbers".to_owned() } else { format!("{side}{}", layer - 1) });
            for from in &before[..if layer == 0 { 1 } else { 2 }] {
                drawing = drawing.edges(&[&format!("{from}>{side}{layer}")]);
            }
        }
    }
    let mut drawing = drawing.edges(&["l39>a", "r39>a"]);
    drawing.0.limits.in_flight_bytes = 64 << 10;
    let error = Bench::default().run(&drawing).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "task.too_many_copies"), "{error}");
    assert!(shelf("layers").counted().is_empty());
}

#[tokio::test]
async fn filtered_and_refused_records_are_progress() {
    let drawing = to_shelf(count_to(100, 9).node("odd", REFUSE_EVEN, json!({})), "a", "progress")
        .edges(&["numbers>odd", "odd>a"]);
    let mut bench = Bench::default();
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    assert_once_each("progress", (1..=100).filter(|n| n % 2 == 1 && n % 5 != 0));
    let totals = bench.store.totals();
    assert_eq!(totals.counts, counts(100, 40, 10, 50));
    assert_eq!(totals.nodes["odd"], Passed { entered: 100, out: 40, filtered: 10, errors: 50, made: 0 });
    let letters = bench.store.letters();
    assert_eq!(letters.len(), 50);
    assert_eq!(letters[0].record["value"]["n"], json!(2));
    assert_eq!(letters[0].cause.code, "test.even");
    assert!(bench.store.marks().iter().all(|mark| mark.position.order == 100));
}

#[tokio::test]
async fn errors_port_of_a_transform_feeds_a_target() {
    let drawing = count_to(100, 9).node("odd", REFUSE_EVEN, json!({}));
    let drawing = to_shelf(to_shelf(drawing, "a", "port-a"), "bad", "port-bad").edges(&[
        "numbers>odd",
        "odd>a",
        "odd.errors>bad",
    ]);
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    assert_once_each("port-bad", (1..=100).filter(|n| n % 2 == 0));
    assert_eq!(bench.store.totals().counts, counts(100, 40, 10, 50));
    assert!(bench.store.letters().is_empty());
}

#[tokio::test]
async fn refusals_of_a_target_are_isolated() {
    let bad = [3, 50, 51, 100];
    for (name, vague, holds) in
        [("iso-a", false, true), ("iso-b", true, true), ("iso-c", false, false), ("iso-d", true, false)]
    {
        let component = if holds { MEMORY_SINK } else { PLAIN_SINK };
        let drawing = count_to(100, 16).node("a", component, json!({ "shelf": name })).edges(&["numbers>a"]);
        shelf(name).fail(Faults { refuse: bad.into(), vague, ..Faults::default() });
        let mut bench = Bench::default();
        assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed, "{name}");
        assert_once_each(name, (1..=100).filter(|n| !bad.contains(n)));
        let orders: Vec<_> = bench.store.letters().iter().map(|letter| letter.key.order as i64).collect();
        assert_eq!(orders, bad, "{name}");
        assert_eq!(bench.store.totals().counts, counts(100, 96, 0, 4), "{name}");
    }
}

#[tokio::test]
async fn errors_port_of_a_target_hands_on() {
    let drawing = to_shelf(to_shelf(count_to(100, 16), "a", "hand-a"), "bad", "hand-bad")
        .edges(&["numbers>a", "a.errors>bad"]);
    shelf("hand-a").fail(Faults { refuse: [7, 8, 90].into(), ..Faults::default() });
    let mut bench = Bench::default();
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    assert_once_each("hand-bad", [7, 8, 90]);
    assert_eq!(bench.store.totals().counts, counts(100, 97, 0, 3));
    assert!(bench.store.letters().is_empty());
}

#[tokio::test(start_paused = true)]
async fn outages_are_waited_out_and_lost_answers_double_nothing() {
    let drawing = to_shelf(count_to(500, 10), "a", "outage").groups_of(50).edges(&["numbers>a"]);
    shelf("outage").fail(Faults { outages: 4, lost_answers: 3, ..Faults::default() });
    let mut bench = Bench::default();
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    assert_once_each("outage", 1..=500);
    let totals = bench.store.totals();
    assert_eq!((totals.counts.delivered, totals.counts.retried), (500, 7));
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_given_up_when_asked() {
    let mut drawing = to_shelf(count_to(5, 5), "a", "give-up").edges(&["numbers>a"]);
    drawing.0.give_up = Some(Duration::from_secs(3));
    shelf("give-up").fail(Faults { outages: usize::MAX, ..Faults::default() });
    let error = Bench::default().run(&drawing).await.unwrap_err();
    assert_eq!((error.kind, error.node.as_deref()), (Kind::Outage, Some("a")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_again_and_again_nothing_is_lost_or_doubled() {
    let drawing = count_to(60_000, 13).node("odd", REFUSE_EVEN, json!({}));
    let drawing = to_shelf(to_shelf(to_shelf(drawing, "a", "kill-a"), "b", "kill-b"), "bad", "kill-bad")
        .groups_of(100)
        .edges(&["numbers>odd", "odd>a", "odd>b", "odd.errors>bad", "b.errors>bad"]);
    let refused: std::collections::BTreeSet<i64> =
        (1..60_000).step_by(777).filter(|n| n % 2 == 1 && n % 5 != 0).collect();
    shelf("kill-b").fail(Faults { refuse: refused.clone(), lost_answers: 5, ..Faults::default() });
    let mut bench = Bench::default();
    for round in 0..how_often(40u64, 2_000) {
        bench.crash_after(&drawing, Duration::from_micros(300 + round * 97 % 2900)).await;
    }
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    let good = |n: &i64| n % 2 == 1 && n % 5 != 0;
    assert_once_each("kill-a", (1..=60_000).filter(good));
    assert_once_each("kill-b", (1..=60_000).filter(|n| good(n) && !refused.contains(n)));
    assert_once_each("kill-bad", (1..=60_000).filter(|n| n % 2 == 0 || refused.contains(n)));
    let totals = bench.store.totals().counts;
    let dead = 30_000 + refused.len() as u64;
    assert_eq!(
        (totals.read, totals.delivered, totals.filtered, totals.dead_lettered),
        (60_000, 54_000 - dead, 6_000, dead)
    );
    assert!(bench.store.letters().is_empty());
}

#[tokio::test]
async fn a_second_start_goes_on_where_the_first_ended() {
    let mut bench = Bench::default();
    for count in [100, 100, 250] {
        let drawing = to_shelf(count_to(count, 8), "a", "again").edges(&["numbers>a"]);
        bench.run(&drawing).await.unwrap();
    }
    assert_once_each("again", 1..=250);
}

#[tokio::test]
async fn after_a_reset_everything_comes_again() {
    let mut bench = Bench::default();
    let drawing = to_shelf(count_to(100, 8), "a", "reset").edges(&["numbers>a"]);
    for times in 1..=3 {
        bench.run(&drawing).await.unwrap();
        bench.run(&drawing).await.unwrap();
        assert!(shelf("reset").counted().values().all(|count| *count == times), "after {times} starts over");
        assert_eq!(bench.store.totals().counts.delivered, 100 * times as u64);
        bench.store.reset();
    }
}

#[tokio::test]
async fn a_target_that_went_back_is_held() {
    let mut bench = Bench::default();
    let drawing = |count| to_shelf(count_to(count, 8), "a", "back").edges(&["numbers>a"]);
    bench.run(&drawing(100)).await.unwrap();
    shelf("back").clear();
    // Seen at once, also where no record comes any more.
    for count in [100, 200] {
        let error = bench.run(&drawing(count)).await.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "target.went_back"));
    }
    assert!(shelf("back").numbers().is_empty());
}

#[tokio::test]
async fn a_panic_is_a_failed_task_and_is_restarted() {
    let config = json!({ "n": 400, "shelf": "panic", "times": 2 });
    let drawing =
        to_shelf(count_to(1000, 10).node("p", PANIC_AT, config), "a", "panic").edges(&["numbers>p", "p>a"]);
    let bench = Bench::default();
    let budget = Budget { min_wait: Duration::from_millis(1), ..Budget::default() };
    let mut seen = Vec::new();
    let make = || -> futures::future::BoxFuture<'static, _> {
        let (mut bench, drawing) = (bench.clone(), drawing.clone());
        Box::pin(async move { bench.run(&drawing).await })
    };
    let ended = supervise(make, &Control::default(), budget, |transition| seen.push(transition)).await;
    assert!(matches!(ended, Final::Ended(Ended::Completed)), "{ended:?}");
    assert_once_each("panic", 1..=1000);
    let restarts = seen.iter().filter(|seen| matches!(seen, Transition::Restarting { cause, .. } if cause.code == "task.panic" && cause.message.contains("number 400 hit")));
    assert_eq!(restarts.count(), 2);
}

#[tokio::test]
async fn a_spent_budget_leaves_the_true_cause() {
    let config = json!({ "n": 5, "shelf": "budget", "times": 1000 });
    let drawing =
        to_shelf(count_to(10, 10).node("p", PANIC_AT, config), "a", "budget").edges(&["numbers>p", "p>a"]);
    let bench = Bench::default();
    let budget = Budget { restarts: 3, min_wait: Duration::from_millis(1), ..Budget::default() };
    let make = || -> futures::future::BoxFuture<'static, _> {
        let (mut bench, drawing) = (bench.clone(), drawing.clone());
        Box::pin(async move { bench.run(&drawing).await })
    };
    let Final::Failed(error) = supervise(make, &Control::default(), budget, |_| ()).await else {
        panic!("it ended")
    };
    assert_eq!(&*error.code, "task.panic");
    assert_eq!(shelf("budget").panics.load(std::sync::atomic::Ordering::SeqCst), 4);
}

#[tokio::test]
async fn policies_stop_and_drop() {
    let drawing = |name: &str| {
        to_shelf(count_to(100, 9).node("odd", REFUSE_EVEN, json!({})), "a", name)
            .edges(&["numbers>odd", "odd>a"])
    };
    let mut bench = Bench::default();
    let error = bench.run(&drawing("stop").policy(ErrorPolicy::Stop)).await.unwrap_err();
    assert_eq!((error.kind, &*error.code, error.node.as_deref()), (Kind::Refused, "test.even", Some("odd")));
    let mut bench = Bench::default();
    bench.run(&drawing("drop").policy(ErrorPolicy::Drop)).await.unwrap();
    assert_eq!(bench.store.totals().counts, counts(100, 40, 60, 0));
    assert!(bench.store.letters().is_empty());
}

/// The target is slow to take what went before the refusal: it gets it all the same.
#[tokio::test]
async fn what_went_before_a_refusal_that_stops_is_delivered() {
    let drawing = to_shelf(count_to(10, 1).node("odd", REFUSE_EVEN, json!({})), "a", "before")
        .edges(&["numbers>odd", "odd>a"])
        .policy(ErrorPolicy::Stop);
    shelf("before").fail(Faults { outages: 1, ..Faults::default() });
    let mut bench = Bench::default();
    let error = bench.run(&drawing).await.unwrap_err();
    assert_eq!(&*error.code, "test.even");
    assert_once_each("before", [1]);
    let marks = bench.store.marks();
    assert!(marks.iter().any(|mark| mark.position.order == 1), "{marks:?}");
}

#[tokio::test]
async fn a_target_that_refuses_everything_suspends_the_channel() {
    let drawing = to_shelf(count_to(5000, 10), "a", "all").groups_of(10).edges(&["numbers>a"]);
    shelf("all").fail(Faults { refuse: (1..=5000).collect(), ..Faults::default() });
    let mut bench = Bench::default();
    let error = bench.run(&drawing).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "target.refuses_all"));
    assert!(bench.store.letters().len() <= 120, "{}", bench.store.letters().len());
}

#[tokio::test]
async fn pause_resume_stop() {
    let drawing =
        Drawing::new().node("numbers", MEMORY_SOURCE, json!({ "count": 50, "batch": 5, "endless": true }));
    let drawing = to_shelf(drawing, "a", "pause").edges(&["numbers>a"]);
    let bench = Bench::default();
    bench.control.pause();
    let running = tokio::spawn({
        let (bench, drawing, progress) = (bench.clone(), drawing.clone(), bench.progress.clone());
        async move { super::run(drawing.0, bench.store.clone(), progress, bench.control.clone()).await }
    });
    until(&bench.progress, |state, _| state == TaskState::Paused).await;
    assert!(shelf("pause").numbers().is_empty());
    bench.control.resume();
    until(&bench.progress, |_, read| read == 50).await;
    bench.control.stop();
    assert_eq!(running.await.unwrap().unwrap(), Ended::Stopped { undelivered: 0 });
}

#[tokio::test]
async fn what_a_source_read_before_it_failed_is_delivered() {
    let config = json!({ "count": 100, "batch": 10, "fails": true });
    let drawing = Drawing::new().node("broken", MEMORY_SOURCE, config).node(
        "waiting",
        MEMORY_SOURCE,
        json!({ "count": 0, "batch": 1, "endless": true }),
    );
    let drawing = to_shelf(drawing, "a", "drain").groups_of(10).edges(&["broken>a", "waiting>a"]);
    shelf("drain").fail(Faults { outages: 2, ..Faults::default() });
    let mut bench = Bench::default();
    let error = bench.run(&drawing).await.unwrap_err();
    assert_eq!((&*error.code, error.node.as_deref()), ("test.broken", Some("broken")));
    assert_once_each("drain", 1..=100);
    assert_eq!(bench.store.totals().counts.delivered, 100);
}

#[tokio::test]
async fn a_hanging_target_is_left_and_named() {
    let drawing = to_shelf(count_to(100, 5), "a", "hang").groups_of(5).edges(&["numbers>a"]);
    shelf("hang").fail(Faults { hang_after: Some(3), ..Faults::default() });
    let mut bench = Bench::default();
    let control = bench.control.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        control.stop();
        tokio::time::sleep(Duration::from_millis(50)).await;
        control.abort();
    });
    let Ended::Stopped { undelivered } = bench.run(&drawing).await.unwrap() else { panic!("it completed") };
    assert_eq!(undelivered, 100 - shelf("hang").numbers().len() as u64);
}

#[tokio::test]
async fn memory_is_bounded_while_a_target_stands_still() {
    let mut drawing = to_shelf(count_to(1_000_000, 100), "a", "bounded").edges(&["numbers>a"]);
    drawing.0.limits.in_flight_records = 1_000;
    shelf("bounded").fail(Faults { hang_after: Some(0), ..Faults::default() });
    let mut bench = Bench::default();
    let control = bench.control.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        control.abort();
    });
    let Ended::Stopped { undelivered } = bench.run(&drawing).await.unwrap() else { panic!("it completed") };
    assert_eq!(undelivered, 1_000);
}

async fn until(progress: &Progress, mut seen: impl FnMut(TaskState, u64) -> bool) {
    tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            let snapshot = progress.snapshot();
            if seen(snapshot.state, snapshot.totals.counts.read) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    })
    .await
    .expect("seen within ten seconds");
}
