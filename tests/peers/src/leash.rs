//! A program that never outlives the one that started it: a shell waits on a pipe whose other end the starter holds.
//! However the starter ends, by kill -9 too, the pipe closes and the shell ends the program and removes its folder.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

/// `$1` is the folder to remove at the end, the rest is the program and its arguments. Words on the pipe end the program
/// as a loss of power would, and start it again in the same folder.
const WATCH: &str = r#"
folder=$1; shift
"$@" </dev/null &
program=$!
trap '' INT TERM HUP
end() { kill -KILL $program 2>/dev/null; wait $program 2>/dev/null; }
while read -r word; do
  end
  if [ "$word" = start ]; then "$@" </dev/null & program=$!; fi
  echo "$word" > "$folder/leash.new"; mv "$folder/leash.new" "$folder/leash"
done
end
rm -rf "$folder"
"#;

/// A running program in a folder of its own.
#[derive(Debug)]
pub struct Leash {
    shell: Child,
    folder: PathBuf,
}

impl Leash {
    /// Starts a program whose folder goes when it goes. What it says is in `log` inside that folder.
    ///
    /// # Errors
    /// If the shell cannot be started.
    pub fn start(folder: TempDir, program: &mut Command) -> Result<Self> {
        let log = File::create(folder.path().join("log")).context("could not create a log")?;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(WATCH).arg("leash").arg(folder.path()).arg(program.get_program());
        shell.args(program.get_args()).current_dir(folder.path());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        shell.process_group(0).stdin(Stdio::piped()).stdout(log.try_clone()?).stderr(log);
        let shell = shell.spawn().with_context(|| format!("could not start {:?}", program.get_program()))?;
        Ok(Self { shell, folder: folder.keep() })
    }

    /// Waits until the program answers.
    ///
    /// # Errors
    /// If it ended, or did not answer in time; with the end of what it said.
    pub fn ready(&mut self, limit: Duration, mut answers: impl FnMut() -> bool) -> Result<()> {
        let until = Instant::now() + limit;
        while !answers() {
            if Instant::now() > until {
                bail!("it did not answer within {limit:?}:\n{}", self.log());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Ends the program without a word of warning; its folder stays.
    ///
    /// # Errors
    /// If the shell does not answer.
    pub fn kill(&mut self) -> Result<()> {
        self.say("kill")
    }

    /// Starts the program again in its folder, with the same arguments.
    ///
    /// # Errors
    /// If the shell does not answer.
    pub fn start_again(&mut self) -> Result<()> {
        self.say("start")
    }

    fn say(&mut self, word: &str) -> Result<()> {
        let answer = self.folder.join("leash");
        std::fs::remove_file(&answer).ok();
        let pipe = self.shell.stdin.as_mut().context("the leash is let go")?;
        pipe.write_all(format!("{word}\n").as_bytes()).context("the leash is broken")?;
        self.ready(Duration::from_secs(10), || answer.exists())
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The end of what it said.
    pub fn log(&self) -> String {
        let text = std::fs::read_to_string(self.folder.join("log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(40)..].join("\n")
    }
}

impl Drop for Leash {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        self.shell.wait().ok();
    }
}
