//! The brokers of a cluster's Kafka: named on the command line, or by a connection document that says how to get in as well. Passwords
//! are never on the command line, where everybody on the machine could read them (I6).

use std::env;
use std::path::{Path, PathBuf};

use fairway_engine::error::Error;
use fairway_engine::files::Files;
use fairway_kafka::{Access, Settings};
use fairway_shared::connection::Connection;
use fairway_shared::secret::Reference;
use serde_json::Value;

use super::documents;
use super::exit::{self, Failure};
use crate::{redact, references};

/// Variable that names the file of the connection.
const VARIABLE: &str = "FAIRWAY_KAFKA_CONNECTION";
/// Family of the connection.
const FAMILY: &str = "kafka";

/// Where the brokers are, and how to get in.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Brokers {
    /// Brokers of Kafka, with commas between; they count more than those of the connection.
    #[arg(long, value_name = "HOST:PORT")]
    kafka: Option<String>,
    /// File with a connection document for Kafka, as components name one: brokers, TLS, SASL. Passwords stand there as `${env:FAIRWAY_KAFKA_PASSWORD}`;
    /// files that it names lie beside it. Else FAIRWAY_KAFKA_CONNECTION.
    #[arg(long, value_name = "FILE")]
    kafka_connection: Option<PathBuf>,
}

impl Brokers {
    /// What a client needs.
    ///
    /// # Errors
    /// Exit code 3 for a document with errors, 4 for what cannot work.
    pub(super) fn access(&self) -> Result<Access, Failure> {
        let file = self.file();
        let failure = |error: Error| {
            let from = file.as_deref().map_or("--kafka".to_owned(), |file| file.display().to_string());
            Failure::new(exit::REFUSED, format!("{from}: {error}")).help(error.help)
        };
        let mut settings = match &file {
            Some(file) => read(file)?,
            None => Settings::default(),
        };
        if let Some(brokers) = &self.kafka {
            settings.brokers = Some(brokers.clone());
        }
        if settings.brokers.is_none() {
            let what = "no broker of the cluster's Kafka is named";
            let help = format!(
                "give --kafka HOST:PORT, or a connection document by --kafka-connection or {VARIABLE}"
            );
            return Err(Failure::new(exit::REFUSED, what).help(Some(help)));
        }
        let beside = file.as_deref().and_then(Path::parent).map_or_else(PathBuf::new, Path::to_owned);
        settings.access(&Files::open(beside)).map_err(failure)
    }

    /// The same for a worker that is started from here.
    pub(super) fn hand_on(&self, command: &mut tokio::process::Command) {
        if let Some(kafka) = &self.kafka {
            command.arg("--kafka").arg(kafka);
        }
        if let Some(file) = &self.kafka_connection {
            command.arg("--kafka-connection").arg(file);
        }
    }

    fn file(&self) -> Option<PathBuf> {
        let given = || env::var_os(VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from);
        self.kafka_connection.clone().or_else(given)
    }
}

fn read(file: &Path) -> Result<Settings, Failure> {
    let document = documents::connections(file)?;
    let is_kafka = |connection: &&Connection| connection.connector() == FAMILY;
    let mut found = document.iter().filter(is_kafka);
    let (Some(connection), None) = (found.next(), found.next()) else {
        let what = format!("{} does not hold one connection with `connector: {FAMILY}`", file.display());
        return Err(Failure::new(exit::DOCUMENT, what)
            .help(Some("write it as the designer exports a Kafka connection; see docs/cluster.md")));
    };
    // Before the cluster is joined there are no stored secrets.
    let known = |reference: &Reference| match reference {
        Reference::Env(name) => env::var(name).ok().inspect(|value| redact::hide_variable(value)),
        Reference::Secret(_) => None,
    };
    let config = Value::Object(connection.config().clone());
    let config = references::resolve(&config, &known).map_err(|missing| {
        let what = match missing {
            Reference::Env(name) => format!("the environment has no variable `{name}`"),
            Reference::Secret(name) => {
                format!("the secret `{name}` is stored in the cluster that is yet to be joined")
            }
        };
        Failure::new(exit::REFUSED, format!("{}: {what}", file.display()))
            .help(Some("refer to `${env:FAIRWAY_KAFKA_PASSWORD}`, and set that where Fairway is started"))
    })?;
    serde_json::from_value(config).map_err(|error| {
        Failure::new(exit::DOCUMENT, format!("{}: {error}", file.display())).help(Some(
            "settings are `brokers` and `security`, as `fairway components kafka_source` lists them",
        ))
    })
}
