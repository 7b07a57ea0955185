//! Settings: theme, language and keys hold for this browser, also after a reload.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::scenario;
use super::WINDOW;
use crate::support::Fairway;

#[tokio::test]
async fn choices_hold_and_single_letters_can_be_silenced() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("pages-settings", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.click("[data-page=settings] a").await?;
        browser.see("[data-testid=settings]").await?;
        browser.screenshot("light").await?;
        browser.click("[data-testid=settings] [data-theme-choice=contrast]").await?;
        browser.click("[data-testid=settings] [data-language=zh-CN]").await?;
        browser.read("[data-testid=settings] h1", "设置").await?;
        browser.screenshot("contrast-zh").await?;
        browser.reload().await?;
        browser.read("[data-testid=settings] h1", "设置").await?;
        assert_eq!(browser.eval("document.documentElement.dataset.theme", &[]).await?, json!("contrast"));
        browser.click("[data-testid=settings] [data-language=en]").await?;

        browser.eval("document.querySelector('#single-keys').click()", &[]).await?;
        browser.click("[data-page=channels] a").await?;
        browser.new_channel().await?;
        browser.click("[data-testid=canvas]").await?;
        browser.key("n").await?;
        browser.key("Mod+a").await?;
        ensure!(browser.count("[data-testid=quick-add]").await? == 0, "a single letter does something");
        browser.goto(&format!("{}/settings", fairway.origin())).await?;
        browser.see("[data-testid=settings]").await?;
        browser.eval("document.querySelector('#single-keys').click()", &[]).await?;
        browser.click("[data-page=channels] a").await?;
        browser.new_channel().await?;
        browser.click("[data-testid=canvas]").await?;
        browser.key("n").await?;
        browser.see("[data-testid=quick-add]").await.map(|_| ())
    })
    .await
}
