//! Another component in a node's place, and the document as text.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::scenario;
use super::{WINDOW, channel, edges, ids};
use crate::support::Fairway;

#[tokio::test]
async fn a_node_is_replaced_and_the_text_is_edited() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-replacing", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let start = browser.document().await?;
        let grip = browser.grip("mask").await?;
        browser.click_at(grip).await?;
        browser.key("r").await?;
        browser.see("[data-testid=replace]").await?;
        browser.type_text("select_fields").await?;
        browser.until("one choice", "document.querySelectorAll('[data-testid=replace] [data-choice]').length === 1").await?;
        browser.key("Enter").await?;
        browser.see("[data-node=mask][data-component=select_fields]").await?;
        let document = browser.document().await?;
        assert_eq!(edges(&document), edges(&start));
        assert_eq!(document["spec"]["nodes"][3]["config"], json!({ "fields": ["b"] }), "what both know stays");
        browser.key("Mod+z").await?;
        browser.see("[data-node=mask][data-component=mask_fields]").await?;
        assert_eq!(browser.document().await?, start);

        // The text: what is wrong says where; what is right becomes one step.
        browser.key("Escape").await?;
        browser.key("t").await?;
        browser.see("[data-testid=document] textarea").await?;
        browser.accessible("the document as text").await?;
        let set = "((text) => { const field = document.querySelector('[data-testid=document] textarea'); field.value = text(field.value); field.dispatchEvent(new Event('input', { bubbles: true })); return true; })";
        browser.eval(&format!("{set}((text) => text.replace('\"spec\"', '\"spec'))"), &[]).await?;
        browser.see("[data-testid=text-faults] li").await?;
        ensure!(browser.count("[data-action=apply-text]:disabled").await? == 1);
        browser.eval(&format!("{set}((text) => text.replace('\"spec', '\"spec\"').replace('out/rows.jsonl', 'out/other.jsonl'))"), &[]).await?;
        browser.read("[data-testid=document]", "1 changed").await?;
        browser.screenshot("text").await?;
        browser.click("[data-action=apply-text]:enabled").await?;
        browser.until("it to shut", "!document.querySelector('[data-testid=document]')").await?;
        let document = browser.document().await?;
        assert_eq!(document["spec"]["nodes"][2]["config"]["path"], "out/other.jsonl");
        assert_eq!(ids(&document), ids(&start));
        browser.key("Mod+z").await?;
        assert_eq!(browser.document().await?, start);
        Ok(())
    })
    .await
}
