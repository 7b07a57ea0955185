//! A Fairway of a test's own: `fairway serve` on a free loopback port, with a data directory that goes away.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::Program;

/// How long a start may take; far above what it takes, for machines under load.
const START: Duration = Duration::from_secs(30);

/// How long a stop may take: the runtime drains for up to 25 s.
const STOP: Duration = Duration::from_secs(40);

/// A running server.
pub(crate) struct Fairway {
    binary: PathBuf,
    args: Vec<String>,
    program: Program,
    address: String,
    // After the program, which must have ended before its folder is removed.
    data: TempDir,
}

impl Fairway {
    /// Starts a server with an empty data directory. `args` go to `fairway serve` after the harness's own.
    pub(crate) fn start(args: &[&str]) -> Result<Self> {
        Self::start_program(binary()?, args)
    }

    fn start_program(binary: PathBuf, args: &[&str]) -> Result<Self> {
        let data = tempfile::tempdir().context("no folder for the data")?;
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let (program, address) = launch(&binary, data.path(), ANYWHERE, &args)?;
        Ok(Self { binary, args, program, address, data })
    }

    /// The address as a person would open it: with the token that lets the page in.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// `http://127.0.0.1:PORT`, without path and token.
    pub(crate) fn origin(&self) -> &str {
        self.address.split_once("/?").map_or(&self.address, |(origin, _)| origin)
    }

    /// The token of this server.
    pub(crate) fn token(&self) -> &str {
        self.address.split_once("token=").map_or("", |(_, token)| token)
    }

    /// The folder that file components of this server work in.
    pub(crate) fn files(&self) -> Result<PathBuf> {
        let files = self.data.path().join("files");
        std::fs::create_dir_all(&files)?;
        Ok(files)
    }

    /// Everything that the server has printed.
    pub(crate) fn log(&self) -> String {
        self.program.log()
    }

    /// Asks the server to stop and waits until it has drained.
    pub(crate) fn stop(&mut self) -> Result<ExitStatus> {
        self.program.signal("TERM")?;
        self.program.wait(STOP)
    }

    /// Kills the server as a power cut would.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.program.signal("KILL")?;
        self.program.wait(STOP).map(|_| ())
    }

    /// Starts a server that was stopped or killed again, on its data directory and under its address, as a service
    /// would come back: an open page finds it again.
    pub(crate) fn start_again(&mut self) -> Result<()> {
        let listen = self.origin().trim_start_matches("http://").to_owned();
        (self.program, self.address) = launch(&self.binary, self.data.path(), &listen, &self.args)?;
        Ok(())
    }

    /// Copies the sample data of the repository to where its own description says it is: `samples/flights.csv`.
    pub(crate) fn with_samples(self) -> Result<Self> {
        let samples = self.files()?.join("samples");
        std::fs::create_dir_all(&samples)?;
        for entry in std::fs::read_dir(samples_folder())? {
            let entry = entry?;
            std::fs::copy(entry.path(), samples.join(entry.file_name()))?;
        }
        Ok(self)
    }
}

/// The sample data in the repository.
pub(crate) fn samples_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/samples")
}

/// Any free port, on this machine only.
const ANYWHERE: &str = "127.0.0.1:0";

fn launch(binary: &Path, data: &Path, listen: &str, args: &[String]) -> Result<(Program, String)> {
    let mut command = Command::new(binary);
    command.args(["serve", "--listen", listen, "--data"]).arg(data).args(args);
    // A token from outside would be another than the one that the address carries.
    command.env_remove("FAIRWAY_TOKEN").env_remove("FAIRWAY_DATA");
    Program::start(&mut command, START, address_in)
}

/// Finds the address in a line that the server prints when it is ready.
fn address_in(line: &str) -> Option<String> {
    let from = line.find("http://127.0.0.1:")?;
    let address = line[from..].split_whitespace().next()?;
    address.contains("token=").then(|| address.to_owned())
}

/// A command line of the binary under test, away from the user's own data.
pub(crate) fn command(args: &[&str]) -> Result<Command> {
    let mut command = Command::new(binary()?);
    command.args(args).env_remove("FAIRWAY_TOKEN").env_remove("FAIRWAY_DATA");
    Ok(command)
}

/// The binary under test: `FAIRWAY_BIN`, else the one that cargo put beside this test's folder.
fn binary() -> Result<PathBuf> {
    if let Some(path) = env::var_os("FAIRWAY_BIN").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let test = env::current_exe().context("this test does not know where it is")?;
    let profile = test.parent().and_then(Path::parent).context("a test lies two folders below target")?;
    let path = profile.join("fairway");
    ensure!(path.is_file(), "{} is missing: build it with `cargo build -p fairway-runtime`", path.display());
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_address_is_read_from_the_ready_line() {
        let line = "Fairway is ready: http://127.0.0.1:41234/?token=abc (press Ctrl-C to stop)";
        assert_eq!(address_in(line).as_deref(), Some("http://127.0.0.1:41234/?token=abc"));
        assert_eq!(address_in("listening on http://127.0.0.1:41234/"), None);
        assert_eq!(address_in("starting"), None);
    }

    #[test]
    fn a_server_is_started_on_its_data_directory_and_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("server");
        let script = concat!(
            "#!/bin/sh\n",
            "case \"$1 $2 $3 $4\" in\n",
            "    'serve --listen 127.0.0.1:0 --data') [ ! -e \"$5/files\" ] || exit 2 ;;\n",
            "    'serve --listen 127.0.0.1:1 --data') [ -e \"$5/files\" ] || exit 3 ;;\n",
            "    *) exit 4 ;;\n",
            "esac\n",
            "[ -d \"$5\" ] || exit 1\n",
            "trap 'exit 0' TERM\n",
            "echo \"open http://127.0.0.1:1/?token=t$6\"\n",
            "while :; do sleep 0.01; done\n",
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut fairway = Fairway::start_program(program, &["-x"]).unwrap();
        assert_eq!(fairway.address(), "http://127.0.0.1:1/?token=t-x");
        assert_eq!((fairway.origin(), fairway.token()), ("http://127.0.0.1:1", "t-x"));
        assert!(fairway.log().starts_with("open http"));
        assert!(fairway.stop().unwrap().success());

        std::fs::write(fairway.files().unwrap().join("kept.csv"), "a\n").unwrap();
        fairway.start_again().unwrap();
        fairway.kill().unwrap();
        assert!(fairway.files().unwrap().join("kept.csv").is_file());
    }
}
