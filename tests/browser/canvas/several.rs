//! Several nodes set at once, and components that one likes.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::super::designer::with;
use super::super::scenario;
use super::WINDOW;
use crate::support::Fairway;

/// Two masks that differ.
fn masks() -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "masks" },
        "spec": {
            "nodes": [
                { "id": "one", "component": "mask_fields", "config": { "fields": ["a"] } },
                { "id": "other", "component": "mask_fields", "config": { "fields": ["b"] } },
            ],
            "edges": [],
        },
        "layout": { "nodes": { "one": { "x": 0, "y": 0 }, "other": { "x": 320, "y": 0 } } },
    })
}

#[tokio::test]
async fn a_setting_of_several_nodes_is_changed_as_one_step() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-several", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&masks()).await?;
        browser.click(&format!("{} .node-title", with("data-node", "one"))).await?;
        browser.key("Mod+a").await?;
        browser.selected_are(&["one", "other"]).await?;
        browser.see("[data-testid=bulk]").await?;
        ensure!(browser.count("[data-differs]").await? == 1, "the fields differ, the method does not");
        browser.scroll_to("[data-field=method] [data-choice=redact]").await?;
        browser.click("[data-field=method] [data-choice=redact]").await?;
        browser.screenshot("bulk").await?;
        browser.accessible("the settings of several nodes").await?;
        let document = browser.document().await?;
        let nodes = |document: &Value| document["spec"]["nodes"].clone();
        for (at, field) in [(0, "a"), (1, "b")] {
            let config = json!({ "fields": [field], "method": "redact" });
            assert_eq!(nodes(&document)[at]["config"], config);
        }
        browser.click("[data-action=undo]").await?;
        assert_eq!(nodes(&browser.document().await?), masks()["spec"]["nodes"]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn favourites_and_what_was_placed_last_stand_first() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-favourites", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&masks()).await?;
        ensure!(browser.count("[data-first]").await? == 0, "nothing was chosen or placed yet");
        let star = "li:has(> [data-palette=filter_records]) [data-action=favourite]";
        browser.scroll_to(star).await?;
        browser.click(star).await?;
        browser.see("[data-first=favourite] [data-first-item=filter_records]").await?;
        browser.place("log_sink", (420.0, 420.0)).await?;
        browser.see("[data-first=recent] [data-first-item=log_sink]").await?;
        browser.screenshot("palette").await?;
        browser.reload().await?;
        browser.see("[data-first=favourite] [data-first-item=filter_records]").await?;
        browser.see("[data-first=recent] [data-first-item=log_sink]").await?;
        // From there it is placed as from anywhere, and the star can be taken back.
        browser.click("[data-first=favourite] [data-first-item=filter_records]").await?;
        browser.until("a filter", "document.querySelectorAll('.board .node').length === 4").await?;
        browser.click("[data-first=favourite] [data-action=favourite]").await?;
        browser.until("it to go", "!document.querySelector('[data-first=favourite]')").await?;
        Ok(())
    })
    .await
}
