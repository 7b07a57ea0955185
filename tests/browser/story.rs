//! A newcomer's first channel, from an empty Fairway to rows in the targets; then the same channel as a file, on another
//! Fairway, on the command line, and over itself.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::designer::with;
use super::flights::{Flights, as_rows, assert_same, json_lines, table};
use super::{Browser, Looks, scenario};
use crate::support::{Fairway, command, samples_folder};

/// A window as people have it: the canvas beside palette and settings.
const WINDOW: Looks = Looks {
    viewport: (1440, 900),
    language: "en-US",
    dark: false,
    reduced_motion: true,
    forced_colors: false,
};

/// Ids of the nodes, as the designer gave them.
struct Drawn {
    source: String,
    filter: String,
    cast: String,
    mask: String,
    /// Where late flights go.
    late: String,
    copy: String,
    /// Where refused records go.
    errors: String,
}

#[tokio::test]
async fn a_newcomer_draws_deploys_and_carries_a_channel_on() -> Result<()> {
    let flights = Flights::of_samples()?;
    let fairway = Fairway::start(&[])?.with_samples()?;
    let second = Fairway::start(&[])?.with_samples()?;
    scenario("story", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.see("[data-testid=empty]").await?;
        browser.new_channel().await?;
        let drawn = draw(browser).await?;
        problems_show(browser, &drawn).await?;
        configure(browser, &drawn).await?;
        browser.screenshot("configured").await?;
        plan(browser, &drawn).await?;
        browser.confirm_deploy(1).await?;
        ran(browser, &drawn, 1, &flights).await?;
        browser.screenshot("completed").await?;
        in_the_targets(&fairway.files()?, &flights).await?;

        let file = export(browser).await?;
        on_the_command_line(&file, &flights).await?;
        over_itself(browser, &drawn, &file, &flights).await?;
        in_the_targets(&fairway.files()?, &flights).await?;

        browser.visit(&second).await?;
        browser.see("[data-testid=empty]").await?;
        browser.choose_file("[data-testid=import-file]", &file).await?;
        browser.see("[data-testid=canvas] .node").await?;
        browser.deploy(1).await?;
        ran(browser, &drawn, 1, &flights).await?;
        in_the_targets(&second.files()?, &flights).await
    })
    .await
}

/// Seven nodes from the palette, six edges from port to port.
async fn draw(browser: &mut Browser) -> Result<Drawn> {
    let drawn = Drawn {
        source: browser.place("csv_source", (140.0, 120.0)).await?,
        filter: browser.place("filter_records", (420.0, 120.0)).await?,
        cast: browser.place("cast_fields", (700.0, 120.0)).await?,
        mask: browser.place("mask_fields", (140.0, 320.0)).await?,
        late: browser.place("sqlite_sink", (420.0, 320.0)).await?,
        copy: browser.place("jsonl_sink", (420.0, 480.0)).await?,
        errors: browser.place("jsonl_sink", (700.0, 400.0)).await?,
    };
    browser.wire(&drawn.source, &drawn.filter).await?;
    browser.wire(&drawn.filter, &drawn.cast).await?;
    browser.wire(&drawn.cast, &drawn.mask).await?;
    browser.wire(&drawn.mask, &drawn.late).await?;
    browser.wire(&drawn.mask, &drawn.copy).await?;
    browser.wire(&format!("{}.errors", drawn.cast), &drawn.errors).await?;
    browser.click("[data-action=tidy]").await?;
    let document = browser.document().await?;
    let count = |what: &str| document["spec"][what].as_array().map_or(0, Vec::len);
    assert_eq!((count("nodes"), count("edges")), (7, 6), "the server has what was drawn: {document}");
    Ok(drawn)
}

/// What is missing is told: in the drawer, at the node, and instead of a plan.
async fn problems_show(browser: &mut Browser, drawn: &Drawn) -> Result<()> {
    browser.see("[data-testid=problem-count][data-tone=bad]").await?;
    browser.click("[data-tab=problems]").await?;
    browser.see("#drawer-panel .problem").await?;
    for node in [&drawn.source, &drawn.filter, &drawn.cast, &drawn.mask, &drawn.late, &drawn.errors] {
        browser.see(&format!("{} .badge[data-tone=bad]", with("data-node", node))).await?;
    }
    browser.click("[data-action=deploy]").await?;
    browser.see("[data-testid=plan] [data-problem]").await?;
    ensure!(
        browser.count("[data-action=confirm-deploy]:enabled").await? == 0,
        "a channel with errors deploys"
    );

    // The first finding leads to the node and field that it is about.
    browser.click("[data-testid=plan] [data-problem]").await?;
    browser.see("[data-inspected]").await?;
    browser
        .until(
            "the focus in the form",
            "document.activeElement.closest('[data-testid=inspector] [data-form]')",
        )
        .await?;
    browser.click("[data-tab=problems]").await?;
    Ok(())
}

/// Each node by its form.
async fn configure(browser: &mut Browser, drawn: &Drawn) -> Result<()> {
    browser.inspect(&drawn.source).await?;
    browser.fill("path", "samples/flights.csv").await?;

    browser.inspect(&drawn.filter).await?;
    browser.click("[data-field=rules] [data-action=add-row]").await?;
    browser.fill("rules.0.field", "dep_delay").await?;
    browser.key("Tab").await?;
    browser.choose("rules.0.op", "Greater than", "gt").await?;
    browser.fill("rules.0.value", "0").await?;

    browser.inspect(&drawn.cast).await?;
    browser.unfold().await?;
    browser.click("[data-field=fields] [data-action=add-row]").await?;
    browser.fill("fields.0.field", "distance").await?;
    browser.key("Tab").await?;
    browser.choose("fields.0.type", "decimal", "decimal").await?;
    browser.click("[data-field=fields] [data-action=add-row]").await?;
    browser.fill("fields.1.field", "arr_delay").await?;
    browser.key("Tab").await?;
    browser.choose("fields.1.type", "int", "int64").await?;
    // A flight that never arrived has no delay: such records are refused here.
    browser.click("[data-row]:nth-of-type(2) [data-action=row-more]").await?;
    refuse_nulls(browser).await?;

    browser.inspect(&drawn.mask).await?;
    browser.fill("fields", "tailnum").await?;
    browser.key("Enter").await?;
    browser.click("[data-field=method] [data-choice=redact]").await?;

    browser.inspect(&drawn.late).await?;
    browser.fill("path", "out/flights.db").await?;
    browser.fill("table", "late flights").await?;
    for (node, path) in [(&drawn.copy, "out/late.jsonl"), (&drawn.errors, "out/refused.jsonl")] {
        browser.inspect(node).await?;
        browser.fill("path", path).await?;
    }
    browser.until("no problems", "!document.querySelector('[data-testid=problem-count]')").await?;
    let document = browser.document().await?;
    let config = |id: &str| {
        let nodes = document["spec"]["nodes"].as_array()?;
        nodes.iter().find(|node| node["id"] == id).map(|node| node["config"].clone())
    };
    let rules = json!({ "rules": [{ "field": "dep_delay", "op": "gt", "value": 0 }] });
    assert_eq!(config(&drawn.filter), Some(rules));
    let casts = json!({ "fields": [
        { "field": "distance", "type": "decimal" },
        { "field": "arr_delay", "type": "int64", "on_null": "reject" },
    ] });
    assert_eq!(config(&drawn.cast), Some(casts));
    assert_eq!(config(&drawn.mask), Some(json!({ "fields": ["tailnum"], "method": "redact" })));
    Ok(())
}

async fn refuse_nulls(browser: &mut Browser) -> Result<()> {
    let choice = format!("{} [data-choice=reject]", with("data-field", "fields.1.on_null"));
    browser.scroll_to(&choice).await?;
    browser.click(&choice).await
}

/// The plan names the task and what is promised to each target, before anything is done.
async fn plan(browser: &mut Browser, drawn: &Drawn) -> Result<()> {
    browser.click("[data-action=plan]").await?;
    browser.see("[data-testid=plan] [data-task][data-fate=starts]").await?;
    for target in [&drawn.late, &drawn.copy, &drawn.errors] {
        let promise = format!("[data-testid=plan] {}", with("data-target", target));
        browser.see(&format!("{promise}[data-delivery=exactly_once]")).await?;
    }
    browser.screenshot("plan").await.map(|_| ())
}

/// The channel runs to its end, and every figure is the one that the file gives.
async fn ran(browser: &mut Browser, drawn: &Drawn, version: u32, flights: &Flights) -> Result<()> {
    let status = browser.settled(version, "completed").await?;
    let (late, refused) = (flights.delivered.len() as u64, flights.refused.len() as u64);
    browser.figure(&drawn.source, "out", flights.read).await?;
    browser.figure(&drawn.filter, "in", flights.read).await?;
    browser.figure(&drawn.filter, "out", late + refused).await?;
    browser.figure(&drawn.cast, "errors", refused).await?;
    browser.figure(&drawn.cast, "out", late).await?;
    for target in [&drawn.late, &drawn.copy] {
        browser.figure(target, "out", late).await?;
    }
    browser.figure(&drawn.errors, "out", refused).await?;

    let counts = &status["counts"];
    let number = |name: &str| counts[name].as_u64();
    assert_eq!(number("read"), Some(flights.read), "{counts}");
    assert_eq!(number("filtered"), Some(flights.filtered), "{counts}");
    assert_eq!(number("delivered"), Some(late), "{counts}");
    assert_eq!(number("dead_lettered"), Some(refused), "{counts}");
    // They have gone the way that was drawn, and are in no other place.
    assert_eq!(status["dead_letters"].as_u64(), Some(0), "{status}");
    Ok(())
}

/// Every record once, in order, with its types.
async fn in_the_targets(files: &Path, flights: &Flights) -> Result<()> {
    let out = files.join("out");
    let rows = table(&out.join("flights.db"), "late flights").await?;
    assert_same("the table", &rows, &as_rows(&flights.delivered));
    assert_same("late.jsonl", &json_lines(&out.join("late.jsonl"))?, &flights.delivered);
    assert_same("refused.jsonl", &json_lines(&out.join("refused.jsonl"))?, &flights.refused);
    Ok(())
}

/// The bar's Export saves the document.
async fn export(browser: &mut Browser) -> Result<PathBuf> {
    let document = browser.document().await?;
    let name = document["metadata"]["name"].as_str().context("a channel has a name")?.to_owned();
    browser.click("header [data-action=export]").await?;
    let file = browser.downloaded(&format!("{name}.fairway.json")).await?;
    let exported: Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    assert_eq!(exported["spec"], document["spec"]);
    assert_eq!(exported["layout"], document["layout"]);
    Ok(file)
}

/// `fairway run FILE` in a folder with the same samples.
async fn on_the_command_line(file: &Path, flights: &Flights) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let samples = folder.path().join("samples");
    std::fs::create_dir(&samples)?;
    std::fs::copy(samples_folder().join("flights.csv"), samples.join("flights.csv"))?;
    let file = file.to_str().context("a path of text")?;
    let output = command(&["run", file, "--data", "data"])?.current_dir(folder.path()).output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{}\n{said}{}", output.status, String::from_utf8_lossy(&output.stderr));
    let summary: Value = serde_json::from_str(said.lines().last().unwrap_or_default())?;
    assert_eq!(summary["outcome"], "completed", "{summary}");
    let number = |name: &str| summary[name].as_u64();
    assert_eq!(number("read"), Some(flights.read), "{summary}");
    assert_eq!(number("filtered"), Some(flights.filtered), "{summary}");
    assert_eq!(number("delivered"), Some(flights.delivered.len() as u64), "{summary}");
    assert_eq!(number("dead_lettered"), Some(flights.refused.len() as u64), "{summary}");
    in_the_targets(folder.path(), flights).await
}

/// Imported over the channel that it came from, the file is its next version: positions stay, so nothing is doubled.
async fn over_itself(browser: &mut Browser, drawn: &Drawn, file: &Path, flights: &Flights) -> Result<()> {
    let uid = browser.uid().await?;
    browser.back_to_channels().await?;
    browser.choose_file("[data-testid=import-file]", file).await?;
    // The name exists; the browser's console tells of the question's answer, too.
    browser.see("[data-action=confirm-import]").await?;
    let asked = browser.errors().await?;
    ensure!(asked.len() == 1 && asked[0].contains("409"), "{asked:?}");
    browser.click("[name=existing][value=over]").await?;
    browser.click("[data-action=confirm-import]").await?;
    browser.see("[data-testid=canvas] .node").await?;
    assert_eq!(browser.uid().await?, uid, "the channel is the same one");
    browser.deploy(2).await?;
    ran(browser, drawn, 2, flights).await
}
