//! Pure geometry and gestures of the canvas: no DOM, no signals, no I/O. The designer's `canvas` folder binds this to
//! the browser; what a channel means is `fairway-shared`'s business.
//!
//! Two spaces: *world* units are what the document's layout stores, *screen* pixels are what a pointer event gives.
//! [`Viewport`] turns one into the other; everything else says in its name or doc which one it takes.
//!
//! | Room | Holds |
//! |---|---|
//! | [`geometry`] | points, sizes, rectangles |
//! | [`viewport`] | pan, zoom about a point, fit |
//! | [`shape`] | how big a node is and where its ports stand |
//! | [`curve`] | the Bézier of an edge: path, bounds, distance |
//! | [`graph`] | reachability, topological order, layers |
//! | [`wiring`] | which joints are allowed and why not; the nearest port |
//! | [`drag`] | threshold, grid snap, marquee, panning at the border |
//! | [`guides`], [`align`] | lines to neighbours while one drags; several nodes in line |
//! | [`cull`] | what is worth drawing |
//! | [`minimap`], [`spark`] | the small map; the line of an edge's last rates |
//! | [`pressure`] | which step is the cause of full edges |
//! | [`picture`] | a channel as an SVG document |
//! | [`fuzzy`] | how well a text answers a search |
//! | [`placement`], [`tidy`] | where a new node goes; the layered layout |
#![warn(missing_docs)]

pub mod align;
pub mod cull;
pub mod curve;
pub mod drag;
pub mod fuzzy;
pub mod geometry;
pub mod graph;
pub mod guides;
pub mod minimap;
pub mod picture;
pub mod placement;
pub mod pressure;
pub mod shape;
pub mod spark;
pub mod tidy;
pub mod viewport;
pub mod wiring;

pub use curve::Curve;
pub use geometry::{Point, Rect, Size};
pub use shape::{Port, Shape};
pub use viewport::Viewport;
