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
    use fairway_shared::form;

    use super::REGISTRY;

    #[test]
    fn components_describe_themselves() {
        assert!(REGISTRY.is_sorted_by_key(|component| component.meta.name));
        for component in REGISTRY {
            let spec = component.spec();
            let none: Vec<String> = Vec::new();
            assert_eq!(form::subset_faults(&spec.config_schema), none, "{}", spec.name);
            assert_eq!(form::help_faults(&spec.config_schema), none, "{}", spec.name);
            for example in &spec.examples {
                assert_eq!(component.check(&example.config).unwrap(), [], "{}: {}", spec.name, example.title);
            }
        }
    }
}
