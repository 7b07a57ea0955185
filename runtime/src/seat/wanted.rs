//! What should run, worked out from what is settled: the tasks of every channel that is deployed, not stopped, and does not rest.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use fairway_cluster::allocate::Task;
use fairway_cluster::{Channels, Wanted};
use fairway_shared::api::status::TargetState;
use tokio::sync::Mutex;

use super::Said;
use crate::controller::catalog::{self, Deployed};
use crate::periodic::Periodic;
use crate::services::{ConfigService, Entry, Error, Kind, Result};

/// Time between two looks; what is looked at is in memory.
const LOOK: Duration = Duration::from_millis(100);

/// What of the log was seen, and what it came to.
#[derive(Default)]
struct Seen {
    revision: u64,
    told: Option<Channels>,
}

/// Tells a seat what should run, whenever that changes, until it is dropped. To be called inside the async runtime.
pub fn follow(config: Arc<dyn ConfigService>, said: Said) -> Periodic {
    let seen = Arc::new(Mutex::new(Seen::default()));
    Periodic::spawn("what should run", LOOK, move || {
        let (config, said, seen) = (config.clone(), said.clone(), seen.clone());
        async move {
            let mut seen = seen.lock().await;
            let changes = config.since(seen.revision).await?;
            let Some(last) = changes.last() else { return Ok::<(), Error>(()) };
            let revision = last.revision;
            let matters = |kind| matches!(kind, Kind::Deployment | Kind::Target | Kind::Rest);
            if changes.iter().any(|change| matters(change.key.kind)) {
                let channels = wanted(&*config, seen.told.as_ref()).await?;
                if seen.told.as_ref() != Some(&channels) {
                    said.wanted(Arc::new(channels.clone()));
                    seen.told = Some(channels);
                }
            }
            seen.revision = revision;
            Ok(())
        }
    })
}

/// What should run by what is settled now. What a later Fairway wrote and this one cannot read concerns that channel alone: it stays as
/// it was.
async fn wanted(config: &dyn ConfigService, before: Option<&Channels>) -> Result<Channels> {
    let targets = config.list(Kind::Target, "").await?;
    let targets: BTreeMap<&str, &Entry> =
        targets.iter().map(|entry| (entry.key.id.as_str(), entry)).collect();
    let rests = config.list(Kind::Rest, "").await?;
    let rests: BTreeSet<&str> = rests.iter().map(|entry| entry.key.id.as_str()).collect();
    let mut channels = Channels::new();
    for entry in config.list(Kind::Deployment, "").await? {
        let uid = entry.key.id.clone();
        let Some(asked) = targets.get(uid.as_str()) else { continue };
        match of(&entry, asked) {
            Ok(Some(tasks)) if !rests.contains(uid.as_str()) => drop(channels.insert(uid, tasks)),
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(%error, channel = uid, "what is settled of the channel cannot be read");
                let known = before.and_then(|before| before.get(&uid));
                channels.extend(known.map(|known| (uid, known.clone())));
            }
        }
    }
    Ok(channels)
}

/// The tasks of a channel; none when it was asked to stop. A paused one keeps them, and they their connections.
fn of(deployed: &Entry, asked: &Entry) -> Result<Option<BTreeMap<String, Wanted>>> {
    let asked: catalog::Wanted = catalog::read(asked)?;
    if asked.target == TargetState::Stopped {
        return Ok(None);
    }
    Ok(Some(tasks(&catalog::read::<Deployed>(deployed)?, &asked)))
}

/// The tasks of a version; each needs the components of its nodes. Those that wait for a change of positions are left out until it is
/// made: the leader makes it once the tasks before them are over.
fn tasks(deployed: &Deployed, asked: &catalog::Wanted) -> BTreeMap<String, Wanted> {
    let plan = &deployed.plan;
    let component = |node: &String| {
        let connector = plan.connectors.iter().find(|connector| connector.node == *node)?;
        Some(connector.component.clone())
    };
    let places = 0..;
    let task = |(place, task): (u32, &fairway_shared::plan::Task)| {
        let needs = Task {
            place,
            weight: 1,
            labels: BTreeMap::new(),
            components: task.nodes.iter().filter_map(component).collect(),
        };
        (task.id.clone(), Wanted { form: asked.form(task), task: needs })
    };
    let due = |task: &&fairway_shared::plan::Task| {
        !deployed.due.is_empty() && (deployed.held.is_empty() || deployed.held.contains(&task.id))
    };
    places.zip(&plan.tasks).filter(|(_, task)| !due(task)).map(task).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::services::SealingKey;
    use crate::services::local::{self, Database};
    use crate::services::{Commit, Services};
    use serde_json::json;

    async fn services() -> (Services, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a folder");
        let database = Database::open(&dir.path().join("fairway.db")).await.expect("a database");
        (local::services(&database, SealingKey::from_text("a key for tests")), dir)
    }

    fn deployed(hash: &str) -> String {
        let plan = json!({
            "hash": "p", "streams": [], "targets": [], "bounded": false,
            "connectors": [
                { "node": "in", "component": "file_source", "kind": "source", "hash": "1" },
                { "node": "out", "component": "file_sink", "kind": "sink", "hash": "2" },
            ],
            "tasks": [{ "id": "direct-in", "kind": "direct", "nodes": ["in", "out"], "hash": hash }],
        });
        let due = json!({ "restarted": [], "dropped": [], "replaced": [] });
        json!({ "version": 1, "plan": plan, "meaning": "m", "deployed_at": "t", "due": due }).to_string()
    }

    fn target(state: &str) -> String {
        json!({ "target": state }).to_string()
    }

    #[tokio::test]
    async fn what_is_deployed_and_not_stopped_should_run() {
        let (services, _dir) = services().await;
        let config = &*services.config;
        let commit = Commit::default()
            .put(catalog::deployed("u"), deployed("a"))
            .put(catalog::wanted("u"), target("running"))
            .put(catalog::deployed("stopped"), deployed("a"))
            .put(catalog::wanted("stopped"), target("stopped"))
            .put(catalog::wanted("draft"), target("running"));
        config.commit(commit).await.expect("committed");
        let channels = wanted(config, None).await.expect("read");
        assert_eq!(channels.keys().collect::<Vec<_>>(), ["u"]);
        let task = &channels["u"]["direct-in"];
        assert_eq!(task.form, "a");
        assert_eq!(task.task.components.iter().collect::<Vec<_>>(), ["file_sink", "file_source"]);
        config
            .commit(Commit::default().put(catalog::wanted("u"), target("paused")))
            .await
            .expect("committed");
        assert_eq!(wanted(config, None).await.expect("read"), channels, "a paused channel keeps its tasks");
        config.commit(Commit::default().put(catalog::deployed("u"), deployed("b"))).await.expect("committed");
        assert_eq!(wanted(config, None).await.expect("read")["u"]["direct-in"].form, "b");
        let asked = json!({ "target": "running", "round": 2 }).to_string();
        config.commit(Commit::default().put(catalog::wanted("u"), asked)).await.expect("committed");
        assert_eq!(
            wanted(config, None).await.expect("read")["u"]["direct-in"].form,
            "b@2",
            "asked to begin anew"
        );
    }

    #[tokio::test]
    async fn what_rests_or_waits_for_its_positions_does_not_run() {
        let (services, _dir) = services().await;
        let config = &*services.config;
        let mut due: serde_json::Value = serde_json::from_str(&deployed("a")).expect("JSON");
        due["due"]["restarted"] = json!(["in"]);
        let commit = Commit::default()
            .put(catalog::deployed("due"), due.to_string())
            .put(catalog::wanted("due"), target("running"))
            .put(catalog::deployed("rests"), deployed("a"))
            .put(catalog::wanted("rests"), target("running"))
            .put(catalog::rest("rests"), json!({ "state": "completed", "cause": null }).to_string());
        config.commit(commit).await.expect("committed");
        let now = wanted(config, None).await.expect("read");
        assert!(now["due"].is_empty() && !now.contains_key("rests"), "{now:?}");
        let commit =
            Commit::default().put(catalog::deployed("due"), deployed("a")).delete(catalog::rest("rests"));
        config.commit(commit).await.expect("committed");
        let now = wanted(config, None).await.expect("read");
        assert!(now["due"].len() == 1 && now["rests"].len() == 1, "{now:?}");
    }

    #[tokio::test]
    async fn what_cannot_be_read_stays_as_it_was_and_stops_nobody_else() {
        let (services, _dir) = services().await;
        let config = &*services.config;
        let running = |uid: &str| {
            let commit = Commit::default().put(catalog::deployed(uid), deployed("a"));
            commit.put(catalog::wanted(uid), target("running"))
        };
        config.commit(running("u")).await.expect("committed");
        config.commit(running("v")).await.expect("committed");
        let before = wanted(config, None).await.expect("read");
        let newer = Commit::default().put(catalog::deployed("u"), r#"{ "of": "a later Fairway" }"#);
        config.commit(newer.put(catalog::deployed("w"), "{}")).await.expect("committed");
        config
            .commit(Commit::default().put(catalog::wanted("w"), target("running")))
            .await
            .expect("committed");
        assert_eq!(wanted(config, Some(&before)).await.expect("read"), before);
        assert_eq!(wanted(config, None).await.expect("read").keys().collect::<Vec<_>>(), ["v"]);
    }
}
