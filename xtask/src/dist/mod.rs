//! `cargo xtask dist`: the packages that users download, in `<target>/dist/`.
//!
//! ```text
//! fairway-<version>-<triple>/            fairway with the designer inside, samples, licences, read-me
//! fairway-<version>-<triple>.tar.gz      the same, and beside it its .sha256
//! fairway_<version>_<architecture>.deb   with `--desktop`: the desktop app, to be installed (`deb.rs`)
//! ```
//! `--desktop` adds the desktop app to the folder, too.

mod deb;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::bundle::{self, Build};
use crate::house::{House, VERSION};
use crate::setup::{self, Purpose};
use crate::{files, step};

/// Text files of the repository that a package carries.
const TEXTS: [&str; 5] = ["README.md", "README.zh-CN.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"];

#[derive(Args)]
pub(crate) struct Options {
    /// Also build the desktop app (needs WebKitGTK).
    #[arg(long)]
    desktop: bool,
}

pub(crate) fn run(house: &House, options: &Options) -> Result<()> {
    setup::prepare(if options.desktop { Purpose::Desktop } else { Purpose::Run })?;
    let stamp = bundle::bundle(house, Build::Release)?;
    step::must(&mut house.cargo(["build", "--release", "-p", "fairway-runtime", "--bin", "fairway"]))?;
    let mut binaries = vec![house.binary("release", "fairway")];
    if options.desktop {
        let desktop = ["build", "--release", "-p", "fairway-desktop", "--features", "desktop"];
        step::must(&mut house.cargo(desktop))?;
        binaries.push(house.binary("release", "fairway-desktop"));
    }
    for binary in &binaries {
        embeds(binary, &stamp)?;
    }

    let name = format!("fairway-{VERSION}-{}", triple()?);
    let dist = house.target.join("dist");
    let folder = dist.join(&name);
    fill(house, &folder, &binaries)?;
    let archive = dist.join(format!("{name}.tar.gz"));
    pack(&folder, &name, &archive)?;
    let sum = checksum(&archive)?;
    let file = archive.file_name().unwrap_or_default().to_string_lossy();
    fs::write(dist.join(format!("{name}.tar.gz.sha256")), format!("{sum}  {file}\n"))?;
    println!("{}  {}  sha256 {sum}", archive.display(), files::human(fs::metadata(&archive)?.len()));
    if options.desktop {
        let package = deb::make(house, &binaries, &dist)?;
        let sum = checksum(&package)?;
        println!("{}  {}  sha256 {sum}", package.display(), files::human(fs::metadata(&package)?.len()));
    }
    Ok(())
}

/// A binary that was built before the bundle was there would serve no page; better to find that out here.
fn embeds(binary: &Path, stamp: &str) -> Result<()> {
    let bytes = fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    let found = bytes.windows(stamp.len()).any(|window| window == stamp.as_bytes());
    ensure!(found, "{} does not hold the designer (bundle {stamp})", binary.display());
    Ok(())
}

fn fill(house: &House, folder: &Path, binaries: &[PathBuf]) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    let samples = folder.join("samples");
    fs::create_dir_all(&samples).with_context(|| format!("cannot create {}", samples.display()))?;
    let texts = TEXTS.iter().map(|text| house.root.join(text));
    for from in texts.chain(binaries.iter().cloned()) {
        files::copy(&from, folder)?;
    }
    for sample in files::walk(&house.root.join("assets/samples"))? {
        files::copy(&sample, &samples)?;
    }
    Ok(())
}

fn pack(folder: &Path, name: &str, archive: &Path) -> Result<()> {
    let file = File::create(archive).with_context(|| format!("cannot create {}", archive.display()))?;
    let mut tar = tar::Builder::new(GzEncoder::new(file, Compression::best()));
    // No owner, no times, in order of the paths: the same content packs to the same bytes.
    tar.mode(tar::HeaderMode::Deterministic);
    for file in files::walk(folder)? {
        let inside = Path::new(name).join(file.strip_prefix(folder)?);
        tar.append_path_with_name(&file, inside)?;
    }
    tar.into_inner()?.finish()?;
    Ok(())
}

fn checksum(path: &Path) -> Result<String> {
    let mut sha = Sha256::new();
    std::io::copy(&mut File::open(path)?, &mut sha)?;
    Ok(sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The target triple of this machine, as rustc names it.
fn triple() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc cannot be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    Ok(host.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::GzDecoder;

    use super::*;

    /// A checkout with what a package is made of, and a binary that holds the stamp `0123456789abcdef`.
    fn checkout() -> (tempfile::TempDir, House, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        for text in TEXTS {
            fs::write(root.join(text), text).unwrap();
        }
        fs::create_dir_all(root.join("assets/samples")).unwrap();
        fs::write(root.join("assets/samples/flights.csv"), "a\n1\n").unwrap();
        let binary = root.join("fairway");
        fs::write(&binary, b"\x7fELF...0123456789abcdef...").unwrap();
        let house = House { root: root.clone(), target: root.join("target") };
        (folder, house, binary)
    }

    #[test]
    fn a_package_holds_everything_and_packs_to_the_same_bytes() {
        let (_folder, house, binary) = checkout();
        let package = house.target.join("dist/fairway-1");
        let (first, second) = (house.root.join("1.tar.gz"), house.root.join("2.tar.gz"));
        for archive in [&first, &second] {
            fill(&house, &package, std::slice::from_ref(&binary)).unwrap();
            pack(&package, "fairway-1", archive).unwrap();
        }
        assert_eq!(checksum(&first).unwrap(), checksum(&second).unwrap());

        let mut archive = tar::Archive::new(GzDecoder::new(File::open(&first).unwrap()));
        let mut found = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            found.push((entry.path().unwrap().display().to_string(), content));
        }
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names.len(), TEXTS.len() + 2, "{names:?}");
        let sample = found.iter().find(|(name, _)| name == "fairway-1/samples/flights.csv").unwrap();
        assert_eq!(sample.1, b"a\n1\n");
        assert!(
            names.contains(&"fairway-1/LICENSE-APACHE") && names.contains(&"fairway-1/fairway"),
            "{names:?}"
        );
    }

    #[test]
    fn a_binary_without_this_bundle_is_refused() {
        let (_folder, _, binary) = checkout();
        assert!(embeds(&binary, "0123456789abcdef").is_ok());
        let error = embeds(&binary, "fedcba9876543210").unwrap_err().to_string();
        assert!(error.contains("does not hold the designer"), "{error}");
    }
}
