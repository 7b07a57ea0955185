//! An answer is a receipt (G13).

use std::time::Duration;

use fairway_engine::testkit::Faults;
use fairway_shared::channel::ErrorPolicy;
use serde_json::json;

use super::*;
use crate::testing::{post, send, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_success_says_that_the_records_are_safe() {
    let mut running = Running::start("hook-safe", json!({})).await;
    running.shelf.fail(Faults { outages: 2, ..Faults::default() });
    let got = post(running.address, r#"{"n":1}"#).await;
    assert_eq!((got.status, got.body.as_str()), (200, r#"{"accepted":1}"#));
    assert_eq!(running.shelf.numbers(), [1]);
    let stored = running.bench.store.marks().into_iter().find(|mark| mark.target.is_none());
    assert!(stored.is_some(), "the position is stored before the sender is told (I2)");
    let got = post(running.address, "[{\"n\":2},{\"n\":3}]").await;
    assert_eq!((got.status, got.body.as_str()), (200, r#"{"accepted":2}"#));
    let got = send(running.address, "PUT", "", b"{\"n\":4}\n{\"n\":5}\n").await;
    assert_eq!((got.status, got.body.as_str()), (200, r#"{"accepted":2}"#));
    assert_eq!(post(running.address, "[]").await.body, r#"{"accepted":0}"#);
    assert_eq!(running.shelf.numbers(), [1, 2, 3, 4, 5]);
    assert!(matches!(running.stop().await, Ok(Ended::Stopped { undelivered: 0 })));
}

/// Case 041, part A: a dead letter is a receipt as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_dead_letter_is_safe() {
    let running = Running::start("hook-letter", json!({})).await;
    running.shelf.fail(Faults { refuse: [2].into(), ..Faults::default() });
    assert_eq!(post(running.address, r#"{"n":2}"#).await.status, 200);
    let letters = running.bench.store.letters();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].record["value"]["n"], json!(2));
    assert_eq!(post(running.address, r#"{"n":3}"#).await.status, 200);
    assert_eq!(running.shelf.numbers(), [3]);
}

/// Case 041, part B: without dead letters there is no success for a record that is nowhere.
#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_stops_gives_no_receipt() {
    let mut running = Running::of("hook-stops", json!({}), |drawing| drawing.policy(ErrorPolicy::Stop)).await;
    running.shelf.fail(Faults { refuse: [2].into(), ..Faults::default() });
    let got = post(running.address, r#"{"n":2}"#).await;
    assert_eq!(got.status, 503, "{got:?}");
    assert!(got.body.contains("webhook.interrupted"), "{got:?}");
    assert_eq!(kind((&mut running.task).await.unwrap()), Kind::Refused);
    assert_eq!(running.shelf.numbers(), [0i64; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_request_is_refused_and_the_channel_goes_on() {
    let running = Running::of("hook-bad", json!({}), |drawing| drawing.policy(ErrorPolicy::Stop)).await;
    let deep = format!("{{\"n\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    for bad in [
        "",
        "nonsense",
        "[1]",
        r#"{"n":1"#,
        r#"{"n":1}{"n":}"#,
        r#"[{"n":1},{"n":2,}]"#,
        "\"{}\"",
        &deep,
        "{\"n\":\"\u{0}\"}",
    ] {
        let got = post(running.address, bad).await;
        let expected = if bad.is_empty() { 200 } else { 422 };
        assert_eq!(got.status, expected, "{}: {got:?}", &bad[..bad.len().min(50)]);
    }
    let got = send(running.address, "POST", "", b"{\"n\":\"\xff\"}").await;
    assert_eq!(got.status, 422, "{got:?}");
    let got = post(running.address, r#"[{"n":1},{"n":2},{"n":x}]"#).await;
    assert!(got.body.contains("record 3: a value was expected at byte 22"), "{got:?}");
    assert!(got.head.contains("application/problem+json"), "{got:?}");
    assert_eq!(post(running.address, "\u{feff}{\"n\":7}").await.status, 200);
    assert_eq!(running.shelf.numbers(), [7], "a request is taken whole or not at all");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_for_the_source_is_refused_by_its_head() {
    let settings = json!({ "path": "/", "max_body": "100B", "max_waiting_bytes": "1KiB" });
    let running = Running::start("hook-head", settings).await;
    let at = running.address;
    let long = vec![b' '; 101];
    for (method, headers, body, status) in [
        ("GET", "", &b"{}"[..], 405),
        ("DELETE", "", b"{}", 405),
        ("POST /other HTTP/1.1\r\nx:", "", b"{}", 404),
        ("POST", "content-type: application/x-www-form-urlencoded\r\n", b"{}", 415),
        ("POST", "content-type: application/json; charset=latin1\r\n", b"{}", 415),
        ("POST", "content-type: text/plain\r\n", b"{}", 415),
        ("POST", "content-type: text/plain; charset=utf-8\r\n", b"{}", 415),
        ("POST", "host: 127.0.0.1\r\n", b"{}", 400),
        ("POST", "host: evil.example\r\n", b"{}", 400),
        ("POST", "content-encoding: br\r\n", b"{}", 415),
        ("POST", "origin: https://evil.example\r\n", b"{}", 403),
        ("POST", "content-encoding: gzip\r\n", b"{}", 400),
        ("POST", "", &long, 413),
        ("POST", "content-type: application/cloudevents+json; charset=UTF-8\r\n", b"{\"n\":1}", 200),
    ] {
        let got = send(at, method, headers, body).await;
        assert_eq!(got.status, status, "{method} {headers}: {got:?}");
        assert_eq!(got.head.contains("allow: post, put"), status == 405);
    }
    let mut caller = crate::testing::Caller::connect(at).await.unwrap();
    caller.write(b"POST / HTTP/1.1\r\nhost: evil.example\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
    assert_eq!(caller.answer().await.unwrap().status, 403);
    assert_eq!(running.shelf.numbers(), [1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn content_types_are_taken_as_the_settings_say() {
    let running = Running::start("hook-types", json!({ "content_types": ["Text/Plain"] })).await;
    for (n, (media, status)) in
        [("", 200), ("text/plain; charset=utf-8", 200), ("text/json", 200), ("text/html", 415)]
            .iter()
            .enumerate()
    {
        let header = if media.is_empty() { String::new() } else { format!("content-type: {media}\r\n") };
        let got = send(running.address, "POST", &header, format!("{{\"n\":{n}}}").as_bytes()).await;
        assert_eq!(got.status, *status, "{media}: {got:?}");
    }
    assert_eq!(running.shelf.numbers(), [0, 1, 2]);
    let running = Running::start("hook-text-types", json!({ "format": "text", "field": "t" })).await;
    assert_eq!(send(running.address, "POST", "content-type: text/html\r\n", b"<p>").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_count_after_decompression() {
    let running = Running::start("hook-bomb", json!({ "max_body": "64KiB" })).await;
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap()
    };
    let headers = "content-encoding: gzip\r\n";
    let bomb = gzip(&vec![b' '; 40 << 20]);
    assert!(bomb.len() < 64 << 10);
    let got = send(running.address, "POST", headers, &bomb).await;
    assert_eq!(got.status, 413, "{got:?}");
    let sound = [gzip(b"{\"n\":1}"), gzip(b"{\"n\":2}")].concat();
    assert_eq!(send(running.address, "POST", headers, &sound).await.body, r#"{"accepted":2}"#);
    let cut = &sound[..sound.len() - 3];
    assert_eq!(send(running.address, "POST", headers, cut).await.status, 400);
    assert_eq!(running.shelf.numbers(), [1, 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_hangs_makes_senders_come_back() {
    let settings = json!({ "max_waiting": 4, "timeout": "400ms" });
    let running = Running::start("hook-hangs", settings).await;
    running.shelf.fail(Faults { hang_after: Some(0), ..Faults::default() });
    let at = running.address;
    let waiting: Vec<_> =
        (0..4).map(|n| tokio::spawn(async move { post(at, &format!("{{\"n\":{n}}}")).await })).collect();
    tokio::time::sleep(Duration::from_millis(150)).await;
    // More than may wait: asked to come back, at once and however many they are (I5).
    for _ in 0..20 {
        let got = post(at, r#"{"n":99}"#).await;
        assert_eq!(got.status, 429, "{got:?}");
        assert!(got.head.contains("retry-after: 1"), "{got:?}");
    }
    for request in waiting {
        let got = request.await.unwrap();
        assert_eq!(got.status, 504, "{got:?}");
        assert!(got.head.contains("retry-after"), "{got:?}");
    }
    assert_eq!(running.shelf.numbers(), [0i64; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paused_channel_takes_nothing_and_goes_on() {
    let mut running = Running::start("hook-paused", json!({})).await;
    assert_eq!(post(running.address, r#"{"n":1}"#).await.status, 200);
    running.bench.control.pause();
    let mut last = 200;
    for _ in 0..200 {
        last = post(running.address, r#"{"n":2}"#).await.status;
        if last == 503 {
            break;
        }
    }
    assert_eq!(last, 503);
    let before = running.shelf.numbers().len();
    assert_eq!(post(running.address, r#"{"n":3}"#).await.status, 503);
    assert_eq!(running.shelf.numbers().len(), before);
    running.bench.control.resume();
    let mut last = 0;
    for _ in 0..200 {
        last = post(running.address, r#"{"n":4}"#).await.status;
        if last == 200 {
            break;
        }
    }
    assert_eq!(last, 200);
    assert!(running.shelf.numbers().contains(&4) && !running.shelf.numbers().contains(&3));
    assert!(matches!(running.stop().await, Ok(Ended::Stopped { undelivered: 0 })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_drains_what_waits() {
    let mut running = Running::start("hook-drains", json!({})).await;
    running.shelf.fail(Faults { outages: 3, ..Faults::default() });
    let at = running.address;
    let waiting = tokio::spawn(async move { post(at, r#"{"n":1}"#).await });
    let progress = running.bench.store.clone();
    tokio::time::sleep(Duration::from_millis(60)).await;
    let ended = running.stop().await;
    assert_eq!(waiting.await.unwrap().status, 200);
    assert!(matches!(ended, Ok(Ended::Stopped { undelivered: 0 })), "{ended:?}");
    assert_eq!(running.shelf.numbers(), [1]);
    assert!(!progress.marks().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_sent_again_counts_once() {
    let mut running = Running::start("hook-again", json!({ "id_header": "Idempotency-Key" })).await;
    let key = "idempotency-key: order-1\r\n";
    let at = running.address;
    assert_eq!(send(at, "POST", key, b"{\"n\":x}").await.status, 422, "a refused id is not remembered");
    assert_eq!(send(at, "POST", key, b"{\"n\":1}").await.body, r#"{"accepted":1}"#);
    let again = send(at, "POST", key, b"{\"n\":1}").await;
    assert_eq!((again.status, again.body.as_str()), (200, r#"{"accepted":0,"repeated":true}"#));
    running.shelf.fail(Faults { outages: 3, ..Faults::default() });
    let both = [2, 2].map(|n| {
        tokio::spawn(async move {
            send(at, "POST", "idempotency-key: order-2\r\n", format!("{{\"n\":{n}}}").as_bytes()).await
        })
    });
    for one in both {
        assert_eq!(one.await.unwrap().status, 200);
    }
    assert_eq!(running.shelf.numbers(), [1, 2]);
    running.stop().await.unwrap();
    running.bench.control = Default::default();
    running.task = run(&running.bench, &running.drawing);
    running.listens().await;
    let again = send(at, "POST", key, b"{\"n\":1}").await;
    assert_eq!(again.body, r#"{"accepted":0,"repeated":true}"#);
    assert_eq!(send(at, "POST", "", b"{\"n\":3}").await.status, 200);
    assert_eq!(running.shelf.numbers(), [1, 2, 3]);
    until("the last position is stored", || running.bench.store.marks().len() >= 2).await;
}
