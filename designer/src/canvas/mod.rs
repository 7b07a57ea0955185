//! The canvas: binds `fairway-canvas` to the browser. Nodes are HTML, edges one SVG, both in one element whose CSS
//! transform is the viewport.
//!
//! | File | Holds |
//! |---|---|
//! | `board`, `surface` | the surface's layers; its state |
//! | `drawing`, `node`, `summary`, `edges` | what is drawn and when; the line about a node's settings |
//! | `compared` | what lies between a version and the drawing |
//! | `export` | the channel as a picture |
//! | `cards` | notes and frames of groups |
//! | `minimap`, `controls`, `hints`, `sheet` | the small map; buttons; words on the surface; the sheet of keys |
//! | `gesture`, `pointer`, `wires`, `border` | what the pointer is doing; loose edges; panning at the border |
//! | `actions`, `keys`, `clipboard` | all that keys and the command palette can do |
//! | `commands`, `picker`, `joining`, `replacing`, `quick_add` | searches: for actions and nodes, for an end, for another component, for components |
//! | `address` | what the address says about the view, and the other way round |

mod actions;
mod address;
mod board;
mod border;
mod cards;
mod clipboard;
mod commands;
mod compared;
mod controls;
mod drawing;
mod edges;
mod export;
mod gesture;
mod hints;
mod joining;
mod keys;
mod minimap;
mod node;
mod picker;
mod pointer;
pub(crate) mod quick_add;
mod replacing;
mod sheet;
mod summary;
mod surface;
mod wires;

pub(crate) use actions::menu_item;
pub(crate) use board::Board;
pub(crate) use node::kind_word;
pub(crate) use pointer::palette_down;
pub(crate) use quick_add::place_beside;
pub(crate) use sheet::KeyTable;
pub(crate) use surface::{Surface, begin_guide, use_surface};
