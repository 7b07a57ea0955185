//! What a format of files that are written has to say.

use std::fs::File;
use std::io;

use fairway_engine::data::{Batch, RecordRef};
use fairway_engine::sink::Refused;

use super::last_line::Ending;

/// How records become the text of a file. One object serves one node, over all files of a series.
pub(crate) trait Format: Send + 'static {
    /// Looks at a group before any of it is written: records that can never be written.
    fn admit(&mut self, _batches: &[Batch]) -> Vec<Refused> {
        Vec::new()
    }

    /// Writes what stands at the beginning of each file.
    fn begin(&self, _out: &mut Vec<u8>) {}

    /// Appends a record with its line end.
    fn write(&mut self, record: &RecordRef<'_>, out: &mut Vec<u8>);

    /// How a plain file of this length, which somebody else wrote, ends. The format may learn from it what it has to go on
    /// with, and say why that cannot be.
    ///
    /// # Errors
    /// Faults of reading, and a sentence for the user in `InvalidData`.
    fn ending(&mut self, file: &mut File, length: u64) -> io::Result<Ending>;

    /// Whether it can go on with a file of somebody else that is compressed, and so cannot be looked at cheaply.
    fn goes_on_with_compressed(&self) -> bool;

    /// The columns, where files of the format have any and they are known.
    fn columns(&self) -> Option<&[String]> {
        None
    }

    /// Goes on with the columns that a file has.
    ///
    /// # Errors
    /// A sentence for the user when the settings want others.
    fn keep_columns(&mut self, _columns: Vec<String>) -> Result<(), String> {
        Ok(())
    }
}
