//! Components that read and write files, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `reading` | files as sources: globs, encodings, positions, growth; shared by all file sources |
//! | `writing` | files that hold their own positions: side file, commits, recovery; shared by all file sinks |

mod csv_source;
mod fault;
mod file_id;
mod jsonl_sink;
mod reading;
#[cfg(test)]
mod testing;
mod writing;

use fairway_engine::component::Component;

/// All components of files, by name.
pub const REGISTRY: &[Component] =
    &[Component::source::<csv_source::CsvSource>(), Component::sink::<jsonl_sink::JsonlSink>()];

#[cfg(test)]
mod tests {
    #[test]
    fn components_describe_themselves() {
        fairway_engine::testkit::describe_themselves(super::REGISTRY);
    }
}
