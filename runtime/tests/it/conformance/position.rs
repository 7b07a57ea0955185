//! Positions, counts, generations.

use fairway_engine::position::{Position, StreamKey};
use fairway_engine::store::{Passed, StoredMark, Totals};
use fairway_runtime::services::{Adjustment, Error, Services};
use serde_json::json;

use super::mark;

fn read(records: u64) -> Totals {
    let mut totals = Totals::default();
    totals.counts.read = records;
    totals.nodes.insert("n".into(), Passed { entered: records, ..Passed::default() });
    totals.edges.insert("a>b".into(), records);
    totals
}

fn none() -> Totals {
    Totals::default()
}

pub(super) async fn generations_rise_and_fence(services: Services) {
    let positions = services.positions;
    let first = positions.begin("u", "t").await.unwrap();
    let other = positions.begin("u", "other").await.unwrap();
    let second = positions.begin("u", "t").await.unwrap();
    assert!(first < other && other < second);
    let stale = positions.commit("u", "t", first, &[mark(None, "s", 9)], &read(9)).await;
    assert!(matches!(stale, Err(Error::Fenced)));
    assert_eq!(positions.marks("u").await.unwrap(), []);
    assert_eq!(positions.totals("u").await.unwrap(), none());
    positions.commit("u", "t", second, &[mark(None, "s", 1)], &none()).await.unwrap();
    // Another task's start is no reason to stop.
    positions.commit("u", "other", other, &[mark(None, "z", 1)], &none()).await.unwrap();
    let stranger = positions.commit("u", "never", second, &[], &none()).await;
    assert!(matches!(stranger, Err(Error::Fenced)));
}

pub(super) async fn positions_only_grow(services: Services) {
    let positions = services.positions;
    let generation = positions.begin("u", "t").await.unwrap();
    positions.commit("u", "t", generation, &[mark(Some("x"), "s", 5)], &none()).await.unwrap();
    positions.commit("u", "t", generation, &[mark(Some("x"), "s", 5)], &none()).await.unwrap();
    let back = positions.commit("u", "t", generation, &[mark(Some("x"), "s", 4)], &read(1)).await;
    assert!(matches!(back, Err(Error::WentBack { from: 5, to: 4, .. })));
    assert_eq!(positions.marks("u").await.unwrap(), [mark(Some("x"), "s", 5)]);
    assert_eq!(positions.totals("u").await.unwrap(), none());
}

/// Orders take all of 64 bits: a table's negative numbers stand in the lower half.
pub(super) async fn orders_are_as_large_as_they_may_be(services: Services) {
    let positions = services.positions;
    let generation = positions.begin("u", "t").await.unwrap();
    for order in [1, i64::MAX as u64, 1 << 63, (1 << 63) + 1, u64::MAX] {
        positions.commit("u", "t", generation, &[mark(None, "s", order)], &none()).await.unwrap();
        assert_eq!(positions.marks("u").await.unwrap(), [mark(None, "s", order)]);
    }
    let back = positions.commit("u", "t", generation, &[mark(None, "s", i64::MAX as u64)], &none()).await;
    assert!(matches!(back, Err(Error::WentBack { from: u64::MAX, .. })));
}

pub(super) async fn a_commit_is_one_step(services: Services) {
    let positions = services.positions;
    let generation = positions.begin("u", "t").await.unwrap();
    positions.commit("u", "t", generation, &[mark(Some("x"), "s", 5)], &read(5)).await.unwrap();
    // The second mark is refused: neither the first nor the counts may remain.
    let marks = [mark(Some("y"), "s", 7), mark(Some("x"), "s", 1)];
    positions.commit("u", "t", generation, &marks, &read(7)).await.unwrap_err();
    assert_eq!(positions.marks("u").await.unwrap(), [mark(Some("x"), "s", 5)]);
    assert_eq!(positions.commit("u", "t", generation, &[], &read(2)).await.unwrap(), read(7));
    assert_eq!(positions.totals("u").await.unwrap(), read(7));
}

pub(super) async fn marks_come_back_whole(services: Services) {
    let positions = services.positions;
    let generation = positions.begin("u", "t").await.unwrap();
    let number: serde_json::Value = serde_json::from_str("12345678901234567890.50").unwrap();
    let marks = [
        StoredMark {
            target: None,
            stream: StreamKey::straight("s", ""),
            position: Position { order: 0, token: serde_json::Value::Null },
            in_target: None,
        },
        StoredMark {
            target: Some("sink-1".into()),
            stream: StreamKey::straight("s", "dir/ü 'x'.csv").via("other"),
            position: Position { order: i64::MAX as u64, token: json!({ "n": number, "text": "null" }) },
            in_target: Some(Position { order: 3, token: json!([1, null]) }),
        },
    ];
    positions.commit("u", "t", generation, &marks, &none()).await.unwrap();
    assert_eq!(positions.marks("u").await.unwrap(), marks);
}

pub(super) async fn retired_tasks_are_fenced(services: Services) {
    let positions = services.positions;
    let (kept, gone) =
        (positions.begin("u", "kept").await.unwrap(), positions.begin("u", "gone").await.unwrap());
    let elsewhere = positions.begin("v", "gone").await.unwrap();
    positions.retire("u", &["kept".to_owned()]).await.unwrap();
    positions.commit("u", "kept", kept, &[], &none()).await.unwrap();
    positions.commit("v", "gone", elsewhere, &[], &none()).await.unwrap();
    assert!(matches!(positions.commit("u", "gone", gone, &[], &none()).await, Err(Error::Fenced)));
}

pub(super) async fn a_reset_forgets_and_fences(services: Services) {
    let positions = services.positions;
    let generation = positions.begin("u", "t").await.unwrap();
    positions.commit("u", "t", generation, &[mark(None, "s", 5)], &read(5)).await.unwrap();
    positions.reset("u").await.unwrap();
    let late = positions.commit("u", "t", generation, &[mark(None, "s", 6)], &none()).await;
    assert!(matches!(late, Err(Error::Fenced)));
    assert_eq!(positions.marks("u").await.unwrap(), []);
    assert_eq!(positions.totals("u").await.unwrap(), read(5));
    let first = positions.epochs("u").await.unwrap()[""];
    positions.reset("u").await.unwrap();
    assert!(positions.epochs("u").await.unwrap()[""] > first, "each start over has a number of its own");
    assert!(positions.begin("u", "t").await.unwrap() > generation);
    positions.forget("u").await.unwrap();
    assert_eq!(positions.totals("u").await.unwrap(), none());
    assert!(positions.epochs("u").await.unwrap().is_empty());
}

pub(super) async fn adjusts_by_node(services: Services) {
    let positions = services.positions;
    let generation = positions.begin("u", "t").await.unwrap();
    let held = |mark: StoredMark| StoredMark { in_target: Some(mark.position.clone()), ..mark };
    let by_errors =
        StoredMark { stream: StreamKey::straight("a", "p").via("gone"), ..mark(Some("x"), "a", 2) };
    let marks = [
        mark(None, "a", 3),
        held(mark(Some("x"), "a", 3)),
        held(mark(Some("gone"), "a", 3)),
        by_errors,
        mark(None, "b", 4),
        held(mark(Some("x"), "b", 4)),
    ];
    positions.commit("u", "t", generation, &marks, &none()).await.unwrap();
    let adjustment = Adjustment {
        restarted: vec!["b".into()],
        dropped: vec!["gone".into()],
        replaced: vec!["x".into()],
        ..Adjustment::default()
    };
    for _ in 0..2 {
        positions.adjust("u", &adjustment).await.unwrap();
        assert_eq!(positions.marks("u").await.unwrap(), [mark(None, "a", 3), mark(Some("x"), "a", 3)]);
    }
    let epochs = positions.epochs("u").await.unwrap();
    assert_eq!(
        epochs.keys().collect::<Vec<_>>(),
        ["b"],
        "only the source that starts over is another stream"
    );
    // A task that was not touched goes on.
    positions.commit("u", "t", generation, &[mark(None, "a", 4)], &none()).await.unwrap();
}

pub(super) async fn channels_are_apart(services: Services) {
    let positions = services.positions;
    for uid in ["u", "v"] {
        let generation = positions.begin(uid, "t").await.unwrap();
        positions.commit(uid, "t", generation, &[mark(None, "s", 5)], &read(1)).await.unwrap();
    }
    positions.forget("u").await.unwrap();
    assert_eq!(positions.marks("u").await.unwrap(), []);
    assert_eq!(positions.marks("v").await.unwrap(), [mark(None, "s", 5)]);
    assert_eq!(positions.totals("v").await.unwrap(), read(1));
}
