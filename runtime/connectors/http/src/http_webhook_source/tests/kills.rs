//! What was answered with a success survives any end.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::testing::Caller;

/// Senders that give each number until it is taken or until they give up for good.
struct Senders {
    next: AtomicI64,
    answered: Mutex<BTreeSet<i64>>,
    over: AtomicBool,
}

impl Senders {
    /// Sends numbers one after the other and notes those that were answered with a success.
    async fn send(self: Arc<Self>, at: SocketAddr, ids: bool) {
        while !self.over.load(Ordering::Acquire) {
            let n = self.next.fetch_add(1, Ordering::AcqRel);
            for _ in 0..200 {
                if self.try_send(at, n, ids).await == Some(200) {
                    self.answered.lock().unwrap().insert(n);
                    break;
                }
                tokio::time::sleep(Duration::from_millis(3)).await;
            }
        }
    }

    async fn try_send(&self, at: SocketAddr, n: i64, ids: bool) -> Option<u16> {
        let headers = if ids { format!("x-id: {n}\r\n") } else { String::new() };
        let mut caller = Caller::connect(at).await.ok()?;
        Some(caller.send("POST", &headers, format!("{{\"n\":{n}}}").as_bytes()).await.ok()?.status)
    }
}

async fn killed(name: &str, ids: bool) -> (BTreeSet<i64>, std::collections::BTreeMap<i64, usize>) {
    let at = free_address();
    let mut settings = json!({ "listen": at.to_string() });
    if ids {
        settings["id_header"] = json!("x-id");
    }
    let drawing = Drawing::new()
        .node("hook", WEBHOOK, settings)
        .node("shelf", MEMORY_SINK, json!({ "shelf": name }))
        .edges(&["hook>shelf"]);
    let senders = Arc::new(Senders {
        next: AtomicI64::new(1),
        answered: Mutex::default(),
        over: AtomicBool::new(false),
    });
    let sending: Vec<_> = (0..12).map(|_| tokio::spawn(senders.clone().send(at, ids))).collect();
    let mut bench = Bench::default();
    for round in 0..25u64 {
        bench.crash_after(&drawing, Duration::from_micros(3000 + round * 1709 % 20_000)).await;
    }
    let last = run(&bench, &drawing);
    senders.over.store(true, Ordering::Release);
    for sender in sending {
        sender.await.unwrap();
    }
    bench.control.stop();
    last.await.unwrap().unwrap();
    let answered = std::mem::take(&mut *senders.answered.lock().unwrap());
    (answered, shelf(name).counted())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_is_there_after_kills() {
    let (answered, there) = killed("hook-killed", false).await;
    assert!(answered.len() > 100, "only {} were answered", answered.len());
    let lost: Vec<_> = answered.iter().filter(|n| !there.contains_key(n)).take(10).collect();
    assert!(lost.is_empty(), "answered and lost: {lost:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ids_leave_only_what_was_under_way_twice() {
    let (answered, there) = killed("hook-killed-ids", true).await;
    let lost: Vec<_> = answered.iter().filter(|n| !there.contains_key(n)).take(10).collect();
    assert!(lost.is_empty(), "answered and lost: {lost:?}");
    let doubled = there.values().filter(|times| **times > 1).count();
    assert!(doubled <= 25 * 12, "{doubled} came twice: more than were under way at the kills");
}

/// A target that holds positions has gone on further than the store knows: what comes after a restart is new all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_never_uses_orders_of_an_earlier_one() {
    let mut running = Running::start("hook-orders", json!({})).await;
    for n in 1..=5 {
        assert_eq!(crate::testing::post(running.address, &format!("{{\"n\":{n}}}")).await.status, 200);
    }
    running.stop().await.unwrap();
    running.bench.store.forget_marks();
    running.bench.control = Default::default();
    running.task = run(&running.bench, &running.drawing);
    running.listens().await;
    for n in 6..=8 {
        assert_eq!(crate::testing::post(running.address, &format!("{{\"n\":{n}}}")).await.status, 200);
    }
    assert_eq!(running.shelf.numbers(), [1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(super::super::first_order(u64::MAX, 0) < i64::MAX as u64);
    assert_eq!(super::super::first_order(1, 7), 1 << 40);
}
