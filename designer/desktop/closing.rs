//! The end in order: changes that no file has are asked about, then what is in flight reaches its target.
//!
//! The question is the page's own, in the user's language; here is only that the window waits for it, and that the process
//! ends after the server has drained (its grace time bounds that).

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fairway_runtime::cli::signals;
use tauri::{AppHandle, Emitter, Manager, RunEvent, Window, WindowEvent};

use crate::take_server;

/// What the page hears when somebody wants to close the window while there are changes that no file has.
const ASKED: &str = "desktop-close-asked";

/// What stands in the way of closing.
#[derive(Default)]
pub(crate) struct Closing {
    /// Channels, by uid, that differ from their files.
    unsaved: Mutex<HashSet<String>>,
    /// The user has decided.
    decided: AtomicBool,
    /// The server is being stopped.
    draining: AtomicBool,
    /// It has stopped.
    drained: AtomicBool,
}

impl Closing {
    /// Notes whether a channel is as its file has it.
    pub(crate) fn note(&self, uid: &str, saved: bool) {
        let mut unsaved = self.unsaved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved {
            unsaved.remove(uid);
        } else {
            unsaved.insert(uid.to_owned());
        }
    }

    /// The window may close, whatever is unsaved.
    pub(crate) fn decide(&self) {
        self.decided.store(true, Ordering::Relaxed);
    }

    fn in_the_way(&self) -> Vec<String> {
        if self.decided.load(Ordering::Relaxed) {
            return Vec::new();
        }
        self.unsaved.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }
}

/// Keeps the window open while the page asks.
pub(crate) fn on_window(window: &Window, event: &WindowEvent) {
    if let WindowEvent::CloseRequested { api, .. } = event {
        let unsaved = window.state::<Closing>().in_the_way();
        if !unsaved.is_empty() {
            api.prevent_close();
            if let Err(error) = window.emit(ASKED, unsaved) {
                eprintln!("error: the page cannot be asked: {error}");
            }
        }
    }
}

/// The window is gone, or a signal came: the process ends once the server has drained.
pub(crate) fn on_run(app: &AppHandle, event: RunEvent) {
    let RunEvent::ExitRequested { api, code, .. } = event else { return };
    let closing = app.state::<Closing>();
    if closing.drained.load(Ordering::Acquire) {
        return;
    }
    let Some(server) = take_server(app) else {
        // Nothing was started; or it drains already, and the first request ends the process.
        if closing.draining.load(Ordering::Acquire) {
            api.prevent_exit();
        }
        return;
    };
    closing.draining.store(true, Ordering::Release);
    api.prevent_exit();
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let undelivered = server.stop().await;
        for (uid, records) in &undelivered {
            eprintln!(
                "error: {records} records of channel {uid} were read and not delivered; they are read again"
            );
        }
        app.state::<Closing>().drained.store(true, Ordering::Release);
        app.exit(code.unwrap_or(i32::from(!undelivered.is_empty())));
    });
}

/// Ends in order when the system asks for it.
pub(crate) fn on_signals(app: &AppHandle) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        match signals::listen() {
            Ok(mut asked) => {
                if asked.recv().await.is_some() {
                    app.exit(0);
                }
            }
            Err(error) => eprintln!("error: signals cannot be heard: {error}"),
        }
    });
}
