//! Tests of the crate as its users see it. Units are tested beside the code.

mod form;
mod text;
