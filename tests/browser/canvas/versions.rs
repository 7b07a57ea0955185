//! Versions: what lies between one of them and the drawing, on the canvas and as text; brought back and rolled back.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::scenario;
use super::{WINDOW, edges, ids};
use crate::support::Fairway;

#[tokio::test]
async fn versions_are_compared_brought_back_and_rolled_back() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-versions", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        browser.deploy(1).await?;
        browser.settled(1, "completed").await?;
        let first = browser.document().await?;

        // One node changed, one gone with its edges, one new.
        browser.inspect("mask").await?;
        browser.fill("fields", "b,").await?;
        browser.inspect("made").await?;
        browser.fill("count", "5").await?;
        browser.key("Escape").await?;
        browser.inspect("mask").await?;
        browser.key("Escape").await?;
        let grip = browser.grip("mask").await?;
        browser.click_at(grip).await?;
        browser.key("Mod+Delete").await?;
        browser.until("it to go", "!document.querySelector('[data-node=mask]')").await?;
        browser.place("log_sink", (620.0, 420.0)).await?;

        browser.click("[data-tab=versions]").await?;
        browser.click("[data-version='1'] [data-action=compare-version]").await?;
        browser.see("[data-node=made][data-diff=changed]").await?;
        browser.see("[data-node=log][data-diff=added]").await?;
        browser.see("[data-gone=mask]").await?;
        browser
            .until("the new edge", "document.querySelector('[data-edge=\"made>out\"][data-diff=added]')")
            .await?;
        browser.see("[data-testid=version-diff] [data-line=removed]").await?;
        browser.read("[data-testid=version-diff]", "count").await?;
        browser.screenshot("compared").await?;
        browser.accessible("the versions").await?;

        // Brought back: the draft only, and it can be undone.
        let changed = browser.document().await?;
        browser.click("[data-version='1'] [data-action=bring-back]").await?;
        browser.see("[data-testid=no-differences]").await?;
        assert_eq!(browser.document().await?["spec"], first["spec"]);
        browser.key("Mod+z").await?;
        browser.see("[data-gone=mask]").await?;
        assert_eq!(browser.document().await?["spec"], changed["spec"]);

        // Deployed, then rolled back to the first by way of its plan.
        browser.click("[data-node=log] .node-title").await?;
        browser.key("Delete").await?;
        browser.deploy(2).await?;
        browser.see("[data-version='2']").await?;
        browser.click("[data-version='1'] [data-action=roll-back]").await?;
        browser.see("[data-testid=plan] [data-action=confirm-deploy]:enabled").await?;
        browser.confirm_deploy(3).await?;
        let now = browser.document().await?;
        assert_eq!(ids(&now), ["made", "mask", "out"]);
        ensure!(edges(&now).contains(&"made>mask".to_owned()), "{:?}", edges(&now));
        Ok(())
    })
    .await
}

fn channel() -> serde_json::Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "versions" },
        "spec": {
            "nodes": [
                { "id": "made", "component": "generate_source", "config": { "count": 3 } },
                { "id": "mask", "component": "mask_fields", "config": { "fields": ["a"] } },
                { "id": "out", "component": "discard_sink" },
            ],
            "edges": [{ "from": "made", "to": "mask" }, { "from": "mask", "to": "out" }],
        },
        "layout": { "nodes": { "made": { "x": 0, "y": 0 }, "mask": { "x": 288, "y": 0 }, "out": { "x": 576, "y": 0 } } },
    })
}
