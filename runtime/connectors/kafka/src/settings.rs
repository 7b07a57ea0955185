//! What source and sink have in common in their settings.

use fairway_engine::Error;
use fairway_engine::component::Issue;
use fairway_engine::files::Files;
use fairway_kafka::{Access, Security};

pub(crate) fn default_value_field() -> String {
    "value".into()
}

pub(crate) fn default_deleted_field() -> String {
    "__deleted".into()
}

pub(crate) fn is_default(security: &Security) -> bool {
    *security == Security::default()
}

/// Whether a topic can have this name.
pub(crate) fn is_topic(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=249).contains(&name.len()) && name.bytes().all(letter) && name != "." && name != ".."
}

/// Finds fault with a config that names no brokers, neither itself nor by its connection.
pub(crate) fn check_brokers(brokers: Option<&str>, connection: Option<&str>) -> Option<Issue> {
    let help = "name one here, or a connection that does";
    (brokers.is_none() && connection.is_none()).then(|| Issue::new("brokers", "no broker is named", help))
}

/// Finds fault with the name of a topic.
pub(crate) fn check_topic(field: impl Into<String>, name: &str) -> Option<Issue> {
    let help = "names have letters, digits, `.`, `_` and `-`, at most 249";
    (!is_topic(name)).then(|| Issue::new(field, format!("no topic can be called {name:?}"), help))
}

/// Brokers of a config, wherever they were named.
pub(crate) fn access(brokers: Option<&str>, security: &Security, files: &Files) -> Result<Access, Error> {
    Access::new(brokers.unwrap_or_default(), security, files)
}

/// What opening says of a config that `check` finds fault with.
pub(crate) fn bad_config(issue: Issue) -> Error {
    let error = Error::config("kafka.bad_config", format!("`{}`: {}", issue.field, issue.message));
    issue.help.into_iter().fold(error, Error::help)
}
