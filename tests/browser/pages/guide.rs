//! The guided first channel: each step is ticked off as it is done, and it can be skipped.

use anyhow::Result;

use super::super::scenario;
use super::WINDOW;
use crate::support::Fairway;

#[tokio::test]
async fn a_first_channel_is_guided_and_can_be_left() -> Result<()> {
    let fairway = Fairway::start(&[])?.with_samples()?;
    scenario("pages-guide", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.click("[data-action=door-guide]").await?;
        browser.see("[data-testid=guide] [data-step='0'][aria-current=step]").await?;
        browser.screenshot("begin").await?;
        browser.accessible("the guide").await?;
        browser.place("csv_source", (260.0, 200.0)).await?;
        browser.see("[data-testid=guide] [data-step='1'][aria-current=step]").await?;
        browser.fill("path", "samples/flights.csv").await?;
        browser.see("[data-testid=guide] [data-step='2'][aria-current=step]").await?;
        browser.place("jsonl_sink", (560.0, 200.0)).await?;
        browser.wire("csv", "jsonl").await?;
        browser.see("[data-testid=guide] [data-step='3'][aria-current=step]").await?;
        browser.inspect("jsonl").await?;
        browser.fill("path", "out/first.jsonl").await?;
        browser.see("[data-testid=guide] [data-step='4'][aria-current=step]").await?;
        browser.panel("preview").await?;
        browser.see("[data-testid=guide] [data-step='5'][aria-current=step]").await?;
        browser.deploy(1).await?;
        browser.read("[data-testid=guide]", "Done").await?;
        browser.screenshot("done").await?;
        browser.click("[data-action=leave-guide]").await?;
        browser.until("it to go", "!document.querySelector('[data-testid=guide]')").await?;
        browser.reload().await?;
        browser.see("[data-testid=canvas] .node").await?;
        assert_eq!(browser.count("[data-testid=guide]").await?, 0);
        Ok(())
    })
    .await
}
