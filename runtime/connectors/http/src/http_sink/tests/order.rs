//! How records are put into requests, in which order, and under which names.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::time::Duration;

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn requests_hold_what_the_settings_say() {
    for (settings, bodies) in [
        (json!({}), vec!["{\"n\":1}", "{\"n\":2}", "{\"n\":3}"]),
        (json!({ "body": "list" }), vec!["[{\"n\":1},{\"n\":2},{\"n\":3}]"]),
        (json!({ "body": "lines" }), vec!["{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"]),
        (json!({ "body": "list", "max_records": 2 }), vec!["[{\"n\":1},{\"n\":2}]", "[{\"n\":3}]"]),
        (json!({ "body": "list", "max_bytes": "16B" }), vec!["[{\"n\":1}]", "[{\"n\":2}]", "[{\"n\":3}]"]),
        (json!({ "body": "lines", "max_bytes": "1B" }), vec!["{\"n\":1}\n", "{\"n\":2}\n", "{\"n\":3}\n"]),
        (json!({ "body": "lines", "compression": "gzip" }), vec!["{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n"]),
    ] {
        let target = Target::willing().await;
        completed(&send(&target, 3, settings.clone()).await.0);
        let found: Vec<String> = target
            .got()
            .iter()
            .map(|request| match request.header("content-encoding") {
                Some("gzip") => {
                    let mut text = String::new();
                    flate2::read::GzDecoder::new(&request.body[..]).read_to_string(&mut text).unwrap();
                    text
                }
                _ => request.text(),
            })
            .collect();
        assert_eq!(found, bodies, "{settings}");
        let media = if settings["body"] == "lines" { "application/x-ndjson" } else { "application/json" };
        assert_eq!(target.got()[0].header("content-type"), Some(media));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn records_of_one_address_go_together() {
    let target = Target::willing().await;
    let settings = json!({ "url": target.url("/{n}?x={n}"), "body": "list", "method": "put" });
    completed(&send(&target, 2, settings).await.0);
    let lines: Vec<String> = target.got().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["PUT /1?x=1", "PUT /2?x=2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_at_a_time_deliver_all() {
    let target = Target::start(|number, _| match number % 10 {
        3 => Reply::status(503),
        _ => Reply::Later(Duration::from_millis(number as u64 % 3), 200),
    })
    .await;
    let (ended, bench) = send(&target, 200, json!({ "concurrency": 8 })).await;
    completed(&ended);
    let there: BTreeSet<i64> = target.numbers().into_iter().collect();
    assert_eq!(there.len(), 200);
    assert_eq!(bench.store.totals().counts.delivered, 200);
    let tries = target.numbers().len();
    assert!(tries <= 200 + 8 * 30, "{tries} requests: what was taken was sent again");
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_values_keep_their_order() {
    use std::sync::Mutex;
    let open: Arc<Mutex<usize>> = Arc::default();
    let most = open.clone();
    let target = Target::start(move |_, _| {
        *most.lock().unwrap() += 1;
        Reply::Later(Duration::from_millis(1), 200)
    })
    .await;
    // Every number is a value of its own, so each must come once; `n` of one lane rises.
    completed(&send(&target, 100, json!({ "concurrency": 4, "order_by": "n" })).await.0);
    let mut found = target.numbers();
    found.sort_unstable();
    assert!(found == (1..=100).collect::<Vec<_>>());
    // With a value that all share there is one lane, and everything is in order.
    let target = Target::start(|number, _| Reply::Later(Duration::from_millis(number as u64 % 2), 200)).await;
    completed(&send(&target, 60, json!({ "concurrency": 4, "order_by": "missing" })).await.0);
    assert!(target.numbers() == (1..=60).collect::<Vec<_>>());
    assert_eq!(*open.lock().unwrap(), 100);
}

/// The name of a record is the same at every try, after a kill too.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_keeps_its_name() {
    let target = Target::start(|number, _| match number % 5 {
        0 => Reply::Cut,
        _ => Reply::Later(Duration::from_millis(1), 200),
    })
    .await;
    let drawing = drawing(&target, 150, json!({ "idempotency_header": "Idempotency-Key" }));
    let mut bench = Bench::default();
    for round in 0..8u64 {
        bench.crash_after(&drawing, Duration::from_millis(5 + round * 7 % 40)).await;
    }
    completed(&bench.run(&drawing).await);
    let mut names: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for request in target.got() {
        let name = request.header("idempotency-key").unwrap().to_owned();
        names.entry(name).or_default().extend(request.numbers());
    }
    assert_eq!(names.len(), 150, "as many names as records");
    assert!(names.values().all(|numbers| numbers.len() == 1));
}
