//! Finding things: the command palette, addresses that lead to a node, the small map.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::designer::with;
use super::super::scenario;
use super::{WINDOW, channel, edges, ids};
use crate::support::Fairway;

#[tokio::test]
async fn the_command_palette_does_what_keys_do_and_finds_nodes() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-commands", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let list = |count: &str| {
            format!("document.querySelectorAll('[data-testid=commands] [data-choice]').length {count}")
        };
        browser.key("Mod+k").await?;
        browser.see("[data-testid=commands]").await?;
        browser.until("every action", &list("> 20")).await?;

        // A few letters of an action; what needs a selection is not offered without one.
        ensure!(browser.count("[data-choice=delete]").await? == 0, "there is nothing to delete");
        browser.type_text("selall").await?;
        browser
            .until("the action on top", "document.querySelector('#choice-0').dataset.choice === 'select-all'")
            .await?;
        browser.key("Enter").await?;
        browser.selected_are(&["read", "keep", "write", "mask"]).await?;

        // A node by a word of its settings.
        browser.key("Mod+f").await?;
        browser.type_text("rows.jsonl").await?;
        browser.until("the node", "document.querySelector('#choice-0').dataset.choice === '@write'").await?;
        browser.key("Enter").await?;
        browser.selected_are(&["write"]).await?;
        browser.focused(&with("data-node", "write")).await?;

        // From a field, too; Esc leaves everything as it was.
        browser.key("Enter").await?;
        browser.focused("[data-input=path]").await?;
        browser.key("Mod+k").await?;
        browser.see("[data-testid=commands]").await?;
        browser.type_text("no such thing").await?;
        browser.until("nothing", &list("=== 0")).await?;
        browser.key("Escape").await?;
        browser.focused("[data-input=path]").await?;
        browser.key("Escape").await?;
        browser.focused(&with("data-node", "write")).await?;

        // Copy and paste without their keys.
        for word in ["copy", "paste"] {
            browser.key("Mod+k").await?;
            browser.see("[data-testid=commands]").await?;
            browser.type_text(&format!(">{word}")).await?;
            browser
                .until(
                    word,
                    &format!("document.querySelector('#choice-0').dataset.choice === {}", json!(word)),
                )
                .await?;
            browser.key("Enter").await?;
            browser.until("it to shut", "!document.querySelector('[data-testid=commands]')").await?;
            if word == "copy" {
                browser.read("[data-testid=said]", "copied").await?;
            }
        }
        browser.until("the copy", "document.querySelectorAll('.board .node').length === 5").await?;

        // Every action with a key stands on the sheet.
        browser.key("?").await?;
        browser.see("[data-testid=keys]").await?;
        ensure!(browser.count("[data-testid=keys] dt").await? > 35, "keys are missing on the sheet");
        browser.screenshot("keys").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_address_leads_to_the_node_and_the_panel() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-address", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        browser.inspect("keep").await?;
        browser.until("the address", "location.search === '?node=keep'").await?;
        browser.click("[data-tab=problems]").await?;
        browser
            .until("the panel", "new URLSearchParams(location.search).get('panel') === 'problems'")
            .await?;
        browser.key("Escape").await?;
        browser.until("no node", "!new URLSearchParams(location.search).has('node')").await?;
        let uid = browser.uid().await?;

        // As somebody who was sent the link.
        browser.goto(&format!("{}/channels/{uid}?node=mask&panel=activity", fairway.origin())).await?;
        browser.see(&with("data-inspected", "mask")).await?;
        browser.see("[data-tab=activity][aria-selected=true]").await?;
        browser.selected_are(&["mask"]).await?;
        browser
            .goto(&format!("{}/channels/{uid}?edge=keep%3Ewrite&panel=nonsense", fairway.origin()))
            .await?;
        browser.see("[data-action=delete-edge]").await?;
        browser.see("[data-tab=problems][aria-selected=true]").await?;
        browser.goto(&format!("{}/channels/{uid}?node=gone,read", fairway.origin())).await?;
        browser.selected_are(&["read"]).await?;
        assert_eq!(ids(&browser.document().await?), ["read", "keep", "write", "mask"]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_small_map_shows_itself_stays_when_pinned_and_leads_the_view() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-map", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let start = browser.document().await?;
        browser.wheel((700, 600), (120, 90), "").await?;
        browser.see("[data-testid=minimap]").await?;
        browser.until("it to go", "!document.querySelector('[data-testid=minimap]')").await?;
        browser.click("[data-action=minimap]").await?;
        let map = browser.see("[data-testid=minimap]").await?;
        browser.screenshot("pinned").await?;
        let before = browser.node_place("read").await?;
        browser.drag((map.x + 60.0, map.y + 60.0), (map.x + 120.0, map.y + 60.0)).await?;
        let moved = format!(
            "document.querySelector('[data-node=read]').getBoundingClientRect().x < {}",
            before.x - 20.0
        );
        browser.until("the view to follow", &moved).await?;
        browser.reload().await?;
        browser.see("[data-testid=minimap]").await?;
        assert_eq!(browser.document().await?, start, "looking has changed the channel");
        assert_eq!(edges(&start).len(), 2);
        Ok(())
    })
    .await
}
