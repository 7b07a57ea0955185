//! Dead letters of deployed channels that are tried again.

use fairway_engine::testkit::{Faults, shelf};
use fairway_runtime::services::Filter;
use fairway_shared::api::dead_letters::{DeadLetters, EditedRecord, ReplayStart, Selection};
use fairway_shared::api::preview::PreviewState;
use fairway_shared::api::status::{Caller, ChannelState, ChannelStatus, DeedKind, TargetState};
use serde_json::{Value, json};

use crate::house::House;

/// A channel that counts to 10 by way of `transform`.
fn by_way_of(transform: &Value, shelf: &str, endless: bool) -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "a" },
        "spec": {
            "nodes": [
                { "id": "count", "component": "count_source", "config": { "count": 10, "batch": 4, "endless": endless } },
                { "id": "odd", "component": transform["component"], "config": transform["config"] },
                { "id": "shelf", "component": "shelf_sink", "config": { "shelf": shelf } }
            ],
            "edges": [{ "from": "count", "to": "odd" }, { "from": "odd", "to": "shelf" }]
        }
    })
}

fn refusing() -> Value {
    json!({ "component": "refuse_even", "config": {} })
}

fn calm() -> Value {
    json!({ "component": "panic_at", "config": { "n": -1, "shelf": "replay/calm", "times": 0 } })
}

fn sorted(shelf_name: &str) -> Vec<i64> {
    let mut numbers = shelf(shelf_name).numbers();
    numbers.sort_unstable();
    numbers
}

impl House {
    async fn letters(&self, uid: &str) -> DeadLetters {
        self.controller.dead_letters(uid, &Selection::default(), None, None).await.unwrap()
    }

    async fn no_letters(&self, uid: &str) -> ChannelStatus {
        self.until(uid, |status| status.dead_letters == 0).await
    }
}

#[tokio::test]
async fn letters_of_a_completed_channel_are_tried_and_it_stays_completed() {
    let house = House::new().await;
    let uid = house.create(by_way_of(&refusing(), "replay/completed", false)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Completed).await;
    assert_eq!(house.letters(&uid).await.total, 5);

    // Still refused: every one stays one letter, and says how often it was tried.
    let replaying = house.controller.replay(&uid, &Selection::default()).await.unwrap();
    assert_eq!((replaying.affected, replaying.skipped, replaying.start), (5, 0, ReplayStart::Now));
    for _ in 0..200 {
        if house.letters(&uid).await.replaying == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let letters = house.letters(&uid).await;
    assert_eq!((letters.total, letters.replaying), (5, 0));
    assert!(letters.dead_letters.iter().all(|letter| letter.tries == 2));

    house.save(&uid, by_way_of(&calm(), "replay/completed", false)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.version == Some(2) && status.state == ChannelState::Completed).await;
    let one = Selection { ids: Some(vec![letters.dead_letters[0].id.clone()]), ..Selection::default() };
    assert_eq!(house.controller.replay(&uid, &one).await.unwrap().affected, 1);
    house.until(&uid, |status| status.dead_letters == 4).await;
    let of_node = Selection { node: Some("odd".into()), ..Selection::default() };
    assert_eq!(house.controller.replay(&uid, &of_node).await.unwrap().affected, 4);
    house.no_letters(&uid).await;
    // The letters go with the commit, and the figures follow it.
    let status = house.until(&uid, |status| status.counts.replayed == 5).await;
    assert_eq!(status.state, ChannelState::Completed);
    assert_eq!(sorted("replay/completed"), [1, 2, 3, 4, 6, 7, 8, 9, 10]);
    let counts = status.counts;
    assert_eq!((counts.read, counts.dead_lettered, counts.replayed), (10, 0, 5));
    assert_eq!(counts.read, counts.delivered + counts.filtered + counts.dead_lettered);
    let house = house.restart().await;
    assert_eq!(house.controller.status(&uid).await.unwrap().counts, counts, "the store has it as well");
    let nothing = house.controller.replay(&uid, &Selection::default()).await.unwrap();
    assert_eq!((nothing.affected, nothing.start), (0, ReplayStart::Nothing));
    let positions = house.controller.positions(&uid).await.unwrap().positions;
    assert!(positions.iter().all(|position| position.source == "count"));
}

#[tokio::test]
async fn letters_of_a_running_channel_wait_while_it_is_paused() {
    let house = House::new().await;
    let shelf = shelf("replay/running");
    shelf.fail(Faults { refuse: [3, 8].into(), ..Faults::default() });
    let uid = house.create(by_way_of(&calm(), "replay/running", true)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.read == 10).await;
    house.controller.set_target(&uid, TargetState::Paused).await.unwrap();
    house.reaches(&uid, ChannelState::Paused).await;
    shelf.fail(Faults::default());
    let replaying = house.controller.replay(&uid, &Selection::default()).await.unwrap();
    assert_eq!((replaying.affected, replaying.start), (2, ReplayStart::WhenRunning));
    assert_eq!(house.letters(&uid).await.replaying, 2);
    // What was asked for outlives the process.
    let house = house.restart().await;
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.no_letters(&uid).await;
    assert_eq!(sorted("replay/running"), (1..=10).collect::<Vec<_>>());
    house.controller.shut_down().await;
}

#[tokio::test]
async fn a_stopped_channel_opens_for_its_letters_and_stops_again() {
    let house = House::new().await;
    shelf("replay/stopped").fail(Faults { refuse: [5].into(), ..Faults::default() });
    let uid = house.create(by_way_of(&calm(), "replay/stopped", true)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.read == 10).await;
    house.controller.set_target(&uid, TargetState::Stopped).await.unwrap();
    house.reaches(&uid, ChannelState::Stopped).await;
    shelf("replay/stopped").fail(Faults::default());
    house.controller.replay(&uid, &Selection::default()).await.unwrap();
    let status = house.no_letters(&uid).await;
    assert_eq!((status.state, status.target), (ChannelState::Stopped, Some(TargetState::Stopped)));
    // To run afterwards is to read again.
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.reaches(&uid, ChannelState::Running).await;
    assert_eq!(sorted("replay/stopped"), (1..=10).collect::<Vec<_>>());
    house.controller.shut_down().await;
}

#[tokio::test]
async fn what_cannot_be_tried_is_said() {
    let house = House::new().await;
    let uid = house.create(by_way_of(&refusing(), "replay/gone", false)).await;
    let refused = house.controller.replay(&uid, &Selection::default()).await.unwrap_err();
    assert_eq!(refused.problem.code, "channel.not_deployed");
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Completed).await;
    let mut document = by_way_of(&calm(), "replay/gone", false);
    document["spec"]["nodes"][1]["id"] = json!("other");
    document["spec"]["edges"] =
        json!([{ "from": "count", "to": "other" }, { "from": "other", "to": "shelf" }]);
    house.save(&uid, document).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.version == Some(2) && status.state == ChannelState::Completed).await;
    let replaying = house.controller.replay(&uid, &Selection::default()).await.unwrap();
    assert_eq!((replaying.affected, replaying.skipped, replaying.start), (0, 5, ReplayStart::Nothing));
    let codes: Vec<&str> = replaying.reasons.iter().map(|reason| &*reason.code).collect();
    assert_eq!(codes, ["dead_letter.no_such_node"]);
    let wrong = Selection { since: Some("yesterday".into()), ..Selection::default() };
    assert_eq!(house.controller.replay(&uid, &wrong).await.unwrap_err().problem.code, "request.unreadable");
    let gone = house.controller.dead_letter(&uid, "12345").await.unwrap_err();
    assert_eq!(gone.problem.code, "dead_letter.not_found");
    let letter = house.letters(&uid).await.dead_letters.remove(0);
    assert_eq!(house.controller.dead_letter(&uid, &letter.id).await.unwrap(), letter);
    assert_eq!(house.controller.dead_letter_groups(&uid).await.unwrap().groups[0].letters, 5);
}

/// A crash right after letters were asked for: the next start tries them, also where the channel itself has nothing to do.
#[tokio::test]
async fn letters_asked_for_before_a_crash_are_tried_at_the_next_start() {
    let house = House::new().await;
    let uid = house.create(by_way_of(&refusing(), "replay/crash", false)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Completed).await;
    house.save(&uid, by_way_of(&calm(), "replay/crash", false)).await;
    house.controller.deploy(&uid).await.unwrap();
    let status = house.reaches(&uid, ChannelState::Completed).await;
    let tasks = [("odd".to_owned(), status.tasks[0].id.clone())].into_iter().collect();
    let asked = house.services.dead_letters.ask_replay(&uid, &Filter::default(), &tasks).await.unwrap();
    assert_eq!(asked, 5);

    let house = house.restart().await;
    house.no_letters(&uid).await;
    // 5 was left out by rule.
    assert_eq!(sorted("replay/crash"), [1, 2, 3, 4, 6, 7, 8, 9, 10]);
    house.reaches(&uid, ChannelState::Completed).await;
}

/// Edited, tried out, tried again: the target gets the edited record, and the history says who edited it.
#[tokio::test]
async fn an_edited_letter_is_tried_out_and_then_delivered_as_edited() {
    let house = House::new().await;
    let uid = house.create(by_way_of(&refusing(), "replay/edited", false)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.reaches(&uid, ChannelState::Completed).await;
    let letter = house.letters(&uid).await.dead_letters.remove(0);
    assert_eq!(letter.record["value"]["n"], json!(10));

    let edited = |n: i64| EditedRecord { record: Some(json!({ "value": { "n": n } })) };
    let tried = async |record: EditedRecord| {
        let answer = house.controller.preview_letter(&uid, &letter.id, &record).await.unwrap();
        assert!(!answer.nodes.contains_key("count"), "what lies before is not run");
        (answer.nodes["odd"].rejects.len(), answer.nodes["shelf"].inputs.len(), answer.nodes["shelf"].state)
    };
    assert_eq!(tried(EditedRecord::default()).await, (1, 0, PreviewState::Done));
    assert_eq!(tried(edited(1001)).await, (0, 1, PreviewState::Done));
    assert_eq!(sorted("replay/edited"), [1, 3, 7, 9], "a preview writes nothing");

    let wrong = EditedRecord { record: Some(json!({ "n": 1 })) };
    let refused = house.controller.edit_letter(&uid, &letter.id, &wrong, Caller::Session).await.unwrap_err();
    assert_eq!(refused.problem.code, "request.unreadable");
    let kept = house.controller.edit_letter(&uid, &letter.id, &edited(1001), Caller::Session).await.unwrap();
    assert_eq!((kept.record, kept.edited), (letter.record.clone(), edited(1001).record));
    let one = Selection { ids: Some(vec![letter.id.clone()]), ..Selection::default() };
    assert_eq!(house.controller.replay(&uid, &one).await.unwrap().affected, 1);
    house.until(&uid, |status| status.dead_letters == 4).await;
    assert_eq!(sorted("replay/edited"), [1, 3, 7, 9, 1001]);

    let history = house.controller.status(&uid).await.unwrap().history;
    let deeds: Vec<_> = history.into_iter().filter_map(|entry| entry.deed).collect();
    assert_eq!(deeds.len(), 1);
    assert_eq!(
        (deeds[0].what, &deeds[0].subject, deeds[0].by),
        (DeedKind::LetterEdited, &letter.id, Caller::Session)
    );
    assert_eq!(deeds[0].node.as_deref(), Some("odd"));
}
