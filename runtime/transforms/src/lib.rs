//! Transforms, one file each; [`REGISTRY`] is what the runtime knows of them.
//!
//! What a transform is lies in `fairway_engine::transform`, how records look in `fairway_engine::data`. What several of
//! them share: `rules` (rules about fields), `paths` (dotted paths into values), `found_fields` (fields that records
//! bring to light).

mod cast_fields;
mod convert_time;
mod dedupe_records;
mod filter_records;
mod flatten_fields;
mod found_fields;
mod mask_fields;
mod paths;
mod rename_fields;
mod route_records;
mod rules;
#[cfg(test)]
mod running;
mod select_fields;
mod set_fields;
mod split_records;
#[cfg(test)]
mod testing;
mod validate_records;

use fairway_engine::component::Component;

/// All transforms, by name.
pub const REGISTRY: &[Component] = &[
    Component::transform::<cast_fields::CastFields>(),
    Component::transform::<convert_time::ConvertTime>(),
    Component::transform::<dedupe_records::DedupeRecords>(),
    Component::transform::<filter_records::FilterRecords>(),
    Component::transform::<flatten_fields::FlattenFields>(),
    Component::transform::<mask_fields::MaskFields>(),
    Component::transform::<rename_fields::RenameFields>(),
    Component::transform::<route_records::RouteRecords>(),
    Component::transform::<select_fields::SelectFields>(),
    Component::transform::<set_fields::SetFields>(),
    Component::transform::<split_records::SplitRecords>(),
    Component::transform::<validate_records::ValidateRecords>(),
];

#[cfg(test)]
mod tests {
    use fairway_engine::testkit::{describe_themselves, transform_conforms};

    use super::REGISTRY;

    #[test]
    fn components_describe_themselves() {
        describe_themselves(REGISTRY);
    }

    #[test]
    fn every_transform_keeps_the_laws() {
        REGISTRY.iter().for_each(transform_conforms);
    }
}
