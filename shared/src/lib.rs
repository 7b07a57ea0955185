//! The pure heart of Fairway: what a document means, whether it is sound, what it compiles to, how it is edited,
//! and what crosses the HTTP boundary. No I/O, no clock, no randomness; builds natively and for wasm32.
//!
//! | Room | Holds |
//! |---|---|
//! | [`channel`] | the document a user draws, its text form, older versions |
//! | [`connection`] | access data of external systems, and bundles of documents |
//! | [`component`] | what can be placed: kind, ports, delivery, config schema |
//! | [`form`] | config schema to form |
//! | [`diagnostic`], [`validate`] | everything that is wrong with a document, all at once |
//! | [`plan`] | the physical form of a channel, and what a deploy would change |
//! | [`edit`] | commands with inverses: undo and redo |
//! | [`types`] | the types a document may name for a column |
//! | [`secret`] | references to secrets in texts |
//! | [`canonical`], [`mod@pointer`], [`suggest`], [`fnv1a`] | canonical JSON text, JSON pointers, "did you mean", a hash that stays |
//! | [`api`] | endpoints, answers, events, problems |
#![warn(missing_docs)]

pub mod api;
pub mod canonical;
pub mod channel;
pub mod component;
pub mod connection;
pub mod diagnostic;
pub mod edit;
mod fnv;
pub mod form;
pub mod plan;
pub mod pointer;
pub mod secret;
pub mod suggest;
pub mod types;
pub mod validate;

pub use fnv::fnv1a;
