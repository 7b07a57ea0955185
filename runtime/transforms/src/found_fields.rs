//! Fields that records themselves bring to light: names of nested values, found one by one.

use std::collections::HashSet;

use fairway_engine::data::{Batch, Derived, RecordError};

/// Most fields that one node may find. Every record of a batch has room for each, so ever new names (objects keyed by
/// an id) would take memory without end (I5).
const MOST: usize = 2_000;

/// Names found so far, in the order in which they first came. They outlive batches: the order of fields must not depend on
/// how records are cut into batches (G9), and a schema that was derived once serves the next batch too.
#[derive(Debug, Default)]
pub(crate) struct FoundFields {
    names: Vec<String>,
    known: HashSet<String>,
    derived: Derived,
}

impl FoundFields {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The names, in the order in which they came.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Gives the batch a field of every name found so far.
    pub(crate) fn widen(&mut self, batch: &mut Batch) {
        if !self.names.is_empty() {
            batch.with_schema(&mut self.derived, |schema| schema.with_all(&self.names));
        }
    }

    /// Takes a name up; whether it is new.
    ///
    /// # Errors
    /// `fields.too_many` when there are too many already.
    pub(crate) fn admit(&mut self, name: &str) -> Result<bool, RecordError> {
        if self.known.contains(name) {
            return Ok(false);
        }
        if self.names.len() == MOST {
            let message =
                format!("the field would be one more than the {MOST} that came of nested values so far");
            return Err(RecordError::in_field("fields.too_many", name, message));
        }
        self.known.insert(name.to_owned());
        self.names.push(name.to_owned());
        // What was derived lacks the new name.
        self.derived = Derived::default();
        Ok(true)
    }

    /// Forgets the names beyond so many: those that a record brought which was refused after all.
    pub(crate) fn forget_beyond(&mut self, before: usize) {
        if before < self.names.len() {
            for name in self.names.drain(before..) {
                self.known.remove(&name);
            }
            self.derived = Derived::default();
        }
    }
}
