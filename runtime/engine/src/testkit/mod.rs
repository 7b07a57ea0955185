//! For tests of this and other crates: components in memory that fail on demand, a store in memory that survives a
//! "crash", and a bench to run drawings of them.
//!
//! Nothing here is in a product build (feature `testkit`).

mod bench;
mod sink;
mod source;
mod store;
mod transform;

pub use bench::{Bench, Drawing};
pub use sink::{Faults, MEMORY_SINK, PLAIN_SINK, Shelf, shelf};
pub use source::MEMORY_SOURCE;
pub use store::MemoryStore;
pub use transform::{PANIC_AT, REFUSE_EVEN};
