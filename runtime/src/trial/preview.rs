//! Previews: samples of every source, then the engine's own transforms (I9).

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use fairway_engine::component::Component;
use fairway_engine::data::{BatchBuilder, Meta, push_envelope};
use fairway_engine::error::Error;
use fairway_engine::preview::{self, Drawing, Shown};
use fairway_engine::probe::{Sample, SampleCtx};
use fairway_engine::task::NodeSpec;
use fairway_shared::api::preview::{NodePreview, PreviewAnswer, PreviewRecord, PreviewRequest, PreviewState};
use fairway_shared::api::status::Cause;
use fairway_shared::channel::{Channel, ERRORS, Edge, Node, PortRef};
use fairway_shared::component::Kind;
use serde_json::{Value, json};

use super::{Trial, answer, deadline};
use crate::problem::{Refused, codes};
use crate::redact;
use crate::worker::resolve;

/// Records of each source unless asked otherwise.
const USUAL: u32 = 20;
/// Most records of each source.
const MOST: u32 = 1000;
/// Most bytes of shown records.
const BYTES: usize = 4 << 20;

impl Trial<'_> {
    /// Runs a channel on samples, as far as it is sound.
    ///
    /// # Errors
    /// When the request makes no sense, or the edges form a circle; everything else is said at its node.
    pub(crate) async fn preview(
        &self,
        uid: &str,
        channel: &Channel,
        request: &PreviewRequest,
    ) -> Result<PreviewAnswer, Refused> {
        self.run(uid, channel, request, wanted(channel, request)?, None).await
    }

    /// Has one whole record enter at a node, as a dead letter does that is tried again, and runs it from there on.
    ///
    /// # Errors
    /// When the channel has no such node.
    pub(crate) async fn preview_from(
        &self,
        uid: &str,
        channel: &Channel,
        node: &str,
        record: Value,
    ) -> Result<PreviewAnswer, Refused> {
        let Some(node) = channel.node(node) else {
            let detail = format!("the version in force has no node `{node}`");
            return Err(Refused::new(codes::LETTER_NO_NODE, detail).help("deploy a version that has it"));
        };
        let records = [(node.id.clone(), vec![record])].into();
        let request = PreviewRequest { records, whole: true, ..PreviewRequest::default() };
        self.run(uid, channel, &request, behind(channel, &node.id), Some(&node.id)).await
    }

    async fn run(
        &self,
        uid: &str,
        channel: &Channel,
        request: &PreviewRequest,
        wanted: BTreeSet<&str>,
        from: Option<&str>,
    ) -> Result<PreviewAnswer, Refused> {
        let started = Instant::now();
        let limit = request.limit.unwrap_or(USUAL).clamp(1, MOST) as usize;
        let mut answer = PreviewAnswer::default();
        let mut nodes: Vec<(&Node, Component)> = Vec::new();
        for node in channel.spec.nodes.iter().filter(|node| wanted.contains(node.id.as_str())) {
            match self.registry.get(&node.component) {
                // Of two nodes with one id the diagnostics tell.
                Some(_) if nodes.iter().any(|(first, _)| first.id == node.id) => {}
                Some(component) => nodes.push((node, *component)),
                None => {
                    answer.nodes.insert(node.id.clone(), unknown(node));
                }
            }
        }
        for (id, records) in &request.records {
            let takes = |(node, component): &(&Node, Component)| {
                node.id == *id && (component.kind() == Kind::Source || from == Some(id))
            };
            if !nodes.iter().any(takes) {
                return Err(Refused::new(
                    codes::REQUEST_UNREADABLE,
                    format!("`{id}` is no source of this preview"),
                ));
            }
            if records.len() > limit {
                answer.cuts.push(too_many(id, limit));
            }
        }
        let work = nodes.iter().map(|(node, component)| self.sampled(uid, node, component, request, limit));
        let sampled = futures::future::join_all(work).await;
        let (specs, samples): (Vec<_>, Vec<_>) = sampled.into_iter().unzip();
        let time = deadline(request.deadline_ms);
        let drawing = Drawing {
            uid: uid.into(),
            edges: sound(channel, &nodes),
            nodes: specs,
            samples,
            bytes: BYTES,
            deadline: Instant::now() + time,
        };
        let (shown, cuts) = drive(drawing, time).await?;
        answer.cuts.extend(cuts);
        for ((node, _), shown) in nodes.iter().zip(shown) {
            answer.nodes.insert(node.id.clone(), without_secrets(shown));
        }
        answer.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(answer)
    }

    /// A node ready to be opened, or its reason not to be; and what a source gives.
    async fn sampled(
        &self,
        uid: &str,
        node: &Node,
        component: &Component,
        request: &PreviewRequest,
        limit: usize,
    ) -> ((NodeSpec, Result<(), Error>), Option<Result<Sample, Error>>) {
        let kind = component.kind();
        let pasted = request.records.get(&node.id);
        // A sink is not opened, and a source in whose place records stand neither: their secrets are not needed.
        let config = match (kind, pasted) {
            (Kind::Transform, _) | (Kind::Source, None) => {
                resolve::config(self.services, self.connections, &node.config).await
            }
            _ => Ok(Value::Object(node.config.clone())),
        };
        let (config, fault) = match config {
            Ok(config) => (config, Ok(())),
            // Its outputs are still those that the drawing names.
            Err(fault) => (Value::Object(node.config.clone()), Err(fault.at_node(&node.id))),
        };
        let sample = match (kind, pasted, &fault) {
            (_, Some(records), _) => Some(read(records, request.whole, limit)),
            (Kind::Source, None, Ok(())) => Some(
                self.sample(uid, node, component, config.clone(), limit, deadline(request.deadline_ms)).await,
            ),
            _ => None,
        };
        ((NodeSpec { id: node.id.clone(), component: *component, config, joint: None }, fault), sample)
    }

    async fn sample(
        &self,
        uid: &str,
        node: &Node,
        component: &Component,
        config: Value,
        wanted: usize,
        deadline: Duration,
    ) -> Result<Sample, Error> {
        let Some(sample) = component.sample else {
            let message = format!("no sample can be taken from `{}`", component.meta.name);
            return Err(Error::config("preview.no_sample", message).help("paste records in its place"));
        };
        let cx = SampleCtx {
            uid: uid.into(),
            node: node.id.as_str().into(),
            files: self.files.clone(),
            wanted,
            deadline,
        };
        answer(sample(config, cx), deadline).await
    }
}

/// The transforms, on a thread that they may block.
async fn drive(drawing: Drawing, time: Duration) -> Result<Shown, Refused> {
    let nodes = drawing.nodes.len();
    let driving = tokio::task::spawn_blocking(move || preview::preview(drawing));
    match tokio::time::timeout(time + super::GRACE, driving).await {
        Ok(Ok(Ok(shown))) => Ok(shown),
        Ok(Ok(Err(fault))) => Err(Refused::new(codes::DOCUMENT_INVALID, fault.cause().message)
            .help("the diagnostics of the document say which edges")),
        Ok(Err(join)) => Err(Refused::new(codes::TRIAL_FAILED, format!("the preview hit a bug: {join}"))),
        // The thread ends when its transform does; nobody waits for it.
        Err(_) => {
            let message = format!("a transform takes longer than {} ms", time.as_millis());
            let help = Some("ask for fewer records".to_owned());
            let late = Cause { code: "preview.deadline".into(), message, help, node: None };
            Ok((vec![NodePreview::default(); nodes], vec![late]))
        }
    }
}

/// The node asked for and all that leads to it.
fn wanted<'c>(channel: &'c Channel, request: &PreviewRequest) -> Result<BTreeSet<&'c str>, Refused> {
    let spec = &channel.spec;
    let Some(asked) = &request.node else {
        return Ok(spec.nodes.iter().map(|node| node.id.as_str()).collect());
    };
    let Some(node) = channel.node(asked) else {
        return Err(Refused::new(codes::REQUEST_UNREADABLE, format!("the channel has no node `{asked}`")));
    };
    let mut wanted = BTreeSet::new();
    let mut open = vec![node.id.as_str()];
    while let Some(id) = open.pop() {
        if wanted.insert(id) {
            open.extend(
                spec.edges.iter().filter(|edge| edge.to.node == id).map(|edge| edge.from.node.as_str()),
            );
        }
    }
    Ok(wanted)
}

/// A node and all that it leads to.
fn behind<'c>(channel: &'c Channel, node: &'c str) -> BTreeSet<&'c str> {
    let (mut wanted, mut open) = (BTreeSet::new(), vec![node]);
    while let Some(id) = open.pop() {
        if wanted.insert(id) {
            let edges = channel.spec.edges.iter().filter(|edge| edge.from.node == id);
            open.extend(edges.map(|edge| edge.to.node.as_str()));
        }
    }
    wanted
}

/// The edges that lead from an output that is there to an input that is there. What a target refuses only the target knows, so
/// nothing leads on from one.
fn sound(channel: &Channel, nodes: &[(&Node, Component)]) -> Vec<(PortRef, PortRef)> {
    let find = |id: &str| nodes.iter().find(|(node, _)| node.id == id);
    let fits = |edge: &&Edge| {
        let (Some((from, component)), Some((_, to))) = (find(&edge.from.node), find(&edge.to.node)) else {
            return false;
        };
        let output = match edge.from.port.as_deref() {
            Some(ERRORS) => component.kind() != Kind::Sink,
            port => component.ports(&Value::Object(from.config.clone())).output(port).is_some(),
        };
        output && to.kind() != Kind::Source
    };
    let edges = channel.spec.edges.iter().filter(fits);
    edges.map(|edge| (edge.from.clone(), edge.to.clone())).collect()
}

/// Pasted records as a sample.
fn read(records: &[Value], whole: bool, limit: usize) -> Result<Sample, Error> {
    let mut builder = BatchBuilder::default();
    for (row, record) in records.iter().take(limit).enumerate() {
        let plain;
        let envelope = if whole {
            record
        } else {
            plain = json!({ "value": record });
            &plain
        };
        let meta = Meta::new(row as u64 + 1, u32::try_from(row).unwrap_or(u32::MAX));
        push_envelope(&mut builder, meta, envelope)
            .map_err(|_| Error::config("preview.bytes", "the records given are too large"))?;
    }
    let batches = if builder.is_empty() { Vec::new() } else { vec![builder.finish()] };
    Ok(Sample { batches, rejects: Vec::new() })
}

fn unknown(node: &Node) -> NodePreview {
    let cause = Cause {
        code: "component.unknown".into(),
        message: format!("this Fairway has no component `{}`", node.component),
        help: Some("`fairway components` lists all".into()),
        node: Some(node.id.clone()),
    };
    NodePreview { state: PreviewState::Failed, cause: Some(cause), ..NodePreview::default() }
}

fn too_many(source: &str, limit: usize) -> Cause {
    Cause {
        code: "preview.records".into(),
        message: format!("of the records given for `{source}` the first {limit} are taken"),
        help: Some(format!("`limit` may be up to {MOST}")),
        node: Some(source.to_owned()),
    }
}

/// A component may have put a secret of its settings into a record or a message (I6).
fn without_secrets(mut shown: NodePreview) -> NodePreview {
    shown.cause = shown.cause.map(redact::cause);
    let outputs = shown.outputs.iter_mut().flat_map(|output| &mut output.records);
    shown.inputs.iter_mut().chain(outputs).for_each(scrub_record);
    for reject in &mut shown.rejects {
        scrub_record(&mut reject.record);
        reject.cause = redact::cause(reject.cause.clone());
    }
    shown
}

fn scrub_record(record: &mut PreviewRecord) {
    record.value.values_mut().for_each(redact::value);
    record.key.iter_mut().for_each(redact::value);
    record.headers.iter_mut().for_each(|(_, value)| redact::value(value));
}
