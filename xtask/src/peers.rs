//! What tests need and no package of the system brings, below the target folder: the jars of Apache Kafka, and axe-core, whose
//! rules the pages are held against.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

use crate::house::House;
use crate::step;

/// The folder below the target folder; `tests/peers` looks for it there. It is named after the version in the pom.
const KAFKA: &str = "peers/kafka-4.3.1";

/// The package and the SHA-256 of its archive; `tests/browser/axe.rs` looks for `axe.min.js` in [`AXE_FOLDER`].
const AXE: &str = "axe-core@4.11.0";
const AXE_FOLDER: &str = "peers/axe-core-4.11.0";
const AXE_SHA256: &str = "39bed7d72308f6d620789c169d699bfd7e8da80f65b545821a6b2215c3e83107";

/// Fetches what is not there yet, by Maven and npm and with their own settings. A machine without npm, or one that does not
/// reach its registry, goes on: the checks that need axe-core then count as skipped and say why.
pub(crate) fn fetch(house: &House) -> Result<()> {
    if let Err(error) = axe(house) {
        eprintln!("warning: {error:#}");
    }
    kafka(house)
}

/// Fetches the jars of Apache Kafka, unless they are there.
pub(crate) fn kafka(house: &House) -> Result<()> {
    let folder = house.target.join(KAFKA);
    if folder.is_dir() {
        return Ok(());
    }
    // Under another name until all is there: half of the jars would look like all.
    let part = folder.with_extension("part");
    let pom = house.root.join("tests/peers/kafka/pom.xml");
    let output = format!("-DoutputDirectory={}", part.display());
    step::must(
        Command::new("mvn").args(["-q", "-B", "-f"]).arg(pom).args(["dependency:copy-dependencies", &output]),
    )
    .context("the jars of Apache Kafka could not be fetched by Maven")?;
    fs::rename(&part, &folder).context("the jars could not be put in place")
}

fn axe(house: &House) -> Result<()> {
    let folder = house.target.join(AXE_FOLDER);
    if folder.is_dir() {
        return Ok(());
    }
    ensure!(step::program("npm").is_some(), "npm is missing: it fetches {AXE}, by which pages are checked");
    let part = folder.with_extension("part");
    fs::create_dir_all(&part).with_context(|| format!("cannot create {}", part.display()))?;
    step::must(Command::new("npm").args(["pack", AXE, "--silent", "--pack-destination"]).arg(&part))
        .with_context(|| format!("{AXE} could not be fetched by npm"))?;
    let archive = part.join("axe-core-4.11.0.tgz");
    unpack(&archive, &part)?;
    fs::remove_file(&archive).with_context(|| format!("cannot remove {}", archive.display()))?;
    fs::rename(&part, &folder).context("axe-core could not be put in place")
}

/// Takes the script and its licence out of the archive, if it is the one that is meant.
fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(sum == AXE_SHA256, "{} has the SHA-256 {sum}, not {AXE_SHA256}", archive.display());
    for entry in tar::Archive::new(GzDecoder::new(bytes.as_slice())).entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        if let Some(name @ ("axe.min.js" | "LICENSE")) = name.strip_prefix("package/") {
            std::io::copy(&mut entry, &mut File::create(folder.join(name))?)?;
        }
    }
    ensure!(folder.join("axe.min.js").is_file(), "{} holds no axe.min.js", archive.display());
    Ok(())
}
