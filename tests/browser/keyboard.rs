//! A channel built, wired, configured, deployed and read by keyboard alone: the pointer is never touched.

use anyhow::{Result, ensure};
use serde_json::json;

use super::designer::with;
use super::{Browser, Looks, scenario};
use crate::support::Fairway;

const WINDOW: Looks = Looks {
    viewport: (1440, 900),
    language: "en-US",
    dark: false,
    reduced_motion: true,
    forced_colors: false,
};

/// Presses of Tab within which everything of a page is reached.
const TABS: usize = 80;

#[tokio::test]
async fn a_channel_is_built_and_deployed_without_a_pointer() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    scenario("keyboard", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.tab_to("[data-action=new-channel]").await?;
        browser.key("Enter").await?;
        browser.see("[data-testid=canvas]").await?;
        browser.until("the palette", "document.querySelector('[data-palette]')").await?;

        // The canvas has the focus, and who opens its address comes there by the first stop of all.
        browser.focused("[data-testid=canvas]").await?;
        browser.reload().await?;
        browser.see("[data-testid=canvas]").await?;
        browser.key("Tab").await?;
        browser.focused(".skip").await?;
        browser.key("Enter").await?;
        browser.focused("[data-testid=canvas]").await?;
        build(browser).await?;
        configure(browser).await?;
        join_errors(browser).await?;
        browser.screenshot("built").await?;
        deploy(browser).await?;
        walk(browser).await?;
        browser.screenshot("outline").await?;
        ensure!(fairway.files()?.join("out/masked.jsonl").is_file(), "the target was not written");
        Ok(())
    })
    .await
}

/// `N`, a few letters, Enter: each component comes behind the selected one, and joined to it.
async fn build(browser: &Browser) -> Result<()> {
    for (letters, id) in [("csv_source", "csv"), ("mask_fields", "mask_fields"), ("jsonl_sink", "jsonl")] {
        browser.key("n").await?;
        browser.focused("[data-testid=quick-add] input").await?;
        browser.type_text(letters).await?;
        browser.until("one choice", "document.querySelectorAll('[data-option]').length === 1").await?;
        browser.key("Enter").await?;
        browser.focused(&with("data-node", id)).await?;
    }
    let document = browser.document().await?;
    assert_eq!(
        document["spec"]["edges"],
        json!([{ "from": "csv", "to": "mask_fields" }, { "from": "mask_fields", "to": "jsonl" }])
    );
    Ok(())
}

/// Enter goes into the settings, Esc back to the node; arrows with Alt walk along the edges.
async fn configure(browser: &Browser) -> Result<()> {
    browser.key("Enter").await?;
    browser.focused("[data-input=path]").await?;
    browser.type_text("out/masked.jsonl").await?;
    browser.key("Escape").await?;
    browser.focused("[data-node=jsonl]").await?;

    browser.key("Alt+ArrowLeft").await?;
    browser.focused("[data-node=mask_fields]").await?;
    browser.key("Enter").await?;
    browser.focused("[data-input=fields]").await?;
    browser.type_text("tailnum").await?;
    browser.key("Escape").await?;
    browser.focused("[data-node=mask_fields]").await?;

    browser.key("Alt+ArrowLeft").await?;
    browser.focused("[data-node=csv]").await?;
    browser.key("Enter").await?;
    browser.focused("[data-input=path]").await?;
    browser.type_text("samples/flights.csv").await?;
    browser.key("Escape").await?;
    browser.focused("[data-node=csv]").await?;
    let document = browser.document().await?;
    let config = |at: usize| document["spec"]["nodes"][at]["config"].clone();
    assert_eq!(config(0)["path"], "samples/flights.csv");
    assert_eq!(config(1)["fields"], json!(["tailnum"]));
    assert_eq!(config(2)["path"], "out/masked.jsonl");
    Ok(())
}

/// A node that stands alone, joined by `C` and a search.
async fn join_errors(browser: &Browser) -> Result<()> {
    browser.key("Escape").await?;
    browser.key("n").await?;
    browser.type_text("log_sink").await?;
    browser.until("one choice", "document.querySelectorAll('[data-option]').length === 1").await?;
    browser.key("Enter").await?;
    browser.focused("[data-node=log]").await?;
    browser.key("Escape").await?;
    browser.key("Home").await?;
    browser.focused("[data-node=csv]").await?;
    browser.key("Tab").await?;
    browser.focused("[data-node=mask_fields]").await?;
    browser.key("c").await?;
    browser.focused("[data-testid=join] input").await?;
    browser.type_text("errors log").await?;
    browser.key("Enter").await?;
    browser.until("the edge", "document.querySelector('[data-edge=\"mask_fields.errors>log\"]')").await?;
    browser.read("[data-testid=said]", "Joined").await
}

/// The plan opens by its key, and what confirms it is reached by Tab.
async fn deploy(browser: &Browser) -> Result<()> {
    browser.document().await?;
    browser.key("Mod+Shift+d").await?;
    browser.see("[data-testid=plan] [data-action=confirm-deploy]:enabled").await?;
    browser.tab_to("[data-action=confirm-deploy]").await?;
    browser.key("Enter").await?;
    browser.settled(1, "completed").await?;
    browser.figure("jsonl", "out", 8832).await
}

/// The outline says what the canvas shows, and leads back to it.
async fn walk(browser: &Browser) -> Result<()> {
    browser.key("o").await?;
    browser.see("[data-testid=outline] [data-outline]").await?;
    browser.tab_to("[role=treeitem]").await?;
    browser.key("Home").await?;
    browser.focused("[data-outline=\"n csv\"]").await?;
    browser.key("ArrowDown").await?;
    browser.focused("[data-outline=\"e csv true csv>mask_fields\"]").await?;
    browser.key("ArrowLeft").await?;
    browser.key("ArrowLeft").await?;
    browser
        .until(
            "csv to be shut",
            "document.querySelector('[data-outline=\"n csv\"]').ariaExpanded === 'false'",
        )
        .await?;
    browser.key("ArrowDown").await?;
    browser.focused("[data-outline=\"n mask_fields\"]").await?;
    browser.key("Space").await?;
    browser.until("the selection", "document.querySelector('[data-node=mask_fields].selected')").await?;
    browser.key("Enter").await?;
    browser.focused("[data-testid=inspector] [data-form] input").await
}

impl Browser {
    /// Waits until the focus is on an element, or inside it.
    pub(crate) async fn focused(&self, css: &str) -> Result<()> {
        let expression = format!("document.activeElement?.closest({})", json!(css));
        match self.until(&format!("the focus on {css}"), &format!("!!({expression})")).await {
            Ok(_) => Ok(()),
            Err(error) => {
                let there = self.eval("document.activeElement?.outerHTML.slice(0, 200)", &[]).await?;
                Err(error.context(format!("the focus is on {there}")))
            }
        }
    }

    /// Presses Tab until the focus is on an element.
    pub(crate) async fn tab_to(&self, css: &str) -> Result<()> {
        let there = format!("!!document.activeElement?.matches({})", json!(css));
        let mut way = Vec::new();
        for _ in 0..TABS {
            if self.eval(&there, &[]).await? == json!(true) {
                return Ok(());
            }
            self.key("Tab").await?;
            way.push(self.eval("document.activeElement?.outerHTML.slice(0, 60)", &[]).await?);
        }
        anyhow::bail!("Tab never comes to {css}: {way:#?}")
    }
}
