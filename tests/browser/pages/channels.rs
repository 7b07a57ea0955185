//! Ways to begin: blank, from a template, by paste, by drop; and what is left of a canvas that was only looked at.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::super::{Browser, scenario};
use super::{WINDOW, chain};
use crate::support::Fairway;

#[tokio::test]
async fn a_blank_canvas_that_was_only_looked_at_leaves_nothing() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("pages-blank", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.new_channel().await?;
        browser.back_to_channels().await?;
        browser.see("[data-testid=empty]").await?;
        browser.until("it to be gone from the server", "fetch('/api/v1/channels').then((answer) => answer.json()).then((all) => all.channels.length === 0)").await?;

        // One that something was drawn on stays.
        browser.new_channel().await?;
        browser.place("csv_source", (160.0, 120.0)).await?;
        browser.saved().await?;
        browser.back_to_channels().await?;
        browser.see(".card").await?;
        browser.reload().await?;
        browser.see(".card").await.map(|_| ())
    })
    .await
}

#[tokio::test]
async fn a_template_is_a_channel_that_runs() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    scenario("pages-template", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.click("[data-action=door-template]").await?;
        browser.see("[data-testid=templates] [data-template=csv-to-json-lines]").await?;
        browser.screenshot("gallery").await?;
        browser.click("[data-template=csv-to-json-lines]").await?;
        browser.see("[data-testid=canvas] .node").await?;
        browser.deploy(1).await?;
        browser.settled(1, "completed").await?;
        // The same channel as the runtime runs it.
        browser.click("[data-view=physical]").await?;
        browser.see("[data-testid=physical] [data-task] [data-state=completed]").await?;
        for connector in ["airlines", "names", "lines"] {
            browser.see(&format!("[data-testid=physical] [data-connector={connector}]")).await?;
        }
        assert_eq!(browser.count("[data-testid=physical] [data-stream]").await?, 2);
        browser.screenshot("physical").await?;
        browser.click("[data-view=logical]").await?;
        browser.see("[data-testid=canvas] .node").await?;
        Ok(())
    })
    .await?;
    ensure!(std::fs::read_to_string(fairway.files()?.join("out/airlines.jsonl"))?.lines().count() == 16);
    Ok(())
}

#[tokio::test]
async fn documents_come_in_by_paste_and_by_drop() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let document = |name: &str| {
        chain(name, json!([{ "id": "numbers", "component": "generate_source", "config": { "count": 3 } }]))
    };
    scenario("pages-import", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.see("[data-testid=empty]").await?;
        paste(browser, &document("pasted")?).await?;
        browser.see("[data-testid=canvas] .node").await?;
        browser.back_to_channels().await?;

        browser.click("[data-action=new-more]").await?;
        browser.click("[data-action=paste]").await?;
        // What exists is asked about.
        browser.see("[data-action=confirm-import]").await?;
        let asked = browser.errors().await?;
        ensure!(asked.len() == 1 && asked[0].contains("409"), "{asked:?}");
        browser.click("[data-action=confirm-import]").await?;
        browser.see("[data-testid=canvas] .node").await?;
        browser.back_to_channels().await?;

        drop_file(browser, &document("dropped")?).await?;
        browser.see("[data-testid=canvas] .node").await?;
        browser.back_to_channels().await?;
        browser.until("three channels", "document.querySelectorAll('.card').length === 3").await?;
        browser.click("[data-testid=search]").await?;
        browser.type_text("DROP").await?;
        browser.until("the one that fits", "document.querySelectorAll('.card').length === 1").await?;
        browser.see("[data-channel=dropped]").await?;

        // What is no document is told, and nothing changes.
        drop_file(browser, &json!("no document")).await?;
        browser.see(".toast[data-tone=bad]").await?;
        // The browser's console tells of the refusal, too.
        let refused = browser.errors().await?;
        ensure!(refused.len() <= 1, "{refused:?}");
        Ok(())
    })
    .await
}

async fn paste(browser: &mut Browser, document: &Value) -> Result<()> {
    browser.eval("navigator.clipboard.writeText(arguments[0])", &[json!(document.to_string())]).await?;
    browser.key("Mod+v").await
}

/// A file let go over the page, as the browser tells it.
async fn drop_file(browser: &Browser, document: &Value) -> Result<()> {
    let script = "(() => { const data = new DataTransfer(); \
         data.items.add(new File([arguments[0]], 'channel.json', { type: 'application/json' })); \
         for (const kind of ['dragenter', 'dragover', 'drop']) \
             document.body.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: data })); \
         return true; })()";
    browser.eval(script, &[json!(document.to_string())]).await.map(|_| ())
}
