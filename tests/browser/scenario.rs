//! Runs the body of a browser test and tells what the page looked like if it fails.

use std::any::Any;
use std::env;
use std::panic::AssertUnwindSafe;

use anyhow::{Error, Result, anyhow, ensure};
use futures::FutureExt;

use super::{Browser, Looks};
use crate::support::{find, skip};

/// Opens a browser, runs `body`, closes the browser.
///
/// A panic in the body (a failed assertion) and an error are the same: both leave a screenshot. Errors that the
/// page wrote to its console and that the body did not fetch fail the scenario too. Without Chromium and
/// chromedriver the scenario is skipped, unless `FAIRWAY_REQUIRE_BROWSER` is set, as in CI.
pub(crate) async fn scenario(
    name: &str,
    looks: Looks,
    body: impl AsyncFnOnce(&mut Browser) -> Result<()>,
) -> Result<()> {
    let programs = find(&["chromium", "chromium-browser", "google-chrome"]).zip(find(&["chromedriver"]));
    let Some((chromium, driver)) = programs else { return missing("Chromium or chromedriver") };
    let mut browser = Browser::open(name, &chromium, &driver, looks).await?;
    let result =
        AssertUnwindSafe(body(&mut browser)).catch_unwind().await.unwrap_or_else(|panic| Err(said(panic)));
    let result = match (result, browser.errors().await) {
        (Ok(()), Ok(errors)) if errors.is_empty() => Ok(()),
        (Ok(()), Ok(errors)) => Err(anyhow!("the page wrote errors to its console:\n{}", errors.join("\n"))),
        (Ok(()), Err(error)) => Err(error),
        (Err(error), Ok(errors)) if !errors.is_empty() => {
            Err(error.context(format!("console of the page:\n{}", errors.join("\n"))))
        }
        (result, _) => result,
    };
    let Err(error) = result else { return browser.close().await };
    Err(pictured(&browser, name, error).await)
}

/// Skips where something is not installed, unless it must be.
fn missing(what: &str) -> Result<()> {
    let required = env::var_os("FAIRWAY_REQUIRE_BROWSER").is_some_and(|value| !value.is_empty());
    ensure!(!required, "{what} is missing: run `cargo xtask setup`");
    skip(&format!("{what} is not installed"));
    Ok(())
}

/// An error with the picture of the page that it happened on.
pub(super) async fn pictured(browser: &Browser, name: &str, error: Error) -> Error {
    match browser.screenshot("failed").await {
        Ok(path) => error.context(format!("{name} failed, see {}", path.display())),
        Err(no_picture) => error.context(format!("{name} failed, and no screenshot: {no_picture:#}")),
    }
}

pub(super) fn said(panic: Box<dyn Any + Send>) -> Error {
    let text =
        panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    anyhow!("{}", text.unwrap_or("panicked"))
}
