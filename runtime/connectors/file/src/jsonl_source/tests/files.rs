//! Lines while files come, grow, rotate, shrink and go (G5, G6).

use std::fs::OpenOptions;
use std::path::Path;

use fairway_engine::error::Kind;
use fairway_engine::source::Next;
use xxhash_rust::xxh3::xxh3_128;

use crate::testing::{Follower, append, folder, put, read, read_on, source};

const FOLLOW: &str = r#"{"path":"log/*.jsonl","follow":true}"#;

fn line(n: usize) -> String {
    format!("{{\"n\":{n}}}")
}

fn numbered(range: std::ops::Range<usize>) -> Vec<u8> {
    range.map(|n| line(n) + "\n").collect::<String>().into_bytes()
}

fn expected(count: usize) -> Vec<String> {
    (0..count).map(line).collect()
}

/// Rotation as logrotate does it by default: renamed, and a new file in its place.
#[tokio::test]
async fn a_log_is_followed_through_renames() {
    let dir = folder(&[("log/a.jsonl", &numbered(0..3))]);
    let mut source = Follower::open(dir.path(), "jsonl_source", FOLLOW).await;
    source.until(3).await;
    let at = |name: &str| dir.path().join("log").join(name);
    for turn in 0..3 {
        let from = 3 + turn * 4;
        // Written before, renamed, written by the old handle afterwards, and the new file, all between two looks.
        append(dir.path(), "log/a.jsonl", &numbered(from..from + 1));
        std::fs::rename(at("a.jsonl"), at(&format!("a.{turn}"))).unwrap();
        append(dir.path(), &format!("log/a.{turn}"), &numbered(from + 1..from + 2));
        put(dir.path(), "log/a.jsonl", &numbered(from + 2..from + 4));
        let mut lines = source.until(from + 4).await;
        lines.sort_unstable();
        let mut all = expected(from + 4);
        all.sort_unstable();
        assert_eq!(lines, all);
    }
    source.close().await;
}

/// Rotation by copying and truncating, with a copy that the glob does not see.
#[tokio::test]
async fn a_log_is_followed_through_truncation() {
    let dir = folder(&[("log/a.jsonl", &numbered(0..3))]);
    let mut source = Follower::open(dir.path(), "jsonl_source", FOLLOW).await;
    source.until(3).await;
    let path = dir.path().join("log/a.jsonl");
    for turn in 1..4 {
        std::fs::copy(&path, dir.path().join("log/a.old")).unwrap();
        OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
        // At once as long as before, so that its length says nothing; only what is written does.
        append(dir.path(), "log/a.jsonl", &numbered(turn * 3..turn * 3 + 3));
        assert_eq!(source.until(turn * 3 + 3).await, expected(turn * 3 + 3));
    }
    source.close().await;
}

/// Case 018: two globs, links and a folder in a circle.
#[cfg(unix)]
#[tokio::test]
async fn each_file_is_read_once_whatever_leads_to_it() {
    use std::os::unix::fs::symlink;
    let dir = folder(&[("in/a.jsonl", &numbered(0..3)), ("in/sub/b.jsonl", &numbered(3..5))]);
    symlink("a.jsonl", dir.path().join("in/link.jsonl")).unwrap();
    symlink(".", dir.path().join("in/loop")).unwrap();
    symlink("nowhere", dir.path().join("in/gone.jsonl")).unwrap();
    let config = r#"{"path":["in/*.jsonl","in/**/*.jsonl"]}"#;
    let run = read(dir.path(), "jsonl_source", config, &[]).await;
    assert_eq!(run.lines(), expected(5));
    assert_eq!(read(dir.path(), "jsonl_source", config, &run.last_marks()).await.rows, []);
}

/// Case 016: a file that took the inode or the name of another is read from its beginning.
#[tokio::test]
async fn other_content_is_another_file() {
    let dir = folder(&[("in/a.jsonl", &numbered(0..5))]);
    let config = r#"{"path":"in/*.jsonl"}"#;
    let first = read(dir.path(), "jsonl_source", config, &[]).await;
    put(dir.path(), "in/a.jsonl", &numbered(10..18));
    std::fs::rename(dir.path().join("in/a.jsonl"), dir.path().join("in/b.jsonl")).unwrap();
    let second = read(dir.path(), "jsonl_source", config, &first.last_marks()).await;
    assert_eq!(second.lines(), (10..18).map(line).collect::<Vec<_>>());
}

fn cut(path: &Path, length: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// A file cut while it is read: every whole line that is left goes on, no half one does, and the end is no success.
#[tokio::test]
async fn a_file_cut_while_it_is_read_is_said() {
    // Noise, which cannot be compressed: there must be much to cut off.
    let noise = |n: u64| format!("{:032x}{:032x}", xxh3_128(&n.to_le_bytes()), xxh3_128(&n.to_be_bytes()));
    let text: String = (0..50_000).map(|n| format!("{{\"n\":{n},\"t\":\"{}\"}}\n", noise(n))).collect();
    for compressed in [false, true] {
        let bytes = if compressed {
            zstd::encode_all(text.as_bytes(), 0).unwrap()
        } else {
            text.clone().into_bytes()
        };
        let dir = folder(&[("a.jsonl", &bytes), ("b.jsonl", b"{\"n\":-1}\n")]);
        let mut source =
            source(dir.path(), "jsonl_source", r#"{"path":"*.jsonl","batch":100}"#, &[]).await.unwrap();
        let Next::Batch(first) = source.next().await.unwrap() else { panic!("there is much to read") };
        let length = if compressed { bytes.len() as u64 / 2 } else { 3_000_000 };
        cut(&dir.path().join("a.jsonl"), length);
        let run = read_on(&mut *source).await;
        source.close().await;
        let fault = run.fault.as_ref().unwrap();
        let code = if compressed { "file.damaged" } else { "file.truncated" };
        assert_eq!((fault.kind, &*fault.code), (Kind::Data, code));
        assert!(fault.message.contains("`a.jsonl`"), "{}", fault.message);
        assert_eq!(run.faults(), []);
        assert_eq!(run.lines().last(), Some(&r#"{"n":-1}"#));
        if !compressed {
            let whole = text[..3_000_000].matches('\n').count();
            assert_eq!(first.rows() + run.lines().len(), whole + 1);
        }
    }
}

/// The folder of a glob goes and comes back with its files: said meanwhile, and nothing is read twice.
#[tokio::test]
async fn a_folder_that_vanishes_is_waited_for() {
    let dir = folder(&[("log/a.jsonl", &numbered(0..3))]);
    let mut source = Follower::open(dir.path(), "jsonl_source", FOLLOW).await;
    source.until(3).await;
    std::fs::rename(dir.path().join("log"), dir.path().join("away")).unwrap();
    let fault = source.until_fault().await;
    assert_eq!((fault.kind, &*fault.code), (Kind::Outage, "file.not_found"));
    assert!(fault.message.contains("`log`"), "{}", fault.message);
    append(dir.path(), "away/a.jsonl", &numbered(3..4));
    std::fs::rename(dir.path().join("away"), dir.path().join("log")).unwrap();
    assert_eq!(source.until(4).await, expected(4));
    source.close().await;
    // Without waiting for more, a folder that is not there is a mistake in the settings.
    let missing = read(dir.path(), "jsonl_source", r#"{"path":"no/*.jsonl"}"#, &[]).await;
    assert_eq!(missing.fault.map(|fault| fault.kind), Some(Kind::Config));
}
