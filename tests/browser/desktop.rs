//! The desktop app in a real window, under Xvfb, by WebKit's own driver: opened with a document, drawn on, deployed, saved,
//! started a second time, closed.
//!
//! The system's file dialogs belong to GTK and cannot be driven from here: files come by the command line, as a double click
//! brings them, and are saved where they came from.

use std::env;
use std::net::TcpStream;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use fantoccini::ClientBuilder;
use futures::FutureExt;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};

use super::Browser;
use super::chrome::{START, turn};
use super::scenario::{pictured, said};
use crate::support::{Program, find, skip};

/// A channel that copies made-up records to a file.
fn document() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "made up", "title": "Made up" },
        "spec": {
            "nodes": [
                { "id": "made", "component": "generate_source", "config": { "count": 500 } },
                { "id": "kept", "component": "jsonl_sink", "config": { "path": "made.jsonl" } },
            ],
            "edges": [{ "from": "made", "to": "kept" }],
        },
        "layout": { "nodes": { "made": { "x": 160, "y": 160 }, "kept": { "x": 480, "y": 160 } } },
    })
}

/// Where an app under test has its things.
struct Desk {
    folder: tempfile::TempDir,
    display: String,
    app: PathBuf,
}

impl Desk {
    fn file(&self) -> PathBuf {
        self.folder.path().join("orders.fairway.json")
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The app as the desktop starts it, away from the user's own data.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.app);
        self.surround(&mut command);
        command
    }

    fn surround(&self, command: &mut Command) {
        command
            .env("DISPLAY", &self.display)
            .env("GDK_BACKEND", "x11")
            .env("LANGUAGE", "en")
            .env("FAIRWAY_DATA", self.data())
            .env("HOME", self.folder.path())
            .env_remove("FAIRWAY_TOKEN")
            .env_remove("WAYLAND_DISPLAY");
    }

    /// Waits until something is so on this side of the window.
    async fn until(&self, what: &str, so: impl Fn() -> bool) -> Result<()> {
        let deadline = Instant::now() + START;
        while !so() {
            ensure!(Instant::now() < deadline, "waited {START:?} for {what}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }
}

/// Opens the app with `named` documents and gives its window to `body`.
async fn in_the_window(
    name: &str,
    named: &[&Path],
    desk: &Desk,
    display: Program,
    driver: &Path,
    body: impl AsyncFnOnce(&mut Browser, &Desk) -> Result<()>,
) -> Result<()> {
    let turn = turn().await?;
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut command = Command::new(driver);
    command.arg(format!("--port={port}")).arg("--host=127.0.0.1").env("TAURI_WEBVIEW_AUTOMATION", "true");
    desk.surround(&mut command);
    let driver = Program::spawn(&mut command)?;
    desk.until("WebKit's driver", || TcpStream::connect(("127.0.0.1", port)).is_ok()).await?;
    let mut capabilities = Map::new();
    let args: Vec<String> = named.iter().map(|path| path.display().to_string()).collect();
    capabilities.insert("webkitgtk:browserOptions".into(), json!({ "binary": desk.app, "args": args }));
    let client = ClientBuilder::new(HttpConnector::new())
        .capabilities(capabilities)
        .connect(&format!("http://127.0.0.1:{port}"))
        .await
        .with_context(|| format!("the app did not start:\n{}", driver.log()))?;
    let mut window = Browser {
        name: name.to_owned(),
        client,
        pointer: (0.0, 0.0),
        downloads: tempfile::tempdir()?,
        _programs: vec![driver, display],
        _profile: tempfile::tempdir()?,
        _turn: turn,
    };
    let result = AssertUnwindSafe(body(&mut window, desk))
        .catch_unwind()
        .await
        .unwrap_or_else(|panic| Err(said(panic)));
    match result {
        Ok(()) => Ok(()),
        Err(error) => Err(pictured(&window, name, error).await),
    }
}

/// The app under test: `FAIRWAY_DESKTOP`, else the one that cargo put beside this test's folder.
fn app() -> Option<PathBuf> {
    let given = env::var_os("FAIRWAY_DESKTOP").filter(|path| !path.is_empty()).map(PathBuf::from);
    let beside = || Some(env::current_exe().ok()?.parent()?.parent()?.join("fairway-desktop"));
    given.or_else(beside).filter(|path| path.is_file())
}

#[tokio::test]
async fn a_document_is_opened_deployed_changed_saved_and_guarded() -> Result<()> {
    let (Some(app), Some(xvfb), Some(driver)) = (app(), find(&["Xvfb"]), find(&["WebKitWebDriver"])) else {
        skip("the desktop app, Xvfb or WebKitWebDriver is not here");
        return Ok(());
    };
    let mut screen = Command::new(xvfb);
    screen.args(["-displayfd", "1", "-screen", "0", "1440x960x24", "-nolisten", "tcp"]);
    let number = |line: &str| line.trim().parse::<u32>().ok();
    let (display, number) = Program::start(&mut screen, START, number)?;
    let desk = Desk { folder: tempfile::tempdir()?, display: format!(":{number}"), app };
    std::fs::write(desk.file(), serde_json::to_string_pretty(&document())?)?;
    in_the_window("desktop", &[&desk.file()], &desk, display, &driver, async |window, desk| {
        opened_and_deployed(window, desk).await?;
        changed_and_saved(window, desk).await?;
        started_again(window, desk).await?;
        closed_with_changes(window, desk).await
    })
    .await
}

/// What was named at the start is on the canvas; it runs as in a browser.
async fn opened_and_deployed(window: &mut Browser, desk: &Desk) -> Result<()> {
    window.see("[data-testid=canvas] .node").await?;
    window.read("[data-testid=file]", "orders.fairway.json").await?;
    window.screenshot("opened").await?;
    window.deploy(1).await?;
    let written = desk.data().join("files/made.jsonl");
    let lines = || std::fs::read_to_string(&written).unwrap_or_default().lines().count();
    desk.until("all records to be in the target", || lines() == 500).await
}

/// A change is in the draft at once, and in the file when it is saved.
async fn changed_and_saved(window: &mut Browser, desk: &Desk) -> Result<()> {
    retitle(window, "Changed").await?;
    window.see("[data-testid=file][data-saved=false]").await?;
    window.click("[data-action=file-save]").await?;
    window.see("[data-testid=file][data-saved=true]").await?;
    let saved: Value = serde_json::from_str(&std::fs::read_to_string(desk.file())?)?;
    ensure!(saved["metadata"]["title"] == "Changed", "the file says {}", saved["metadata"]);
    Ok(())
}

/// A second start brings its document to this window, and ends.
async fn started_again(window: &mut Browser, desk: &Desk) -> Result<()> {
    let other = desk.folder.path().join("other.fairway.json");
    let mut second = document();
    second["metadata"] = json!({ "name": "another", "title": "Another" });
    std::fs::write(&other, second.to_string())?;
    let mut program = Program::spawn(desk.command().arg(&other))?;
    let status = program.wait(START)?;
    ensure!(status.success(), "the second start: {status}\n{}", program.log());
    window.read("[data-testid=file]", "other.fairway.json").await?;
    window.back_to_channels().await?;
    window.see("[data-testid=recent-file]").await?;
    window.screenshot("channels").await.map(|_| ())
}

/// The window asks before it leaves changes behind; after that the process ends by itself, drained.
async fn closed_with_changes(window: &mut Browser, desk: &Desk) -> Result<()> {
    window.click("[data-testid=recent-file]").await?;
    window.read("[data-testid=file]", "other.fairway.json").await?;
    retitle(window, "Left behind").await?;
    window.see("[data-testid=file][data-saved=false]").await?;
    window.eval("(window.__TAURI__.window.getCurrentWindow().close(), true)", &[]).await?;
    window.see("[data-testid=close-question]").await?;
    window.screenshot("close").await?;
    window.click("[data-action=save-and-close]").await?;
    // The lock is free once the runtime has drained and the process is gone.
    let lock = desk.data().join("lock");
    let free = || {
        std::fs::File::open(&lock).is_ok_and(|file| {
            let free = file.try_lock().is_ok();
            drop(file.unlock());
            free
        })
    };
    desk.until("the app to end", free).await?;
    let saved: Value =
        serde_json::from_str(&std::fs::read_to_string(desk.folder.path().join("other.fairway.json"))?)?;
    ensure!(saved["metadata"]["title"] == "Left behind", "the file says {}", saved["metadata"]);
    Ok(())
}

async fn retitle(window: &mut Browser, title: &str) -> Result<()> {
    window.click("[data-testid=title]").await?;
    window.key("Mod+a").await?;
    window.type_text(title).await?;
    window.key("Enter").await?;
    window.saved().await
}
