//! The characters that give CSV its shape, as settings write them.

use fairway_engine::component::Issue;

/// The delimiter that a setting means.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn delimiter(text: &str) -> Result<u8, Issue> {
    match text.as_bytes() {
        b"\\t" => Ok(b'\t'),
        [one] if one.is_ascii() && !matches!(one, b'\r' | b'\n') => Ok(*one),
        _ => {
            let message = format!("{text:?} is no delimiter");
            Err(Issue::new("delimiter", message, "give one ASCII character, or `\\t` for a tab"))
        }
    }
}

/// The quote that a setting means; `None` if quotes mean nothing.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn quote(text: &str, delimiter: u8) -> Result<Option<u8>, Issue> {
    match text.as_bytes() {
        [] => Ok(None),
        [one] if one.is_ascii() && !matches!(one, b'\r' | b'\n') && *one != delimiter => Ok(Some(*one)),
        _ => {
            let message = format!("{text:?} is no quote");
            Err(Issue::new("quote", message, "give one ASCII character other than the delimiter, or none"))
        }
    }
}
