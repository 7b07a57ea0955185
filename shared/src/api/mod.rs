//! What crosses the HTTP boundary, written once for server, browser, CLI and the OpenAPI description.
//!
//! [`endpoint`] says what an endpoint is; the other files hold the endpoints of one subject each with their requests and
//! answers. No numbers in tagged or flattened types: see the workspace's note on `arbitrary_precision`.

pub mod channels;
pub mod cluster;
pub mod connections;
pub mod dead_letters;
pub mod endpoint;
pub mod events;
pub mod preview;
pub mod problem;
pub mod status;
pub mod system;
pub mod taps;

pub use endpoint::{Endpoint, Method, None};
pub use problem::Problem;
