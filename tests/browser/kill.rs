//! The power fails several times while a channel runs: at its end every record is in each target once (G8, I1, I2), and
//! the page that was open all the time shows it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::flights::table;
use super::{Browser, Looks, scenario};
use crate::support::Fairway;

/// Records in the file: more than a run without optimisation moves before it is killed for the last time.
const ROWS: u64 = 200_000;

/// Kills come when this many percent of the target are written.
const KILLS: [u64; 4] = [5, 25, 45, 65];

#[tokio::test]
async fn a_server_that_is_killed_loses_and_doubles_nothing() -> Result<()> {
    let mut fairway = Fairway::start(&[])?;
    let files = fairway.files()?;
    let whole = write_rows(&files.join("rows.csv"))?;
    let target = files.join("out/rows.jsonl");
    scenario("kill", Looks::default(), async |browser| {
        browser.visit(&fairway).await?;
        browser.import(&channel()).await?;
        browser.deploy(1).await?;
        let mut before = 0;
        for percent in KILLS {
            let size = wait_for_size(&target, whole * percent / 100).await?;
            fairway.kill()?;
            ensure!(size > before, "nothing moved since the last start");
            ensure!(size < whole, "the channel was through before it was killed at {percent} %");
            before = size;
            browser
                .until("the page to see that the server is away", "document.querySelector('.gone')")
                .await?;
            fairway.start_again()?;
        }
        browser.until("the page to find the server again", "!document.querySelector('.gone')").await?;
        let status = browser.settled(1, "completed").await?;
        let counts = &status["counts"];
        assert_eq!(counts["read"].as_u64(), Some(ROWS), "{counts}");
        assert_eq!(counts["delivered"].as_u64(), Some(ROWS), "{counts}");
        assert_eq!(counts["dead_lettered"].as_u64(), Some(0), "{counts}");
        browser.figure("rows", "out", ROWS).await?;
        for target in ["lines", "table"] {
            browser.figure(target, "in", ROWS).await?;
            browser.figure(target, "out", ROWS).await?;
        }
        only_lost_connections(browser).await
    })
    .await?;
    if target.exists() {
        every_line_once(&target)?;
        every_row_once(&files.join("out/rows.db")).await?;
    }
    Ok(())
}

fn channel() -> Value {
    json!({
        "apiVersion": "fairway/v1",
        "kind": "Channel",
        "metadata": { "name": "rows" },
        "spec": {
            "nodes": [
                { "id": "rows", "component": "csv_source", "config": { "path": "rows.csv" } },
                { "id": "lines", "component": "jsonl_sink", "config": { "path": "out/rows.jsonl" } },
                { "id": "table", "component": "sqlite_sink", "config": { "path": "out/rows.db", "table": "rows" } },
            ],
            "edges": [{ "from": "rows", "to": "lines" }, { "from": "rows", "to": "table" }],
        },
        "layout": { "nodes": {
            "rows": { "x": 0, "y": 0 },
            "lines": { "x": 320, "y": 0 },
            "table": { "x": 320, "y": 128 },
        } },
    })
}

/// Writes the source's file and returns how many bytes the target will have.
fn write_rows(path: &Path) -> Result<u64> {
    let mut file = std::io::BufWriter::new(fs::File::create(path)?);
    writeln!(file, "id,name,amount")?;
    let mut bytes = 0;
    for id in 0..ROWS {
        let line = line(id);
        bytes += line.len() as u64 + 1;
        writeln!(file, "{id},name {id},{}", amount(id))?;
    }
    file.flush()?;
    Ok(bytes)
}

fn amount(id: u64) -> String {
    format!("{}.{:02}", id % 1000, id % 97)
}

/// A row as the target writes it.
fn line(id: u64) -> String {
    format!("{{\"id\":{id},\"name\":\"name {id}\",\"amount\":{}}}", amount(id))
}

async fn wait_for_size(path: &Path, size: u64) -> Result<u64> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let now = fs::metadata(path).map_or(0, |file| file.len());
        if now >= size {
            return Ok(now);
        }
        ensure!(Instant::now() < deadline, "{} has {now} of {size} bytes", path.display());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// The browser tells of every request that found no server, and of nothing else.
async fn only_lost_connections(browser: &Browser) -> Result<()> {
    let errors = browser.errors().await?;
    let other: Vec<_> = errors.iter().filter(|error| !error.contains("net::ERR_")).collect();
    ensure!(other.is_empty(), "{other:?}");
    ensure!(!errors.is_empty(), "the browser has not seen that the server was away");
    Ok(())
}

fn every_line_once(path: &Path) -> Result<()> {
    let file = BufReader::new(fs::File::open(path)?);
    let mut id = 0;
    for found in file.lines() {
        let found = found.with_context(|| format!("line {id}"))?;
        assert_eq!(found, line(id), "line {id}");
        id += 1;
    }
    assert_eq!(id, ROWS, "rows are missing at the end");
    Ok(())
}

async fn every_row_once(path: &Path) -> Result<()> {
    let rows = table(path, "rows").await?;
    for (id, row) in (0..).zip(&rows) {
        let expected = json!({ "id": id, "name": format!("name {id}"), "amount": amount(id) });
        assert_eq!(*row, expected, "row {id}");
    }
    assert_eq!(rows.len() as u64, ROWS, "rows are missing at the end");
    Ok(())
}
