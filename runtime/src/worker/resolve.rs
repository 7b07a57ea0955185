//! From a node's config as drawn to the one its component opens with: the connection's access data, then the values that
//! references stand for. Done at every start of a task, so that a changed secret needs no deploy, and kept nowhere (I6).

use std::collections::BTreeMap;
use std::env;

use fairway_engine::error::Error;
use fairway_shared::channel::text::{self, Document};
use fairway_shared::connection::Connection;
use fairway_shared::secret::{self, Reference};
use serde_json::{Map, Value};

use crate::check::merge;
use crate::controller::catalog;
use crate::services::Services;
use crate::{redact, references};

/// Variables of the environment that no document may refer to.
const OWN: [&str; 5] = [
    "FAIRWAY_TOKEN",
    "FAIRWAY_SECRET_KEY",
    "FAIRWAY_SECRET_KEY_FILE",
    "FAIRWAY_KAFKA_PASSWORD",
    "FAIRWAY_KAFKA_KEY_PASSWORD",
];

/// The config that a node's component opens with; connections `beside` it go before the stored ones. Without services there are
/// no stored connections and no secrets.
///
/// # Errors
/// Kind `Config`, naming the connection, secret or variable that is not there; outages of the store as they are.
pub(crate) async fn config(
    services: Option<&Services>,
    beside: &[Connection],
    config: &Map<String, Value>,
) -> Result<Value, Error> {
    let config = Value::Object(with_connection(services, beside, config).await?);
    let mut known = BTreeMap::new();
    for reference in secret::references(&config) {
        let value = match &reference {
            // What opens Fairway itself is nobody's setting.
            Reference::Env(name) if OWN.contains(&name.as_str()) => None,
            Reference::Env(name) => env::var(name).ok().inspect(|value| redact::hide_variable(value)),
            Reference::Secret(name) => match services {
                Some(services) => services.secrets.get(name).await?.map(|secret| {
                    redact::hide_secret(secret.reveal());
                    secret.reveal().to_owned()
                }),
                None => None,
            },
        };
        known.extend(value.map(|value| (reference, value)));
    }
    references::resolve(&config, &|reference| known.get(reference).cloned()).map_err(missing)
}

async fn with_connection(
    services: Option<&Services>,
    beside: &[Connection],
    config: &Map<String, Value>,
) -> Result<Map<String, Value>, Error> {
    let Some(name) = config.get("connection").and_then(Value::as_str) else {
        return Ok(config.clone());
    };
    if let Some(connection) = beside.iter().find(|connection| connection.name() == name) {
        return Ok(merge(connection, config));
    }
    let missing = || {
        Error::config("connection.missing", format!("there is no connection called `{name}`"))
            .help("import its document, or name another one")
    };
    let stored = services.ok_or_else(missing)?.config.get(&catalog::connection(name)).await?;
    let entry = stored.ok_or_else(missing)?;
    let document = serde_json::from_str(&entry.value).map_err(|error| {
        Error::config("connection.unreadable", format!("`{name}` cannot be read")).source(error)
    })?;
    match text::document_from_value(&document).0 {
        Some(Document::Connection(connection)) => Ok(merge(&connection, config)),
        _ => Err(missing()),
    }
}

fn missing(reference: Reference) -> Error {
    match reference {
        Reference::Secret(name) => {
            Error::config("secret.missing", format!("there is no secret called `{name}`"))
                .help(format!("set it with `fairway secrets set {name}` or in the form of the node"))
        }
        Reference::Env(name) => {
            Error::config("env.missing", format!("the environment has no variable `{name}`"))
                .help("set it where Fairway is started, or use a secret")
        }
    }
}
