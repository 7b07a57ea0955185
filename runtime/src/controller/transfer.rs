//! Import and export. An export holds references, never values (I6); an import lists the secrets that are missing here.

use std::collections::BTreeSet;

use fairway_shared::api::channels::{Existing, Import, Imported};
use fairway_shared::channel::Channel;
use fairway_shared::channel::text::{self, Document};
use fairway_shared::connection::{Bundle, Connection};
use fairway_shared::diagnostic;
use fairway_shared::secret::{Reference, references};
use fairway_shared::validate;
use serde_json::Value;

use super::Controller;
use super::catalog;
use super::connections::{listed, named_by, with_connection};
use super::drafts::{has_errors, new_uid, parse, readable};
use crate::check::{self, Known};
use crate::file_name;
use crate::problem::{Refused, codes};
use crate::services::{Commit, Error, Key};

/// An exported document.
#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    /// Canonical text.
    pub text: String,
    /// A name for its file, derived from the channel's.
    pub file_name: String,
}

impl Controller {
    /// The draft of a channel: alone, or as a bundle with the connections it names. What looks like a secret that was
    /// written out stays behind (I6).
    pub async fn export(&self, uid: &str) -> Result<Export, Refused> {
        let draft = catalog::must(&*self.services.config, uid).await?;
        let document = parse(&draft.document)?;
        let Some(channel) = text::from_value(&document).0 else {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "the draft cannot be read as a channel"));
        };
        let mut items = vec![validate::without_secrets(document, &self.check(&channel).await?)];
        for name in named_by(&channel) {
            if let Some(connection) = self.connection(name).await? {
                let found = check::connection(&self.registry, &connection, &Known::default());
                items.push(validate::without_secrets(Document::Connection(connection).to_value(), &found));
            }
        }
        let mut items: Vec<Document> =
            items.iter().filter_map(|document| text::document_from_value(document).0).collect();
        let document = match (items.pop(), items.len()) {
            (Some(channel), 0) => channel,
            (last, _) => {
                items.extend(last);
                Document::Bundle(Bundle { items, ..Bundle::default() })
            }
        };
        Ok(Export { text: document.to_text(), file_name: file_name::of_channel(&channel.metadata.name) })
    }

    /// Imports a channel, a connection or a bundle: all of it or, when something stands in the way, nothing.
    pub async fn import(&self, import: &Import) -> Result<Imported, Refused> {
        let (document, diagnostics) = text::document_from_value(&import.document);
        let Some(document) = document else {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "this cannot be imported")
                .help("import takes a channel, a connection or a bundle")
                .diagnostics(diagnostics));
        };
        let mut channels = Vec::new();
        let mut connections = Vec::new();
        for (place, part) in document.parts() {
            match part {
                Document::Channel(channel) => {
                    readable(&part.to_value())?;
                    channels.push((place, channel));
                }
                Document::Connection(connection) => connections.push(connection),
                Document::Bundle(_) => {}
            }
        }
        if channels.is_empty() && connections.is_empty() {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "there is nothing in it to import")
                .diagnostics(diagnostics));
        }
        let mut names = BTreeSet::new();
        for (_, channel) in &channels {
            if !names.insert(catalog::name(&channel.metadata.name)) {
                let detail = format!("`{}` is in it twice", channel.metadata.name);
                return Err(Refused::new(codes::DOCUMENT_INVALID, detail)
                    .help("names that differ only in letter case or encoding count as the same"));
            }
        }
        if connections.iter().any(|connection| connection.name().trim().is_empty()) {
            return Err(Refused::new(codes::DOCUMENT_INVALID, "a connection has no name")
                .help("give it one in `metadata.name`")
                .diagnostics(diagnostics));
        }
        for connection in &connections {
            let found = check::connection(&self.registry, connection, &Known::default());
            if has_errors(&found) {
                let detail = format!("the connection `{}` has errors", connection.name());
                return Err(Refused::new(codes::DOCUMENT_INVALID, detail)
                    .help("the diagnostics say what to mend in the document")
                    .diagnostics(found));
            }
        }
        if import.existing == Existing::Refuse {
            self.refuse_existing(&channels, &connections).await?;
        }

        let mut imported = Imported {
            channels: Vec::new(),
            connections: Vec::new(),
            missing_secrets: self.missing_secrets(&import.document).await?,
            // The shape of a channel is told again with its meaning, below.
            diagnostics: if matches!(document, Document::Channel(_)) { Vec::new() } else { diagnostics },
        };
        // One commit: all of it, or nothing, whoever else writes at the same time.
        let mut commit = Commit::default();
        for connection in connections {
            // A copy keeps the connection that is there: channels that name it must not change under their users' hands.
            if import.existing != Existing::Copy || self.connection(connection.name()).await?.is_none() {
                commit = with_connection(commit, connection);
                imported.connections.push(connection.name().to_owned());
            }
        }
        for (_, channel) in &channels {
            let uid;
            (uid, commit) = self.with_import(commit, channel, import.existing, &mut names).await?;
            imported.channels.push(uid);
        }
        if let Err(error) = self.services.config.commit(commit).await {
            let taken = channels.iter().find(|(_, channel)| {
                matches!(&error, Error::Conflict { key, .. } if *key == catalog::name(&channel.metadata.name))
            });
            let name = taken.map(|(_, channel)| channel.metadata.name.clone()).unwrap_or_default();
            return Err(self.name_taken(error, &name).await);
        }
        for uid in &imported.channels {
            self.draft_written(uid).await?;
        }
        for (place, channel) in channels {
            for diagnostic in self.check(channel).await? {
                let diagnostic = diagnostic.under(&place);
                if !imported.diagnostics.contains(&diagnostic) {
                    imported.diagnostics.push(diagnostic);
                }
            }
        }
        diagnostic::sort(&mut imported.diagnostics);
        Ok(imported)
    }

    async fn refuse_existing(
        &self,
        channels: &[(String, &Channel)],
        connections: &[&Connection],
    ) -> Result<(), Refused> {
        let mut existing = BTreeSet::new();
        for (_, channel) in channels {
            if let Some((_, first)) = self.first_of(&channel.metadata.name).await? {
                existing.insert(first.name);
            }
        }
        for connection in connections {
            let stored = self.connection(connection.name()).await?;
            if stored.is_some_and(|stored| stored != **connection) {
                existing.insert(connection.name().to_owned());
            }
        }
        if existing.is_empty() {
            return Ok(());
        }
        let names = listed(&existing.into_iter().collect::<Vec<_>>());
        Err(Refused::new(codes::IMPORT_EXISTS, format!("{names} exists here already"))
            .help(
                "import over it (`--over`, `existing: over`) and keep its positions, or import as a copy (`--copy`, `existing: copy`) that starts from the beginning",
            ))
    }

    /// Adds a channel to a commit; answers its uid. `names` are those that the import itself takes.
    async fn with_import(
        &self,
        commit: Commit,
        channel: &Channel,
        existing: Existing,
        names: &mut BTreeSet<Key>,
    ) -> Result<(String, Commit), Refused> {
        let there = self.first_of(&channel.metadata.name).await?;
        match (there, existing) {
            // The uid stays, and with it positions and what its targets hold (G14).
            (Some((uid, _)), Existing::Over) => {
                let draft = catalog::must(&*self.services.config, &uid).await?;
                let kept = self.unkept(&uid, &draft).await?;
                let commit = self.with_draft(commit, &uid, Some(draft.revision), channel, kept).await?;
                Ok((uid, commit))
            }
            (Some(_), Existing::Copy) => {
                let mut copy = channel.clone();
                copy.metadata.name = self.free_name(&channel.metadata.name, names).await?;
                names.insert(catalog::name(&copy.metadata.name));
                let uid = new_uid();
                Ok((uid.clone(), self.with_draft(commit, &uid, None, &copy, None).await?))
            }
            (Some(_), Existing::Refuse) | (None, _) => {
                let uid = new_uid();
                Ok((uid.clone(), self.with_draft(commit, &uid, None, channel, None).await?))
            }
        }
    }

    /// `orders copy`, `orders copy 2`, …: the first that is free.
    async fn free_name(&self, name: &str, taken: &BTreeSet<Key>) -> Result<String, Refused> {
        let mut free = format!("{name} copy");
        let mut number = 1;
        while taken.contains(&catalog::name(&free)) || self.first_of(&free).await?.is_some() {
            number += 1;
            free = format!("{name} copy {number}");
        }
        Ok(free)
    }

    async fn missing_secrets(&self, document: &Value) -> Result<Vec<String>, Refused> {
        let known = self.services.secrets.names().await?;
        let named: BTreeSet<String> = references(document)
            .into_iter()
            .filter_map(|reference| match reference {
                Reference::Secret(name) => Some(name),
                Reference::Env(_) => None,
            })
            .collect();
        Ok(named.into_iter().filter(|name| !known.contains(name)).collect())
    }
}
