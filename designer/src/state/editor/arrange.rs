//! Where nodes stand relative to each other: layers, rows, columns; and what hangs together.

use std::collections::HashMap;

use fairway_canvas::align::{Align, aligned};
use fairway_canvas::placement::PITCH_Y;
use fairway_canvas::{Point, Rect, Shape, graph, tidy};
use fairway_shared::channel::{Channel, Node};
use fairway_shared::edit::Command;
use leptos::prelude::*;

use super::edits::spot;
use super::{Editor, Selection};
use crate::state::Catalog;

/// Gives every node a place. Done once, as a channel is opened, so that what is moved later leaves the others where they
/// were seen.
pub(super) fn lay_out(channel: &mut Channel, catalog: &Catalog) {
    let missing = missing_places(channel, catalog);
    channel.layout.nodes.extend(missing.into_iter().map(|(id, place)| (id, spot(place))));
}

/// Places for the nodes that the layout does not place: in layers, below those that it does.
pub(super) fn missing_places(channel: &Channel, catalog: &Catalog) -> HashMap<String, Point> {
    let nodes: Vec<&Node> =
        channel.spec.nodes.iter().filter(|node| !channel.layout.nodes.contains_key(&node.id)).collect();
    if nodes.is_empty() {
        return HashMap::new();
    }
    let rank: HashMap<&str, usize> =
        nodes.iter().enumerate().map(|(rank, node)| (node.id.as_str(), rank)).collect();
    let links: Vec<(usize, usize)> = channel
        .spec
        .edges
        .iter()
        .filter_map(|edge| Some((*rank.get(edge.from.node.as_str())?, *rank.get(edge.to.node.as_str())?)))
        .collect();
    let sizes: Vec<_> =
        nodes.iter().map(|node| catalog.ports(&node.component, &node.config).shape().size()).collect();
    let placed = Rect::around(
        channel
            .layout
            .nodes
            .values()
            .map(|spot| Rect::at(Point::new(spot.x, spot.y), Shape::default().size())),
    );
    let origin =
        placed.map_or_else(Point::default, |placed| Point::new(placed.x, placed.bottom() + PITCH_Y / 2.0));
    let corners = tidy::layered(&sizes, &links, origin);
    nodes.iter().map(|node| node.id.clone()).zip(corners).collect()
}

impl Editor {
    /// Lays all nodes (or the selected ones, when several are) out in layers.
    pub(crate) fn tidy(self) {
        let selected = self.selected_nodes();
        let nodes = if selected.len() > 1 { selected } else { self.nodes.get_untracked() };
        let Some(around) = fairway_canvas::Rect::around(nodes.iter().map(|node| node.rect())) else { return };
        let rank = |id: &str| nodes.iter().position(|node| node.id == id);
        let links: Vec<(usize, usize)> = self.edges.with_untracked(|edges| {
            edges.iter().filter_map(|edge| Some((rank(&edge.from.id)?, rank(&edge.to.id)?))).collect()
        });
        let sizes: Vec<_> = nodes.iter().map(|node| node.shape().size()).collect();
        let corners = tidy::layered(&sizes, &links, Point::new(around.x, around.y));
        let spots = nodes.iter().zip(corners).map(|(node, corner)| (node.id.clone(), spot(corner))).collect();
        self.close_entry();
        self.run(Command::MoveNodes { spots });
        self.close_entry();
    }

    /// Brings the selected nodes into line, or to equal distances.
    pub(crate) fn align(self, how: Align) {
        let nodes = self.selected_nodes();
        let rects: Vec<_> = nodes.iter().map(|node| node.rect()).collect();
        let corners = aligned(&rects, how);
        let spots = nodes.iter().zip(corners).map(|(node, corner)| (node.id.clone(), spot(corner))).collect();
        self.close_entry();
        self.run(Command::MoveNodes { spots });
        self.close_entry();
    }

    /// Adds to the selection all that leads to it, or all that it leads to.
    pub(crate) fn select_along(self, forwards: bool) {
        let nodes = self.nodes.get_untracked();
        let links: Vec<_> = self.joints().iter().map(|joint| (joint.from.node, joint.to.node)).collect();
        let mut chosen = vec![false; nodes.len()];
        for rank in (0..nodes.len()).filter(|rank| nodes[*rank].selected.get_untracked()) {
            let reached = graph::reach(nodes.len(), &links, rank, !forwards);
            chosen.iter_mut().zip(reached).for_each(|(chosen, reached)| *chosen |= reached);
        }
        let ids = nodes.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(node, _)| node.id.clone());
        self.select(Selection::of_nodes(ids.collect::<Vec<_>>()));
    }
}

#[cfg(test)]
mod tests {
    use fairway_shared::channel::text;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_no_layout_places_lies_in_layers_below_the_rest() {
        let channel = |layout: serde_json::Value| {
            let value = json!({ "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "n" },
                "spec": { "nodes": [{ "id": "a", "component": "x" }, { "id": "b", "component": "x" }, { "id": "c", "component": "x" }],
                    "edges": [{ "from": "a", "to": "b" }, { "from": "a", "to": "c" }] },
                "layout": { "nodes": layout } });
            text::from_value(&value).0.unwrap()
        };
        let places = missing_places(&channel(json!({})), &Catalog::default());
        assert!(places["a"].x < places["b"].x && places["b"].x == places["c"].x);
        assert!(places["b"].y != places["c"].y);
        let places = missing_places(&channel(json!({ "a": { "x": 0, "y": 400 } })), &Catalog::default());
        assert!(!places.contains_key("a") && places.values().all(|place| place.y > 400.0));
        let all = json!({ "a": { "x": 0, "y": 0 }, "b": { "x": 0, "y": 0 }, "c": { "x": 0, "y": 0 } });
        assert!(missing_places(&channel(all), &Catalog::default()).is_empty());
    }
}
