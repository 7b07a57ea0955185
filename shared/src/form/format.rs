//! Named formats of texts (`format` in a schema): what can be said about a text without regular expressions, a clock or
//! the outside. Patterns are the components' own business; here are only forms that many share.

/// A named format.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Name in schemas.
    pub name: &'static str,
    /// What is expected, to complete "must be …".
    pub expected: &'static str,
    /// Whether a text has it.
    pub accepts: fn(&str) -> bool,
}

/// All formats.
pub const ALL: &[Format] = &[
    Format {
        name: "duration",
        expected: "a duration such as `500ms`, `30s`, `5m` or `1h30m`",
        accepts: duration,
    },
    Format { name: "byte-size", expected: "a size such as `64KiB`, `10MB` or `1048576`", accepts: byte_size },
    Format { name: "uri", expected: "an address such as `https://host/path`", accepts: uri },
    Format { name: "uuid", expected: "a UUID", accepts: uuid },
    Format { name: "date", expected: "a date such as `2026-11-30`", accepts: date },
    Format { name: "time", expected: "a time such as `23:59:59`", accepts: time },
    Format { name: "date-time", expected: "a moment such as `2026-11-30T23:59:59Z`", accepts: date_time },
    // Says only that it is a secret.
    Format { name: "password", expected: "text", accepts: |_| true },
];

/// The format of this name.
pub fn find(name: &str) -> Option<&'static Format> {
    ALL.iter().find(|format| format.name == name)
}

/// Splits off leading digits, with at most one decimal point.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|letter: char| !letter.is_ascii_digit() && letter != '.').unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let sound = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.ends_with(|c: char| c.is_ascii_digit())
        && digits.matches('.').count() <= 1;
    sound.then_some(rest)
}

fn duration(text: &str) -> bool {
    let mut rest = text;
    loop {
        let Some(after) = number(rest) else { return false };
        // The longer unit first: `ms` is no minute.
        let Some(next) = ["ms", "us", "s", "m", "h", "d"].iter().find_map(|unit| after.strip_prefix(unit))
        else {
            return false;
        };
        rest = next.trim_start_matches(' ');
        if rest.is_empty() {
            return true;
        }
    }
}

fn byte_size(text: &str) -> bool {
    let unit = number(text).map(|rest| rest.trim_start_matches(' '));
    unit.is_some_and(|unit| {
        ["", "B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"].contains(&unit)
    })
}

fn uri(text: &str) -> bool {
    let scheme = |scheme: &str| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.'))
    };
    let plain = !text.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    plain && text.split_once("://").is_some_and(|(before, after)| scheme(before) && !after.is_empty())
}

fn uuid(text: &str) -> bool {
    let groups: Vec<_> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Numbers of fixed width between separators, each within its limits.
fn parts(text: &str, separator: char, limits: &[(usize, u32, u32)]) -> bool {
    let parts: Vec<_> = text.split(separator).collect();
    parts.len() == limits.len()
        && parts.iter().zip(limits).all(|(part, (width, least, most))| {
            part.len() == *width
                && part.bytes().all(|byte| byte.is_ascii_digit())
                && part.parse().is_ok_and(|number: u32| (*least..=*most).contains(&number))
        })
}

fn date(text: &str) -> bool {
    if !parts(text, '-', &[(4, 0, 9999), (2, 1, 12), (2, 1, 31)]) {
        return false;
    }
    let number = |range: std::ops::Range<usize>| text[range].parse::<u32>().unwrap_or_default();
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    day <= last
}

fn time(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let fraction =
        fraction.is_none_or(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
    fraction && parts(whole, ':', &[(2, 0, 23), (2, 0, 59), (2, 0, 60)])
}

fn date_time(text: &str) -> bool {
    let Some((day, rest)) = text.split_once(['T', 't', ' ']) else { return false };
    let clock = match rest.strip_suffix(['Z', 'z']) {
        Some(clock) => clock,
        None => match rest.rfind(['+', '-']) {
            Some(at) if parts(&rest[at + 1..], ':', &[(2, 0, 23), (2, 0, 59)]) => &rest[..at],
            _ => return false,
        },
    };
    date(day) && time(clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_tell_good_from_bad() {
        for (name, good, bad) in [
            (
                "duration",
                &["500ms", "30s", "1h30m", "1.5s", "1h 5m", "0s", "2d"][..],
                &["", "30", "s", "1x", "1..5s", "-1s", "1h5"][..],
            ),
            ("byte-size", &["0", "64KiB", "1.5 MB", "10B"], &["", "KiB", "10 K", "ten", "1e3"]),
            (
                "uri",
                &["http://a", "postgres://u:p@h:1/x?y"],
                &["a", "http://", "://x", "1h://x", "http://a b", "ht tp://x"],
            ),
            (
                "uuid",
                &["01234567-89ab-cdef-0123-456789ABCDEF"],
                &["0123456789abcdef0123456789abcdef", "x", "01234567-89ab-cdef-0123-456789ABCDEG"],
            ),
            (
                "date",
                &["2026-11-30", "2024-02-29", "0000-01-01"],
                &["2026-11-31", "2023-02-29", "2026-1-1", "2026-13-01", "x", "１234-01-01"],
            ),
            ("time", &["00:00:00", "23:59:60", "12:00:00.123456"], &["24:00:00", "12:00", "12:00:00.", "x"]),
            (
                "date-time",
                &["2026-11-30T23:59:59Z", "2026-11-30 00:00:00.5+08:00"],
                &["2026-11-30", "2026-11-30T00:00:00", "2026-11-30T00:00:00+8", "é"],
            ),
        ] {
            let format = find(name).unwrap();
            good.iter().for_each(|text| assert!((format.accepts)(text), "{name}: {text}"));
            bad.iter().for_each(|text| assert!(!(format.accepts)(text), "{name}: {text}"));
        }
    }
}
