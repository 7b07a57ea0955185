//! A data directory opened by a command itself, without a server.

use std::path::PathBuf;

use fairway_shared::channel::text::{self, Document};
use fairway_shared::connection::Connection;
use fairway_shared::plan::Plan;
use serde::Deserialize;

use super::exit::{self, Failure};
use crate::check::Known;
use crate::config::{DataDir, access};
use crate::controller::catalog;
use crate::services::local::{self, Database};
use crate::services::{Key, Kind, Services};

/// An opened data directory.
pub(super) struct House {
    /// Its services.
    pub(super) services: Services,
    database: Database,
    data: DataDir,
}

/// The part of what a run leaves behind that tells its uid.
#[derive(Deserialize)]
struct Run {
    uid: String,
    plan: Plan,
}

impl House {
    /// Takes a data directory over.
    ///
    /// # Errors
    /// Exit code 4 when another process has it.
    pub(super) async fn open(data: Option<PathBuf>) -> Result<Self, Failure> {
        let data = DataDir::open(DataDir::locate(data)?)?;
        let key = access::sealing_key(&data)?;
        let database = Database::open(&data.database()).await?;
        Ok(Self { services: local::services(&database, key), database, data })
    }

    /// What is known here: the stored connections with those beside the command, and the names of all secrets.
    pub(super) async fn known(&self, beside: &[Connection]) -> Result<Known, Failure> {
        let mut connections = beside.to_vec();
        for entry in self.services.config.list(Kind::Connection, "").await? {
            if beside.iter().any(|connection| connection.name() == entry.key.id) {
                continue;
            }
            if let Some(Document::Connection(connection)) = text::parse(entry.value.as_bytes()).document {
                connections.push(connection);
            }
        }
        Ok(Known {
            connections: Some(connections),
            secrets: Some(self.services.secrets.names().await?),
            ..Known::default()
        })
    }

    /// The uid that a name has here, by `fairway run` or as a channel of a server; a uid stands for itself.
    ///
    /// # Errors
    /// Exit code 4 when it is neither.
    pub(super) async fn uid(&self, channel: &str) -> Result<String, Failure> {
        let config = &*self.services.config;
        let run: Option<Run> = catalog::find(config, &Key::new(Kind::Run, channel)).await?;
        if let Some(run) = run {
            return Ok(run.uid);
        }
        if let Some(entry) = config.get(&catalog::name(channel)).await? {
            return Ok(entry.value);
        }
        if config.get(&catalog::draft(channel)).await?.is_some() {
            return Ok(channel.to_owned());
        }
        Err(Failure::new(exit::REFUSED, format!("`{channel}` was never run and is no channel here"))
            .help(Some(format!("the data directory is {}", self.data.path().display()))))
    }

    /// The plan of a channel, as it was run or deployed last.
    pub(super) async fn plan(&self, channel: &str) -> Result<Option<Plan>, Failure> {
        let config = &*self.services.config;
        let run: Option<Run> = catalog::find(config, &Key::new(Kind::Run, channel)).await?;
        if let Some(run) = run {
            return Ok(Some(run.plan));
        }
        let deployed = catalog::deployed(&self.uid(channel).await?);
        let deployed: Option<catalog::Deployed> = catalog::find(config, &deployed).await?;
        Ok(deployed.map(|deployed| deployed.plan))
    }

    /// Finishes what is being written.
    pub(super) async fn close(self) {
        self.database.close().await;
    }
}
