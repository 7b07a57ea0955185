//! The desktop app: a window for the designer, and a whole Fairway inside this process.
//!
//! The window loads its page from the runtime on a loopback port, exactly as a browser would: one way to talk, tested
//! once. What is here is only what a browser does not have: files of the user's own (`commands`, `documents`), what is
//! remembered of them (`memory`), one app for one data directory (`instance`), an end in order (`closing`).
//! Built only with the feature `desktop`; the window's rights are in `tauri.conf.json`.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod closing;
mod commands;
mod documents;
mod instance;
mod memory;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use fairway_runtime::config::DataDir;
use fairway_runtime::server::{self, Options, Server};
use fairway_runtime::telemetry::{self, LogFormat};
use tauri::webview::DownloadEvent;
use tauri::{App, Manager, Url, WebviewUrl, WebviewWindowBuilder};

use crate::documents::Waiting;
use crate::memory::Memory;

/// The one window.
const WINDOW: &str = "main";

/// The server of this process, until it is stopped.
struct Running(Mutex<Option<Server>>);

fn main() -> ExitCode {
    telemetry::start(LogFormat::Text, "warn");
    let data = match DataDir::locate(None) {
        Ok(data) => data,
        Err(error) => return fail(&error),
    };
    let named: Vec<PathBuf> = std::env::args_os().skip(1).map(absolute).collect();
    // One app for a data directory: a second start brings its documents to the first.
    if instance::hand_over(&data, &named) {
        return ExitCode::SUCCESS;
    }
    let waiting = Waiting::default();
    waiting.add(named);
    let built = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(commands::plugin())
        .manage(waiting)
        .manage(Memory::load(&data))
        .manage(closing::Closing::default())
        .setup(move |app| open(app, &data))
        .on_window_event(closing::on_window)
        .build(tauri::generate_context!());
    match built {
        Ok(app) => {
            closing::on_signals(app.handle());
            app.run(closing::on_run);
            ExitCode::SUCCESS
        }
        Err(error) => fail(&error),
    }
}

fn fail(error: &dyn Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

fn absolute(path: impl Into<PathBuf>) -> PathBuf {
    let path = path.into();
    std::path::absolute(&path).unwrap_or(path)
}

fn open(app: &mut App, data: &Path) -> Result<(), Box<dyn Error>> {
    let started = tauri::async_runtime::block_on(start(app.state::<Memory>().port(), data));
    let (page, own) = match &started {
        Ok(server) => {
            let port = server.address().port();
            app.state::<Memory>().keep_port(port);
            (server.url().parse()?, Some(port))
        }
        Err(error) => {
            eprintln!("error: {error}");
            (notice(error)?, None)
        }
    };
    app.manage(Running(Mutex::new(started.ok())));
    instance::listen(app.handle(), data);
    WebviewWindowBuilder::new(app, WINDOW, WebviewUrl::External(page))
        .title("Fairway")
        .inner_size(1360.0, 860.0)
        .min_inner_size(800.0, 560.0)
        // The window has rights that a page from elsewhere must not get.
        .on_navigation(move |url| {
            url.scheme() == "data"
                || (url.host_str() == Some("127.0.0.1") && url.port() == own && own.is_some())
        })
        .on_download(|webview, event| {
            if let DownloadEvent::Requested { destination, .. } = event
                && let (Ok(folder), Some(name)) =
                    (webview.path().download_dir(), destination.file_name().map(ToOwned::to_owned))
            {
                *destination = folder.join(name);
            }
            true
        })
        .build()?;
    Ok(())
}

/// Starts the server on the port of last time, for what the page remembers (theme, language) hangs on its address; on a
/// free one if that is taken.
async fn start(port: Option<u16>, data: &Path) -> Result<Server, server::Error> {
    let options = |port: u16| Options {
        listen: format!("127.0.0.1:{port}"),
        data: Some(data.to_owned()),
        files: None,
        token_file: None,
    };
    match Server::start(options(port.unwrap_or(0))).await {
        Err(server::Error::Listen(..)) if port.is_some() => Server::start(options(0)).await,
        result => result,
    }
}

/// A page that says why Fairway cannot start: mostly that its data directory is in use.
fn notice(error: &server::Error) -> Result<Url, Box<dyn Error>> {
    let text = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;");
    let help = error.help().map(|help| format!("<p>{}</p>", text(&help))).unwrap_or_default();
    let html = format!(
        "<!doctype html><meta charset=utf-8><meta name=color-scheme content='light dark'>\
         <body style='font: 16px system-ui; margin: 3rem'><h1>Fairway</h1><p>{}</p>{help}",
        text(&error.to_string())
    );
    let mut url = Url::parse("data:text/html;charset=utf-8,")?;
    url.set_path(&format!("text/html;charset=utf-8,{}", html.replace('%', "%25").replace('#', "%23")));
    Ok(url)
}

/// The server, to be stopped.
fn take_server(app: &impl Manager<tauri::Wry>) -> Option<Server> {
    let running = app.try_state::<Running>()?;
    running.0.lock().unwrap_or_else(PoisonError::into_inner).take()
}
