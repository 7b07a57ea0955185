//! designer/canvas
