//! Edges by pointer and by key, the small search, and nodes that are put into edges.

use anyhow::{Result, ensure};

use super::super::designer::with;
use super::super::{Browser, scenario};
use super::{WINDOW, channel, edges, ids};
use crate::support::Fairway;

#[tokio::test]
async fn edges_join_what_fits_and_say_why_not() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-wiring", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;

        // Near a port is on it; from an input backwards is the same edge.
        let (from, to) = (browser.port("mask", "in").await?, browser.port("read", "out").await?);
        browser.drag(from, (to.0 + 9.0, to.1 + 9.0)).await?;
        edge(browser, "read>mask").await?;

        // What does not fit says why while it is held, and joins nothing.
        let (from, to) = (browser.port("write.errors", "out").await?, browser.port("read", "out").await?);
        refused(browser, from, to).await?;
        let (from, to) = (browser.port("keep", "out").await?, browser.port("keep", "in").await?);
        browser.drag(from, to).await?;
        browser.key("Escape").await?;

        // A click on one port and a click on the other; on a node it takes the port that fits.
        let (from, to) = (browser.port("keep.errors", "out").await?, browser.grip("mask").await?);
        browser.click_at(from).await?;
        browser.see(".loose").await?;
        browser.click_at(to).await?;
        edge(browser, "keep.errors>mask").await?;

        // Esc lets an edge go.
        let from = browser.port("mask", "out").await?;
        browser.click_at(from).await?;
        browser.see(".loose").await?;
        browser.key("Escape").await?;
        browser.until("the loose edge to go", "!document.querySelector('.loose')").await?;

        // Two selected nodes and C.
        let (mask, write) = (browser.grip("mask").await?, browser.grip("write").await?);
        browser.click_at(mask).await?;
        browser.hold("Shift").await?;
        browser.click_at(write).await?;
        browser.let_go("Shift").await?;
        browser.key("c").await?;
        edge(browser, "mask>write").await?;

        let document = browser.document().await?;
        assert_eq!(
            edges(&document),
            ["read>keep", "keep>write", "read>mask", "keep.errors>mask", "mask>write"]
        );
        Ok(())
    })
    .await
}

async fn edge(browser: &Browser, hook: &str) -> Result<()> {
    let css = serde_json::json!(with("data-edge", hook));
    browser.until(&format!("the edge {hook}"), &format!("document.querySelector({css})")).await.map(|_| ())
}

async fn refused(browser: &mut Browser, from: (f64, f64), to: (f64, f64)) -> Result<()> {
    let before = browser.count(".edge").await?;
    browser.move_to(from).await?;
    browser.press().await?;
    browser.move_to(to).await?;
    let said =
        browser.until("the reason", "document.querySelector('[data-testid=refusal]')?.innerText").await?;
    ensure!(said.as_str().is_some_and(|said| said.trim().len() > 10), "the reason is {said}");
    browser.release().await?;
    browser.until("the loose edge to go", "!document.querySelector('.loose')").await?;
    assert_eq!(browser.count(".edge").await?, before);
    Ok(())
}

#[tokio::test]
async fn the_small_search_adds_what_is_meant_where_it_is_meant() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-search", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let board = browser.see("[data-testid=canvas]").await?;

        // By key, at the pointer.
        let free = (board.x + 160.0, board.y + board.height - 160.0);
        browser.move_to(free).await?;
        browser.key("n").await?;
        browser.see("[data-testid=quick-add]").await?;
        browser.type_text("cast").await?;
        browser.until("one choice", "document.querySelectorAll('[data-option]').length === 1").await?;
        browser.key("Enter").await?;
        browser.selected_are(&["cast_fields"]).await?;
        let place = browser.node_place("cast_fields").await?;
        let (x, y) = place.middle();
        ensure!(
            (x - free.0).abs() < 16.0 && (y - free.1).abs() < 16.0,
            "it stands at {place:?}, not at {free:?}"
        );

        // By double click, and away again by Esc.
        let other = (board.x + board.width - 200.0, board.y + board.height - 160.0);
        browser.double_click_at(other).await?;
        browser.see("[data-testid=quick-add]").await?;
        browser.key("Escape").await?;
        browser.until("the search to shut", "!document.querySelector('[data-testid=quick-add]')").await?;

        // An edge let go on empty canvas: only what takes records is offered, and it comes joined.
        let from = browser.port("mask", "out").await?;
        browser.drag(from, (from.0 + 160.0, from.1 + 60.0)).await?;
        browser.see("[data-testid=quick-add]").await?;
        ensure!(browser.count("[data-option][data-kind=source]").await? == 0, "a source takes no records");
        // The list is longer than the window that shows it: a person narrows it down.
        browser.type_text("json lines").await?;
        browser.click("[data-option=jsonl_sink]").await?;
        edge(browser, "mask>jsonl").await?;

        // Onto an edge from the palette: between its ends.
        let (from, to) = (browser.port("keep", "out").await?, browser.port("write", "in").await?);
        let middle = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0);
        let item = browser.see("[data-palette=set_fields]").await?;
        browser.drag(item.middle(), middle).await?;
        edge(browser, "keep>set_fields").await?;
        edge(browser, "set_fields>write").await?;

        let document = browser.document().await?;
        assert_eq!(ids(&document), ["read", "keep", "write", "mask", "cast_fields", "jsonl", "set_fields"]);
        assert_eq!(edges(&document).len(), 4, "{:?}", edges(&document));
        Ok(())
    })
    .await
}
