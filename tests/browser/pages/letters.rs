//! Records set aside: found by cause, looked at, mended by a deploy, tried again; and discarded.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::designer::with;
use super::super::flights::json_lines;
use super::super::{Browser, scenario};
use super::{WINDOW, chain};
use crate::support::Fairway;

#[tokio::test]
async fn an_operator_finds_mends_and_replays_what_was_refused() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let files = fairway.files()?;
    std::fs::write(files.join("rows.csv"), "id,n\n1,5\n2,x\n3,7\n4,y\n5,9\n")?;
    let cast = |kind: &str| json!({ "fields": [{ "field": "n", "type": kind }] });
    let document = |kind: &str| {
        chain(
            "letters",
            json!([
                { "id": "rows", "component": "csv_source", "config": { "path": "rows.csv", "columns": "text" } },
                { "id": "numbers", "component": "cast_fields", "config": cast(kind) },
                { "id": "out", "component": "jsonl_sink", "config": { "path": "out/rows.jsonl" } },
            ]),
        )
    };
    scenario("pages-letters", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document("int64")?).await?;
        browser.deploy(1).await?;
        browser.settled(1, "completed").await?;
        browser.panel("dead-letters").await?;

        // One cause, two records; each with its fields, its step and its place in the file, in bytes.
        browser.until("two groups to choose from", "document.querySelectorAll('[data-group]').length === 2").await?;
        let group = browser.eval("[...document.querySelectorAll('[data-group]')].map((e) => e.dataset.group)[1]", &[]).await?;
        let group = group.as_str().unwrap_or_default().to_owned();
        ensure!(group.starts_with("numbers "), "grouped by step and cause: {group}");
        browser.click(&with("data-group", &group)).await?;
        browser.until("both records", "document.querySelectorAll('[data-dead-letter]').length === 2").await?;
        browser.see("[data-letter] [data-record-field=n]").await?;
        let place = browser.texts("[data-testid=place]").await?;
        ensure!(place[0].starts_with("rows.csv") && place[0].contains("byte"), "{place:?}");
        browser.screenshot("letters").await?;

        // What will happen is said before it does; refused again, they stay.
        browser.click("[data-action=replay-group]").await?;
        browser.see("dialog .asked").await?;
        browser.click("[data-action=confirm]").await?;
        browser.until("a second try of both", "[...document.querySelectorAll('[data-dead-letter]')].filter((e) => e.textContent.includes('2 tries')).length === 2").await?;

        edited(browser).await?;

        // Mended and deployed, one goes through.
        browser.inspect("numbers").await?;
        browser.unfold().await?;
        browser.eval("document.querySelector(\"select[data-input='fields.0.type']\").focus()", &[]).await?;
        browser.choose("fields.0.type", "string", "string").await?;
        browser.deploy(2).await?;
        browser.settled(2, "completed").await?;
        browser.click("[data-action=replay-one]").await?;
        browser.click("[data-action=confirm]").await?;
        browser.read("[data-testid=dead-letters]", "No dead letters").await?;
        activity(browser).await
    })
    .await?;
    let written = json_lines(&files.join("out/rows.jsonl"))?;
    // Three that were sound, the one that was edited, the one that was tried again, and all five of the second time.
    assert_eq!(written.len(), 10, "{written:?}");
    assert_eq!(written.iter().filter(|row| row["n"] == json!(11) && row["id"] == json!("20")).count(), 1);
    Ok(())
}

/// One is edited, tried out, and tried again in that form; the one that was refused is kept until then, and the history says so.
async fn edited(browser: &mut Browser) -> Result<()> {
    let letter = "[data-letter] ";
    browser.click(&format!("{letter}[data-action=edit-letter]")).await?;
    browser.see("[data-testid=letter-edit]").await?;
    let text = browser.eval("document.querySelector('[data-input=record]').value", &[]).await?;
    let text = text.as_str().unwrap_or_default().to_owned();
    ensure!(text.contains("\"n\""), "the fields alone: {text}");
    // As it is it would be refused once more, and nothing is written.
    browser.scroll_to("[data-action=preview-letter]").await?;
    browser.click("[data-action=preview-letter]").await?;
    browser.see("[data-step=numbers][data-tone=bad]").await?;
    browser.scroll_to("[data-input=record]").await?;
    browser.click("[data-input=record]").await?;
    browser.key("Mod+a").await?;
    browser.type_text("{ \"id\": \"").await?;
    browser.see("[data-testid=edit-fault]").await?;
    browser.type_text("20\", \"n\": \"11\" }").await?;
    browser.scroll_to("[data-action=preview-letter]").await?;
    browser.click("[data-action=preview-letter]").await?;
    browser.see("[data-step=numbers][data-tone=good]").await?;
    browser.see("[data-step=out][data-tone=good]").await?;
    browser.screenshot("edit").await?;
    browser.accessible("a dead letter that is edited").await?;
    browser.scroll_to("[data-action=replay-edited]").await?;
    browser.click("[data-action=replay-edited]").await?;
    browser.see("dialog .asked").await?;
    browser.click("[data-action=confirm]").await?;
    browser.until("one record left", "document.querySelectorAll('[data-dead-letter]').length === 1").await?;
    browser.panel("activity").await?;
    browser.see("#drawer-panel .timeline li[data-deed]").await?;
    browser.screenshot("edited").await?;
    browser.panel("dead-letters").await
}

/// What happened is listed, and the channel can start over from the beginning.
async fn activity(browser: &mut Browser) -> Result<()> {
    browser.panel("activity").await?;
    browser.see("#drawer-panel .timeline li[data-state=completed]").await?;
    browser.click("[data-action=start-over]").await?;
    browser.click("[data-action=confirm]").await?;
    browser.until("five records read once more", &format!(
        "fetch('/api/v1/channels/{}/status').then((answer) => answer.json()).then((status) => status.state === 'completed' && status.counts.read === 10)",
        browser.uid().await?
    ))
    .await?;
    browser.settled(2, "completed").await.map(|_| ())
}
