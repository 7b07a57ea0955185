//! Keys that people have chosen, pictures of a channel, and undo over a reload of what was never saved.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::scenario;
use super::{WINDOW, channel, spot};
use crate::support::Fairway;

#[tokio::test]
async fn keys_can_be_given_to_other_actions() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-own-keys", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        browser.key("?").await?;
        browser.scroll_to("[data-keys-of=minimap]").await?;
        browser.click("[data-keys-of=minimap]").await?;
        browser.key("f").await?;
        browser.read("[data-keys-of=minimap]", "F").await?;
        browser.screenshot("keys").await?;
        browser.accessible("the keys").await?;
        browser.key("Escape").await?;
        browser.until("the sheet to shut", "!document.querySelector('[data-testid=keys]')").await?;
        browser.key("f").await?;
        browser.see("[data-testid=minimap]").await?;
        // It holds after a reload, and `M` does nothing any more.
        browser.reload().await?;
        browser.see("[data-testid=minimap]").await?;
        browser.key("m").await?;
        browser.key("f").await?;
        browser.until("the small map to go", "!document.querySelector('[data-testid=minimap]')").await?;
        browser.key("?").await?;
        browser.scroll_to("[data-action=reset-keys]").await?;
        browser.click("[data-action=reset-keys]").await?;
        browser.read("[data-keys-of=minimap]", "M").await
    })
    .await
}

#[tokio::test]
async fn a_channel_is_saved_as_pictures() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-pictures", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        let mut hostile = channel();
        hostile["spec"]["nodes"][0]["title"] = json!("<script>alert(1)</script>");
        browser.import(&hostile).await?;
        browser.click("[data-action=export-more]").await?;
        browser.click("[data-action=export-svg]").await?;
        let svg = std::fs::read_to_string(browser.downloaded("canvas.svg").await?)?;
        ensure!(
            svg.starts_with("<svg") && svg.contains("&lt;script&gt;") && !svg.contains("<script"),
            "{svg}"
        );
        browser.click("[data-action=export-more]").await?;
        browser.click("[data-action=export-png]").await?;
        let png = std::fs::read(browser.downloaded("canvas.png").await?)?;
        ensure!(png.starts_with(b"\x89PNG") && png.len() > 4000, "{} bytes", png.len());
        Ok(())
    })
    .await
}

#[tokio::test]
async fn undo_reaches_over_a_reload_also_for_what_was_never_saved() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("canvas-unsaved", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        let start = browser.document().await?;
        // Saves do not get through any more.
        browser
            .eval("window.fetch = ((real) => (to, with_) => with_?.method === 'PUT' ? Promise.reject(new TypeError('cut')) : real(to, with_))(window.fetch)", &[])
            .await?;
        let grip = browser.grip("mask").await?;
        browser.drag(grip, (grip.0 + 96.0, grip.1 + 64.0)).await?;
        browser.until("the save to fail", "['failed', 'pending'].includes(document.querySelector('[data-testid=save]')?.dataset.save)").await?;
        browser.reload().await?;
        browser.see("[data-testid=canvas] .node").await?;
        let kept = browser.document().await?;
        assert_eq!(spot(&kept, "mask"), (368.0, 272.0), "what was drawn is not lost");
        browser.click("[data-action=undo]").await?;
        browser.until("the way back", "document.querySelector('[data-action=undo]').disabled").await?;
        assert_eq!(browser.document().await?, start);
        // What the browser could not send is told in its console.
        browser.errors().await?;
        Ok(())
    })
    .await
}
