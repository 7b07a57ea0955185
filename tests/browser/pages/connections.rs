//! Connections: made by form, tested, named by a node, with their tables to choose from; secrets go in and never come out.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use sqlx::ConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;

use super::super::{Browser, scenario};
use super::WINDOW;
use crate::support::Fairway;

const SECRET: &str = "CANARY-1-zq9";

#[tokio::test]
async fn a_connection_is_made_tested_and_used() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let folder = fairway.files()?.join("in");
    std::fs::create_dir_all(&folder)?;
    let mut database = SqliteConnectOptions::new()
        .filename(folder.join("shop.db"))
        .create_if_missing(true)
        .connect()
        .await?;
    for statement in [
        "CREATE TABLE orders (id INTEGER PRIMARY KEY, total TEXT)",
        "CREATE TABLE customers (id INTEGER PRIMARY KEY)",
    ] {
        sqlx::query(statement).execute(&mut database).await?;
    }
    drop(database);
    scenario("pages-connections", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.click("[data-page=connections] a").await?;
        browser.see("[data-testid=no-connections]").await?;
        browser.screenshot("none").await?;
        browser.click("[data-testid=no-connections] [data-action=add-connection]").await?;
        browser.click("[data-connector=sqlite]").await?;
        browser.fill("name", "shop").await?;

        // A test tells what is wrong before anything is stored, and then that it is right.
        browser.fill("path", "in/nothing.db").await?;
        browser.click("[data-testid=connection] [data-action=test-connection]").await?;
        browser.see("[data-testid=connection] .probe-result").await?;
        browser.fill("path", "in/shop.db").await?;
        browser.click("[data-testid=connection] [data-action=test-connection]").await?;
        browser.see("[data-testid=connection] [data-probe=good]").await?;
        browser.screenshot("form").await?;
        browser.click("[data-action=save-connection]:enabled").await?;
        browser.see("[data-connection=shop]").await?;
        browser.click("[data-connection=shop] [data-action=test-connection]").await?;
        browser.see("[data-connection=shop] [data-testid=tested] [data-probe=good]").await?;
        secret(browser).await?;
        browser.screenshot("list").await?;
        used(browser).await
    })
    .await
}

/// A secret is stored in place, by name; its value is nowhere to be read afterwards.
async fn secret(browser: &mut Browser) -> Result<()> {
    browser.click("[data-action=add-connection]").await?;
    browser.click("[data-connector=http]").await?;
    browser.fill("name", "api").await?;
    browser.fill("url", "http://127.0.0.1:9/orders").await?;
    browser.eval("document.querySelector('select[data-input=token]').focus()", &[]).await?;
    browser.key("End").await?;
    browser.see("#secret-value").await?;
    browser.click("#secret-name").await?;
    browser.key("Mod+a").await?;
    browser.type_text("api-token").await?;
    browser.click("#secret-value").await?;
    browser.type_text(SECRET).await?;
    browser.scroll_to("[data-action=store-secret]").await?;
    browser.click("[data-action=store-secret]").await?;
    browser
        .until(
            "the reference",
            "document.querySelector('select[data-input=token]')?.value === '${secret:api-token}'",
        )
        .await?;
    browser.click("[data-action=save-connection]:enabled").await?;
    browser.see("[data-connection=api]").await?;
    let stored = browser.ask_server("connections").await?;
    let api =
        stored["connections"].as_array().and_then(|all| all.iter().find(|one| one["name"] == "api")).cloned();
    assert_eq!(
        api.map(|one| one["document"]["spec"]["config"]["token"].clone()),
        Some(json!("${secret:api-token}"))
    );
    let page = browser.eval("document.documentElement.outerHTML", &[]).await?;
    ensure!(
        !page.to_string().contains(SECRET) && !stored.to_string().contains(SECRET),
        "a secret can be read"
    );
    Ok(())
}

/// A node names the connection and chooses one of its tables; where it is used it cannot be deleted.
async fn used(browser: &mut Browser) -> Result<()> {
    browser.click("header .brand").await?;
    browser.new_channel().await?;
    let source = browser.place("sqlite_table_source", (160.0, 120.0)).await?;
    browser.inspect(&source).await?;
    browser.click("input[data-input=connection]").await?;
    browser.click(".combo-list [data-choice=shop]").await?;
    browser.see("[data-action=set-here]").await?;
    browser.scroll_to(".inspector [data-action=test-connection]").await?;
    browser.click(".inspector [data-action=test-connection]").await?;
    browser.see(".inspector [data-probe=good]").await?;
    browser.scroll_to("input[data-input=tables]").await?;
    browser.click("input[data-input=tables]").await?;
    browser.see(".combo-list [data-choice=customers]").await?;
    browser.click(".combo-list [data-choice=orders]").await?;
    let document = browser.document().await?;
    let config = &document["spec"]["nodes"][0]["config"];
    assert_eq!(*config, json!({ "connection": "shop", "tables": ["orders"] }));
    browser.screenshot("chosen").await?;

    browser.click("header .brand").await?;
    browser.click("[data-page=connections] a").await?;
    browser.see("[data-connection=shop] .connection-uses a").await?;
    browser.click("[data-connection=shop] [data-action=more]").await?;
    ensure!(
        browser.count("[data-connection=shop] [data-action=delete-connection]:disabled").await? == 1,
        "what is used can be deleted"
    );
    browser.key("Escape").await?;

    // One that nobody uses goes, and comes back.
    browser.click("[data-connection=api] [data-action=more]").await?;
    browser.click("[data-connection=api] [data-action=delete-connection]").await?;
    browser.click("[data-action=confirm]").await?;
    browser.until("it to be gone", "!document.querySelector('[data-connection=api]')").await?;
    browser.click("[data-action=toast]").await?;
    browser.see("[data-connection=api]").await?;
    let secrets: Value = browser.ask_server("secrets").await?;
    assert_eq!(secrets["secrets"], json!(["api-token"]));
    Ok(())
}
