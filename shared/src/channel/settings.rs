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
    /// When it runs; as long as it is deployed without one.
    pub schedule: Option<Box<Schedule>>,
    /// Unknown fields.
    pub extra: Extra,
}

/// When a channel runs: at each time once, until its sources have ended or caught up.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Five cron words: minute, hour, day of the month, month, day of the week.
    pub cron: String,
    /// IANA time zone that the words are meant in.
    pub timezone: String,
    /// What becomes of a time at which Fairway did not run.
    pub missed: Missed,
    /// Unknown fields.
    pub extra: Extra,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { cron: String::new(), timezone: "UTC".into(), missed: Missed::default(), extra: Map::new() }
    }
}

/// What becomes of a scheduled time at which Fairway did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Missed {
    /// The channel runs once as soon as it can, however many times were missed.
    #[default]
    RunOnce,
    /// It waits for the next time.
    Skip,
}

impl Missed {
    /// All choices with their words in documents.
    pub const ALL: &[(&str, Self)] = &[("run_once", Self::RunOnce), ("skip", Self::Skip)];

    /// The word of documents.
    pub fn as_str(self) -> &'static str {
        word(Self::ALL, self)
    }
}

/// What joins two tasks of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamChoice {
    /// What suits most channels: `direct`.
    #[default]
    Auto,
    /// In one process, acknowledged end to end.
    Direct,
    /// Through a Kafka topic.
    Topic,
}

impl StreamChoice {
    /// All choices with their words in documents.
    pub const ALL: &[(&str, Self)] =
        &[("auto", Self::Auto), ("direct", Self::Direct), ("topic", Self::Topic)];

    /// The word of documents.
    pub fn as_str(self) -> &'static str {
        word(Self::ALL, self)
    }
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

impl Guarantee {
    /// All promises with their words in documents, weakest first.
    pub const ALL: &[(&str, Self)] = &[
        ("at_least_once", Self::AtLeastOnce),
        ("idempotent", Self::Idempotent),
        ("exactly_once", Self::ExactlyOnce),
    ];

    /// The word of documents.
    pub fn as_str(self) -> &'static str {
        word(Self::ALL, self)
    }
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

impl ErrorPolicy {
    /// All policies with their words in documents.
    pub const ALL: &[(&str, Self)] =
        &[("dead_letter", Self::DeadLetter), ("stop", Self::Stop), ("drop", Self::Drop)];

    /// The word of documents.
    pub fn as_str(self) -> &'static str {
        word(Self::ALL, self)
    }
}

/// How often one record is tried that its target refuses. Once by default: what a target refuses it mostly refuses for good,
/// and every try after that holds up the records behind it. Outages do not count: they are waited out without limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Most tries for one record that its target refuses, the first included.
    pub max_attempts: u32,
    /// Unknown fields.
    pub extra: Extra,
}

impl Default for Retry {
    fn default() -> Self {
        Self { max_attempts: 1, extra: Map::new() }
    }
}

fn word<T: PartialEq>(all: &[(&'static str, T)], one: T) -> &'static str {
    all.iter().find(|(_, choice)| *choice == one).map_or("", |(word, _)| word)
}

impl Settings {
    /// Chooses what joins two tasks.
    pub fn set_stream(&mut self, stream: StreamChoice) {
        self.stream = stream;
        self.extra.remove("stream");
    }

    /// Sets the least guarantee the user accepts.
    pub fn set_delivery(&mut self, delivery: Guarantee) {
        self.delivery = delivery;
        self.extra.remove("delivery");
    }

    /// Sets what becomes of refused records whose errors port is not wired.
    pub fn set_policy(&mut self, policy: ErrorPolicy) {
        self.errors.policy = policy;
        self.errors.extra.remove("policy");
        self.extra.remove("errors");
    }

    /// Sets when the channel runs; `None` is as long as it is deployed.
    pub fn set_schedule(&mut self, schedule: Option<Schedule>) {
        self.schedule = schedule.map(Box::new);
        self.extra.remove("schedule");
    }

    /// Sets the most tries for one record.
    pub fn set_max_attempts(&mut self, most: u32) {
        self.errors.retry.max_attempts = most;
        self.errors.retry.extra.remove("max_attempts");
        self.errors.extra.remove("retry");
        self.extra.remove("errors");
    }
}
