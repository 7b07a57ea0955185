//! A press counts once it is made: on a page that has just been drawn, and while events change what stands around the button.

use anyhow::{Context, Result};
use serde_json::json;

use super::super::{Browser, scenario};
use super::WINDOW;
use super::live::flowing;
use crate::support::Fairway;

/// Fresh pages that are pressed on; more by `FAIRWAY_PRESSES`.
const PAGES: usize = 6;

/// Writes down which events a press becomes and where each lands, for the one press in many that has no effect.
const WATCH: &str = "(() => { window.presses = []; \
    for (const kind of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'pointercancel', 'click']) \
    document.addEventListener(kind, (event) => window.presses.push(`${kind} on ${event.target.closest('[data-action]')?.dataset.action ?? event.target.nodeName}${event.target.isConnected ? '' : ' (gone)'} at ${Math.round(performance.now())}`), true); \
    new MutationObserver((all) => all.forEach((one) => { for (const node of one.removedNodes) if (node.nodeType === 1) window.presses.push(`${node.nodeName}.${node.className} went at ${Math.round(performance.now())}`); })) \
    .observe(document.querySelector('header'), { childList: true, subtree: true }); return true; })()";

#[tokio::test]
async fn every_press_counts_on_fresh_pages_while_events_arrive() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let pages = std::env::var("FAIRWAY_PRESSES").ok().and_then(|count| count.parse().ok()).unwrap_or(PAGES);
    scenario("canvas-presses", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&flowing()).await?;
        browser.deploy(1).await?;
        browser.state("running").await?;
        for page in 0..pages {
            browser.reload().await?;
            browser.see("[data-testid=canvas] .node").await?;
            browser.saved().await?;
            browser.eval(WATCH, &[]).await?;
            let pressed = browser.exported("flowing.fairway.json").await;
            if let Err(error) = pressed {
                let seen = browser
                    .eval("[document.visibilityState, document.hasFocus(), ...window.presses]", &[])
                    .await?;
                return Err(error.context(format!("page {page}: {seen:#}")));
            }
            std::fs::remove_file(pressed?)?;
        }
        state_changes(browser).await
    })
    .await
}

/// The button that is pressed stays the same one while the channel's figures change around it.
async fn state_changes(browser: &mut Browser) -> Result<()> {
    let export = browser.see("header [data-action=export]").await?;
    browser.move_to(export.middle()).await?;
    browser.eval("window.held = document.querySelector('header [data-action=export]')", &[]).await?;
    browser.press().await?;
    let records = "Number(document.querySelector('.edge').dataset.records)";
    let before = browser.eval(records, &[]).await?.as_f64().context("records are counted")?;
    browser.until("events between down and up", &format!("{records} > {before}")).await?;
    browser.release().await?;
    let path = browser.downloaded("flowing.fairway.json").await?;
    std::fs::remove_file(path)?;
    let same =
        browser.eval("window.held === document.querySelector('header [data-action=export]')", &[]).await?;
    assert_eq!(same, json!(true), "the button was drawn anew");
    Ok(())
}
