//! What is observed of the channel, passed on to its nodes and edges: counts, rates, fills, troubles, lag, and which step is the
//! cause of back pressure.

use std::collections::HashMap;

use fairway_canvas::pressure;
use fairway_shared::api::status::{ChannelStatus, Lag};
use fairway_shared::component::Kind;
use leptos::prelude::*;

use super::Editor;
use super::views::{put, troubles};

/// Seconds of lag that are worth telling at a node.
const WORTH: f64 = 1.0;

impl Editor {
    /// Passes figures on to nodes and edges as they come.
    pub(super) fn follow_status(self) {
        let status = self.live.status(&self.uid());
        Effect::new(move || {
            status.track();
            self.show_status();
            self.edges.with_untracked(|edges| {
                for edge in edges {
                    if let Some(rate) =
                        edge.status.with_untracked(|status| status.as_ref().map(|status| status.rate))
                    {
                        edge.trail.update(|trail| trail.push(rate));
                    }
                }
            });
        });
    }

    pub(super) fn show_status(self) {
        self.live.status(&self.uid()).with_untracked(|status: &ChannelStatus| {
            let troubles = troubles(status);
            self.nodes.with_untracked(|nodes| {
                let sources = nodes.iter().filter(|node| node.kind == Kind::Source).count();
                let told = status.lag.filter(|lag| sources == 1 && lag.seconds >= WORTH);
                for node in nodes {
                    put(&node.status, &status.nodes.get(&node.id).copied());
                    put(&node.trouble, &troubles.get(node.id.as_str()).cloned());
                    let lag: Option<Lag> = told.filter(|_| node.kind == Kind::Source);
                    put(&node.lag, &lag);
                }
            });
            let passed: HashMap<(&str, &str), _> =
                status.edges.iter().map(|edge| ((edge.from.as_str(), edge.to.as_str()), edge)).collect();
            self.edges.with_untracked(|edges| {
                for edge in edges {
                    let (from, to) = (edge.key.from.to_string(), edge.key.to.to_string());
                    put(
                        &edge.status,
                        &passed.get(&(from.as_str(), to.as_str())).map(|status| (*status).clone()),
                    );
                }
            });
        });
        self.show_pressure();
    }

    /// Marks the one step that most others wait for.
    fn show_pressure(self) {
        let fills: Vec<f64> = self.edges.with_untracked(|edges| {
            let fill = |status: &Option<fairway_shared::api::status::EdgeStatus>| {
                status.as_ref().map_or(0.0, |status| status.fill)
            };
            edges.iter().map(|edge| edge.status.with_untracked(fill)).collect()
        });
        let full = fills.iter().any(|fill| *fill > pressure::FULL);
        let links: Vec<_> = if full {
            self.joints().iter().map(|joint| (joint.from.node, joint.to.node)).collect()
        } else {
            Vec::new()
        };
        self.nodes.with_untracked(|nodes| {
            let cause = pressure::causes(nodes.len(), &links, &fills).into_iter().next();
            for (rank, node) in nodes.iter().enumerate() {
                put(&node.slow, &cause.filter(|cause| cause.node == rank).map(|cause| cause.waiting));
            }
        });
    }
}
