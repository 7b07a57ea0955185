//! The Fairway runtime: everything between the engine that moves records and the people who draw channels.
//!
//! | Room | Holds |
//! |---|---|
//! | [`cli`] | the `fairway` command |
//! | [`server`] | all of it in one process |
//! | [`api`] | HTTP: endpoints, events, pages, safety |
//! | [`controller`] | the facade that every face talks to |
//! | [`events`] | what happened, for listeners |
//! | [`services`] | what is remembered, as traits, with a local backend and one on Kafka |
//! | [`crew`] | a worker's part in a cluster: what is granted to it, what is known of the others, the leader's duties |
//! | [`seat`] | a worker's place in a cluster: drives the protocol by which workers share tasks |
//! | `schedule` | when a scheduled channel runs |
//! | `check`, [`compile`] | all that is wrong with a document; its plan |
//! | `tap` | looks at records that pass an edge, and what of them must not be shown |
//! | `trial` | previews on samples, tests of connections: nothing is moved |
//! | `worker` | runs the tasks of deployed channels |
//! | `room` | the threads that they run on |
//! | [`hooks`] | the server's port, lent to sources that others call |
//! | [`registry`] | every component there is |
//! | [`docs`] | pages written from the code |
//! | [`problem`] | refusals and their codes |
//! | [`periodic`] | work that is done again and again, and at once when woken |
//! | [`config`], [`telemetry`], [`clock`] | where data lies, who may connect; logs; the time |
#![warn(missing_docs)]

pub mod api;
mod check;
pub mod cli;
pub mod clock;
pub mod compile;
pub mod config;
pub mod controller;
pub mod crew;
pub mod docs;
pub mod events;
mod file_name;
pub mod hooks;
pub mod periodic;
pub mod problem;
mod redact;
mod references;
pub mod registry;
mod room;
mod schedule;
pub mod seat;
pub mod server;
pub mod services;
mod tap;
pub mod telemetry;
mod trial;
mod worker;
