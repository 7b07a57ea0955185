//! Connections and secrets. A connection holds references, never values (I6); a secret's value goes in and stays in.

use std::collections::{BTreeMap, BTreeSet};

use fairway_engine::secret::Secret;
use fairway_shared::api::connections::{ConnectionDetail, ConnectionList, SecretNames};
use fairway_shared::api::status::ChannelState;
use fairway_shared::canonical;
use fairway_shared::channel::text::Document;
use fairway_shared::channel::{Channel, text};
use fairway_shared::connection::Connection;
use fairway_shared::diagnostic::{self, Diagnostic};
use fairway_shared::secret::{self, Reference, is_name};
use serde_json::Value;

use super::Controller;
use super::catalog;
use super::drafts::parse;
use crate::check::{self, Known};
use crate::problem::{Refused, codes};
use crate::services::{Commit, Kind};

impl Controller {
    /// All connections, by name.
    pub async fn connections(&self) -> Result<ConnectionList, Refused> {
        let users = self.users().await?;
        let entries = self.services.config.list(Kind::Connection, "").await?;
        let connections = entries
            .into_iter()
            .map(|entry| {
                Ok(ConnectionDetail {
                    document: parse(&entry.value)?,
                    used_by: users.get(&entry.key.id).cloned().unwrap_or_default(),
                    name: entry.key.id,
                })
            })
            .collect::<Result<_, Refused>>()?;
        Ok(ConnectionList { connections })
    }

    /// Creates or replaces a connection; the name of the document must be that of the address.
    pub async fn put_connection(&self, name: &str, document: &Value) -> Result<ConnectionDetail, Refused> {
        let (found, diagnostics) = text::document_from_value(document);
        let Some(Document::Connection(connection)) = found else {
            return Err(Refused::new(codes::DOCUMENT_WRONG_KIND, "this is not the document of a connection")
                .help("its `kind` must be `Connection`")
                .diagnostics(diagnostics));
        };
        if connection.name() != name {
            return Err(Refused::new(
                codes::DOCUMENT_INVALID,
                format!("the document is called `{}`, the address says `{name}`", connection.name()),
            )
            .help("use the same name in both; to rename, create the new one and delete the old"));
        }
        let known = Known { secrets: Some(self.services.secrets.names().await?), ..Known::default() };
        let diagnostics = [diagnostics, check::connection(&self.registry, &connection, &known)].concat();
        // A secret that is missing here may still come; a value written out must not get in (I6).
        let bearable = |diagnostic: &Diagnostic| diagnostic.code == diagnostic::codes::SECRET_UNKNOWN;
        if diagnostics.iter().any(|diagnostic| diagnostic.is_error() && !bearable(diagnostic)) {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "the document has errors")
                .help("the diagnostics say where")
                .diagnostics(diagnostics));
        }
        self.write_connection(&connection).await?;
        let named = connection.name().to_owned();
        self.renew_waiting(move |channel, _| named_by(channel).contains(named.as_str()));
        Ok(ConnectionDetail {
            name: name.to_owned(),
            document: Document::Connection(connection).to_value(),
            used_by: self.users().await?.remove(name).unwrap_or_default(),
        })
    }

    /// Deletes a connection that no draft and no deployed version names.
    pub async fn delete_connection(&self, name: &str) -> Result<(), Refused> {
        let config = &self.services.config;
        if config.get(&catalog::connection(name)).await?.is_none() {
            return Err(Refused::new(
                codes::CONNECTION_NOT_FOUND,
                format!("there is no connection called `{name}`"),
            ));
        }
        if let Some(users) = self.users().await?.remove(name) {
            let detail = format!("the connection `{name}` is used by {}", listed(&users));
            return Err(Refused::new(codes::CONNECTION_IN_USE, detail)
                .help("point those channels at another connection first"));
        }
        config.commit(Commit::default().delete(catalog::connection(name))).await?;
        Ok(())
    }

    pub(super) async fn write_connection(&self, connection: &Connection) -> Result<(), Refused> {
        self.services.config.commit(with_connection(Commit::default(), connection)).await?;
        Ok(())
    }

    /// A stored connection.
    pub(crate) async fn connection(&self, name: &str) -> Result<Option<Connection>, Refused> {
        let Some(entry) = self.services.config.get(&catalog::connection(name)).await? else {
            return Ok(None);
        };
        connection_of(&entry.value)
    }

    /// Names of all secrets.
    pub async fn secrets(&self) -> Result<SecretNames, Refused> {
        Ok(SecretNames { secrets: self.services.secrets.names().await? })
    }

    /// Sets a secret.
    pub async fn set_secret(&self, name: &str, value: &Secret) -> Result<(), Refused> {
        if !is_name(name) {
            return Err(Refused::new(
                codes::SECRET_BAD_NAME,
                format!("`{name}` cannot be the name of a secret"),
            )
            .help("names have 1 to 128 of the characters A-Z a-z 0-9 . _ - /"));
        }
        self.services.secrets.set(name, value).await?;
        let reference = Reference::Secret(name.to_owned());
        self.renew_waiting(move |_, references| references.contains(&reference));
        Ok(())
    }

    /// Has channels that wait begin anew where what changed concerns them: their tasks read settings when they start, and
    /// would wait with the old ones for ever. Those that are at work go on as they are. `concerned` gets the version in force
    /// and all that it refers to.
    fn renew_waiting(&self, concerned: impl Fn(&Channel, &[Reference]) -> bool + Send + 'static) {
        let controller = self.clone();
        tokio::spawn(async move {
            if let Err(refused) = controller.renew(concerned).await {
                tracing::error!(error = %refused, "channels that wait could not be started anew");
            }
        });
    }

    async fn renew(&self, concerned: impl Fn(&Channel, &[Reference]) -> bool + Send) -> Result<(), Refused> {
        for entry in self.services.config.list(Kind::Deployment, "").await? {
            let uid = &entry.key.id;
            if !self.waits(uid).await? {
                continue;
            }
            let _turn = self.turn(uid).await;
            let Some(channel) = self.in_force(uid).await? else { continue };
            let mut references = Vec::new();
            for node in &channel.spec.nodes {
                references.extend(secret::references(&Value::Object(node.config.clone())));
            }
            for name in named_by(&channel) {
                if let Some(connection) = self.connection(name).await? {
                    references.extend(secret::references(&Value::Object(connection.config().clone())));
                }
            }
            if !concerned(&channel, &references) {
                continue;
            }
            if self.shared.is_some() {
                self.ask_anew(uid).await?;
            } else if self.worker.let_go_of_waiting(uid).await {
                self.bring_about(uid).await?;
            } else {
                continue;
            }
            tracing::info!(channel = %uid, "what the channel waits with has changed, it begins anew");
        }
        Ok(())
    }

    /// Whether a channel waits, for something out of reach or for a restart.
    async fn waits(&self, uid: &str) -> Result<bool, Refused> {
        let Some(shared) = &self.shared else { return Ok(self.worker.waits(uid)) };
        let status = shared.sight.status(uid).await?;
        let waits = |state| matches!(state, ChannelState::Degraded | ChannelState::Restarting);
        Ok(status.is_some_and(|status| status.tasks.iter().any(|task| waits(task.state))))
    }

    /// Deletes a secret. Channels that refer to it fail at their next start, and validation says so.
    pub async fn delete_secret(&self, name: &str) -> Result<(), Refused> {
        if self.services.secrets.delete(name).await? {
            return Ok(());
        }
        Err(Refused::new(codes::SECRET_NOT_FOUND, format!("there is no secret called `{name}`")))
    }

    /// For each connection, the names of the channels that name it, in draft or deployed version.
    async fn users(&self) -> Result<BTreeMap<String, Vec<String>>, Refused> {
        let config = &*self.services.config;
        let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for draft in config.list(Kind::Draft, "").await? {
            let edited = text::from_value(&parse(&draft.value)?).0;
            let in_force = self.in_force(&draft.key.id).await?;
            let name = edited.iter().chain(&in_force).map(|channel| channel.metadata.name.clone()).next();
            for channel in edited.iter().chain(&in_force) {
                for connection in named_by(channel) {
                    users.entry(connection.to_owned()).or_default().extend(name.clone());
                }
            }
        }
        Ok(users.into_iter().map(|(name, users)| (name, users.into_iter().collect())).collect())
    }
}

/// Adds to a commit what writes a connection.
pub(super) fn with_connection(commit: Commit, connection: &Connection) -> Commit {
    let document = Document::Connection(connection.clone()).to_value();
    commit.put(catalog::connection(connection.name()), canonical::compact(&document))
}

/// Names of the connections that a channel's nodes name.
pub(super) fn named_by(channel: &Channel) -> BTreeSet<&str> {
    channel.spec.nodes.iter().filter_map(|node| node.config.get("connection")?.as_str()).collect()
}

/// The connection in a stored document.
pub(super) fn connection_of(document: &str) -> Result<Option<Connection>, Refused> {
    Ok(match text::document_from_value(&parse(document)?).0 {
        Some(Document::Connection(connection)) => Some(connection),
        _ => None,
    })
}

/// `a`, `b` and `c`.
pub(super) fn listed(names: &[String]) -> String {
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}
