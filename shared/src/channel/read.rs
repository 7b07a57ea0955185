//! From a JSON value to a document. Reads on past every fault, so that all of them are told at once (I7), and keeps in
//! `extra` what it could not take. Whether the document makes sense is `crate::validate`'s business.

use serde_json::{Map, Value};

use super::fields::{Fields, RAW, listed, type_of};
use super::text::Document;
use super::write::coordinate;
use super::{
    API_VERSION, Channel, Edge, ErrorPolicy, ErrorSettings, Extra, Guarantee, Layout, Metadata, Missed, Node,
    PortRef, Retry, Schedule, Settings, Spec, Spot, StreamChoice, keys, migrate,
};
use crate::connection::{Bundle, Connection, ConnectionSpec};
use crate::diagnostic::{Diagnostic, Place, codes};
use crate::pointer;
use crate::suggest::{closest, did_you_mean};

/// Kinds of documents.
pub(crate) const KINDS: &[&str] = &["Channel", "Connection", "Bundle"];

/// Reads a document of any kind that lies at `at`.
pub(crate) fn document(value: Value, at: &str, faults: &mut Vec<Diagnostic>) -> Option<Document> {
    let Value::Object(mut map) = value else {
        let message = format!("a document must be an object, but this is {}", type_of(&value));
        faults.push(Diagnostic::error(codes::DOCUMENT_NOT_AN_OBJECT, Place::at(at), message));
        return None;
    };
    // Null is as good as absent, and is not kept: what is written there at each save says more.
    for key in ["apiVersion", "kind"] {
        if map.get(key).is_some_and(Value::is_null) {
            map.remove(key);
        }
    }
    let kind = kind(&map, at, faults)?;
    version(&mut map, at, faults);
    // What is written anew at each save need not be kept, unless it says something else.
    if map.get("kind").and_then(Value::as_str) == Some(kind) {
        map.remove("kind");
    }
    let fields = Fields::new(map, at, faults);
    Some(match kind {
        "Connection" => Document::Connection(connection(fields)),
        "Bundle" => Document::Bundle(bundle(fields)),
        _ => Document::Channel(channel(fields)),
    })
}

/// The kind of a document; what looks like a channel is read as one even if it calls itself otherwise.
fn kind(map: &Extra, at: &str, faults: &mut Vec<Diagnostic>) -> Option<&'static str> {
    let place = Place::at(pointer::join(at, "kind"));
    let help = format!("It is one of {}.", listed(KINDS));
    let looks_like_channel = map.get("spec").is_some_and(|spec| spec.get("nodes").is_some());
    let fault = match map.get("kind") {
        Some(Value::String(word)) => {
            if let Some(kind) = KINDS.iter().find(|kind| *kind == word) {
                return Some(kind);
            }
            let near = closest(word, KINDS.iter().copied());
            let message = format!("`{word}` is not a kind of document{}", did_you_mean(near));
            let fault = Diagnostic::error(codes::DOCUMENT_KIND, place.clone(), message).help(help);
            match near {
                Some(near) => fault.fix(format!("Change to `{near}`"), place.pointer, Some(near.into())),
                None => fault,
            }
        }
        Some(other) => {
            let message = format!("`kind` must be text, but is {}", type_of(other));
            Diagnostic::error(codes::DOCUMENT_KIND, place, message).help(help)
        }
        None => {
            let fault =
                Diagnostic::error(codes::DOCUMENT_KIND, Place::at(at), "`kind` is missing").help(help);
            if looks_like_channel {
                fault.fix("Make it a channel", place.pointer, Some("Channel".into()))
            } else {
                fault
            }
        }
    };
    faults.push(fault);
    looks_like_channel.then_some("Channel")
}

/// Brings the members up to the present version, and reports a version that is missing or unknown.
fn version(map: &mut Extra, at: &str, faults: &mut Vec<Diagnostic>) {
    let place = Place::at(pointer::join(at, "apiVersion"));
    let help =
        format!("This version of Fairway writes `{API_VERSION}` and reads {}.", listed(&migrate::readable()));
    let message = match map.get("apiVersion").cloned() {
        Some(Value::String(version)) if version == API_VERSION => {
            map.remove("apiVersion");
            return;
        }
        Some(Value::String(version)) => match migrate::migrate(&version, map) {
            Some(notes) => {
                map.remove("apiVersion");
                let message = format!("the document is of version `{version}`: {}", notes.join("; "));
                faults.push(
                    Diagnostic::warning(codes::DOCUMENT_MIGRATED, place, message)
                        .help(format!("Save it to have it as `{API_VERSION}`.")),
                );
                return;
            }
            None => format!("version `{version}` of documents is unknown"),
        },
        Some(other) => format!("`apiVersion` must be text, but is {}", type_of(&other)),
        None => "`apiVersion` is missing".into(),
    };
    faults.push(Diagnostic::error(codes::DOCUMENT_VERSION, place.clone(), message).help(help).fix(
        format!("Change to `{API_VERSION}`"),
        place.pointer,
        Some(API_VERSION.into()),
    ));
}

fn channel(mut fields: Fields<'_>) -> Channel {
    let metadata = sub(&mut fields, "metadata", metadata);
    let spec = sub(&mut fields, "spec", spec);
    let layout = sub(&mut fields, "layout", layout);
    let extra = top_level(fields, keys::CHANNEL);
    Channel { metadata, spec, layout, extra }
}

pub(crate) fn connection(mut fields: Fields<'_>) -> Connection {
    let metadata = sub(&mut fields, "metadata", metadata);
    let spec = sub(&mut fields, "spec", |mut fields| ConnectionSpec {
        connector: fields.text("connector"),
        config: fields.object("config").unwrap_or_default(),
        extra: fields.finish(keys::CONNECTION_SPEC, Diagnostic::error),
    });
    Connection { metadata, spec, extra: top_level(fields, keys::CONNECTION) }
}

fn bundle(mut fields: Fields<'_>) -> Bundle {
    let list = fields.list("items").unwrap_or_default();
    let (mut items, mut indexes) = (Vec::with_capacity(list.len()), Vec::new());
    for (index, value) in list.into_iter().enumerate() {
        let at = pointer::item(&fields.at("items"), index);
        // A bundle in a bundle could be nested without end; it is refused before it is read.
        if value.get("kind").and_then(Value::as_str) == Some("Bundle") {
            let message = "a bundle cannot hold a bundle";
            fields.faults().push(
                Diagnostic::error(codes::BUNDLE_ITEM, Place::at(at), message)
                    .help("Put its items into the outer bundle."),
            );
        } else if let Some(item) = document(value, &at, fields.faults()) {
            items.push(item);
            indexes.push(index);
        }
    }
    Bundle { items, indexes, extra: top_level(fields, keys::BUNDLE) }
}

/// The rest of a top level. An address of a schema is not reported.
fn top_level(mut fields: Fields<'_>, known: &[&str]) -> Extra {
    let schema = fields.take(keys::SCHEMA);
    let mut extra = fields.finish(known, Diagnostic::warning);
    if let Some(schema) = schema {
        extra.insert(keys::SCHEMA.to_owned(), schema);
    }
    extra
}

/// Reads a member that is an object; a default where it is absent or no object.
fn sub<T: Default>(fields: &mut Fields<'_>, key: &str, read: impl FnOnce(Fields<'_>) -> T) -> T {
    match fields.object(key) {
        Some(map) => read(fields.below(key, map)),
        None => T::default(),
    }
}

pub(crate) fn metadata(mut fields: Fields<'_>) -> Metadata {
    let name = fields.text("name");
    let title = fields.optional_text("title");
    let description = fields.optional_text("description");
    let mut labels = std::collections::BTreeMap::new();
    let mut rest = Map::new();
    for (key, value) in fields.object("labels").unwrap_or_default() {
        match value {
            Value::String(text) => drop(labels.insert(key, text)),
            other => {
                fields.below("labels", Map::new()).wrong_type(&key, "text", &other);
                rest.insert(key, other);
            }
        }
    }
    if !rest.is_empty() {
        fields.put_back("labels", Value::Object(rest));
    }
    Metadata { name, title, description, labels, extra: fields.finish(keys::METADATA, Diagnostic::warning) }
}

fn spec(mut fields: Fields<'_>) -> Spec {
    let nodes = each(&mut fields, "nodes", node_or_raw);
    let edges = each(&mut fields, "edges", edge_or_raw);
    let settings = sub(&mut fields, "settings", settings);
    Spec { nodes, edges, settings, extra: fields.finish(keys::SPEC, Diagnostic::error) }
}

/// Reads the elements of a list.
fn each<T>(fields: &mut Fields<'_>, key: &str, read: fn(Value, &str, &mut Vec<Diagnostic>) -> T) -> Vec<T> {
    let at = fields.at(key);
    let list = fields.list(key).unwrap_or_default();
    list.into_iter()
        .enumerate()
        .map(|(i, value)| read(value, &pointer::item(&at, i), fields.faults()))
        .collect()
}

pub(crate) fn node_or_raw(value: Value, at: &str, faults: &mut Vec<Diagnostic>) -> Node {
    match object_or_raw(value, "a node", at, faults) {
        Ok(map) => node(Fields::new(map, at, faults)),
        Err(extra) => Node { extra, ..Node::default() },
    }
}

pub(crate) fn edge_or_raw(value: Value, at: &str, faults: &mut Vec<Diagnostic>) -> Edge {
    match object_or_raw(value, "an edge", at, faults) {
        Ok(map) => edge(Fields::new(map, at, faults)),
        Err(extra) => Edge { extra, ..Edge::default() },
    }
}

/// The members of an element, or the `extra` that holds what is no object.
fn object_or_raw(value: Value, what: &str, at: &str, faults: &mut Vec<Diagnostic>) -> Result<Extra, Extra> {
    let message = match &value {
        // An object that looks like the holder is held itself, so that writing gives it back as it came.
        Value::Object(map) if map.len() == 1 && map.contains_key(RAW) => {
            format!("{what} has no field `{RAW}`")
        }
        Value::Object(_) => match value {
            Value::Object(map) => return Ok(map),
            _ => return Ok(Map::new()),
        },
        other => format!("{what} must be an object, but is {}", type_of(other)),
    };
    faults.push(Diagnostic::error(codes::DOCUMENT_WRONG_TYPE, Place::at(at), message).fix(
        "Remove it",
        at,
        None,
    ));
    Err(Map::from_iter([(RAW.to_owned(), value)]))
}

/// Reads a part of a document that was written by itself.
pub(crate) fn part<T>(value: Value, read: fn(Fields<'_>) -> T) -> Result<T, &'static str> {
    match value {
        Value::Object(map) => Ok(read(Fields::new(map, "", &mut Vec::new()))),
        _ => Err("an object is expected"),
    }
}

fn node(mut fields: Fields<'_>) -> Node {
    let id = fields.text("id");
    fields.of_node(&id);
    Node {
        id,
        component: fields.text("component"),
        title: fields.optional_text("title"),
        config: fields.object("config").unwrap_or_default(),
        tasks: fields.count("tasks", 1),
        extra: fields.finish(keys::NODE, Diagnostic::error),
    }
}

fn edge(mut fields: Fields<'_>) -> Edge {
    let from = PortRef::from(fields.text("from"));
    let to = PortRef::from(fields.text("to"));
    Edge { from, to, extra: fields.finish(keys::EDGE, Diagnostic::error) }
}

pub(crate) fn settings(mut fields: Fields<'_>) -> Settings {
    let stream = defaulted(&mut fields, "stream", StreamChoice::ALL);
    let delivery = defaulted(&mut fields, "delivery", Guarantee::ALL);
    let errors = sub(&mut fields, "errors", |mut fields| {
        let policy = defaulted(&mut fields, "policy", ErrorPolicy::ALL);
        let retry = sub(&mut fields, "retry", retry);
        ErrorSettings { policy, retry, extra: fields.finish(keys::ERRORS, Diagnostic::error) }
    });
    let schedule = fields.object("schedule").map(|map| Box::new(schedule(fields.below("schedule", map))));
    Settings { stream, delivery, errors, schedule, extra: fields.finish(keys::SETTINGS, Diagnostic::error) }
}

fn schedule(mut fields: Fields<'_>) -> Schedule {
    let default = Schedule::default();
    let cron = fields.text("cron");
    let written = fields.get("timezone").cloned();
    let timezone = fields.optional_text("timezone").unwrap_or_else(|| default.timezone.clone());
    if let Some(written) = written.filter(|_| timezone == default.timezone) {
        fields.put_back("timezone", written);
    }
    let missed = defaulted(&mut fields, "missed", Missed::ALL);
    Schedule { cron, timezone, missed, extra: fields.finish(keys::SCHEDULE, Diagnostic::error) }
}

fn retry(mut fields: Fields<'_>) -> Retry {
    let default = Retry::default();
    let written = fields.get("max_attempts").cloned();
    let max_attempts = fields.count("max_attempts", 1).unwrap_or(default.max_attempts);
    if let Some(written) = written.filter(|_| max_attempts == default.max_attempts) {
        fields.put_back("max_attempts", written);
    }
    Retry { max_attempts, extra: fields.finish(keys::RETRY, Diagnostic::error) }
}

/// A choice with a default. A default that was written out stays written out: it says that later defaults do not matter.
fn defaulted<T: Copy + Default + PartialEq>(fields: &mut Fields<'_>, key: &str, choices: &[(&str, T)]) -> T {
    let written = fields.get(key).cloned();
    let choice = fields.choice(key, choices).unwrap_or_default();
    if let Some(written) = written.filter(|_| choice == T::default()) {
        fields.put_back(key, written);
    }
    choice
}

fn layout(mut fields: Fields<'_>) -> Layout {
    let mut nodes = std::collections::BTreeMap::new();
    let mut rest = Map::new();
    for (id, value) in fields.object("nodes").unwrap_or_default() {
        match value {
            Value::Object(map) => {
                let mut outer = fields.below("nodes", Map::new());
                let (spot, extra) = spot(outer.below(&id, map));
                nodes.insert(id.clone(), spot);
                if !extra.is_empty() {
                    rest.insert(id, Value::Object(extra));
                }
            }
            other => {
                fields.below("nodes", Map::new()).wrong_type(&id, "an object", &other);
                rest.insert(id, other);
            }
        }
    }
    if !rest.is_empty() {
        fields.put_back("nodes", Value::Object(rest));
    }
    Layout {
        nodes,
        notes: fields.list("notes").unwrap_or_default(),
        groups: fields.list("groups").unwrap_or_default(),
        extra: fields.finish(keys::LAYOUT, Diagnostic::warning),
    }
}

/// A spot, and what of it the two numbers cannot say: other members, and numbers in another spelling.
fn spot(mut fields: Fields<'_>) -> (Spot, Extra) {
    let mut axis = |key: &str| match fields.get(key).cloned() {
        None => 0.0,
        Some(Value::Number(number)) if number.as_f64().is_some_and(f64::is_finite) => {
            let value = number.as_f64().unwrap_or_default();
            if coordinate(value) == number {
                fields.take(key);
            }
            value
        }
        Some(other) => {
            fields.wrong_type(key, "a number", &other);
            0.0
        }
    };
    let spot = Spot { x: axis("x"), y: axis("y") };
    (spot, fields.finish(keys::SPOT, Diagnostic::warning))
}
