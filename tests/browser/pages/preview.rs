//! Preview: every step on sample records, before and after it, without writing anything.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::designer::with;
use super::super::{Browser, scenario};
use super::{WINDOW, chain};
use crate::support::Fairway;

#[tokio::test]
async fn each_step_shows_what_it_makes_of_samples_and_writes_nothing() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    let document = chain(
        "preview",
        json!([
            { "id": "flights", "component": "csv_source", "config": { "path": "samples/flights.csv" } },
            { "id": "late", "component": "filter_records", "config": { "rules": [{ "field": "dep_delay", "op": "gt", "value": 0 }] } },
            { "id": "types", "component": "cast_fields", "config": { "fields": [{ "field": "arr_delay", "type": "int64", "on_null": "reject" }] } },
            { "id": "hide", "component": "mask_fields", "config": { "fields": ["tailnum"], "method": "redact" } },
            { "id": "out", "component": "jsonl_sink", "config": { "path": "out/late.jsonl" } },
        ]),
    )?;
    scenario("pages-preview", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document).await?;
        browser.panel("preview").await?;
        // It runs by itself; 20 of the flights are taken, some of which were late.
        flow(browser, "flights", "20").await?;
        let late = browser.until("the late ones", "/→ [1-9]/.test(document.querySelector('[data-step=late] [data-flow]')?.textContent ?? '')").await;
        late?;

        // A step on the canvas is the step of the preview.
        browser.inspect("late").await?;
        browser.see("[data-shown=late] tr[data-fate=filtered]").await?;
        browser.see("[data-shown=late] tr[data-fate=passed]").await?;
        let sides = "[...document.querySelectorAll('[data-shown=late] .side')].map((side) => side.querySelectorAll('tbody tr').length)";
        let rows = browser.eval(sides, &[]).await?;
        assert_eq!(rows[0], rows[1], "a record has its line on both sides: {rows}");

        // What a step changes is marked, and the rest can be left out.
        browser.click("[data-step=hide]").await?;
        browser.see("[data-inspected=hide]").await?;
        browser.see("[data-shown=hide] [data-side=after] td[data-mark=changed]").await?;
        ensure!(browser.count("[data-shown=hide] [data-side=before] td[data-mark=changed]").await? == 0);
        browser.click("[data-action=only-changed]").await?;
        browser.until("one column on each side", "document.querySelectorAll('[data-shown=hide] thead th[scope=col]').length === 2").await?;
        browser.screenshot("changed").await?;
        browser.click("[data-action=only-changed]").await?;

        // The form beside it changes the preview as one types.
        browser.click("[data-field=method] [data-choice=hash]").await?;
        let hashed = "[...document.querySelectorAll('[data-shown=hide] [data-side=after] td[data-mark=changed]')].some((cell) => cell.textContent.length === 64)";
        browser.until("the hash", hashed).await?;

        // A sample of one's own: one passes, one is dropped, one is refused with its reason.
        browser.click("[data-step=types]").await?;
        browser.click("[data-action=edit-sample]").await?;
        browser.see("[data-testid=sample] textarea").await?;
        browser.click("[data-testid=sample] textarea").await?;
        browser.key("Mod+a").await?;
        browser.type_text("{ \"id\": 1, \"dep_delay\": 5, \"arr_delay\": ").await?;
        browser.see("[data-testid=sample-fault]").await?;
        ensure!(browser.count("[data-action=use-sample]:disabled").await? == 1, "what cannot be read is not used");
        browser.key("Mod+a").await?;
        for line in [
            "{\"id\": 1, \"dep_delay\": 5, \"arr_delay\": 7, \"tailnum\": \"N1\"}",
            "{\"id\": 2, \"dep_delay\": -5, \"arr_delay\": 7}",
            "{\"id\": 3, \"dep_delay\": 5, \"arr_delay\": null}",
        ] {
            browser.type_text(line).await?;
            browser.key("Enter").await?;
        }
        browser.click("[data-action=use-sample]:enabled").await?;
        flow(browser, "flights", "3").await?;
        flow(browser, "late", "3 → 2").await?;
        flow(browser, "types", "2 → 1").await?;
        browser.see("[data-shown=types] tr[data-fate=refused] td.gone").await?;
        browser.screenshot("sample").await?;

        // Back to the source's own records.
        browser.click("[data-action=own-sample]").await?;
        flow(browser, "flights", "20").await?;
        browser.click("[data-step=out]").await?;
        browser.see("[data-shown=out] tr[data-fate=written]").await?;
        Ok(())
    })
    .await?;
    ensure!(!fairway.files()?.join("out").exists(), "a preview has written something");
    Ok(())
}

async fn flow(browser: &Browser, step: &str, figures: &str) -> Result<()> {
    let css = format!("{} [data-flow]", with("data-step", step));
    let shown = format!("document.querySelector({})?.textContent === {}", json!(css), json!(figures));
    browser.until(&format!("{step} to show {figures}"), &shown).await.map(|_| ())
}

#[tokio::test]
async fn fields_of_the_records_are_offered_where_one_is_named() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    let document = chain(
        "offers",
        json!([
            { "id": "flights", "component": "csv_source", "config": { "path": "samples/flights.csv" } },
            { "id": "late", "component": "filter_records", "config": { "rules": [{ "field": "", "op": "gt", "value": 0 }] } },
            { "id": "out", "component": "discard_sink" },
        ]),
    )?;
    scenario("pages-offers", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document).await?;
        browser.inspect("late").await?;
        browser.click("input[data-input='rules.0.field']").await?;
        browser.see(".combo-list [data-choice=dep_delay]").await?;
        browser.type_text("delay").await?;
        browser
            .until("those that fit", "document.querySelectorAll('.combo-list [role=option]').length === 2")
            .await?;
        browser.key("ArrowDown").await?;
        browser.key("Enter").await?;
        let document = browser.document().await?;
        assert_eq!(document["spec"]["nodes"][1]["config"]["rules"][0]["field"], "dep_delay");
        Ok(())
    })
    .await
}
