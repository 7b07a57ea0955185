//! Copy and paste. What is copied is a channel document of its own, so that it travels as text between windows, files and
//! messages, and is read back as any other document.

use std::collections::{BTreeMap, BTreeSet};

use super::{Command, FreeIds, Placed};
use crate::channel::{Channel, Edge, Metadata, PortRef, Spot, text};
use crate::component::ComponentSpec;
use crate::secret;
use crate::validate::{Facts, validate, without_secrets};

/// The nodes with these ids, the edges among them, and where they stand. Values in secret fields that are no references
/// stay behind, and so does what looks like a secret elsewhere (I6).
pub fn copy(channel: &Channel, ids: &[String], specs: &[ComponentSpec]) -> Channel {
    let chosen: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    let mut clip = Channel {
        metadata: Metadata { name: channel.metadata.name.clone(), ..Metadata::default() },
        ..Channel::default()
    };
    for node in channel.spec.nodes.iter().filter(|node| chosen.contains(node.id.as_str())) {
        let mut node = node.clone();
        if let Some(spec) = specs.iter().find(|spec| spec.name == node.component) {
            secret::redact(&mut node.config, &crate::form::model(&spec.config_schema));
        }
        clip.spec.nodes.push(node);
    }
    let inside =
        |edge: &&Edge| chosen.contains(edge.from.node.as_str()) && chosen.contains(edge.to.node.as_str());
    clip.spec.edges = channel.spec.edges.iter().filter(inside).cloned().collect();
    let spots = channel.layout.nodes.iter().filter(|(id, _)| chosen.contains(id.as_str()));
    clip.layout.nodes = spots.map(|(id, spot)| (id.clone(), *spot)).collect();
    // Passwords in addresses and headers are in no secret field, and stay behind as well.
    let found = validate(&clip, &Facts { components: specs, ..Facts::default() });
    match text::from_value(&without_secrets(text::to_value(&clip), &found)).0 {
        Some(clean) => clean,
        None => clip,
    }
}

/// The command that pastes a copied document with fresh ids, so that its top left corner lies at `corner`. Ids that are
/// free stay; edges to nodes outside of the copy are left out.
pub fn paste(channel: &Channel, clip: &Channel, corner: Spot) -> Command {
    let mut free = FreeIds::of(channel);
    let mut ids: BTreeMap<&str, String> = BTreeMap::new();
    let least =
        |axis: fn(&Spot) -> f64| clip.layout.nodes.values().map(axis).reduce(f64::min).unwrap_or_default();
    let (left, top) = (least(|spot| spot.x), least(|spot| spot.y));
    let mut nodes = Vec::with_capacity(clip.spec.nodes.len());
    for node in &clip.spec.nodes {
        let id = match free.take(&node.id) {
            true => node.id.clone(),
            false => free.fresh(if node.id.is_empty() { &node.component } else { &node.id }),
        };
        ids.entry(&node.id).or_insert_with(|| id.clone());
        let spot = clip.layout.nodes.get(&node.id).copied().unwrap_or(Spot { x: left, y: top });
        let spot = Spot { x: corner.x + spot.x - left, y: corner.y + spot.y - top };
        let mut node = node.clone();
        node.id = id;
        node.extra.remove("id");
        nodes.push(Placed { node, spot: Some(spot) });
    }
    let end = |end: &PortRef| {
        ids.get(end.node.as_str()).map(|id| PortRef { node: id.clone(), port: end.port.clone() })
    };
    let mut joints = BTreeSet::new();
    let edges = clip.spec.edges.iter().filter_map(|edge| {
        let (from, to) = (end(&edge.from)?, end(&edge.to)?);
        joints.insert((from.clone(), to.clone())).then(|| Edge { from, to, extra: edge.extra.clone() })
    });
    Command::Paste { edges: edges.collect(), nodes }
}
