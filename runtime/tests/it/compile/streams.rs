//! Channels whose tasks are joined by topics: where they are cut, and what several tasks share.

use super::*;

/// The plan of a channel that asks for streams by topic, on a cluster.
pub(super) fn cut(document: &Value) -> Result<Plan, Vec<Diagnostic>> {
    let mut document = document.clone();
    document["spec"]["settings"] = json!({"stream": "topic"});
    compile(&read(&document), &Facts { components: &specs(), cluster: true, ..Facts::default() })
}

fn tasks_of(plan: &Plan) -> Vec<(&str, String)> {
    plan.tasks.iter().map(|task| (task.id.as_str(), task.nodes.join(" "))).collect()
}

/// The components, of which all that are named can be in several tasks.
fn in_several(names: &[&str]) -> Vec<ComponentSpec> {
    let several = |spec: ComponentSpec| ComponentSpec { several: names.contains(&&*spec.name), ..spec };
    specs().into_iter().map(several).collect()
}

#[test]
fn a_node_that_asks_for_tasks_gets_shares() {
    let components = in_several(&["read", "mask", "topic"]);
    let facts = Facts { components: &components, cluster: true, ..Facts::default() };
    let document = |tasks: Value, stream: &str| {
        let mut document = channel(
            &[("a", "read"), ("m", "mask"), ("k", "topic"), ("l", "file")],
            &["a>m", "m>k", "m.rest>l"],
        );
        document["spec"]["nodes"][0]["tasks"] = tasks;
        document["spec"]["settings"] = json!({ "stream": stream });
        document
    };
    let plan = |tasks| compile(&read(&document(tasks, "topic")), &facts).expect("it can be shared");
    let three = plan(json!(3));
    let shares: Vec<_> =
        three.tasks.iter().map(|task| (&*task.id, task.share.map(|share| share.index))).collect();
    let expected = [
        ("source-a", Some(0)),
        ("source-a.2", Some(1)),
        ("source-a.3", Some(2)),
        ("sink-k", None),
        ("sink-l", None),
    ];
    assert_eq!(shares, expected);
    // Another number of tasks is another share for each, and touches nobody else; the position stays.
    let change = diff(Some(&three), &plan(json!(2)));
    assert_eq!(
        (change.keeps, change.stops),
        (vec!["sink-k".into(), "sink-l".into()], vec!["source-a.3".into()])
    );
    assert_eq!(change.restarts.len(), 2);
    assert_eq!(change.positions[0].fate, PositionFate::Kept);
    assert_eq!(plan(json!(1)).tasks.len(), 3);

    // Together with what has one writer it cannot be.
    let found = compile(&read(&document(json!(3), "direct")), &facts).expect_err("a file has one writer");
    let told: Vec<_> = found.iter().map(|fault| (&*fault.code, &*fault.place.pointer)).collect();
    assert_eq!(told, [(codes::PLAN_ONE_TASK_ONLY, "/spec/nodes/0/tasks")]);
    assert!(found[0].message.contains("`l`"), "{}", found[0].message);
    let mut elsewhere = document(json!(null), "topic");
    elsewhere["spec"]["nodes"][0].as_object_mut().expect("a node").remove("tasks");
    elsewhere["spec"]["nodes"][1]["tasks"] = json!(2);
    let found = compile(&read(&elsewhere), &facts).expect_err("the task is the source's");
    assert_eq!(found[0].code, codes::PLAN_ONE_TASK_ONLY);
}

#[test]
fn topics_are_refused_without_a_cluster() {
    let mut document = orders();
    document["spec"]["settings"] = json!({"stream": "topic"});
    let found = refused(&document);
    let codes: Vec<_> = found.iter().filter(|fault| fault.is_error()).map(|fault| &*fault.code).collect();
    assert_eq!(codes, [codes::PLAN_TOPIC_WITHOUT_CLUSTER]);
}

#[test]
fn a_channel_with_streams_has_no_end() {
    let mut document = channel(&[("a", "read"), ("k", "table")], &["a>k"]);
    assert!(plan(&document).bounded && !cut(&document).expect("it can be cut").bounded);
    document["spec"]["settings"] = json!({"stream": "topic", "schedule": {"cron": "0 2 * * *"}});
    let facts = Facts { components: &specs(), cluster: true, ..Facts::default() };
    let found = compile(&read(&document), &facts).expect_err("its runs would not end");
    assert_eq!(
        found.iter().map(|fault| &*fault.code).collect::<Vec<_>>(),
        [codes::PLAN_SCHEDULE_WITH_STREAM]
    );
}

#[test]
fn each_target_goes_on_alone_from_where_ways_part() {
    let document = channel(
        &[
            ("a", "read"),
            ("b", "read"),
            ("m", "mask"),
            ("n", "mask"),
            ("x", "mask"),
            ("k", "table"),
            ("l", "file"),
        ],
        &["a>m", "b>m", "m>n", "n>x", "x>k", "n.rest>l"],
    );
    let plan = cut(&document).expect("it can be cut");
    let expected =
        [("source-a", "a b m n".to_owned()), ("sink-k", "x k".to_owned()), ("sink-l", "l".to_owned())];
    assert_eq!(tasks_of(&plan), expected);
    let topics: Vec<_> = plan
        .streams
        .iter()
        .filter(|stream| stream.kind == StreamKind::Topic)
        .map(|stream| format!("{}>{}", stream.from, stream.to))
        .collect();
    assert_eq!(topics, ["n>x", "n.rest>l"]);
    // The stream takes nothing from what is promised.
    assert_eq!(plan.targets[0].delivery, Guarantee::ExactlyOnce);
}

#[test]
fn sources_that_join_later_are_tasks_of_their_own() {
    let document = channel(
        &[("a", "read"), ("t", "mask"), ("b", "read"), ("m", "mask"), ("k", "table")],
        &["a>t", "t>m", "b>m", "m>k"],
    );
    let plan = cut(&document).expect("it can be cut");
    let expected =
        [("source-a", "a t".to_owned()), ("source-b", "b".to_owned()), ("sink-k", "m k".to_owned())];
    assert_eq!(tasks_of(&plan), expected);
}

#[test]
fn what_a_targets_errors_lead_to_stays_with_it() {
    let document = channel(
        &[("a", "read"), ("k", "table"), ("bad", "file"), ("l", "topic")],
        &["a>k", "k.errors>bad", "a>l"],
    );
    let plan = cut(&document).expect("it can be cut");
    let expected = [("source-a", "a".to_owned()), ("sink-k", "k bad".to_owned()), ("sink-l", "l".to_owned())];
    assert_eq!(tasks_of(&plan), expected);
}

#[test]
fn errors_never_cross_a_stream() {
    let plan = cut(&orders()).expect("it can be cut");
    let expected = [
        ("source-orders", "orders mask bad".to_owned()),
        ("sink-out", "out".to_owned()),
        ("source-other", "other".to_owned()),
        ("sink-log", "log".to_owned()),
    ];
    assert_eq!(tasks_of(&plan), expected, "what `mask` refuses stays with it");
    let document = channel(
        &[("a", "read"), ("m", "mask"), ("n", "mask"), ("k", "table"), ("l", "file")],
        &["a>m", "a>n", "m>k", "n>l", "a.errors>l"],
    );
    let found = cut(&document).expect_err("`l` is fed from elsewhere as well");
    let errors: Vec<_> = found.iter().filter(|fault| fault.is_error()).collect();
    assert_eq!(errors.len(), 1);
    let at = (&*errors[0].code, errors[0].place.node.as_deref());
    assert_eq!(at, (codes::PLAN_ERRORS_ACROSS_STREAM, Some("a")));
}

#[test]
fn a_source_that_comes_to_be_cut_starts_over() {
    let document = channel(&[("a", "read"), ("k", "table"), ("l", "file")], &["a>k", "a>l"]);
    let (direct, cut) = (plan(&document), cut(&document).expect("it can be cut"));
    for (before, after) in [(&direct, &cut), (&cut, &direct)] {
        let positions = diff(Some(before), after).positions;
        assert_eq!(
            (positions[0].fate, &*positions[0].because),
            (PositionFate::New, &["stream".to_owned()][..])
        );
    }
}
