//! Components that read and write files, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `reading` | files as sources: globs, encodings, positions, growth; shared by all file sources |
//! | `writing` | files that hold their own positions: side file, commits, recovery; shared by all file sinks |

mod csv_marks;
mod csv_sink;
mod csv_source;
mod fault;
mod jsonl_sink;
mod jsonl_source;
#[cfg(test)]
mod killed;
#[cfg(test)]
mod no_room;
mod reading;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod torture;
mod writing;

use csv_sink::CsvSink;
use csv_source::CsvSource;
use fairway_engine::component::Component;
use jsonl_sink::JsonlSink;
use jsonl_source::JsonlSource;
use reading::Paths;
use serde::Deserialize;
use serde_json::Value;

/// All components of files, by name.
pub const REGISTRY: &[Component] = &[
    Component::sink::<CsvSink>(),
    Component::source::<CsvSource>().with_probe::<CsvSource>().with_sample::<CsvSource>(),
    Component::sink::<JsonlSink>(),
    Component::source::<JsonlSource>().with_probe::<JsonlSource>().with_sample::<JsonlSource>(),
];

/// Whether a source of files would read what a sink of files writes, by the texts of their `path` settings: links and other
/// ways to one file are not seen.
pub fn reads_what_it_writes(source: &Value, sink: &Value) -> bool {
    let (Ok(paths), Some(path)) = (Paths::deserialize(source), sink.as_str()) else { return false };
    let files = writing::examples(path);
    paths
        .patterns()
        .is_ok_and(|patterns| patterns.iter().any(|pattern| files.iter().any(|file| pattern.leads_to(file))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::reads_what_it_writes;

    #[test]
    fn components_describe_themselves() {
        fairway_engine::testkit::describe_themselves(super::REGISTRY);
    }

    #[test]
    fn a_source_that_reads_a_target_is_seen() {
        for (source, sink, reads) in [
            (json!("a.csv"), "a.csv", true),
            (json!("./out/a.csv"), "out//a.csv", true),
            (json!(["in/*", "out/*.csv"]), "out/a.csv", true),
            (json!("out/*.csv"), "out/a-{time}-{n}.csv", true),
            (json!("out/a-000002.csv"), "out/a-{n}.csv", true),
            (json!("in/*.csv"), "out/a.csv", false),
            (json!("out/b-*.csv"), "out/a-{n}.csv", false),
            (json!(7), "a.csv", false),
        ] {
            assert_eq!(reads_what_it_writes(&source, &json!(sink)), reads, "{source} {sink}");
        }
    }
}
