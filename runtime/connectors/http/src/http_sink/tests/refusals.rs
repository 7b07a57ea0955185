//! One bad record never takes its neighbours, and is not sent for ever (G10, case 039).

use super::*;
use crate::testing::target::Request;

/// The server of the case: which bodies it refuses.
fn decide(request: &Request) -> Reply {
    let numbers = request.numbers();
    let status = |status| Reply::Status(status, "", b"sorry,\n no \x1b[1m such thing".to_vec());
    match () {
        () if numbers.contains(&2) => status(400),
        () if numbers.contains(&4) => status(413),
        () if numbers.contains(&5) => status(501),
        () => Reply::status(200),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_records_become_dead_letters_at_the_first_try() {
    let target = Target::start(|_, request| decide(request)).await;
    let (ended, bench) = send(&target, 6, json!({})).await;
    completed(&ended);
    assert_eq!(target.numbers(), [1, 2, 3, 4, 5, 6], "each was sent once");
    let letters = bench.store.letters();
    assert_eq!(
        letters.iter().map(|letter| letter.record["value"]["n"].clone()).collect::<Vec<_>>(),
        [2, 4, 5]
    );
    let message = &letters[0].cause.message;
    assert!(message.contains("400") && message.contains("sorry, no [1m such thing"), "{message}");
    let totals = bench.store.totals().counts;
    assert_eq!((totals.read, totals.delivered, totals.dead_lettered), (6, 3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_request_is_cut_until_the_record_stands_alone() {
    for body in ["list", "lines"] {
        let target = Target::start(|_, request| decide(request)).await;
        let (ended, bench) = send(&target, 40, json!({ "body": body })).await;
        completed(&ended);
        let taken: Vec<i64> = target
            .got()
            .iter()
            .filter(|request| matches!(decide(request), Reply::Status(200, ..)))
            .flat_map(Request::numbers)
            .collect();
        let expected: Vec<i64> = (1..=40).filter(|n| ![2, 4, 5].contains(n)).collect();
        assert_eq!(taken, expected, "in order, each once");
        assert_eq!(bench.store.letters().len(), 3);
        for refused in [2, 4, 5] {
            let tries = target.numbers().iter().filter(|n| **n == refused).count();
            assert!(tries <= 10, "{refused} was sent {tries} times");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_can_be_given_another_meaning() {
    let target =
        Target::start(|_, request| Reply::status(if request.line.ends_with("/1") { 404 } else { 410 })).await;
    let settings = json!({ "url": target.url("/{n}"), "method": "delete", "body": "nothing", "taken": [404], "refused": [410] });
    let (ended, bench) = send(&target, 2, settings).await;
    completed(&ended);
    assert_eq!(bench.store.letters().len(), 1);
    let lines: Vec<String> = target.got().into_iter().map(|request| request.line).collect();
    assert_eq!(lines, ["DELETE /1", "DELETE /2"]);
    assert!(target.got().iter().all(|request| request.body.is_empty()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_fits_no_address_is_set_aside() {
    let target = Target::willing().await;
    let (ended, bench) = send(&target, 3, json!({ "url": target.url("/a/{name}") })).await;
    completed(&ended);
    let letters = bench.store.letters();
    assert_eq!(letters.len(), 3);
    assert_eq!(letters[0].cause.code, "http.bad_address");
    assert!(target.got().is_empty());
}
