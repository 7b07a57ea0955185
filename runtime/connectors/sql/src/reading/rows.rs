//! Rows of one answer on their way into a batch. For each row: [`admit`](Rows::admit), and if it is wanted its values into the
//! builder, then [`done`](Rows::done).

use fairway_engine::Error;
use fairway_engine::data::{BatchBuilder, Meta, RecordError};

use super::outlet::Outlet;
use super::partition::Partition;

/// What tells a row apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity<'a> {
    /// Values of the cursor columns, as text. Not needed where `number` is given.
    pub(crate) values: &'a [&'a str],
    /// The value of the only cursor column, where it is a whole number.
    pub(crate) number: Option<i64>,
    /// Time of the first cursor column in microseconds, where there is an overlap.
    pub(crate) us: i64,
}

/// Rows of one answer.
pub(crate) struct Rows<'a> {
    pub(crate) partition: &'a mut Partition,
    pub(crate) outlet: &'a mut Outlet,
}

impl Rows<'_> {
    /// Whether the row is new, and then the place that its record gets.
    pub(crate) fn admit(&mut self, identity: Identity<'_>) -> Option<Meta> {
        self.partition.admit(identity)
    }

    /// Begins a record; its values go into the builder.
    pub(crate) fn begin(&mut self, meta: Meta) -> &mut BatchBuilder {
        self.partition.begin(meta)
    }

    /// Takes the record that was begun back and begins it again as refused.
    pub(crate) fn refuse(&mut self, meta: Meta, error: RecordError) -> &mut BatchBuilder {
        self.partition.refuse(meta, error)
    }

    /// The record is complete. Waits while everything read before is still waiting to leave (I5).
    pub(crate) async fn done(&mut self) -> Result<(), Error> {
        if self.partition.is_full() {
            self.partition.flush();
            self.partition.pump(self.outlet, false).await?;
        }
        Ok(())
    }

    /// The record is complete; answers whether reading should stop here, for a database that must not be kept waiting.
    pub(crate) fn done_without_waiting(&mut self) -> bool {
        if self.partition.is_full() {
            self.partition.flush();
        }
        !self.partition.has_room()
    }
}
