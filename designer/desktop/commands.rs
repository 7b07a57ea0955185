//! What the page may ask of the app. Paths are the user's choice each time: by a dialog of the system, by what was opened
//! before, or by a start of the app that names them.

#![allow(clippy::let_underscore_must_use, reason = "Tauri's macro writes it around commands with state")]

use std::path::{Path, PathBuf};

use serde::Serialize;
use tauri::plugin::TauriPlugin;
use tauri::{AppHandle, Manager, State, Wry};
use tauri_plugin_dialog::{DialogExt, FilePath};

use crate::WINDOW;
use crate::closing::Closing;
use crate::documents::{self, Document, Fault, Waiting};
use crate::memory::Memory;

/// Endings of channel documents.
const ENDINGS: &[&str] = &["json"];

/// A document opened before.
#[derive(Debug, Serialize)]
struct Recent {
    path: PathBuf,
    name: String,
    folder: String,
    /// Whether it is still there.
    there: bool,
}

/// How a channel stands to its file.
#[derive(Debug, Serialize)]
struct FileState {
    path: PathBuf,
    name: String,
    /// Whether the file holds just this text.
    saved: bool,
}

pub(crate) fn plugin() -> TauriPlugin<Wry> {
    tauri::plugin::Builder::new("desktop")
        .invoke_handler(tauri::generate_handler![
            pick_document,
            take_documents,
            open_recent,
            recent_documents,
            link_document,
            save_document,
            has_file,
            file_state,
            close_window,
        ])
        .build()
}

/// Asks for a document; nothing if the user would rather not.
#[tauri::command]
async fn pick_document(app: AppHandle) -> Result<Option<Document>, Fault> {
    let (answer, answered) = tokio::sync::oneshot::channel();
    app.dialog().file().add_filter("Fairway", ENDINGS).pick_file(move |picked| {
        // Nobody waits any more if the page was left.
        drop(answer.send(picked));
    });
    chosen(answered.await.ok().flatten())?.map(|path| documents::read(&path)).transpose()
}

/// Documents that wait to be opened.
#[tauri::command]
async fn take_documents(waiting: State<'_, Waiting>) -> Result<Vec<Result<Document, Fault>>, ()> {
    Ok(waiting.take().iter().map(|path| documents::read(path)).collect())
}

/// Reads a document that was opened before.
#[tauri::command]
async fn open_recent(memory: State<'_, Memory>, path: PathBuf) -> Result<Document, Fault> {
    if !memory.recent().contains(&path) {
        return Err(Fault::of(&path, "open", "it was not opened before"));
    }
    documents::read(&path)
}

#[tauri::command]
async fn recent_documents(memory: State<'_, Memory>) -> Result<Vec<Recent>, ()> {
    let recent = |path: PathBuf| Recent {
        name: documents::name(&path),
        folder: path.parent().map(|folder| folder.display().to_string()).unwrap_or_default(),
        there: path.is_file(),
        path,
    };
    Ok(memory.recent().into_iter().map(recent).collect())
}

/// Notes which channel a document became; answers the one that it was before, if that was noted.
#[tauri::command]
async fn link_document(
    memory: State<'_, Memory>,
    path: PathBuf,
    uid: Option<String>,
) -> Result<Option<String>, ()> {
    let before = memory.channel(&path);
    if uid.is_some() {
        memory.keep(&path, uid.as_deref());
    }
    Ok(before)
}

/// Saves a channel in its file, or where the user says; answers where, or nothing if the user would rather not.
#[tauri::command]
async fn save_document(
    app: AppHandle,
    uid: String,
    name: String,
    text: String,
    elsewhere: bool,
) -> Result<Option<FileState>, Fault> {
    let known = app.state::<Memory>().file(&uid);
    let path = match known.clone().filter(|_| !elsewhere) {
        Some(path) => path,
        None => {
            let mut dialog = app.dialog().file().add_filter("Fairway", ENDINGS).set_file_name(&name);
            if let Some(folder) = known.as_deref().and_then(Path::parent) {
                dialog = dialog.set_directory(folder);
            }
            let (answer, answered) = tokio::sync::oneshot::channel();
            dialog.save_file(move |picked| drop(answer.send(picked)));
            match chosen(answered.await.ok().flatten())? {
                Some(path) => path,
                None => return Ok(None),
            }
        }
    };
    documents::write(&path, &text)?;
    app.state::<Memory>().keep(&path, Some(&uid));
    app.state::<Closing>().note(&uid, true);
    Ok(Some(FileState { name: documents::name(&path), path, saved: true }))
}

/// Whether a channel has a file at all.
#[tauri::command]
async fn has_file(memory: State<'_, Memory>, uid: String) -> Result<bool, ()> {
    Ok(memory.file(&uid).is_some())
}

/// How a channel with this text stands to its file; nothing if it has none.
#[tauri::command]
async fn file_state(
    memory: State<'_, Memory>,
    closing: State<'_, Closing>,
    uid: String,
    text: String,
) -> Result<Option<FileState>, ()> {
    let Some(path) = memory.file(&uid) else { return Ok(None) };
    // A file that is gone does not hold it.
    let saved = documents::read(&path).is_ok_and(|document| same(&document.text, &text));
    closing.note(&uid, saved);
    Ok(Some(FileState { name: documents::name(&path), path, saved }))
}

/// Closes the window, whatever is unsaved: the page has asked.
#[tauri::command]
async fn close_window(app: AppHandle, closing: State<'_, Closing>) -> Result<(), ()> {
    closing.decide();
    if let Some(window) = app.get_webview_window(WINDOW)
        && let Err(error) = window.close()
    {
        eprintln!("error: the window does not close: {error}");
    }
    Ok(())
}

fn chosen(picked: Option<FilePath>) -> Result<Option<PathBuf>, Fault> {
    let path = |picked: FilePath| picked.into_path().map_err(|error| Fault { message: error.to_string() });
    picked.map(path).transpose()
}

/// Whether two documents say the same, however they are laid out.
fn same(one: &str, other: &str) -> bool {
    let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || read(one).is_some_and(|value| Some(value) == read(other))
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn layout_is_no_difference() {
        assert!(same("{\"a\": 1}", "{ \"a\" : 1 }\n"));
        assert!(!same("{\"a\": 1}", "{\"a\": 2}"));
        assert!(!same("nonsense", "other nonsense"));
    }
}
