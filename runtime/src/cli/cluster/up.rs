//! `fairway cluster up`: several workers on this machine, each a process of its own, started again when one dies.

use std::net::TcpListener;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::cli::exit::{self, Failure};
use crate::cli::output::{print, say};
use crate::cli::signals;
use crate::cli::worker::SharedArgs;
use crate::config::{DataDir, Token, access};

/// Time that a worker has to hand over and go.
const PATIENCE: Duration = Duration::from_secs(50);
/// First wait before a worker that died is started again; doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// A worker that ran so long died for a new reason.
const FORGIVEN: Duration = Duration::from_secs(60);

/// Start workers on this machine, keep them running, and print where each serves the designer. Ctrl-C drains and ends them all.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// How many.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    workers: u16,
    #[command(flatten)]
    shared: SharedArgs,
}

/// A worker that is kept running.
struct Kept {
    id: String,
    port: u16,
    token: String,
    key: String,
    shared: SharedArgs,
    ending: CancellationToken,
}

pub(super) async fn run(args: Args) -> Result<u8, Failure> {
    let mut signals = signals::listen().map_err(|error| Failure::new(exit::FAILED, error))?;
    // Said once, and not by each worker again and again.
    args.shared.brokers.access()?;
    let data = DataDir::share(DataDir::locate(args.shared.data.clone())?)?;
    let token = Token::find(args.shared.token_file.as_deref(), &data)?;
    let key = access::key_text(&data)?;
    let ending = CancellationToken::new();
    let ports = free_ports(args.workers).map_err(|error| Failure::new(exit::FAILED, error))?;
    let workers = ports.into_iter().zip(1..).map(|(port, number)| Kept {
        id: format!("worker-{number}"),
        port,
        token: token.reveal().to_owned(),
        key: key.clone(),
        shared: args.shared.clone(),
        ending: ending.clone(),
    });
    let running = join_all(workers.map(Kept::run));
    tokio::pin!(running);
    let asked = tokio::select! {
        asked = signals.recv() => asked,
        // Each has said why.
        _ = &mut running => return Ok(exit::REFUSED),
    };
    say("the workers hand over and go");
    ending.cancel();
    let ended = running.await;
    match asked {
        _ if ended.contains(&false) => Ok(exit::FAILED),
        Some(signals::Asked::Interrupt) => Ok(exit::INTERRUPTED),
        _ => Ok(exit::DONE),
    }
}

/// Ports of 127.0.0.1 that nobody listens on now.
fn free_ports(count: u16) -> std::io::Result<Vec<u16>> {
    let bound: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind(("127.0.0.1", 0))).collect::<Result<_, _>>()?;
    bound.iter().map(|listener| Ok(listener.local_addr()?.port())).collect()
}

impl Kept {
    /// Keeps it running until all are to end; answers whether it went as it should.
    async fn run(self) -> bool {
        let mut wait = FIRST_WAIT;
        loop {
            let begun = Instant::now();
            let ended = match self.start() {
                Ok(child) => self.watch(child).await,
                Err(error) => {
                    say(&format!("{} cannot be started: {error}", self.id));
                    None
                }
            };
            if self.ending.is_cancelled() {
                return ended.is_some_and(|status| status.success());
            }
            // Started again it would be refused again.
            if ended.and_then(|status| status.code()) == Some(i32::from(exit::REFUSED)) {
                say(&format!("{} was refused and is not started again", self.id));
                return false;
            }
            if begun.elapsed() > FORGIVEN {
                wait = FIRST_WAIT;
            }
            let how = ended.map_or_else(String::new, |status| format!(" ({status})"));
            say(&format!("{} ended{how} and is started again", self.id));
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.ending.cancelled() => return false,
            }
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    fn start(&self) -> std::io::Result<Child> {
        let shared = &self.shared;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["worker", "--tied", "--id", &self.id, "--cluster", &shared.cluster]);
        command.args(["--listen", &format!("127.0.0.1:{}", self.port)]);
        shared.brokers.hand_on(&mut command);
        command.args(["--strategy", shared.strategy.word()]);
        command.args(["--log-format", shared.log_format.word()]);
        for (name, path) in [("--data", &shared.data), ("--files", &shared.files)] {
            if let Some(path) = path {
                command.arg(name).arg(path);
            }
        }
        command.env("FAIRWAY_TOKEN", &self.token).env("FAIRWAY_SECRET_KEY", &self.key);
        // A group of its own: Ctrl-C is for whoever started it, who ends it in order.
        #[cfg(unix)]
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()
    }

    /// Prints what it says until it ends; has it end when all are to end.
    async fn watch(&self, mut child: Child) -> Option<ExitStatus> {
        let input = child.stdin.take();
        let lines = child.stdout.take().map(|output| BufReader::new(output).lines());
        let id = self.id.clone();
        let saying = tokio::spawn(async move {
            let Some(mut lines) = lines else { return };
            while let Ok(Some(line)) = lines.next_line().await {
                print(&format!("{id}: {line}"));
            }
        });
        let ended = tokio::select! {
            ended = child.wait() => ended.ok(),
            () = self.ending.cancelled() => {
                drop(input);
                match tokio::time::timeout(PATIENCE, child.wait()).await {
                    Ok(ended) => ended.ok(),
                    Err(_) => {
                        say(&format!("{} does not end in time and is killed", self.id));
                        child.kill().await.ok();
                        None
                    }
                }
            }
        };
        saying.abort();
        ended
    }
}
