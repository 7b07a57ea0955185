//! The desktop app: a window for the designer, and a whole Fairway inside this process.
//!
//! The window loads its page from the runtime on a free loopback port, exactly as a browser would: one way to talk, tested
//! once. What is here is only what a browser has by itself: a window, a place for saved files, an end in order.
//! Built only with the feature `desktop`; the window's rights are in `tauri.conf.json`.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::error::Error;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use fairway_runtime::server::{self, Options, Server};
use fairway_runtime::telemetry::{self, LogFormat};
use tauri::webview::DownloadEvent;
use tauri::{App, AppHandle, Manager, RunEvent, Url, WebviewUrl, WebviewWindowBuilder};

/// The server of this process, until it is stopped.
struct Running(Mutex<Option<Server>>);

fn main() -> ExitCode {
    telemetry::start(LogFormat::Text, "warn");
    let built = tauri::Builder::default().setup(open).build(tauri::generate_context!());
    let app = match built {
        Ok(app) => app,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    app.run(|app, event| {
        if let RunEvent::Exit = event {
            stop(app);
        }
    });
    ExitCode::SUCCESS
}

fn open(app: &mut App) -> Result<(), Box<dyn Error>> {
    let options = Options { listen: "127.0.0.1:0".to_owned(), data: None, files: None, token_file: None };
    let started = tauri::async_runtime::block_on(Server::start(options));
    let (page, own) = match &started {
        Ok(server) => (server.url().parse()?, Some(server.address().port())),
        Err(error) => {
            eprintln!("error: {error}");
            (notice(error)?, None)
        }
    };
    app.manage(Running(Mutex::new(started.ok())));
    WebviewWindowBuilder::new(app, "main", WebviewUrl::External(page))
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

/// A page that says why Fairway cannot start: mostly that it is open already, on the same data.
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

/// Lets what is in flight reach its target before the process ends.
fn stop(app: &AppHandle) {
    let running = app.state::<Running>();
    let server = running.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(server) = server {
        tauri::async_runtime::block_on(server.stop());
    }
}
