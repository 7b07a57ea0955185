//! From a document to its canonical form: known keys in the order of `keys`, then the others sorted. Empty optional
//! parts are left out, except `nodes` and `edges`, which every reader expects.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

use super::fields::RAW;
use super::text::Document;
use super::{
    API_VERSION, Channel, Edge, ErrorPolicy, ErrorSettings, Extra, Guarantee, Layout, Metadata, Missed, Node,
    Retry, Schedule, Settings, Spec, Spot, StreamChoice, keys, read,
};
use crate::canonical::{Item, sorted};
use crate::connection::{Bundle, Connection};

/// An object: `known` in its order, each from the typed field or else from what was kept of it, then the rest.
fn object<'a, const N: usize>(
    keys: &[&'static str],
    known: [Option<Item<'a>>; N],
    extra: &'a Extra,
) -> Item<'a> {
    debug_assert_eq!(keys.len(), N);
    let mut members = Vec::with_capacity(N + extra.len());
    for (key, item) in keys.iter().zip(known) {
        if let Some(item) = item.or_else(|| extra.get(*key).map(Item::Value)) {
            members.push((*key, item));
        }
    }
    let rest = sorted(extra).into_iter().filter(|(key, _)| !keys.contains(&key.as_str()));
    members.extend(rest.map(|(key, value)| (key.as_str(), Item::Value(value))));
    Item::Object(members)
}

fn text(text: &str) -> Option<Item<'_>> {
    Some(text).filter(|text| !text.is_empty()).map(Item::Text)
}

fn optional(text: &Option<String>) -> Option<Item<'_>> {
    text.as_deref().map(Item::Text)
}

fn filled<'a>(item: Item<'a>) -> Option<Item<'a>> {
    match &item {
        Item::Object(members) if members.is_empty() => None,
        _ => Some(item),
    }
}

fn config(map: &Extra) -> Option<Item<'_>> {
    let members = sorted(map).into_iter().map(|(key, value)| (key.as_str(), Item::Value(value)));
    filled(Item::Object(members.collect()))
}

fn version<'a>(extra: &'a Extra, kind: &'static str) -> [Option<Item<'a>>; 2] {
    // A version or kind that was not understood is not overwritten: the document stays what it said it was.
    let api_version = extra.get("apiVersion").filter(|value| !value.is_null());
    let own_kind = extra.get("kind").filter(|value| !value.is_null());
    [
        Some(api_version.map_or(Item::Text(API_VERSION), Item::Value)),
        Some(own_kind.map_or(Item::Text(kind), Item::Value)),
    ]
}

/// A required part: written even when empty, unless something else was there instead.
fn part<'a>(item: Item<'a>, empty: bool, key: &str, extra: &Extra) -> Option<Item<'a>> {
    (!empty || !extra.contains_key(key)).then_some(item)
}

pub(crate) fn channel(channel: &Channel) -> Item<'_> {
    let [api_version, kind] = version(&channel.extra, "Channel");
    let extra = &channel.extra;
    let metadata =
        part(metadata(&channel.metadata), channel.metadata == Metadata::default(), "metadata", extra);
    let spec = part(spec(&channel.spec), channel.spec == Spec::default(), "spec", extra);
    object(keys::CHANNEL, [api_version, kind, metadata, spec, filled(layout(&channel.layout))], extra)
}

pub(crate) fn connection(connection: &Connection) -> Item<'_> {
    let [api_version, kind] = version(&connection.extra, "Connection");
    let (extra, spec) = (&connection.extra, &connection.spec);
    let metadata =
        part(metadata(&connection.metadata), connection.metadata == Metadata::default(), "metadata", extra);
    let inner = object(keys::CONNECTION_SPEC, [text(&spec.connector), config(&spec.config)], &spec.extra);
    object(
        keys::CONNECTION,
        [api_version, kind, metadata, part(inner, *spec == Default::default(), "spec", extra)],
        extra,
    )
}

pub(crate) fn bundle(bundle: &Bundle) -> Item<'_> {
    let [api_version, kind] = version(&bundle.extra, "Bundle");
    let items = Item::List(bundle.items.iter().map(document).collect());
    object(
        keys::BUNDLE,
        [api_version, kind, part(items, bundle.items.is_empty(), "items", &bundle.extra)],
        &bundle.extra,
    )
}

pub(crate) fn document(document: &Document) -> Item<'_> {
    match document {
        Document::Channel(document) => channel(document),
        Document::Connection(document) => connection(document),
        Document::Bundle(document) => bundle(document),
    }
}

pub(crate) fn metadata(metadata: &Metadata) -> Item<'_> {
    let kept = metadata.extra.get("labels");
    let labels = match kept.and_then(Value::as_object) {
        None if metadata.labels.is_empty() => None,
        rest => {
            let mut all: Vec<(&str, Item<'_>)> =
                metadata.labels.iter().map(|(key, label)| (key.as_str(), Item::Text(label))).collect();
            let rest = rest.into_iter().flatten().filter(|(key, _)| !metadata.labels.contains_key(*key));
            all.extend(rest.map(|(key, value)| (key.as_str(), Item::Value(value))));
            all.sort_by_key(|(key, _)| *key);
            Some(Item::Object(all))
        }
    };
    let known = [text(&metadata.name), optional(&metadata.title), optional(&metadata.description), labels];
    object(keys::METADATA, known, &metadata.extra)
}

fn spec(spec: &Spec) -> Item<'_> {
    let nodes = Item::List(spec.nodes.iter().map(node).collect());
    let edges = Item::List(spec.edges.iter().map(edge).collect());
    let known = [
        part(nodes, spec.nodes.is_empty(), "nodes", &spec.extra),
        part(edges, spec.edges.is_empty(), "edges", &spec.extra),
        filled(settings(&spec.settings)),
    ];
    object(keys::SPEC, known, &spec.extra)
}

/// What an element holds that was no object.
fn raw(extra: &Extra) -> Option<Item<'_>> {
    extra.get(RAW).filter(|_| extra.len() == 1).map(Item::Value)
}

pub(crate) fn node(node: &Node) -> Item<'_> {
    let tasks = node.tasks.map(|tasks| Item::Owned(tasks.into()));
    let known = [text(&node.id), text(&node.component), optional(&node.title), config(&node.config), tasks];
    match raw(&node.extra).filter(|_| known.iter().all(Option::is_none)) {
        Some(raw) => raw,
        None => object(keys::NODE, known, &node.extra),
    }
}

pub(crate) fn edge(edge: &Edge) -> Item<'_> {
    let port =
        |port: &super::PortRef| Some(port.to_string()).filter(|text| !text.is_empty()).map(Value::from);
    let known = [port(&edge.from).map(Item::Owned), port(&edge.to).map(Item::Owned)];
    match raw(&edge.extra).filter(|_| known.iter().all(Option::is_none)) {
        Some(raw) => raw,
        None => object(keys::EDGE, known, &edge.extra),
    }
}

pub(crate) fn settings(settings: &Settings) -> Item<'_> {
    let stream = (settings.stream != StreamChoice::default()).then(|| Item::Text(settings.stream.as_str()));
    let delivery =
        (settings.delivery != Guarantee::default()).then(|| Item::Text(settings.delivery.as_str()));
    let schedule = settings.schedule.as_deref().map(schedule);
    object(keys::SETTINGS, [stream, delivery, filled(errors(&settings.errors)), schedule], &settings.extra)
}

fn schedule(schedule: &Schedule) -> Item<'_> {
    let zone = (schedule.timezone != Schedule::default().timezone).then_some(schedule.timezone.as_str());
    let missed = (schedule.missed != Missed::default()).then(|| Item::Text(schedule.missed.as_str()));
    object(keys::SCHEDULE, [text(&schedule.cron), zone.map(Item::Text), missed], &schedule.extra)
}

fn errors(errors: &ErrorSettings) -> Item<'_> {
    let policy = (errors.policy != ErrorPolicy::default()).then(|| Item::Text(errors.policy.as_str()));
    let changed = errors.retry.max_attempts != Retry::default().max_attempts;
    let most = changed.then(|| Item::Owned(errors.retry.max_attempts.into()));
    let retry = object(keys::RETRY, [most], &errors.retry.extra);
    object(keys::ERRORS, [policy, filled(retry)], &errors.extra)
}

fn layout(layout: &Layout) -> Item<'_> {
    let rest = layout.extra.get("nodes").and_then(Value::as_object);
    let mut nodes: Vec<(&str, Item<'_>)> = layout
        .nodes
        .iter()
        .map(|(id, at)| {
            (id.as_str(), spot(*at, rest.and_then(|rest| rest.get(id)).and_then(Value::as_object)))
        })
        .collect();
    let others = rest.into_iter().flatten().filter(|(id, _)| !layout.nodes.contains_key(*id));
    nodes.extend(others.map(|(id, value)| (id.as_str(), Item::Value(value))));
    nodes.sort_by_key(|(id, _)| *id);
    let list = |list: &'_ [Value]| (!list.is_empty()).then(|| Item::Owned(Value::Array(list.to_vec())));
    object(
        keys::LAYOUT,
        [filled(Item::Object(nodes)), list(&layout.notes), list(&layout.groups)],
        &layout.extra,
    )
}

fn spot<'a>(spot: Spot, kept: Option<&'a Extra>) -> Item<'a> {
    let axis = |key: &'static str, value: f64| {
        let item = match kept.and_then(|kept| kept.get(key)).filter(|kept| means(kept, value)) {
            Some(kept) => Item::Value(kept),
            None => Item::Owned(Value::Number(coordinate(value))),
        };
        (key, item)
    };
    let mut members = vec![axis("x", spot.x), axis("y", spot.y)];
    let rest = kept
        .map(sorted)
        .unwrap_or_default()
        .into_iter()
        .filter(|(key, _)| !keys::SPOT.contains(&key.as_str()));
    members.extend(rest.map(|(key, value)| (key.as_str(), Item::Value(value))));
    Item::Object(members)
}

/// Whether what was written for a coordinate was read as this value; then its spelling is kept.
pub(crate) fn means(kept: &Value, value: f64) -> bool {
    kept.as_f64().filter(|kept| kept.is_finite()).map_or(value == 0.0, |kept| kept == value)
}

/// A coordinate as documents write it: whole numbers without a fraction.
pub(crate) fn coordinate(value: f64) -> Number {
    // Beyond 2^53 not every whole number is a float; there the general form says it best.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 {
        Number::from(value as i64)
    } else {
        Number::from_f64(value).unwrap_or_else(|| Number::from(0))
    }
}

/// Serde for the parts of a document: written in canonical order, read leniently with what does not fit in `extra`.
/// Faults are not told here; what did not fit is where `text::faults` finds it.
macro_rules! serde_as_item {
    ($($type:ty: $write:path, $read:expr;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $write(self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read: fn(Value) -> Result<$type, &'static str> = $read;
                read(Value::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

serde_as_item! {
    Metadata: metadata, |value| read::part(value, read::metadata);
    Node: node, |value| Ok(read::node_or_raw(value, "", &mut Vec::new()));
    Edge: edge, |value| Ok(read::edge_or_raw(value, "", &mut Vec::new()));
    Settings: settings, |value| read::part(value, read::settings);
}

/// Serde for whole documents, the same way.
macro_rules! serde_as_document {
    ($($type:ident: $write:path;)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $write(self).serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut faults = Vec::new();
                match read::document(Value::deserialize(deserializer)?, "", &mut faults) {
                    Some(Document::$type(document)) => Ok(document),
                    _ => Err(serde::de::Error::custom(concat!("this is no document of kind ", stringify!($type)))),
                }
            }
        }
    )*};
}

serde_as_document! {
    Channel: channel;
    Connection: connection;
    Bundle: bundle;
}
