//! Targets that are slow, busy, broken or lying: nothing is lost, and only what must is sent again.

use std::time::{Duration, Instant};

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn passing_faults_are_tried_again_and_what_was_taken_is_not() {
    for (name, fault) in [
        ("busy", Reply::status(503)),
        ("not admitted", Reply::status(401)),
        ("not found", Reply::status(404)),
        ("cut", Reply::Cut),
        ("no http", Reply::Raw(b"SSH-2.0-OpenSSH_9.2p1\r\n".to_vec())),
        ("bad chunks", Reply::Raw(b"HTTP/1.1 500 X\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec())),
        ("half an answer", Reply::Raw(b"HTTP/1.1 502 X\r\ncontent-length: 100\r\n\r\nhalf".to_vec())),
        ("elsewhere", Reply::Status(302, "location: http://127.0.0.1:1/?secret\r\n", Vec::new())),
    ] {
        let target =
            Target::start(move |number, _| if number == 4 { fault.clone() } else { Reply::status(204) })
                .await;
        let (ended, bench) = send(&target, 7, json!({})).await;
        completed(&ended);
        assert_eq!(target.numbers(), [1, 2, 3, 4, 4, 5, 6, 7], "{name}");
        assert!(bench.store.letters().is_empty(), "{name}");
        assert!(bench.store.totals().counts.retried > 0 || bench.store.totals().counts.delivered == 7);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_counts_however_its_answer_ends() {
    let huge = format!("HTTP/1.1 200 X\r\ncontent-length: {}\r\n\r\n{}", u64::MAX >> 1, " ".repeat(300_000));
    for reply in [
        Reply::Raw(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nhalf".to_vec()),
        Reply::Raw(b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\nnonsense".to_vec()),
        Reply::Raw(huge.into_bytes()),
        Reply::Status(202, "content-encoding: gzip\r\n", b"no gzip".to_vec()),
    ] {
        let target = Target::start(move |_, _| reply.clone()).await;
        let (ended, _) = send(&target, 5, json!({})).await;
        completed(&ended);
        assert_eq!(target.numbers(), [1, 2, 3, 4, 5]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_target_says_when_to_come_back() {
    let target = Target::start(|number, _| match number {
        1 => Reply::Status(429, "retry-after: 1\r\n", Vec::new()),
        _ => Reply::status(200),
    })
    .await;
    let begun = Instant::now();
    completed(&send(&target, 1, json!({})).await.0);
    assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(target.got().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_with_the_time_out() {
    let target = Target::start(|number, _| match number {
        1 => Reply::Silence,
        2 => Reply::Later(Duration::from_millis(20), 200),
        _ => Reply::status(200),
    })
    .await;
    let (ended, bench) = send(&target, 2, json!({ "timeout": "300ms" })).await;
    completed(&ended);
    assert_eq!(target.numbers(), [1, 1, 2]);
    assert_eq!(bench.store.totals().counts.delivered, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_says_what_is_wrong_and_no_secret() {
    let target = Target::start(|_, request| {
        let quoted = request.header("authorization").unwrap_or_default().to_owned();
        Reply::Status(403, "", format!("you sent {quoted} and s3cret").into_bytes())
    })
    .await;
    let mut drawing = drawing(&target, 1, json!({ "token": "s3cret" }));
    drawing.0.give_up = Some(Duration::ZERO);
    let error = Bench::default().run(&drawing).await.unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Outage, "http.not_admitted"));
    assert!(error.message.contains("403") && !error.message.contains("s3cret"), "{error}");
    assert_eq!(target.got()[0].header("authorization"), Some("bearer s3cret"));
    let gone = json!({ "url": format!("http://{}/?key=s3cret", crate::testing::free_address()) });
    let mut drawing = super::drawing(&target, 1, gone);
    drawing.0.give_up = Some(Duration::ZERO);
    let error = Bench::default().run(&drawing).await.unwrap_err();
    assert_eq!(&*error.code, "http.unreachable");
    assert!(!error.cause().message.contains("s3cret"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_where_they_change_nothing() {
    let target = Target::start(|_, request| match request.line.as_str() {
        "POST /in" => Reply::Status(307, "location: /there\r\n", Vec::new()),
        _ => Reply::status(200),
    })
    .await;
    completed(&send(&target, 1, json!({ "redirects": "follow" })).await.0);
    let got = target.got();
    assert_eq!((got[1].line.as_str(), got[1].text().as_str()), ("POST /there", "{\"n\":1}"));

    let stranger = Target::willing().await;
    let to: &'static str = format!("location: {}\r\n", stranger.url("/")).leak();
    let target = Target::start(move |_, _| Reply::Status(308, to, Vec::new())).await;
    let mut drawing = drawing(&target, 1, json!({ "redirects": "follow" }));
    drawing.0.give_up = Some(Duration::ZERO);
    let error = Bench::default().run(&drawing).await.unwrap_err();
    assert_eq!(&*error.code, "http.redirected");
    assert!(stranger.got().is_empty(), "another host gets nothing");
}
