//! What becomes of messages that were handed to a producer.

use std::sync::{Arc, Mutex, PoisonError};

use rdkafka::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;
use rdkafka::message::{DeliveryResult, Message as _};
use rdkafka::producer::ProducerContext;
use rdkafka::statistics::Statistics;
use rdkafka::types::RDKafkaErrorCode as Code;

use crate::watch::Watch;

/// Number of a message, and its offset or what went wrong.
pub(crate) type Report = (usize, Result<i64, Code>);

/// Reports for messages.
#[derive(Clone, Default)]
pub(crate) struct Reports {
    pub(crate) watch: Watch,
    answers: Arc<Mutex<Vec<Report>>>,
}

impl Reports {
    /// What came since the last call.
    pub(crate) fn take(&self) -> Vec<Report> {
        std::mem::take(&mut *self.answers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ClientContext for Reports {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, text: &str) {
        self.watch.log(level, facility, text);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        self.watch.error(error, reason);
    }

    fn stats(&self, _: Statistics) {}
}

impl ProducerContext for Reports {
    type DeliveryOpaque = usize;

    fn delivery(&self, result: &DeliveryResult<'_>, number: usize) {
        let answer = match result {
            Ok(message) => Ok(message.offset()),
            Err((error, _)) => Err(error.rdkafka_error_code().unwrap_or(Code::Fail)),
        };
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push((number, answer));
    }
}
