//! What the pointer is doing. One gesture at a time; each ends by release, by Esc, or when the window loses the focus.

use fairway_canvas::curve::Tip;
use fairway_canvas::drag::{Marquee, Press};
use fairway_canvas::wiring::End;
use fairway_canvas::{Point, Port};
use fairway_shared::channel::Channel;

use crate::state::editor::{EdgeKey, Selection};

/// A gesture.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Gesture {
    /// Nothing.
    #[default]
    Idle,
    /// The view moves; the last pointer position, in window pixels.
    Pan(Point),
    /// A press on a node: the selected nodes will move once it is a drag.
    Move(Move),
    /// A press on empty canvas: a marquee once it is a drag.
    Area(Area),
    /// A press on a port: an edge once it is a drag.
    Wire(Press),
    /// A port was clicked: an edge follows the pointer until another port is.
    Follow,
    /// A press near an end of an edge: that end comes off once it is a drag.
    Retarget(Press, EdgeKey, Tip),
    /// A component comes from the palette.
    Palette(Press, String),
    /// Alt on empty canvas: a stroke that cuts the edges it crosses, from a place of the world to another.
    Slice(Press, Point, Point),
}

impl Gesture {
    /// Whether something is dragged, so that the border of the surface pans.
    pub(super) fn drags(&self) -> bool {
        match self {
            Self::Idle | Self::Pan(_) | Self::Follow => false,
            Self::Move(Move { press, .. }) | Self::Area(Area { press, .. }) => press.dragging,
            Self::Wire(press) | Self::Retarget(press, ..) | Self::Palette(press, _) => press.dragging,
            Self::Slice(press, ..) => press.dragging,
        }
    }

    /// The view has been panned under the pointer: what was pressed went along.
    pub(super) fn panned(&mut self, by: Point) {
        if let Self::Move(Move { press, .. }) | Self::Area(Area { press, .. }) = self {
            press.start = press.start + by;
        }
    }
}

/// Nodes being moved.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Move {
    /// The press.
    pub(crate) press: Press,
    /// Node under the pointer.
    pub(crate) id: String,
    /// Where each moved node stood.
    pub(crate) from: Vec<(String, Point)>,
    /// What a click without a drag does to the selection.
    pub(crate) click: Click,
    /// Alt: copies are moved and the nodes themselves stay.
    pub(crate) copies: Copies,
}

/// Whether a drag moves nodes or copies of them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Copies {
    /// The nodes.
    No,
    /// Copies, once it is a drag.
    Wanted,
    /// Copies of this part of the document, which are there by now.
    Made(Box<Channel>),
}

/// What a click on a node does when it was no drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Click {
    /// The press has done it already.
    Nothing,
    /// Only this node stays selected.
    Only,
    /// It is added or taken away.
    Toggle,
}

/// A marquee.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Area {
    /// The press.
    pub(crate) press: Press,
    /// What was selected before.
    pub(crate) before: Selection,
    /// Replace, add or subtract.
    pub(crate) how: Marquee,
}

/// An edge with one end on the pointer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Loose {
    /// The end that is fixed.
    pub(crate) end: End,
    /// Where that is, in the world.
    pub(crate) from: Point,
    /// Where the other end is, in the world.
    pub(crate) to: Point,
    /// The port the loose end has snapped to.
    pub(crate) snapped: Option<End>,
    /// Why that port is refused.
    pub(crate) refusal: Option<String>,
    /// The edge that it was until now, when an end of one was taken off.
    pub(crate) replaces: Option<EdgeKey>,
}

impl Loose {
    /// One that has just begun.
    pub(super) fn new(end: End, from: Point, replaces: Option<EdgeKey>) -> Self {
        Self { end, from, to: from, snapped: None, refusal: None, replaces }
    }

    /// The port that decides how the line leaves.
    pub(crate) fn port(&self) -> Port {
        self.end.port
    }
}
