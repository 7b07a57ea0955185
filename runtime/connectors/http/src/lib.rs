//! Components that speak HTTP, one file each; [`REGISTRY`] is what the runtime knows of them.

use fairway_engine::component::Component;

/// All components of HTTP, by name.
pub const REGISTRY: &[Component] = &[];
