//! Channels that run at set times, by a clock that the test holds.

use chrono::{DateTime, Duration, Utc};
use fairway_engine::testkit::shelf;
use fairway_shared::api::status::{ChannelState, ChannelStatus, TargetState};
use serde_json::{Value, json};

use crate::house::{House, endless};

fn scheduled(shelf: &str, count: u64, schedule: Value) -> Value {
    let mut document = endless("a", shelf, count);
    document["spec"]["settings"] = json!({ "schedule": schedule });
    document
}

fn hourly() -> Value {
    json!({ "cron": "0 * * * *" })
}

/// The next full hour, and so many after it.
fn hour(after: i64) -> DateTime<Utc> {
    let now = Utc::now().timestamp();
    DateTime::from_timestamp(now - now % 3600 + 3600 * (after + 1), 0).unwrap()
}

impl House {
    async fn due(&self, now: DateTime<Utc>) -> usize {
        self.controller.run_due(now).await.unwrap().len()
    }

    async fn ends(&self, uid: &str, read: u64) {
        self.until(uid, |status| status.state == ChannelState::Completed && status.counts.read == read).await;
    }
}

#[tokio::test]
async fn it_waits_for_its_time_and_runs_until_it_has_caught_up() {
    let house = House::new().await;
    let uid = house.create(scheduled("schedules/hourly", 10, hourly())).await;
    let plan = house.controller.plan(&uid).await.unwrap();
    assert_eq!(plan.next_runs.len(), 3);
    house.controller.deploy(&uid).await.unwrap();
    let status = house.controller.status(&uid).await.unwrap();
    assert_eq!((status.state, status.counts.read), (ChannelState::Stopped, 0));
    let schedule = status.schedule.unwrap();
    assert_eq!((schedule.next, schedule.last), (plan.next_runs, None));
    assert_eq!(house.due(hour(0) - Duration::seconds(1)).await, 0);
    assert_eq!(house.due(hour(0)).await, 1);
    house.ends(&uid, 10).await;
    assert_eq!(house.due(hour(0) + Duration::minutes(30)).await, 0, "once at each time");
    assert_eq!(house.due(hour(1)).await, 1);
    house.ends(&uid, 10).await;
    assert!(house.controller.status(&uid).await.unwrap().schedule.unwrap().last.is_some());

    // More to read, and the same schedule: its next time brings it.
    house.save(&uid, scheduled("schedules/hourly", 15, hourly())).await;
    house.controller.deploy(&uid).await.unwrap();
    assert_eq!(house.due(hour(1) + Duration::minutes(1)).await, 0);
    assert_eq!(house.due(hour(2)).await, 1);
    house.ends(&uid, 15).await;
    assert_eq!(shelf("schedules/hourly").numbers(), (1..=15).collect::<Vec<_>>());
}

#[tokio::test]
async fn stopped_it_does_not_run_and_does_not_make_up_for_it() {
    let house = House::new().await;
    let uid = house.create(scheduled("schedules/stopped", 5, hourly())).await;
    house.controller.deploy(&uid).await.unwrap();
    house.controller.set_target(&uid, TargetState::Stopped).await.unwrap();
    assert!(house.controller.status(&uid).await.unwrap().schedule.unwrap().next.is_empty());
    assert_eq!(house.due(hour(0)).await, 0);
    // Asked to run by hand it runs at once, and by its schedule from then on.
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.ends(&uid, 5).await;
    assert_eq!(house.due(hour(0) + Duration::minutes(1)).await, 0);
    assert_eq!(house.due(hour(1)).await, 1);
}

#[tokio::test]
async fn what_was_missed_is_made_up_for_once_or_skipped() {
    for (missed, runs) in [("run_once", 1), ("skip", 0)] {
        let house = House::new().await;
        let schedule = json!({ "cron": "0 * * * *", "timezone": "Europe/Berlin", "missed": missed });
        let uid = house.create(scheduled(&format!("schedules/{missed}"), 5, schedule)).await;
        house.controller.deploy(&uid).await.unwrap();
        let house = house.restart().await;
        assert_eq!(house.controller.status(&uid).await.unwrap().state, ChannelState::Stopped);
        let later = hour(5) + Duration::minutes(20);
        assert_eq!(house.due(later).await, runs, "{missed}");
        assert_eq!(house.due(later + Duration::minutes(1)).await, 0, "{missed}");
        if runs == 0 {
            assert_eq!(house.due(hour(6)).await, 1);
        }
        house.ends(&uid, 5).await;
    }
}

#[tokio::test]
async fn a_run_that_the_end_of_the_process_cut_goes_on_once() {
    let house = House::new().await;
    let name = "schedules/cut";
    shelf(name).fail(fairway_engine::testkit::Faults { outages: usize::MAX, ..Default::default() });
    let uid = house.create(scheduled(name, 5, hourly())).await;
    house.controller.deploy(&uid).await.unwrap();
    assert_eq!(house.due(hour(0)).await, 1);
    house.reaches(&uid, ChannelState::Degraded).await;
    let house = house.restart().await;
    shelf(name).fail(Default::default());
    // No time has come since; what was under way is finished, and then it waits.
    assert_eq!(house.due(hour(0) + Duration::minutes(1)).await, 0);
    house.ends(&uid, 5).await;
    for _ in 0..3 {
        assert_eq!(house.due(hour(0) + Duration::minutes(2)).await, 0);
    }
    let starts = |status: ChannelStatus| {
        status.history.iter().filter(|entry| entry.state == ChannelState::Completed).count()
    };
    assert_eq!(starts(house.controller.status(&uid).await.unwrap()), 1);
    let house = house.restart().await;
    assert_eq!(house.due(hour(0) + Duration::minutes(3)).await, 0);
    assert_eq!(house.controller.status(&uid).await.unwrap().state, ChannelState::Completed);
}

#[tokio::test]
async fn paused_between_its_runs_it_does_not_start() {
    let house = House::new().await;
    let uid = house.create(scheduled("schedules/paused", 5, hourly())).await;
    house.controller.deploy(&uid).await.unwrap();
    let status = house.controller.set_target(&uid, TargetState::Paused).await.unwrap();
    assert_eq!((status.state, status.target), (ChannelState::Stopped, Some(TargetState::Paused)));
    assert_eq!(house.due(hour(0)).await, 0);
    house.controller.set_target(&uid, TargetState::Running).await.unwrap();
    house.ends(&uid, 5).await;
    // Without its schedule the same channel runs as long as it is deployed.
    house.save(&uid, endless("a", "schedules/paused", 7)).await;
    house.controller.deploy(&uid).await.unwrap();
    house.until(&uid, |status| status.counts.read == 7 && status.schedule.is_none()).await;
    assert_eq!(house.due(hour(9)).await, 0);
    assert_eq!(house.controller.status(&uid).await.unwrap().state, ChannelState::Running);
}

#[tokio::test]
async fn two_runs_never_overlap_and_wrong_schedules_are_refused() {
    let house = House::new().await;
    shelf("schedules/slow")
        .fail(fairway_engine::testkit::Faults { outages: usize::MAX, ..Default::default() });
    let uid = house.create(scheduled("schedules/slow", 5, hourly())).await;
    house.controller.deploy(&uid).await.unwrap();
    assert_eq!(house.due(hour(0)).await, 1);
    house.reaches(&uid, ChannelState::Degraded).await;
    assert_eq!(house.due(hour(1)).await, 0, "the run before has not ended");
    shelf("schedules/slow").fail(Default::default());
    house.controller.restart(&uid).await.unwrap();
    house.ends(&uid, 5).await;
    assert_eq!(house.due(hour(2)).await, 1);

    house.save(&uid, scheduled("schedules/slow", 5, json!({ "cron": "at noon", "timezone": "UTC" }))).await;
    let refused = house.controller.deploy(&uid).await.unwrap_err();
    let fault = &refused.problem.diagnostics[0];
    assert_eq!((&*fault.code, &*fault.place.pointer), ("schedule.cron", "/spec/settings/schedule/cron"));
}
