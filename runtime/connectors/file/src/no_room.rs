//! Targets of files where there is no more room: said as an outage, and nothing is lost once there is room again (I1).

use std::path::Path;
use std::process::Command;

use fairway_engine::error::Kind;
use fairway_engine::position::StreamKey;
use fairway_engine::sink::Group;
#[cfg(target_os = "linux")]
use fairway_engine::testkit::SmallDisk;

use crate::testing::{Opening, batch, deliver, lines, mark, text_of};

/// Where the child writes.
const PLACE: &str = "FAIRWAY_NO_ROOM_PLACE";
const PLAIN: &str = r#"{"path":"out/a.jsonl"}"#;
const SERIES: &str = r#"{"path":"out/a-{n}.jsonl","roll_size":"20KiB"}"#;
const COUNT: usize = 4000;

/// Not a test of its own: writes in a process that may not make files longer than 32 KiB or so.
#[cfg(unix)]
#[tokio::test]
#[ignore = "started by the test that takes its room away"]
async fn child() {
    let Ok(place) = std::env::var(PLACE) else { return };
    let lines = lines(COUNT);
    let mut sink = Opening { root: Path::new(&place), uid: "u1", generation: 1 }
        .sink("jsonl_sink", PLAIN)
        .await
        .unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    for start in (0..COUNT).step_by(100) {
        let batches = [batch(&lines[start..start + 100], start as u64)];
        let marks = [mark("", start as u64 + 100)];
        // As the engine does: the same group again after an outage.
        for attempt in 0..3 {
            let Err(error) = sink.deliver(Group { batches: &batches, marks: &marks }).await else { break };
            assert_eq!((error.kind, &*error.code), (Kind::Outage, "file.too_large"), "{error:?}");
            assert!(error.help.is_some());
            if attempt == 2 {
                println!("full behind {start}");
                return sink.close().await.unwrap();
            }
        }
    }
    panic!("there was room for everything");
}

#[cfg(unix)]
#[tokio::test]
async fn a_full_place_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    // The signal that comes with it would end the process; a server ignores it in the same way.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 64; exec \"$0\" no_room::child --exact --ignored --nocapture"])
        .arg(std::env::current_exe().unwrap())
        .env(PLACE, dir.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let full = told.lines().filter_map(|line| line.strip_prefix("full behind ")).next();
    let full: usize = full.unwrap_or_else(|| panic!("{told}")).parse().unwrap();
    assert!(output.status.success(), "{told}");
    // What is there is whole lines up to the last commit; the rest comes now.
    let lines = lines(COUNT);
    let path = dir.path().join("out/a.jsonl");
    assert!(std::fs::read_to_string(&path).unwrap() == text_of(&lines[..full]), "behind {full}");
    let at = |generation| Opening { root: dir.path(), uid: "u1", generation };
    let mut sink = at(2).sink("jsonl_sink", PLAIN).await.unwrap();
    let adopted = deliver(&mut *sink, &lines, 500, COUNT).await;
    assert_eq!(adopted.map(|position| position.order), Some(full as u64));
    assert!(std::fs::read_to_string(&path).unwrap() == text_of(&lines));
}

/// The folder of a target vanishes: nothing is written elsewhere, and the channel waits for the user.
#[tokio::test]
async fn a_folder_that_vanishes_holds_the_channel() {
    let dir = tempfile::tempdir().unwrap();
    let lines = lines(300);
    for config in [PLAIN, SERIES] {
        let mut sink =
            Opening { root: dir.path(), uid: "u1", generation: 1 }.sink("jsonl_sink", config).await.unwrap();
        deliver(&mut *sink, &lines, 100, 100).await;
        std::fs::rename(dir.path().join("out"), dir.path().join("away")).unwrap();
        let (batches, marks) = ([batch(&lines[100..200], 100)], [mark("", 200)]);
        let error = sink.deliver(Group { batches: &batches, marks: &marks }).await.map(drop).unwrap_err();
        assert_eq!((error.kind, &*error.code), (Kind::Hold, "file.changed"));
        assert!(!dir.path().join("out").exists());
        std::fs::rename(dir.path().join("away"), dir.path().join("out")).unwrap();
        deliver(&mut *sink, &lines, 100, 300).await;
        sink.close().await.unwrap();
    }
    assert!(std::fs::read_to_string(dir.path().join("out/a.jsonl")).unwrap() == text_of(&lines));
}

/// A disk that is full is said to be; with room made the same records go on, and the file is what it would have been.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("out");
    let Some(disk) = SmallDisk::mount(&place, 256) else { return };
    let lines = lines(40_000);
    let mut sink =
        Opening { root: dir.path(), uid: "u1", generation: 1 }.sink("jsonl_sink", PLAIN).await.unwrap();
    sink.adopt(&StreamKey::straight("in", "")).await.unwrap();
    let mut outages = 0;
    for start in (0..lines.len()).step_by(500) {
        let batches = [batch(&lines[start..start + 500], start as u64)];
        let marks = [mark("", start as u64 + 500)];
        while let Err(error) = sink.deliver(Group { batches: &batches, marks: &marks }).await {
            assert_eq!((error.kind, &*error.code), (Kind::Outage, "file.disk_full"), "{error:?}");
            assert!(error.help.is_some());
            outages += 1;
            // The first two tries find it full, as they would for as long as it is.
            if outages == 2 {
                assert!(disk.grow());
            }
            assert!(outages < 10, "behind {start}");
        }
    }
    assert!(outages >= 2, "there was room for everything");
    sink.close().await.unwrap();
    assert!(std::fs::read_to_string(place.join("a.jsonl")).unwrap() == text_of(&lines));
}
