//! Names, settings, data and errors that are markup, run the wrong way, have no end or have nothing in them: they are shown
//! letter for letter, never run, and leave the page in shape (cases 052 and 054). Secrets stay behind (case 053).

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::{Browser, scenario};
use super::{WINDOW, chain};
use crate::support::Fairway;

fn strings() -> Result<Vec<String>> {
    Ok(serde_json::from_str(include_str!("../../cases/052-markup-in-names/strings.json"))?)
}

fn names() -> Result<Vec<String>> {
    Ok(serde_json::from_str(include_str!("../../cases/054-odd-names/names.json"))?)
}

/// Nothing of the texts ran: no title was set, no dialog is open, nothing was fetched from elsewhere, and nothing sticks out.
async fn quiet(browser: &Browser) -> Result<()> {
    let title = browser.eval("document.title", &[]).await?;
    ensure!(title != "owned", "a text ran as a script");
    let foreign = "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => new URL(name).origin !== location.origin && !name.startsWith('blob:'))";
    assert_eq!(browser.eval(foreign, &[]).await?, json!([]), "something was fetched from elsewhere");
    let made = "document.querySelectorAll('body img, body svg[onload], body [onerror], body [onmouseover], body script').length";
    assert_eq!(browser.eval(made, &[]).await?, json!(0), "a text became an element");
    let wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(browser.eval(wide, &[]).await?, json!(0), "the page scrolls sideways");
    Ok(())
}

#[tokio::test]
async fn texts_from_elsewhere_are_nothing_but_texts() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let strings = strings()?;
    // Records that hold the texts as names of fields and as values; each is refused with its value in the reason.
    let mut rows = String::new();
    for text in &strings {
        rows.push_str(&json!({ "n": text, text: text }).to_string());
        rows.push('\n');
    }
    std::fs::write(fairway.files()?.join("hostile.jsonl"), &rows)?;
    scenario("pages-hostile", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        let mut uids = Vec::new();
        for text in &strings {
            let document = document(text)?;
            let made = browser
                .eval(
                    "fetch('/api/v1/channels', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: arguments[0] }).then((answer) => answer.json())",
                    &[json!(json!({ "document": document }).to_string())],
                )
                .await?;
            uids.push(made["uid"].as_str().with_context(|| format!("{text:?} is no name: {made}"))?.to_owned());
        }
        browser.until("all cards", &format!("document.querySelectorAll('.card').length === {}", strings.len())).await?;
        let shown = browser.texts(".card h2").await?;
        for text in &strings {
            ensure!(shown.contains(text), "{text:?} is not shown letter for letter: {shown:?}");
        }
        quiet(browser).await?;
        browser.screenshot("cards").await?;

        // Searched for, and about to be deleted.
        browser.click("[data-testid=search]").await?;
        browser.type_text("<script>").await?;
        browser.until("those that hold it", "document.querySelectorAll('.card').length === 2").await?;
        quiet(browser).await?;

        for (text, uid) in strings.iter().zip(&uids) {
            canvas(browser, &fairway, text, uid).await?;
        }
        records(browser, &fairway, &uids[0], &strings).await
    })
    .await
}

/// A channel whose every text is this one.
fn document(text: &str) -> Result<Value> {
    let mut document = chain(
        text,
        json!([
            { "id": "in", "component": "jsonl_source", "title": text, "config": { "path": "hostile.jsonl" } },
            { "id": "cast", "component": "cast_fields", "title": text, "config": { "fields": [{ "field": "n", "type": "int64" }] } },
            { "id": "out", "component": "sqlite_sink", "title": text, "config": { "path": "out/hostile.db", "table": text } },
        ]),
    )?;
    document["metadata"]["title"] = json!(text);
    document["metadata"]["description"] = json!(text);
    Ok(document)
}

/// The canvas of one: titles, settings, problems, plan; and the export, which keeps every letter.
async fn canvas(browser: &mut Browser, fairway: &Fairway, text: &str, uid: &str) -> Result<()> {
    browser.goto(&format!("{}/channels/{uid}", fairway.origin())).await?;
    browser.see("[data-testid=canvas] .node").await?;
    for title in browser.texts(".node-title").await? {
        assert_eq!(title, text);
    }
    browser.inspect("out").await?;
    let table = browser.eval("document.querySelector('input[data-input=table]').value", &[]).await?;
    assert_eq!(table, json!(text));
    quiet(browser).await?;
    let exported = browser.ask_server(&format!("channels/{uid}/export")).await?;
    assert_eq!(exported["metadata"]["name"], json!(text));
    assert_eq!(exported["spec"]["nodes"][2]["config"]["table"], json!(text));
    Ok(())
}

/// The texts as data: in the preview, and as records set aside with errors that repeat them.
async fn records(browser: &mut Browser, fairway: &Fairway, uid: &str, strings: &[String]) -> Result<()> {
    browser.goto(&format!("{}/channels/{uid}", fairway.origin())).await?;
    browser.see("[data-testid=canvas] .node").await?;
    browser.panel("preview").await?;
    browser.click("[data-step=in]").await?;
    browser.see("[data-shown=in] td").await?;
    let cells = browser.texts("[data-shown=in] tbody td").await?;
    let heads = browser.texts("[data-shown=in] thead bdi").await?;
    for text in strings {
        ensure!(cells.contains(text), "{text:?} is no cell: {cells:?}");
        ensure!(heads.contains(text), "{text:?} heads no column: {heads:?}");
    }
    quiet(browser).await?;
    browser.screenshot("preview").await?;

    browser.deploy(1).await?;
    browser.settled(1, "completed").await?;
    browser.panel("dead-letters").await?;
    browser.see("[data-dead-letter]").await?;
    let every = format!("document.querySelectorAll('[data-dead-letter]').length === {}", strings.len());
    browser.until("every record set aside", &every).await?;
    browser.see("[data-letter] [data-record-field]").await?;
    let ids = browser
        .eval(
            "[...document.querySelectorAll('[data-dead-letter]')].map((row) => row.dataset.deadLetter)",
            &[],
        )
        .await?;
    for id in ids.as_array().into_iter().flatten().filter_map(Value::as_str) {
        browser
            .eval("document.querySelector(`[data-dead-letter='${arguments[0]}']`).click()", &[json!(id)])
            .await?;
        browser.see(&format!("[data-letter='{id}']")).await?;
        let fields = browser.texts("[data-letter] [data-record-field] dd").await?;
        ensure!(fields.iter().all(|field| strings.contains(field)), "{fields:?}");
        quiet(browser).await?;
    }
    browser.screenshot("letters").await.map(|_| ())
}

#[tokio::test]
async fn odd_names_are_kept_or_refused_with_a_reason() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    scenario("pages-names", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        let mut kept = Vec::new();
        for name in names()? {
            let document = chain(&name, json!([{ "id": "numbers", "component": "generate_source", "config": { "count": 3 } }]))?;
            let made = browser
                .eval(
                    "fetch('/api/v1/channels', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: arguments[0] }).then(async (answer) => ({ status: answer.status, body: await answer.json() }))",
                    &[json!(json!({ "document": document }).to_string())],
                )
                .await?;
            match made["status"].as_u64() {
                Some(201) => kept.push((name, made["body"]["uid"].as_str().unwrap_or_default().to_owned())),
                Some(400..500) => ensure!(made["body"]["detail"].as_str().is_some_and(|why| !why.is_empty()), "{name:?}: {made}"),
                _ => anyhow::bail!("{name:?}: {made}"),
            }
        }
        // What was refused is told in the console, too.
        browser.errors().await?;
        ensure!(kept.len() >= 10, "most odd names are fine: {kept:?}");
        browser.reload().await?;
        browser.until("all cards", &format!("document.querySelectorAll('.card').length === {}", kept.len())).await?;
        let shown = browser.texts(".card h2").await?;
        for (name, _) in &kept {
            ensure!(shown.contains(name), "{name:?} is not shown as it is: {shown:?}");
        }
        browser.screenshot("cards").await?;

        // Each is saved as one file of the folder, under a name that can be recognised.
        let mut files = std::collections::BTreeSet::new();
        for (name, uid) in &kept {
            let header = browser
                .eval("fetch(`/api/v1/channels/${arguments[0]}/export`).then((answer) => decodeURIComponent(answer.headers.get('content-disposition').split(\"UTF-8''\")[1]))", &[json!(uid)])
                .await?;
            let file = header.as_str().context("an export has a name")?.to_owned();
            browser.goto(&format!("{}/channels/{uid}", fairway.origin())).await?;
            browser.see("[data-testid=canvas] .node").await?;
            // The bar has come to rest once it says how the draft stands.
            browser.saved().await?;
            let path = browser.exported(&file).await?;
            let exported: Value = serde_json::from_slice(&std::fs::read(&path)?)?;
            assert_eq!(exported["metadata"]["name"], json!(name));
            ensure!(files.insert(file.clone()), "two channels share {file}");
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn secrets_do_not_leave_by_export_or_clipboard() -> Result<()> {
    let fairway = Fairway::start(&[])?;
    let document = chain(
        "secrets",
        json!([
            { "id": "numbers", "component": "generate_source", "config": { "count": 3 } },
            { "id": "send", "component": "http_sink", "config": {
                "url": "http://user:CANARY-3-zq9@127.0.0.1:9/x?api_key=CANARY-4-zq9",
                "headers": { "Authorization": "Bearer CANARY-2-zq9" },
            } },
        ]),
    )?;
    scenario("pages-secrets", WINDOW, async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&document).await?;
        // What was written out is warned of where it stands.
        browser.see("[data-testid=problem-count]").await?;
        browser.panel("problems").await?;
        browser.see("#drawer-panel .problem").await?;
        browser.click("header [data-action=export]").await?;
        let file = browser.downloaded("secrets.fairway.json").await?;
        let exported = std::fs::read_to_string(&file)?;
        ensure!(!exported.contains("zq9"), "a password leaves by export: {exported}");

        browser.inspect("send").await?;
        browser.key("Mod+c").await?;
        let copied = browser
            .until(
                "the clipboard",
                "navigator.clipboard.readText().then((text) => text.includes('http_sink') && text)",
            )
            .await?;
        ensure!(!copied.to_string().contains("zq9"), "a password leaves by the clipboard: {copied}");
        Ok(())
    })
    .await
}
