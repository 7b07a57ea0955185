//! Every component there is: each family's list, put together once.

use std::collections::BTreeMap;

use fairway_engine::component::Component;
use fairway_shared::component::ComponentSpec;

/// Components by name, with what each says about itself.
#[derive(Debug, Clone)]
pub struct Registry {
    components: BTreeMap<&'static str, Component>,
    specs: Vec<ComponentSpec>,
}

impl Registry {
    /// Everything this build carries.
    pub fn standard() -> Self {
        Self::of([
            fairway_connector_builtin::REGISTRY,
            fairway_connector_file::REGISTRY,
            fairway_connector_http::REGISTRY,
            fairway_connector_kafka::REGISTRY,
            fairway_connector_sql::REGISTRY,
            fairway_transforms::REGISTRY,
        ])
    }

    /// These families.
    pub fn of<'c>(families: impl IntoIterator<Item = &'c [Component]>) -> Self {
        let components: BTreeMap<_, _> =
            families.into_iter().flatten().map(|component| (component.meta.name, *component)).collect();
        let mut specs: Vec<_> = components.values().map(Component::spec).collect();
        specs.sort_by(|one, other| (one.kind, &one.name).cmp(&(other.kind, &other.name)));
        Self { components, specs }
    }

    /// The component with this name.
    pub fn get(&self, name: &str) -> Option<&Component> {
        self.components.get(name)
    }

    /// What every component says about itself, by kind, then name.
    pub fn specs(&self) -> &[ComponentSpec] {
        &self.specs
    }

    /// What one component says about itself.
    pub fn spec(&self, name: &str) -> Option<&ComponentSpec> {
        self.specs.iter().find(|spec| spec.name == name)
    }
}
