//! The pages: all channels, the canvas of one, connections, settings.

pub(crate) mod canvas;
pub(crate) mod channels;
pub(crate) mod cluster;
pub(crate) mod connections;
pub(crate) mod settings;
