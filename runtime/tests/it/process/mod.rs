//! The `fairway` binary as a process: what scripts rely on, and what survives `kill -9`.

mod cluster;
mod kills;
mod outage;
mod run;
mod serve;
mod templates;
mod trial;
mod webhook;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Longest time that a test waits for something that must happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A folder to work in, with a data directory in it.
struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn data(&self) -> PathBuf {
        self.path("data")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// The command, in this folder and over its data directory, with nothing of the environment's that would count.
    fn fairway(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fairway"));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        for name in [
            "FAIRWAY_SERVER",
            "FAIRWAY_TOKEN",
            "FAIRWAY_LOG",
            "FAIRWAY_SECRET_KEY",
            "FAIRWAY_SECRET_KEY_FILE",
        ] {
            command.env_remove(name);
        }
        command.env("FAIRWAY_DATA", self.data());
        command
    }

    /// Runs the command to its end.
    fn output(&self, args: &[&str]) -> Output {
        self.fairway(args).output().unwrap()
    }

    /// Runs a channel document in the foreground; answers exit code and summary.
    fn run(&self, document: &Path, args: &[&str]) -> (i32, Value) {
        let output = self.output(&[&["run", document.to_str().unwrap()], args].concat());
        (code(output.status), summary(&output))
    }

    /// A document of a channel from a CSV file to a file of JSON lines.
    fn csv_to_jsonl(&self, name: &str, from: &str, to: &str) -> PathBuf {
        self.write(&format!("{name}.json"), chain(name, json!({ "path": from }), to).to_string())
    }
}

fn chain(name: &str, source: Value, to: &str) -> Value {
    json!({
        "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": name },
        "spec": {
            "nodes": [
                { "id": "in", "component": "csv_source", "config": source },
                { "id": "out", "component": "jsonl_sink", "config": { "path": to } }
            ],
            "edges": [{ "from": "in", "to": "out" }]
        }
    })
}

/// `id,name` with so many rows.
fn rows(count: usize) -> String {
    let mut csv = String::from("id,name\n");
    for id in 1..=count {
        csv.push_str(&format!("{id},name of {id}\n"));
    }
    csv
}

/// How often each id is in a file of JSON lines, as somebody outside counts it.
fn ids(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let id = |line: &str| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap();
    let mut ids: Vec<u64> = text.lines().map(id).collect();
    ids.sort_unstable();
    ids
}

fn each_once(count: usize) -> Vec<u64> {
    (1..=count as u64).collect()
}

fn code(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| panic!("ended by a signal: {status}"))
}

/// The last line of standard output.
fn summary(output: &Output) -> Value {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let last = text.lines().last().unwrap_or_default();
    serde_json::from_str(last).unwrap_or_else(|_| panic!("no summary in {output:?}"))
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Sends a signal to a process that this test started.
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
}

/// Waits until something holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "it never came: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the end of a process.
fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the process does not end");
        }
        thread::sleep(Duration::from_millis(10));
    }
}

/// A server that was started, and is killed when the test fails.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    /// Starts one on a free port and waits for the line that says it is ready.
    fn start(place: &Place, args: &[&str]) -> Self {
        let args = [&["serve", "--listen", "127.0.0.1:0"], args].concat();
        let log = fs::File::options().create(true).append(true).open(place.path("log.txt")).unwrap();
        let mut child = place.fairway(&args).stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("Fairway is ready: ").unwrap_or_else(|| panic!("{line:?}"));
        Self { url: url.to_owned(), child }
    }

    /// Runs a client command against it; answers what it printed as JSON.
    fn ask(&self, place: &Place, args: &[&str]) -> Value {
        let output = self.tell(place, args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {output:?}"))
    }

    fn tell(&self, place: &Place, args: &[&str]) -> Output {
        place.fairway(args).env("FAIRWAY_SERVER", &self.url).output().unwrap()
    }

    /// Waits until a channel is in a state.
    fn reaches(&self, place: &Place, channel: &str, state: &str) {
        until(&format!("{channel} is {state}"), || {
            self.ask(place, &["status", channel, "--output", "json"])["state"] == state
        });
    }

    fn stop(mut self, name: &str) -> i32 {
        signal(&self.child, name);
        code(ended(&mut self.child))
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}
