//! What is wrong with one record.
//!
//! Only the error of a single record is here: data errors never stop its neighbours (G10). Errors of a whole
//! component (outages, bad configuration) belong to the engine's error type.

use std::fmt;

/// Why one record was refused. It travels with the record to the errors port or the dead letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordError {
    /// Dotted, permanent code (`cast.not_a_number`).
    pub code: &'static str,
    /// What is wrong, for people.
    pub message: String,
    /// The field at fault, when it is one.
    pub field: Option<String>,
}

impl RecordError {
    /// An error about the record as a whole.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        RecordError { code, message: message.into(), field: None }
    }

    /// An error about one field of the record.
    pub fn in_field(code: &'static str, field: impl Into<String>, message: impl Into<String>) -> Self {
        RecordError { code, message: message.into(), field: Some(field.into()) }
    }

    /// The record would make its batch larger than offsets can address.
    pub(crate) fn too_large() -> Self {
        RecordError::new("record.too_large", "the record grew beyond what one batch can hold (4 GiB of text)")
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "field `{field}`: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for RecordError {}
