//! Components that read and write Apache Kafka, one file each; [`REGISTRY`] is what the runtime knows of them. What reads records between
//! tasks is the same source in another shape: [`stream_source`].

#[cfg(test)]
mod guarded;
mod kafka_sink;
mod kafka_source;
mod probing;
mod settings;
#[cfg(test)]
mod testing;

use fairway_engine::component::Component;

use kafka_sink::KafkaSink;
pub use kafka_sink::together;
use kafka_source::KafkaSource;
pub use kafka_source::stream_source;

/// All components of Kafka, by name.
pub const REGISTRY: &[Component] = &[
    Component::sink::<KafkaSink>().with_probe::<KafkaSink>(),
    Component::source::<KafkaSource>().with_probe::<KafkaSource>().with_sample::<KafkaSource>(),
];
