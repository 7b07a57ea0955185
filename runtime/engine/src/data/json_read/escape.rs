//! Escape sequences of JSON texts.

/// Length of the escape sequence that begins with the first byte, a backslash; `None` if it is none, or half a
/// pair of surrogates.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    match bytes.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => match unit(bytes.get(2..6)?)? {
            0xd800..=0xdbff => match (bytes.get(6..8)?, unit(bytes.get(8..12)?)?) {
                (b"\\u", 0xdc00..=0xdfff) => Some(12),
                _ => None,
            },
            0xdc00..=0xdfff => None,
            _ => Some(6),
        },
        _ => None,
    }
}

/// Four hexadecimal digits.
fn unit(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// Writes a text with its escape sequences resolved; [`length`] has found all of them good.
pub(super) fn unescape(written: &str, out: &mut String) {
    let mut rest = written;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let bytes = &rest.as_bytes()[at..];
        let len = length(bytes).unwrap_or(1);
        out.extend(character(bytes));
        rest = &rest[at + len..];
    }
    out.push_str(rest);
}

fn character(bytes: &[u8]) -> Option<char> {
    Some(match bytes.get(1)? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => {
            let first = unit(bytes.get(2..6)?)?;
            if !(0xd800..=0xdbff).contains(&first) {
                return char::from_u32(first);
            }
            let second = unit(bytes.get(8..12)?)?;
            return char::from_u32(0x10000 + ((first - 0xd800) << 10) + second.checked_sub(0xdc00)?);
        }
        other => char::from(*other),
    })
}
