//! The Fairway runtime: everything between the engine that moves records and the people who draw channels.
//!
//! | Room | Holds |
//! |---|---|
//! | [`services`] | what is remembered, as traits, and the local backend |
#![warn(missing_docs)]

pub mod clock;
pub mod services;
