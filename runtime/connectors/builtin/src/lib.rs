//! Components that need no outside system, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! They are for trying things out: records made up as they are needed, shown in the log, or let go.

mod discard_sink;
mod generate_source;
mod log_sink;
#[cfg(test)]
mod testing;

use fairway_engine::component::Component;

/// All of them, by name.
pub const REGISTRY: &[Component] = &[
    Component::sink::<discard_sink::DiscardSink>(),
    Component::source::<generate_source::GenerateSource>(),
    Component::sink::<log_sink::LogSink>(),
];
