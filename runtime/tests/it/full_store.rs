//! The store of a process alone on a disk that was full for a moment: what is stored afterwards is kept (I2).

use fairway_engine::position::{Position, StreamKey};
use fairway_engine::store::{StoredMark, Totals};
use fairway_engine::testkit::SmallDisk;
use fairway_runtime::services::local::{self, Database};
use fairway_runtime::services::{Error, SealingKey, Services};
use serde_json::json;

/// Commits one more position; each takes some room.
async fn commit(services: &Services, generation: u64, number: u64) -> Result<Totals, Error> {
    let mark = StoredMark {
        target: None,
        stream: StreamKey::straight("in", &format!("p{number}")),
        position: Position { order: number, token: json!("x".repeat(20_000)) },
        in_target: None,
    };
    services.positions.commit("u", "t", generation, &[mark], &Totals::default()).await
}

#[tokio::test]
async fn once_there_is_room_again_what_is_stored_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("data");
    let Some(disk) = SmallDisk::mount(&place, 1024) else { return };
    let path = place.join("fairway.db");
    let key = || SealingKey::from_text("a key for tests");
    let database = Database::open(&path).await.unwrap();
    let services = local::services(&database, key());
    let generation = services.positions.begin("u", "t").await.unwrap();
    let (mut kept, mut full) = (0, 0);
    while full < 3 {
        match commit(&services, generation, kept + 1).await {
            Ok(_) => kept += 1,
            Err(Error::Full(_)) => full += 1,
            Err(error) => panic!("after {kept}: {error:?}"),
        }
        assert!(kept < 1000, "the disk is never full");
    }
    assert!(disk.grow());
    for _ in 0..10 {
        commit(&services, generation, kept + 1).await.unwrap();
        kept += 1;
    }
    services.secrets.set("after", &"hush".to_owned().into()).await.unwrap();
    // Not closed: what was stored is there for whoever comes after a crash, and for others beside it.
    let other = Database::open(&path).await.unwrap();
    let services = local::services(&other, key());
    assert_eq!(services.positions.marks("u").await.unwrap().len() as u64, kept);
    assert_eq!(services.secrets.names().await.unwrap(), ["after"]);
    services.positions.begin("u", "t").await.unwrap();
    other.close().await;
    database.close().await;
}
