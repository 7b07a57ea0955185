//! Proves the harness on a page of its own, so that a failing product test tells of the product.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::{Looks, scenario};
use crate::support::Page;

const HTML: &str = include_str!("smoke.html");

#[tokio::test]
async fn a_hand_reaches_the_page() -> Result<()> {
    let page = Page::serve(HTML)?;
    scenario("smoke-hand", Looks::default(), async |browser| {
        browser.goto(page.address()).await?;
        let before = browser.see("#box").await?;
        assert_eq!((before.x, before.y, before.width, before.height), (100.0, 100.0, 80.0, 60.0));

        browser.drag(before.middle(), (340.0, 430.0)).await?;
        let after = browser.see("#box").await?;
        assert_eq!(after.middle(), (340.0, 430.0));
        let moves = browser.eval("seen.moves", &[]).await?;
        ensure!(moves.as_u64() >= Some(5), "a drag is more than its ends: {moves} moves");

        // The same by hand, with a look on the way.
        browser.press().await?;
        browser.move_to((200.0, 300.0)).await?;
        assert_eq!(browser.see("#box").await?.middle(), (200.0, 300.0));
        browser.release().await?;

        browser.eval("seen.clicks.length = 0", &[]).await?;
        browser.double_click_at((50.0, 50.0)).await?;
        browser.right_click_at((60.0, 50.0)).await?;
        let clicks = browser.until("the clicks", "seen.clicks.length == 4 && seen.clicks").await?;
        assert_eq!(clicks, json!(["click 50,50", "click 50,50", "dblclick 50,50", "contextmenu 60,50"]));

        browser.wheel((300, 200), (0, 120), "").await?;
        browser.until("the wheel", "seen.wheel === '300,200 0,120'").await?;
        browser.wheel((300, 200), (0, -120), "Mod").await?;
        browser.until("the wheel with Control", "seen.wheel === 'Ctrl 300,200 0,-120'").await?;
        let picture = browser.screenshot("end").await?;
        ensure!(std::fs::metadata(picture)?.len() > 1000, "the screenshot is empty");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn keys_and_files_reach_the_page() -> Result<()> {
    let page = Page::serve(HTML)?;
    scenario("smoke-keys", Looks::default(), async |browser| {
        browser.goto(page.address()).await?;
        browser.click("#name").await?;
        browser.type_text("Hafen 港口").await?;
        browser.until("the text", "document.getElementById('name').value === 'Hafen 港口'").await?;

        browser.eval("seen.keys.length = 0", &[]).await?;
        for chord in ["Escape", "Mod+k", "Mod+Shift+Z", "Shift+ArrowLeft", "Mod++", "Delete"] {
            browser.key(chord).await?;
        }
        let keys =
            browser.eval("seen.keys.filter((key) => !/(Control|Shift)$/.test(key)).join(' ')", &[]).await?;
        // On this keyboard the plus sign wants Shift, and the browser says so.
        assert_eq!(keys, "Escape Ctrl+k Ctrl+Shift+Z Shift+ArrowLeft Ctrl+Shift++ Delete");

        let folder = tempfile::tempdir()?;
        let path = folder.path().join("chosen.csv");
        std::fs::write(&path, "a\n")?;
        browser.choose_file("#file", &path).await?;
        browser.until("the file", "document.getElementById('file').files[0]?.name === 'chosen.csv'").await?;
        browser.click("#save").await?;
        let saved = browser.downloaded("saved.txt").await?;
        assert_eq!(std::fs::read_to_string(saved)?, "kept");

        browser.read("#box", "drag me").await?;
        assert_eq!(browser.count("input").await?, 2);
        let text = "navigator.clipboard.writeText('copied').then(() => navigator.clipboard.readText())";
        assert_eq!(browser.eval(text, &[]).await?, "copied");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn the_looks_are_the_ones_asked_for() -> Result<()> {
    let page = Page::serve(HTML)?;
    let looks = Looks {
        viewport: (1000, 700),
        language: "zh-CN",
        dark: true,
        reduced_motion: true,
        forced_colors: true,
    };
    scenario("smoke-looks", looks, async |browser| {
        browser.goto(page.address()).await?;
        let media = |query: &str| format!("matchMedia('({query})').matches");
        let expression = format!(
            "[innerWidth, innerHeight, navigator.language, {}, {}, {}]",
            media("prefers-color-scheme: dark"),
            media("prefers-reduced-motion: reduce"),
            media("forced-colors: active"),
        );
        assert_eq!(browser.eval(&expression, &[]).await?, json!([1000, 700, "zh-CN", true, true, true]));
        browser.reload().await?;
        assert_eq!(browser.eval("innerWidth", &[]).await?, json!(1000));
        Ok(())
    })
    .await?;
    scenario("smoke-plain", Looks::default(), async |browser| {
        browser.goto(page.address()).await?;
        let expression = "[navigator.language, matchMedia('(prefers-color-scheme: dark)').matches]";
        assert_eq!(browser.eval(expression, &[]).await?, json!(["en-US", false]));
        Ok(())
    })
    .await
}

#[tokio::test]
async fn errors_of_the_page_fail_a_scenario() -> Result<()> {
    let page = Page::serve(HTML)?;
    let mut ran = false;
    let result = scenario("smoke-console", Looks::default(), async |browser| {
        ran = true;
        browser.goto(page.address()).await?;
        browser.eval("console.error('expected')", &[]).await?;
        let errors = browser.errors().await?;
        ensure!(errors.len() == 1 && errors[0].contains("expected"), "{errors:?}");
        browser.eval("console.error('unexpected')", &[]).await.map(|_: Value| ())
    })
    .await;
    // Where there is no browser there is nothing to tell.
    if ran {
        let error = format!("{:#}", result.err().ok_or_else(|| anyhow::anyhow!("the scenario passed"))?);
        ensure!(error.contains("unexpected"), "{error}");
    }
    Ok(())
}
