//! One app for a data directory: a second start hands its documents to the first, which comes to the front.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use interprocess::local_socket::prelude::*;
use interprocess::local_socket::{GenericFilePath, GenericNamespaced, ListenerOptions, Name, Stream};
use tauri::{AppHandle, Emitter, Manager};

use crate::WINDOW;
use crate::documents::Waiting;

/// What the page hears when documents wait for it.
const WAITING: &str = "desktop-documents";
/// Most bytes of paths that one start brings.
const LONGEST: u64 = 1 << 20;
/// A caller that says nothing is let go.
const PATIENCE: Duration = Duration::from_secs(2);

/// In the data directory where sockets are files, which only its owner may enter; elsewhere named after it.
fn name(data: &Path) -> io::Result<Name<'static>> {
    let data = std::path::absolute(data)?;
    if cfg!(unix) {
        data.join("desktop.sock").to_fs_name::<GenericFilePath>()
    } else {
        let flat: String =
            data.to_string_lossy().chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        format!("fairway-desktop-{flat}").to_ns_name::<GenericNamespaced>()
    }
}

/// Whether another app has this data directory, and took the documents over.
pub(crate) fn hand_over(data: &Path, documents: &[PathBuf]) -> bool {
    let send = || -> io::Result<()> {
        let mut stream = Stream::connect(name(data)?)?;
        let mut line = serde_json::to_vec(documents).map_err(io::Error::other)?;
        line.push(b'\n');
        stream.write_all(&line)?;
        // It answers once it has them.
        let mut answer = [0];
        stream.read_exact(&mut answer)
    };
    send().is_ok()
}

/// Takes over what later starts bring.
pub(crate) fn listen(app: &AppHandle, data: &Path) {
    let listener = name(data).and_then(|name| {
        // Nobody answered there, so what is left of a killed app is no one's.
        if cfg!(unix) {
            match std::fs::remove_file(data.join("desktop.sock")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        ListenerOptions::new().name(name).create_sync()
    });
    let listener = match listener {
        Ok(listener) => listener,
        Err(error) => return eprintln!("warning: a second start cannot hand over its documents: {error}"),
    };
    let app = app.clone();
    let serve = move || {
        for stream in listener.incoming().flatten() {
            match take(stream) {
                Ok(documents) => show(&app, documents),
                Err(error) => eprintln!("warning: a second start was not understood: {error}"),
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("desktop-instance".to_owned()).spawn(serve) {
        eprintln!("warning: a second start cannot hand over its documents: {error}");
    }
}

fn take(mut stream: Stream) -> io::Result<Vec<PathBuf>> {
    stream.set_recv_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new((&mut stream).take(LONGEST)).read_line(&mut line)?;
    let documents = serde_json::from_str(&line).map_err(io::Error::other)?;
    stream.write_all(b"+")?;
    Ok(documents)
}

fn show(app: &AppHandle, documents: Vec<PathBuf>) {
    app.state::<Waiting>().add(documents);
    if let Some(window) = app.get_webview_window(WINDOW) {
        let shown =
            window.unminimize().and_then(|()| window.set_focus()).and_then(|()| window.emit(WAITING, ()));
        if let Err(error) = shown {
            eprintln!("warning: the window does not come to the front: {error}");
        }
    }
}
