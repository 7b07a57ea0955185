//! Batches in memory: records, values and schemas, and the text forms that lie closest to them.
//!
//! A [`Batch`] is flat and row-major: one vector of 16-byte cells, width × rows; text lies in the input as it
//! was read ([`Base`]) or, once changed, in an overlay that the batch owns. Parts are shared by `Arc` and
//! copied when written, so a fan-out costs nothing until a branch changes something, and a clone never sees
//! the change of a sibling. Cells mean nothing outside their batch: what must outlive one is a [`Value`].
//!
//! Beside it live the CSV splitter, the JSON reader and the JSON writer, since all three work on these very
//! buffers. Formats as a user knows them (files, compression, encodings) are the connectors' business; moving
//! batches between components is that of the task loops.

mod base;
mod batch;
mod builder;
mod cell;
mod compare;
mod convert;
mod edit;
mod envelope;
mod error;
mod identity;
mod json_value;
mod meta;
mod nested;
mod number;
mod number_text;
mod pool;
mod record;
mod schema;
mod select;
mod split;
mod swar;
mod update;
mod value;
mod wire;

pub mod cast;
pub mod csv_split;
pub mod json_read;
pub mod json_write;
pub mod text;
pub mod time;

pub use base::{Base, InvalidBase};
pub use batch::Batch;
pub use builder::BatchBuilder;
pub use cell::Full;
pub use compare::{compare, compare_numbers};
pub use convert::SetValue;
pub use edit::{Record, Rejects};
pub use envelope::{push_envelope, to_envelope, types_of};
pub use error::RecordError;
pub use identity::write_identity;
pub use meta::{Extra, Meta};
pub use nested::{ListRef, MapRef};
pub use number::{Decimal, Number, parse_number, parse_number_lenient};
pub use pool::{give_bytes, take_bytes};
pub use record::RecordRef;
pub use schema::{Derived, Field, Schema};
pub use split::{Child, Splitter};
pub use update::{CellOut, StrOut, Update};
pub use value::{NO_ZONE, Ref, Value};
pub use wire::{Unreadable, push_wire, write_wire};

#[cfg(test)]
mod tests;
