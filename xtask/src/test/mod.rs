//! `cargo xtask test`: format, lints, every test, the documentation. CI runs exactly this.
//!
//! All steps run even if one fails, so that one run tells everything; the last line is always the counts of
//! tests, and the exit code tells whether everything passed. `counts.rs` reads what cargo's test runner prints.
//!
//! A few tests that fail beside all others are tried once more, alone: a busy machine is no fault of the product. One that
//! passes then is named as unsteady, and is a fault of the test to be mended; one that fails again has failed. A binary that
//! is ended by a crash leaves its tests unknown: then all of them run once more, and that is named, too.

mod counts;

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};

use self::counts::Counts;
use crate::bundle::{self, Build};
use crate::house::{House, WASM};
use crate::setup::{self, Purpose};
use crate::{deny, peers, step};

/// The workspace without the designer, which is built for the browser only; with the desktop app where that can be built, in
/// the same go, or what both need would be built twice.
fn native() -> &'static [&'static str] {
    const ALL: &[&str] =
        &["--workspace", "--exclude", "fairway-designer", "--features", "fairway-desktop/desktop"];
    if setup::webkit() { ALL } else { &ALL[..3] }
}

/// The path of every test that needs a browser begins with this.
const BROWSER: &str = "browser::";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Format, clippy, documentation, licences.
    Lint,
    /// Every test that needs no browser.
    Unit,
    /// The tests in a real browser.
    Browser,
}

#[derive(Args)]
pub(crate) struct Options {
    /// Only this part.
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Passed on to the test binaries: a filter, `--exact`, `--test-threads=1`, …
    #[arg(last = true)]
    args: Vec<String>,
}

impl Options {
    fn wants(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }

    fn tests(&self) -> bool {
        self.wants(Part::Unit) || self.wants(Part::Browser)
    }
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    let mut report = Report::default();
    report.step("setup", || prepare(options))?;
    if options.tests() {
        report.check("peers", || peers::fetch(house));
    }
    if options.wants(Part::Lint) {
        lint(house, &mut report);
    }
    let mut counts = Counts::default();
    if options.tests() {
        report.check("bundle", || bundle::bundle(house, Build::Debug).map(|_| ()));
        report.check("build", || step::must(house.cargo(["build", "--bins", "--tests"]).args(native())));
        report.check("tests", || tests(house, options, &mut counts));
        if options.only != Some(Part::Browser) {
            report.check("tests of the designer", || designer(house, options, &mut counts));
        }
    }
    report.print();
    for reason in &counts.reasons {
        println!("skipped: {reason}");
    }
    for test in &counts.unsteady {
        println!("unsteady: {test}: failed beside the others, passed alone");
    }
    for (name, error) in &report.failures {
        println!("failed: {name}: {error:#}");
    }
    if options.tests() {
        println!("{counts}");
    }
    ensure!(report.failures.is_empty(), "{} of the steps failed", report.failures.len());
    Ok(())
}

/// A machine that cannot have a browser still runs the rest, and the browser tests count as skipped; CI has no
/// such excuse.
fn prepare(options: &Options) -> Result<()> {
    let purpose = if options.wants(Part::Browser) { Purpose::Test } else { Purpose::Run };
    match setup::prepare(purpose) {
        Err(error) if purpose == Purpose::Test && !ci() => {
            eprintln!("warning: {error:#}");
            setup::prepare(Purpose::Run)
        }
        result => result,
    }
}

fn ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty())
}

fn lint(house: &House, report: &mut Report) {
    report.check("format", || step::must(&mut house.cargo(["fmt", "--all", "--check"])));
    report.check("clippy", || {
        step::must(house.cargo(["clippy", "--all-targets"]).args(native()).args(["--", "-D", "warnings"]))
    });
    report.check("clippy of the designer", || {
        let package = ["clippy", "-p", "fairway-designer", "--target", WASM];
        step::must(house.cargo(package).args(["--", "-D", "warnings"]))
    });
    // These pages are for people who change the code: a link into a private room is welcome.
    let flags = "-Dwarnings -Arustdoc::private_intra_doc_links";
    report
        .check("documentation", || step::must(house.cargo(["doc", "--no-deps"]).env("RUSTDOCFLAGS", flags)));
    report.check("licences", || deny::run(house));
}

/// Most tests that are tried again; where more fail, no machine is to blame.
const FEW: usize = 5;

/// Stands for a test that cannot be named.
const CRASH: &str = "a test binary that crashed";

/// Runs cargo's tests, showing their output as it comes and counting it.
fn tests(house: &House, options: &Options, counts: &mut Counts) -> Result<()> {
    let filters: Vec<&str> = match options.only {
        Some(Part::Browser) if options.args.is_empty() => vec![BROWSER],
        Some(Part::Unit) => vec!["--skip", BROWSER],
        _ => Vec::new(),
    };
    let given: Vec<&str> = filters.into_iter().chain(options.args.iter().map(String::as_str)).collect();
    let mut result = counted(&mut runner(house, options, given.iter().copied()), counts);
    if counts.crashed() {
        println!("a test binary crashed: all tests once more");
        *counts = Counts::default();
        result = counted(&mut runner(house, options, given), counts);
        counts.unsteady.push(CRASH.to_owned());
    }
    if result.is_ok() || !counts.all_named() || counts.failed > FEW {
        return result;
    }
    println!("trying again, alone: {}", counts.failures.join(", "));
    let names = counts.failures.iter().map(String::as_str);
    let mut again = Counts::default();
    counted(
        &mut runner(house, options, ["--exact", "--test-threads=1"].into_iter().chain(names)),
        &mut again,
    )?;
    ensure!(again.are_all_of(counts.failed), "{} tests failed, and could not be tried again", counts.failed);
    counts.passed_again();
    Ok(())
}

fn runner<'a>(house: &House, options: &Options, args: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = house.cargo(["test", "--no-fail-fast"]);
    command.args(native());
    if options.only == Some(Part::Browser) {
        command.args(["--test", "it"]);
    }
    // Output of tests that pass is shown too, for that is where a test says that it skipped itself.
    command.args(["--", "--show-output"]).args(args);
    command.env("FAIRWAY_BIN", house.binary("debug", "fairway"));
    command.env("FAIRWAY_DESKTOP", house.binary("debug", "fairway-desktop"));
    command.env("FAIRWAY_REQUIRE_BROWSER", if ci() { "1" } else { "" });
    command
}

/// What of the designer needs no browser: texts in both languages, summaries, addresses. It is no default member, for it is
/// otherwise built for WebAssembly only.
fn designer(house: &House, options: &Options, counts: &mut Counts) -> Result<()> {
    let mut command =
        house.cargo(["test", "-p", "fairway-designer", "--no-fail-fast", "--", "--show-output"]);
    counted(command.args(&options.args), counts)
}

fn counted(command: &mut Command, counts: &mut Counts) -> Result<()> {
    let before = counts.failed;
    let shown = step::show(command);
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("could not start `{shown}`"))?;
    let output = child.stdout.take().context("standard output was piped")?;
    let mut reader = counts::Reader::default();
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read the output of the tests")?;
        let line = String::from_utf8_lossy(&line);
        if reader.line(line.trim_end(), counts) {
            println!("{line}");
        }
    }
    let status = child.wait()?;
    let failed = counts.failed - before;
    if failed > 0 {
        bail!("{failed} tests failed");
    }
    ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(())
}

/// What each step took, and which failed.
#[derive(Default)]
struct Report {
    times: Vec<(&'static str, Duration)>,
    failures: Vec<(&'static str, anyhow::Error)>,
}

impl Report {
    /// A step that everything after it needs.
    fn step(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let started = Instant::now();
        let result = work();
        self.times.push((name, started.elapsed()));
        result
    }

    /// A step whose failure is told at the end.
    fn check(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) {
        if let Err(error) = self.step(name, work) {
            eprintln!("failed: {name}: {error:#}");
            self.failures.push((name, error));
        }
    }

    fn print(&self) {
        println!();
        for (name, time) in &self.times {
            println!("{:>8.1} s  {name}", time.as_secs_f64());
        }
        let all: Duration = self.times.iter().map(|(_, time)| *time).sum();
        println!("{:>8.1} s  all\n", all.as_secs_f64());
    }
}
