//! What Kafka says, in the engine's words.

use fairway_engine::Error;
use rdkafka::error::KafkaError;
use rdkafka::types::RDKafkaErrorCode as Code;

/// A fault of talking to Kafka. Passing ones, and those that an operator mends on the other side, are outages.
pub(crate) fn of(doing: &str, error: &KafkaError, reason: Option<String>) -> Error {
    match error.rdkafka_error_code() {
        Some(code) => of_code(doing, code, reason),
        None => Error::config("kafka.bad_config", format!("cannot {doing}: {error}")),
    }
}

/// The same for a bare code; `reason` is the longer text that came with it or before it.
pub(crate) fn of_code(doing: &str, code: Code, reason: Option<String>) -> Error {
    let said = reason.filter(|reason| !reason.is_empty()).unwrap_or_else(|| code.to_string());
    let message = format!("cannot {doing}: {said}");
    match code {
        Code::Authentication | Code::SaslAuthenticationFailed | Code::UnsupportedSASLMechanism => {
            Error::outage("kafka.authentication", message)
                .help("check user, password and mechanism, or let the brokers know this user")
        }
        Code::SSL => Error::outage("kafka.tls", message)
            .help(
            "check that the brokers' port speaks TLS, that `ca` holds who signed their certificate, and that the \
             certificate has the names by which `brokers` and the brokers themselves call them",
        ),
        Code::TopicAuthorizationFailed
        | Code::GroupAuthorizationFailed
        | Code::ClusterAuthorizationFailed
        | Code::TransactionalIdAuthorizationFailed => {
            Error::outage("kafka.permission", message).help("give Fairway's user the right to do this")
        }
        Code::UnknownTopic | Code::UnknownTopicOrPartition | Code::UnknownPartition => {
            Error::outage("kafka.topic_missing", message).help("create the topic, or correct its name")
        }
        Code::InvalidArgument | Code::InvalidTopic => Error::config("kafka.bad_config", message),
        Code::Fenced | Code::Fatal => Error::failed("kafka.client_failed", message),
        Code::BrokerTransportFailure
        | Code::AllBrokersDown
        | Code::Resolve
        | Code::OperationTimedOut
        | Code::RequestTimedOut
        | Code::MessageTimedOut
        | Code::TimedOutQueue => Error::outage("kafka.unreachable", message)
            .help("check that the brokers run and that their advertised addresses can be reached from here"),
        _ => Error::outage("kafka.error", message),
    }
}

/// What a blocking call that never came back means.
pub(crate) fn interrupted(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::failed("kafka.interrupted", "a call to Kafka was interrupted").source(error)
}

#[cfg(test)]
mod tests {
    use fairway_engine::Kind;

    use super::*;

    #[test]
    fn what_may_pass_is_tried_again() {
        let outage =
            of("read", &KafkaError::Global(Code::AllBrokersDown), Some("1/1 brokers are down".into()));
        assert_eq!((outage.kind, &*outage.code), (Kind::Outage, "kafka.unreachable"));
        assert_eq!(outage.message, "cannot read: 1/1 brokers are down");
        let config = of("read", &KafkaError::Subscription("x".into()), None);
        assert_eq!(config.kind, Kind::Config);
    }
}
