//! Components that read and write files, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `writing` | files that hold their own positions: side file, commits, recovery; shared by all file sinks |

mod fault;
mod file_id;
mod jsonl_sink;
#[cfg(test)]
mod testing;
mod writing;

use fairway_engine::component::Component;

/// All components of files, by name.
pub const REGISTRY: &[Component] = &[Component::sink::<jsonl_sink::JsonlSink>()];
