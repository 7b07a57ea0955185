use std::io::{Read, Write};
use std::path::Path;

use fairway_engine::component::Opener;
use fairway_engine::error::Kind;
use fairway_engine::files::Files;
use fairway_engine::position::StreamKey;
use fairway_engine::sink::{Group, SinkCtx};
use flate2::read::MultiGzDecoder;

use crate::testing::{Opening, batch, component, deliver, lines, mark, text_of};

const PLAIN: &str = r#"{"path":"out/a.jsonl"}"#;

fn at(root: &Path, generation: u64) -> Opening<'_> {
    Opening { root, uid: "u1", generation }
}

fn read(root: &Path, name: &str) -> String {
    std::fs::read_to_string(root.join(name)).unwrap()
}

fn append(path: &Path, bytes: &[u8]) {
    std::fs::OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[tokio::test]
async fn batch_sizes_give_one_file() {
    let lines = lines(110);
    for size in [1, 2, 100] {
        let dir = tempfile::tempdir().unwrap();
        let mut sink = at(dir.path(), 1).sink("jsonl_sink", PLAIN).await.unwrap();
        assert_eq!(deliver(&mut *sink, &lines, size, 110).await, None);
        sink.close().await.unwrap();
        assert_eq!(read(dir.path(), "out/a.jsonl"), text_of(&lines));
    }
}

/// A crash at any point of a commit leaves either all of it or nothing: simulated by what each step leaves behind.
#[tokio::test]
async fn a_killed_writer_goes_on_exactly_where_it_was() {
    let lines = lines(100);
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out/a.jsonl");
    let side = dir.path().join("out/a.jsonl.fairway");
    let mut done = 0;
    for (generation, debris) in [(1, &b""[..]), (2, b"{\"half\":"), (3, b"{\"whole\":1}\n{\"un"), (4, b"")] {
        let mut sink = at(dir.path(), generation).sink("jsonl_sink", PLAIN).await.unwrap();
        let adopted = deliver(&mut *sink, &lines, 7, done + 25).await;
        assert_eq!(adopted.map_or(0, |position| position.order as usize), done);
        done += 25;
        // Killed: the object goes away without being closed, with data written and a line of the side file torn.
        drop(sink);
        append(&file, debris);
        append(&side, &debris[..debris.len() / 2]);
    }
    let mut sink = at(dir.path(), 5).sink("jsonl_sink", PLAIN).await.unwrap();
    assert_eq!(deliver(&mut *sink, &lines, 7, 100).await.map(|position| position.order), Some(100));
    assert_eq!(read(dir.path(), "out/a.jsonl"), text_of(&lines));
}

#[tokio::test]
async fn a_commit_of_unknown_outcome_is_not_written_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", PLAIN).await.unwrap();
    let (batches, marks) = ([batch(&lines(3), 0)], [mark("", 3)]);
    sink.adopt(&marks[0].stream).await.unwrap();
    for _ in 0..2 {
        sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap();
    }
    assert_eq!(read(dir.path(), "out/a.jsonl"), text_of(&lines(3)));
}

#[tokio::test]
async fn many_streams_and_commits_survive_the_side_file_being_written_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", PLAIN).await.unwrap();
    let long = "x".repeat(20_000);
    for partition in ["a", "b"] {
        assert_eq!(sink.adopt(&StreamKey::straight("in", partition)).await.unwrap(), None);
    }
    for order in 1..=100 {
        let mut marks = [mark("a", order), mark("b", order * 2)];
        marks[0].position.token = serde_json::json!(long);
        sink.deliver(Group { batches: &[batch(&lines(1), order)], marks: &marks }).await.unwrap();
    }
    drop(sink);
    let side = std::fs::metadata(dir.path().join("out/a.jsonl.fairway")).unwrap().len();
    assert!(side < 1 << 20, "{side} bytes");
    let mut sink = at(dir.path(), 2).sink("jsonl_sink", PLAIN).await.unwrap();
    for (partition, order) in [("a", 100), ("b", 200)] {
        let position = sink.adopt(&StreamKey::straight("in", partition)).await.unwrap();
        assert_eq!(position.map(|position| position.order), Some(order));
    }
    assert_eq!(sink.adopt(&StreamKey::straight("in", "c")).await.unwrap(), None);
    assert_eq!(read(dir.path(), "out/a.jsonl").lines().count(), 100);
}

#[tokio::test]
async fn one_writer_at_a_time_and_no_older_one_after_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut newer = at(dir.path(), 5).sink("jsonl_sink", PLAIN).await.unwrap();
    deliver(&mut *newer, &lines(5), 5, 5).await;
    let second = at(dir.path(), 6).sink("jsonl_sink", PLAIN).await.map(|_| ()).unwrap_err();
    assert_eq!((second.kind, &*second.code), (Kind::Outage, "file.locked"));
    drop(newer);
    let mut older = at(dir.path(), 4).sink("jsonl_sink", PLAIN).await.unwrap();
    let fenced = older.adopt(&StreamKey::straight("in", "")).await.unwrap_err();
    assert_eq!(fenced.kind, Kind::Fenced);
}

/// Nothing is written outside the root, whatever links stand where the sink's own files will be.
#[cfg(unix)]
#[tokio::test]
async fn links_lead_no_file_of_a_sink_out_of_the_root() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let (root, outside) = (dir.path().join("root"), dir.path().join("outside"));
    std::fs::create_dir_all(root.join("out")).unwrap();
    std::fs::create_dir_all(&outside).unwrap();
    let open = || async {
        let Opener::Sink(open) = component("jsonl_sink").opener else { panic!("it is a sink") };
        let files = Files::confined(&root);
        let cx = SinkCtx { uid: "u1".into(), node: "out".into(), generation: 1, share: None, files };
        open(serde_json::from_str(PLAIN).unwrap(), cx).await
    };
    for name in ["a.jsonl", "a.jsonl.fairway"] {
        symlink(outside.join("new"), root.join("out").join(name)).unwrap();
        let error = open().await.map(|_| ()).unwrap_err();
        assert_eq!(&*error.code, "file.outside_root", "{name}");
        std::fs::remove_file(root.join("out").join(name)).unwrap();
    }
    std::fs::write(outside.join("theirs"), "theirs").unwrap();
    symlink(outside.join("theirs"), root.join("out/a.jsonl.fairway.new")).unwrap();
    let mut sink = open().await.unwrap();
    deliver(&mut *sink, &lines(5), 5, 5).await;
    sink.close().await.unwrap();
    assert_eq!(read(&root, "out/a.jsonl"), text_of(&lines(5)));
    assert_eq!(std::fs::read_to_string(outside.join("theirs")).unwrap(), "theirs");
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1, "nothing new outside");
}

#[tokio::test]
async fn a_file_that_went_back_waits_for_the_user() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("out/a.jsonl");
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", PLAIN).await.unwrap();
    deliver(&mut *sink, &lines(5), 5, 5).await;
    let hold = |result: Result<(), fairway_engine::Error>| {
        let error = result.unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "file.changed"));
        error.message
    };

    // While it is open: replaced, as a rotation does.
    std::fs::rename(&file, dir.path().join("out/b.jsonl")).unwrap();
    std::fs::write(&file, text_of(&lines(9))).unwrap();
    let (batches, marks) = ([batch(&lines(1), 5)], [mark("", 6)]);
    let message = hold(sink.deliver(Group { batches: &batches, marks: &marks }).await.map(|_| ()));
    assert!(message.contains("replaced"), "{message}");
    drop(sink);
    let message = hold(at(dir.path(), 2).sink("jsonl_sink", PLAIN).await.map(|_| ()));
    assert!(message.contains("replaced"), "{message}");
    // Put back, it goes on; shorter or gone, it does not.
    std::fs::rename(dir.path().join("out/b.jsonl"), &file).unwrap();
    drop(at(dir.path(), 3).sink("jsonl_sink", PLAIN).await.unwrap());
    let whole = std::fs::read(&file).unwrap();
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(3).unwrap();
    let message = hold(at(dir.path(), 4).sink("jsonl_sink", PLAIN).await.map(|_| ()));
    assert!(message.contains("shorter"), "{message}");
    std::fs::remove_file(&file).unwrap();
    let message = hold(at(dir.path(), 5).sink("jsonl_sink", PLAIN).await.map(|_| ()));
    assert!(message.contains("vanished"), "{message}");

    // Another channel has no promises there: it begins anew with what it finds.
    std::fs::write(&file, &whole).unwrap();
    let mut other =
        Opening { root: dir.path(), uid: "u2", generation: 1 }.sink("jsonl_sink", PLAIN).await.unwrap();
    assert_eq!(deliver(&mut *other, &lines(1), 1, 1).await, None);
    assert_eq!(read(dir.path(), "out/a.jsonl"), text_of(&lines(5)) + &text_of(&lines(1)));
}

#[tokio::test]
async fn modes_decide_about_a_file_that_is_there() {
    let append = r#"{"path":"a.jsonl","mode":"append"}"#;
    let create = r#"{"path":"a.jsonl","mode":"create"}"#;
    let overwrite = r#"{"path":"a.jsonl","mode":"overwrite"}"#;
    let added = text_of(&lines(1));
    for (mode, before, after) in [
        (append, "{\"a\":1}\n", Some("{\"a\":1}\n")),
        (append, "{\"a\":1}\n{\"b\":2}", Some("{\"a\":1}\n{\"b\":2}\n")),
        (append, "{\"a\":1}\n{\"b\":", Some("{\"a\":1}\n")),
        (append, "{\"b\":", Some("")),
        (append, "\n\n", Some("\n\n")),
        (create, "", Some("")),
        (create, "x", None),
        (overwrite, "much that was there\n", Some("")),
    ] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.jsonl"), before).unwrap();
        let opened = at(dir.path(), 1).sink("jsonl_sink", mode).await;
        match (opened, after) {
            (Ok(mut sink), Some(after)) => {
                deliver(&mut *sink, &lines(1), 1, 1).await;
                assert_eq!(read(dir.path(), "a.jsonl"), format!("{after}{added}"), "{mode} {before:?}");
                drop(sink);
                // A second run of the same channel goes on in every mode.
                let mut sink = at(dir.path(), 2).sink("jsonl_sink", mode).await.unwrap();
                deliver(&mut *sink, &lines(2), 1, 2).await;
                assert_eq!(read(dir.path(), "a.jsonl"), format!("{after}{}", text_of(&lines(2))));
                drop(sink);
                // Another channel finds a file that is there.
                let other = Opening { root: dir.path(), uid: "u2", generation: 1 };
                let opened = other.sink("jsonl_sink", mode).await;
                assert_eq!(opened.is_err(), mode == create);
            }
            (Err(error), None) => {
                assert_eq!((error.kind, &*error.code), (Kind::Config, "file.exists"));
                assert_eq!(read(dir.path(), "a.jsonl"), before);
            }
            (opened, _) => panic!("{mode} {before:?}: {:?}", opened.map(|_| ())),
        }
    }
}

#[tokio::test]
async fn compressed_files_are_whole_at_every_commit() {
    for (compression, garbage) in
        [("gzip", &b"\x1f\x8b half a member"[..]), ("zstd", b"\x28\xb5\x2f\xfd half a frame")]
    {
        compressed(compression, garbage).await;
    }
}

async fn compressed(compression: &str, garbage: &[u8]) {
    let config = &format!(r#"{{"path":"a.jsonl.gz","compression":"{compression}"}}"#);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.jsonl.gz");
    let lines = lines(60);
    let unpacked = || {
        let mut text = String::new();
        let file = std::fs::File::open(&path).unwrap();
        match compression {
            "gzip" => MultiGzDecoder::new(file).read_to_string(&mut text).unwrap(),
            _ => zstd::Decoder::new(file).unwrap().read_to_string(&mut text).unwrap(),
        };
        text
    };
    for (generation, until) in [(1, 20), (2, 40), (3, 60)] {
        let mut sink = at(dir.path(), generation).sink("jsonl_sink", config).await.unwrap();
        deliver(&mut *sink, &lines, 9, until).await;
        assert_eq!(unpacked(), text_of(&lines[..until]));
        drop(sink);
        append(&path, garbage);
    }
    let plain = r#"{"path":"a.jsonl.gz"}"#;
    let error = at(dir.path(), 4).sink("jsonl_sink", plain).await.map(|_| ()).unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Config, "file.compression_changed"));
}

/// What another program adds is never cut off in silence: the channel waits for the user.
#[tokio::test]
async fn bytes_of_others_hold_the_channel() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("out/a.jsonl");
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", PLAIN).await.unwrap();
    deliver(&mut *sink, &lines(10), 5, 5).await;
    // While the sink has the file.
    append(&path, b"{\"theirs\":1}\n");
    let (batches, marks) = ([batch(&lines(1), 5)], [mark("", 6)]);
    let error = sink.deliver(Group { batches: &batches, marks: &marks }).await.map(drop).unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "file.foreign_bytes"));
    assert!(error.message.contains("13 bytes"), "{}", error.message);
    let theirs = format!("{}{{\"theirs\":1}}\n", text_of(&lines(5)));
    assert_eq!(read(dir.path(), "out/a.jsonl"), theirs);
    // Moved elsewhere by the user, it goes on.
    let length = theirs.len() as u64 - 13;
    let cut = || std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
    cut();
    assert_eq!(deliver(&mut *sink, &lines(5), 5, 5).await.map(|position| position.order), Some(5));
    // After the channel has let go of it.
    sink.close().await.unwrap();
    drop(sink);
    append(&path, b"{\"theirs\":2}\n");
    let error = at(dir.path(), 2).sink("jsonl_sink", PLAIN).await.map(drop).unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "file.foreign_bytes"));
    cut();
    let mut sink = at(dir.path(), 3).sink("jsonl_sink", PLAIN).await.unwrap();
    deliver(&mut *sink, &lines(10), 5, 10).await;
    // After a kill between two commits nobody can tell for sure: they are kept beside the file.
    drop(sink);
    let length = std::fs::metadata(&path).unwrap().len();
    append(&path, b"{\"theirs\":3}\n");
    let sink = at(dir.path(), 4).sink("jsonl_sink", PLAIN).await.unwrap();
    drop(sink);
    assert_eq!(read(dir.path(), "out/a.jsonl"), text_of(&lines(10)));
    assert_eq!(read(dir.path(), &format!("out/a.jsonl.{length}.cut")), "{\"theirs\":3}\n");
}

/// Files of a series in their order, with what is in them.
fn series(root: &Path) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = std::fs::read_dir(root.join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".jsonl"))
        .map(|name| (name.clone(), read(root, &format!("out/{name}"))))
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_series_rolls_by_records_and_by_size_however_records_are_grouped() {
    let lines = lines(25);
    for (limit, most) in [(r#""roll_records":10"#, 10), (r#""roll_size":"100B""#, 6)] {
        let config = format!(r#"{{"path":"out/a-{{n}}.jsonl",{limit}}}"#);
        let mut seen: Vec<Vec<(String, String)>> = Vec::new();
        for size in [1, 2, 7, 100] {
            let dir = tempfile::tempdir().unwrap();
            for (generation, until) in [(1, 12), (2, 25)] {
                let mut sink = at(dir.path(), generation).sink("jsonl_sink", &config).await.unwrap();
                deliver(&mut *sink, &lines, size, until).await;
            }
            seen.push(series(dir.path()));
        }
        assert!(seen.iter().all(|files| *files == seen[0]), "{seen:?}");
        let files = &seen[0];
        assert_eq!(files[0].0, "a-000001.jsonl");
        assert!(files.len() > 2 && files.iter().all(|(_, text)| text.lines().count() <= most), "{files:?}");
        assert_eq!(files.iter().map(|(_, text)| text.as_str()).collect::<String>(), text_of(&lines));
    }
}

/// A number that is taken is passed over, and the files that a commit began are taken back when it does not come about.
#[tokio::test]
async fn files_begun_without_a_commit_are_taken_back() {
    let lines = lines(40);
    let dir = tempfile::tempdir().unwrap();
    let config = r#"{"path":"out/a-{n}.jsonl","roll_records":10}"#;
    crate::testing::put(dir.path(), "out/a-000002.jsonl", b"of somebody else");
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", config).await.unwrap();
    deliver(&mut *sink, &lines, 5, 5).await;
    let before = std::fs::read(dir.path().join("out/a-{n}.jsonl.fairway")).unwrap();
    deliver(&mut *sink, &lines, 35, 40).await;
    drop(sink);
    let names: Vec<String> = series(dir.path()).into_iter().map(|(name, _)| name).collect();
    let expected = [1, 2, 3, 4, 5].map(|number| format!("a-{number:06}.jsonl"));
    assert_eq!(names, expected);
    // As if it had been killed before the commit was noted: at each line of the side file in between.
    let after = std::fs::read(dir.path().join("out/a-{n}.jsonl.fairway")).unwrap();
    let ends: Vec<usize> = (before.len()..after.len()).filter(|at| after[*at] == b'\n').collect();
    for end in &ends[..ends.len() - 1] {
        let copy = tempfile::tempdir().unwrap();
        std::fs::create_dir(copy.path().join("out")).unwrap();
        // Moved, not copied: files are told by their inodes.
        for entry in std::fs::read_dir(dir.path().join("out")).unwrap() {
            let name = entry.unwrap().file_name();
            std::fs::hard_link(dir.path().join("out").join(&name), copy.path().join("out").join(&name))
                .unwrap();
        }
        let side = copy.path().join("out/a-{n}.jsonl.fairway");
        std::fs::remove_file(&side).unwrap();
        std::fs::write(&side, &after[..=*end]).unwrap();
        let begun = after[before.len()..=*end].windows(6).filter(|part| part == b"\"roll\"").count();
        // Files that no line speaks of yet would be empty after a crash.
        for number in 3 + begun..=5 {
            std::fs::remove_file(copy.path().join(format!("out/a-{number:06}.jsonl"))).unwrap();
        }
        let mut sink = at(copy.path(), 2).sink("jsonl_sink", config).await.unwrap();
        assert_eq!(series(copy.path()).len(), 2, "{begun} begun");
        let adopted = deliver(&mut *sink, &lines, 7, 40).await;
        assert_eq!(adopted.map(|position| position.order), Some(5));
        let texts: Vec<String> = series(copy.path()).into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts[1], "of somebody else");
        assert_eq!([&texts[..1], &texts[2..]].concat().concat(), text_of(&lines));
        // The first file is shared with the next round.
        drop(sink);
        let first = text_of(&lines[..10]);
        assert_eq!(read(dir.path(), "out/a-000001.jsonl"), first);
    }
}

#[tokio::test]
async fn a_series_rolls_by_age_at_a_commit() {
    let dir = tempfile::tempdir().unwrap();
    let config = r#"{"path":"out/a-{n}.jsonl","roll_every":"1s"}"#;
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", config).await.unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    let mut order = 0;
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    while series(dir.path()).len() < 2 {
        assert!(std::time::Instant::now() < deadline);
        let (batches, marks) = ([batch(&lines(1), order)], [mark("", order + 1)]);
        sink.deliver(Group { batches: &batches, marks: &marks }).await.unwrap();
        order += 1;
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let files = series(dir.path());
    assert_eq!(files.iter().map(|(_, text)| text.lines().count() as u64).sum::<u64>(), order);
    assert!(files.iter().all(|(_, text)| !text.is_empty()));
}

/// Two names of one file are one file: the side file stands beside what a link leads to.
#[cfg(unix)]
#[tokio::test]
async fn a_link_is_no_second_file() {
    let dir = tempfile::tempdir().unwrap();
    crate::testing::put(dir.path(), "real/a.jsonl", b"");
    std::os::unix::fs::symlink("real/a.jsonl", dir.path().join("b.jsonl")).unwrap();
    let _first = at(dir.path(), 1).sink("jsonl_sink", r#"{"path":"real/a.jsonl"}"#).await.unwrap();
    let second = at(dir.path(), 1).sink("jsonl_sink", r#"{"path":"b.jsonl"}"#).await.map(drop).unwrap_err();
    assert_eq!(&*second.code, "file.locked");
}

#[tokio::test]
async fn what_is_no_file_of_data_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("folder")).unwrap();
    for (path, code) in [
        ("a.jsonl.fairway", "file.bad_settings"),
        ("folder", "file.not_regular"),
        ("/dev/null", "file.not_regular"),
    ] {
        // Nothing may be left beside a device.
        if path == "/dev/null" && !cfg!(target_os = "linux") {
            continue;
        }
        let error = at(dir.path(), 1)
            .sink("jsonl_sink", &format!(r#"{{"path":"{path}"}}"#))
            .await
            .map(drop)
            .unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Config, code), "{path}");
    }
    assert!(!Path::new("/dev/null.fairway").exists());
}

#[tokio::test]
async fn a_damaged_side_file_is_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let side = dir.path().join("out/a.jsonl.fairway");
    let mut sink = at(dir.path(), 1).sink("jsonl_sink", PLAIN).await.unwrap();
    deliver(&mut *sink, &lines(5), 1, 5).await;
    drop(sink);
    let mut bytes = std::fs::read(&side).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&side, bytes).unwrap();
    let error = at(dir.path(), 2).sink("jsonl_sink", PLAIN).await.map(|_| ()).unwrap_err();
    assert_eq!((error.kind, &*error.code), (Kind::Hold, "file.side_file_damaged"));
}

/// Cases 008 A and 031 C: digits and NUL survive.
#[tokio::test]
async fn values_are_written_as_they_are() {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("numbers", include_str!("../../../../../tests/cases/008-json-integers-beyond-2-53/input.jsonl")),
        ("nul", include_str!("../../../../../tests/cases/031-nul-in-text/input.jsonl")),
    ] {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut sink =
            at(dir.path(), 1).sink("jsonl_sink", &format!(r#"{{"path":"{name}"}}"#)).await.unwrap();
        deliver(&mut *sink, &lines, 2, lines.len()).await;
        assert_eq!(read(dir.path(), name), text);
    }
}
