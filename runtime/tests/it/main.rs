//! Tests of the runtime from outside.
//!
//! | Folder or file | Holds |
//! |---|---|
//! | `conformance` | what every backend of the services owes |
//! | `components` | what every component owes, and the pages written from the code |
//! | `compile` | plans: laws and examples |
//! | `laws` | the laws of sources and targets, held against every component |
//! | `large` | a channel of ten thousand tasks, through the real topics |
//! | `full_store` | a store on a disk that was full for a moment |
//! | `house` | a controller with components in memory, over a data directory that can be opened again |
//! | `joined` | channels whose tasks are joined by streams |
//! | `drafts` | create, save, delete, import, export |
//! | `running` | deploy, target states, restarts, positions |
//! | `replay` | dead letters that are tried again |
//! | `schedules` | channels that run at set times, by a clock that the test holds |
//! | `seats` | workers of a cluster on a real broker: who runs what, and what follows when one dies |
//! | `streams` | records between tasks, on a real broker: kills at hand-overs, slow targets, what may be deleted |
//! | `taps` | looks at records that pass an edge |
//! | `room` | components that hold on to their threads |
//! | `faults` | the table of faults in the book names tests that there are |
//! | `trials` | previews and tests of connections |
//! | `process` | the binary: exit codes, signals, `kill -9` |
//! | `api` | the same over HTTP, and who may call |

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod api;
mod compile;
mod components;
mod conformance;
mod drafts;
mod faults;
#[cfg(target_os = "linux")]
mod full_store;
mod house;
mod joined;
mod large;
mod laws;
mod process;
mod replay;
mod room;
mod running;
mod schedules;
mod seats;
mod streams;
mod taps;
mod trials;

/// Compares a file of the repository with what it must hold; with `UPDATE=1` in the environment it is written instead.
fn committed(path: &str, expected: &str) {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    if std::env::var_os("UPDATE").is_some_and(|update| update == "1") {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, expected).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{path} is not what the code says; run the test with UPDATE=1 and look at the change"
    );
}
