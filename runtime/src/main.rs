//! The `fairway` binary; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    fairway_runtime::cli::main()
}
