//! Chromium under chromedriver, one of each for a scenario.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::support::Program;

/// How long chromedriver and Chromium may take to start; far above what they take, for machines under load.
pub(super) const START: Duration = Duration::from_secs(60);

/// Browsers open at once: more would only slow each other down until limits pass for faults.
static TURNS: Semaphore = Semaphore::const_new(2);

/// Waits for the turn to open a browser or a window.
pub(super) async fn turn() -> Result<SemaphorePermit<'static>> {
    TURNS.acquire().await.context("no turn for a browser")
}

/// What Chromium is started with. A test needs no graphics card, no network and nothing that phones home.
const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
];

/// What the user of a scenario has set up in the browser.
#[derive(Clone, Copy)]
pub(crate) struct Looks {
    /// Width and height of the page, in CSS pixels.
    pub(crate) viewport: (u32, u32),
    /// The preferred language: `en-US`, `zh-CN`.
    pub(crate) language: &'static str,
    pub(crate) dark: bool,
    pub(crate) reduced_motion: bool,
    /// Colours forced by the system, as for high contrast.
    pub(crate) forced_colors: bool,
}

impl Default for Looks {
    fn default() -> Self {
        Self {
            viewport: (1280, 800),
            language: "en-US",
            dark: false,
            reduced_motion: false,
            forced_colors: false,
        }
    }
}

/// A browser with one page.
pub(crate) struct Browser {
    pub(super) name: String,
    pub(super) client: Client,
    /// Where the pointer was put last, in the viewport.
    pub(super) pointer: (f64, f64),
    /// Files that the page lets the user save.
    pub(super) downloads: TempDir,
    // The order matters: drivers and browser end before their folder is removed, and only then is it the next one's turn.
    pub(super) _programs: Vec<Program>,
    pub(super) _profile: TempDir,
    pub(super) _turn: SemaphorePermit<'static>,
}

impl Browser {
    pub(super) async fn open(name: &str, chromium: &Path, driver: &Path, looks: Looks) -> Result<Self> {
        let turn = turn().await?;
        let profile = tempfile::tempdir().context("no folder for the profile")?;
        let downloads = tempfile::tempdir().context("no folder for downloads")?;
        let mut command = Command::new(driver);
        // What the browser leaves in the temporary folder goes away with its profile.
        command.arg("--port=0").env("LANGUAGE", looks.language).env("TMPDIR", profile.path());
        let (driver, port) = Program::start(&mut command, START, port_in)?;

        let address = format!("http://127.0.0.1:{port}");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(capabilities(chromium, profile.path(), looks));
        let client = builder.connect(&address).await.with_context(|| {
            format!("chromedriver could not start {}:\n{}", chromium.display(), driver.log())
        })?;
        let browser = Self {
            name: name.to_owned(),
            client,
            pointer: (0.0, 0.0),
            downloads,
            _programs: vec![driver],
            _profile: profile,
            _turn: turn,
        };
        browser.put_on(looks).await?;
        Ok(browser)
    }

    /// Opens an address and waits until the page has loaded.
    pub(crate) async fn goto(&self, address: &str) -> Result<()> {
        self.client.goto(address).await.with_context(|| format!("cannot open {address}"))
    }

    /// Loads the page anew, as the user would.
    pub(crate) async fn reload(&self) -> Result<()> {
        self.client.refresh().await.context("cannot reload")
    }

    pub(super) async fn close(self) -> Result<()> {
        self.client.clone().close().await.context("the browser did not close")
    }

    /// What flags cannot set: the exact size of the page, media features, where downloads go.
    async fn put_on(&self, looks: Looks) -> Result<()> {
        let (width, height) = looks.viewport;
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        let feature = |name: &str, value: &str| json!({ "name": name, "value": value });
        let features = json!({ "features": [
            feature("prefers-color-scheme", if looks.dark { "dark" } else { "light" }),
            feature("prefers-reduced-motion", if looks.reduced_motion { "reduce" } else { "no-preference" }),
            feature("forced-colors", if looks.forced_colors { "active" } else { "none" }),
        ] });
        self.devtools("Emulation.setEmulatedMedia", features).await?;
        let downloads = json!({ "behavior": "allow", "downloadPath": self.downloads.path() });
        self.devtools("Browser.setDownloadBehavior", downloads).await?;
        let clipboard = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.devtools("Browser.grantPermissions", clipboard).await?;
        Ok(())
    }
}

fn capabilities(chromium: &Path, profile: &Path, looks: Looks) -> Map<String, Value> {
    let (width, height) = looks.viewport;
    let mut args: Vec<String> = FLAGS.iter().map(ToString::to_string).collect();
    args.push(format!("--window-size={width},{height}"));
    args.push(format!("--user-data-dir={}", profile.join("profile").display()));
    args.push(format!("--lang={}", looks.language));
    let options = json!({
        "binary": chromium,
        "args": args,
        "prefs": { "intl": { "accept_languages": looks.language } },
    });
    let mut all = Map::new();
    all.insert("goog:chromeOptions".into(), options);
    all.insert("goog:loggingPrefs".into(), json!({ "browser": "ALL" }));
    all
}

/// Finds the port in chromedriver's line `ChromeDriver was started successfully on port 40123.`
fn port_in(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("started successfully on port ")?;
    rest.trim_end_matches('.').parse().ok()
}
