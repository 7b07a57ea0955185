//! What holds for a whole channel. Each default is written once, here.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::Extra;

/// Settings of a channel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Settings {
    /// What joins two tasks.
    pub stream: StreamChoice,
    /// The least guarantee the user accepts; a plan below it is refused.
    pub delivery: Guarantee,
    /// What becomes of records that a node refuses.
    pub errors: ErrorSettings,
    /// Unknown fields.
    pub extra: Extra,
}

/// What joins two tasks of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamChoice {
    /// `direct` without a broker, `topic` on a cluster with one.
    #[default]
    Auto,
    /// In one process, acknowledged end to end.
    Direct,
    /// Through a Kafka topic.
    Topic,
}

/// A promise about how often a record arrives, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guarantee {
    /// Never lost; may arrive twice after a crash.
    #[default]
    AtLeastOnce,
    /// Twice writes what once writes (by key).
    Idempotent,
    /// Once, whatever crashes.
    ExactlyOnce,
}

/// What becomes of records that a node refuses.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ErrorSettings {
    /// Where refused records go when the errors port is not wired.
    pub policy: ErrorPolicy,
    /// How often one record is tried.
    pub retry: Retry,
    /// Unknown fields.
    pub extra: Extra,
}

/// Where refused records go when the errors port is not wired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorPolicy {
    /// Into the channel's dead-letter store.
    #[default]
    DeadLetter,
    /// Nowhere: the channel stops with the error.
    Stop,
    /// They are dropped and counted.
    Drop,
}

/// How often one record is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Most tries for one record that its target refuses, the first included.
    pub max_attempts: u32,
    /// Unknown fields.
    pub extra: Extra,
}

impl Default for Retry {
    fn default() -> Self {
        Self { max_attempts: 5, extra: Map::new() }
    }
}
