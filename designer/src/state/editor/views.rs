//! The document as signals: one set a node, one an edge, so that a change redraws only what it touches.

use std::collections::HashMap;
use std::sync::Arc;

use crate::drawer::Drift;
use fairway_canvas::spark::Trail;
use fairway_canvas::viewport::Detail;
use fairway_canvas::{Curve, Point, Port, Rect, Shape};
use fairway_shared::api::status::{ChannelState, ChannelStatus, EdgeStatus, Lag, NodeStatus};
use fairway_shared::channel::{Channel, ERRORS, Edge, Node, PortRef};
use fairway_shared::component::Kind;
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::state::{Catalog, NodePorts};

/// How many findings there are about a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Findings {
    /// Keep the channel from being deployed.
    pub(crate) errors: usize,
    /// Worth a look.
    pub(crate) warnings: usize,
}

/// A node as the canvas draws it.
pub(crate) struct NodeView {
    /// Its id.
    pub(crate) id: String,
    /// Its component.
    pub(crate) component: String,
    /// Source, transform or sink.
    pub(crate) kind: Kind,
    /// Its ports; settings may change them.
    pub(crate) ports: ArcRwSignal<NodePorts>,
    /// Top left corner in the world.
    pub(crate) at: ArcRwSignal<Point>,
    /// Title as written, when there is one.
    pub(crate) title: ArcRwSignal<Option<String>>,
    /// Config.
    pub(crate) config: ArcRwSignal<Map<String, Value>>,
    /// Whether it is selected.
    pub(crate) selected: ArcRwSignal<bool>,
    /// How many edges enter and leave it.
    pub(crate) degrees: ArcRwSignal<(usize, usize)>,
    /// Findings about it.
    pub(crate) findings: ArcRwSignal<Findings>,
    /// Counts and rates, once it was deployed.
    pub(crate) status: ArcRwSignal<Option<NodeStatus>>,
    /// The state of its channel or task that it is the cause of, and why.
    pub(crate) trouble: ArcRwSignal<Option<(ChannelState, String)>>,
    /// Fields that its settings name and that none of the sample records has.
    pub(crate) missing: ArcRwSignal<Vec<String>>,
    /// How far targets are behind what it read: of a channel's only source, while that is worth telling.
    pub(crate) lag: ArcRwSignal<Option<Lag>>,
    /// How many steps wait for this one, where it is the cause of back pressure.
    pub(crate) slow: ArcRwSignal<Option<usize>>,
    /// How much of it is drawn.
    pub(crate) detail: ArcRwSignal<Detail>,
}

impl NodeView {
    /// Signals for a node of the document. A node without a place stands at `place`.
    pub(super) fn of(node: &Node, place: Point, catalog: &Catalog) -> Self {
        Self {
            id: node.id.clone(),
            component: node.component.clone(),
            kind: catalog.kind(&node.component),
            ports: ArcRwSignal::new(catalog.ports(&node.component, &node.config)),
            at: ArcRwSignal::new(place),
            title: ArcRwSignal::new(node.title.clone()),
            config: ArcRwSignal::new(node.config.clone()),
            selected: ArcRwSignal::new(false),
            degrees: ArcRwSignal::new((0, 0)),
            findings: ArcRwSignal::new(Findings::default()),
            status: ArcRwSignal::new(None),
            trouble: ArcRwSignal::new(None),
            missing: ArcRwSignal::new(Vec::new()),
            lag: ArcRwSignal::new(None),
            slow: ArcRwSignal::new(None),
            detail: ArcRwSignal::new(Detail::Full),
        }
    }

    /// Takes over what the document says now; signals fire only where it differs.
    pub(super) fn take(&self, node: &Node, place: Option<Point>, catalog: &Catalog) {
        put(&self.title, &node.title);
        if self.config.with_untracked(|known| *known != node.config) {
            put(&self.ports, &catalog.ports(&node.component, &node.config));
            self.config.set(node.config.clone());
        }
        if let Some(place) = place {
            put(&self.at, &place);
        }
    }

    /// Size and places of its ports, untracked.
    pub(crate) fn shape(&self) -> Shape {
        self.ports.with_untracked(NodePorts::shape)
    }

    /// Its rectangle, untracked.
    pub(crate) fn rect(&self) -> Rect {
        self.shape().rect(self.at.get_untracked())
    }

    /// Where a port stands in the world. Tracks the node's place and ports.
    pub(crate) fn port_at(&self, port: Port) -> Point {
        self.at.get() + self.ports.with(|ports| ports.shape().port(port))
    }

    /// Where a port stands in the world, untracked.
    pub(crate) fn port_at_untracked(&self, port: Port) -> Point {
        self.at.get_untracked() + self.shape().port(port)
    }

    /// The port that an edge's end means. One that is not there (any more) is drawn from the first; a finding tells of it.
    pub(crate) fn port_of(&self, end: &PortRef, input: bool) -> Port {
        let rank = |names: &[String]| {
            end.port.as_ref().and_then(|name| names.iter().position(|known| known == name)).unwrap_or(0)
        };
        self.ports.with_untracked(|ports| match input {
            true => Port::Input(rank(&ports.inputs)),
            false if end.is_errors() => Port::Errors,
            false => Port::Output(rank(&ports.outputs)),
        })
    }

    /// How an edge writes a port: by the node alone where that is enough.
    pub(crate) fn port_ref(&self, port: Port) -> PortRef {
        let port = self.ports.with_untracked(|ports| match port {
            Port::Input(rank) => ports.inputs.get(rank).filter(|_| rank > 0).cloned(),
            Port::Output(rank) => ports.output(rank).cloned(),
            Port::Errors => Some(ERRORS.to_owned()),
        });
        PortRef { node: self.id.clone(), port }
    }

    /// The name of a port in hooks and labels.
    pub(crate) fn port_name(&self, port: Port) -> String {
        self.ports.with_untracked(|ports| match port {
            Port::Input(rank) => ports.inputs.get(rank).cloned().unwrap_or_else(|| "in".to_owned()),
            Port::Output(rank) => ports.outputs.get(rank).cloned().unwrap_or_else(|| "out".to_owned()),
            Port::Errors => ERRORS.to_owned(),
        })
    }
}

/// Which edge: its ends as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct EdgeKey {
    /// Output or errors port.
    pub(crate) from: PortRef,
    /// Input port.
    pub(crate) to: PortRef,
}

impl EdgeKey {
    /// The key of an edge of the document.
    pub(crate) fn of(edge: &Edge) -> Self {
        Self { from: edge.from.clone(), to: edge.to.clone() }
    }

    /// As hooks write it: `from>to`.
    pub(crate) fn hook(&self) -> String {
        format!("{}>{}", self.from, self.to)
    }
}

/// An edge as the canvas draws it.
pub(crate) struct EdgeView {
    /// Which edge.
    pub(crate) key: EdgeKey,
    /// Node it leaves.
    pub(crate) from: Arc<NodeView>,
    /// Port it leaves.
    pub(crate) from_port: Port,
    /// Node it enters.
    pub(crate) to: Arc<NodeView>,
    /// Port it enters.
    pub(crate) to_port: Port,
    /// Whether it is selected.
    pub(crate) selected: ArcRwSignal<bool>,
    /// What passes it, once it was deployed.
    pub(crate) status: ArcRwSignal<Option<EdgeStatus>>,
    /// Its last rates.
    pub(crate) trail: ArcRwSignal<Trail>,
    /// What samples show of its fields otherwise than when the version in force was deployed.
    pub(crate) drift: ArcRwSignal<Vec<Drift>>,
}

impl EdgeView {
    /// Signals for an edge, when both its nodes exist.
    pub(super) fn of(edge: &Edge, node: impl Fn(&str) -> Option<Arc<NodeView>>) -> Option<Self> {
        let (from, to) = (node(&edge.from.node)?, node(&edge.to.node)?);
        Some(Self {
            key: EdgeKey::of(edge),
            from_port: from.port_of(&edge.from, false),
            to_port: to.port_of(&edge.to, true),
            from,
            to,
            selected: ArcRwSignal::new(false),
            status: ArcRwSignal::new(None),
            trail: ArcRwSignal::new(Trail::default()),
            drift: ArcRwSignal::new(Vec::new()),
        })
    }

    /// Its line. Tracks the places of both nodes.
    pub(crate) fn curve(&self) -> Curve {
        curve(self.from_port, self.from.port_at(self.from_port), self.to.port_at(self.to_port))
    }

    /// Its line, untracked.
    pub(crate) fn curve_untracked(&self) -> Curve {
        curve(
            self.from_port,
            self.from.port_at_untracked(self.from_port),
            self.to.port_at_untracked(self.to_port),
        )
    }
}

/// The line from a port to a point on the left of something.
pub(crate) fn curve(port: Port, from: Point, to: Point) -> Curve {
    if port == Port::Errors { Curve::downwards(from, to) } else { Curve::sideways(from, to) }
}

/// The states that nodes are the cause of, of the whole channel and of tasks, by the node's id.
pub(super) fn troubles(status: &ChannelStatus) -> HashMap<&str, (ChannelState, String)> {
    use ChannelState::{Degraded, Failed, Hold, Restarting};
    let tasks = status.tasks.iter().map(|task| (task.state, task.cause.as_ref()));
    let all = tasks.chain([(status.state, status.cause.as_ref())]);
    let told = all.filter(|(state, _)| matches!(state, Degraded | Failed | Hold | Restarting));
    told.filter_map(|(state, cause)| {
        let cause = cause?;
        Some((cause.node.as_deref()?, (state, cause.message.clone())))
    })
    .collect()
}

/// Sets a signal when it differs.
pub(super) fn put<T: Clone + PartialEq + Send + Sync + 'static>(signal: &ArcRwSignal<T>, value: &T) {
    if signal.with_untracked(|known| known != value) {
        signal.set(value.clone());
    }
}

/// The place of a node in the layout.
pub(super) fn place_of(channel: &Channel, id: &str) -> Option<Point> {
    channel.layout.nodes.get(id).map(|spot| Point::new(spot.x, spot.y))
}
