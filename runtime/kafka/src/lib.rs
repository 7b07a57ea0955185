//! Kafka clients: the one crate that knows rdkafka.
