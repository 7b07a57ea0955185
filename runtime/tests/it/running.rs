//! Deploy, target states, restarts, positions: what was asked for is what runs, and nothing is delivered twice.

use fairway_engine::testkit::{Faults, shelf};
use fairway_shared::api::channels::{Existing, Import};
use fairway_shared::api::dead_letters::Selection;
use fairway_shared::api::status::{ChannelState, Counts, TargetState};
use serde_json::json;

use crate::house::{House, counting, endless};

fn each_once(numbers: u64) -> Vec<i64> {
    (1..=i64::try_from(numbers).unwrap()).collect()
}

#[tokio::test]
async fn a_bounded_channel_completes_and_says_so() {
    let house = House::new().await;
    let shelf = shelf("runtime/completes");
    let uid = house.create(counting("a", "runtime/completes", 95)).await;
    let plan = house.controller.plan(&uid).await.unwrap();
    assert_eq!(plan.diff.starts.len(), 1);
    let deployment = house.controller.deploy(&uid).await.unwrap();
    assert_eq!((deployment.version, &deployment.plan), (1, plan.plan.as_ref().unwrap()));
    let status = house.reaches(&uid, ChannelState::Completed).await;
    assert_eq!(status.counts, Counts { read: 95, delivered: 95, ..Counts::default() });
    assert_eq!(
        (status.nodes["count"].out, status.nodes["shelf"].entered, status.nodes["shelf"].out),
        (95, 95, 95)
    );
    assert_eq!(status.edges[0].records, 95);
    assert_eq!((status.target, status.version), (Some(TargetState::Running), Some(1)));
    assert_eq!(status.history[0].state, ChannelState::Completed);
    assert_eq!(shelf.numbers(), each_once(95));
    let listed = house.controller.channels().await.unwrap().channels.remove(0);
    assert_eq!(
        (listed.deployed, listed.changed, listed.status.state),
        (Some(1), false, ChannelState::Completed)
    );
}

#[tokio::test]
async fn over_again_doubles_nothing() {
    let house = House::new().await;
    let shelf = shelf("runtime/again");
    let uid = house.create(counting("a", "runtime/again", 50)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Completed).await;
    // The same again, imported over, and with more to read.
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.version == Some(2) && status.state == ChannelState::Completed).await;
    let document = counting("a", "runtime/again", 80);
    let import = Import { document, existing: Existing::Over };
    house.controller.import(&import).await.unwrap();
    assert!(house.controller.channels().await.unwrap().channels[0].changed);
    house.controller.deploy(&uid).await.unwrap();
    let status = house
        .until(&uid, |status| status.version == Some(3) && status.state == ChannelState::Completed)
        .await;
    assert_eq!(status.counts.read, 80);
    assert_eq!(shelf.numbers(), each_once(80));
    let versions = house.controller.versions(&uid).await.unwrap().versions;
    assert_eq!(
        versions.iter().map(|version| (version.version, version.deployed)).collect::<Vec<_>>(),
        [(3, true), (2, false), (1, false)]
    );
}

#[tokio::test]
async fn errors_keep_a_draft_from_being_deployed() {
    let house = House::new().await;
    let mut document = counting("a", "runtime/errors", 1);
    document["spec"]["nodes"][1]["component"] = json!("no_such_sink");
    let uid = house.create(document).await;
    let plan = house.controller.plan(&uid).await.unwrap();
    assert!(plan.plan.is_none() && !plan.diagnostics.is_empty());
    let refused = house.controller.deploy(&uid).await.unwrap_err();
    assert_eq!((refused.status(), &*refused.problem.code), (422, "document.invalid"));
    assert_eq!(refused.problem.diagnostics, plan.diagnostics);
    for refused in [
        house.controller.set_target(&uid, TargetState::Running).await.unwrap_err(),
        house.controller.restart(&uid).await.unwrap_err(),
    ] {
        assert_eq!(&*refused.problem.code, "channel.not_deployed");
    }
}

#[tokio::test]
async fn pause_and_stop_hold_across_restart_and_deploy() {
    let house = House::new().await;
    let shelf = shelf("runtime/targets");
    let uid = house.create(endless("a", "runtime/targets", 30)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 30).await;
    house.controller.set_target(&uid, TargetState::Paused).await.unwrap();
    house.reaches(&uid, ChannelState::Paused).await;

    let house = house.restart().await;
    house.reaches(&uid, ChannelState::Paused).await;
    house.save(&uid, endless("a", "runtime/targets", 40)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.version == Some(2) && status.state == ChannelState::Paused).await;
    assert_eq!(shelf.numbers(), each_once(30));
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 40).await;

    house.controller.set_target(&uid, TargetState::Stopped).await.unwrap();
    house.reaches(&uid, ChannelState::Stopped).await;
    house.save(&uid, endless("a", "runtime/targets", 50)).await;
    house.controller.deploy(&uid).await.unwrap();
    let house = house.restart().await;
    let status = house.controller.status(&uid).await.unwrap();
    assert_eq!((status.state, status.target), (ChannelState::Stopped, Some(TargetState::Stopped)));
    assert_eq!(shelf.numbers(), each_once(40));
    house.controller.restart(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 50).await;
    assert_eq!(shelf.numbers(), each_once(50));
    house.controller.shut_down().await;
}

#[tokio::test]
async fn a_restarted_process_goes_on_and_completed_stays_completed() {
    let house = House::new().await;
    let (done, going) = (shelf("runtime/done"), shelf("runtime/going"));
    let bounded = house.create(counting("bounded", "runtime/done", 20)).await;
    let unbounded = house.create(endless("unbounded", "runtime/going", 20)).await;
    for uid in [&bounded, &unbounded] {
        house.controller.deploy(uid).await.unwrap();
    }
    house.reaches(&bounded, ChannelState::Completed).await;
    house.until(&unbounded, |status| status.counts.delivered == 20).await;
    let house = house.restart().await;
    house.reaches(&unbounded, ChannelState::Running).await;
    let status = house.controller.status(&bounded).await.unwrap();
    assert_eq!(status.state, ChannelState::Completed);
    assert_eq!((status.counts.read, status.nodes["shelf"].out, status.edges[0].records), (20, 20, 20));
    let before = status.history.len();
    assert_eq!(house.controller.status(&bounded).await.unwrap().history.len(), before);
    // Asked for, it runs again and finds nothing new.
    house.controller.set_target(&bounded, TargetState::Running).await.unwrap();
    house
        .until(&bounded, |status| status.history.len() > before && status.state == ChannelState::Completed)
        .await;
    assert_eq!((done.numbers(), going.numbers()), (each_once(20), each_once(20)));
    house.controller.shut_down().await;
}

#[tokio::test]
async fn an_outage_degrades_and_passes() {
    let house = House::new().await;
    let shelf = shelf("runtime/outage");
    shelf.fail(Faults { outages: 3, ..Faults::default() });
    let uid = house.create(counting("a", "runtime/outage", 20)).await;
    house.controller.deploy(&uid).await.unwrap();
    let status = house.reaches(&uid, ChannelState::Completed).await;
    assert!(status.counts.retried >= 3);
    assert_eq!(shelf.numbers(), each_once(20));
    let degraded = status.history.iter().find(|entry| entry.state == ChannelState::Degraded).unwrap();
    assert_eq!(degraded.cause.as_ref().unwrap().code, "test.outage");
}

#[tokio::test]
async fn refused_records_are_set_aside_counted_and_discarded() {
    let house = House::new().await;
    let shelf = shelf("runtime/refused");
    shelf.fail(Faults { refuse: [3, 7].into(), ..Faults::default() });
    let uid = house.create(counting("a", "runtime/refused", 10)).await;
    house.controller.deploy(&uid).await.unwrap();
    let status = house.reaches(&uid, ChannelState::Completed).await;
    assert_eq!((status.counts.read, status.counts.delivered, status.counts.dead_lettered), (10, 8, 2));
    assert_eq!(status.dead_letters, 2);
    let letters = house.controller.dead_letters(&uid, &Selection::default(), None, None).await.unwrap();
    assert_eq!(letters.total, 2);
    assert_eq!(letters.dead_letters[0].cause.code, "test.refused");
    assert_eq!(letters.dead_letters[0].node, "shelf");
    let one = Selection { ids: Some(vec![letters.dead_letters[0].id.clone()]), ..Selection::default() };
    assert_eq!(house.controller.discard(&uid, &one).await.unwrap().affected, 1);
    house.until(&uid, |status| status.dead_letters == 1).await;
    assert_eq!(house.controller.discard(&uid, &Default::default()).await.unwrap().affected, 1);
    assert_eq!(house.controller.status(&uid).await.unwrap().counts.dead_lettered, 2);
}

#[tokio::test]
async fn positions_are_reset_only_while_nothing_runs() {
    let house = House::new().await;
    let uid = house.create(endless("a", "runtime/reset", 10)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 10).await;
    let positions = house.controller.positions(&uid).await.unwrap().positions;
    assert!(positions.iter().any(|position| position.target.is_none() && position.order == 10));
    let refused = house.controller.reset(&uid).await.unwrap_err();
    assert_eq!(&*refused.problem.code, "channel.not_stopped");
    house.controller.set_target(&uid, TargetState::Stopped).await.unwrap();
    house.controller.reset(&uid).await.unwrap();
    assert!(house.controller.positions(&uid).await.unwrap().positions.is_empty());
    assert_eq!(house.controller.status(&uid).await.unwrap().counts.delivered, 10);
    // It starts over, in its targets as well.
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 20).await;
    assert_eq!(shelf("runtime/reset").numbers(), [each_once(10), each_once(10)].concat());
    house.controller.shut_down().await;
}

#[tokio::test]
async fn delete_stops_and_leaves_nothing() {
    let house = House::new().await;
    let uid = house.create(endless("a", "runtime/delete", 10)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 10).await;
    house.controller.delete(&uid).await.unwrap();
    assert!(house.services.positions.marks(&uid).await.unwrap().is_empty());
    assert_eq!(house.services.status.status(&uid).await.unwrap(), None);
    let house = house.restart().await;
    assert!(house.controller.channels().await.unwrap().channels.is_empty());
}

#[tokio::test]
async fn a_missing_secret_fails_the_channel_with_its_reason() {
    let house = House::new().await;
    house.controller.set_secret("shelf", &"runtime/secret".to_owned().into()).await.unwrap();
    let uid = house.create(counting("a", "${secret:shelf}", 5)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Completed).await;
    assert_eq!(shelf("runtime/secret").numbers(), each_once(5));
    house.controller.delete_secret("shelf").await.unwrap();
    house.controller.restart(&uid).await.unwrap();
    let status = house.reaches(&uid, ChannelState::Failed).await;
    let cause = status.cause.unwrap();
    assert_eq!((&*cause.code, cause.node.as_deref()), ("secret.missing", Some("shelf")));
    // The document names the secret, never its value.
    let frozen = &house.controller.versions(&uid).await.unwrap().versions[0].document;
    assert_eq!(frozen["spec"]["nodes"][1]["config"]["shelf"], "${secret:shelf}");
}

#[tokio::test]
async fn a_panic_is_a_fault_of_one_task_and_is_restarted() {
    let house = House::new().await;
    let shelf = shelf("runtime/panic");
    let mut document = counting("a", "runtime/panic", 50);
    document["spec"]["nodes"].as_array_mut().unwrap().push(json!({
        "id": "panic", "component": "panic_at", "config": { "n": 33, "shelf": "runtime/panic", "times": 1 }
    }));
    document["spec"]["edges"] =
        json!([{ "from": "count", "to": "panic" }, { "from": "panic", "to": "shelf" }]);
    let uid = house.create(document).await;
    house.controller.deploy(&uid).await.unwrap();
    let status = house.reaches(&uid, ChannelState::Completed).await;
    assert_eq!(status.tasks[0].restarts, 1);
    let restarting = status.history.iter().find(|entry| entry.state == ChannelState::Restarting).unwrap();
    assert_eq!(restarting.cause.as_ref().unwrap().code, "task.panic");
    assert_eq!(shelf.numbers(), each_once(50));
    assert_eq!((status.counts.read, status.counts.delivered), (50, 50));
}

#[tokio::test]
async fn a_channel_does_not_run_in_part() {
    let house = House::new().await;
    house.controller.set_secret("shelf", &"runtime/part".to_owned().into()).await.unwrap();
    let mut document = endless("a", "runtime/whole", 10);
    let nodes = document["spec"]["nodes"].as_array_mut().unwrap();
    nodes.push(json!({ "id": "count2", "component": "count_source", "config": { "count": 5, "batch": 5, "endless": true } }));
    nodes
        .push(json!({ "id": "shelf2", "component": "shelf_sink", "config": { "shelf": "${secret:shelf}" } }));
    document["spec"]["edges"].as_array_mut().unwrap().push(json!({ "from": "count2", "to": "shelf2" }));
    let uid = house.create(document).await;
    house.controller.deploy(&uid).await.unwrap();
    let status = house.until(&uid, |status| status.counts.delivered == 15).await;
    assert_eq!(status.tasks.len(), 2);
    house.controller.delete_secret("shelf").await.unwrap();
    house.controller.restart(&uid).await.unwrap();
    let status = house
        .until(&uid, |status| {
            status.state == ChannelState::Failed
                && status.tasks.iter().any(|task| task.state == ChannelState::Stopped)
        })
        .await;
    assert_eq!(status.cause.unwrap().code, "secret.missing");
    // Once the reason is gone it runs whole again.
    house.controller.set_secret("shelf", &"runtime/part".to_owned().into()).await.unwrap();
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.reaches(&uid, ChannelState::Running).await;
    house.controller.shut_down().await;
}

#[tokio::test]
async fn a_deploy_touches_only_what_changed() {
    let house = House::new().await;
    let (one, two) = (shelf("runtime/touch1"), shelf("runtime/touch2"));
    let document = |second: u64| {
        let mut document = endless("a", "runtime/touch1", 10);
        let nodes = document["spec"]["nodes"].as_array_mut().unwrap();
        let config = json!({ "count": second, "batch": 5, "endless": true });
        nodes.push(json!({ "id": "count2", "component": "count_source", "config": config }));
        nodes.push(
            json!({ "id": "shelf2", "component": "shelf_sink", "config": { "shelf": "runtime/touch2" } }),
        );
        document["spec"]["edges"].as_array_mut().unwrap().push(json!({ "from": "count2", "to": "shelf2" }));
        document
    };
    let uid = house.create(document(20)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 30).await;
    house.save(&uid, document(25)).await;
    let plan = house.controller.plan(&uid).await.unwrap();
    assert_eq!((plan.diff.keeps.len(), plan.diff.restarts.len()), (1, 1));
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.delivered == 35).await;
    // Its layout alone changes nothing that runs.
    let mut moved = document(25);
    moved["layout"] = json!({ "nodes": { "count": { "x": 160, "y": 32 } } });
    house.save(&uid, moved).await;
    assert!(!house.controller.channels().await.unwrap().channels[0].changed);
    assert_eq!(house.controller.plan(&uid).await.unwrap().diff.keeps.len(), 2);
    house.controller.set_target(&uid, TargetState::Stopped).await.unwrap();
    house.reaches(&uid, ChannelState::Stopped).await;
    assert_eq!((one.numbers(), two.numbers()), (each_once(10), each_once(25)));
}

/// A password that was corrected reaches a channel that waits because of the old one; one that is at work is left alone.
#[tokio::test]
async fn a_corrected_secret_reaches_a_channel_that_waits() {
    let house = House::new().await;
    let secret = |text: &str| text.to_owned().into();
    house.controller.set_secret("which", &secret("renew/wrong")).await.unwrap();
    shelf("renew/wrong").fail(Faults { outages: usize::MAX, ..Faults::default() });
    let waiting = house.create(endless("waiting", "${secret:which}", 20)).await;
    house.controller.deploy(&waiting).await.unwrap();
    house.reaches(&waiting, ChannelState::Degraded).await;
    house.controller.set_secret("other", &secret("of no concern")).await.unwrap();
    house.controller.set_secret("which", &secret("renew/right")).await.unwrap();
    house
        .until(&waiting, |status| status.counts.delivered == 20 && status.state == ChannelState::Running)
        .await;
    assert_eq!(shelf("renew/right").numbers(), each_once(20));

    // At work it keeps what it has: a new value counts from its next start.
    house.controller.set_secret("which", &secret("renew/later")).await.unwrap();
    house.save(&waiting, endless("waiting", "${secret:which}", 20)).await;
    let status = house.controller.status(&waiting).await.unwrap();
    assert_eq!((status.state, status.tasks[0].restarts), (ChannelState::Running, 0));
    assert!(shelf("renew/later").numbers().is_empty());
    house.controller.shut_down().await;
}
