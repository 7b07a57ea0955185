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
