//! The canvas with many nodes under real pointer and wheel events in headless Chromium: how long frames take while a node is
//! dragged, while the view pans, and while it zooms over every detail.
//!
//! `cargo xtask bench canvas [-- NODES]` (default 300). Figures are times between frames as the page itself sees them
//! (`requestAnimationFrame`), tasks of the main thread longer than 50 ms, and elements of the page. They go to
//! `bench/canvas-NODES.json` below the target folder. The bar is a p95 of 16.7 ms: one frame of a screen at 60 Hz.

#![allow(
    dead_code,
    unused_imports,
    reason = "the browser's side is that of the tests, and serves them with more"
)]

use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result};
use fantoccini::actions::{
    InputSource, MOUSE_BUTTON_LEFT, MouseActions, PointerAction, WheelAction, WheelActions,
};
use serde_json::{Value, json};

// The browser as the tests drive it, without their scenarios.
#[path = "../browser/chrome.rs"]
mod chrome;
#[path = "../browser/devtools.rs"]
mod devtools;
#[path = "../browser/keys.rs"]
mod keys;
#[path = "../browser/look.rs"]
mod look;
#[path = "../browser/pointer.rs"]
mod pointer;
#[path = "../browser/scenario.rs"]
mod scenario;
#[path = "../support/mod.rs"]
mod support;

use chrome::{Browser, Looks};
use scenario::scenario;
use support::Fairway;

/// One frame of a screen at 60 Hz.
const FRAME: Duration = Duration::from_millis(16);
/// Events of one gesture.
const EVENTS: i32 = 180;

fn main() -> Result<()> {
    let nodes: usize = env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(300);
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(measure(nodes))
}

async fn measure(nodes: usize) -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let looks = Looks { viewport: (1440, 900), reduced_motion: true, ..Looks::default() };
    scenario("bench-canvas", looks, async |browser| {
        browser.goto(fairway.address()).await?;
        browser.see("[data-testid=channels] h1").await?;
        let made = "fetch('/api/v1/channels', { method: 'POST', headers: { 'Content-Type': 'application/json' }, \
                    body: JSON.stringify({ document: arguments[0] }) }).then((answer) => answer.json()).then((made) => made.uid)";
        let uid = browser.eval(made, &[document(nodes)]).await?;
        let uid = uid.as_str().context("the channel was not made")?;
        browser.goto(&format!("{}/channels/{uid}", fairway.origin())).await?;
        browser.see("[data-testid=canvas] .node").await?;
        browser.eval(RECORDER, &[]).await?;

        let mut figures = serde_json::Map::new();
        browser.key("0").await?;
        for (name, gesture) in [("drag", Gesture::Drag), ("pan", Gesture::Pan), ("zoom", Gesture::Zoom)] {
            rest(browser).await?;
            browser.eval("window.recorder.start()", &[]).await?;
            gesture.perform(browser).await?;
            let frames = browser.eval("window.recorder.stop()", &[]).await?;
            println!("{name:>5}: {frames}");
            figures.insert(name.to_owned(), frames);
        }
        figures.insert("nodes".to_owned(), json!(nodes));
        let target = env::current_exe()?;
        let target = target.ancestors().nth(3).context("a bench lies three folders below target")?;
        write(&target.join("bench"), nodes, &Value::Object(figures))
    })
    .await
}

fn write(folder: &Path, nodes: usize, figures: &Value) -> Result<()> {
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("canvas-{nodes}.json"));
    fs::write(&path, format!("{figures:#}\n"))?;
    println!("written to {}", path.display());
    Ok(())
}

/// Waits until everything that is due has been drawn.
async fn rest(browser: &Browser) -> Result<()> {
    browser.eval("new Promise((done) => setTimeout(done, 600))", &[]).await?;
    Ok(())
}

enum Gesture {
    Drag,
    Pan,
    Zoom,
}

impl Gesture {
    /// An event a frame, as a hand makes them.
    async fn perform(&self, browser: &mut Browser) -> Result<()> {
        match self {
            Self::Drag => {
                let at = "(() => { const all = [...document.querySelectorAll('.board .node-title')].map((one) => one.getBoundingClientRect()); \
                          const near = all.filter((one) => one.x > 400 && one.x < 1000 && one.y > 200 && one.y < 600)[0]; return [near.x + 20, near.y + 8]; })()";
                let at = browser.until("a node in the middle", at).await?;
                let (x, y) = (at[0].as_f64().context("a place")?, at[1].as_f64().context("a place")?);
                browser.move_to((x, y)).await?;
                let mut moves =
                    MouseActions::new("mouse".into()).then(PointerAction::Down { button: MOUSE_BUTTON_LEFT });
                for step in 0..EVENTS {
                    let turn = f64::from(step) * 0.07;
                    let (x, y) = (x + 140.0 * turn.sin(), y + 90.0 * (turn * 1.3).sin());
                    moves = moves.then(PointerAction::MoveTo { duration: Some(FRAME), x, y });
                }
                browser.act(moves.then(PointerAction::Up { button: MOUSE_BUTTON_LEFT })).await
            }
            Self::Pan => {
                let mut wheel = WheelActions::new("wheel".into());
                for step in 0..EVENTS {
                    let back = (step / 45) % 2 == 1;
                    let by = if back { -36 } else { 36 };
                    wheel.push(WheelAction::Scroll {
                        duration: Some(FRAME),
                        x: 700,
                        y: 400,
                        delta_x: by,
                        delta_y: by / 2,
                    });
                }
                browser.act(wheel).await
            }
            Self::Zoom => {
                browser.hold("Mod").await?;
                let mut wheel = WheelActions::new("wheel".into());
                for step in 0..EVENTS {
                    let back = (step / 60) % 2 == 1;
                    let by = if back { -44 } else { 44 };
                    wheel.push(WheelAction::Scroll {
                        duration: Some(FRAME),
                        x: 700,
                        y: 400,
                        delta_x: 0,
                        delta_y: by,
                    });
                }
                browser.act(wheel).await?;
                browser.let_go("Mod").await
            }
        }
    }
}

impl Browser {
    async fn act(&self, actions: impl Into<fantoccini::actions::Actions>) -> Result<()> {
        self.client.perform_actions(actions).await.context("the browser does not do that")
    }
}

/// Times between frames while it runs, and tasks that hold the main thread.
const RECORDER: &str = "(() => { let on = false, last = 0, frames = [], tasks = []; \
    new PerformanceObserver((list) => { if (on) tasks.push(...list.getEntries().map((one) => one.duration)); }).observe({ entryTypes: ['longtask'] }); \
    const frame = (now) => { if (!on) return; if (last) frames.push(now - last); last = now; requestAnimationFrame(frame); }; \
    const at = (part) => Math.round(frames[Math.min(frames.length - 1, Math.floor(frames.length * part))] * 100) / 100; \
    window.recorder = { \
      start() { on = true; last = 0; frames = []; tasks = []; requestAnimationFrame(frame); return true; }, \
      stop() { on = false; frames.sort((a, b) => a - b); return { frames: frames.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1), \
        over_17_ms: frames.filter((one) => one > 17).length, long_tasks: tasks.length, longest_task: Math.round(Math.max(0, ...tasks)), \
        elements: document.querySelectorAll('*').length }; } }; return true; })()";

/// Rows of chains: a source, transforms, a target, with an errors edge here and there.
fn document(count: usize) -> Value {
    const ROW: usize = 12;
    let (mut nodes, mut edges, mut layout) = (Vec::new(), Vec::new(), serde_json::Map::new());
    for at in 0..count {
        let (row, column) = (at / ROW, at % ROW);
        let id = format!("n{at}");
        let (component, config) = match column {
            0 => ("csv_source", json!({ "path": format!("in/{at}.csv") })),
            column if column == ROW - 1 || at + 1 == count => {
                ("jsonl_sink", json!({ "path": format!("out/{at}.jsonl") }))
            }
            column if column % 3 == 0 => {
                ("mask_fields", json!({ "fields": ["email", "phone"], "method": "redact" }))
            }
            _ => ("filter_records", json!({ "rules": [{ "field": "amount", "op": "gt", "value": at }] })),
        };
        nodes.push(
            json!({ "id": id, "component": component, "config": config, "title": format!("Step {at}") }),
        );
        layout.insert(id.clone(), json!({ "x": column * 288, "y": row * 144 }));
        if column > 0 {
            edges.push(json!({ "from": format!("n{}", at - 1), "to": id }));
        }
        if column % 4 == 2 && at + ROW < count {
            edges.push(
                json!({ "from": format!("{id}.errors"), "to": format!("n{}", (row + 1) * ROW + ROW - 1) }),
            );
        }
    }
    edges.retain(|edge| nodes.iter().any(|node| node["id"] == edge["to"]));
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": "bench" },
        "spec": { "nodes": nodes, "edges": edges }, "layout": { "nodes": layout },
    })
}
