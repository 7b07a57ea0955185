//! Statuses as the server pushes them: one signal a channel, so that a view follows only what it shows.
//!
//! Events and answers come by different ways, and an answer may be overtaken by an event that is newer: see [`Asked`].

use std::collections::HashMap;

use fairway_shared::api::None as Nothing;
use fairway_shared::api::channels::ListChannels;

use fairway_shared::api::events::{DraftChanged, Event};
use fairway_shared::api::status::ChannelStatus;
use leptos::prelude::*;

use crate::api;
use crate::api::events::{Signal as Heard, Stream};

/// Statuses that the stream has brought.
#[derive(Default)]
struct Pushed {
    count: u64,
    /// The count at the last one of each channel.
    last: HashMap<String, u64>,
}

/// Milliseconds between two looks at a channel's figures: nobody reads faster.
const PACE: f64 = 500.0;

/// A status that waits for its turn.
#[derive(Debug, Clone, Default)]
struct Paced {
    /// When the last one was shown, in milliseconds of the browser's clock.
    shown: f64,
    waiting: Option<ChannelStatus>,
    /// Whether its turn is set.
    due: bool,
}

/// The moment a question was sent. A status in its answer is news only if none came by the stream meanwhile.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked(u64);

/// Live statuses and what changed elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    channels: StoredValue<HashMap<String, ArcRwSignal<ChannelStatus>>>,
    pushed: StoredValue<Pushed>,
    paced: StoredValue<HashMap<String, Paced>>,
    stream: StoredValue<Option<Stream>, LocalStorage>,
    /// Whether the stream is open.
    pub(crate) connected: RwSignal<bool>,
    /// Counts up whenever lists must be read anew: drafts changed, channels gone, events missed.
    pub(crate) stale: RwSignal<u64>,
    /// The last draft that changed, by whomever.
    pub(crate) draft: RwSignal<Option<DraftChanged>>,
    /// The last channel that was deleted, by uid.
    pub(crate) gone: RwSignal<Option<String>>,
}

impl Live {
    /// Opens the stream.
    pub(crate) fn start() -> Self {
        let live = Self {
            channels: StoredValue::new(HashMap::new()),
            pushed: StoredValue::new(Pushed::default()),
            paced: StoredValue::new(HashMap::new()),
            stream: StoredValue::new_local(None),
            connected: RwSignal::new(true),
            stale: RwSignal::new(0),
            draft: RwSignal::new(None),
            gone: RwSignal::new(None),
        };
        live.open();
        live
    }

    fn open(self) {
        self.stream.set_value(Stream::open(move |heard| self.hear(heard)));
    }

    fn hear(self, heard: Heard) {
        match heard {
            Heard::Open => {
                self.catch_up();
                if !self.connected.get_untracked() {
                    self.connected.set(true);
                    self.stale.update(|times| *times += 1);
                }
            }
            Heard::Lost => self.connected.set(false),
            Heard::Shut => {
                self.connected.set(false);
                // The browser gave up (the server refused or is gone): try again by hand.
                set_timeout(move || self.open(), std::time::Duration::from_secs(3));
            }
            Heard::Event(Event::Status(status)) => {
                self.pushed.update_value(|pushed| {
                    pushed.count += 1;
                    pushed.last.insert(status.uid.clone(), pushed.count);
                });
                self.pace(*status);
            }
            Heard::Event(Event::Draft(changed)) => {
                self.draft.set(Some(changed));
                self.stale.update(|times| *times += 1);
            }
            Heard::Event(Event::Deleted(gone)) => {
                self.gone.set(Some(gone.uid));
                self.stale.update(|times| *times += 1);
            }
            Heard::Event(Event::Reset) => {
                self.catch_up();
                self.stale.update(|times| *times += 1);
            }
        }
    }

    /// Takes a status from the stream: at once when the state is another, else no sooner than [`PACE`] after the last one,
    /// and figures alone not while nobody looks.
    fn pace(self, status: ChannelStatus) {
        let uid = status.uid.clone();
        let other = self.status(&uid).with_untracked(|known| {
            (known.state, known.version, known.target, &known.cause)
                != (status.state, status.version, status.target, &status.cause)
        });
        let now = js_sys::Date::now();
        let mut due = None;
        self.paced.update_value(|paced| {
            let paced = paced.entry(uid.clone()).or_default();
            let rest = (paced.shown + PACE - now).clamp(0.0, PACE);
            if other || (rest == 0.0 && !document().hidden()) {
                *paced = Paced { shown: now, waiting: None, due: paced.due };
                due = Some(None);
            } else {
                paced.waiting = Some(status.clone());
                if !std::mem::replace(&mut paced.due, true) {
                    due = Some(Some(rest));
                }
            }
        });
        match due {
            Some(None) => self.put(status, false),
            Some(Some(rest)) => self.later(uid, rest),
            None => {}
        }
    }

    /// Shows what waits for its turn, after some milliseconds.
    fn later(self, uid: String, milliseconds: f64) {
        let turn = move || {
            let mut shown = None;
            let mut hidden = false;
            self.paced.update_value(|paced| {
                let Some(paced) = paced.get_mut(&uid) else { return };
                hidden = paced.waiting.is_some() && document().hidden();
                if !hidden {
                    paced.due = false;
                    shown = paced.waiting.take();
                    paced.shown = js_sys::Date::now();
                }
            });
            if hidden {
                self.later(uid.clone(), PACE);
            } else if let Some(status) = shown {
                self.put(status, false);
            }
        };
        set_timeout(turn, std::time::Duration::from_millis(milliseconds.max(1.0) as u64));
    }

    /// The status of a channel; empty until something is known.
    pub(crate) fn status(self, uid: &str) -> ArcRwSignal<ChannelStatus> {
        let known = self.channels.with_value(|channels| channels.get(uid).cloned());
        known.unwrap_or_else(|| {
            let signal = ArcRwSignal::new(ChannelStatus { uid: uid.to_owned(), ..ChannelStatus::default() });
            self.channels.update_value(|channels| {
                channels.insert(uid.to_owned(), signal.clone());
            });
            signal
        })
    }

    /// Reads all statuses: the stream tells only what happens after it is open.
    fn catch_up(self) {
        let asked = self.asking();
        leptos::task::spawn_local(async move {
            // Where this fails the server is away again, and the next opening catches up.
            if let Ok(answer) = api::call::<ListChannels>(&[], &Nothing {}).await {
                answer.channels.into_iter().for_each(|channel| self.answered(asked, channel.status));
            }
        });
    }

    /// To be called before a question whose answer holds a status.
    pub(crate) fn asking(self) -> Asked {
        Asked(self.pushed.with_value(|pushed| pushed.count))
    }

    /// Takes a status from an answer.
    pub(crate) fn answered(self, asked: Asked, mut status: ChannelStatus) {
        let overtaken = self
            .pushed
            .with_value(|pushed| pushed.last.get(&status.uid).is_some_and(|count| *count > asked.0));
        let mut waiting = None;
        self.paced.update_value(|paced| {
            waiting = paced.get_mut(&status.uid).and_then(|paced| paced.waiting.take());
        });
        if overtaken {
            let (history, schedule) = (std::mem::take(&mut status.history), status.schedule.take());
            status = waiting.unwrap_or_else(|| self.status(&status.uid).get_untracked());
            (status.history, status.schedule) = (history, schedule);
        }
        self.put(status, true);
    }

    /// Takes a status. Events carry neither history nor schedule, lists no history: what is known stays.
    fn put(self, mut status: ChannelStatus, answer: bool) {
        let signal = self.status(&status.uid);
        if signal.with_untracked(|known| *known == status) {
            return;
        }
        if status.history.is_empty() {
            status.history = signal.with_untracked(|known| known.history.clone());
        }
        if !answer {
            status.schedule = signal.with_untracked(|known| known.schedule.clone());
        }
        signal.set(status);
    }
}

/// The statuses that `app` provides.
pub(crate) fn use_live() -> Live {
    expect_context()
}
