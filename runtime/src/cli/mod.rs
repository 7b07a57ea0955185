//! The `fairway` command. Names, exit codes and the shapes of JSON output are fixed: scripts rely on them.
//!
//! | Exit | Means |
//! |---|---|
//! | 0 | done |
//! | 1 | failed while running |
//! | 2 | wrong command line |
//! | 3 | the document has errors |
//! | 4 | cannot reach, or refused |
//! | 130 | interrupted, after a clean drain |

mod exit;
mod serve;
mod signals;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use exit::Failure;

/// Draw data channels, run them, watch them.
#[derive(Debug, Parser)]
#[command(name = "fairway", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Args),
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::from(exit::FAILED);
        }
    };
    let done = runtime.block_on(dispatch(cli.command));
    // What still blocks a thread (a file system that hangs) does not keep the process.
    runtime.shutdown_background();
    match done {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.report();
            ExitCode::from(failure.code)
        }
    }
}

async fn dispatch(command: Command) -> Result<u8, Failure> {
    match command {
        Command::Serve(args) => serve::run(args).await,
    }
}
