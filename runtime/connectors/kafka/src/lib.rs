//! Components that read and write Apache Kafka, one file each; [`REGISTRY`] is what the runtime knows of them.

use fairway_engine::component::Component;

/// All components of Kafka, by name.
pub const REGISTRY: &[Component] = &[];
