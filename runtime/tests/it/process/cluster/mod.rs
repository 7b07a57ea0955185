//! Workers of a cluster as processes on a real broker, under load, and what a witness outside counts when they are killed, stopped and
//! frozen. `cargo xtask soak` does each of it more often.

mod asking;
mod brokers;
mod elections;
mod moves;
mod names;
mod secured;
mod shares;
mod streams;
mod targets;
mod topics;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fairway_engine::testkit::counts;
use fairway_peers::postgres::Postgres;
use serde_json::{Value, json};

use super::{Place, code, ended, signal, stderr, until};

/// From kill -9 to running again: the bar is 7 s, and what is measured is printed; a busy machine that runs all tests at once gets more.
const AGAIN: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 7 });
/// Longest pause of a channel while its worker goes, likewise; the bar is 2 s.
const PAUSE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 2 });

/// Workers of one cluster, all on this machine, with one folder.
struct Crew {
    place: Place,
    cluster: String,
    brokers: String,
    workers: BTreeMap<String, Worker>,
}

struct Worker {
    child: Child,
    url: String,
}

impl Drop for Worker {
    fn drop(&mut self) {
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
        }
    }
}

impl Crew {
    fn new(cluster: &str) -> Self {
        Self::on(fairway_peers::kafka::shared().address(), cluster)
    }

    fn on(brokers: &str, cluster: &str) -> Self {
        Self {
            place: Place::new(),
            cluster: cluster.to_owned(),
            brokers: brokers.to_owned(),
            workers: BTreeMap::new(),
        }
    }

    /// Starts a worker and waits for the line that says that it is ready.
    fn start(&mut self, id: &str) {
        let worker = self.begin(id);
        self.workers.insert(id.to_owned(), worker);
    }

    fn begin(&self, id: &str) -> Worker {
        self.begin_as(id, &self.brokers, &[])
    }

    /// Starts a worker that finds the brokers elsewhere than the others, with more in its environment.
    fn begin_as(&self, id: &str, brokers: &str, env: &[(&str, &str)]) -> Worker {
        let mut command = self.command(id, &["--kafka", brokers]);
        command.envs(env.iter().copied());
        self.watched(id, command)
    }

    fn command(&self, id: &str, kafka: &[&str]) -> Command {
        let args = ["worker", "--cluster", &self.cluster, "--id", id, "--listen", "127.0.0.1:0"];
        self.place.fairway(&[&args[..], kafka].concat())
    }

    /// Starts a worker, which says where it answers, or ends.
    fn watched(&self, id: &str, mut command: Command) -> Worker {
        let log = self.place.path(&format!("{id}.log"));
        let log = fs::File::options().create(true).append(true).open(log).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("Fairway is ready: ").unwrap_or_default().to_owned();
        Worker { child, url }
    }

    /// Starts workers and waits until they are all ready to run tasks.
    fn of(cluster: &str, ids: &[&str]) -> Self {
        let mut crew = Self::new(cluster);
        ids.iter().for_each(|id| crew.start(id));
        crew.joined();
        crew
    }

    fn joined(&self) {
        let ids: Vec<&String> = self.workers.keys().collect();
        until("all workers are ready", || {
            let cluster = self.look();
            let workers = cluster["workers"].as_array().cloned().unwrap_or_default();
            let ready = workers.iter().filter(|worker| worker["state"] == "ready");
            let ready: Vec<&str> = ready.filter_map(|worker| worker["id"].as_str()).collect();
            cluster["leader"].is_object() && ids.iter().all(|id| ready.contains(&id.as_str()))
        });
    }

    /// Asks any worker that is not stopped; the answer as JSON.
    fn ask(&self, args: &[&str]) -> Value {
        let output = self.tell(self.workers.keys().next().unwrap(), args);
        assert!(output.status.success(), "{args:?}: {}{}", stderr(&output), self.logs());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {output:?}"))
    }

    fn tell(&self, worker: &str, args: &[&str]) -> std::process::Output {
        let args = [args, &["--output", "json"]].concat();
        self.place.fairway(&args).env("FAIRWAY_SERVER", &self.workers[worker].url).output().unwrap()
    }

    /// The cluster, as any worker sees it.
    fn look(&self) -> Value {
        self.ask(&["cluster", "status"])["cluster"].clone()
    }

    /// Worker and generation of each task, of those that run.
    fn runs(&self) -> BTreeMap<String, (String, u64)> {
        let cluster = self.look();
        let tasks = cluster["tasks"].as_array().cloned().unwrap_or_default();
        let runs = tasks.iter().filter(|task| task["state"] == "running" && task["worker"].is_string());
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        runs.map(|task| {
            let name = format!("{}/{}", text(&task["channel"]), text(&task["task"]));
            (name, (text(&task["worker"]), task["generation"].as_u64().unwrap_or_default()))
        })
        .collect()
    }

    fn leader(&self) -> String {
        let mut leader = String::new();
        until("somebody leads", || {
            leader = self.look()["leader"]["worker"].as_str().unwrap_or_default().to_owned();
            self.workers.contains_key(&leader)
        });
        leader
    }

    /// Takes a channel over and puts it in force, by any worker.
    fn deploy(&self, name: &str, channel: &Value) {
        let file = self.place.write(&format!("{name}.json"), channel.to_string());
        self.ask(&["import", file.to_str().unwrap()]);
        self.ask(&["deploy", name]);
    }

    fn state(&self, channel: &str) -> String {
        self.ask(&["status", channel])["state"].as_str().unwrap_or_default().to_owned()
    }

    fn reaches(&self, channel: &str, state: &str) {
        until(&format!("{channel} is {state}"), || self.state(channel) == state);
    }

    /// Sends a request to a worker as it is; answers its head and body.
    fn post(&self, worker: &str, path: &str, id: &str, body: &Value) -> (String, Value) {
        self.send(worker, &format!("POST {path}"), &format!("fairway-request-id: {id}\r\n"), body)
    }

    /// The same for any method, with more headers.
    fn send(&self, worker: &str, method: &str, headers: &str, body: &Value) -> (String, Value) {
        let (address, token) = self.workers[worker].url.split_once("/?token=").unwrap();
        let address = address.trim_start_matches("http://");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "{method} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n{headers}\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.to_ascii_lowercase(), serde_json::from_str(body).unwrap_or_default())
    }

    /// Kills a worker; nobody is told.
    fn kill(&mut self, id: &str) {
        let mut worker = self.workers.remove(id).unwrap();
        worker.child.kill().unwrap();
        worker.child.wait().unwrap();
    }

    /// Asks a worker to go, and waits until it has.
    fn end(&mut self, id: &str) {
        let mut worker = self.workers.remove(id).unwrap();
        signal(&worker.child, "TERM");
        assert_eq!(code(ended(&mut worker.child)), 0, "{}", self.logs());
    }

    fn logs(&self) -> String {
        let logs = fs::read_dir(self.place.path(".")).unwrap().flatten().map(|entry| entry.path());
        let logs = logs.filter(|path| path.extension().is_some_and(|end| end == "log"));
        let tail = |path: PathBuf| {
            let text = fs::read_to_string(&path).unwrap_or_default();
            let lines: Vec<&str> = text.lines().collect();
            format!("\n--- {}\n{}", path.display(), lines[lines.len().saturating_sub(60)..].join("\n"))
        };
        logs.map(tail).collect()
    }
}

/// A table that some channels fill, each with numbers from a generator of its own.
struct Orders {
    postgres: &'static Postgres,
    database: String,
}

impl Orders {
    fn new() -> Self {
        Self::on(fairway_peers::postgres::shared())
    }

    fn on(postgres: &'static Postgres) -> Self {
        let database = postgres.database().unwrap();
        postgres
            .sql(
                &database,
                "create table orders (channel text, id bigint, at timestamptz default clock_timestamp(), \
                 writer int default pg_backend_pid())",
            )
            .unwrap();
        Self { postgres, database }
    }

    /// A channel that writes numbers, counted up, at a pace.
    fn channel(&self, name: &str, pace: u32) -> Value {
        let source = json!({
            "fields": { "id": { "sequence": {} }, "channel": { "choice": { "values": [name] } } },
            "rate": pace,
        });
        json!({
            "apiVersion": "fairway/v1", "kind": "Channel", "metadata": { "name": name },
            "spec": {
                "nodes": [
                    { "id": "in", "component": "generate_source", "config": source },
                    { "id": "out", "component": "postgres_sink",
                      "config": { "url": self.postgres.url(&self.database), "table": "orders" } }
                ],
                "edges": [{ "from": "in", "to": "out" }]
            }
        })
    }

    fn number(&self, what: &str) -> u64 {
        self.postgres
            .sql(&self.database, &format!("select {what} from orders"))
            .unwrap()
            .trim()
            .parse()
            .unwrap()
    }

    /// Nothing lost, nothing doubled: each channel's numbers are all there up to the greatest, once each.
    fn assert_each_once(&self) {
        let query =
            "select channel, count(*), count(distinct id), min(id), max(id) from orders group by channel";
        let rows = self.postgres.sql(&self.database, query).unwrap();
        for row in rows.lines() {
            let cells: Vec<&str> = row.split('|').collect();
            let number = |at: usize| cells[at].parse::<u64>().unwrap();
            let span = number(4) - number(3) + 1;
            assert_eq!((number(1), number(2)), (span, span), "{row}");
        }
    }

    /// Longest time without a new row in any channel, since what was before was forgotten.
    fn longest_pause(&self) -> Duration {
        let gaps = "select at - lag(at) over (partition by channel order by at) as gap from orders where at > 'epoch'";
        let longest = format!(
            "select coalesce(round(max(extract(epoch from gap) * 1000)), 0)::bigint from ({gaps}) gaps"
        );
        let text = self.postgres.sql(&self.database, &longest).unwrap();
        Duration::from_millis(text.trim().parse().unwrap())
    }

    /// Forgets when the rows up to now were written.
    fn forget(&self) {
        self.postgres.sql(&self.database, "update orders set at = 'epoch'").unwrap();
    }

    /// Waits until each channel has new rows, counted by when they were written.
    fn grow(&self, channels: u64) {
        let now = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";
        let before = self.postgres.sql(&self.database, now).unwrap();
        let before = before.trim();
        until("every channel goes on", || {
            let new =
                format!("count(distinct channel) filter (where extract(epoch from at) * 1000 > {before})");
            self.number(&new) == channels
        });
    }
}

/// Deploys so many channels and waits until all run.
fn load(crew: &Crew, orders: &Orders, channels: usize) {
    for number in 0..channels {
        let name = format!("orders-{number}");
        crew.deploy(&name, &orders.channel(&name, 200));
    }
    until("all channels run", || crew.runs().len() == channels);
    orders.grow(channels as u64);
}

/// The figure below which so many hundredths lie.
fn share(times: &mut [Duration], hundredths: usize) -> Duration {
    times.sort();
    times[(times.len() * hundredths).div_ceil(100).clamp(1, times.len()) - 1]
}

/// F1, F2: workers are killed under load, the leader as well. Their tasks run elsewhere soon; the others' are not touched; nothing is lost
/// and nothing doubled.
#[test]
fn a_killed_worker_is_made_up_for() {
    let orders = Orders::new();
    let mut crew = Crew::of("kills", &["a", "b", "c"]);
    load(&crew, &orders, 6);
    let mut times = Vec::new();
    for round in 0..counts(2, 20) {
        let before = crew.runs();
        let leader = crew.leader();
        let others = || before.values().map(|(worker, _)| worker.clone()).find(|worker| *worker != leader);
        let victim = if round % 2 == 0 { leader.clone() } else { others().unwrap() };
        let begun = Instant::now();
        crew.kill(&victim);
        until("all channels run elsewhere", || {
            let now = crew.runs();
            now.len() == before.len() && now.values().all(|(worker, _)| *worker != victim)
        });
        let took = begun.elapsed();
        println!("killed {victim} (leader: {leader}): all ran again after {} ms", took.as_millis());
        assert!(took < AGAIN, "{took:?}{}", crew.logs());
        times.push(took);
        let history = |task: &str| {
            let uid = task.split('/').next().unwrap();
            crew.ask(&["status", uid])["history"].as_array().cloned().unwrap_or_default()
        };
        let lost = before.iter().filter(|(_, (worker, _))| *worker == victim);
        for (task, _) in lost {
            let told = history(task).iter().any(|entry| entry["cause"]["code"] == "cluster.moved");
            assert!(told, "{task}: {:?}", history(task));
        }
        let now = crew.runs();
        for (task, (worker, generation)) in before.iter().filter(|(_, (worker, _))| *worker != victim) {
            assert_eq!(now[task], (worker.clone(), *generation), "{task} was touched");
        }
        orders.grow(6);
        crew.start(&victim);
        crew.joined();
        // It gets its share again.
        until("spread again", || {
            let runs = crew.runs();
            runs.len() == before.len() && runs.values().filter(|(worker, _)| *worker == victim).count() == 2
        });
    }
    println!("kill to running: p95 {} ms of {}", share(&mut times, 95).as_millis(), times.len());
    orders.assert_each_once();
}

/// F3: every worker in turn is asked to go and is started again, under load: hand-overs are short, and nothing is doubled.
#[test]
fn workers_are_rolled_without_a_break() {
    let orders = Orders::new();
    let mut crew = Crew::of("rolls", &["a", "b", "c"]);
    load(&crew, &orders, 6);
    let mut pauses = Vec::new();
    for _ in 0..counts(1, 3) {
        for id in ["a", "b", "c"] {
            orders.forget();
            orders.grow(6);
            crew.end(id);
            until("all channels run elsewhere", || crew.runs().len() == 6);
            orders.grow(6);
            pauses.push(orders.longest_pause());
            crew.start(id);
            crew.joined();
            until("spread again", || {
                let runs = crew.runs();
                runs.len() == 6 && runs.values().filter(|(worker, _)| *worker == id).count() == 2
            });
        }
    }
    println!("longest pauses of a channel while a worker went: {pauses:?}");
    let (half, most) = (share(&mut pauses, 50), share(&mut pauses, 95));
    println!("hand-over: p50 {} ms, p95 {} ms of {}", half.as_millis(), most.as_millis(), pauses.len());
    assert!(most < PAUSE, "{pauses:?}{}", crew.logs());
    orders.assert_each_once();
}

/// F4: a worker is frozen for so long that its tasks run elsewhere. When it wakes up it writes nothing of them. A fourth worker takes over
/// only as much as it must.
#[test]
fn a_frozen_worker_writes_nothing_when_it_wakes_up() {
    let orders = Orders::new();
    let mut crew = Crew::of("freezes", &["a", "b", "c"]);
    load(&crew, &orders, 6);
    let before = crew.runs();
    // Not the one that this test asks.
    let frozen = before.values().map(|(worker, _)| worker.clone()).find(|worker| *worker != "a").unwrap();
    signal(&crew.workers[&frozen].child, "STOP");
    let begun = Instant::now();
    until("all channels run elsewhere", || {
        let now = crew.runs();
        now.len() == 6 && now.values().all(|(worker, _)| *worker != frozen)
    });
    println!("a frozen worker was made up for after {} ms", begun.elapsed().as_millis());
    thread::sleep(Duration::from_secs(counts(1, 25) as u64));
    signal(&crew.workers[&frozen].child, "CONT");
    crew.joined();
    until("it has its share again", || {
        let runs = crew.runs();
        runs.len() == 6 && runs.values().filter(|(worker, _)| *worker == frozen).count() == 2
    });
    orders.grow(6);
    let before = crew.runs();
    crew.start("d");
    crew.joined();
    until("the fourth worker has a share", || {
        let runs = crew.runs();
        runs.len() == 6 && runs.values().any(|(worker, _)| worker == "d")
    });
    let now = crew.runs();
    let moved = now.iter().filter(|(task, place)| before[*task] != **place).count();
    assert_eq!(moved, 1, "{before:?} {now:?}");
    orders.assert_each_once();
}

/// F27: of two workers with one id the one that is there stays.
#[test]
fn a_second_worker_with_the_same_id_is_told_of_the_first() {
    let crew = Crew::of("twins", &["a"]);
    let mut second = crew.begin("a");
    assert_eq!(code(ended(&mut second.child)), 4, "{}", crew.logs());
    let first = crew.workers["a"].url.split("/?").next().unwrap().to_owned();
    let logs = crew.logs();
    assert!(logs.contains(&format!("another worker with the same id is alive, at {first}")), "{logs}");
    crew.joined();
}
