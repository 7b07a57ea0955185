//! What an answer means, and whose fault it is: the record's (it is set aside after one try) or the target's (it is tried
//! again without limit).

use std::time::Duration;

use chrono::{DateTime, Utc};
use fairway_engine::Error;
use fairway_engine::data::RecordError;
use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use rustls::CertificateError as Certificate;

/// Bytes of an answer that are read to show its beginning, or to keep its connection.
const READ: usize = 64 << 10;
/// Letters of an answer that are shown.
const SHOWN: usize = 200;
/// Longest wait that a target may ask for at a time.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// The target has the records.
    Taken,
    /// It will never take them as they are.
    Refused(RecordError),
    /// It does not take them now.
    Later(Error),
}

/// Statuses that the settings give another meaning, and what must never be shown.
#[derive(Debug, Default)]
pub(crate) struct Meanings {
    pub(crate) taken: Vec<u16>,
    pub(crate) refused: Vec<u16>,
    pub(crate) secrets: Vec<String>,
}

impl Meanings {
    /// Reads what is needed of an answer, and judges it.
    pub(crate) async fn judge(&self, mut response: Response) -> Verdict {
        let status = response.status();
        let code = status.as_u16();
        let refused = self.refused.contains(&code);
        if !refused && (status.is_success() || self.taken.contains(&code)) {
            // The status is the receipt; the rest is read only so that the connection can be used again.
            beginning(&mut response).await;
            return Verdict::Taken;
        }
        let wait =
            response.headers().get(RETRY_AFTER).and_then(|value| wait(value.to_str().ok()?, Utc::now()));
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).map(place);
        let shown = self.shown(&beginning(&mut response).await);
        let mut what = format!("the target answered {status}");
        if !shown.is_empty() {
            what = format!("{what}: {shown}");
        }
        if refused || is_the_records(status) {
            return Verdict::Refused(RecordError::new("http.refused", what));
        }
        let mut error = match code {
            300..=399 => {
                let to = location.unwrap_or_else(|| "elsewhere".to_owned());
                Error::outage("http.redirected", format!("{what}, and points to {to}"))
                    .help("set the address that it points to, or have redirects followed")
            }
            401 | 403 | 407 => Error::outage("http.not_admitted", what)
                .help("see to user, password, token and headers, and to what they permit at the target"),
            404 => Error::outage("http.not_found", what).help(
                "see to the address; if the target means that the record's own thing is not there, add 404 to `refused` or `taken`",
            ),
            400..=499 if !matches!(code, 408 | 425 | 429) => Error::outage("http.unwilling", what).help(
                "see to method, address and headers; if it is about the record, add the status to `refused`",
            ),
            _ => Error::outage("http.busy", what).help("see to the target; it is tried again by itself"),
        };
        error.retry_after = wait;
        Verdict::Later(error)
    }

    /// The beginning of an answer, on one line and without secrets (I6): some targets quote what they were sent.
    fn shown(&self, bytes: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(bytes).into_owned();
        for secret in self.secrets.iter().filter(|secret| secret.len() > 2) {
            text = text.replace(secret.as_str(), "***");
        }
        let plain: String = text
            .chars()
            .take(SHOWN * 4)
            .map(|letter| if letter.is_control() { ' ' } else { letter })
            .collect();
        let words: Vec<&str> = plain.split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(SHOWN) {
            Some((at, _)) => format!("{}…", &line[..at]),
            None => line,
        }
    }
}

/// Whether the target speaks of the records, and not of itself or of who asks.
fn is_the_records(status: StatusCode) -> bool {
    matches!(status.as_u16(), 400 | 409 | 413 | 415 | 422 | 501)
}

/// What is there of a body, but not more than is needed. An answer that breaks off has said enough.
async fn beginning(response: &mut Response) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut read = 0;
    while read < READ
        && let Ok(Some(chunk)) = response.chunk().await
    {
        read += chunk.len();
        let room = (SHOWN * 8).saturating_sub(bytes.len());
        bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
    }
    bytes
}

/// Where a redirect leads, without what may be secret in it.
fn place(location: &str) -> String {
    let shown = location.split(['?', '#']).next().unwrap_or_default();
    shown.chars().filter(|letter| !letter.is_control()).take(SHOWN).collect()
}

/// Seconds, or a date.
fn wait(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    let seconds = match text.trim().parse::<u64>() {
        Ok(seconds) => seconds,
        Err(_) => {
            let at = DateTime::parse_from_rfc2822(text.trim()).ok()?.to_utc();
            u64::try_from((at - now).num_seconds()).unwrap_or(0)
        }
    };
    Some(Duration::from_secs(seconds).min(LONGEST_WAIT))
}

/// A request that got no answer: nobody knows whether the target has its records.
pub(crate) fn no_answer(error: reqwest::Error) -> Error {
    let (code, what) = if let Some(reason) = of_certificate(&error) {
        reason
    } else if error.is_timeout() {
        ("http.timeout", "the target did not answer in time")
    } else if error.is_connect() {
        ("http.unreachable", "the target cannot be reached")
    } else {
        ("http.broken", "the connection broke off before the answer")
    };
    let mut message = what.to_owned();
    // Addresses may hold secrets.
    let error = error.without_url();
    let mut cause = std::error::Error::source(&error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    let help = match code {
        "http.untrusted" => "name the file with the certificate of the target's authority in `ca_file`",
        "http.other_name" => {
            "use a name in the address that the certificate has, or give the target a certificate for this one"
        }
        "http.certificate_out_of_date" => "renew the target's certificate, and see that the clocks are right",
        _ => "see to the target and to the way there; it is tried again by itself",
    };
    Error::outage(code, message).help(help)
}

/// What is wrong with the target's certificate, where that is why there is no answer.
fn of_certificate(error: &reqwest::Error) -> Option<(&'static str, &'static str)> {
    let mut cause = Some(error as &(dyn std::error::Error + 'static));
    while let Some(error) = cause {
        // Errors of input and output stand for the one inside and hide it.
        let mut inner = error;
        while let Some(hidden) = inner.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            inner = hidden;
        }
        if let Some(rustls::Error::InvalidCertificate(reason)) = inner.downcast_ref() {
            return Some(match reason {
                Certificate::UnknownIssuer => {
                    ("http.untrusted", "nobody who is trusted vouches for the target's certificate")
                }
                Certificate::NotValidForName | Certificate::NotValidForNameContext { .. } => {
                    ("http.other_name", "the target's certificate is for another name")
                }
                Certificate::Expired
                | Certificate::ExpiredContext { .. }
                | Certificate::NotValidYet
                | Certificate::NotValidYetContext { .. } => {
                    ("http.certificate_out_of_date", "the target's certificate is not valid at this time")
                }
                _ => ("http.untrusted", "the target's certificate is not accepted"),
            });
        }
        cause = inner.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_seconds_or_a_date() {
        let now = DateTime::parse_from_rfc3339("2026-11-30T12:00:00Z").unwrap().to_utc();
        let seconds = |text: &str| wait(text, now).map(|wait| wait.as_secs());
        assert_eq!(seconds("7"), Some(7));
        assert_eq!(seconds("Mon, 30 Nov 2026 12:01:30 GMT"), Some(90));
        assert_eq!(seconds("Mon, 30 Nov 2026 11:00:00 GMT"), Some(0));
        assert_eq!(seconds("99999999"), Some(3600));
        assert_eq!(seconds("soon"), None);
    }

    #[test]
    fn what_is_shown_is_short_and_has_no_secrets() {
        let meanings = Meanings { secrets: vec!["s3cret".into()], ..Meanings::default() };
        assert_eq!(meanings.shown(b"no\r\n\x1b[31m  s3cret \xff"), "no [31m *** \u{fffd}");
        assert_eq!(meanings.shown("é".repeat(500).as_bytes()).chars().count(), SHOWN + 1);
    }
}
