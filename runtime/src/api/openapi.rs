//! The description of the API (OpenAPI 3.1), written from the endpoint types. It is committed as `docs/openapi.json`; a test
//! compares.

use std::sync::OnceLock;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use fairway_shared::api::events::{EVENTS_PATH, Event};
use fairway_shared::api::{Endpoint, Problem};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

use super::routes;

type SchemaOf = fn(&mut SchemaGenerator) -> schemars::Schema;

/// What the description says of an endpoint.
pub(super) struct Operation {
    id: &'static str,
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    status: u16,
    request: Option<SchemaOf>,
    answer: Option<SchemaOf>,
}

impl Operation {
    /// Of this endpoint.
    pub(super) fn of<E: Endpoint>() -> Self {
        Self {
            id: E::ID,
            method: E::METHOD.as_str(),
            path: E::PATH,
            summary: E::SUMMARY,
            status: E::STATUS,
            request: (size_of::<E::Request>() > 0)
                .then_some(|generator| generator.subschema_for::<E::Request>()),
            answer: (size_of::<E::Answer>() > 0)
                .then_some(|generator| generator.subschema_for::<E::Answer>()),
        }
    }

    fn describe(&self, generator: &mut SchemaGenerator) -> Value {
        let mut success = json!({ "description": "Done." });
        if let Some(answer) = self.answer {
            success["content"] = json!({ "application/json": { "schema": answer(generator) } });
        }
        let problem = json!({
            "description": "Refused.",
            "content": { "application/problem+json": { "schema": generator.subschema_for::<Problem>() } }
        });
        let mut described = json!({
            "operationId": self.id,
            "summary": self.summary,
            "responses": { self.status.to_string(): success, "default": problem }
        });
        let parameters: Vec<Value> = self
            .path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
            .chain(beside(self.id))
            .collect();
        if !parameters.is_empty() {
            described["parameters"] = Value::Array(parameters);
        }
        if let Some(request) = self.request {
            described["requestBody"] = json!({
                "required": true,
                "content": { "application/json": { "schema": request(generator) } }
            });
        }
        described
    }
}

/// Parameters beside the path, which an endpoint's type does not tell.
fn beside(id: &str) -> Vec<Value> {
    let number = |name: &str, help: &str| {
        let schema = json!({ "type": "integer", "minimum": 0 });
        json!({ "name": name, "in": "query", "description": help, "schema": schema })
    };
    let text = |name: &str, help: &str| json!({ "name": name, "in": "query", "description": help, "schema": { "type": "string" } });
    match id {
        "SaveDraft" => vec![json!({
            "name": "If-Match",
            "in": "header",
            "required": true,
            "description": "The `ETag` that came with the draft; `*` overwrites whatever is there, which then stays as a version.",
            "schema": { "type": "string" }
        })],
        "ListDeadLetters" => {
            vec![
                number("limit", "Most entries, 50 unless given."),
                number("offset", "Entries left out before."),
                text("node", "Refused at this node."),
                text("code", "Refused with this code."),
                text("since", "Set aside at this time or later, RFC 3339."),
                text("until", "Set aside before this time, RFC 3339."),
            ]
        }
        _ => Vec::new(),
    }
}

/// The whole description.
pub fn describe() -> Value {
    let mut generator = SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        })
        .into_generator();
    let mut paths = Map::new();
    for operation in routes::mount().into_operations() {
        let described = operation.describe(&mut generator);
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method.to_ascii_lowercase()] = described;
    }
    let event = generator.subschema_for::<Event>();
    paths.insert(
        EVENTS_PATH.to_owned(),
        json!({ "get": {
            "operationId": "ListenToEvents",
            "summary": "Server-Sent Events; `Last-Event-ID` (or `?after=`) resumes.",
            "responses": { "200": {
                "description": "The data of each event.",
                "content": { "text/event-stream": { "schema": event } }
            } }
        } }),
    );
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Fairway",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Every call needs the token that the server printed, as `Authorization: Bearer …` or as the cookie \
                that opening the printed address sets. Refusals are RFC 9457 problems with permanent codes."
        },
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": generator.take_definitions(true)
        }
    })
}

/// Serves the description.
pub(super) async fn serve() -> Response {
    static TEXT: OnceLock<String> = OnceLock::new();
    let text = TEXT.get_or_init(|| describe().to_string());
    ([(header::CONTENT_TYPE, "application/json")], text.as_str()).into_response()
}
