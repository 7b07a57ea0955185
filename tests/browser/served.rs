//! The designer as the runtime serves it: it starts, under the real security policy, from the address that a person opens.

use anyhow::{Result, ensure};
use serde_json::json;

use super::{Looks, scenario};
use crate::support::Fairway;

#[tokio::test]
async fn the_printed_address_opens_the_designer() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("served", Looks::default(), async |browser| {
        browser.goto(fairway.address()).await?;
        // The loader takes the notice away once the designer runs. A broken policy, module or script would leave it.
        browser.until("the designer to start", "!document.getElementById('boot')").await?;
        assert_eq!(browser.eval("document.title.includes('Fairway')", &[]).await?, json!(true));

        let place = browser.eval("location.href", &[]).await?;
        let place = place.as_str().unwrap_or_default();
        ensure!(place.starts_with(fairway.origin()), "the browser is at {place}");
        ensure!(!place.contains(fairway.token()), "the token stays in the address: {place}");

        let wasm = browser.eval(
            "performance.getEntriesByType('resource').filter((entry) => entry.name.endsWith('.wasm')).length",
            &[],
        );
        assert_eq!(wasm.await?, json!(1), "the module is fetched once, by the preload");

        // For whoever reads the output: a test is no place to judge time.
        let painted =
            "performance.getEntriesByName('first-contentful-paint').map((entry) => entry.startTime)[0]";
        browser.until("the first paint", &format!("({painted}) > 0")).await?;
        let painted = browser.eval(painted, &[]).await?;
        println!("first contentful paint after {painted} ms");

        // A place within the designer can be opened by its address.
        browser.goto(&format!("{}/channels", fairway.origin())).await?;
        browser.until("the designer to start", "!document.getElementById('boot')").await?;
        Ok(())
    })
    .await
}
