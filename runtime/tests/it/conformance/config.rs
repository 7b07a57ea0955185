//! The configuration log.

use fairway_runtime::services::{Commit, Error, Expect, Key, Kind, Services};

fn key(id: &str) -> Key {
    Key::new(Kind::Draft, id)
}

pub(super) async fn a_commit_is_all_or_nothing(services: Services) {
    let config = services.config;
    config.commit(Commit::default().put(key("a"), "1")).await.unwrap();
    let refused = config
        .commit(Commit::default().expect(key("a"), Expect::Absent).put(key("b"), "1").delete(key("a")))
        .await;
    assert!(matches!(refused, Err(Error::Conflict { key: found, revision: Some(_) }) if found == key("a")));
    assert_eq!(config.get(&key("b")).await.unwrap(), None);
    assert_eq!(config.get(&key("a")).await.unwrap().unwrap().value, "1");
}

pub(super) async fn what_is_expected_must_be_there(services: Services) {
    let config = services.config;
    let first = config.commit(Commit::default().put(key("a"), "1")).await.unwrap();
    let expect = |expect, value: &str| Commit::default().expect(key("a"), expect).put(key("a"), value);
    let second = config.commit(expect(Expect::Revision(first), "2")).await.unwrap();
    let stale = config.commit(expect(Expect::Revision(first), "3")).await;
    assert!(matches!(stale, Err(Error::Conflict { revision, .. }) if revision == Some(second)));
    config.commit(Commit::default().delete(key("a"))).await.unwrap();
    let gone = config.commit(expect(Expect::Revision(second), "3")).await;
    assert!(matches!(gone, Err(Error::Conflict { revision: None, .. })));
    config.commit(expect(Expect::Absent, "4")).await.unwrap();
}

pub(super) async fn the_log_is_ordered_and_compact(services: Services) {
    let config = services.config;
    config.commit(Commit::default().put(key("a"), "1").put(key("b"), "1")).await.unwrap();
    let seen = config.commit(Commit::default().put(key("a"), "2")).await.unwrap();
    let last = config.commit(Commit::default().delete(key("b")).put(key("c"), "1")).await.unwrap();
    let all = config.since(0).await.unwrap();
    let ids: Vec<_> = all.iter().map(|change| (&*change.key.id, change.value.as_deref())).collect();
    assert_eq!(ids, [("a", Some("2")), ("b", None), ("c", Some("1"))]);
    assert!(all.windows(2).all(|pair| pair[0].revision < pair[1].revision));
    assert_eq!(all.last().unwrap().revision, last);
    // Whoever has seen up to a revision gets the rest, deletions included.
    let rest = config.since(seen).await.unwrap();
    assert_eq!(rest.len(), 2);
    assert_eq!(rest[0].value, None);
    // A deletion of nothing leaves no trace.
    assert_eq!(config.commit(Commit::default().delete(key("never"))).await.unwrap(), 0);
}

pub(super) async fn lists_by_prefix(services: Services) {
    let config = services.config;
    let mut commit = Commit::default().put(Key::new(Kind::Version, "u/1"), "other kind");
    for id in ["u/2", "u/1", "v/1", "U/1", "u%", "u_x"] {
        commit = commit.put(key(id), id);
    }
    config.commit(commit.delete(key("u/2"))).await.unwrap();
    let ids = |prefix| {
        let config = config.clone();
        async move {
            let entries = config.list(Kind::Draft, prefix).await.unwrap();
            entries.into_iter().map(|entry| entry.key.id).collect::<Vec<_>>()
        }
    };
    assert_eq!(ids("u/").await, ["u/1"]);
    assert_eq!(ids("u%").await, ["u%"]);
    assert_eq!(ids("").await.len(), 5);
}

pub(super) async fn racing_writers_lose_nothing(services: Services) {
    let config = services.config;
    config.commit(Commit::default().put(key("n"), "0")).await.unwrap();
    let writers = (0..8).map(|_| {
        let config = config.clone();
        tokio::spawn(async move {
            loop {
                let entry = config.get(&key("n")).await.unwrap().unwrap();
                let next = (entry.value.parse::<u32>().unwrap() + 1).to_string();
                let commit =
                    Commit::default().expect(key("n"), Expect::Revision(entry.revision)).put(key("n"), next);
                match config.commit(commit).await {
                    Ok(_) => break,
                    Err(Error::Conflict { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(config.get(&key("n")).await.unwrap().unwrap().value, "8");
}
