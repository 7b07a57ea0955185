//! Another component in a node's place: its edges stay where it has the ports for them, and so do the settings that both know
//! by the same name.

use std::sync::Arc;

use fairway_shared::component::ComponentSpec;
use fairway_shared::form;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::Surface;
use super::commands::Asked;
use super::picker::Choice;
use crate::i18n::{components, t};
use crate::icons::component_icon;

/// `R`: lists what could stand in the selected node's place.
pub(super) fn start(surface: Surface) {
    match choices(surface).is_empty() {
        true => surface.say(t!("said-no-replace")),
        false => surface.asked.set(Some(Asked::Replace)),
    }
}

/// All components of the same kind, each with the words it is found by.
pub(super) fn choices(surface: Surface) -> Vec<(Choice, String)> {
    let nodes = surface.editor.selected_nodes();
    let [node] = nodes.as_slice() else { return Vec::new() };
    let catalog = surface.editor.catalog();
    let fitting = catalog.all().iter().filter(|spec| spec.kind == node.kind && spec.name != node.component);
    fitting
        .map(|spec| {
            let (name, family, kind) = (spec.name.clone(), spec.family.clone(), spec.kind);
            let (id, wanted) = (node.id.clone(), spec.clone());
            let title = components::title(spec);
            let choice = Choice {
                hook: spec.name.clone(),
                kind: Some(kind),
                shape: Arc::new(move || component_icon(&name, &family, kind).into_any()),
                text: title.clone(),
                detail: components::summary(spec),
                keys: Vec::new(),
                act: Callback::new(move |()| replace(surface, &id, &wanted)),
            };
            (choice, format!("{title} {}", spec.name))
        })
        .collect()
}

/// The settings that a component knows, and the names of those that it does not.
fn kept(spec: &ComponentSpec, config: &Map<String, Value>) -> (Map<String, Value>, Vec<String>) {
    let model = form::model(&spec.config_schema);
    let mut kept = config.clone();
    kept.retain(|name, _| model.field(name).is_some());
    let lost = config.keys().filter(|name| !kept.contains_key(*name)).cloned().collect();
    (kept, lost)
}

fn replace(surface: Surface, id: &str, spec: &ComponentSpec) {
    let Some(node) = surface.editor.node(id) else { return };
    let (config, lost) = kept(spec, &node.config.get_untracked());
    surface.editor.replace_component(id, &spec.name, config);
    let name = components::title(spec);
    let said = match lost.is_empty() {
        true => t!("replaced", name = name),
        false => t!("replaced-lost", name = name, settings = lost.join(", ")),
    };
    let editor = surface.editor;
    editor.toasts().offer(said, t!("key-undo"), Callback::new(move |()| editor.undo()));
    surface.focus(id);
}
