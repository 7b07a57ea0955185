//! Tests of connections.

use std::time::Instant;

use fairway_engine::component::Component;
use fairway_engine::error::Error;
use fairway_engine::probe::ProbeCtx;
use fairway_shared::api::preview::{ProbeAnswer, ProbeRequest};
use fairway_shared::channel::text::{self, Document};
use fairway_shared::component::Probe;
use fairway_shared::connection::Connection;
use serde_json::{Map, Value, json};

use super::{Trial, answer, deadline};
use crate::problem::{Refused, codes};
use crate::redact;
use crate::worker::resolve;

impl Trial<'_> {
    /// Tests the connection of a component's settings, or that of a connection's document.
    ///
    /// # Errors
    /// When the request makes no sense; that the test fails is an answer.
    pub(crate) async fn probe(&self, request: &ProbeRequest) -> Result<ProbeAnswer, Refused> {
        let connection = request.connection.as_ref().map(connection_of).transpose()?;
        let component = self.probed(request.component.as_deref(), connection.as_ref())?;
        let started = Instant::now();
        let mut config = request.config.clone();
        let mut beside = self.connections.to_vec();
        if let Some(connection) = connection {
            config.insert("connection".into(), connection.name().into());
            beside.insert(0, connection);
        }
        let tested = self.test(&component, config, &beside, deadline(request.deadline_ms)).await;
        let elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(match tested {
            Ok(probe) => ProbeAnswer { probe: Some(scrubbed(probe)), cause: None, elapsed_ms },
            Err(fault) => ProbeAnswer { probe: None, cause: Some(redact::cause(fault.cause())), elapsed_ms },
        })
    }

    async fn test(
        &self,
        component: &Component,
        config: Map<String, Value>,
        beside: &[Connection],
        deadline: std::time::Duration,
    ) -> Result<Probe, Error> {
        let Some(probe) = component.probe else {
            let message = format!("`{}` has no connection that could be tested", component.meta.name);
            return Err(Error::config("probe.not_available", message));
        };
        let mut config = resolve::config(self.services, beside, &config).await?;
        fill(&mut config, &component.spec().config_schema);
        let cx = ProbeCtx { files: self.files.clone(), deadline };
        answer(probe(config, cx), deadline).await
    }

    fn probed(&self, name: Option<&str>, connection: Option<&Connection>) -> Result<Component, Refused> {
        if let Some(name) = name {
            let unknown = || {
                Refused::new(codes::DOCUMENT_INVALID, format!("there is no component `{name}`"))
                    .help("`fairway components` lists all")
            };
            return self.registry.get(name).copied().ok_or_else(unknown);
        }
        let Some(connection) = connection else {
            return Err(Refused::new(codes::REQUEST_UNREADABLE, "there is nothing to be tested")
                .help("give a component with its settings, or the document of a connection"));
        };
        // Connections name the system, as `postgres` in `postgres_sink`; a family may hold several.
        let family = connection.connector();
        let of_family = |component: &&Component| {
            let system = component.meta.name.split('_').next();
            component.probe.is_some() && (system == Some(family) || component.meta.family == family)
        };
        let components = self.registry.specs().iter().filter_map(|spec| self.registry.get(&spec.name));
        components.copied().find(|component| of_family(&component)).ok_or_else(|| {
            Refused::new(codes::DOCUMENT_INVALID, format!("connections of `{family}` cannot be tested"))
                .help("preview or deploy a channel that uses it")
        })
    }
}

fn connection_of(document: &Value) -> Result<Connection, Refused> {
    let (found, diagnostics) = text::document_from_value(document);
    match found {
        Some(Document::Connection(connection)) => Ok(connection),
        _ => Err(Refused::new(codes::DOCUMENT_WRONG_KIND, "this is not the document of a connection")
            .help("its `kind` must be `Connection`")
            .diagnostics(diagnostics)),
    }
}

/// Settings that are not filled in yet, left empty: what they could be is what the test answers.
fn fill(config: &mut Value, schema: &Value) {
    let (Value::Object(config), Some(required)) = (config, schema["required"].as_array()) else {
        return;
    };
    for name in required.iter().filter_map(Value::as_str) {
        let empty = match schema["properties"][name]["type"].as_str() {
            Some("string") => json!(""),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => continue,
        };
        config.entry(name).or_insert(empty);
    }
}

fn scrubbed(probe: Probe) -> Probe {
    Probe { found: redact::scrub(&probe.found).into_owned(), ..probe }
}
