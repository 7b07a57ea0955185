//! What every component's description owes, over any list of components.

use fairway_shared::form::{self, FieldKind};

use crate::component::Component;

/// Checks that components describe themselves: they come by name, their schemas make forms with help for every field,
/// their examples open no faults, and what names outputs is a setting.
///
/// # Panics
/// With all that is wrong, by component.
pub fn describe_themselves(registry: &[Component]) {
    assert!(!registry.is_empty(), "there is nothing to describe");
    assert!(registry.is_sorted_by_key(|component| component.meta.name), "components come by name");
    let faults: Vec<String> = registry
        .iter()
        .flat_map(|component| {
            faults(component).into_iter().map(|fault| format!("{}: {fault}", component.meta.name))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn faults(component: &Component) -> Vec<String> {
    let spec = component.spec();
    let mut faults = form::subset_faults(&spec.config_schema);
    faults.extend(form::help_faults(&spec.config_schema));
    for example in &spec.examples {
        match component.check(&example.config) {
            Ok(issues) => {
                let told = |issue: crate::component::Issue| {
                    format!("example {:?}: {}: {}", example.title, issue.field, issue.message)
                };
                faults.extend(issues.into_iter().map(told));
            }
            Err(error) => faults.push(format!("example {:?}: {error}", example.title)),
        }
    }
    if let Some(from) = &spec.ports.outputs_from {
        let model = form::model(&spec.config_schema);
        let item = match model.field(&from.list).map(|field| &field.kind) {
            Some(FieldKind::List(list)) => Some(&list.item.kind),
            _ => None,
        };
        let named = match item {
            Some(FieldKind::Object(item)) => item.field(&from.name).is_some_and(|field| field.required),
            _ => false,
        };
        if !named {
            faults.push(format!("outputs come from `{}`, whose items need no `{}`", from.list, from.name));
        }
    }
    faults
}
