//! The published JSON Schema of documents, for editors and other tools: what the reader takes without an error, member by
//! member from the same lists of keys. A test writes it to `assets/schema/` and holds it against the reader.

use serde_json::{Map, Value, json};

use super::{API_VERSION, ErrorPolicy, Guarantee, Missed, Retry, Schedule, StreamChoice, keys};

/// Schema of a channel.
pub fn channel() -> Value {
    root("A data channel", channel_schema())
}

/// Schema of a connection.
pub fn connection() -> Value {
    root("Access data of one external system", connection_schema())
}

/// Schema of a bundle.
pub fn bundle() -> Value {
    let items =
        json!({"type": ["array", "null"], "items": {"oneOf": [channel_schema(), connection_schema()]}});
    let schema = object(
        "An export of several documents.",
        keys::BUNDLE,
        true,
        &["apiVersion", "kind"],
        |key| match key {
            "apiVersion" => version(),
            "kind" => kind("Bundle"),
            _ => with(items.clone(), "Channels, and the connections they name."),
        },
    );
    root("An export", schema)
}

fn root(title: &str, schema: Value) -> Value {
    let mut root = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title});
    if let (Value::Object(root), Value::Object(schema)) = (&mut root, schema) {
        root.extend(schema);
    }
    root
}

/// An object with these members. What is required may not be missing; all else may, or be null.
fn object(
    description: &str,
    keys: &[&str],
    open: bool,
    required: &[&str],
    member: impl Fn(&str) -> Value,
) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), member(key))).collect();
    let kind = if required.is_empty() { json!(["object", "null"]) } else { json!("object") };
    let mut schema =
        json!({"type": kind, "description": description, "properties": properties, "required": required});
    if !open && let Value::Object(schema) = &mut schema {
        schema.insert("additionalProperties".into(), false.into());
    }
    schema
}

fn with(mut schema: Value, description: &str) -> Value {
    if let Value::Object(map) = &mut schema {
        map.insert("description".into(), description.into());
    }
    schema
}

fn text(description: &str) -> Value {
    json!({"type": ["string", "null"], "description": description})
}

fn version() -> Value {
    json!({"const": API_VERSION, "description": "Version of the document's form."})
}

fn kind(kind: &str) -> Value {
    json!({"const": kind, "description": "Kind of document."})
}

fn words<T>(all: &[(&str, T)], default: &str, description: &str) -> Value {
    let words: Vec<Value> = all.iter().map(|(word, _)| (*word).into()).chain([Value::Null]).collect();
    json!({"enum": words, "default": default, "description": description})
}

fn count(default: Option<u32>, description: &str) -> Value {
    let schema =
        json!({"type": ["integer", "null"], "minimum": 1, "maximum": u32::MAX, "description": description});
    match (default, schema) {
        (Some(default), Value::Object(mut map)) => {
            map.insert("default".into(), default.into());
            Value::Object(map)
        }
        (_, schema) => schema,
    }
}

fn free_object(description: &str) -> Value {
    json!({"type": ["object", "null"], "description": description})
}

fn channel_schema() -> Value {
    object(
        "A graph of nodes and edges, deployed as a unit.",
        keys::CHANNEL,
        true,
        &["apiVersion", "kind"],
        |key| match key {
            "apiVersion" => version(),
            "kind" => kind("Channel"),
            "metadata" => metadata(),
            "spec" => spec(),
            _ => layout(),
        },
    )
}

fn connection_schema() -> Value {
    object("Named, reusable access data.", keys::CONNECTION, true, &["apiVersion", "kind"], |key| match key {
        "apiVersion" => version(),
        "kind" => kind("Connection"),
        "metadata" => metadata(),
        _ => object("What is accessed, and how.", keys::CONNECTION_SPEC, false, &[], |key| match key {
            "connector" => text("Family of the external system, such as `postgres`."),
            _ => free_object("Access data; secrets as `${secret:name}` or `${env:NAME}`."),
        }),
    })
}

fn metadata() -> Value {
    object("What the document is called.", keys::METADATA, true, &[], |key| match key {
        "name" => text("Unique name, any text on one line."),
        "title" => text("Shown instead of the name where there is room."),
        "description" => text("What it is for."),
        _ => {
            json!({"type": ["object", "null"], "additionalProperties": {"type": "string"}, "description": "Free labels for search and filters."})
        }
    })
}

fn spec() -> Value {
    let list = |items: Value, description: &str| json!({"type": ["array", "null"], "items": items, "description": description});
    object("What the channel does.", keys::SPEC, false, &[], |key| match key {
        "nodes" => list(node(), "Placed components."),
        "edges" => list(edge(), "Connections between ports."),
        _ => settings(),
    })
}

/// Takes the null away from an element of a list.
fn element(mut schema: Value) -> Value {
    if let Value::Object(map) = &mut schema {
        map.insert("type".into(), "object".into());
    }
    schema
}

fn node() -> Value {
    element(object("A placed component.", keys::NODE, false, &[], |key| match key {
        "id" => {
            text("Stable id: letters, digits, `_` and `-`, at most 64 of them; unique within the channel.")
        }
        "component" => text("Name of the component; `fairway components` lists all of them."),
        "title" => text("Shown on the canvas instead of the id."),
        "config" => free_object("Settings of the component, by its own schema."),
        _ => count(None, "The most tasks the node may be split into."),
    }))
}

fn edge() -> Value {
    element(object("A connection from an output to an input.", keys::EDGE, false, &[], |key| match key {
        "from" => text("Output: `node`, `node.port` or `node.errors`."),
        _ => text("Input: `node` or `node.port`."),
    }))
}

fn settings() -> Value {
    let retry = || {
        object("How often one record is tried.", keys::RETRY, false, &[], |_| {
            count(
                Some(Retry::default().max_attempts),
                "Most tries for one record that its target refuses, the first included.",
            )
        })
    };
    let errors = || {
        object("What becomes of refused records.", keys::ERRORS, false, &[], |key| match key {
            "policy" => words(
                ErrorPolicy::ALL,
                ErrorPolicy::default().as_str(),
                "Where refused records go when the errors port is not wired.",
            ),
            _ => retry(),
        })
    };
    object("What holds for the whole channel.", keys::SETTINGS, false, &[], |key| match key {
        "stream" => words(StreamChoice::ALL, StreamChoice::default().as_str(), "What joins two tasks."),
        "delivery" => words(
            Guarantee::ALL,
            Guarantee::default().as_str(),
            "The least guarantee that is accepted; a plan below it is refused.",
        ),
        "errors" => errors(),
        _ => object(
            "When the channel runs; without it, as long as it is deployed.",
            keys::SCHEDULE,
            false,
            &[],
            |key| match key {
                "cron" => text(
                    "Five cron words: minute, hour, day of the month, month, day of the week; `0 2 * * *` is every night at two.",
                ),
                "timezone" => with(
                    json!({"type": ["string", "null"], "default": Schedule::default().timezone}),
                    "IANA time zone that the words are meant in.",
                ),
                _ => words(
                    Missed::ALL,
                    Missed::default().as_str(),
                    "What becomes of a time at which Fairway did not run.",
                ),
            },
        ),
    })
}

fn layout() -> Value {
    let list = |description: &str| json!({"type": ["array", "null"], "description": description});
    object("How the channel is drawn; never what it does.", keys::LAYOUT, true, &[], |key| match key {
        "nodes" => json!({
            "type": ["object", "null"],
            "description": "Where each node stands, in canvas units.",
            "additionalProperties": {
                "type": "object",
                "properties": keys::SPOT.iter().map(|key| ((*key).to_owned(), json!({"type": "number"}))).collect::<Map<_, _>>()
            }
        }),
        "notes" => list("Free notes."),
        _ => list("Groups of nodes."),
    })
}
