//! What a person does in the designer, in the words of the product: place, wire, fill in, deploy. Each is a few real
//! moves of pointer and keys; what follows is read from the page or from the server.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::Browser;
use crate::support::Fairway;

/// An attribute selector.
pub(crate) fn with(attribute: &str, value: &str) -> String {
    format!("[{attribute}={}]", json!(value))
}

impl Browser {
    /// Opens a Fairway as a person does, by the printed address, and waits for its channels.
    pub(crate) async fn visit(&self, fairway: &Fairway) -> Result<()> {
        self.goto(fairway.address()).await?;
        self.see("[data-testid=channels] h1").await.map(|_| ())
    }

    /// Presses New channel and waits for the empty canvas.
    pub(crate) async fn new_channel(&mut self) -> Result<()> {
        self.click("[data-action=new-channel]").await?;
        self.see("[data-testid=canvas]").await?;
        self.until("the palette", "document.querySelector('[data-palette]')").await.map(|_| ())
    }

    /// Imports a document by the file picker of the channels' page and waits for its canvas.
    pub(crate) async fn import(&mut self, document: &Value) -> Result<()> {
        let file = self.downloads.path().join("to-import.json");
        std::fs::write(&file, document.to_string())?;
        self.choose_file("[data-testid=import-file]", &file).await?;
        self.see("[data-testid=canvas] .node").await.map(|_| ())
    }

    /// Goes back to the channels by the bar's link.
    pub(crate) async fn back_to_channels(&mut self) -> Result<()> {
        self.click("header .brand").await?;
        self.see("[data-testid=channels] h1").await.map(|_| ())
    }

    /// Drags a component from the palette to a place of the canvas, counted from the canvas's corner, and returns the
    /// new node's id.
    pub(crate) async fn place(&mut self, component: &str, at: (f64, f64)) -> Result<String> {
        let before = self.nodes().await?;
        let item = with("data-palette", component);
        // Components further down the palette are scrolled to first, as one would.
        self.scroll_to(&item).await?;
        let (item, board) = (self.see(&item).await?, self.see("[data-testid=canvas]").await?);
        self.drag(item.middle(), (board.x + at.0, board.y + at.1)).await?;
        let more = format!("document.querySelectorAll('.board [data-node]').length > {}", before.len());
        self.until(&format!("a node of {component}"), &more).await?;
        let added: Vec<String> = self.nodes().await?.difference(&before).cloned().collect();
        ensure!(added.len() == 1, "{component} was dropped once and became {added:?}");
        Ok(added.concat())
    }

    /// Turns the wheel over what scrolls until an element is in sight.
    pub(crate) async fn scroll_to(&mut self, css: &str) -> Result<()> {
        let way = format!(
            "(() => {{ const e = document.querySelector({css}); if (!e) return null; \
             let p = e.parentElement; \
             while (p && !(p.scrollHeight > p.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(p).overflowY))) p = p.parentElement; \
             if (!p) return [0, 0, 0]; \
             const [a, b] = [e.getBoundingClientRect(), p.getBoundingClientRect()]; \
             const by = a.top < b.top + 4 ? a.top - b.top - 24 : a.bottom > b.bottom - 4 ? a.bottom - b.bottom + 24 : 0; \
             return [Math.round(b.x + b.width / 2), Math.round(b.y + b.height / 2), Math.round(by)]; }})()",
            css = json!(css),
        );
        // One turn may be cut short by the end of what scrolls.
        for _ in 0..5 {
            let turn = self.until(&format!("{css} to be there"), &way).await?;
            let number = |at: usize| turn[at].as_i64().context("the way is made of numbers");
            let (x, y, by) = (number(0)?, number(1)?, number(2)?);
            if by == 0 {
                return Ok(());
            }
            let before = self.eval(&format!("{way}.join()"), &[]).await?;
            self.wheel((x, y), (0, by), "").await?;
            self.until(&format!("{css} to scroll"), &format!("{way}.join() !== {before}")).await?;
        }
        Ok(())
    }

    /// Ids of the nodes that are drawn.
    pub(crate) async fn nodes(&self) -> Result<BTreeSet<String>> {
        let ids = self
            .eval(
                "[...document.querySelectorAll('.board [data-node]')].map((node) => node.dataset.node)",
                &[],
            )
            .await?;
        serde_json::from_value(ids).context("ids are texts")
    }

    /// Where a port is, written as in documents: `cast`, `cast.errors`; `side` is `in` or `out`.
    pub(crate) async fn port(&self, port: &str, side: &str) -> Result<(f64, f64)> {
        let (node, side) = match port.split_once('.') {
            Some((node, "errors")) => (node, "errors"),
            Some((node, _)) => (node, side),
            None => (port, side),
        };
        let place = self.see(&format!("{} {}", with("data-node", node), with("data-port", side))).await?;
        Ok(place.middle())
    }

    /// Drags an edge from an output to an input and waits until it is drawn.
    pub(crate) async fn wire(&mut self, from: &str, to: &str) -> Result<()> {
        let (start, end) = (self.port(from, "out").await?, self.port(to, "in").await?);
        self.drag(start, end).await?;
        let edge = json!(with("data-edge", &format!("{from}>{to}")));
        self.until(&format!("the edge {from}>{to}"), &format!("document.querySelector({edge})"))
            .await
            .map(|_| ())
    }

    /// Selects a node by a click, so that its settings are shown.
    pub(crate) async fn inspect(&mut self, node: &str) -> Result<()> {
        self.click(&format!("{} .node-title", with("data-node", node))).await?;
        self.see(&with("data-inspected", node)).await.map(|_| ())
    }

    /// Unfolds the plain list of a setting that has a face of its own.
    pub(crate) async fn unfold(&mut self) -> Result<()> {
        self.see("[data-action=as-list]").await?;
        if self.count(".as-list[open]").await? == 0 {
            self.click("[data-action=as-list]").await?;
        }
        Ok(())
    }

    /// Types a text into the setting of a dotted name, over what is there.
    pub(crate) async fn fill(&mut self, setting: &str, text: &str) -> Result<()> {
        let input = format!("input{}", with("data-input", setting));
        self.scroll_to(&input).await?;
        self.click(&input).await?;
        self.key("Mod+a").await?;
        self.type_text(text).await
    }

    /// Chooses in the list of a setting, by the keys that begin the choice's name.
    ///
    /// The list has the focus: by Tab from the setting before it.
    pub(crate) async fn choose(&mut self, setting: &str, name: &str, value: &str) -> Result<()> {
        let select = json!(format!("select{}", with("data-input", setting)));
        let focused = format!("document.activeElement === document.querySelector({select})");
        self.until(&format!("the focus on {setting}"), &focused).await?;
        self.type_text(name).await?;
        let chosen = format!(
            "document.querySelector({select}).selectedOptions[0]?.dataset.choice === {}",
            json!(value)
        );
        self.until(&format!("{setting} to be {value}"), &chosen).await.map(|_| ())
    }

    /// Waits until the server has everything that was drawn.
    pub(crate) async fn saved(&self) -> Result<()> {
        self.until(
            "the draft to be saved",
            "document.querySelector('[data-testid=save]')?.dataset.save === 'saved'",
        )
        .await
        .map(|_| ())
    }

    /// The uid of the channel that is open.
    pub(crate) async fn uid(&self) -> Result<String> {
        let place = self.eval("location.pathname", &[]).await?;
        let uid = place.as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
        ensure!(!uid.is_empty(), "no channel is open at {place}");
        Ok(uid.to_owned())
    }

    /// What the server answers on a path below its API.
    pub(crate) async fn ask_server(&self, path: &str) -> Result<Value> {
        self.eval("fetch(arguments[0]).then((answer) => answer.json())", &[json!(format!("/api/v1/{path}"))])
            .await
    }

    /// The draft of the channel that is open, as the server has it once it is saved.
    pub(crate) async fn document(&self) -> Result<Value> {
        self.saved().await?;
        let uid = self.uid().await?;
        Ok(self.ask_server(&format!("channels/{uid}")).await?["document"].clone())
    }

    /// Waits until a version is in force and in a state, on the server and in the bar, and returns its status.
    pub(crate) async fn settled(&self, version: u32, state: &str) -> Result<Value> {
        let path = json!(format!("/api/v1/channels/{}/status", self.uid().await?));
        let reached = format!(
            "fetch({path}).then((answer) => answer.json()).then((status) => \
             status.version === {version} && status.state === {} && status)",
            json!(state)
        );
        let status = self.until(&format!("version {version} to be {state}"), &reached).await?;
        self.state(state).await?;
        Ok(status)
    }

    /// Waits for the state that the bar shows.
    pub(crate) async fn state(&self, state: &str) -> Result<()> {
        let shown = format!("document.querySelector('header .pill')?.dataset.state === {}", json!(state));
        self.until(&format!("the channel to be {state}"), &shown).await.map(|_| ())
    }

    /// Waits until a node shows a figure: `in`, `out` or `errors`.
    pub(crate) async fn figure(&self, node: &str, name: &str, value: u64) -> Result<()> {
        let css = format!("{} {}", with("data-node", node), with("data-count", name));
        let css = json!(css);
        let shown = format!("document.querySelector({css})?.dataset.value === '{value}'");
        self.until(&format!("{node} to show {name} = {value}"), &shown).await.map(|_| ())
    }

    /// Presses Deploy, waits for the plan, confirms it, and waits until that version is in force.
    pub(crate) async fn deploy(&mut self, version: u32) -> Result<()> {
        self.click("[data-action=deploy]").await?;
        self.see("[data-testid=plan] [data-action=confirm-deploy]:enabled").await?;
        self.confirm_deploy(version).await
    }

    /// Presses Export, and waits for the file.
    pub(crate) async fn exported(&mut self, file: &str) -> Result<std::path::PathBuf> {
        self.click("header [data-action=export]").await?;
        self.downloaded(file).await
    }

    /// Confirms the plan that is shown.
    pub(crate) async fn confirm_deploy(&mut self, version: u32) -> Result<()> {
        self.click("[data-action=confirm-deploy]:enabled").await?;
        self.until("the plan to shut", "!document.querySelector('[data-testid=plan]')").await?;
        self.read("[data-testid=version]", &format!("v{version}")).await
    }
}
