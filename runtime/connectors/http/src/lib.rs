//! Components that speak HTTP, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! | Room | Holds |
//! |---|---|
//! | `http_webhook_source` | records that others send |
//! | `receiving` | how requests are taken and answered |
//! | `http_sink` | records sent to an address |
//! | `sending` | how requests are made, sent and judged |

mod http_sink;
mod http_webhook_source;
mod receiving;
mod sending;
#[cfg(test)]
mod testing;

use fairway_engine::component::Component;

/// All components of HTTP, by name.
pub const REGISTRY: &[Component] = &[
    Component::source::<http_webhook_source::HttpWebhookSource>(),
    Component::sink::<http_sink::HttpSink>().with_probe::<http_sink::HttpSink>(),
];
