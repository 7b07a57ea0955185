//! How records move and are guarded: the contracts of source, transform and sink, and what is remembered of a channel.
//! No HTTP framework, database or broker is known here; services and faces are `fairway-runtime`.

pub mod component;
pub mod data;
pub mod error;
pub mod files;
pub mod position;
pub mod secret;
pub mod sink;
pub mod source;
pub mod store;
pub mod transform;

pub use error::Error;
