//! More than one window: text from elsewhere, another editor of the same draft, forms that are left in the middle of a word,
//! channels that were made by mistake.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::{Browser, scenario};
use super::{WINDOW, channel, edges, ids};
use crate::support::Fairway;

#[tokio::test]
async fn text_travels_between_channels_and_foreign_text_says_what_is_wrong() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-text", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        let mut secret = channel();
        secret["spec"]["nodes"][2] = json!({ "id": "write", "component": "postgres_sink",
            "config": { "host": "db.example", "database": "d", "user": "u", "password": "hunter2", "table": "t" } });
        browser.import(&secret).await?;
        browser.key("Mod+a").await?;
        browser.selected_are(&["read", "keep", "write", "mask"]).await?;
        browser.key("Mod+c").await?;
        browser.read("[data-testid=said]", "4 nodes copied").await?;
        let text = browser.eval("navigator.clipboard.readText()", &[]).await?;
        let text = text.as_str().unwrap_or_default();
        ensure!(text.contains("\"apiVersion\"") && text.contains("db.example"), "what is copied is no document: {text}");
        ensure!(!text.contains("hunter2"), "a secret has left by the clipboard");

        // Another channel takes it, with its edges, beside what is there.
        browser.back_to_channels().await?;
        browser.new_channel().await?;
        browser.key("Mod+v").await?;
        browser.until("the nodes", "document.querySelectorAll('.board .node').length === 4").await?;
        browser.key("Mod+v").await?;
        browser.until("fresh ones", "document.querySelectorAll('.board .node').length === 8").await?;
        let document = browser.document().await?;
        assert_eq!(edges(&document).len(), 4);
        let mut names = ids(&document);
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 8, "ids are unique: {names:?}");

        for (text, told) in [
            ("just some words", "Copy nodes from a canvas"),
            ("{\"apiVersion\": \"fairway/v1\", \"kind\": \"Channel\", ", "cannot be read"),
            ("{\"apiVersion\":\"fairway/v1\",\"kind\":\"Channel\",\"metadata\":{\"name\":\"e\"},\"spec\":{\"nodes\":[],\"edges\":[]}}", "without nodes"),
        ] {
            browser.eval("navigator.clipboard.writeText(arguments[0])", &[json!(text)]).await?;
            browser.key("Mod+v").await?;
            let says = format!("[...document.querySelectorAll('.toast')].some((one) => one.innerText.includes({}))", json!(told));
            browser.until(&format!("{told:?}"), &says).await?;
        }
        assert_eq!(browser.document().await?, document, "foreign text has changed the channel");
        Ok(())
    })
    .await
}

/// Saves a draft as another window would: read now, one node renamed, sent with the tag that it was read with.
async fn elsewhere(browser: &Browser, title: &str) -> Result<()> {
    let uid = browser.uid().await?;
    let run = "((uid, title) => (async () => { const at = `/api/v1/channels/${uid}`; const now = await (await fetch(at)).json(); \
        now.document.spec.nodes[0].title = title; \
        const put = await fetch(`${at}/draft`, { method: 'PUT', headers: { 'Content-Type': 'application/json', 'If-Match': now.etag }, body: JSON.stringify(now.document) }); \
        return put.status; })())(arguments[0], arguments[1])";
    let status = browser.eval(run, &[json!(uid), json!(title)]).await?;
    ensure!(status.as_u64() == Some(200), "the other window could not save: {status}");
    Ok(())
}

/// Draws something, and waits until the server has it.
async fn nudge(browser: &mut Browser) -> Result<()> {
    let grip = browser.grip("mask").await?;
    browser.drag(grip, (grip.0 + 16.0, grip.1)).await?;
    browser.saved().await
}

#[tokio::test]
async fn the_second_editor_of_a_draft_is_told_and_never_overwritten() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-editors", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let first = browser.uid().await?;

        // Five saves of one's own in a row are no conflict, nor is a save after the server was asked in between.
        for _ in 0..5 {
            let grip = browser.grip("mask").await?;
            browser.drag(grip, (grip.0 + 16.0, grip.1)).await?;
            browser.saved().await?;
        }
        browser.document().await?;
        ensure!(browser.count("[data-testid=conflict]").await? == 0, "one's own saves are no conflict");

        // Told at once, with what differs; what is drawn from then on is not sent.
        elsewhere(browser, "Theirs").await?;
        browser.see("[data-testid=conflict]").await?;
        browser.read("[data-testid=differences]", "read").await?;
        browser.screenshot("told").await?;
        browser.accessible("the banner of a conflict").await?;
        let grip = browser.grip("mask").await?;
        browser.drag(grip, (grip.0, grip.1 + 64.0)).await?;
        let theirs = browser.ask_server(&format!("channels/{first}")).await?["document"].clone();
        assert_eq!(theirs["spec"]["nodes"][0]["title"], "Theirs");

        // Mine as a channel of its own.
        browser.click("[data-action=keep-copy]").await?;
        browser.until("another channel", &format!("!location.pathname.endsWith({})", json!(first))).await?;
        browser.see("[data-testid=canvas] .node").await?;
        let copy = browser.document().await?;
        ensure!(copy["spec"]["nodes"][0]["title"].is_null(), "the copy is mine");

        // Theirs into this window, where something was drawn: else it would be shown without a question.
        nudge(browser).await?;
        elsewhere(browser, "Again").await?;
        browser.see("[data-testid=conflict]").await?;
        browser.click("[data-action=reload]").await?;
        browser
            .until("theirs", "document.querySelector('[data-node=read] .node-title')?.innerText === 'Again'")
            .await?;
        ensure!(browser.count("[data-testid=conflict]").await? == 0, "there is nothing left to choose");

        // Mine over theirs, which stays as a version.
        nudge(browser).await?;
        elsewhere(browser, "Kept as a version").await?;
        browser.see("[data-testid=conflict]").await?;
        browser.click("[data-action=replace]").await?;
        browser.until("the banner to go", "!document.querySelector('[data-testid=conflict]')").await?;
        let mine = browser.document().await?;
        assert_eq!(mine["spec"]["nodes"][0]["title"], "Again");
        let uid = browser.uid().await?;
        let versions = browser.ask_server(&format!("channels/{uid}/versions")).await?;
        ensure!(!versions["versions"].as_array().is_none_or(Vec::is_empty), "theirs is lost: {versions}");
        Ok(())
    })
    .await
}

/// Both changed: what only one changed is taken, what both changed is chosen, and the whole is one step.
#[tokio::test]
async fn two_drafts_are_merged_node_by_node() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-merge", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let uid = browser.uid().await?;
        nudge(browser).await?;
        elsewhere(browser, "Theirs").await?;
        browser.see("[data-testid=conflict]").await?;
        // Mine: the same title otherwise, and a setting that they left alone.
        browser.inspect("read").await?;
        browser.click("#node-title").await?;
        browser.type_text("Mine").await?;
        browser.inspect("mask").await?;
        browser.click("[data-field=method] [data-choice=redact]").await?;
        browser.click("[data-action=merge]").await?;
        browser.see("[data-testid=merge] [data-clash]").await?;
        ensure!(browser.count("[data-clash]").await? == 1, "only what both changed is asked");
        browser.screenshot("asked").await?;
        browser.accessible("the merge of two drafts").await?;
        browser.click("[data-clash] [data-side=theirs]").await?;
        browser.click("[data-action=confirm-merge]").await?;
        browser.until("the banner to go", "!document.querySelector('[data-testid=conflict]')").await?;
        let merged = browser.document().await?;
        assert_eq!(merged["spec"]["nodes"][0]["title"], "Theirs");
        assert_eq!(merged["spec"]["nodes"][3]["config"]["method"], "redact");
        let stored = browser.ask_server(&format!("channels/{uid}")).await?["document"].clone();
        assert_eq!(stored["spec"]["nodes"][0]["title"], "Theirs", "it is saved");
        // One step back is mine as it was.
        browser.click("[data-action=undo]").await?;
        let mine = browser.document().await?;
        assert_eq!(mine["spec"]["nodes"][0]["title"], "Mine");
        assert_eq!(mine["spec"]["nodes"][3]["config"]["method"], "redact");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_word_is_kept_when_the_form_is_left_in_the_middle_of_it() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-words", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        browser.inspect("mask").await?;
        browser.click("input[data-input=fields]").await?;
        browser.type_text("email").await?;
        browser.inspect("keep").await?;
        let document = browser.document().await?;
        assert_eq!(document["spec"]["nodes"][3]["config"]["fields"], json!(["b", "email"]));

        // The same by a press on empty canvas, and by taking the node away.
        browser.inspect("mask").await?;
        browser.click("input[data-input=fields]").await?;
        browser.type_text("phone").await?;
        let mask = browser.node_place("mask").await?;
        browser.click_at((mask.x + mask.width / 2.0, mask.y + mask.height + 120.0)).await?;
        let document = browser.document().await?;
        assert_eq!(document["spec"]["nodes"][3]["config"]["fields"], json!(["b", "email", "phone"]));
        browser.inspect("mask").await?;
        browser.click("input[data-input=fields]").await?;
        browser.type_text("half").await?;
        browser.click("[data-action=delete-node]").await?;
        browser.until("the node to go", "!document.querySelector('[data-node=mask]')").await?;
        assert_eq!(ids(&browser.document().await?), ["read", "keep", "write"]);
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_channel_made_by_mistake_leaves_nothing_behind() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-mistake", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.new_channel().await?;
        browser.back_to_channels().await?;
        browser.see("[data-testid=empty]").await?;

        // One that was touched stays, even if it is empty again.
        browser.new_channel().await?;
        browser.place("log_sink", (300.0, 200.0)).await?;
        browser.key("Mod+z").await?;
        browser.until("the node to go", "!document.querySelector('.board .node')").await?;
        browser.saved().await?;
        browser.back_to_channels().await?;
        browser.until("its card", "document.querySelectorAll('.card').length === 1").await?;
        Ok(())
    })
    .await
}
