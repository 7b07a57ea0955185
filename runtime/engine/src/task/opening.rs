//! Opens the components of a task: transforms, then targets, then sources, so that nothing is read before it has
//! somewhere to go. An outage is waited out; anything else ends the start with its reason (I8).

use std::sync::Mutex;

use super::TaskSpec;
use super::graph::Graph;
use super::patience::{Patience, insist};
use crate::component::Opener;
use crate::error::Error;
use crate::position::Mark;
use crate::sink::{Sink, SinkCtx};
use crate::source::{Source, SourceCtx};
use crate::store::Remembered;
use crate::transform::{Transform, TransformCtx};

/// Opened components by index of their node.
pub(crate) struct Parts {
    pub(crate) transforms: Vec<Option<Mutex<Box<dyn Transform>>>>,
    pub(crate) sinks: Vec<(usize, Box<dyn Sink>)>,
    pub(crate) sources: Vec<(usize, Box<dyn Source>)>,
}

/// `None` when the task is to end before everything is open.
pub(crate) async fn open(
    spec: &TaskSpec,
    graph: &Graph,
    remembered: &Remembered,
    patience: &Patience,
) -> Result<Option<Parts>, Error> {
    let mut parts = Parts {
        transforms: spec.nodes.iter().map(|_| None).collect(),
        sinks: Vec::new(),
        sources: Vec::new(),
    };
    for (index, node) in spec.nodes.iter().enumerate() {
        if let Opener::Transform(open) = node.component.opener {
            let cx = TransformCtx { uid: spec.uid.clone(), node: graph.nodes[index].id.clone() };
            let transform = open(node.config.clone(), cx).map_err(|error| error.at_node(&node.id))?;
            parts.transforms[index] = Some(Mutex::new(transform));
        }
    }
    for (index, node) in spec.nodes.iter().enumerate() {
        if let Opener::Sink(open) = node.component.opener {
            let cx = SinkCtx {
                uid: spec.uid.clone(),
                node: graph.nodes[index].id.clone(),
                generation: remembered.generation,
                share: spec.share,
                files: spec.files.clone(),
            };
            let opening = || match &node.joint {
                Some(joint) => joint.write(cx.clone()),
                None => open(node.config.clone(), cx.clone()),
            };
            let Some(sink) =
                insist!(patience, &node.id, opening()).map_err(|error| error.at_node(&node.id))?
            else {
                return Ok(None);
            };
            parts.sinks.push((index, sink));
        }
    }
    let read = if spec.only_replays { &[][..] } else { &spec.nodes[..] };
    for (index, node) in read.iter().enumerate() {
        if let Opener::Source(open) = node.component.opener {
            let own =
                |mark: &&crate::store::StoredMark| mark.target.is_none() && *mark.stream.source == *node.id;
            let cx = SourceCtx {
                uid: spec.uid.clone(),
                node: graph.nodes[index].id.clone(),
                generation: remembered.generation,
                files: spec.files.clone(),
                hooks: spec.hooks.clone(),
                share: spec.share,
                resume: remembered
                    .marks
                    .iter()
                    .filter(own)
                    .map(|mark| Mark { stream: mark.stream.clone(), position: mark.position.clone() })
                    .collect(),
                until_caught_up: spec.until_caught_up,
            };
            let opening = || match &node.joint {
                Some(joint) => joint.read(cx.clone()),
                None => open(node.config.clone(), cx.clone()),
            };
            let Some(source) =
                insist!(patience, &node.id, opening()).map_err(|error| error.at_node(&node.id))?
            else {
                return Ok(None);
            };
            parts.sources.push((index, source));
        }
    }
    patience.progress.started();
    Ok(Some(parts))
}
