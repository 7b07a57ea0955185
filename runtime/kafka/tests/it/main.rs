//! The clients over a real broker.

mod clients;
