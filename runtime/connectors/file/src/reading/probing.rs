//! What there is to read, for the form: which files the paths lead to now, and what the first says about its records.

use std::collections::BTreeMap;

use fairway_engine::Error;
use fairway_engine::files::Files;
use fairway_engine::probe::ProbeCtx;
use fairway_shared::component::{Choice, Probe};

use super::Paths;
use super::chunk::Chunk;
use super::input::{Coding, Input};
use super::open_file::{HEAD, unreadable};
use super::paths::{Found, Pattern, find};

/// Most files that are offered to choose from.
const OFFERED: usize = 200;

/// Choices by dotted setting.
pub(crate) type Choices = BTreeMap<String, Vec<Choice>>;

/// Looks at the files that paths lead to; `look` gets the front of the first with content. Without a path, it offers the
/// files with this ending.
///
/// # Errors
/// What reading would stumble over before its first record.
pub(crate) async fn probe(
    paths: Paths,
    ending: &'static str,
    coding: Coding,
    cx: ProbeCtx,
    look: impl FnOnce(&str, &Chunk) -> Result<Choices, Error> + Send + 'static,
) -> Result<Probe, Error> {
    let deadline = cx.deadline;
    let work = move || {
        if matches!(&paths, Paths::One(path) if path.is_empty()) {
            return offer(&cx.files, ending);
        }
        let patterns = paths.patterns().map_err(|message| Error::config("file.bad_path", message))?;
        let mut finding = find(&cx.files, &patterns, false)?;
        if !finding.faults.is_empty() {
            return Err(finding.faults.swap_remove(0));
        }
        let choices = match finding.files.iter().find(|found| found.length > 0) {
            Some(found) => look(&found.name, &head(found, coding)?)?,
            None => Choices::new(),
        };
        Ok(Probe { found: listed(&finding.files), choices })
    };
    match tokio::time::timeout(deadline, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => Err(Error::failed("file.interrupted", "looking at files broke off").source(error)),
        Err(_) => Err(Error::outage("file.slow", "the files could not be looked at in time")),
    }
}

fn head(found: &Found, coding: Coding) -> Result<Chunk, Error> {
    let failed = |error| unreadable(found, error);
    let mut input = Input::open(&found.path, coding).map_err(failed)?;
    let (head, result) = Chunk::empty(0).next(0, &mut input, HEAD);
    // A file that is damaged further behind still has a front.
    if head.base.is_empty() { result.map(|()| head).map_err(failed) } else { Ok(head) }
}

/// `3 files, 12 345 bytes: in/a.csv and 2 more`.
fn listed(files: &[Found]) -> String {
    let bytes: u64 = files.iter().map(|found| found.length).sum();
    match files {
        [] => "no file yet".into(),
        [one] => format!("{}, {bytes} bytes", one.name),
        [first, rest @ ..] => {
            format!("{} files, {bytes} bytes: {} and {} more", files.len(), first.name, rest.len())
        }
    }
}

/// The files with an ending below the folder that paths start from, compressed ones too.
fn offer(files: &Files, ending: &str) -> Result<Probe, Error> {
    let glob = format!("**/*.{{{ending},{ending}.gz,{ending}.zst}}");
    let pattern = Pattern::new(&glob).map_err(|message| Error::config("file.bad_path", message))?;
    let finding = find(files, &[pattern], true)?;
    let choice = |found: &Found| Choice::new(&found.name, format!("{} bytes", found.length));
    let choices = finding.files.iter().take(OFFERED).map(choice).collect();
    Ok(Probe { found: listed(&finding.files), choices: Choices::from([("path".to_owned(), choices)]) })
}
