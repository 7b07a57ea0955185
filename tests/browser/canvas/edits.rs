//! Moving, deleting, copying, and taking all of it back.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::super::{Browser, scenario};
use super::{WINDOW, channel, edges, ids, spot};
use crate::support::Fairway;

#[tokio::test]
async fn edits_are_steps_that_can_be_taken_back() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-edits", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let mut steps = vec![browser.document().await?];
        moving(browser, &mut steps).await?;
        deleting(browser, &mut steps).await?;
        undo_and_redo(browser, &steps).await
    })
    .await
}

/// Drags land on the grid, with Shift where they were let go; arrows go by the grid.
async fn moving(browser: &mut Browser, steps: &mut Vec<Value>) -> Result<()> {
    let from = browser.grip("mask").await?;
    browser.drag(from, (from.0 + 53.0, from.1 + 38.0)).await?;
    step(browser, steps).await?;
    assert_eq!(spot(steps.last().context("a step")?, "mask"), (272.0 + 48.0, 208.0 + 32.0), "on the grid");

    let from = browser.grip("mask").await?;
    browser.hold("Shift").await?;
    browser.drag(from, (from.0 - 21.0, from.1 + 3.0)).await?;
    browser.let_go("Shift").await?;
    step(browser, steps).await?;
    let (x, y) = spot(steps.last().context("a step")?, "mask");
    ensure!((x - 299.0).abs() < 1.0 && (y - 243.0).abs() < 1.0, "Shift suspends the grid: {x}, {y}");

    // A burst of arrows is one step.
    let (x, y) = spot(steps.last().context("a step")?, "mask");
    for arrow in ["ArrowRight", "ArrowRight", "ArrowDown"] {
        browser.key(arrow).await?;
    }
    step(browser, steps).await?;
    assert_eq!(spot(steps.last().context("a step")?, "mask"), (x + 32.0, y + 16.0));

    // Two together keep their distance.
    let grip = browser.grip("keep").await?;
    browser.click_at(grip).await?;
    browser.hold("Shift").await?;
    let other = browser.grip("write").await?;
    browser.click_at(other).await?;
    browser.let_go("Shift").await?;
    browser.selected_are(&["keep", "write"]).await?;
    browser.drag(grip, (grip.0 + 32.0, grip.1 - 64.0)).await?;
    step(browser, steps).await?;
    let now = steps.last().context("a step")?;
    assert_eq!((spot(now, "keep"), spot(now, "write")), ((304.0, -64.0), (576.0, -64.0)));
    Ok(())
}

/// Delete takes a node's edges along, Mod+Delete joins what was before with what was behind, and an edge goes alone.
async fn deleting(browser: &mut Browser, steps: &mut Vec<Value>) -> Result<()> {
    let grip = browser.grip("mask").await?;
    browser.click_at(grip).await?;
    browser.selected_are(&["mask"]).await?;
    browser.key("Delete").await?;
    step(browser, steps).await?;
    assert_eq!(ids(steps.last().context("a step")?), ["read", "keep", "write"]);

    let grip = browser.grip("keep").await?;
    browser.click_at(grip).await?;
    browser.key("Mod+Delete").await?;
    step(browser, steps).await?;
    let now = steps.last().context("a step")?;
    assert_eq!((ids(now), edges(now)), (vec!["read", "write"], vec!["read>write".to_owned()]));

    let (from, to) = (browser.port("read", "out").await?, browser.port("write", "in").await?);
    browser.click_at(((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0)).await?;
    browser.see("[data-action=delete-edge]").await?;
    browser.key("Delete").await?;
    step(browser, steps).await?;
    assert_eq!(edges(steps.last().context("a step")?), Vec::<String>::new());
    Ok(())
}

/// Every step back is the exact document before it; a reload takes none of them away.
async fn undo_and_redo(browser: &mut Browser, steps: &[Value]) -> Result<()> {
    let last = steps.len() - 1;
    for step in steps[..last].iter().rev() {
        browser.key("Mod+z").await?;
        is(browser, step).await?;
    }
    browser.until("nothing left to undo", "document.querySelector('[data-action=undo]').disabled").await?;
    for step in &steps[1..3] {
        browser.key("Mod+Shift+z").await?;
        is(browser, step).await?;
    }

    browser.saved().await?;
    browser.reload().await?;
    browser.see("[data-testid=canvas] .node").await?;
    is(browser, &steps[2]).await?;
    browser.key("Mod+z").await?;
    is(browser, &steps[1]).await?;
    for step in &steps[2..] {
        browser.key("Mod+Shift+z").await?;
        is(browser, step).await?;
    }
    browser.until("nothing left to redo", "document.querySelector('[data-action=redo]').disabled").await?;
    Ok(())
}

#[tokio::test]
async fn copies_are_nodes_of_their_own() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-copies", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        // A marquee over the first two, from empty canvas to empty canvas; touching is enough.
        let (read, keep) = (browser.node_place("read").await?, browser.node_place("keep").await?);
        browser.drag((read.x + 40.0, read.y - 40.0), (keep.x + 30.0, keep.y + keep.height + 24.0)).await?;
        browser.selected_are(&["read", "keep"]).await?;
        // Shift adds to it; Mod+A takes all; Esc none.
        let mask = browser.node_place("mask").await?;
        browser.hold("Shift").await?;
        browser.drag((mask.x - 30.0, mask.y + mask.height + 20.0), (mask.x + 30.0, mask.y + 20.0)).await?;
        browser.let_go("Shift").await?;
        browser.selected_are(&["read", "keep", "mask"]).await?;
        browser.key("Mod+a").await?;
        browser.selected_are(&["read", "keep", "write", "mask"]).await?;
        browser.key("Escape").await?;
        browser.selected_are(&[]).await?;

        // Two nodes and the edge between them, to where the pointer is.
        browser.drag((read.x + 40.0, read.y - 40.0), (keep.x + 30.0, keep.y + keep.height + 24.0)).await?;
        browser.selected_are(&["read", "keep"]).await?;
        browser.key("Mod+c").await?;
        browser.move_to((mask.x + 60.0, mask.y + 260.0)).await?;
        browser.key("Mod+v").await?;
        browser.until("the copies", "document.querySelectorAll('.board .node').length === 6").await?;
        let document = browser.document().await?;
        let added = browser.selected().await?;
        assert_eq!(added.len(), 2, "the copies are selected: {added:?}");
        ensure!(
            !added.iter().any(|id| id == "read" || id == "keep"),
            "copies have ids of their own: {added:?}"
        );
        ensure!(edges(&document).contains(&format!("{}>{}", added[0], added[1])), "{:?}", edges(&document));
        assert_eq!(config(&document, &added[1]), config(&document, "keep"), "settings are copied");

        browser.key("Mod+d").await?;
        browser.until("the duplicates", "document.querySelectorAll('.board .node').length === 8").await?;
        browser.key("Mod+x").await?;
        browser.until("the cut", "document.querySelectorAll('.board .node').length === 6").await?;
        browser.key("Mod+v").await?;
        browser.until("what was cut", "document.querySelectorAll('.board .node').length === 8").await?;
        for _ in 0..4 {
            browser.key("Mod+z").await?;
        }
        browser.until("the beginning", "document.querySelectorAll('.board .node').length === 4").await?;
        assert_eq!(ids(&browser.document().await?), ["read", "keep", "write", "mask"]);
        Ok(())
    })
    .await
}

fn config<'d>(document: &'d Value, id: &str) -> Option<&'d Value> {
    let nodes = document["spec"]["nodes"].as_array()?;
    nodes.iter().find(|node| node["id"] == id).map(|node| &node["config"])
}

/// Notes the document after an edit, which must have changed it.
async fn step(browser: &Browser, steps: &mut Vec<Value>) -> Result<()> {
    let document = browser.document().await?;
    ensure!(steps.last() != Some(&document), "nothing has changed");
    steps.push(document);
    Ok(())
}

/// The server has exactly this document.
async fn is(browser: &Browser, document: &Value) -> Result<()> {
    assert_eq!(browser.document().await?, *document);
    Ok(())
}
