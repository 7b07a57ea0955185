//! How the draft gets to the server: as one types, one save at a time, only onto what was read (`If-Match`). What is not
//! saved yet when the page goes is kept in the browser, and the history beside it, so that nothing drawn is lost.

use std::collections::HashSet;
use std::time::Duration;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::Problem;
use fairway_shared::api::channels::{AddChannel, CreateChannel, DeleteChannel, GetChannel, SaveDraft};
use fairway_shared::channel::{Channel, text};
use fairway_shared::edit::History;
use leptos::prelude::*;

use super::{Editor, arrange};
use crate::api;
use crate::i18n::t;
use crate::parts::pause;
use crate::router::{Route, Router};
use crate::state::store::{Keep, forget, read, write};

/// A draft is sent once typing pauses for this long.
const PAUSE: Duration = Duration::from_millis(400);
/// A save that failed is tried again after this long.
const AGAIN: Duration = Duration::from_secs(3);

/// Statuses by which a server asks for another try.
const LATER: [u16; 2] = [408, 429];

/// How the draft stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Saving {
    /// The server has it.
    Saved,
    /// It will be sent, or is on its way.
    Pending,
    /// It could not be saved; it is tried again.
    Failed(String),
    /// The server does not take it as it is, and says why.
    Refused(String),
    /// Somebody else has saved another draft.
    Conflict,
}

/// What is known about the server's draft.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    etag: String,
    /// What the server had last of what is drawn here: both sides of a conflict are made of it.
    pub(super) base: Channel,
    /// Every etag that our own saves were answered with.
    ours: HashSet<String>,
    waiting: Option<TimeoutHandle>,
    in_flight: bool,
    /// Whether there is something that the server does not have.
    dirty: bool,
    /// Code of what the last save was refused with.
    refused: Option<String>,
}

impl Draft {
    pub(super) fn new(etag: String, base: Channel) -> Self {
        Self { ours: HashSet::from([etag.clone()]), etag, base, ..Self::default() }
    }
}

/// The channel that was made last in this window and may still be untouched.
const FRESH: &str = "fairway.fresh";

/// Remembers that a channel was just made empty: if it is left like that, it goes again.
pub(crate) fn made_empty(uid: &str) {
    if !write(Keep::Window, FRESH, uid) {
        leptos::logging::warn!("the browser keeps nothing: an empty channel stays if it is left");
    }
}

fn history_key(uid: &str) -> String {
    format!("fairway.history.{uid}")
}

fn rescue_key(uid: &str) -> String {
    format!("fairway.unsaved.{uid}")
}

/// The history kept for a channel, when it belongs to this document.
pub(super) fn kept_history(uid: &str, channel: &Channel) -> History {
    read(Keep::Window, &history_key(uid))
        .and_then(|kept| History::from_text(&kept, channel))
        .unwrap_or_default()
}

/// What was drawn but not saved when the page went, if the server's draft is still the one it was drawn on.
pub(super) fn rescued(uid: &str, etag: &str) -> Option<Channel> {
    let kept = read(Keep::Always, &rescue_key(uid))?;
    if !forget(Keep::Always, &rescue_key(uid)) {
        return None;
    }
    let (on, document) = kept.split_once('\n')?;
    let value = serde_json::from_str(document).ok()?;
    (on == etag).then(|| text::from_value(&value).0).flatten()
}

impl Editor {
    /// Sends the draft once typing pauses.
    pub(super) fn save_soon(self) {
        let conflict = self.saving.with_untracked(|saving| *saving == Saving::Conflict);
        self.save.update_value(|draft| {
            draft.dirty = true;
            if let Some(waiting) = draft.waiting.take() {
                waiting.clear();
            }
            if !conflict {
                draft.waiting = set_timeout_with_handle(move || self.save_now(), PAUSE).ok();
            }
        });
        let settled = |saving: &Saving| matches!(saving, Saving::Saved | Saving::Refused(_));
        if !conflict && self.saving.with_untracked(settled) {
            self.saving.set(Saving::Pending);
        }
    }

    /// Sends the draft at once, unless there is nothing new or one is on its way (it is followed by the next).
    pub(crate) fn save_now(self) {
        // The page may have been left: then `leave` has seen to it.
        let Some((busy, etag)) = self.save.try_update_value(|draft| {
            draft.waiting = None;
            let busy = draft.in_flight || !draft.dirty;
            if !busy {
                draft.in_flight = true;
                draft.dirty = false;
            }
            (busy, draft.etag.clone())
        }) else {
            return;
        };
        if busy || self.saving.with_untracked(|saving| *saving == Saving::Conflict) {
            return;
        }
        let uid = self.uid();
        let sent = self.with(Clone::clone);
        let document = text::to_value(&sent);
        leptos::task::spawn_local(async move {
            let answer = api::call_if::<SaveDraft>(&[("uid", &uid)], &document, &etag).await;
            let mut more_since_sent = false;
            let Some(more) = self.save.try_update_value(|draft| {
                draft.in_flight = false;
                more_since_sent = draft.dirty;
                if let Ok(saved) = &answer {
                    draft.etag.clone_from(&saved.etag);
                    draft.base = sent;
                    draft.ours.insert(saved.etag.clone());
                } else {
                    draft.dirty = true;
                }
                draft.dirty
            }) else {
                return;
            };
            match answer {
                Ok(saved) => {
                    let mended = self.save.try_update_value(|draft| draft.refused.take()).flatten();
                    if let Some(code) = mended {
                        self.toasts.settled(&code);
                    }
                    self.server_found(saved.diagnostics);
                    self.keep_history();
                    if more {
                        self.save_now();
                    } else {
                        self.saving.set(Saving::Saved);
                    }
                }
                Err(problem) if problem.status == 412 => self.saving.set(Saving::Conflict),
                Err(problem) => {
                    let why = if problem.detail.is_empty() {
                        problem.title.clone()
                    } else {
                        problem.detail.clone()
                    };
                    // What the server refuses once it refuses again, until something is changed: it is a finding.
                    if (400..500).contains(&problem.status) && !LATER.contains(&problem.status) {
                        self.refused(&problem, more_since_sent);
                        return;
                    }
                    if problem.status != 0 {
                        self.toasts.problem(&problem);
                    }
                    self.saving.set(Saving::Failed(why));
                    set_timeout(move || self.save_now(), AGAIN);
                }
            }
        });
    }

    /// The server does not take the draft: says so, and tries again once it is changed.
    fn refused(self, problem: &Problem, changed_meanwhile: bool) {
        let again = self.save.try_update_value(|draft| draft.refused.replace(problem.code.clone())).flatten();
        if again.as_ref() != Some(&problem.code) {
            self.toasts.problem(problem);
        }
        self.server_refused(problem);
        self.saving.set(Saving::Refused(api::said(problem)));
        if changed_meanwhile {
            self.save_soon();
        }
    }

    /// Waits until the server has the draft. False when that cannot be, because somebody else has saved another.
    pub(crate) async fn saved(self) -> bool {
        self.save_now();
        loop {
            match self.saving.try_get_untracked() {
                Some(Saving::Saved) => return true,
                Some(Saving::Conflict | Saving::Refused(_)) | None => return false,
                Some(_) => pause(50).await,
            }
        }
    }

    fn keep_history(self) {
        let text = self.with(|channel| self.history.with_value(|history| history.to_text(channel)));
        // A history too long for the browser's store is worth less than the draft: it ends with this window.
        if !write(Keep::Window, &history_key(&self.uid()), &text)
            && !forget(Keep::Window, &history_key(&self.uid()))
        {
            leptos::logging::warn!("the browser keeps nothing: undo ends with this window");
        }
    }

    /// Listens for drafts that others save, and for the end of the page.
    pub(super) fn follow_drafts(self) {
        Effect::new(move || {
            let Some(changed) = self.live.draft.get() else { return };
            let theirs = changed.uid == self.uid()
                && self.save.with_value(|draft| !draft.in_flight && !draft.ours.contains(&changed.etag));
            if theirs && self.is_untouched() {
                self.take_theirs();
            } else if theirs {
                self.saving.set(Saving::Conflict);
            }
        });
        self.follow_conflict();
        let hide = window_event_listener_untyped("pagehide", move |_| self.leave());
        on_cleanup(move || {
            hide.remove();
            if !self.drop_untouched() {
                self.leave();
            }
        });
    }

    /// Whether nothing was drawn here: then what others save is simply shown.
    fn is_untouched(self) -> bool {
        let sent = self.save.with_value(|draft| !draft.dirty && !draft.in_flight);
        sent && self.history.with_value(|history| history.undo.is_empty() && history.redo.is_empty())
            && self.saving.with_untracked(|saving| *saving == Saving::Saved)
    }

    /// Shows the draft that somebody else has saved, in the place of one that nobody drew on here.
    fn take_theirs(self) {
        let uid = self.uid();
        leptos::task::spawn_local(async move {
            let answer = api::call::<GetChannel>(&[("uid", &uid)], &Nothing {}).await;
            // The page may have been left meanwhile, or something drawn.
            if self.uid.try_get_value().is_none() {
                return;
            }
            let theirs = answer.ok().and_then(|detail| Some((text::from_value(&detail.document).0?, detail)));
            let Some((mut channel, detail)) = theirs.filter(|_| self.is_untouched()) else {
                return self.saving.set(Saving::Conflict);
            };
            arrange::lay_out(&mut channel, &self.catalog());
            self.save.update_value(|draft| {
                draft.ours.insert(detail.etag.clone());
                draft.etag = detail.etag;
                draft.base = channel.clone();
            });
            self.document.set_value(channel);
            self.deployed.set(detail.deployed);
            self.refresh();
            self.server_found(detail.diagnostics);
            self.toasts.good(t!("draft-taken-over"));
        });
    }

    /// The page goes, and the channel was made in this window and is as empty as it was then: it goes too, so that a press on
    /// *New channel* by mistake leaves nothing behind.
    fn drop_untouched(self) -> bool {
        let Some(uid) = self.uid.try_get_value() else { return false };
        let fresh = read(Keep::Window, FRESH).is_some_and(|fresh| fresh == uid);
        let empty = self.with(|channel| {
            let told = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
            channel.spec.nodes.is_empty()
                && !told(&channel.metadata.title)
                && !told(&channel.metadata.description)
        });
        let untouched = fresh
            && empty
            && self.deployed.with_untracked(Option::is_none)
            && self.history.with_value(|history| history.undo.is_empty() && history.redo.is_empty());
        if untouched {
            forget(Keep::Window, FRESH);
            leptos::task::spawn_local(async move {
                // One that is gone already is gone.
                drop(api::call::<DeleteChannel>(&[("uid", &uid)], &Nothing {}).await);
            });
        }
        untouched
    }

    /// The page goes: what is not saved is sent in the background, and kept in the browser in case that fails.
    fn leave(self) {
        let Some((dirty, etag)) = self.save.try_update_value(|draft| {
            if let Some(waiting) = draft.waiting.take() {
                waiting.clear();
            }
            (draft.dirty || draft.in_flight, draft.etag.clone())
        }) else {
            return;
        };
        if !dirty || self.saving.with_untracked(|saving| *saving == Saving::Conflict) {
            return;
        }
        self.keep_history();
        let uid = self.uid();
        let document = self.with(text::to_value);
        if !write(Keep::Always, &rescue_key(&uid), &format!("{etag}\n{document}")) {
            leptos::logging::warn!("the browser keeps nothing: an unsaved draft is sent only");
        }
        leptos::task::spawn_local(async move {
            if api::call_if::<SaveDraft>(&[("uid", &uid)], &document, &etag).await.is_ok()
                && !forget(Keep::Always, &rescue_key(&uid))
            {
                leptos::logging::warn!("a saved draft is still kept");
            }
        });
    }

    /// A conflict is settled: what is drawn is saved onto what the server has.
    pub(super) fn save_onto(self, etag: String, theirs: Channel) {
        self.save.update_value(|draft| {
            draft.ours.insert(etag.clone());
            draft.etag = etag;
            draft.base = theirs;
        });
        self.saving.set(Saving::Pending);
    }

    /// In a conflict: what I see takes the place of theirs, which the server keeps as a version.
    pub(crate) fn replace_theirs(self) {
        self.save.update_value(|draft| {
            draft.etag = "*".to_owned();
            draft.dirty = true;
        });
        self.saving.set(Saving::Pending);
        self.save_now();
    }

    /// In a conflict: my document becomes a channel of its own.
    pub(crate) fn keep_as_copy(self, router: Router) {
        let mut channel = self.with(Clone::clone);
        let stamp = js_sys::Date::now() as u64 / 1000 % 100_000;
        channel.metadata.name = format!("{}-{stamp}", channel.metadata.name);
        let document = text::to_value(&channel);
        leptos::task::spawn_local(async move {
            match api::call::<AddChannel>(&[], &CreateChannel { document }).await {
                Ok(copy) => router.go(Route::Canvas(copy.uid)),
                Err(problem) => self.toasts.problem(&problem),
            }
        });
    }
}
