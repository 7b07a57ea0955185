//! Pan, zoom and fit. They change what is seen, and never the document.

use anyhow::{Result, ensure};

use super::super::look::Place;
use super::super::{Browser, scenario};
use super::{WINDOW, channel, near};
use crate::support::Fairway;

/// Width of a node in the world.
const WIDTH: f64 = 224.0;

#[tokio::test]
async fn the_view_pans_zooms_and_fits() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-view", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let document = browser.document().await?;
        pan(browser).await?;
        zoom(browser).await?;
        fit(browser).await?;
        assert_eq!(browser.document().await?, document, "looking at a channel has changed it");
        ensure!(browser.count("[data-action=undo]:disabled").await? == 1, "there is something to undo");
        Ok(())
    })
    .await
}

async fn pan(browser: &mut Browser) -> Result<()> {
    let start = corner(browser.node_place("keep").await?);
    browser.wheel((700, 600), (40, 90), "").await?;
    moved(browser, start, (-40.0, -90.0)).await?;
    browser.wheel((700, 600), (0, 30), "Shift").await?;
    moved(browser, start, (-70.0, -90.0)).await?;

    browser.hold("Space").await?;
    browser.drag((500.0, 600.0), (570.0, 640.0)).await?;
    browser.let_go("Space").await?;
    moved(browser, start, (0.0, -50.0)).await?;
    // Also over a node, which stays where it is in the document.
    let grip = browser.grip("keep").await?;
    browser.middle_drag(grip, (grip.0 + 20.0, grip.1 + 50.0)).await?;
    moved(browser, start, (20.0, 0.0)).await
}

/// What lies under the pointer stays there.
async fn zoom(browser: &mut Browser) -> Result<()> {
    let pointer = browser.grip("write").await?;
    let before = browser.node_place("write").await?;
    let at = (pointer.0.round(), pointer.1.round());
    let part = |place: Place| ((at.0 - place.x) / place.width, (at.1 - place.y) / place.height);
    for (turn, grows) in [(-120, true), (-120, true), (240, false)] {
        let was = browser.node_place("write").await?;
        browser.wheel((at.0 as i64, at.1 as i64), (0, turn), "Mod").await?;
        let width = format!(
            "Math.abs(document.querySelector('[data-node=write]').getBoundingClientRect().width - {}) > 1",
            was.width
        );
        browser.until("the zoom", &width).await?;
        let now = browser.node_place("write").await?;
        assert_eq!(now.width > was.width, grows, "{was:?} became {now:?}");
        let (held, holds) = (part(before), part(now));
        ensure!(
            (held.0 - holds.0).abs() < 0.01 && (held.1 - holds.1).abs() < 0.01,
            "what was under the pointer is elsewhere: {held:?}, {holds:?}"
        );
    }
    browser.key("0").await?;
    size(browser, WIDTH).await?;
    browser.key("+").await?;
    size(browser, WIDTH * 1.2).await?;
    browser.key("-").await?;
    browser.key("-").await?;
    size(browser, WIDTH / 1.2).await
}

async fn fit(browser: &mut Browser) -> Result<()> {
    browser.wheel((700, 600), (900, 400), "").await?;
    browser.key("f").await?;
    size(browser, WIDTH).await?;
    let board = browser.see("[data-testid=canvas]").await?;
    for id in ["read", "keep", "write", "mask"] {
        let node = browser.node_place(id).await?;
        let inside = node.x > board.x
            && node.y > board.y
            && node.x + node.width < board.x + board.width
            && node.y + node.height < board.y + board.height;
        ensure!(inside, "{id} at {node:?} is not inside {board:?}");
    }
    // The selection alone, larger than life.
    let grip = browser.grip("mask").await?;
    browser.click_at(grip).await?;
    browser.key(".").await?;
    size(browser, WIDTH * 1.5).await?;
    let (node, board) = (browser.node_place("mask").await?, browser.see("[data-testid=canvas]").await?);
    ensure!(near(node.middle(), board.middle()), "{node:?} is not in the middle of {board:?}");
    browser.click("[data-action=fit]").await?;
    size(browser, WIDTH).await
}

fn corner(place: Place) -> (f64, f64) {
    (place.x, place.y)
}

/// Waits until `keep` is this far from where it was.
async fn moved(browser: &Browser, from: (f64, f64), by: (f64, f64)) -> Result<()> {
    let place = |axis: &str, wanted: f64| {
        format!(
            "Math.abs(document.querySelector('[data-node=keep]').getBoundingClientRect().{axis} - {wanted}) < 0.75"
        )
    };
    let there = format!("{} && {}", place("x", from.0 + by.0), place("y", from.1 + by.1));
    browser.until(&format!("the view to move by {by:?}"), &there).await.map(|_| ())
}

/// Waits until nodes are this wide.
async fn size(browser: &Browser, width: f64) -> Result<()> {
    let there = format!(
        "Math.abs(document.querySelector('[data-node=mask], [data-node=write]').getBoundingClientRect().width - {width}) < 0.75"
    );
    browser.until(&format!("nodes to be {width} pixels wide"), &there).await.map(|_| ())
}
