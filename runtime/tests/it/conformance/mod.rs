//! What every backend of the services owes. Each law is a plain function over the traits; `backend!` runs all of them
//! over one backend.

mod config;
mod dead_letter;
mod position;
mod secret;
mod shared;
mod status;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fairway_engine::files::Files;
use fairway_engine::position::{Position, StreamKey};
use fairway_engine::store::StoredMark;
use fairway_kafka::{Access, Security};
use fairway_runtime::services::kafka::Backend;
use fairway_runtime::services::local::{self, Database};
use fairway_runtime::services::{SealingKey, Services};
use serde_json::json;
use tempfile::TempDir;

/// Runs every law over services made by `$make`, which also answers what keeps them alive.
macro_rules! backend {
    ($make:path; $($suite:ident: $($law:ident),+;)+) => {
        $(mod $suite {
            $(#[tokio::test]
            async fn $law() {
                let (services, _alive) = $make().await;
                super::super::$suite::$law(services).await;
            })+
        })+
    };
}

mod on_sqlite {
    backend! {
        super::super::sqlite;
        config: a_commit_is_all_or_nothing, what_is_expected_must_be_there, the_log_is_ordered_and_compact,
            lists_by_prefix, racing_writers_lose_nothing;
        position: generations_rise_and_fence, positions_only_grow, orders_are_as_large_as_they_may_be, a_commit_is_one_step, marks_come_back_whole,
            retired_tasks_are_fenced, a_reset_forgets_and_fences, adjusts_by_node, channels_are_apart;
        status: the_latest_state_stands, the_history_is_bounded, deeds_change_no_state;
        dead_letter: a_replay_doubles_nothing, pages_newest_first, discarded_is_not_refused_again,
            watermarks_settle_refusals, a_reset_lets_letters_come_again, limits_evict_the_oldest, notes_are_kept_by_number,
            finds_by_node_code_and_time, letters_are_tried_in_order_once_their_source_has_passed,
            refused_again_it_stays_one_letter, what_is_asked_for_follows_its_node,
            a_record_with_several_letters_is_replayed_once, channels_with_letters_to_be_tried_are_named,
            an_edited_letter_is_tried_as_edited_and_keeps_its_own_record;
        secret: values_come_back_and_go, names_do_not_share_values;
    }
}

mod on_kafka {
    backend! {
        super::super::kafka;
        config: a_commit_is_all_or_nothing, what_is_expected_must_be_there, the_log_is_ordered_and_compact,
            lists_by_prefix, racing_writers_lose_nothing;
        position: generations_rise_and_fence, positions_only_grow, orders_are_as_large_as_they_may_be, a_commit_is_one_step, marks_come_back_whole,
            retired_tasks_are_fenced, a_reset_forgets_and_fences, adjusts_by_node, channels_are_apart;
        status: the_latest_state_stands, the_history_is_bounded, deeds_change_no_state;
        dead_letter: a_replay_doubles_nothing, pages_newest_first, discarded_is_not_refused_again,
            watermarks_settle_refusals, a_reset_lets_letters_come_again, limits_evict_the_oldest, notes_are_kept_by_number,
            finds_by_node_code_and_time, letters_are_tried_in_order_once_their_source_has_passed,
            refused_again_it_stays_one_letter, what_is_asked_for_follows_its_node,
            a_record_with_several_letters_is_replayed_once, channels_with_letters_to_be_tried_are_named,
            an_edited_letter_is_tried_as_edited_and_keeps_its_own_record;
        secret: values_come_back_and_go, names_do_not_share_values;
    }
}

/// A cluster of its own on the broker that all tests share, led by this process.
async fn kafka() -> (Services, TempDir) {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let cluster = format!("conformance-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let backend = open_on_kafka(&cluster).await;
    backend.control.initialise(Duration::from_secs(30)).await.unwrap();
    let (local, dir) = sqlite().await;
    (backend.services(Some(key()), local.cluster), dir)
}

/// Another worker's view of a cluster.
pub(crate) async fn open_on_kafka(cluster: &str) -> Backend {
    let brokers = fairway_peers::kafka::shared().address();
    let access = Access::new(brokers, &Security::default(), &Files::open(".")).unwrap();
    Backend::open(&access, cluster).await.unwrap()
}

pub(crate) async fn sqlite() -> (Services, TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let database = Database::open(&dir.path().join("fairway.db")).await.unwrap();
    (local::services(&database, key()), dir)
}

fn key() -> SealingKey {
    SealingKey::from_text("a key for tests")
}

/// A source's own watermark, or a target's.
fn mark(target: Option<&str>, source: &str, order: u64) -> StoredMark {
    StoredMark {
        target: target.map(str::to_owned),
        stream: StreamKey::straight(source, "p"),
        position: Position { order, token: json!({ "at": order }) },
        in_target: None,
    }
}
