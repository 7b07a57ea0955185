//! Channels and their drafts: list, create, read, save, delete.

use fairway_shared::api::channels::{
    ChannelDetail, ChannelList, ChannelSummary, Picture, PictureNode, SavedDraft,
};
use fairway_shared::api::events::{ChannelGone, DraftChanged, Event};
use fairway_shared::canonical;
use fairway_shared::channel::{Channel, text};
use fairway_shared::diagnostic::Diagnostic;
use serde_json::Value;
use uuid::Uuid;

use super::Controller;
use super::catalog::{self, Deployed, Draft, Frozen, Summary};
use crate::clock;
use crate::problem::{Refused, codes};
use crate::services::{Commit, Error, Expect, Key, Kind};

impl Controller {
    /// All channels, by name.
    pub async fn channels(&self) -> Result<ChannelList, Refused> {
        let mut channels = Vec::new();
        for entry in self.services.config.list(Kind::Summary, "").await? {
            let summary: Summary = catalog::read(&entry)?;
            let uid = entry.key.id;
            let deployed: Option<Deployed> =
                catalog::find(&*self.services.config, &catalog::deployed(&uid)).await?;
            let mut status = self.brief(&uid, deployed.as_ref()).await?;
            self.add_schedule(&mut status).await?;
            channels.push(ChannelSummary {
                changed: deployed.as_ref().is_some_and(|deployed| deployed.meaning != summary.meaning),
                deployed: deployed.as_ref().map(|deployed| deployed.version),
                status,
                uid,
                name: summary.name,
                title: summary.title,
                description: summary.description,
                picture: summary.picture,
                saved_at: summary.saved_at,
            });
        }
        channels.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(ChannelList { channels })
    }

    /// Creates a channel with a uid of its own: nothing of an earlier channel of that name comes with it (G15).
    pub async fn create(&self, document: &Value) -> Result<ChannelDetail, Refused> {
        let channel = readable(document)?;
        let uid = self.create_named(&channel).await?;
        self.channel(&uid).await
    }

    /// A channel with its draft.
    pub async fn channel(&self, uid: &str) -> Result<ChannelDetail, Refused> {
        let draft = catalog::must(&*self.services.config, uid).await?;
        let document: Value = parse(&draft.document)?;
        let deployed: Option<Deployed> =
            catalog::find(&*self.services.config, &catalog::deployed(uid)).await?;
        let frozen: Option<catalog::Frozen> = match &deployed {
            Some(deployed) => {
                catalog::find(&*self.services.config, &catalog::frozen(uid, deployed.version)).await?
            }
            None => None,
        };
        Ok(ChannelDetail {
            fields: frozen.map(|frozen| frozen.fields).unwrap_or_default(),
            uid: uid.to_owned(),
            etag: etag(draft.revision),
            diagnostics: match text::from_value(&document) {
                (Some(channel), _) => self.check(&channel).await?,
                (None, faults) => faults,
            },
            document,
            deployed: deployed.as_ref().map(|deployed| deployed.version),
            status: self.status(uid).await?,
        })
    }

    /// Saves a draft, if it is still the one that was read (G14).
    ///
    /// # Errors
    /// `draft.no_etag` without `if_match`, `draft.stale` with another one; the `ETag` there now comes with the refusal.
    pub async fn save(
        &self,
        uid: &str,
        if_match: Option<&str>,
        document: &Value,
    ) -> Result<SavedDraft, Refused> {
        let draft = catalog::must(&*self.services.config, uid).await?;
        let read = match if_match.map(str::trim) {
            None => {
                return Err(Refused::new(
                    codes::DRAFT_NO_ETAG,
                    "the save does not say which draft it changes",
                )
                .help("send the `ETag` that came with the draft as `If-Match`")
                .etag(etag(draft.revision)));
            }
            Some("*") => draft.revision,
            // A tag that is no number of ours is that of no draft.
            Some(tag) => revision(tag).unwrap_or_default(),
        };
        let stale = |now: u64| {
            Refused::new(codes::DRAFT_STALE, "the draft was changed by somebody else since it was read")
                .help("read it again, bring both changes together and save again")
                .etag(etag(now))
        };
        if read != draft.revision {
            return Err(stale(draft.revision));
        }
        let channel = readable(document)?;
        // Overwritten knowingly, the other state is still among the versions.
        let kept = match if_match.map(str::trim) {
            Some("*") => self.unkept(uid, &draft).await?,
            _ => None,
        };
        match self.write_draft(uid, Some(read), &channel, kept).await {
            Ok(revision) => Ok(SavedDraft { etag: etag(revision), diagnostics: self.check(&channel).await? }),
            Err(Error::Conflict { key, revision }) if key.kind == Kind::Draft => {
                Err(revision.map_or_else(|| catalog::no_channel(uid), stale))
            }
            Err(error) => Err(self.name_taken(error, &channel.metadata.name).await),
        }
    }

    /// Deletes a channel with everything that was remembered of it.
    pub async fn delete(&self, uid: &str) -> Result<(), Refused> {
        let _turn = self.turn(uid).await;
        let config = &*self.services.config;
        let summary: Summary =
            catalog::find(config, &catalog::summary(uid)).await?.ok_or_else(|| catalog::no_channel(uid))?;
        let mut commit = Commit::default()
            .delete(catalog::name(&summary.name))
            .delete(catalog::draft(uid))
            .delete(catalog::summary(uid))
            .delete(catalog::deployed(uid))
            .delete(Key::new(Kind::Schedule, uid))
            .delete(catalog::rest(uid))
            .delete(catalog::lost(uid))
            .delete(catalog::wanted(uid));
        for version in config.list(Kind::Version, &format!("{uid}/")).await? {
            commit = commit.delete(version.key);
        }
        // First nothing runs any more, then nothing is remembered: a task that lets go late finds its generation gone.
        match &self.shared {
            Some(shared) => self.end_for_good(shared, uid).await?,
            None => self.worker.forget(uid).await,
        }
        config.commit(commit).await?;
        self.services.positions.forget(uid).await?;
        self.services.dead_letters.forget(uid).await?;
        if let Some(streams) = &self.services.streams {
            streams.forget(uid).await?;
        }
        self.services.status.forget(uid).await?;
        self.events.publish(Event::Deleted(ChannelGone { uid: uid.to_owned() }));
        Ok(())
    }

    /// Creates a channel under its name, which must be free; answers its uid.
    pub(super) async fn create_named(&self, channel: &Channel) -> Result<String, Refused> {
        let uid = new_uid();
        match self.write_draft(&uid, None, channel, None).await {
            Ok(_) => Ok(uid),
            Err(error) => Err(self.name_taken(error, &channel.metadata.name).await),
        }
    }

    /// A draft as a version of its own, unless the last version is the same: for what is about to be overwritten.
    pub(super) async fn unkept(&self, uid: &str, draft: &Draft) -> Result<Option<(Key, String)>, Refused> {
        let versions = self.services.config.list(Kind::Version, &format!("{uid}/")).await?;
        let last: Option<Frozen> = versions.last().map(catalog::read).transpose()?;
        if last.is_some_and(|last| last.document == draft.document) {
            return Ok(None);
        }
        let frozen =
            Frozen { document: draft.document.clone(), created_at: clock::now(), fields: Default::default() };
        let key = catalog::frozen(uid, catalog::next_version(&versions));
        Ok(Some((key, catalog::write(&frozen)?)))
    }

    /// Writes draft and summary, and moves the name with them; `kept` is written beside.
    pub(super) async fn write_draft(
        &self,
        uid: &str,
        expected: Option<u64>,
        channel: &Channel,
        kept: Option<(Key, String)>,
    ) -> Result<u64, Error> {
        let commit = self.with_draft(Commit::default(), uid, expected, channel, kept).await?;
        let revision = self.services.config.commit(commit).await?;
        self.events.publish(Event::Draft(DraftChanged { uid: uid.to_owned(), etag: etag(revision) }));
        Ok(revision)
    }

    /// Tells listeners of a draft that was written together with others.
    pub(super) async fn draft_written(&self, uid: &str) -> Result<(), Refused> {
        let draft = catalog::must(&*self.services.config, uid).await?;
        self.events.publish(Event::Draft(DraftChanged { uid: uid.to_owned(), etag: etag(draft.revision) }));
        Ok(())
    }

    /// Adds to a commit what writes draft and summary and moves the name with them; `kept` is written beside.
    pub(super) async fn with_draft(
        &self,
        mut commit: Commit,
        uid: &str,
        expected: Option<u64>,
        channel: &Channel,
        kept: Option<(Key, String)>,
    ) -> Result<Commit, Error> {
        let config = &*self.services.config;
        let name = catalog::name(&channel.metadata.name);
        let before: Option<Summary> = catalog::find(config, &catalog::summary(uid)).await?;
        let before = before.map(|summary| catalog::name(&summary.name));
        commit = match expected {
            Some(revision) => commit.expect(catalog::draft(uid), Expect::Revision(revision)),
            None => commit.expect(catalog::draft(uid), Expect::Absent),
        };
        if before.as_ref() != Some(&name) {
            commit = commit.expect(name.clone(), Expect::Absent).put(name, uid);
            if let Some(before) = before {
                commit = commit.delete(before);
            }
        }
        if let Some((key, version)) = kept {
            commit = commit.put(key, version);
        }
        commit = commit
            .put(catalog::summary(uid), catalog::write(&summary(channel))?)
            .put(catalog::draft(uid), canonical::compact(&text::to_value(channel)));
        Ok(commit)
    }

    /// Says whose name stands in the way, when that is what went wrong.
    pub(super) async fn name_taken(&self, error: Error, name: &str) -> Refused {
        let Error::Conflict { key, .. } = &error else {
            return error.into();
        };
        if key.kind != Kind::Name {
            return error.into();
        }
        let first = match self.first_of(name).await {
            Ok(first) => first.map_or_else(|| name.to_owned(), |(_, summary)| summary.name),
            Err(refused) => return refused,
        };
        let detail = if first == name {
            format!("there is already a channel called `{first}`")
        } else {
            format!("`{name}` differs from the channel `{first}` only in letter case or encoding")
        };
        Refused::new(codes::CHANNEL_NAME_TAKEN, detail).help("choose another name")
    }

    /// The channel that holds this name or a twin of it.
    pub(super) async fn first_of(&self, name: &str) -> Result<Option<(String, Summary)>, Refused> {
        let config = &*self.services.config;
        let Some(entry) = config.get(&catalog::name(name)).await? else {
            return Ok(None);
        };
        let summary = catalog::find(config, &catalog::summary(&entry.value)).await?;
        Ok(summary.map(|summary| (entry.value, summary)))
    }
}

/// A channel that can be kept as a draft: it may have errors, but must be a channel of bearable size with a name.
pub(super) fn readable(document: &Value) -> Result<Channel, Refused> {
    if canonical::compact(document).len() > text::MAX_BYTES {
        return Err(Refused::new(codes::REQUEST_TOO_LARGE, "the document has more than 2 MiB")
            .help("split the channel, or move large values into files that its components read"));
    }
    let (channel, diagnostics) = text::from_value(document);
    let unreadable = |detail: &str| Refused::new(codes::DOCUMENT_INVALID, detail);
    match channel {
        Some(channel) if channel.metadata.name.trim().is_empty() => {
            Err(unreadable("the channel has no name")
                .help("give it one in `metadata.name`")
                .diagnostics(diagnostics))
        }
        Some(channel) => Ok(channel),
        None => Err(unreadable("this is not the document of a channel")
            .help("the diagnostics say what is missing")
            .diagnostics(diagnostics)),
    }
}

/// A stored document.
pub(super) fn parse(document: &str) -> Result<Value, Refused> {
    serde_json::from_str(document).map_err(|error| Error::Unavailable(error.into()).into())
}

/// Whether diagnostics keep a document from being deployed.
pub(super) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// A uid that nothing had before.
pub(super) fn new_uid() -> String {
    Uuid::now_v7().simple().to_string()
}

fn summary(channel: &Channel) -> Summary {
    let spot = |id: &str| channel.layout.nodes.get(id).copied().unwrap_or_default();
    let index = |id: &str| channel.spec.nodes.iter().position(|node| node.id == id);
    let nodes = channel.spec.nodes.iter().map(|node| {
        let spot = spot(&node.id);
        PictureNode { component: node.component.clone(), x: spot.x, y: spot.y }
    });
    let edges =
        channel.spec.edges.iter().filter_map(|edge| Some((index(&edge.from.node)?, index(&edge.to.node)?)));
    Summary {
        name: channel.metadata.name.clone(),
        title: channel.metadata.title.clone(),
        description: channel.metadata.description.clone(),
        picture: Picture { nodes: nodes.collect(), edges: edges.collect() },
        meaning: meaning(channel),
        saved_at: clock::now(),
    }
}

/// Hash of what a channel means: its looks and labels change nothing.
pub(super) fn meaning(channel: &Channel) -> String {
    let document = text::to_value(channel);
    canonical::hash(&canonical::compact(document.get("spec").unwrap_or(&Value::Null)))
}

/// The `ETag` of a draft at a revision.
pub(crate) fn etag(revision: u64) -> String {
    format!("\"{revision}\"")
}

fn revision(etag: &str) -> Option<u64> {
    etag.trim_start_matches("W/").trim_matches('"').parse().ok()
}
