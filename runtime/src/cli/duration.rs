//! Durations on the command line: `500ms`, `60s`, `5m`, `2h`.

use std::time::Duration;

/// Reads a duration.
///
/// # Errors
/// What is expected, for the message of the command line.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let split = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let expected = || "a number with a unit is expected, such as 500ms, 60s, 5m or 2h".to_owned();
    let number: u64 = number.parse().map_err(|_| expected())?;
    let ms = match unit {
        "ms" => Some(number),
        "s" => number.checked_mul(1000),
        "m" => number.checked_mul(60_000),
        "h" => number.checked_mul(3_600_000),
        _ => None,
    };
    ms.map(Duration::from_millis).ok_or_else(expected)
}

/// Reads a deadline of a preview or of a test of a connection, within the bounds that these have everywhere.
///
/// # Errors
/// What is expected, for the message of the command line.
pub(super) fn deadline(text: &str) -> Result<Duration, String> {
    let bounds = Duration::from_millis(100)..=Duration::from_secs(30);
    let deadline = parse(text)?;
    bounds.contains(&deadline).then_some(deadline).ok_or_else(|| "100ms to 30s can be waited for".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{deadline, parse};

    #[test]
    fn deadlines_have_bounds() {
        assert_eq!(deadline("30s").unwrap().as_secs(), 30);
        for text in ["99ms", "31s", "2h", "soon"] {
            assert!(deadline(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations() {
        for (text, ms) in [("0s", 0), ("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("2h", 7_200_000)] {
            assert_eq!(parse(text).unwrap().as_millis(), ms, "{text}");
        }
        for text in ["", "60", "s", "1.5s", "-1s", "60 s", "99999999999999999999s", "1d"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
