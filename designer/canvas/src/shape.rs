//! How big a node is and where its ports stand, in world units from its top left corner. Style sheets draw to these
//! figures (`designer/styles/50-canvas.css`).

use crate::geometry::{Point, Rect, Size};

/// Width of every node.
pub const WIDTH: f64 = 224.0;
/// Height of a node with up to three ports on a side.
pub const HEIGHT: f64 = 80.0;
/// Vertical distance of two ports on one side.
pub const PORT_PITCH: f64 = 24.0;
/// Distance of the errors port from the node's right edge.
pub const ERRORS_INSET: f64 = 32.0;

/// A port of a node by rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Port {
    /// Input by rank, on the left.
    Input(usize),
    /// Output by rank, on the right.
    Output(usize),
    /// The errors output, below.
    Errors,
}

impl Port {
    /// Whether records enter here.
    pub fn is_input(self) -> bool {
        matches!(self, Self::Input(_))
    }
}

/// What decides a node's size: how many ports it has on each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    /// Number of inputs.
    pub inputs: usize,
    /// Number of outputs besides errors.
    pub outputs: usize,
}

impl Shape {
    /// Size of the node.
    pub fn size(self) -> Size {
        let most = self.inputs.max(self.outputs) as f64;
        Size::new(WIDTH, HEIGHT.max(((most * PORT_PITCH + 8.0) / 16.0).ceil() * 16.0))
    }

    /// The node's rectangle when it stands at `corner`.
    pub fn rect(self, corner: Point) -> Rect {
        Rect::at(corner, self.size())
    }

    /// Where a port stands, from the node's corner.
    pub fn port(self, port: Port) -> Point {
        let size = self.size();
        let side = |rank: usize, of: usize| {
            size.h / 2.0 + (rank as f64 - (of.max(1) as f64 - 1.0) / 2.0) * PORT_PITCH
        };
        match port {
            Port::Input(rank) => Point::new(0.0, side(rank, self.inputs)),
            Port::Output(rank) => Point::new(size.w, side(rank, self.outputs)),
            Port::Errors => Point::new(size.w - ERRORS_INSET, size.h),
        }
    }

    /// All ports, inputs first.
    pub fn ports(self) -> impl Iterator<Item = Port> {
        (0..self.inputs).map(Port::Input).chain((0..self.outputs).map(Port::Output)).chain([Port::Errors])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_port_stands_in_the_middle() {
        let shape = Shape { inputs: 1, outputs: 1 };
        assert_eq!(shape.size(), Size::new(224.0, 80.0));
        assert_eq!(shape.port(Port::Input(0)), Point::new(0.0, 40.0));
        assert_eq!(shape.port(Port::Output(0)), Point::new(224.0, 40.0));
        assert_eq!(shape.port(Port::Errors), Point::new(192.0, 80.0));
    }

    #[test]
    fn ports_never_leave_the_node() {
        for outputs in 0..20 {
            let shape = Shape { inputs: 1, outputs };
            let rect = shape.rect(Point::default());
            for port in shape.ports() {
                assert!(rect.contains(shape.port(port)), "{port:?} of {shape:?}");
            }
        }
    }
}
