//! PostgreSQL, from the machine's packages. Durable settings stay as they are by default: tests of crashes rely on them.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::tls::Identity;
use crate::{Leash, free_port};

/// User and password of a server [with TLS](Postgres::start_with_tls).
pub const GUARDED: (&str, &str) = ("guarded", "open-sesame");

/// A running server with one superuser `fairway` and no password.
#[derive(Debug)]
pub struct Postgres {
    port: u16,
    bin: PathBuf,
    user: User,
    leash: Leash,
    /// The server as it was started again after a crash.
    again: Mutex<Option<Leash>>,
}

static SHARED: OnceLock<Result<Postgres, String>> = OnceLock::new();

/// The server that all tests of this program share.
///
/// # Panics
/// If PostgreSQL is not installed or does not start.
#[expect(clippy::panic, reason = "a test whose peer is missing fails")]
pub fn shared() -> &'static Postgres {
    match SHARED.get_or_init(|| Postgres::start().map_err(|error| format!("{error:#}"))) {
        Ok(postgres) => postgres,
        Err(error) => panic!("{error}\n`cargo xtask setup` installs what tests need"),
    }
}

impl Postgres {
    /// Starts a server of its own.
    ///
    /// # Errors
    /// If PostgreSQL is not installed or does not start.
    pub fn start() -> Result<Self> {
        Self::begin(None)
    }

    /// Starts a server that is reached by TLS alone. The user [`GUARDED`] needs its password, `fairway` none.
    ///
    /// # Errors
    /// If PostgreSQL is not installed or does not start.
    pub fn start_with_tls(identity: &Identity) -> Result<Self> {
        let postgres = Self::begin(Some(identity))?;
        let (user, password) = GUARDED;
        postgres.sql("postgres", &format!("create role {user} superuser login password '{password}'"))?;
        Ok(postgres)
    }

    fn begin(identity: Option<&Identity>) -> Result<Self> {
        let bin = programs().context("PostgreSQL is not installed (Debian package `postgresql`)")?;
        let folder = tempfile::Builder::new().prefix("fairway-postgres-").tempdir()?;
        let user = other_user(&folder)?;
        let data = folder.path().join("data");
        let port = free_port()?;
        let made = user
            .command(bin.join("initdb"))
            .args([
                "--username=fairway",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "-D",
            ])
            .arg(&data)
            .output()
            .context("could not start initdb")?;
        ensure!(made.status.success(), "initdb failed: {}", String::from_utf8_lossy(&made.stderr));
        if let Some(identity) = identity {
            guard(&data, identity)?;
        }
        let mut leash = Leash::start(folder, &mut server(&user, &bin, &data, port))?;
        ready(&mut leash, &bin, port)?;
        Ok(Self { port, bin, user, leash, again: Mutex::default() })
    }

    /// Ends the server as a crash does: sessions are cut, nothing is tidied up.
    ///
    /// # Errors
    /// If it does not run.
    pub fn crash(&self) -> Result<()> {
        let mut stop = self.user.command(self.bin.join("pg_ctl"));
        let stopped = stop.args(["stop", "-m", "immediate", "-D"]).arg(self.data()).output()?;
        ensure!(stopped.status.success(), "pg_ctl failed: {}", String::from_utf8_lossy(&stopped.stderr));
        self.again.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(())
    }

    /// Starts the server again after [`crash`](Postgres::crash), on the same port with the same data.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_again(&self) -> Result<()> {
        let folder = tempfile::Builder::new().prefix("fairway-postgres-again-").tempdir()?;
        let server = &mut server(&self.user, &self.bin, &self.data(), self.port);
        let mut leash = Leash::start(folder, server)?;
        ready(&mut leash, &self.bin, self.port)?;
        *self.again.lock().unwrap_or_else(PoisonError::into_inner) = Some(leash);
        Ok(())
    }

    fn data(&self) -> PathBuf {
        self.leash.folder().join("data")
    }

    /// Port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Address of a database of this server.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://fairway@127.0.0.1:{}/{database}", self.port)
    }

    /// Makes an empty database with a name of its own, and answers that name.
    ///
    /// # Errors
    /// If the server refuses.
    pub fn database(&self) -> Result<String> {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("create database {name}"))?;
        Ok(name)
    }

    /// Runs statements by `psql`, an outside witness, and answers what it prints: rows by line, columns by `|`.
    ///
    /// # Errors
    /// What the server said.
    pub fn sql(&self, database: &str, statements: &str) -> Result<String> {
        let answer = Command::new(self.bin.join("psql"))
            .args([
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-d",
                &self.url(database),
                "-c",
                statements,
            ])
            .output()
            .context("could not start psql")?;
        if !answer.status.success() {
            bail!("{}", String::from_utf8_lossy(&answer.stderr));
        }
        Ok(String::from_utf8_lossy(&answer.stdout).trim_end().to_owned())
    }

    /// The end of what the server said.
    pub fn log(&self) -> String {
        self.leash.log()
    }
}

/// TLS for everybody, and a password for one.
fn guard(data: &Path, identity: &Identity) -> Result<()> {
    let owner = fs::metadata(data)?;
    for (name, pem) in [("server.crt", &identity.certificate), ("server.key", &identity.key)] {
        let file = data.join(name);
        fs::write(&file, pem)?;
        // The server refuses a key that others may read.
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600))?;
        chown(&file, Some(owner.uid()), Some(owner.gid()))?;
    }
    let rules = format!(
        "hostnossl all all 127.0.0.1/32 reject\nhostssl all {} 127.0.0.1/32 scram-sha-256\n\
         hostssl all all 127.0.0.1/32 trust\n",
        GUARDED.0
    );
    fs::write(data.join("pg_hba.conf"), rules)?;
    let mut settings = fs::OpenOptions::new().append(true).open(data.join("postgresql.conf"))?;
    writeln!(settings, "ssl = on")?;
    Ok(())
}

fn server(user: &User, bin: &Path, data: &Path, port: u16) -> Command {
    let mut server = user.command(bin.join("postgres"));
    server.arg("-D").arg(data).arg("-p").arg(port.to_string());
    for setting in [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "max_connections=200",
        "max_prepared_transactions=20",
        "wal_level=logical",
    ] {
        server.arg("-c").arg(setting);
    }
    server
}

fn ready(leash: &mut Leash, bin: &Path, port: u16) -> Result<()> {
    let ready = bin.join("pg_isready");
    leash.ready(Duration::from_secs(30), || {
        let asked = Command::new(&ready).args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).status();
        asked.is_ok_and(|status| status.success())
    })
}

/// Where Debian and others keep the server's programs; the newest version wins.
fn programs() -> Option<PathBuf> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|version| {
            let number = version.file_name().to_string_lossy().parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .collect();
    found.sort();
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .find(|folder| folder.join("initdb").is_file());
    found.pop().map(|(_, bin)| bin).or(on_path).filter(|bin| bin.join("postgres").is_file())
}

/// PostgreSQL refuses to run as root: there it runs as the user its package made.
#[derive(Debug)]
enum User {
    Same,
    Other(String),
}

impl User {
    fn command(&self, program: PathBuf) -> Command {
        match self {
            Self::Same => Command::new(program),
            Self::Other(name) => {
                let mut command = Command::new("setpriv");
                command.args(["--reuid", name, "--regid", name, "--clear-groups", "--"]).arg(program);
                command
            }
        }
    }
}

fn other_user(folder: &tempfile::TempDir) -> Result<User> {
    if fs::metadata(folder.path())?.uid() != 0 {
        return Ok(User::Same);
    }
    let users = fs::read_to_string("/etc/passwd")?;
    let entry = users.lines().find(|line| line.starts_with("postgres:"));
    let mut fields = entry.context("there is no user `postgres`")?.split(':').skip(2);
    let mut number = || fields.next().and_then(|field| field.parse().ok());
    chown(folder.path(), number(), number())?;
    Ok(User::Other("postgres".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::shared;

    #[test]
    fn answers() {
        let postgres = shared();
        let database = postgres.database().expect("a database");
        assert_eq!(postgres.sql(&database, "select 1, 'a'").expect("an answer"), "1|a");
        assert!(postgres.sql(&database, "select no").is_err());
    }
}
