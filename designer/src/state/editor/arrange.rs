//! Where nodes stand relative to each other: layers, rows, columns; and what hangs together.

use fairway_canvas::align::{Align, aligned};
use fairway_canvas::{Point, graph, tidy};
use fairway_shared::edit::Command;
use leptos::prelude::*;

use super::edits::spot;
use super::{Editor, Selection};

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
