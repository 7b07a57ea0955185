//! One record of a batch, for reading.
//!
//! For changing records see [`Record`](super::Record).

use std::sync::Arc;

use super::batch::Batch;
use super::meta::{Extra, Meta};
use super::schema::Schema;
use super::value::{Ref, Value};

/// A record where it lies in its batch.
#[derive(Clone, Copy)]
pub struct RecordRef<'a> {
    pub(super) batch: &'a Batch,
    pub(super) row: usize,
}

impl<'a> RecordRef<'a> {
    /// The value of a field; `Missing` if the record has none.
    #[inline]
    pub fn get(&self, name: &str) -> Ref<'a> {
        self.batch.schema.slot(name).map_or(Ref::Missing, |slot| self.get_slot(slot))
    }

    /// The value in a slot that the batch's schema gave.
    #[inline]
    pub fn get_slot(&self, slot: usize) -> Ref<'a> {
        self.batch.pools.view(self.batch.cells.get(self.row, slot))
    }

    /// The fields that the record has, in the order of the schema; missing ones are left out.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, Ref<'a>)> + use<'a> {
        self.all_fields().filter(|(_, value)| !value.is_missing())
    }

    /// All fields of the schema in order, missing ones too.
    pub fn all_fields(&self) -> impl Iterator<Item = (&'a str, Ref<'a>)> + use<'a> {
        let record = *self;
        record.batch.schema.fields().iter().map(move |field| (&**field.name(), record.get_slot(field.slot())))
    }

    /// The schema of the batch.
    pub fn schema(&self) -> &'a Arc<Schema> {
        &self.batch.schema
    }

    /// Index of the record in its batch as it is now.
    pub fn index(&self) -> usize {
        self.row
    }

    /// Where the record came from.
    #[inline]
    pub fn meta(&self) -> Meta {
        self.batch.metas.0[self.row]
    }

    /// Key, headers and time together; `None` if the batch has none of them.
    pub fn extra(&self) -> Option<&'a Extra> {
        self.batch.extras.as_ref().map(|extras| &extras[self.row])
    }

    /// The key, if the source has keys.
    pub fn key(&self) -> Option<&'a Value> {
        self.extra()?.key.as_ref()
    }

    /// The headers in order.
    pub fn headers(&self) -> &'a [(Arc<str>, Value)] {
        self.extra().map_or(&[], |extra| &extra.headers)
    }

    /// When the record was made, in microseconds since 1970-01-01 UTC.
    pub fn time(&self) -> Option<i64> {
        self.extra()?.time
    }

    /// Copies the fields out as a map in schema order, missing ones left out.
    pub fn to_value(&self) -> Value {
        Value::Map(self.fields().map(|(name, value)| (name.to_owned(), value.to_value())).collect())
    }
}

impl std::fmt::Debug for RecordRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.fields()).finish()
    }
}
