//! Senders that misbehave hurt nobody but themselves.

use std::time::Duration;

use serde_json::json;

use super::*;
use crate::testing::{Caller, post, request, until};

#[tokio::test(flavor = "multi_thread")]
async fn half_requests_bring_nothing() {
    let running = Running::start("hook-half", json!({})).await;
    for half in [
        &b"POST / HT"[..],
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n",
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 9\r\n\r\n{\"n\":1}",
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{\"n\":1}\r\n",
    ] {
        let mut caller = Caller::connect(running.address).await.unwrap();
        caller.write(half).await.unwrap();
    }
    for nonsense in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01"[..],
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: many\r\n\r\n{}",
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n",
        b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\n{} ",
    ] {
        let mut caller = Caller::connect(running.address).await.unwrap();
        caller.write(nonsense).await.unwrap();
        if let Ok(got) = caller.answer().await {
            assert!((400..500).contains(&got.status), "{got:?}");
        }
    }
    assert_eq!(post(running.address, r#"{"n":2}"#).await.status, 200);
    assert_eq!(running.shelf.numbers(), [2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_sent_ahead_are_answered_in_order() {
    let running = Running::start("hook-ahead", json!({})).await;
    let mut caller = Caller::connect(running.address).await.unwrap();
    let mut bytes = Vec::new();
    for n in 1..=50 {
        let body = if n % 10 == 0 { "x".to_owned() } else { format!("{{\"n\":{n}}}") };
        bytes.extend(request("POST", "", body.len()));
        bytes.extend(body.as_bytes());
    }
    caller.write(&bytes).await.unwrap();
    for n in 1..=50 {
        assert_eq!(caller.answer().await.unwrap().status, if n % 10 == 0 { 422 } else { 200 });
    }
    let expected: Vec<i64> = (1..=50).filter(|n| n % 10 != 0).collect();
    assert_eq!(running.shelf.numbers(), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_senders_and_many_of_them_hold_up_nobody() {
    let running = Running::start("hook-slow", json!({ "max_connections": 40 })).await;
    let mut slow = Vec::new();
    for _ in 0..30 {
        let mut caller = Caller::connect(running.address).await.unwrap();
        caller.write(b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 7\r\n\r\n{\"n\"").await.unwrap();
        slow.push(caller);
    }
    let at = running.address;
    // Ten places are left for 200 connections: they wait for their turn, and each gets it.
    let senders: Vec<_> = (0..200)
        .map(|n| {
            tokio::spawn(async move {
                let mut caller = Caller::connect(at).await.unwrap();
                let close = "connection: close\r\n";
                caller.send("POST", close, format!("{{\"n\":{n}}}").as_bytes()).await.unwrap().status
            })
        })
        .collect();
    for sender in senders {
        assert_eq!(sender.await.unwrap(), 200);
    }
    let first = slow.pop();
    let mut first = first.unwrap();
    first.write(b":7}").await.unwrap();
    assert_eq!(first.answer().await.unwrap().status, 200);
    assert_eq!(running.shelf.counted().len(), 200);
}

/// Connections that are kept open between requests give way to others; one that is at work does not.
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_do_not_hold_the_places_of_busy_ones() {
    let running = Running::start("hook-idle", json!({ "max_connections": 4 })).await;
    let mut working = Caller::connect(running.address).await.unwrap();
    working.write(b"POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 7\r\n\r\n{\"n\"").await.unwrap();
    let mut kept = Vec::new();
    for n in 1..=3 {
        let mut caller = Caller::connect(running.address).await.unwrap();
        assert_eq!(caller.send("POST", "", format!("{{\"n\":{n}}}").as_bytes()).await.unwrap().status, 200);
        kept.push(caller);
    }
    // All places are taken, three by connections that nobody uses. Without their leave this takes half a minute.
    let begun = std::time::Instant::now();
    for n in 4..=9 {
        let mut caller = Caller::connect(running.address).await.unwrap();
        assert_eq!(caller.send("POST", "", format!("{{\"n\":{n}}}").as_bytes()).await.unwrap().status, 200);
        kept.push(caller);
    }
    assert!(begun.elapsed() < Duration::from_secs(25), "{:?}", begun.elapsed());
    working.write(b":0}").await.unwrap();
    assert_eq!(working.answer().await.unwrap().status, 200);
    assert_eq!(running.shelf.counted().len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn senders_that_leave_take_their_requests_along() {
    let running = Running::start("hook-leave", json!({ "max_waiting": 8 })).await;
    running.shelf.fail(fairway_engine::testkit::Faults { outages: 4, ..Default::default() });
    for round in 0..6 {
        let mut left = Vec::new();
        for n in 0..6 {
            let mut caller = Caller::connect(running.address).await.unwrap();
            let body = format!("{{\"n\":{}}}", 1000 + round * 10 + n);
            let mut bytes = request("POST", "", body.len());
            bytes.extend(body.as_bytes());
            caller.write(&bytes).await.unwrap();
            left.push(caller);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut status = 429;
    for _ in 0..400 {
        status = post(running.address, r#"{"n":1}"#).await.status;
        if status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(status, 200, "those that left keep no place");
    until("the request is there", || running.shelf.counted().contains_key(&1)).await;
    assert!(running.shelf.counted().values().all(|times| *times == 1));
}
