use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::component::Component;
use crate::data::{BatchBuilder, Meta};
use crate::testkit::{MEMORY_SINK, MEMORY_SOURCE, PANIC_AT, REFUSE_EVEN, shelf};

fn numbers(to: u64) -> Sample {
    let mut builder = BatchBuilder::default();
    for n in 1..=to {
        let value = crate::data::Value::I64(n as i64);
        builder.push_row(Meta::new(n * 100, 0), [("n", value.as_ref())]).unwrap();
    }
    Sample { batches: vec![builder.finish()], rejects: Vec::new() }
}

fn drawing(nodes: &[(&str, Component, Value)], edges: &[(&str, &str)], sample: Sample) -> Drawing {
    let spec = |(id, component, config): &(&str, Component, Value)| {
        (NodeSpec { id: (*id).into(), component: *component, config: config.clone(), joint: None }, Ok(()))
    };
    let mut samples: Vec<_> = nodes.iter().map(|_| None).collect();
    samples[0] = Some(Ok(sample));
    Drawing {
        uid: "u".into(),
        nodes: nodes.iter().map(spec).collect(),
        edges: edges.iter().map(|(from, to)| (PortRef::from(*from), PortRef::from(*to))).collect(),
        samples,
        bytes: 1 << 20,
        deadline: Instant::now() + Duration::from_secs(10),
    }
}

fn in_and_out() -> Vec<(&'static str, Component, Value)> {
    vec![
        ("in", MEMORY_SOURCE, json!({ "count": 1, "batch": 1 })),
        ("odd", REFUSE_EVEN, json!({})),
        ("out", MEMORY_SINK, json!({ "shelf": "preview" })),
    ]
}

#[test]
fn every_step_is_shown_and_nothing_is_written() {
    let edges = [("in", "odd"), ("odd", "out"), ("odd.errors", "out")];
    let (nodes, cuts) = preview(drawing(&in_and_out(), &edges, numbers(6))).unwrap();
    assert!(cuts.is_empty());
    let ids = |records: &[PreviewRecord]| records.iter().map(|r| r.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&nodes[0].outputs[0].records).len(), 6);
    assert_eq!(ids(&nodes[1].inputs), ids(&nodes[0].outputs[0].records));
    assert_eq!(ids(&nodes[1].outputs[0].records), ["in:1", "in:3"]);
    let refused: Vec<_> = nodes[1].rejects.iter().map(|r| (&*r.record.id, &*r.cause.code)).collect();
    assert_eq!(refused, [("in:2", "test.even"), ("in:4", "test.even"), ("in:6", "test.even")]);
    let counts = nodes[1].counts;
    assert_eq!((counts.entered, counts.out, counts.filtered, counts.errors), (6, 2, 1, 3));
    // What it refused is on its way to the target, with its reason.
    assert_eq!((nodes[2].counts.out, nodes[2].state), (5, PreviewState::Done));
    assert_eq!(nodes[2].inputs[2].headers[1], ("fairway.error.code".into(), json!("test.even")));
    assert_eq!(nodes[2].inputs[0].types["n"], "int64");
    assert!(shelf("preview").numbers().is_empty());
}

#[test]
fn what_cannot_go_on_ends_there_alone() {
    let mut nodes = in_and_out();
    nodes[1] = ("odd", PANIC_AT, json!({ "n": 1, "shelf": "preview-panic", "times": 9 }));
    nodes.push(("bad", PANIC_AT, json!({})));
    let edges = [("in", "odd"), ("odd", "out"), ("in", "bad")];
    let (shown, _) = preview(drawing(&nodes, &edges, numbers(2))).unwrap();
    assert_eq!(shown[0].state, PreviewState::Done);
    let code = |at: usize| (shown[at].state, shown[at].cause.as_ref().map(|cause| cause.code.clone()));
    assert_eq!(code(1), (PreviewState::Failed, Some("task.panic".into())));
    assert_eq!(code(2), (PreviewState::NotReached, None));
    assert_eq!(code(3), (PreviewState::Failed, Some("component.bad_config".into())));
    assert_eq!(shown[3].inputs.len(), 2, "what comes to a node does not depend on its own settings");
}

#[test]
fn circles_are_refused_and_limits_are_said() {
    let edges = [("in", "odd"), ("odd", "odd")];
    assert_eq!(preview(drawing(&in_and_out(), &edges, numbers(1))).unwrap_err().code, "task.bad_graph");
    let small = Drawing { bytes: 500, ..drawing(&in_and_out(), &[("in", "odd")], numbers(50)) };
    let (nodes, cuts) = preview(small).unwrap();
    assert_eq!(cuts[0].code, "preview.bytes");
    assert!(nodes[0].outputs[0].records.len() < 50);
    assert_eq!(nodes[1].counts.entered, 50);
    let late = Drawing { deadline: Instant::now(), ..drawing(&in_and_out(), &[("in", "odd")], numbers(1)) };
    assert_eq!(preview(late).unwrap().1[0].code, "preview.deadline");
}
