//! Ends of edges: led to another port, let go on empty canvas, followed by the view to what lies beyond the border; and
//! outputs that are renamed under them.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::super::designer::with;
use super::super::{Browser, scenario};
use super::{WINDOW, channel, edges, spot};
use crate::support::Fairway;

#[tokio::test]
async fn an_end_is_led_elsewhere_or_let_go() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-ends", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let start = browser.document().await?;

        // The end at `write` goes to `mask`: the edge keeps its place among the others.
        let to = browser.port("mask", "in").await?;
        let end = near(browser, "write", "in").await?;
        browser.drag(end, to).await?;
        wait(browser, "keep>mask").await?;
        let led = browser.document().await?;
        assert_eq!(edges(&led), ["read>keep", "keep>mask"]);
        browser.see("[data-action=delete-edge]").await?;

        // Onto the body of a node, and by the other end.
        let from = near(browser, "keep", "out").await?;
        let to = browser.grip("read").await?;
        browser.drag(from, to).await?;
        wait(browser, "read>mask").await?;
        browser.key("Mod+z").await?;
        wait(browser, "keep>mask").await?;

        // Where it may not be it stays what it was, and says why while it is held.
        let end = near(browser, "mask", "in").await?;
        let to = browser.port("read", "out").await?;
        browser.move_to(end).await?;
        browser.press().await?;
        browser.move_to(to).await?;
        browser.see("[data-testid=refusal]").await?;
        ensure!(browser.count(".edge.lifted").await? == 1, "the edge that was taken off is not faint");
        browser.release().await?;
        browser.until("the loose edge to go", "!document.querySelector('.loose')").await?;
        assert_eq!(edges(&browser.document().await?), ["read>keep", "keep>mask"]);

        // Empty canvas takes it away, and the message gives it back.
        let end = near(browser, "mask", "in").await?;
        browser.drag(end, (end.0 - 30.0, end.1 + 220.0)).await?;
        browser.until("the edge to go", "!document.querySelector('[data-edge=\"keep>mask\"]')").await?;
        browser.click("[data-action=toast]").await?;
        wait(browser, "keep>mask").await?;
        browser.key("Mod+z").await?;
        wait(browser, "keep>write").await?;
        assert_eq!(browser.document().await?, start);
        Ok(())
    })
    .await
}

/// A place on the edge of a port, past the port itself.
async fn near(browser: &mut Browser, node: &str, side: &str) -> Result<(f64, f64)> {
    let (x, y) = browser.port(node, side).await?;
    Ok((if side == "in" { x - 20.0 } else { x + 20.0 }, y))
}

async fn wait(browser: &Browser, hook: &str) -> Result<()> {
    let css = json!(with("data-edge", hook));
    browser.until(&format!("the edge {hook}"), &format!("document.querySelector({css})")).await.map(|_| ())
}

#[tokio::test]
async fn what_is_dragged_to_the_border_brings_more_into_view() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-border", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let board = browser.see("[data-testid=canvas]").await?;
        let grip = browser.grip("mask").await?;
        let before = browser.node_place("read").await?;
        browser.move_to(grip).await?;
        browser.press().await?;
        browser.move_to((board.x + board.width - 8.0, grip.1)).await?;
        // The view goes on moving while the pointer rests at the border.
        let far = format!("document.querySelector('[data-node=read]')?.getBoundingClientRect().x < {} || !document.querySelector('[data-node=read]')", before.x - 300.0);
        browser.until("the view to move", &far).await?;
        let node = browser.node_place("mask").await?;
        ensure!(node.x + node.width > board.x + board.width - 240.0, "the node did not stay under the pointer: {node:?}");
        browser.release().await?;
        let document = browser.document().await?;
        let (x, _) = spot(&document, "mask");
        ensure!(x > 272.0 + 300.0, "mask lies at {x}");
        assert_eq!(x % 16.0, 0.0, "on the grid");
        browser.key("Mod+z").await?;
        assert_eq!(spot(&browser.document().await?, "mask"), (272.0, 208.0), "one step back");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_renamed_route_keeps_its_edges() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-routes", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&routes()).await?;
        let start = browser.document().await?;
        browser.inspect("route").await?;
        browser.click("[data-input=\"routes.0.name\"]").await?;
        browser.key("Mod+a").await?;
        browser.type_text("big").await?;
        wait(browser, "route.big>out").await?;
        // By way of an empty name, too.
        for _ in 0..3 {
            browser.key("Backspace").await?;
        }
        browser.type_text("huge").await?;
        wait(browser, "route.huge>out").await?;
        let document = browser.document().await?;
        assert_eq!(edges(&document), ["in>route", "route.huge>out", "route.unmatched>rest"]);
        assert_eq!(document["spec"]["nodes"][1]["config"]["routes"][0]["name"], "huge");
        ensure!(browser.count(".port-name").await? >= 2, "outputs are called by their names");
        browser.screenshot("renamed").await?;

        browser.click("[data-testid=canvas]").await?;
        for _ in 0..40 {
            if browser.count("[data-action=undo]:enabled").await? == 0 {
                break;
            }
            browser.click("[data-action=undo]:enabled").await?;
        }
        assert_eq!(browser.document().await?, start, "the way back is exact");
        Ok(())
    })
    .await
}

fn routes() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "routes" },
        "spec": {
            "nodes": [
                { "id": "in", "component": "csv_source", "config": { "path": "in.csv" } },
                { "id": "route", "component": "route_records", "config": { "routes": [{ "name": "large", "rules": [{ "field": "a", "op": "gt", "value": 1 }] }] } },
                { "id": "out", "component": "log_sink" },
                { "id": "rest", "component": "log_sink" },
            ],
            "edges": [
                { "from": "in", "to": "route" },
                { "from": "route.large", "to": "out" },
                { "from": "route.unmatched", "to": "rest" },
            ],
        },
        "layout": { "nodes": {
            "in": { "x": 0, "y": 0 }, "route": { "x": 288, "y": 0 }, "out": { "x": 672, "y": -64 }, "rest": { "x": 672, "y": 80 },
        } },
    })
}
