//! `cargo xtask setup`: installs what a command needs and is not here, or says exactly what to type.
//!
//! A need is looked up without starting programs where possible, so that a machine that has everything loses
//! no time. Only what the command at hand needs is asked for: starting Fairway never asks for a browser.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};

use crate::house::{House, WASM};
use crate::{peers, step};

/// What the machine is prepared for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Purpose {
    /// Build and start Fairway.
    Run,
    /// Also start a Kafka for a cluster on this machine.
    Cluster,
    /// Also run the tests in a real browser.
    Test,
    /// Also build the desktop app.
    Desktop,
}

#[derive(Args)]
pub(crate) struct Options {
    /// What to prepare this machine for.
    #[arg(long = "for", value_enum, default_value = "test")]
    purpose: Purpose,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    prepare(options.purpose)?;
    match options.purpose {
        Purpose::Test => peers::fetch(house)?,
        Purpose::Cluster => peers::kafka(house)?,
        Purpose::Run | Purpose::Desktop => {}
    }
    eprintln!("everything is here");
    Ok(())
}

/// Something outside the repository that a purpose needs.
struct Need {
    /// What it is, for a person.
    what: &'static str,
    /// The Debian packages that bring it.
    packages: &'static [&'static str],
    purpose: Purpose,
    /// Whether tests go on without it: those of the desktop app then count as skipped.
    spared: bool,
    here: fn() -> bool,
}

const NEEDS: &[Need] = &[
    Need {
        what: "a C compiler (SQLite is built from its source)",
        packages: &["gcc", "libc6-dev"],
        purpose: Purpose::Run,
        spared: false,
        here: || any_program(&["cc", "gcc", "clang"]),
    },
    Need {
        what: "make and the headers of OpenSSL and zlib (the Kafka client is built from its source)",
        packages: &["g++", "make", "libssl-dev", "zlib1g-dev"],
        purpose: Purpose::Run,
        spared: false,
        here: || Path::new("/usr/include/openssl/ssl.h").exists() && any_program(&["make"]),
    },
    Need {
        what: "PostgreSQL (tests start it in a folder of their own)",
        packages: &["postgresql"],
        purpose: Purpose::Test,
        spared: false,
        here: || Path::new("/usr/lib/postgresql").exists() || any_program(&["initdb"]),
    },
    Need {
        what: "Java and Maven (they start a Kafka broker in a folder of its own)",
        packages: &["default-jre-headless", "maven"],
        purpose: Purpose::Cluster,
        spared: false,
        here: || any_program(&["java"]) && any_program(&["mvn"]),
    },
    Need {
        what: "Chromium",
        packages: &["chromium"],
        purpose: Purpose::Test,
        spared: false,
        here: || any_program(&["chromium", "chromium-browser", "google-chrome"]),
    },
    Need {
        what: "chromedriver",
        packages: &["chromium-driver"],
        purpose: Purpose::Test,
        spared: false,
        here: || any_program(&["chromedriver"]),
    },
    Need {
        what: "a font with Chinese glyphs (pages in 简体中文 are tested too)",
        packages: &["fonts-noto-cjk"],
        purpose: Purpose::Test,
        spared: false,
        here: chinese_font,
    },
    Need {
        what: "WebKitGTK 4.1 with its headers",
        packages: &["libwebkit2gtk-4.1-dev", "pkg-config"],
        purpose: Purpose::Desktop,
        spared: true,
        here: webkit,
    },
    Need {
        what: "Xvfb and WebKit's driver (the desktop app is tested in a window)",
        packages: &["xvfb", "webkit2gtk-driver"],
        purpose: Purpose::Test,
        spared: true,
        here: || !cfg!(target_os = "linux") || (any_program(&["Xvfb"]) && any_program(&["WebKitWebDriver"])),
    },
];

/// Makes sure that everything for `purpose` is here.
///
/// # Errors
///
/// If something is missing and cannot be installed: the message holds the command to type.
pub(crate) fn prepare(purpose: Purpose) -> Result<()> {
    wasm_target()?;
    // Tests need everything; a desktop build runs none, so its own needs and those of `run` are enough.
    let wanted =
        |need: &&Need| purpose == Purpose::Test || need.purpose == purpose || need.purpose == Purpose::Run;
    let missing: Vec<&Need> = NEEDS.iter().filter(wanted).filter(|need| !(need.here)()).collect();
    let (spared, needed): (Vec<&Need>, Vec<&Need>) =
        missing.into_iter().partition(|need| need.spared && purpose == Purpose::Test);
    bring(&needed)?;
    if let Err(error) = bring(&spared) {
        eprintln!("warning: {error:#}");
    }
    Ok(())
}

/// Installs what is missing.
fn bring(missing: &[&Need]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    for need in missing {
        eprintln!("missing: {}", need.what);
    }
    let packages: Vec<&str> = missing.iter().flat_map(|need| need.packages.iter().copied()).collect();
    install(&packages)?;
    match missing.iter().find(|need| !(need.here)()) {
        Some(need) => bail!("{} is still missing after installing {}", need.what, need.packages.join(" ")),
        None => Ok(()),
    }
}

fn wasm_target() -> Result<()> {
    let output =
        Command::new("rustc").args(["--print", "sysroot"]).output().context("rustc cannot be started")?;
    let sysroot = String::from_utf8(output.stdout).context("the path of the Rust toolchain is not UTF-8")?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(WASM).is_dir() {
        return Ok(());
    }
    step::must(Command::new("rustup").args(["target", "add", WASM])).with_context(|| {
        format!(
            "the Rust target {WASM} is missing; install it with your toolchain (`rustup target add {WASM}`)"
        )
    })
}

fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    if step::program("apt-get").is_none() {
        bail!("install these by your system's own means (Debian's names): {names}");
    }
    let Some(prefix) = privilege() else {
        bail!(
            "install them with:\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends {names}"
        );
    };
    // One repository out of many may be unreachable and the packages still be had: what counts is the installation.
    if let Err(error) = step::must(&mut apt(prefix, &["update", "-q"], &[])) {
        eprintln!("warning: {error:#}");
    }
    step::must(&mut apt(prefix, &["install", "-q", "-y", "--no-install-recommends"], packages))
}

/// How to become root without a question: nothing for root itself, `sudo -n` where that works.
fn privilege() -> Option<&'static [&'static str]> {
    let quiet = |program: &str, args: &[&str]| Command::new(program).args(args).output().ok();
    if quiet("id", &["-u"]).is_some_and(|output| output.stdout.trim_ascii() == b"0") {
        return Some(&[]);
    }
    let sudo = step::program("sudo").is_some()
        && quiet("sudo", &["-n", "true"]).is_some_and(|output| output.status.success());
    sudo.then_some(&["sudo", "-n"])
}

fn apt(prefix: &[&str], args: &[&str], packages: &[&str]) -> Command {
    let words: Vec<&str> =
        [prefix, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], args, packages].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]);
    command
}

fn any_program(names: &[&str]) -> bool {
    names.iter().any(|name| step::program(name).is_some())
}

/// Whether the desktop app can be built here.
pub(crate) fn webkit() -> bool {
    let asked = Command::new("pkg-config").args(["--exists", "webkit2gtk-4.1"]).status();
    !cfg!(target_os = "linux") || asked.is_ok_and(|status| status.success())
}

fn chinese_font() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let home = env::var_os("HOME").map(|home| Path::new(&home).join(".local/share/fonts"));
    let system = ["/usr/share/fonts", "/usr/local/share/fonts"].map(|path| Path::new(path).to_path_buf());
    system.into_iter().chain(home).any(|folder| holds_chinese_font(&folder))
}

/// Whether a font file below `folder` is named like one of the free fonts that cover Chinese.
fn holds_chinese_font(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        if entry.path().is_dir() {
            return holds_chinese_font(&entry.path());
        }
        let name = entry.file_name().to_string_lossy().to_lowercase();
        ["cjk", "wqy", "sourcehan", "droidsansfallback", "arphic", "uming", "ukai"]
            .iter()
            .any(|part| name.contains(part))
    })
}
