//! What becomes of records when files come, grow, move and go (G5, G6).

use fairway_engine::source::Next;
use flate2::write::GzEncoder;

use super::*;
use crate::testing::Follower;

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn rows(count: usize) -> Vec<u8> {
    let mut text = b"n,t\n".to_vec();
    (0..count).for_each(|n| text.extend_from_slice(format!("{n},text {n}\n").as_bytes()));
    text
}

#[tokio::test]
async fn compressed_files_are_read_whole() {
    let text = rows(120);
    let mut members = gzip(&text[..600]);
    members.extend_from_slice(&gzip(&text[600..]));
    let frames = zstd::encode_all(&text[..], 3).unwrap();
    let plain = csv(&[("a.csv", &text)], INFER).await;
    assert_eq!(plain.lines().len(), 120);
    for bytes in [gzip(&text), members, frames] {
        let run = csv(&[("a.csv", &bytes)], INFER).await;
        assert_eq!(run.rows, plain.rows);
        assert!(run.fault.is_none());
    }
    let utf16: Vec<u8> =
        std::str::from_utf8(&text).unwrap().encode_utf16().flat_map(u16::to_le_bytes).collect();
    let utf16 = [&b"\xff\xfe"[..], &utf16].concat();
    assert_eq!(csv(&[("a.csv", &gzip(&utf16))], INFER).await.rows, plain.rows);
}

#[tokio::test]
async fn damaged_files_are_faults_after_everything_else_is_read() {
    let text = rows(50_000);
    let packed = gzip(&text);
    let mut garbage = gzip(&rows(2));
    garbage.extend_from_slice(b"no member");
    for (bytes, least) in
        [(&packed[..packed.len() / 2], 10_000), (&packed[..packed.len() - 1], 40_000), (&garbage, 2)]
    {
        let dir = folder(&[("a.csv", bytes), ("b.csv", &rows(3))]);
        let run = read(dir.path(), "csv_source", INFER, &[]).await;
        let of = |partition: &str| run.rows.iter().filter(|row| row.partition == partition).count();
        assert!(of("a.csv") >= least, "{} rows", of("a.csv"));
        assert_eq!((of("b.csv"), run.faults().len()), (3, 0));
        let fault = run.fault.as_ref().unwrap();
        assert_eq!((fault.kind, &*fault.code), (Kind::Data, "file.damaged"));
        assert!(fault.message.contains("a.csv"), "{}", fault.message);
        // Mended, the file is read on from where it broke off.
        if bytes.len() < packed.len() && least > 2 {
            put(dir.path(), "a.csv", &packed);
            let rest = read(dir.path(), "csv_source", INFER, &run.last_marks()).await;
            assert_eq!(of("a.csv") + rest.rows.len(), 50_000);
            assert!(rest.fault.is_none());
        }
    }
}

/// Case 017: files that begin alike, or are alike, are files of their own.
#[tokio::test]
async fn equal_beginnings_are_not_equal_files() {
    let dir = folder(&[
        ("a.csv", case!("017-files-with-the-same-beginning/a.csv")),
        ("b.csv", case!("017-files-with-the-same-beginning/b.csv")),
        ("c.csv", case!("017-files-with-the-same-beginning/c.csv")),
    ]);
    let run = read(dir.path(), "csv_source", TEXT, &[]).await;
    let count = |run: &Run, partition: &str| run.rows.iter().filter(|row| row.partition == partition).count();
    assert_eq!(["a.csv", "b.csv", "c.csv"].map(|name| count(&run, name)), [7, 8, 7]);
    assert_eq!(read(dir.path(), "csv_source", TEXT, &run.last_marks()).await.rows, []);
    std::fs::copy(dir.path().join("b.csv"), dir.path().join("d.csv")).unwrap();
    let third = read(dir.path(), "csv_source", TEXT, &run.last_marks()).await;
    assert_eq!((third.rows.len(), count(&third, "d.csv")), (8, 8));
}

/// Case 016: an inode or a name used again is not the old file.
#[tokio::test]
async fn other_content_is_another_file() {
    let old = rows(5);
    let mut new = b"n,t\n".to_vec();
    (0..8).for_each(|n| new.extend_from_slice(format!("{n},other {n}\n").as_bytes()));
    for (name, partition) in [("b.csv", "b.csv"), ("a.csv", "a.csv#2")] {
        let dir = folder(&[("a.csv", &old)]);
        let first = read(dir.path(), "csv_source", INFER, &[]).await;
        // Rewritten in place and renamed: the inode is the same for sure.
        put(dir.path(), "a.csv", &new);
        std::fs::rename(dir.path().join("a.csv"), dir.path().join(name)).unwrap();
        let second = read(dir.path(), "csv_source", INFER, &first.last_marks()).await;
        assert_eq!(second.rows.len(), 8);
        assert!(second.rows.iter().all(|row| row.partition == partition), "{:?}", second.rows[0]);
        let marks: Vec<_> = first.last_marks().into_iter().chain(second.last_marks()).collect();
        assert_eq!(read(dir.path(), "csv_source", INFER, &marks).await.rows, []);
    }
}

#[tokio::test]
async fn rotation_loses_and_repeats_nothing() {
    let dir = folder(&[("log.csv", &rows(5))]);
    let config = r#"{"path":"log*.csv"}"#;
    let first = read(dir.path(), "csv_source", config, &[]).await;
    // Five more lines, then rotated; a new file begins like the old one.
    append(dir.path(), "log.csv", b"5,late\n6,late\n");
    std::fs::rename(dir.path().join("log.csv"), dir.path().join("log.1.csv")).unwrap();
    put(dir.path(), "log.csv", &rows(7));
    let second = read(dir.path(), "csv_source", config, &first.last_marks()).await;
    let found: Vec<(&str, &str)> =
        second.rows.iter().map(|row| (row.partition.as_str(), row.line.as_str())).collect();
    assert_eq!(found[..2], [("log.csv", r#"{"n":5,"t":"late"}"#), ("log.csv", r#"{"n":6,"t":"late"}"#)]);
    assert_eq!(found.len(), 9);
    assert!(found[2..].iter().all(|(partition, _)| *partition == "log.csv#2"));
}

#[tokio::test]
async fn a_growing_file_is_followed() {
    let dir = folder(&[("a.csv", b"n,t\n1,a\n2,ha")]);
    let config = r#"{"path":"*.csv","follow":true}"#;
    let mut source = Follower::open(dir.path(), "csv_source", config).await;
    assert_eq!(source.until(1).await, [r#"{"n":1,"t":"a"}"#]);
    // A half-written line waits for its end.
    append(dir.path(), "a.csv", b"lf\n3,\"c");
    assert_eq!(source.until(2).await[1], r#"{"n":2,"t":"half"}"#);
    // A new file, the rest of the line, and a rotation all at once.
    append(dir.path(), "a.csv", b"\n\"\n4,d\n");
    put(dir.path(), "b.csv", b"n,t\n9,new\n");
    std::fs::rename(dir.path().join("a.csv"), dir.path().join("a.old")).unwrap();
    put(dir.path(), "a.csv", b"n,t\n5,e\n");
    let found = source.until(6).await;
    let mut rest: Vec<&str> = found[2..].iter().map(String::as_str).collect();
    rest.sort_unstable();
    assert_eq!(
        rest,
        [r#"{"n":3,"t":"c\n"}"#, r#"{"n":4,"t":"d"}"#, r#"{"n":5,"t":"e"}"#, r#"{"n":9,"t":"new"}"#]
    );
    // Truncated and written anew.
    put(dir.path(), "b.csv", b"n,t\n7,x\n");
    assert_eq!(source.until(7).await[6], r#"{"n":7,"t":"x"}"#);
    source.close().await;
}

#[tokio::test]
async fn the_rest_of_a_line_taken_for_whole_is_refused() {
    let dir = folder(&[("a.csv", b"n\n1\n22")]);
    let first = read(dir.path(), "csv_source", TEXT, &[]).await;
    assert_eq!(first.lines(), [r#"{"n":"1"}"#, r#"{"n":"22"}"#]);
    let marks = first.last_marks();
    append(dir.path(), "a.csv", b"33\n4\n");
    let second = read(dir.path(), "csv_source", TEXT, &marks).await;
    assert_eq!(second.lines(), [r#"{"n":"4"}"#]);
    assert_eq!(second.faults()[0].0, "csv.torn_row");
    // If it was only the line end that came late, nothing is wrong.
    put(dir.path(), "a.csv", b"n\n1\n22\r\n4\n");
    let second = read(dir.path(), "csv_source", TEXT, &marks).await;
    assert_eq!((second.lines(), second.faults()), (vec![r#"{"n":"4"}"#], vec![]));
}

#[tokio::test]
async fn a_read_that_is_given_up_is_not_lost() {
    let dir = folder(&[("a.csv", &rows(500))]);
    let mut source = source(dir.path(), "csv_source", r#"{"path":"a.csv","batch":10}"#, &[]).await.unwrap();
    let mut run = Run::default();
    for turn in 0.. {
        // Polled once and dropped, as a pause does; in every other turn not even polled.
        let mut early = None;
        if turn % 2 == 0 {
            early = poll_once(source.next()).await;
        }
        let next = match early {
            Some(next) => next,
            None => source.next().await,
        };
        match next.unwrap() {
            Next::Batch(polled) => run.add(polled),
            _ => break,
        }
    }
    let lines: Vec<String> = (0..500).map(|n| format!(r#"{{"n":{n},"t":"text {n}"}}"#)).collect();
    assert_eq!(run.lines(), lines);
}

/// Polls a future once and drops it; `Some` if it was done at once.
async fn poll_once<F: Future>(future: F) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
