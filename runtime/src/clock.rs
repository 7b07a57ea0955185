//! The time as the product writes it: RFC 3339 in UTC, to the millisecond.

use chrono::{DateTime, SecondsFormat, Utc};

/// Now.
pub fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Now, in milliseconds since 1970.
pub fn now_ms() -> i64 {
    Utc::now().timestamp_millis()
}

/// A moment given as RFC 3339, in milliseconds since 1970.
pub fn to_ms(text: &str) -> Option<i64> {
    Some(DateTime::parse_from_rfc3339(text).ok()?.timestamp_millis())
}

/// A moment given in milliseconds since 1970.
pub fn from_ms(ms: i64) -> String {
    DateTime::<Utc>::from_timestamp_millis(ms)
        .unwrap_or_default()
        .to_rfc3339_opts(SecondsFormat::Millis, true)
}
