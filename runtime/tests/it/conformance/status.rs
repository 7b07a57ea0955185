//! States and their history.

use fairway_runtime::services::{HISTORY_KEPT, Services, StatusRecord};
use fairway_shared::api::status::{Caller, Cause, ChannelState, Deed, DeedKind, HistoryEntry};

fn entry(number: usize) -> HistoryEntry {
    HistoryEntry {
        at: format!("2026-01-01T00:00:00.{number:03}Z"),
        state: if number.is_multiple_of(2) { ChannelState::Running } else { ChannelState::Degraded },
        cause: (!number.is_multiple_of(2)).then(|| Cause {
            code: "x.y".into(),
            message: "it's gone".into(),
            help: None,
            node: Some("n".into()),
        }),
        version: Some(7),
        deed: None,
    }
}

pub(super) async fn the_latest_state_stands(services: Services) {
    let status = services.status;
    assert_eq!(status.status("u").await.unwrap(), None);
    status.enter("u", &entry(0)).await.unwrap();
    status.enter("u", &entry(1)).await.unwrap();
    status.enter("v", &entry(2)).await.unwrap();
    let expected = StatusRecord {
        state: ChannelState::Degraded,
        cause: entry(1).cause,
        since: Some(entry(1).at),
        version: Some(7),
    };
    assert_eq!(status.status("u").await.unwrap(), Some(expected));
    assert_eq!(status.history("u", 10).await.unwrap(), [entry(1), entry(0)]);
    status.forget("u").await.unwrap();
    assert_eq!(status.status("u").await.unwrap(), None);
    assert_eq!(status.history("u", 10).await.unwrap(), []);
    assert_eq!(status.history("v", 10).await.unwrap(), [entry(2)]);
}

pub(super) async fn the_history_is_bounded(services: Services) {
    let status = services.status;
    status.enter("v", &entry(0)).await.unwrap();
    for number in 0..HISTORY_KEPT + 5 {
        status.enter("u", &entry(number)).await.unwrap();
    }
    let history = status.history("u", HISTORY_KEPT * 2).await.unwrap();
    assert_eq!(history.len(), HISTORY_KEPT);
    assert_eq!(history[0], entry(HISTORY_KEPT + 4));
    assert_eq!(history[HISTORY_KEPT - 1], entry(5));
    assert_eq!(status.history("u", 3).await.unwrap().len(), 3);
    assert_eq!(status.history("v", 3).await.unwrap(), [entry(0)]);
}

pub(super) async fn deeds_change_no_state(services: Services) {
    let status = services.status;
    let deed = |number: usize| {
        let subject = number.to_string();
        let deed = Deed { what: DeedKind::LetterEdited, subject, node: Some("n".into()), by: Caller::Token };
        HistoryEntry::of_deed(entry(number).at, deed)
    };
    status.note("u", &deed(0)).await.unwrap();
    assert_eq!(status.status("u").await.unwrap(), None);
    status.enter("u", &entry(1)).await.unwrap();
    status.note("u", &deed(2)).await.unwrap();
    assert_eq!(status.status("u").await.unwrap(), Some(StatusRecord::from(entry(1))));
    assert_eq!(status.last_seen("u").await.unwrap(), Some(entry(1)));
    assert_eq!(status.history("u", 10).await.unwrap(), [deed(2), entry(1), deed(0)]);
    assert_eq!(status.history("u", 1).await.unwrap(), [deed(2)]);
    status.forget("u").await.unwrap();
    assert_eq!(status.history("u", 10).await.unwrap(), []);
}
