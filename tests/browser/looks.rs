//! What the product looks like, in light and dark, in English and Chinese: a picture of every view for a person to judge,
//! and what a machine can judge by itself: no text is cut off or lies over another, none is a key without its text.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::designer::with;
use super::{Browser, Looks, scenario};
use crate::support::Fairway;

#[tokio::test]
async fn english_in_light() -> Result<()> {
    look("looks-en-light", "en-US", false).await
}

#[tokio::test]
async fn english_in_dark() -> Result<()> {
    look("looks-en-dark", "en-US", true).await
}

#[tokio::test]
async fn chinese_in_light() -> Result<()> {
    look("looks-zh-light", "zh-CN", false).await
}

#[tokio::test]
async fn chinese_in_dark() -> Result<()> {
    look("looks-zh-dark", "zh-CN", true).await
}

/// Under colours that the system forces, what is chosen and what is wrong is still to be seen.
#[tokio::test]
async fn colours_forced_by_the_system() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    let looks = Looks {
        viewport: (1440, 900),
        language: "en-US",
        dark: true,
        reduced_motion: true,
        forced_colors: true,
    };
    scenario("looks-forced", looks, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&incomplete()).await?;
        ensure!(browser.eval("matchMedia('(forced-colors: active)').matches", &[]).await? == true);
        browser.inspect("late").await?;
        browser.click("[data-tab=problems]").await?;
        judge(browser, "1-canvas", "en-US").await?;
        let style = "getComputedStyle(document.querySelector('[data-node=late]')).outlineStyle";
        assert_eq!(browser.eval(style, &[]).await?, "solid", "the selected node has no outline");
        browser.back_to_channels().await?;
        judge(browser, "2-channels", "en-US").await?;
        browser.click("[data-page=settings] a").await?;
        browser.see("[data-testid=settings]").await?;
        judge(browser, "3-settings", "en-US").await
    })
    .await
}

async fn look(name: &str, language: &'static str, dark: bool) -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    let looks = Looks { viewport: (1440, 900), language, dark, reduced_motion: true, forced_colors: false };
    scenario(name, looks, async |browser| {
        browser.visit(&fairway).await?;
        browser.see("[data-testid=empty]").await?;
        judge(browser, "1-no-channels", language).await?;
        let search =
            browser.eval("document.querySelector('[data-testid=search]')?.offsetParent ?? null", &[]).await?;
        ensure!(search.is_null(), "there is nothing to search, yet a search is offered");

        browser.new_channel().await?;
        judge(browser, "2-empty-canvas", language).await?;
        browser.back_to_channels().await?;

        browser.import(&incomplete()).await?;
        browser.click("[data-tab=problems]").await?;
        browser.see("#drawer-panel .problem").await?;
        browser.inspect("late").await?;
        judge(browser, "3-problems", language).await?;
        browser.click("[data-tab=problems]").await?;
        browser.back_to_channels().await?;

        browser.import(&complete()).await?;
        browser.inspect("cast").await?;
        judge(browser, "4-canvas", language).await?;
        browser.click("[data-action=plan]").await?;
        browser.see("[data-testid=plan] [data-target]").await?;
        judge(browser, "5-plan", language).await?;
        browser.confirm_deploy(1).await?;
        browser.state("running").await?;
        browser.click(&format!("{} .node-title", with("data-node", "late"))).await?;
        browser.click("[data-tab=activity]").await?;
        browser.see("#drawer-panel .timeline li").await?;
        judge(browser, "6-running", language).await?;

        browser.back_to_channels().await?;
        // The blank one that nothing was drawn on is gone.
        browser.until("two channels", "document.querySelectorAll('.card').length === 2").await?;
        judge(browser, "7-channels", language).await?;
        pages(browser, language).await
    })
    .await
}

/// The other pages, and the panels of the drawer with something in them.
async fn pages(browser: &mut Browser, language: &str) -> Result<()> {
    browser.click("[data-action=new-more]").await?;
    browser.click("[data-action=from-template]").await?;
    browser.see("[data-testid=templates] [data-template]").await?;
    judge(browser, "8-templates", language).await?;
    browser.click("[data-template=late-flights]").await?;
    browser.see("[data-testid=canvas] .node").await?;
    browser.click("[data-tab=preview]").await?;
    browser.click("[data-step=types]").await?;
    browser.see("[data-shown=types] td[data-mark=changed]").await?;
    judge(browser, "9-preview", language).await?;
    browser.click("[data-view=physical]").await?;
    browser.see("[data-testid=physical] [data-task]").await?;
    judge(browser, "10-physical", language).await?;
    browser.click("[data-view=logical]").await?;
    browser.back_to_channels().await?;
    browser.import(&refusing()).await?;
    browser.deploy(1).await?;
    browser.click("[data-tab=dead-letters]").await?;
    browser.see("[data-letter] [data-record-field]").await?;
    judge(browser, "11-dead-letters", language).await?;
    browser.back_to_channels().await?;

    browser.click("[data-page=connections] a").await?;
    browser.see("[data-testid=no-connections]").await?;
    judge(browser, "12-no-connections", language).await?;
    browser.click("[data-testid=no-connections] [data-action=add-connection]").await?;
    browser.click("[data-connector=postgres]").await?;
    browser.see("[data-testid=connection] [data-form=connection]").await?;
    judge(browser, "13-connection", language).await?;
    browser.click("[data-connector=sqlite]").await?;
    browser.fill("name", "shop").await?;
    browser.fill("path", "out/missing.db").await?;
    browser.click("[data-action=save-connection]:enabled").await?;
    browser.click("[data-connection=shop] [data-action=test-connection]").await?;
    browser.see("[data-connection=shop] [data-probe]").await?;
    judge(browser, "14-connections", language).await?;
    browser.click("[data-page=settings] a").await?;
    browser.see("[data-testid=settings]").await?;
    judge(browser, "15-settings", language).await?;
    browser.click("[data-page=cluster] a").await?;
    browser.see("[data-testid=cluster] [data-place]").await?;
    judge(browser, "16-cluster", language).await
}

/// A channel that refuses some of the flights.
fn refusing() -> Value {
    let mut channel = complete();
    channel["metadata"] = json!({ "name": "refusing", "title": "Refusing" });
    channel["spec"]["nodes"][2]["config"] =
        json!({ "fields": [{ "field": "arr_delay", "type": "int64", "on_null": "reject" }] });
    channel["spec"]["nodes"][4]["config"] = json!({ "path": "out/refusing.jsonl" });
    channel
}

/// A channel with something missing.
fn incomplete() -> Value {
    let mut channel = complete();
    channel["metadata"] = json!({ "name": "unfinished", "title": "Unfinished" });
    channel["spec"]["nodes"][0]["config"] = json!({});
    channel["spec"]["nodes"][4]["config"] = json!({});
    channel
}

/// A channel that goes on running, for its source waits for more.
fn complete() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": {
            "name": "late-flights",
            "title": "Late flights",
            "description": "Flights that left late, with the registration of the aircraft masked",
        },
        "spec": {
            "nodes": [
                { "id": "flights", "component": "csv_source", "config": { "path": "samples/flights.csv", "follow": true } },
                { "id": "filter", "component": "filter_records", "config": { "rules": [{ "field": "dep_delay", "op": "gt", "value": 0 }] } },
                { "id": "cast", "component": "cast_fields", "config": { "fields": [{ "field": "distance", "type": "decimal" }, { "field": "arr_delay", "type": "int64", "on_null": "reject" }] } },
                { "id": "mask", "component": "mask_fields", "config": { "fields": ["tailnum"], "method": "redact" } },
                { "id": "late", "component": "jsonl_sink", "config": { "path": "out/late.jsonl" } },
            ],
            "edges": [
                { "from": "flights", "to": "filter" },
                { "from": "filter", "to": "cast" },
                { "from": "cast", "to": "mask" },
                { "from": "mask", "to": "late" },
            ],
        },
        "layout": { "nodes": {
            "flights": { "x": 0, "y": 0 },
            "filter": { "x": 288, "y": 0 },
            "cast": { "x": 576, "y": 0 },
            "mask": { "x": 288, "y": 160 },
            "late": { "x": 576, "y": 160 },
        } },
    })
}

/// Takes the picture and looks for what must not be on it.
async fn judge(browser: &mut Browser, label: &str, language: &str) -> Result<()> {
    browser.until("the fonts", "document.fonts.ready.then(() => true)").await?;
    let picture = browser.screenshot(label).await?;
    let found = browser.eval(&format!("({})()", include_str!("looks.js")), &[]).await?;
    let list = |name: &str| found[name].as_array().cloned().unwrap_or_default();
    for fault in ["cut", "over"] {
        let faults = list(fault);
        ensure!(faults.is_empty(), "{fault} on {}: {faults:#?}", picture.display());
    }
    let texts: Vec<String> = serde_json::from_value(found["texts"].clone())?;
    ensure!(texts.len() > 5, "there is next to no text: {texts:?}");
    let (english, chinese) = (messages("en")?, messages("zh-CN")?);
    for text in &texts {
        ensure!(!english.contains_key(text) || !text.contains('-'), "{label}: the key {text:?} has no text");
        ensure!(!text.contains("{$") && !text.contains("{ $"), "{label}: {text:?} was not filled in");
        let foreign = language == "zh-CN"
            && english.iter().any(|(key, message)| message == text && chinese.get(key) != Some(message));
        ensure!(!foreign, "{label}: {text:?} is not in Chinese");
    }
    Ok(())
}

/// The messages of a language that stand on one line and need nothing filled in.
fn messages(language: &str) -> Result<BTreeMap<String, String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/locales").join(language);
    let mut all = BTreeMap::new();
    for file in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        for line in std::fs::read_to_string(file?.path())?.lines() {
            if let Some((key, text)) = line.split_once(" = ").filter(|(key, _)| !key.starts_with([' ', '#']))
            {
                all.insert(key.to_owned(), text.to_owned());
            }
        }
    }
    ensure!(all.len() > 100, "{} messages of {language} were read", all.len());
    Ok(all)
}
