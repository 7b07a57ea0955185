//! The components that the server has, by name.

use std::collections::HashMap;

use fairway_canvas::Shape;
use fairway_shared::component::{ComponentSpec, Kind};

/// All components, in the server's order.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    specs: Vec<ComponentSpec>,
    by_name: HashMap<String, usize>,
}

impl Catalog {
    /// A catalog of these components.
    pub(crate) fn new(specs: Vec<ComponentSpec>) -> Self {
        let by_name = specs.iter().enumerate().map(|(at, spec)| (spec.name.clone(), at)).collect();
        Self { specs, by_name }
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[ComponentSpec] {
        &self.specs
    }

    /// The component of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&ComponentSpec> {
        self.by_name.get(name).map(|at| &self.specs[*at])
    }

    /// Source, transform or target; an unknown component is taken for a transform, which can be wired on both sides.
    pub(crate) fn kind(&self, name: &str) -> Kind {
        self.get(name).map_or(Kind::Transform, |spec| spec.kind)
    }

    /// What a node of this component looks like. An unknown one has a port on each side, so that its edges are seen.
    pub(crate) fn shape(&self, name: &str) -> Shape {
        self.get(name).map_or(Shape { inputs: 1, outputs: 1 }, |spec| Shape {
            inputs: spec.ports.inputs.len(),
            outputs: spec.ports.outputs.len(),
        })
    }
}
