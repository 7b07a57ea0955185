//! Components that speak HTTP, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `http_webhook_source` | records that others send |
//! | `receiving` | how requests are taken and answered |

mod http_webhook_source;
mod receiving;
#[cfg(test)]
mod testing;

use fairway_engine::component::Component;

/// All components of HTTP, by name.
pub const REGISTRY: &[Component] = &[Component::source::<http_webhook_source::HttpWebhookSource>()];
