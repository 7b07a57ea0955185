//! Opens the components of a task: transforms, then targets, then sources, so that nothing is read before it has
//! somewhere to go. An outage is waited out; anything else ends the start with its reason (I8).

use std::sync::Mutex;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::task::JoinHandle;

use super::graph::Graph;
use super::patience::{Patience, insist};
use super::{TaskSpec, panicked};
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
            let opening = || {
                let (joint, config, cx) = (node.joint.clone(), node.config.clone(), cx.clone());
                let opening: BoxFuture<'static, _> = match joint {
                    Some(joint) => Box::pin(async move { joint.write(cx).await }),
                    None => open(config, cx),
                };
                within(opening, spec.limits.opening)
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
            let opening = || {
                let (joint, config, cx) = (node.joint.clone(), node.config.clone(), cx.clone());
                let opening: BoxFuture<'static, _> = match joint {
                    Some(joint) => Box::pin(async move { joint.read(cx).await }),
                    None => open(config, cx),
                };
                within(opening, spec.limits.opening)
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

/// Time that an opening which was given up has to let go.
const LET_GO: Duration = Duration::from_secs(1);

/// An opening apart from the task: one that never returns does not keep it.
struct Apart<T>(JoinHandle<Result<T, Error>>);

impl<T> Drop for Apart<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Opens a component within a time. One that waits beyond it is as good as out of reach, and tried again; one that holds on to its thread
/// even then is left alone for good (F29): a further try would take a further thread.
async fn within<T: Send + 'static>(
    opening: BoxFuture<'static, Result<T, Error>>,
    limit: Duration,
) -> Result<T, Error> {
    let mut apart = Apart(tokio::spawn(opening));
    if let Ok(opened) = tokio::time::timeout(limit, &mut apart.0).await {
        return opened.unwrap_or_else(|join| Err(panicked(join)));
    }
    apart.0.abort();
    match tokio::time::timeout(LET_GO, &mut apart.0).await {
        Ok(Ok(opened)) => opened,
        Ok(Err(_)) => {
            let message = format!("the component was not open after {} s", limit.as_secs());
            Err(Error::outage("component.no_answer", message)
                .help("see whether what it connects to answers; it is tried again"))
        }
        Err(_) => {
            let message =
                format!("the component did not open within {} s and does not let go", limit.as_secs());
            Err(Error::config("component.stuck", message)
                .help("restart this worker before the channel is started again, and report it with the log"))
        }
    }
}
