//! Transforms need no fixture: their own examples are the settings.

use fairway_engine::testkit::transform_conforms;
use fairway_runtime::registry::Registry;
use fairway_shared::component::Kind;

#[test]
fn every_transform_keeps_the_laws() {
    let registry = Registry::standard();
    let transforms = registry.specs().iter().filter(|spec| spec.kind == Kind::Transform);
    let mut held = 0;
    for spec in transforms {
        transform_conforms(registry.get(&spec.name).unwrap());
        held += 1;
    }
    assert!(held >= 12, "only {held} transforms were held to the laws");
}
