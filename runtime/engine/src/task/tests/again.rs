//! Refused records that are tried again: at once by the channel's settings, or later as dead letters.

use super::*;
use crate::store::StoredMark;

fn refusing(name: &str, numbers: &[i64], refusals: usize) {
    shelf(name).fail(Faults { refuse: numbers.iter().copied().collect(), refusals, ..Faults::default() });
}

#[tokio::test(start_paused = true)]
async fn a_refused_record_is_tried_as_often_as_the_channel_says() {
    for (name, sink, vague) in [
        ("tries-held", MEMORY_SINK, false),
        ("tries-plain", PLAIN_SINK, false),
        ("tries-vague", PLAIN_SINK, true),
    ] {
        let drawing = count_to(100, 16).node("a", sink, json!({ "shelf": name })).edges(&["numbers>a"]);
        // 7 passes at its third try, 50 never.
        shelf(name).fail(Faults { refuse: [7].into(), refusals: 2, vague, ..Faults::default() });
        let mut bench = Bench::default();
        bench.run(&drawing.clone().tries(3)).await.unwrap();
        if !vague {
            assert_once_each(name, 1..=100);
            assert_eq!(shelf(name).refused()[&7], 3, "{name}");
        }
        refusing(name, &[150], 0);
        let more = count_to(200, 16).node("a", sink, json!({ "shelf": name })).edges(&["numbers>a"]);
        bench.run(&more.tries(3)).await.unwrap();
        let times = shelf(name).refused()[&150];
        // One that cannot say which it refuses refuses it in every half as well.
        assert!(if vague { times >= 3 } else { times == 3 }, "{name}: {times}");
        let orders: Vec<_> = bench.store.letters().iter().map(|letter| letter.key.order).collect();
        assert_eq!(orders.last(), Some(&150), "{name}");
        assert!(bench.store.totals().counts.retried >= 2, "{name}");
    }
}

#[tokio::test]
async fn a_refusal_is_final_unless_the_channel_says_otherwise() {
    let drawing = to_shelf(count_to(10, 10), "a", "tries-once").edges(&["numbers>a"]);
    refusing("tries-once", &[3], 1);
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    assert_eq!((shelf("tries-once").refused()[&3], bench.store.letters().len()), (1, 1));
}

#[tokio::test]
async fn letters_enter_where_they_were_refused_and_go_once_delivered() {
    // `odd` refuses even numbers; the second drawing lets them pass.
    let refusing = |name: &str| {
        let drawing = count_to(20, 6).node("odd", REFUSE_EVEN, json!({}));
        to_shelf(to_shelf(drawing, "a", name), "b", &format!("{name}-b")).edges(&[
            "numbers>odd",
            "odd>a",
            "odd>b",
        ])
    };
    let passing = |name: &str| {
        let calm = json!({ "n": -1, "shelf": "replay-calm", "times": 0 });
        let drawing = count_to(20, 6).node("odd", PANIC_AT, calm);
        to_shelf(to_shelf(drawing, "a", name), "b", &format!("{name}-b")).edges(&[
            "numbers>odd",
            "odd>a",
            "odd>b",
        ])
    };
    let mut bench = Bench::default();
    bench.run(&refusing("replay")).await.unwrap();
    assert_eq!(bench.store.letters().len(), 10);
    let before = bench.store.totals();

    // Refused again, every one stays one letter.
    bench.store.replay_all();
    bench.run(&refusing("replay")).await.unwrap();
    assert_eq!(bench.store.letters().len(), 10);

    bench.store.replay_all();
    assert_eq!(bench.run(&passing("replay").only_replays()).await.unwrap(), Ended::Completed);
    assert!(bench.store.letters().is_empty());
    let odd = (1..=20).filter(|n| n % 2 == 1 && n % 5 != 0);
    assert_once_each("replay", odd.clone().chain((1..=20).filter(|n| n % 2 == 0)));
    assert_eq!(shelf("replay").counted(), shelf("replay-b").counted());
    let after = bench.store.totals();
    let replayed = fairway_shared::api::status::Counts { replayed: 10, ..before.counts };
    assert_eq!(after.counts, replayed, "a record is read once");
    let counts = after.standing();
    assert_eq!(counts.dead_lettered, 0);
    assert_eq!(counts.read, counts.delivered + counts.filtered);
    assert_eq!(after.nodes["a"].out, before.nodes["a"].out + 10);

    // Nothing is asked for any more.
    bench.run(&passing("replay")).await.unwrap();
    assert_eq!(shelf("replay").numbers().len(), 18);
}

#[tokio::test]
async fn a_letter_refused_further_on_moves_there() {
    let drawing = |component| {
        let config = json!({ "n": -1, "shelf": "replay-calm", "times": 0 });
        to_shelf(count_to(10, 10).node("t", component, config), "a", "replay-moves")
            .edges(&["numbers>t", "t>a"])
    };
    let mut bench = Bench::default();
    bench.run(&drawing(REFUSE_EVEN)).await.unwrap();
    bench.store.replay_all();
    refusing("replay-moves", &[4], 0);
    bench.run(&drawing(PANIC_AT)).await.unwrap();
    let letters = bench.store.letters();
    let found: Vec<_> = letters.iter().map(|l| (&*l.key.node, &*l.key.stream.source, l.key.order)).collect();
    assert_eq!(found, [("a", "numbers", 4)]);
    shelf("replay-moves").fail(Faults::default());
    bench.store.replay_all();
    bench.run(&drawing(PANIC_AT)).await.unwrap();
    assert!(bench.store.letters().is_empty());
    assert_once_each("replay-moves", (1..=10).filter(|n| n % 5 != 0 || n % 2 == 0));
}

#[tokio::test]
async fn a_running_channel_takes_letters_when_asked_and_waits_while_paused() {
    let endless = json!({ "count": 20, "batch": 5, "endless": true });
    let drawing = Drawing::new().node("numbers", MEMORY_SOURCE, endless);
    let drawing = to_shelf(drawing, "a", "replay-runs").edges(&["numbers>a"]);
    refusing("replay-runs", &[3, 4], 0);
    let bench = Bench::default();
    let (mut running, control) = (bench.clone(), bench.control.clone());
    let task = tokio::spawn(async move { running.run(&drawing).await });
    let until = async |fits: &dyn Fn() -> bool| {
        tokio::time::timeout(Duration::from_secs(10), async {
            while !fits() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await
        .expect("it never came");
    };
    let passed = |mark: &StoredMark| mark.target.is_none() && mark.position.order == 20;
    until(&|| bench.store.marks().iter().any(passed)).await;
    control.pause();
    refusing("replay-runs", &[], 0);
    bench.store.replay_all();
    control.replay();
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(bench.store.letters().len(), 2, "paused");
    control.resume();
    until(&|| bench.store.letters().is_empty()).await;
    control.stop();
    assert!(matches!(task.await.unwrap().unwrap(), Ended::Stopped { undelivered: 0 }));
    assert_once_each("replay-runs", 1..=20);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_while_letters_are_tried_nothing_is_lost_or_doubled() {
    let numbers = count_to(6000, 50);
    let drawing = to_shelf(
        to_shelf(numbers.node("odd", REFUSE_EVEN, json!({})), "a", "replay-kill-a"),
        "b",
        "replay-kill-b",
    )
    .groups_of(20)
    .edges(&["numbers>odd", "odd>a", "odd>b"]);
    let mut bench = Bench::default();
    bench.run(&drawing).await.unwrap();
    assert_eq!(bench.store.letters().len(), 3000);
    bench.store.replay_all();
    let calm = json!({ "n": -1, "shelf": "replay-calm", "times": 0 });
    let drawing = to_shelf(
        to_shelf(count_to(6000, 50).node("odd", PANIC_AT, calm), "a", "replay-kill-a"),
        "b",
        "replay-kill-b",
    )
    .groups_of(20)
    .edges(&["numbers>odd", "odd>a", "odd>b"]);
    let stubborn: Vec<i64> = (2..=6000).step_by(100).collect();
    shelf("replay-kill-b").fail(Faults {
        refuse: stubborn.iter().copied().collect(),
        lost_answers: 5,
        ..Faults::default()
    });
    for round in 0..30u64 {
        bench.crash_after(&drawing, Duration::from_micros(500 + round * 173 % 4100)).await;
    }
    assert_eq!(bench.run(&drawing).await.unwrap(), Ended::Completed);
    let good = |n: &i64| n % 2 == 0 || n % 5 != 0;
    assert_once_each("replay-kill-a", (1..=6000).filter(good));
    assert_once_each("replay-kill-b", (1..=6000).filter(|n| good(n) && !stubborn.contains(n)));
    let left: Vec<_> =
        bench.store.letters().iter().map(|l| (l.key.node.clone(), l.key.order as i64)).collect();
    assert!(
        left == stubborn.iter().map(|n| ("b".to_owned(), *n)).collect::<Vec<_>>(),
        "{} letters left",
        left.len()
    );
}
