//! Short messages at the corner of the window.

use std::time::Duration;

use fairway_shared::api::Problem;
use leptos::prelude::*;

use crate::api::UNREACHABLE;
use crate::i18n::t;

/// How a message is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Done.
    Good,
    /// It did not work.
    Bad,
}

/// A message.
#[derive(Clone)]
pub(crate) struct Toast {
    /// Which one.
    pub(crate) id: u64,
    /// How it is meant.
    pub(crate) tone: Tone,
    /// What happened.
    pub(crate) what: String,
    /// What to do.
    pub(crate) help: Option<String>,
    /// Permanent code of a problem.
    pub(crate) code: Option<String>,
    /// A button: its text and what it does.
    pub(crate) act: Option<(String, Callback<()>)>,
}

/// The messages in view.
#[derive(Clone, Copy)]
pub(crate) struct Toasts {
    /// Oldest first.
    pub(crate) list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
    /// Places that could show them, the last opened last.
    places: RwSignal<Vec<u64>>,
}

impl Toasts {
    /// None yet.
    pub(crate) fn start() -> Self {
        Self { list: RwSignal::new(Vec::new()), next: StoredValue::new(0), places: RwSignal::new(Vec::new()) }
    }

    /// A place that could show messages, as long as it exists. Only the one opened last does: a modal dialog lies over all
    /// that is outside of it, and lets nothing there be pressed.
    pub(crate) fn place(self) -> Memo<bool> {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        self.places.update(|places| places.push(id));
        on_cleanup(move || {
            self.places.try_update(|places| places.retain(|place| *place != id));
        });
        Memo::new(move |_| self.places.with(|places| places.last() == Some(&id)))
    }

    /// Says that something is done.
    pub(crate) fn good(self, what: impl Into<String>) {
        self.show(Tone::Good, what.into(), None, None, None);
    }

    /// Says that something did not work.
    pub(crate) fn bad(self, what: impl Into<String>, help: Option<String>) {
        self.show(Tone::Bad, what.into(), help, None, None);
    }

    /// Says that something is done and offers to take it back.
    pub(crate) fn offer(self, what: impl Into<String>, button: String, act: Callback<()>) {
        self.show(Tone::Good, what.into(), None, None, Some((button, act)));
    }

    /// Says what a server refused, with its code and its help.
    pub(crate) fn problem(self, problem: &Problem) {
        let (what, help) = match problem.code.as_str() {
            UNREACHABLE => (t!("problem-unreachable"), Some(t!("problem-unreachable-help"))),
            _ if problem.detail.is_empty() => (problem.title.clone(), problem.help.clone()),
            _ => (problem.detail.clone(), problem.help.clone()),
        };
        let said = self.list.with_untracked(|list| list.iter().any(|toast| toast.what == what));
        if !said {
            self.show(Tone::Bad, what, help, Some(problem.code.clone()), None);
        }
    }

    /// Takes the message of a problem away that is no more.
    pub(crate) fn settled(self, code: &str) {
        self.list.update(|list| list.retain(|toast| toast.code.as_deref() != Some(code)));
    }

    /// Takes a message away.
    pub(crate) fn drop(self, id: u64) {
        self.list.update(|list| list.retain(|toast| toast.id != id));
    }

    fn show(
        self,
        tone: Tone,
        what: String,
        help: Option<String>,
        code: Option<String>,
        act: Option<(String, Callback<()>)>,
    ) {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        let seconds = match (tone, act.is_some()) {
            (Tone::Good, false) => 4,
            (Tone::Good, true) => 10,
            (Tone::Bad, _) => 12,
        };
        self.list.update(|list| list.push(Toast { id, tone, what, help, code, act }));
        set_timeout(move || self.drop(id), Duration::from_secs(seconds));
    }
}

/// The messages that `app` provides.
pub(crate) fn use_toasts() -> Toasts {
    expect_context()
}
