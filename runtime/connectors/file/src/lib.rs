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
mod file_id;
mod jsonl_sink;
mod jsonl_source;
#[cfg(test)]
mod killed;
mod reading;
#[cfg(test)]
mod testing;
mod writing;

use csv_sink::CsvSink;
use csv_source::CsvSource;
use fairway_engine::component::Component;
use jsonl_sink::JsonlSink;
use jsonl_source::JsonlSource;

/// All components of files, by name.
pub const REGISTRY: &[Component] = &[
    Component::sink::<CsvSink>(),
    Component::source::<CsvSource>().with_probe::<CsvSource>().with_sample::<CsvSource>(),
    Component::sink::<JsonlSink>(),
    Component::source::<JsonlSource>().with_probe::<JsonlSource>().with_sample::<JsonlSource>(),
];

#[cfg(test)]
mod tests {
    #[test]
    fn components_describe_themselves() {
        fairway_engine::testkit::describe_themselves(super::REGISTRY);
    }
}
