//! How large a row may be (I5). A value that alone is too long is not even asked for: the statement leaves it out and names
//! its column instead, so that neither the database's client nor a batch ever holds it.

use fairway_engine::data::RecordError;

/// Longest value that a refused record keeps.
const KEPT: usize = 4096;

/// Most bytes of a record unless set otherwise: as for files.
pub(crate) fn default_max_record_bytes() -> u32 {
    16 << 20
}

/// Why a row whose value was left out by the statement is refused.
pub(crate) fn value_too_long(column: &str, most: usize) -> RecordError {
    let what = format!("the value has more than the {most} bytes of `max_record_bytes`; it was left out");
    RecordError::in_field("table.record_too_long", column, what)
}

/// Why a row of so many bytes is refused, if it is.
pub(crate) fn row_too_long(bytes: usize, most: usize) -> Option<RecordError> {
    let what = || {
        format!(
            "the row has {bytes} bytes, more than the {most} of `max_record_bytes`; its long values were left out"
        )
    };
    (bytes > most).then(|| RecordError::new("table.record_too_long", what()))
}

/// Whether a refused record keeps a value of so many bytes; `is_too_long` where it is refused for its length.
pub(crate) fn is_kept(bytes: usize, is_too_long: bool) -> bool {
    !is_too_long || bytes <= KEPT
}
