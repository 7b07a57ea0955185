//! Tests of the crate as its users see it. Units are tested beside the code.

mod edit;
mod form;
mod specs;
mod text;
