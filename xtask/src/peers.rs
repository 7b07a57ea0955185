//! What tests start and no package of the system brings: the jars of Apache Kafka, copied below the target folder.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::house::House;
use crate::step;

/// The folder below the target folder; `tests/peers` looks for it there. It is named after the version in the pom.
const KAFKA: &str = "peers/kafka-4.3.1";

/// Fetches what is not there yet, by Maven and with its own settings.
pub(crate) fn fetch(house: &House) -> Result<()> {
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
