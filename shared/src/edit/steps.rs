//! Exact changes by index, each with an exact inverse. Commands are carried out as steps, so that one piece of code
//! answers for undo being exact.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::EditError;
use crate::channel::write::means;
use crate::channel::{Channel, Edge, Layout, Metadata, Node, Part, Settings, Spot};

/// An exact change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Inserts a node at an index.
    PutNode(usize, Node),
    /// Removes the node at an index.
    TakeNode(usize),
    /// Replaces the node at an index.
    SetNode(usize, Node),
    /// Inserts an edge at an index.
    PutEdge(usize, Edge),
    /// Removes the edge at an index.
    TakeEdge(usize),
    /// Replaces the edge at an index.
    SetEdge(usize, Edge),
    /// Sets or removes the spot of a node.
    Spot(SpotStep),
    /// Replaces the metadata.
    Metadata(Metadata),
    /// Replaces the settings.
    Settings(Settings),
    /// Replaces the notes.
    Notes(Vec<Value>),
    /// Replaces the groups.
    Groups(Vec<Value>),
    /// Puts something of another type in the place of a part, or takes it away.
    Instead(Instead),
    /// Replaces the document.
    Document(Box<Channel>),
}

/// Something of another type in the place of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Instead {
    /// The part.
    pub part: Part,
    /// What stands there; absent means nothing.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::canonical::present"
    )]
    pub value: Option<Value>,
}

/// A spot as the document holds it: its numbers, and what else was written there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpotStep {
    /// Id of the node.
    pub id: String,
    /// Its coordinates.
    pub spot: Option<Spot>,
    /// What they cannot say.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "crate::canonical::present"
    )]
    pub kept: Option<Value>,
}

impl SpotStep {
    /// The spot of a node as it is now.
    pub(super) fn of(layout: &Layout, id: &str) -> Self {
        let kept =
            layout.extra.get("nodes").and_then(Value::as_object).and_then(|rest| rest.get(id)).cloned();
        Self { id: id.to_owned(), spot: layout.nodes.get(id).copied(), kept }
    }

    /// The spot of a node moved to another place: what was written there in other words gives way.
    pub(super) fn moved(layout: &Layout, id: &str, spot: Spot) -> Self {
        let before = Self::of(layout, id);
        let kept = match before.kept {
            Some(Value::Object(mut kept)) => {
                for (key, value) in [("x", spot.x), ("y", spot.y)] {
                    if kept.get(key).is_some_and(|kept| !means(kept, value)) {
                        kept.remove(key);
                    }
                }
                Some(kept).filter(|kept| !kept.is_empty()).map(Value::Object)
            }
            _ => None,
        };
        Self { id: before.id, spot: Some(spot), kept }
    }

    fn run(self, layout: &mut Layout) {
        match self.spot {
            Some(spot) => drop(layout.nodes.insert(self.id.clone(), spot)),
            None => drop(layout.nodes.remove(&self.id)),
        }
        match self.kept {
            Some(kept) => {
                let rest = layout.extra.entry("nodes").or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(rest) = rest {
                    rest.insert(self.id, kept);
                }
            }
            None => {
                if let Some(Value::Object(rest)) = layout.extra.get_mut("nodes") {
                    rest.remove(&self.id);
                    if rest.is_empty() {
                        layout.extra.remove("nodes");
                    }
                }
            }
        }
    }
}

impl Step {
    /// Makes the change and answers the step that takes it back; nothing when it changes nothing.
    pub(super) fn run(self, channel: &mut Channel) -> Result<Option<Step>, EditError> {
        let Channel { metadata, spec, layout, .. } = &mut *channel;
        Ok(match self {
            Self::PutNode(index, node) => {
                put(&mut spec.nodes, index, node).map(|()| Some(Self::TakeNode(index)))?
            }
            Self::TakeNode(index) => Some(Self::PutNode(index, take(&mut spec.nodes, index)?)),
            Self::SetNode(index, node) => {
                set(&mut spec.nodes, index, node)?.map(|old| Self::SetNode(index, old))
            }
            Self::PutEdge(index, edge) => {
                put(&mut spec.edges, index, edge).map(|()| Some(Self::TakeEdge(index)))?
            }
            Self::TakeEdge(index) => Some(Self::PutEdge(index, take(&mut spec.edges, index)?)),
            Self::SetEdge(index, edge) => {
                set(&mut spec.edges, index, edge)?.map(|old| Self::SetEdge(index, old))
            }
            Self::Spot(step) => {
                let old = SpotStep::of(layout, &step.id);
                (old != step).then(|| {
                    step.run(layout);
                    Self::Spot(old)
                })
            }
            Self::Metadata(new) => replace(metadata, new).map(Self::Metadata),
            Self::Settings(new) => replace(&mut spec.settings, new).map(Self::Settings),
            Self::Notes(new) => replace(&mut layout.notes, new).map(Self::Notes),
            Self::Groups(new) => replace(&mut layout.groups, new).map(Self::Groups),
            Self::Instead(Instead { part, value }) => {
                let old = part.swap(channel, value.clone());
                (old != value).then_some(Self::Instead(Instead { part, value: old }))
            }
            Self::Document(new) => replace(channel, *new).map(|old| Self::Document(Box::new(old))),
        })
    }
}

fn put<T>(list: &mut Vec<T>, index: usize, item: T) -> Result<(), EditError> {
    if index > list.len() {
        return Err(EditError::Stale);
    }
    list.insert(index, item);
    Ok(())
}

fn take<T>(list: &mut Vec<T>, index: usize) -> Result<T, EditError> {
    if index < list.len() { Ok(list.remove(index)) } else { Err(EditError::Stale) }
}

fn set<T: PartialEq>(list: &mut [T], index: usize, item: T) -> Result<Option<T>, EditError> {
    Ok(replace(list.get_mut(index).ok_or(EditError::Stale)?, item))
}

fn replace<T: PartialEq>(place: &mut T, new: T) -> Option<T> {
    (*place != new).then(|| std::mem::replace(place, new))
}
