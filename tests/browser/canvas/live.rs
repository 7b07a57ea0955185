//! What nodes and edges show while the channel runs: rates and their line, how full an edge is, which node is the trouble.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::designer::with;
use super::super::scenario;
use super::WINDOW;
use crate::support::Fairway;

#[tokio::test]
async fn edges_show_their_rate_and_nodes_their_trouble() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-live", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&flowing()).await?;
        browser.deploy(1).await?;
        browser.state("running").await?;
        let edge = with("data-edge", "made>out");
        browser.until("records on the edge", &format!("Number(document.querySelector({}).dataset.records) > 0", json!(edge))).await?;
        let rate = json!(format!("{edge} .edge-rate"));
        browser.until("its rate", &format!("document.querySelector({rate})?.textContent.includes('/s')")).await?;
        browser.until("the line of the last rates", &format!("document.querySelector({})", json!(format!("{edge} .edge-spark")))).await?;
        browser.until("a figure", "Number(document.querySelector('[data-node=out] [data-count=out]').dataset.value) > 0").await?;
        browser.screenshot("flowing").await?;

        // Figures move no more often than somebody can read them.
        let changes = browser
            .eval(
                "new Promise((done) => { let changes = 0; const node = document.querySelector('[data-node=out] [data-count=out]'); \
                 const watch = new MutationObserver((all) => { changes += new Set(all.map((one) => one.type)).size ? 1 : 0; }); \
                 watch.observe(node, { attributes: true }); const end = performance.now() + 2000; \
                 const look = () => performance.now() < end ? requestAnimationFrame(look) : (watch.disconnect(), done(changes)); look(); })",
                &[],
            )
            .await?;
        let changes = changes.as_u64().context("changes are counted")?;
        ensure!((1..=5).contains(&changes), "{changes} changes in two seconds");

        // The edge can be looked into: records as they pass, for a time, and its history says so.
        browser.click("[data-side=outline]").await?;
        browser.click("[data-outline='e made true made>out']").await?;
        browser.see("[data-testid=edge-rates] path").await?;
        browser.click("[data-action=open-tap]").await?;
        browser.until("records that pass", "document.querySelectorAll('[data-tapped]').length >= 3").await?;
        browser.see("[data-tapped] [data-tapped-field=id]").await?;
        browser.screenshot("tap").await?;
        browser.accessible("a tap").await?;
        browser.click("[data-action=close-tap]").await?;
        browser.see("[data-action=open-tap]").await?;
        ensure!(browser.count("[data-tapped]").await? >= 3, "what was seen stays to be read");
        browser.panel("activity").await?;
        browser.see("[data-deed='made>out']").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_node_that_fails_says_so_by_shape_and_words() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-trouble", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&failing()).await?;
        browser.deploy(1).await?;
        browser.until("the trouble", "document.querySelector('[data-testid=trouble]')").await?;
        let badge = "[data-node=read] [data-node-state]";
        browser.see(badge).await?;
        let said = browser.eval(&format!("document.querySelector({}).title", json!(badge)), &[]).await?;
        ensure!(said.as_str().is_some_and(|said| said.len() > 15), "the reason is {said}");
        let label = browser.eval("document.querySelector('[data-node=read]').ariaLabel", &[]).await?;
        ensure!(
            label.as_str().is_some_and(|label| label.split(',').count() > 5),
            "the state is not said: {label}"
        );
        browser.screenshot("trouble").await?;
        Ok(())
    })
    .await
}

/// Made-up records, some hundred a second, for as long as anybody looks.
pub(super) fn flowing() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "flowing" },
        "spec": {
            "nodes": [
                { "id": "made", "component": "generate_source", "config": { "rate": 200 } },
                { "id": "out", "component": "discard_sink" },
            ],
            "edges": [{ "from": "made", "to": "out" }],
        },
        "layout": { "nodes": { "made": { "x": 0, "y": 0 }, "out": { "x": 352, "y": 0 } } },
    })
}

/// A source whose folder is not there.
fn failing() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "failing" },
        "spec": {
            "nodes": [
                { "id": "read", "component": "sqlite_table_source", "config": { "path": "nowhere/none.db", "tables": ["t"] } },
                { "id": "out", "component": "discard_sink" },
            ],
            "edges": [{ "from": "read", "to": "out" }],
        },
        "layout": { "nodes": { "read": { "x": 0, "y": 0 }, "out": { "x": 352, "y": 0 } } },
    })
}
