//! The components that the server has, by name.

use std::collections::HashMap;

use fairway_canvas::Shape;
use fairway_shared::component::{ComponentSpec, Kind, Port};
use fairway_shared::form::{self, FormModel};
use serde_json::{Map, Value};

use crate::i18n::components;

/// The outside system of a component, as connections call it: `postgres_sink` belongs to `postgres`.
pub(crate) fn connector_of(component: &str) -> &str {
    component.split('_').next().unwrap_or(component)
}

/// A kind of outside system that connections can be made for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Connector {
    /// As connections write it.
    pub(crate) name: String,
    /// Family, for its picture.
    pub(crate) family: String,
    /// What is set in a connection of it.
    pub(crate) form: FormModel,
    /// Component that tests a connection of it.
    pub(crate) prober: Option<String>,
}

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

    /// The systems that connections can be made for, by name.
    pub(crate) fn connectors(&self) -> Vec<Connector> {
        let mut names: Vec<&str> = self.specs.iter().map(|spec| connector_of(&spec.name)).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().filter_map(|name| self.connector(name)).collect()
    }

    /// The access data that the components of a system have in common, in the words of the first that has them.
    pub(crate) fn connector(&self, name: &str) -> Option<Connector> {
        let mine = || self.specs.iter().filter(|spec| connector_of(&spec.name) == name);
        let access = |spec: &ComponentSpec| {
            let mut form = form::model(&spec.config_schema);
            let connects = form.field("connection").is_some();
            components::localise(&mut form, &spec.name);
            form.fields.retain(|field| field.access);
            form.groups.clear();
            form.fields.iter_mut().for_each(|field| field.group = None);
            (connects && !form.fields.is_empty()).then_some(form)
        };
        let (spec, form) = mine().find_map(|spec| Some((spec, access(spec)?)))?;
        Some(Connector {
            name: name.to_owned(),
            family: spec.family.clone(),
            form,
            prober: mine().find(|spec| spec.probe).map(|spec| spec.name.clone()),
        })
    }

    /// Source, transform or target; an unknown component is taken for a transform, which can be wired on both sides.
    pub(crate) fn kind(&self, name: &str) -> Kind {
        self.get(name).map_or(Kind::Transform, |spec| spec.kind)
    }

    /// What a fresh node of this component looks like.
    pub(crate) fn shape(&self, name: &str) -> Shape {
        self.ports(name, &Map::new()).shape()
    }

    /// The ports of a node with these settings. One of an unknown component has a port on each side, so that its edges are
    /// seen.
    pub(crate) fn ports(&self, name: &str, config: &Map<String, Value>) -> NodePorts {
        let Some(spec) = self.get(name) else { return NodePorts::default() };
        let ports = spec.ports_for(config);
        let names = |ports: &[Port]| ports.iter().map(|port| port.name.clone()).collect();
        NodePorts {
            known: true,
            inputs: names(&ports.inputs),
            outputs: names(&ports.outputs),
            named: ports.outputs_from.is_some(),
        }
    }
}

/// The ports of a node, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct NodePorts {
    /// Whether its component is.
    known: bool,
    /// Inputs as edges write them.
    pub(crate) inputs: Vec<String>,
    /// Outputs as edges write them.
    pub(crate) outputs: Vec<String>,
    /// Whether edges must name the output, because settings may add others before it.
    pub(crate) named: bool,
}

impl NodePorts {
    /// Size and places.
    pub(crate) fn shape(&self) -> Shape {
        match self.known {
            true => Shape { inputs: self.inputs.len(), outputs: self.outputs.len() },
            false => Shape { inputs: 1, outputs: 1 },
        }
    }

    /// How an edge calls the output of this rank; nothing for one that needs no name.
    pub(crate) fn output(&self, rank: usize) -> Option<&String> {
        self.outputs.get(rank).filter(|_| rank > 0 || self.named)
    }
}
