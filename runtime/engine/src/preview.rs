//! A channel on sample records, step by step: the transforms that workers run, opened and driven over the same graph (I9).
//!
//! No sink is opened here, no position is stored, and nothing waits: samples are taken before (see
//! [`probe`](crate::probe)). What cannot go on, from a setting that is missing to a panic, ends that node alone; nodes before
//! it are shown, nodes behind it are not reached.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use fairway_shared::api::preview::{NodePreview, PreviewOutput, PreviewRecord, PreviewReject, PreviewState};
use fairway_shared::api::status::Cause;
use fairway_shared::channel::PortRef;
use fairway_shared::component::Kind;

use crate::component::Opener;
use crate::data::{Batch, RecordError, RecordRef, Rejects};
use crate::error::Error;
use crate::probe::Sample;
use crate::task::graph::{Edge, Graph};
use crate::task::refusal::{annotated, cause};
use crate::task::{NodeSpec, panicked_with};
use crate::transform::{Output, Transform, TransformCtx};

/// What is previewed.
#[derive(Debug)]
pub struct Drawing {
    /// Uid of the channel, which salts what must differ between channels.
    pub uid: Arc<str>,
    /// Its nodes; a node that cannot be opened has its reason instead of settings.
    pub nodes: Vec<(NodeSpec, Result<(), Error>)>,
    /// Its edges, between nodes that are there.
    pub edges: Vec<(PortRef, PortRef)>,
    /// By node, as they lie in `nodes`: what its source gave. For a transform or a sink: records that enter there as dead letters
    /// do when they are tried again, so that what refuses them keeps them. Absent for others.
    pub samples: Vec<Option<Result<Sample, Error>>>,
    /// Most bytes of shown values.
    pub bytes: usize,
    /// When it must be done.
    pub deadline: Instant,
}

/// What a preview came to, by node in the order of [`Drawing::nodes`], and what was cut short.
pub type Shown = (Vec<NodePreview>, Vec<Cause>);

/// Runs the samples through the drawing; blocks its thread while transforms work.
///
/// # Errors
/// `task.bad_graph` when the edges form a circle or name an output that is not there.
pub fn preview(drawing: Drawing) -> Result<Shown, Error> {
    let specs: Vec<NodeSpec> = drawing.nodes.iter().map(|(spec, _)| spec.clone()).collect();
    let graph = Graph::drawn(&specs, &drawing.edges)?;
    let ports = specs.iter().map(|spec| spec.component.ports(&spec.config).outputs);
    let nodes =
        graph.nodes.iter().map(|node| NodePreview { kind: Some(node.kind), ..NodePreview::default() });
    let mut run = Run {
        nodes: nodes.collect(),
        ports: ports.map(|ports| ports.into_iter().map(|port| port.name).collect()).collect(),
        waiting: graph.nodes.iter().map(|_| Vec::new()).collect(),
        fed: vec![false; graph.nodes.len()],
        room: drawing.bytes,
        cut: false,
        graph: &graph,
    };
    let mut cuts = Vec::new();
    let mut samples = drawing.samples;
    for &at in &graph.order {
        let (spec, settings) = &drawing.nodes[at];
        if Instant::now() >= drawing.deadline {
            cuts.push(cut("preview.deadline", "the time was over before every node was run"));
            break;
        }
        if graph.nodes[at].kind != Kind::Source
            && let Some(Ok(sample)) = samples.get_mut(at).and_then(Option::take)
        {
            run.enter(at, sample);
        }
        match (graph.nodes[at].kind, settings) {
            (_, Err(fault)) => run.failed(at, fault.cause()),
            (Kind::Source, Ok(())) => match samples.get_mut(at).and_then(Option::take) {
                Some(Ok(sample)) => run.source(at, sample),
                Some(Err(fault)) => run.failed(at, fault.at_node(&spec.id).cause()),
                None => {}
            },
            (Kind::Transform, Ok(())) => {
                if let Err(fault) = run.transform(at, spec, &drawing.uid) {
                    run.failed(at, fault.at_node(&spec.id).cause());
                }
            }
            (Kind::Sink, Ok(())) => run.sink(at),
        }
    }
    if run.cut {
        cuts.push(cut("preview.bytes", "the records are too large to be shown whole; counts go on"));
    }
    Ok((run.nodes, cuts))
}

fn cut(code: &str, message: &str) -> Cause {
    let help = Some("ask for fewer records, or for one node".to_owned());
    Cause { code: code.to_owned(), message: message.to_owned(), help, node: None }
}

/// A preview under way.
struct Run<'g> {
    nodes: Vec<NodePreview>,
    /// Names of output ports, by node.
    ports: Vec<Vec<String>>,
    /// Batches before a node, each with its source and whether it came by an errors edge.
    waiting: Vec<Vec<Arriving>>,
    /// Whether a node that went on leads here.
    fed: Vec<bool>,
    /// Bytes that may still be shown.
    room: usize,
    cut: bool,
    graph: &'g Graph,
}

struct Arriving {
    source: usize,
    batch: Batch,
    on_errors_path: bool,
}

impl Run<'_> {
    /// It could not run; what came to it is shown all the same, so that one sees what it could work on.
    fn failed(&mut self, at: usize, cause: Cause) {
        (self.nodes[at].state, self.nodes[at].cause) = (PreviewState::Failed, Some(cause));
        for Arriving { source, batch, .. } in std::mem::take(&mut self.waiting[at]) {
            self.nodes[at].counts.entered += batch.len() as u64;
            let shown = self.show(source, &batch);
            self.nodes[at].inputs.extend(shown);
        }
    }

    fn source(&mut self, at: usize, sample: Sample) {
        self.name_outputs(at);
        self.nodes[at].counts.entered = sample.len() as u64;
        let mut number = 1;
        for mut batch in sample.batches {
            batch.renumber(number);
            number += batch.len() as u64;
            self.emit(at, 0, Arriving { source: at, batch, on_errors_path: false });
        }
        for mut rejects in sample.rejects {
            rejects.batch.renumber(number);
            number += rejects.batch.len() as u64;
            self.refuse(at, at, rejects, false);
        }
        self.done(at);
    }

    /// Has records enter at a node that is no source.
    fn enter(&mut self, at: usize, sample: Sample) {
        self.fed[at] = true;
        let mut number = 1;
        for mut batch in sample.batches {
            batch.renumber(number);
            number += batch.len() as u64;
            self.waiting[at].push(Arriving { source: at, batch, on_errors_path: true });
        }
    }

    fn sink(&mut self, at: usize) {
        if !self.fed[at] {
            return;
        }
        self.nodes[at].state = PreviewState::Done;
        for Arriving { source, batch, .. } in std::mem::take(&mut self.waiting[at]) {
            let counts = &mut self.nodes[at].counts;
            counts.entered += batch.len() as u64;
            counts.out += batch.len() as u64;
            let shown = self.show(source, &batch);
            self.nodes[at].inputs.extend(shown);
        }
    }

    fn transform(&mut self, at: usize, spec: &NodeSpec, uid: &Arc<str>) -> Result<(), Error> {
        let Opener::Transform(open) = spec.component.opener else { return Ok(()) };
        let cx = TransformCtx { uid: uid.clone(), node: self.graph.nodes[at].id.clone() };
        // Opened even where nothing arrives: what its settings lack is worth knowing.
        let mut transform = guarded(|| open(spec.config.clone(), cx))?;
        if !self.fed[at] {
            return Ok(());
        }
        self.name_outputs(at);
        for Arriving { source, batch, on_errors_path } in std::mem::take(&mut self.waiting[at]) {
            let entered = batch.len() as u64;
            self.nodes[at].counts.entered += entered;
            let shown = self.show(source, &batch);
            self.nodes[at].inputs.extend(shown);
            let output = apply(&mut *transform, batch)?;
            let out: u64 = output.batches.iter().map(|(_, batch)| batch.len() as u64).sum();
            let errors: u64 = output.rejects.iter().map(|rejects| rejects.batch.len() as u64).sum();
            self.nodes[at].counts.filtered += entered.saturating_sub(out + errors);
            for (port, batch) in output.batches {
                self.emit(at, port, Arriving { source, batch, on_errors_path });
            }
            for rejects in output.rejects {
                self.refuse(at, source, rejects, on_errors_path);
            }
        }
        self.done(at);
        Ok(())
    }

    fn name_outputs(&mut self, at: usize) {
        let outputs = self.ports[at].iter();
        self.nodes[at].outputs =
            outputs.map(|port| PreviewOutput { port: port.clone(), records: Vec::new() }).collect();
    }

    /// The node went on, so what lies behind it is reached, with records or without.
    fn done(&mut self, at: usize) {
        self.nodes[at].state = PreviewState::Done;
        for edge in self.graph.nodes[at].outputs.iter().flatten().chain(&self.graph.nodes[at].errors) {
            self.fed[edge.to] = true;
        }
    }

    fn emit(&mut self, at: usize, port: usize, arriving: Arriving) {
        self.nodes[at].counts.out += arriving.batch.len() as u64;
        let shown = self.show(arriving.source, &arriving.batch);
        if let Some(output) = self.nodes[at].outputs.get_mut(port) {
            output.records.extend(shown);
        }
        if let Some(edges) = self.graph.nodes[at].outputs.get(port) {
            self.spread(edges, &arriving);
        }
    }

    /// What fails on an errors path never enters another one, as in a task.
    fn refuse(&mut self, at: usize, source: usize, rejects: Rejects, on_errors_path: bool) {
        self.nodes[at].counts.errors += rejects.batch.len() as u64;
        let id = self.graph.nodes[at].id.clone();
        let shown = self.show(source, &rejects.batch);
        let refused = |(record, error): (PreviewRecord, &RecordError)| PreviewReject {
            record,
            cause: cause(&id, error),
            field: error.field.clone(),
        };
        self.nodes[at].rejects.extend(shown.into_iter().zip(&rejects.errors).map(refused));
        if !on_errors_path {
            let batch = annotated(&id, rejects);
            self.spread(&self.graph.nodes[at].errors, &Arriving { source, batch, on_errors_path: true });
        }
    }

    fn spread(&mut self, edges: &[Edge], arriving: &Arriving) {
        let Arriving { source, batch, on_errors_path } = arriving;
        for edge in edges {
            let copy = Arriving { source: *source, batch: batch.clone(), on_errors_path: *on_errors_path };
            self.waiting[edge.to].push(copy);
        }
    }

    /// The records as they are shown, as far as there is room.
    fn show(&mut self, source: usize, batch: &Batch) -> Vec<PreviewRecord> {
        let name = self.graph.nodes[source].id.clone();
        let mut shown = Vec::new();
        for record in batch.records() {
            let record = shown_record(&name, &record);
            let bytes = serde_json::to_string(&record).map_or(0, |text| text.len());
            if bytes > self.room {
                // Later ones are left out too, so that what is shown has no holes.
                (self.room, self.cut) = (0, true);
                break;
            }
            self.room -= bytes;
            shown.push(record);
        }
        shown
    }
}

fn shown_record(source: &str, record: &RecordRef<'_>) -> PreviewRecord {
    let meta = record.meta();
    let of = format!("{source}:{}", meta.order);
    PreviewRecord {
        id: if meta.child > 0 { format!("{of}.{}", meta.child) } else { of.clone() },
        of,
        value: record.fields().map(|(name, value)| (name.to_owned(), value.to_value().to_json())).collect(),
        fields: record.fields().map(|(name, _)| name.to_owned()).collect(),
        types: record.fields().map(|(name, value)| (name.to_owned(), value.kind().to_owned())).collect(),
        key: record.key().map(crate::data::Value::to_json),
        headers: record.headers().iter().map(|(name, value)| (name.to_string(), value.to_json())).collect(),
    }
}

fn apply(transform: &mut dyn Transform, batch: Batch) -> Result<Output, Error> {
    guarded(|| {
        let mut output = Output::default();
        transform.apply(batch, &mut output)?;
        Ok(output)
    })
}

/// A panic is a fault of that node.
fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    // What panicked is not used again.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| Err(panicked_with(payload)))
}

#[cfg(test)]
mod tests;
