//! The pages: all channels, and the canvas of one.

pub(crate) mod canvas;
pub(crate) mod channels;
