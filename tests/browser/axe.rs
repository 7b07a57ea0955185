//! Accessibility by machine: axe-core's rules for WCAG 2.2 A and AA and for good practice, held against a page as it is now.
//! `cargo xtask setup` fetches axe-core; without it the check says why it is skipped. What no machine sees (the order of the
//! focus, building by keyboard alone) is in `keyboard.rs`.

use std::path::PathBuf;
use std::{env, fs};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::designer::with;
use super::{Browser, Looks, scenario};
use crate::support::{Fairway, skip};

/// Where `xtask` puts it, below the target folder.
const SCRIPT: &str = "peers/axe-core-4.11.0/axe.min.js";

/// The script, where the test's own build lies.
fn script() -> Result<Option<PathBuf>> {
    let test = env::current_exe()?;
    let found = test.ancestors().map(|folder| folder.join(SCRIPT)).find(|path| path.is_file());
    Ok(found)
}

impl Browser {
    /// Fails if the page breaks a rule now. `what` is what the page shows.
    pub(crate) async fn accessible(&self, what: &str) -> Result<()> {
        let Some(script) = script()? else {
            skip("axe-core is not here: `cargo xtask setup` fetches it by npm");
            return Ok(());
        };
        if self.eval("!window.axe", &[]).await? == json!(true) {
            let source = fs::read_to_string(&script).with_context(|| script.display().to_string())?;
            self.devtools("Runtime.evaluate", json!({ "expression": source })).await?;
        }
        // What is still fading in has colours of its own for that long.
        self.until(
            "the page to stand still",
            "document.getAnimations().every((one) => one.playState !== 'running')",
        )
        .await?;
        let run = "axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })\
                   .then((found) => ({ passes: found.passes.length, violations: found.violations.map((one) => ({ rule: one.id, help: one.help, \
                   nodes: one.nodes.slice(0, 5).map((node) => node.html.slice(0, 160) + ' :: ' + node.failureSummary) })) }))";
        let found = self.eval(run, &[]).await?;
        ensure!(
            found["passes"].as_u64().is_some_and(|passes| passes > 10),
            "{what}: next to nothing was checked: {found}"
        );
        let violations = found["violations"].as_array().context("violations are a list")?;
        ensure!(violations.is_empty(), "{what} breaks {} rules: {:#}", violations.len(), found["violations"]);
        Ok(())
    }
}

#[tokio::test]
async fn nothing_that_opens_over_the_canvas_breaks_a_rule_in_light() -> Result<()> {
    overlays("axe-light", "en-US", false).await
}

#[tokio::test]
async fn nothing_that_opens_over_the_canvas_breaks_a_rule_in_dark() -> Result<()> {
    overlays("axe-dark", "zh-CN", true).await
}

async fn overlays(name: &str, language: &'static str, dark: bool) -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let looks = Looks { viewport: (1440, 900), language, dark, reduced_motion: true, forced_colors: false };
    scenario(name, looks, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        browser.accessible("the canvas").await?;
        browser.inspect("route").await?;
        browser.accessible("a node's settings").await?;
        browser.key("Escape").await?;
        for (key, seen, what) in [
            ("Mod+k", "[data-testid=commands]", "the command palette"),
            ("?", "[data-testid=keys]", "the keys"),
            ("n", "[data-testid=quick-add]", "the small search"),
        ] {
            browser.key(key).await?;
            browser.see(seen).await?;
            browser.screenshot(&what.replace(' ', "-")).await?;
            browser.accessible(what).await?;
            browser.key("Escape").await?;
            browser.until("it to shut", &format!("!document.querySelector({})", json!(seen))).await?;
        }
        browser.key("m").await?;
        browser.see("[data-testid=minimap]").await?;
        browser.click("[data-side=outline]").await?;
        browser.see("[data-testid=outline] [data-outline]").await?;
        browser.screenshot("the-outline").await?;
        browser.accessible("the outline and the small map").await?;
        browser.click(&with("data-outline", "e route true route.large>out")).await?;
        browser.see("[data-action=delete-edge]").await?;
        browser.screenshot("an-edge").await?;
        browser.accessible("an edge").await?;
        browser.click("[data-action=settings]").await?;
        browser.accessible("the settings of the window").await
    })
    .await
}

/// A channel with something wrong, with several outputs, and with an errors edge.
fn channel() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "looked-at", "title": "Looked at" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "csv_source", "config": { "path": "in/*.csv" } },
                { "id": "route", "component": "route_records", "config": { "routes": [
                    { "name": "large", "rules": [{ "field": "amount", "op": "ge", "value": 1000 }] },
                    { "name": "paid", "rules": [{ "field": "status", "op": "eq", "value": "paid" }] },
                ] } },
                { "id": "out", "component": "jsonl_sink", "config": { "path": "out/large.jsonl" } },
                { "id": "rest", "component": "jsonl_sink", "config": {} },
                { "id": "refused", "component": "log_sink" },
            ],
            "edges": [
                { "from": "in", "to": "route" },
                { "from": "route.large", "to": "out" },
                { "from": "route.paid", "to": "rest" },
                { "from": "route.unmatched", "to": "rest" },
                { "from": "route.errors", "to": "refused" },
            ],
        },
        "layout": { "nodes": {
            "in": { "x": 0, "y": 0 },
            "route": { "x": 320, "y": 0 },
            "out": { "x": 704, "y": -96 },
            "rest": { "x": 704, "y": 64 },
            "refused": { "x": 560, "y": 240 },
        } },
    })
}
