//! Previews and tests of connections: what they answer, what they keep to themselves, and that they leave no trace.

use std::collections::BTreeMap;

use fairway_engine::testkit::shelf;
use fairway_shared::api::preview::{PreviewRequest, PreviewState, ProbeRequest};
use serde_json::{Map, Value, json};

use crate::house::{House, counting};

fn drawn(nodes: Value, edges: &[(&str, &str)]) -> Value {
    let edges: Vec<_> = edges.iter().map(|(from, to)| json!({ "from": from, "to": to })).collect();
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "a" },
        "spec": { "nodes": nodes, "edges": edges }
    })
}

fn request(document: Value) -> PreviewRequest {
    PreviewRequest { document: Some(document), ..PreviewRequest::default() }
}

#[tokio::test]
async fn a_draft_is_previewed_on_what_its_source_gives() {
    let house = House::new().await;
    let uid = house.create(counting("a", "trials/draft", 50)).await;
    let limited = PreviewRequest { limit: Some(7), ..PreviewRequest::default() };
    let answer = house.controller.preview(Some(&uid), &limited).await.unwrap();
    assert_eq!((answer.nodes["count"].counts.entered, answer.nodes["shelf"].counts.out), (7, 7));
    assert_eq!(answer.nodes["shelf"].inputs[6].value["n"], json!(7));
    assert_eq!(answer.nodes["count"].outputs[0].port, "out");
    // Nothing was written, and nothing is remembered.
    assert!(shelf("trials/draft").numbers().is_empty());
    assert!(house.services.positions.marks(&uid).await.unwrap().is_empty());
    assert_eq!(house.controller.status(&uid).await.unwrap().counts.read, 0);
}

#[tokio::test]
async fn a_drawing_is_previewed_as_far_as_it_is_sound() {
    let house = House::new().await;
    let nodes = json!([
        { "id": "count", "component": "count_source", "config": { "count": 6, "batch": 2 } },
        { "id": "broken", "component": "count_source", "config": { "count": 6, "batch": 2, "fails": true } },
        { "id": "odd", "component": "refuse_even", "config": {} },
        { "id": "later", "component": "from_the_future", "config": {} },
        { "id": "half", "component": "panic_at", "config": { "n": 1 } },
        { "id": "shelf", "component": "shelf_sink", "config": {} }
    ]);
    let edges = [
        ("count", "odd"),
        ("odd", "half"),
        ("half", "shelf"),
        ("odd", "later"),
        ("odd", "nowhere"),
        ("broken", "odd"),
    ];
    let answer = house.controller.preview(None, &request(drawn(nodes, &edges))).await.unwrap();
    let seen = |id: &str| {
        let node = &answer.nodes[id];
        (node.state, node.cause.as_ref().map(|cause| (cause.code.as_str(), cause.node.as_deref())))
    };
    assert_eq!(seen("count"), (PreviewState::Done, None));
    assert_eq!(seen("odd"), (PreviewState::Done, None));
    assert_eq!(seen("half"), (PreviewState::Failed, Some(("component.bad_config", Some("half")))));
    assert_eq!(seen("later"), (PreviewState::Failed, Some(("component.unknown", Some("later")))));
    assert_eq!(seen("shelf"), (PreviewState::NotReached, None));
    assert!(!answer.diagnostics.is_empty());
    let (inputs, rejects) = (&answer.nodes["odd"].inputs, &answer.nodes["odd"].rejects);
    assert!(rejects.iter().all(|reject| inputs.iter().any(|input| input.id == reject.record.id)));

    let circle =
        json!([{ "id": "a", "component": "refuse_even" }, { "id": "b", "component": "refuse_even" }]);
    let refused =
        house.controller.preview(None, &request(drawn(circle, &[("a", "b"), ("b", "a")]))).await.unwrap_err();
    assert_eq!(refused.status(), 422);
}

#[tokio::test]
async fn pasted_records_stand_for_a_source() {
    let house = House::new().await;
    let nodes = json!([
        { "id": "in", "component": "count_source", "config": {} },
        { "id": "odd", "component": "refuse_even", "config": {} },
        { "id": "out", "component": "shelf_sink", "config": { "shelf": "trials/pasted" } }
    ]);
    let document = drawn(nodes, &[("in", "odd"), ("odd", "out")]);
    let big: Value = serde_json::from_str("{\"n\": 12345678901234567890123}").unwrap();
    let records = vec![json!({ "n": 1, "b": "x" }), json!({ "n": 2 }), big];
    let asked = PreviewRequest {
        records: BTreeMap::from([("in".to_owned(), records)]),
        node: Some("odd".into()),
        ..request(document.clone())
    };
    let answer = house.controller.preview(None, &asked).await.unwrap();
    assert_eq!(answer.nodes.keys().collect::<Vec<_>>(), ["in", "odd"], "only what leads to the node");
    let odd = &answer.nodes["odd"];
    assert_eq!(odd.rejects.iter().map(|reject| &*reject.record.id).collect::<Vec<_>>(), ["in:2", "in:3"]);
    assert_eq!(odd.rejects[0].field.as_deref(), Some("n"));
    assert_eq!(odd.inputs[2].value["n"].to_string(), "12345678901234567890123");
    assert_eq!(
        odd.outputs[0].records[0].types,
        BTreeMap::from([("n".into(), "int64".into()), ("b".into(), "string".into())])
    );

    let few = PreviewRequest { limit: Some(2), ..asked.clone() };
    let answer = house.controller.preview(None, &few).await.unwrap();
    assert_eq!((answer.cuts[0].code.as_str(), answer.nodes["in"].counts.entered), ("preview.records", 2));

    // A letter's record goes in whole.
    let letter = json!({ "value": { "n": 3 }, "key": "k", "headers": [["h", 1]] });
    let whole = PreviewRequest {
        records: BTreeMap::from([("in".to_owned(), vec![letter])]),
        whole: true,
        ..request(document.clone())
    };
    let answer = house.controller.preview(None, &whole).await.unwrap();
    let shown = &answer.nodes["out"].inputs[0];
    assert_eq!(
        (shown.key.clone(), shown.headers.clone()),
        (Some(json!("k")), vec![("h".to_owned(), json!(1))])
    );

    let unknown = PreviewRequest { node: Some("no".into()), ..request(document) };
    assert_eq!(house.controller.preview(None, &unknown).await.unwrap_err().status(), 400);
}

#[tokio::test]
async fn connections_are_tested_and_say_what_there_is() {
    let house = House::new().await;
    let probe = |shelf: Option<&str>| {
        let config: Map<String, Value> =
            shelf.map(|shelf| ("shelf".to_owned(), json!(shelf))).into_iter().collect();
        ProbeRequest {
            component: Some("shelf_sink".into()),
            config,
            deadline_ms: Some(100),
            ..ProbeRequest::default()
        }
    };
    shelf("trials/there");
    let found = house.controller.probe(&probe(Some("trials/there"))).await.unwrap();
    assert_eq!(found.probe.unwrap().found, "shelf `trials/there`");
    let choices = house.controller.probe(&probe(None)).await.unwrap().probe.unwrap().choices;
    assert!(choices["shelf"].iter().any(|choice| choice.value == "trials/there"));
    let code = async |shelf: &str| {
        let answer = house.controller.probe(&probe(Some(shelf))).await.unwrap();
        assert!(answer.probe.is_none());
        let cause = answer.cause.unwrap();
        assert!(cause.help.is_some());
        cause.code
    };
    assert_eq!(code("missing").await, "test.no_shelf");
    assert_eq!(code("hanging").await, "trial.deadline");
    assert_eq!(code("${secret:nothing}").await, "secret.missing");

    house.controller.set_secret("name", &"hunter2-long".to_owned().into()).await.unwrap();
    let kept = house.controller.probe(&probe(Some("${secret:name}"))).await.unwrap();
    assert_eq!(kept.probe.unwrap().found, "shelf `***`");

    let connection = |name: &str| {
        json!({
            "apiVersion": "fairway/v1", "kind": "Connection", "metadata": { "name": name },
            "spec": { "connector": "test", "config": { "shelf": "trials/there" } }
        })
    };
    let drafted = ProbeRequest { connection: Some(connection("draft")), ..ProbeRequest::default() };
    assert_eq!(house.controller.probe(&drafted).await.unwrap().probe.unwrap().found, "shelf `trials/there`");
    for (wrong, status) in [
        (ProbeRequest::default(), 400),
        (ProbeRequest { component: Some("no".into()), ..ProbeRequest::default() }, 422),
        (ProbeRequest { connection: Some(json!({ "kind": "Channel" })), ..ProbeRequest::default() }, 422),
    ] {
        assert_eq!(house.controller.probe(&wrong).await.unwrap_err().status(), status);
    }
    let without = ProbeRequest { component: Some("refuse_even".into()), ..ProbeRequest::default() };
    assert_eq!(house.controller.probe(&without).await.unwrap().cause.unwrap().code, "probe.not_available");
}

#[tokio::test]
async fn few_are_under_way_at_once() {
    let house = House::new().await;
    let hanging = ProbeRequest {
        component: Some("shelf_sink".into()),
        config: Map::from_iter([("shelf".to_owned(), json!("hanging"))]),
        deadline_ms: Some(600),
        ..ProbeRequest::default()
    };
    let all = futures::future::join_all((0..6).map(|_| house.controller.probe(&hanging))).await;
    let busy = all.iter().filter_map(|answer| answer.as_ref().err()).map(|refused| refused.status());
    assert_eq!(busy.collect::<Vec<_>>(), [429, 429]);
}
