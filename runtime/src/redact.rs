//! Values that must not be shown. Whatever fills a reference in registers the value here; logs and causes are scrubbed
//! of it on their way out, so that a component which quotes its settings in an error gives nothing away (I6).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use fairway_shared::api::status::Cause;

/// Shown in the place of a value.
const MASK: &str = "***";
/// Secrets shorter than this would blot out ordinary words.
const SHORTEST_SECRET: usize = 4;
/// Variables of the environment are mostly harmless; short ones are words, hosts and ports.
const SHORTEST_VARIABLE: usize = 8;

static HIDDEN: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Hides the value of a secret from now on.
pub(crate) fn hide_secret(value: &str) {
    hide(value, SHORTEST_SECRET);
}

/// Hides the value of a variable of the environment from now on.
pub(crate) fn hide_variable(value: &str) {
    hide(value, SHORTEST_VARIABLE);
}

/// The text without any hidden value, as it is, escaped as in JSON, or percent-encoded as in an address.
pub(crate) fn scrub(text: &str) -> Cow<'_, str> {
    let hidden = HIDDEN.read().unwrap_or_else(PoisonError::into_inner);
    // Longest first: of two values one may contain the other.
    let mut found: Vec<&String> = hidden.iter().filter(|value| text.contains(&***value)).collect();
    found.sort_by_key(|value| std::cmp::Reverse(value.len()));
    found.into_iter().fold(Cow::Borrowed(text), |text, value| Cow::Owned(text.replace(&**value, MASK)))
}

/// A cause without any hidden value: a component may have quoted its settings.
pub(crate) fn cause(cause: Cause) -> Cause {
    let scrub = |text: String| scrub(&text).into_owned();
    Cause { message: scrub(cause.message), help: cause.help.map(scrub), ..cause }
}

/// Takes hidden values out of every text of a JSON value.
pub(crate) fn value(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::String(text) => {
            if let Cow::Owned(clean) = scrub(text) {
                *text = clean;
            }
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(self::value),
        serde_json::Value::Object(members) => members.values_mut().for_each(self::value),
        _ => {}
    }
}

fn hide(value: &str, shortest: usize) {
    if value.trim().len() < shortest {
        return;
    }
    let escaped = serde_json::Value::from(value).to_string();
    let forms = [value.to_owned(), escaped.trim_matches('"').to_owned(), percent_encoded(value)];
    let mut hidden = HIDDEN.write().unwrap_or_else(PoisonError::into_inner);
    hidden.extend(forms);
}

/// Everything but unreserved characters percent-encoded (RFC 3986).
pub(crate) fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_values_do_not_get_out_in_any_form() {
        hide_secret("p@ss \"word\"");
        hide_secret("p@ss \"word\" and more");
        hide_secret("abc");
        hide_variable("db-host");
        for (text, expected) in [
            ("cannot log in with p@ss \"word\"!", "cannot log in with ***!"),
            ("{\"password\":\"p@ss \\\"word\\\" and more\"}", "{\"password\":\"***\"}"),
            ("pg://u:p%40ss%20%22word%22@h", "pg://u:***@h"),
            ("abc at db-host", "abc at db-host"),
        ] {
            assert_eq!(scrub(text), expected);
        }
    }

    #[test]
    fn segments_are_encoded() {
        assert_eq!(percent_encoded("a-1"), "a-1");
        assert_eq!(percent_encoded("a/b ü?"), "a%2Fb%20%C3%BC%3F");
    }
}
