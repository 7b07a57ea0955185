//! What a client tells by callbacks: its log, its errors, and how far it has read partitions to their ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fairway_engine::Error;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use rdkafka::statistics::Statistics;
use rdkafka::types::RDKafkaErrorCode as Code;
use rdkafka::{ClientContext, TopicPartitionList};

use crate::fault;

/// Notes what a client tells. Clones share one notebook.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch(Arc<Notes>);

#[derive(Debug, Default)]
struct Notes {
    down: AtomicBool,
    reason: Mutex<Option<(Code, String)>>,
    ends: Mutex<HashMap<String, HashMap<i32, i64>>>,
}

impl Watch {
    /// Whether no broker could be reached when last tried.
    pub(crate) fn is_down(&self) -> bool {
        self.0.down.load(Ordering::Relaxed)
    }

    /// A broker has answered.
    pub(crate) fn is_up(&self) {
        self.0.down.store(false, Ordering::Relaxed);
        *lock(&self.0.reason) = None;
    }

    /// A fault, with the last reason that the client gave when it says none itself.
    pub(crate) fn fault(&self, doing: &str, error: &KafkaError) -> Error {
        match lock(&self.0.reason).clone() {
            // "All brokers are down" and "timed out" are what follows from the reason, not the reason.
            Some((code, reason)) if error.rdkafka_error_code().is_some_and(is_vague) => {
                fault::of_code(doing, code, Some(reason))
            }
            _ => fault::of(doing, error, None),
        }
    }

    /// What is wrong while no broker can be reached.
    pub(crate) fn outage(&self, doing: &str) -> Error {
        self.fault(doing, &KafkaError::Global(Code::AllBrokersDown))
    }

    /// Where the end of a partition was when the client last came to it.
    pub(crate) fn end(&self, topic: &str, partition: i32) -> Option<i64> {
        lock(&self.0.ends).get(topic)?.get(&partition).copied().filter(|end| *end > 0)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_vague(code: Code) -> bool {
    matches!(
        code,
        Code::AllBrokersDown | Code::BrokerTransportFailure | Code::OperationTimedOut | Code::MessageTimedOut
    )
}

/// What somebody has to mend before any connection can come about.
fn is_telling(code: Code) -> bool {
    matches!(code, Code::SSL | Code::Authentication | Code::SaslAuthenticationFailed)
}

impl ClientContext for Watch {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, text: &str) {
        match level {
            RDKafkaLogLevel::Emerg | RDKafkaLogLevel::Alert | RDKafkaLogLevel::Critical => {
                tracing::error!(target: "librdkafka", facility, "{text}");
            }
            // What it calls errors are broker outages, which the engine tells of in its own words.
            RDKafkaLogLevel::Error | RDKafkaLogLevel::Warning => {
                tracing::debug!(target: "librdkafka", facility, "{text}");
            }
            _ => tracing::trace!(target: "librdkafka", facility, "{text}"),
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let Some(code) = error.rdkafka_error_code() else { return };
        match code {
            Code::PartitionEOF | Code::AutoOffsetReset => return,
            Code::AllBrokersDown => self.0.down.store(true, Ordering::Relaxed),
            _ => {
                let mut known = lock(&self.0.reason);
                // A connection that breaks is what follows from a handshake that failed, and says less.
                let told = known.as_ref().is_some_and(|(known, _)| is_telling(*known));
                if !(told && is_vague(code)) {
                    *known = Some((code, reason.to_owned()));
                }
            }
        }
        tracing::debug!(target: "librdkafka", %code, "{reason}");
    }

    fn stats(&self, statistics: Statistics) {
        let mut ends = lock(&self.0.ends);
        for (topic, seen) in statistics.topics {
            let known = ends.entry(topic).or_default();
            known.extend(seen.partitions.into_values().map(|one| (one.partition, one.eof_offset)));
        }
    }
}

impl ConsumerContext for Watch {
    fn commit_callback(&self, result: rdkafka::error::KafkaResult<()>, _: &TopicPartitionList) {
        // The group only shows others how far this channel is; its own positions are what counts.
        if let Err(error) = result {
            tracing::debug!(%error, "the group did not take the offsets");
        }
    }
}
