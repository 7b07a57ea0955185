//! For tests of this and other crates: components in memory that fail on demand, a store in memory that survives a
//! "crash", a bench to run drawings of them, and what every component and every transform owes.
//!
//! Nothing here is in a product build (feature `testkit`).

mod bench;
mod counts;
mod describe;
mod faulty;
#[cfg(test)]
mod laws;
pub mod measure;
mod sink;
mod sink_laws;
#[cfg(target_os = "linux")]
mod small_disk;
mod source;
mod source_laws;
mod store;
mod transform;
mod transform_laws;

pub use bench::{Bench, Drawing};
pub use counts::{cases, counts};
pub use describe::describe_themselves;
pub use faulty::{Fault, Script, faulty};
pub use sink::{Faults, MEMORY_SINK, PLAIN_SINK, Shelf, shelf};
pub use sink_laws::{SinkFixture, sink_conforms};
#[cfg(target_os = "linux")]
pub use small_disk::SmallDisk;
pub use source::MEMORY_SOURCE;
pub use source_laws::{SourceFixture, source_conforms};
pub use store::MemoryStore;
pub use transform::{PANIC_AT, REFUSE_EVEN};
pub use transform_laws::transform_conforms;
