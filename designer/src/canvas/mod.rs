//! The canvas: binds `fairway-canvas` to the browser. Nodes are HTML, edges one SVG, both in one element whose CSS
//! transform is the viewport.
//!
//! `board` is the surface and its layers, `node` and `edges` draw, `gesture` says what the pointer is doing, `pointer`
//! and `keys` turn events into gestures and edits, `quick_add` is the small search for components.

mod board;
mod clipboard;
mod controls;
mod edges;
mod gesture;
mod hints;
mod keys;
mod node;
mod pointer;
pub(crate) mod quick_add;
mod surface;

pub(crate) use board::Board;
pub(crate) use node::kind_word;
pub(crate) use pointer::palette_down;
pub(crate) use quick_add::place_beside;
pub(crate) use surface::{Surface, use_surface};
