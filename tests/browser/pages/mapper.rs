//! The visual face of transforms that work field by field, the fields of an edge, names that no record has, and pinned samples.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::scenario;
use super::{WINDOW, chain};
use crate::support::Fairway;

#[tokio::test]
async fn fields_are_mapped_on_a_line_each() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    let document = chain(
        "mapper",
        json!([
            { "id": "flights", "component": "csv_source", "config": { "path": "samples/flights.csv" } },
            { "id": "keep", "component": "select_fields", "config": { "fields": ["carrier"] } },
            { "id": "names", "component": "rename_fields", "config": {} },
            { "id": "types", "component": "cast_fields", "config": { "fields": [{ "field": "gone", "type": "int64" }] } },
            { "id": "out", "component": "discard_sink" },
        ]),
    )?;
    scenario("pages-mapper", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document).await?;
        browser.inspect("keep").await?;
        browser.see("[data-mapped=dep_delay]").await?;
        browser.scroll_to("input[data-map=dep_delay]").await?;
        browser.click("input[data-map=dep_delay]").await?;
        browser
            .until(
                "the field in the form",
                "document.querySelectorAll('[data-inspected=keep] .chip').length === 2",
            )
            .await?;
        browser.screenshot("select").await?;
        browser.accessible("the mapper").await?;

        // The steps behind it see what it lets through.
        browser.inspect("names").await?;
        browser
            .until(
                "what comes in",
                "document.querySelectorAll('[data-inspected=names] [data-mapped]').length === 2",
            )
            .await?;
        browser.click("input[data-map=dep_delay]").await?;
        browser.type_text("delay").await?;
        browser.key("Tab").await?;
        browser.inspect("types").await?;
        browser.see("[data-mapped=delay]").await?;
        browser.see("[data-mapped=gone].lacks").await?;
        browser.see("[data-node=types] [data-lacks=gone]").await?;
        browser.eval("document.querySelector('select[data-map=delay]').focus()", &[]).await?;
        browser.type_text("Decimal").await?;
        browser.key("Tab").await?;
        browser.screenshot("cast").await?;
        let document = browser.document().await?;
        let config = |at: usize| document["spec"]["nodes"][at]["config"].clone();
        assert_eq!(config(1)["fields"].as_array().map(Vec::len), Some(2), "{}", config(1));
        assert_eq!(config(2), json!({ "fields": { "dep_delay": "delay" } }));
        assert_eq!(config(3)["fields"][1], json!({ "field": "delay", "type": "decimal" }));
        // One step each.
        browser.click("[data-action=undo]").await?;
        assert_eq!(
            browser.document().await?["spec"]["nodes"][3]["config"]["fields"].as_array().map(Vec::len),
            Some(1)
        );

        // An edge says what passes it.
        let edge = "[data-edge='names>types']";
        browser.click("[data-side=outline]").await?;
        browser.click("[data-outline='e names true names>types']").await?;
        browser.see("[data-testid=edge-fields] [data-field-of-edge=delay]").await?;
        ensure!(browser.count(edge).await? == 1);
        browser.screenshot("edge").await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_pinned_sample_stays_over_a_reload() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let files = fairway.files()?;
    std::fs::write(files.join("rows.jsonl"), "{\"n\":1}\n{\"n\":2}\n")?;
    let document = chain(
        "pinned",
        json!([
            { "id": "rows", "component": "jsonl_source", "config": { "path": "rows.jsonl" } },
            { "id": "out", "component": "discard_sink" },
        ]),
    )?;
    scenario("pages-pinned", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document).await?;
        browser.panel("preview").await?;
        let shown = |count: usize| {
            format!("document.querySelector('[data-step=rows] [data-flow]')?.textContent === '{count}'")
        };
        browser.until("two records", &shown(2)).await?;
        browser.click("[data-action=pin-sample]").await?;
        std::fs::write(files.join("rows.jsonl"), "{\"n\":3}\n")?;
        browser.reload().await?;
        browser.see("[data-action=pin-sample][aria-pressed=true]").await?;
        browser.click("[data-action=run-preview]").await?;
        browser.until("the pinned two", &shown(2)).await?;
        browser.click("[data-action=pin-sample]").await?;
        browser.click("[data-action=run-preview]").await?;
        browser.until("the source's own one", &shown(1)).await?;
        Ok(())
    })
    .await
}

/// Records that are not what they were when the version in force was deployed are told before the next deploy.
#[tokio::test]
async fn fields_that_drift_are_told_before_a_deploy() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let files = fairway.files()?;
    std::fs::write(files.join("rows.jsonl"), "{\"id\":1,\"name\":\"a\"}\n")?;
    let document = chain(
        "drifting",
        json!([
            { "id": "rows", "component": "jsonl_source", "config": { "path": "rows.jsonl" } },
            { "id": "out", "component": "discard_sink" },
        ]),
    )?;
    scenario("pages-drift", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document).await?;
        browser.panel("preview").await?;
        browser.see("[data-step=rows] [data-flow]").await?;
        browser.deploy(1).await?;
        browser.settled(1, "completed").await?;
        ensure!(browser.count("[data-drift]").await? == 0, "nothing has drifted yet");

        std::fs::write(files.join("rows.jsonl"), "{\"id\":\"x\",\"mail\":\"m\"}\n")?;
        browser.reload().await?;
        browser.see("[data-drift='3']").await?;
        browser.screenshot("edge").await?;
        browser.click("[data-side=outline]").await?;
        browser.click("[data-outline='e rows true rows>out']").await?;
        browser.see("[data-testid=edge-drifted]").await?;
        browser.click("[data-action=plan]").await?;
        browser.see("[data-testid=drifted] [data-drifted='rows>out']").await?;
        browser.screenshot("plan").await?;
        browser.accessible("a plan that tells of other fields").await?;
        browser.confirm_deploy(2).await?;
        // The next deploy is made for these.
        browser.until("the sign to go", "!document.querySelector('[data-drift]')").await?;
        Ok(())
    })
    .await
}
