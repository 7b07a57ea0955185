//! Tests of the crate as its users see it. Units are tested beside the code.
#![allow(clippy::unwrap_used)]

mod edit;
mod errors_page;
mod form;
mod generated;
mod robustness;
mod schema;
mod specs;
mod text;
mod validate;
