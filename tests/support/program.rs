//! A program under test or beside it: started in a process group of its own, read line by line, and ended with all
//! that it started, also when the test fails. A child that outlives its test would keep the test's output open,
//! and whoever reads that output would wait for ever.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// A running program.
pub(crate) struct Program {
    name: String,
    child: Child,
    log: Log,
}

impl Program {
    /// Starts a program and waits until a line of its standard output is what `ready` looks for.
    ///
    /// # Errors
    ///
    /// If it cannot be started, ends before that line, or does not print it within `limit`; the error holds what
    /// the program said.
    pub(crate) fn start<T>(
        command: &mut Command,
        limit: Duration,
        ready: impl Fn(&str) -> Option<T>,
    ) -> Result<(Self, T)> {
        let (program, read) = Self::begin(command)?;
        let deadline = Instant::now() + limit;
        loop {
            match read.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(found) = ready(&line) {
                        return Ok((program, found));
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    bail!("{} was not ready within {limit:?}:\n{}", program.name, program.log())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    bail!("{} ended before it was ready:\n{}", program.name, program.log())
                }
            }
        }
    }

    /// Starts a program that says nothing when it is ready.
    ///
    /// # Errors
    ///
    /// If it cannot be started.
    pub(crate) fn spawn(command: &mut Command) -> Result<Self> {
        Self::begin(command).map(|(program, _)| program)
    }

    /// A program, and its lines of standard output as they come.
    fn begin(command: &mut Command) -> Result<(Self, Receiver<String>)> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("could not start {name}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let program = Self { name, child, log: Log::default() };

        let (lines, read) = mpsc::channel();
        program.log.follow(stdout.context("standard output was piped")?, Some(lines));
        program.log.follow(stderr.context("standard error was piped")?, None);
        Ok((program, read))
    }

    /// Everything that the program has printed so far, both outputs in the order of arrival.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// Sends a signal (`TERM`, `INT`, `STOP`, …) to the program, not to its children.
    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        kill(name, &self.child.id().to_string())
    }

    /// Waits for the program's end.
    pub(crate) fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                bail!("{} did not end within {limit:?}:\n{}", self.name, self.log());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // The group may be gone already; then there is nothing to end. The program itself is ended once more, so
        // that waiting for it has an end even where there is no `kill`.
        drop(kill("KILL", &format!("-{}", self.child.id())));
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Finds a program by one of its names in `PATH`.
pub(crate) fn find(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let candidates = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    candidates.into_iter().find(|candidate| candidate.is_file())
}

fn kill(signal: &str, whom: &str) -> Result<()> {
    let output =
        Command::new("kill").args(["-s", signal, "--", whom]).output().context("could not start kill")?;
    if !output.status.success() {
        bail!("kill -s {signal} {whom}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// What a program printed.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// Keeps every line of a stream, and passes it on as long as somebody listens.
    fn follow(&self, stream: impl Read + Send + 'static, lines: Option<Sender<String>>) {
        let log = self.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                log.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
                // Nobody listens any more once the program is ready; the log goes on.
                if let Some(lines) = &lines {
                    drop(lines.send(line));
                }
            }
        });
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_is_ready_by_its_line_and_its_children_end_with_it() {
        let script = "echo starting; sleep 600 & echo child $!; wait";
        let child = |line: &str| line.strip_prefix("child ").map(str::to_owned);
        let (program, child) = Program::start(&mut shell(script), Duration::from_secs(10), child).unwrap();
        assert!(program.log().starts_with("starting"));
        let alive = || Command::new("kill").args(["-0", &child]).output().unwrap().status.success();
        assert!(alive());
        drop(program);
        let deadline = Instant::now() + Duration::from_secs(10);
        while alive() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(10));
        }
        // A zombie that nobody has reaped yet answers too, so look at its state.
        let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        assert!(!alive() || state.contains(") Z "), "the child outlived its parent: {state}");
    }

    #[test]
    fn a_program_that_ends_early_is_an_error_with_its_words() {
        let result =
            Program::start(&mut shell("echo no luck >&2; exit 3"), Duration::from_secs(10), |_| Some(()));
        let error = format!("{:#}", result.err().unwrap());
        assert!(error.contains("ended before it was ready"), "{error}");
    }

    #[test]
    fn a_program_that_hangs_is_an_error() {
        let result = Program::start(&mut shell("sleep 600"), Duration::from_millis(50), |_| Some(()));
        assert!(result.err().unwrap().to_string().contains("not ready within 50ms"));
    }

    #[test]
    fn signals_reach_the_program() {
        let script = "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done";
        let ready = |line: &str| (line == "ready").then_some(());
        let (mut program, ()) = Program::start(&mut shell(script), Duration::from_secs(10), ready).unwrap();
        program.signal("TERM").unwrap();
        assert_eq!(program.wait(Duration::from_secs(10)).unwrap().code(), Some(7));
    }
}
