//! What the desktop app adds: channel documents as files of the user's own. Open, save, save as, recent documents, and a
//! question before changes that no file has are left behind. The drafts themselves are safe in any case: the runtime has them.

mod bridge;
mod closing;
mod file_bar;
mod recent;

use fairway_shared::api::channels::{Existing, ExportChannel};
use leptos::prelude::*;
use serde_json::json;

use self::bridge::{Document, FileState, Recent};
pub(crate) use self::closing::CloseQuestion;
pub(crate) use self::file_bar::FileBar;
pub(crate) use self::recent::{OpenButton, RecentDocuments};
use crate::api;
use crate::i18n::t;
use crate::parts::bring_in::{Brought, bring_in, read};
use crate::router::{Route, Router};
use crate::state::Toasts;

/// Said by the app when documents wait to be opened.
const WAITING: &str = "desktop-documents";
/// Said by the app when the window is to be closed while files lack changes; with the channels' uids.
const CLOSE_ASKED: &str = "desktop-close-asked";

/// The app around this page. A handle: copies mean the same.
#[derive(Clone, Copy)]
pub(crate) struct Desktop {
    there: bool,
    recent: RwSignal<Vec<Recent>>,
    /// Channels whose files lack changes, while the window waits to be closed.
    closing: RwSignal<Vec<String>>,
    toasts: Toasts,
    router: Router,
}

impl Desktop {
    /// Looks whether there is an app, and begins to listen to it.
    pub(crate) fn start(toasts: Toasts, router: Router) -> Self {
        let desktop = Self {
            there: bridge::is_there(),
            recent: RwSignal::new(Vec::new()),
            closing: RwSignal::new(Vec::new()),
            toasts,
            router,
        };
        if desktop.there {
            desktop.listen();
        }
        desktop
    }

    fn listen(self) {
        let closing = self.closing;
        let heard = bridge::listen(WAITING, move |_| self.open_waiting()).and_then(|()| {
            bridge::listen(CLOSE_ASKED, move |uids| {
                let uids = js_sys::Array::from(&uids);
                closing.set(uids.iter().filter_map(|uid| uid.as_string()).collect());
            })
        });
        if let Err(error) = heard {
            self.toasts.bad(t!("desktop-deaf"), Some(error));
        }
        let keys = window_event_listener(leptos::ev::keydown, move |event| {
            if (event.ctrl_key() || event.meta_key())
                && !event.shift_key()
                && event.key().eq_ignore_ascii_case("o")
            {
                event.prevent_default();
                self.pick();
            }
        });
        // As long as the page.
        std::mem::forget(keys);
        self.look_back();
        self.open_waiting();
    }

    /// Reads anew which documents were opened before.
    fn look_back(self) {
        leptos::task::spawn_local(async move {
            match bridge::call("recent_documents", &json!({})).await {
                Ok(recent) => self.recent.set(recent),
                Err(error) => self.toasts.bad(t!("desktop-deaf"), Some(error)),
            }
        });
    }

    /// Asks the user for a document.
    fn pick(self) {
        leptos::task::spawn_local(async move {
            match bridge::call::<Option<Document>>("pick_document", &json!({})).await {
                Ok(Some(document)) => self.open(document).await,
                Ok(None) => {}
                Err(error) => self.toasts.bad(t!("file-unreadable"), Some(error)),
            }
        });
    }

    fn open_recent(self, path: String) {
        leptos::task::spawn_local(async move {
            match bridge::call("open_recent", &json!({ "path": path })).await {
                Ok(document) => self.open(document).await,
                Err(error) => self.toasts.bad(t!("file-unreadable"), Some(error)),
            }
            self.look_back();
        });
    }

    fn open_waiting(self) {
        leptos::task::spawn_local(async move {
            match bridge::call::<Vec<Taken>>("take_documents", &json!({})).await {
                Ok(taken) => {
                    for one in taken {
                        match one {
                            Taken::Ok(document) => self.open(document).await,
                            Taken::Err(fault) => self.toasts.bad(t!("file-unreadable"), Some(fault.message)),
                        }
                    }
                }
                Err(error) => self.toasts.bad(t!("desktop-deaf"), Some(error)),
            }
        });
    }

    /// Opens a document: the channel that it became before, or a new one.
    async fn open(self, document: Document) {
        let before = self.link(&document.path, None).await;
        if let Some(uid) = before
            && export(&uid).await.is_ok()
        {
            self.link(&document.path, Some(&uid)).await;
            self.look_back();
            // If the file says something else by now, the bar says so and offers to read it.
            return self.router.go(Route::Canvas(uid));
        }
        if let Some(uid) = self.import(&document.text, Existing::Refuse).await {
            self.link(&document.path, Some(&uid)).await;
            self.look_back();
            self.router.go(Route::Canvas(uid));
        }
    }

    /// Imports a text; answers the channel it became. A name that is taken makes a copy, and the user hears of it.
    async fn import(self, text: &str, existing: Existing) -> Option<String> {
        let document = read(text, self.toasts)?;
        let mut brought = bring_in(document, existing, self.toasts).await;
        if let Brought::Taken(document) = brought {
            brought = bring_in(document, Existing::Copy, self.toasts).await;
            if matches!(brought, Brought::Channels(_)) {
                self.toasts.good(t!("file-opened-as-copy"));
            }
        }
        match brought {
            Brought::Channels(channels) => channels.into_iter().next(),
            Brought::Taken(_) | Brought::Refused => None,
        }
    }

    /// Notes which channel a document became; answers which it was before.
    async fn link(self, path: &str, uid: Option<&str>) -> Option<String> {
        bridge::call("link_document", &json!({ "path": path, "uid": uid })).await.unwrap_or_else(|error| {
            self.toasts.bad(t!("desktop-deaf"), Some(error));
            None
        })
    }

    /// Saves a channel in its file, or where the user says. False when nothing was saved.
    async fn save(self, uid: &str, elsewhere: bool) -> Option<FileState> {
        let (text, name) = match export(uid).await {
            Ok(found) => found,
            Err(problem) => {
                self.toasts.problem(&problem);
                return None;
            }
        };
        let args = json!({ "uid": uid, "name": name, "text": text, "elsewhere": elsewhere });
        match bridge::call::<Option<FileState>>("save_document", &args).await {
            Ok(state) => {
                self.look_back();
                state
            }
            Err(error) => {
                self.toasts.bad(t!("file-unwritable"), Some(error));
                None
            }
        }
    }
}

/// A document that waited, or why it cannot be read. (As serde writes a `Result`.)
#[derive(serde::Deserialize)]
enum Taken {
    Ok(Document),
    Err(Fault),
}

#[derive(serde::Deserialize)]
struct Fault {
    message: String,
}

/// A channel as a document, and what its file should be called.
async fn export(uid: &str) -> Result<(String, String), fairway_shared::api::Problem> {
    let (text, name) = api::file::<ExportChannel>(&[("uid", uid)]).await?;
    Ok((text, name.unwrap_or_else(|| "channel.fairway.json".to_owned())))
}

/// The app around this page.
pub(crate) fn use_desktop() -> Desktop {
    expect_context()
}
