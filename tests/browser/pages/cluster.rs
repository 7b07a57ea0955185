//! The page of the cluster, of a Fairway that runs alone: its one worker, what it runs and why.

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::scenario;
use super::{WINDOW, chain};
use crate::support::Fairway;

#[tokio::test]
async fn one_alone_is_a_cluster_of_one() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let document = chain(
        "busy",
        json!([
            { "id": "made", "component": "generate_source", "config": { "rate": 50 } },
            { "id": "out", "component": "discard_sink" },
        ]),
    )?;
    scenario("pages-cluster", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.click("[data-page=cluster] a").await?;
        browser.see("[data-testid=cluster] [data-worker][data-state=running]").await?;
        browser.see("[data-testid=alone]").await?;
        browser.see("[data-testid=no-tasks]").await?;
        ensure!(browser.count("[data-action=drain]").await? == 0, "the only worker cannot be drained");
        browser.click("[data-page=channels] a").await?;
        browser.see("[data-testid=channels] h1").await?;
        browser.import(&document).await?;
        browser.deploy(1).await?;
        browser.state("running").await?;
        browser.back_to_channels().await?;
        browser.click("[data-page=cluster] a").await?;
        browser.see("[data-place] [data-state=running]").await?;
        browser.screenshot("busy").await?;
        browser.accessible("the cluster").await?;
        browser.click("[data-place] a").await?;
        browser.see("[data-testid=canvas] .node").await.map(|_| ())
    })
    .await
}
