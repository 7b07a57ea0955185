//! Copies by dragging, guides, strokes that cut, steps put into edges, lines and distances, groups and notes.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::designer::with;
use super::super::{Browser, scenario};
use super::{WINDOW, channel, edges, ids, spot};
use crate::support::Fairway;

#[tokio::test]
async fn copies_guides_and_cuts_by_dragging() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-dragging", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let start = browser.document().await?;
        copy(browser, &start).await?;
        guides(browser).await?;
        cut(browser).await?;
        between(browser).await
    })
    .await
}

/// Alt on a node: the copy moves, the node stays, and both are one step.
async fn copy(browser: &mut Browser, start: &Value) -> Result<()> {
    let grip = browser.grip("mask").await?;
    browser.hold("Alt").await?;
    browser.drag(grip, (grip.0 - 240.0, grip.1 + 96.0)).await?;
    browser.let_go("Alt").await?;
    browser.until("the copy", "document.querySelectorAll('.board .node').length === 5").await?;
    let copied = browser.document().await?;
    assert_eq!(spot(&copied, "mask"), spot(start, "mask"), "the node itself has moved");
    let copies = browser.selected().await?;
    let [copy] = copies.as_slice() else { anyhow::bail!("{copies:?} are selected, not the copy") };
    ensure!(spot(&copied, copy) == (32.0, 304.0), "the copy lies at {:?}", spot(&copied, copy));
    browser.key("Mod+z").await?;
    assert_eq!(browser.document().await?, *start);

    // Given up in the middle, nothing is left of it.
    browser.hold("Alt").await?;
    browser.move_to(grip).await?;
    browser.press().await?;
    browser.move_to((grip.0 + 64.0, grip.1 + 64.0)).await?;
    browser.until("the copy", "document.querySelectorAll('.board .node').length === 5").await?;
    browser.key("Escape").await?;
    browser.release().await?;
    browser.let_go("Alt").await?;
    browser.until("no copy", "document.querySelectorAll('.board .node').length === 4").await?;
    assert_eq!(browser.document().await?, *start);
    Ok(())
}

/// A neighbour's edge attracts and shows its line; Shift suspends it.
async fn guides(browser: &mut Browser) -> Result<()> {
    // Off the grid first, so that the guide and the grid differ.
    let grip = browser.grip("mask").await?;
    browser.hold("Shift").await?;
    browser.drag(grip, (grip.0 + 37.0, grip.1)).await?;
    browser.let_go("Shift").await?;
    let off = spot(&browser.document().await?, "mask");
    ensure!((off.0 - 309.0).abs() < 1.5, "{off:?}");
    let grip = browser.grip("write").await?;
    browser.move_to(grip).await?;
    browser.press().await?;
    browser.move_to((grip.0 - 544.0 + off.0 + 4.0, grip.1 - 160.0)).await?;
    browser.until("a guide", "document.querySelector('.guide')").await?;
    browser.screenshot("guides").await?;
    browser.release().await?;
    browser.until("the guides to go", "!document.querySelector('.guide')").await?;
    let now = spot(&browser.document().await?, "write");
    assert_eq!(now.0, off.0, "left edges in line");
    browser.key("Mod+z").await?;
    browser.key("Mod+z").await?;
    assert_eq!(spot(&browser.document().await?, "mask"), (272.0, 208.0));
    Ok(())
}

/// Alt on empty canvas draws a stroke; what it crosses is cut, all of it as one step.
async fn cut(browser: &mut Browser) -> Result<()> {
    let (read, write) = (browser.node_place("read").await?, browser.node_place("write").await?);
    let (out, into) = (browser.port("read", "out").await?, browser.port("write", "in").await?);
    let middle = ((out.0 + browser.port("keep", "in").await?.0) / 2.0, out.1);
    browser.hold("Alt").await?;
    browser.drag((middle.0, read.y - 60.0), (middle.0, read.y + read.height + 60.0)).await?;
    browser.let_go("Alt").await?;
    browser.until("one cut", "document.querySelectorAll('.edge').length === 1").await?;
    assert_eq!(edges(&browser.document().await?), ["keep>write"]);
    browser.read("[data-testid=said]", "1 edge cut").await?;
    browser.key("Mod+z").await?;
    browser.until("both edges", "document.querySelectorAll('.edge').length === 2").await?;

    // A stroke beside everything cuts nothing.
    browser.hold("Alt").await?;
    browser.drag((read.x, write.y - 90.0), (into.0, write.y - 60.0)).await?;
    browser.let_go("Alt").await?;
    assert_eq!(edges(&browser.document().await?).len(), 2);
    Ok(())
}

/// The sign below an edge puts a step into it.
async fn between(browser: &mut Browser) -> Result<()> {
    let (from, to) = (browser.port("keep", "out").await?, browser.port("write", "in").await?);
    let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
    browser.move_to(middle).await?;
    let sign = browser.see(&format!("{} .edge-plus circle", with("data-edge", "keep>write"))).await?;
    browser.screenshot("between").await?;
    browser.click_at(sign.middle()).await?;
    browser.see("[data-testid=quick-add]").await?;
    ensure!(browser.count("[data-option][data-kind=sink]").await? == 0, "a target does not go into an edge");
    browser.type_text("cast").await?;
    browser.key("Enter").await?;
    browser.until("both edges", "document.querySelectorAll('.edge').length === 3").await?;
    assert_eq!(edges(&browser.document().await?), ["read>keep", "keep>cast_fields", "cast_fields>write"]);
    browser.key("Mod+z").await?;
    assert_eq!(ids(&browser.document().await?).len(), 4);
    Ok(())
}

#[tokio::test]
async fn groups_notes_lines_and_distances() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-cards", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        lines(browser).await?;
        groups(browser).await?;
        notes(browser).await?;
        browser.accessible("a canvas with notes and groups").await?;
        browser.reload().await?;
        browser.see("[data-frame='0']").await?;
        browser.read("[data-note='0']", "Ask Mei").await
    })
    .await
}

async fn choose(browser: &mut Browser, nodes: &[&str]) -> Result<()> {
    for (at, id) in nodes.iter().enumerate() {
        let grip = browser.grip(id).await?;
        if at == 1 {
            browser.hold("Shift").await?;
        }
        browser.click_at(grip).await?;
    }
    browser.let_go("Shift").await?;
    browser.selected_are(nodes).await
}

async fn lines(browser: &mut Browser) -> Result<()> {
    choose(browser, &["keep", "mask", "write"]).await?;
    browser.click("[data-action=align-left]").await?;
    let document = browser.document().await?;
    assert!(["keep", "mask", "write"].iter().all(|id| spot(&document, id).0 == 272.0));
    browser.key("Mod+z").await?;
    browser.click("[data-action=spread-down]").await?;
    browser.key("Mod+z").await?;
    browser.click("[data-action=align-bottom]").await?;
    let document = browser.document().await?;
    assert!(["keep", "mask", "write"].iter().all(|id| spot(&document, id).1 == 208.0));
    browser.key("Mod+z").await?;
    assert_eq!(spot(&browser.document().await?, "write"), (544.0, 0.0));
    Ok(())
}

/// A frame around nodes: named, dragged by its title with all of them, taken away.
async fn groups(browser: &mut Browser) -> Result<()> {
    choose(browser, &["keep", "write"]).await?;
    browser.key("Mod+g").await?;
    let title = browser.see("[data-frame='0'] .frame-title").await?;
    browser.double_click_at(title.middle()).await?;
    browser.see("[data-testid=group-title]").await?;
    browser.type_text("Clean up").await?;
    browser.key("Enter").await?;
    browser.read("[data-frame='0'] .frame-title", "Clean up").await?;
    let title = browser.see("[data-frame='0'] .frame-title").await?;
    browser.drag(title.middle(), (title.middle().0, title.middle().1 - 64.0)).await?;
    let document = browser.document().await?;
    assert_eq!((spot(&document, "keep"), spot(&document, "write")), ((272.0, -64.0), (544.0, -64.0)));
    assert_eq!(document["layout"]["groups"], json!([{ "title": "Clean up", "nodes": ["keep", "write"] }]));
    // A node joins it by being dropped into it, and leaves it by being dragged out: with the move, as one step.
    let grip = browser.grip("mask").await?;
    browser.drag(grip, (grip.0, grip.1 - 272.0)).await?;
    let members = |document: &Value| document["layout"]["groups"][0]["nodes"].clone();
    assert_eq!(members(&browser.document().await?), json!(["keep", "write", "mask"]));
    let grip = browser.grip("mask").await?;
    browser.drag(grip, (grip.0, grip.1 + 272.0)).await?;
    let document = browser.document().await?;
    assert_eq!((members(&document), spot(&document, "mask")), (json!(["keep", "write"]), (272.0, 208.0)));
    browser.key("Mod+z").await?;
    assert_eq!(members(&browser.document().await?), json!(["keep", "write", "mask"]));
    browser.key("Mod+z").await?;
    assert_eq!(members(&browser.document().await?), json!(["keep", "write"]));
    Ok(())
}

/// Written, moved and sized by pointer and by keys, one step each.
async fn notes(browser: &mut Browser) -> Result<()> {
    let board = browser.see("[data-testid=canvas]").await?;
    browser.key("Escape").await?;
    browser.move_to((board.x + 220.0, board.y + board.height - 190.0)).await?;
    browser.key("Shift+n").await?;
    browser
        .until("the note to be written into", "document.activeElement?.classList.contains('note-text')")
        .await?;
    browser.type_text("Ask Mei before changing").await?;
    browser.key("Escape").await?;
    browser.read("[data-note='0']", "Ask Mei before changing").await?;
    let before = browser.document().await?["layout"]["notes"][0].clone();
    let note = browser.see("[data-note='0']").await?;
    browser.drag((note.x + 60.0, note.y + 80.0), (note.x + 92.0, note.y + 48.0)).await?;
    let moved = browser.document().await?["layout"]["notes"][0].clone();
    let number = |note: &Value, key: &str| note[key].as_f64().context("a number");
    assert_eq!(number(&moved, "x")?, number(&before, "x")? + 32.0);
    assert_eq!(number(&moved, "y")?, number(&before, "y")? - 32.0);
    browser.key("ArrowRight").await?;
    let note = browser.see("[data-note='0']").await?;
    let corner = (note.x + note.width - 5.0, note.y + note.height - 5.0);
    browser.drag(corner, (corner.0 + 64.0, corner.1 + 32.0)).await?;
    let sized = browser.document().await?["layout"]["notes"][0].clone();
    assert_eq!(number(&sized, "x")?, number(&moved, "x")? + 16.0);
    assert_eq!(number(&sized, "w")?, number(&before, "w")? + 64.0);
    browser.screenshot("cards").await?;
    Ok(())
}
