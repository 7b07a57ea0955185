//! Transforms, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! What a transform is lies in `fairway_engine::transform`, how records look in `fairway_engine::data`.

mod cast_fields;
mod filter_records;
mod mask_fields;
mod set_fields;
#[cfg(test)]
mod testing;

use fairway_engine::component::Component;

/// All transforms, by name.
pub const REGISTRY: &[Component] = &[
    Component::transform::<cast_fields::CastFields>(),
    Component::transform::<filter_records::FilterRecords>(),
    Component::transform::<mask_fields::MaskFields>(),
    Component::transform::<set_fields::SetFields>(),
];

#[cfg(test)]
mod tests {
    use fairway_shared::form;

    use super::REGISTRY;

    #[test]
    fn components_describe_themselves() {
        assert!(REGISTRY.is_sorted_by_key(|component| component.meta.name));
        for component in REGISTRY {
            let spec = component.spec();
            let none: Vec<String> = Vec::new();
            assert_eq!(form::subset_faults(&spec.config_schema), none, "{}", spec.name);
            assert_eq!(form::help_faults(&spec.config_schema), none, "{}", spec.name);
            for example in &spec.examples {
                assert_eq!(component.check(&example.config).unwrap(), [], "{}: {}", spec.name, example.title);
            }
        }
    }
}
