//! Pages written from the code: a component's page, for `docs/components`, the command line and whoever else shows it.

use std::fmt::Write;

use fairway_shared::channel::Guarantee;
use fairway_shared::component::{ComponentSpec, Kind, Port};
use fairway_shared::form;

use crate::problem::codes;

/// A component's page, in Markdown.
pub fn component_page(spec: &ComponentSpec) -> String {
    let mut page = format!(
        "# {}\n\n`{}` is a {}. {}\n\n{}\n",
        spec.title,
        spec.name,
        kind(spec),
        promise(spec),
        spec.docs.trim()
    );
    let settings = form::describe(&form::model(&spec.config_schema));
    if !settings.is_empty() {
        add(&mut page, format_args!("\n## Settings\n\n{}\n", settings.trim_end()));
    }
    let ports = spec.ports.inputs.iter().map(|port| ("input", port));
    let ports: Vec<(&str, &Port)> =
        ports.chain(spec.ports.outputs.iter().map(|port| ("output", port))).collect();
    page.push_str("\n## Ports\n\n");
    let (inputs, outputs) = ports.split_at(spec.ports.inputs.len());
    let line = |page: &mut String, (side, port): &(&str, &Port)| {
        add(page, format_args!("* `{}` ({side}): {}\n", port.name, port.help));
    };
    inputs.iter().for_each(|port| line(&mut page, port));
    if let Some(from) = &spec.ports.outputs_from {
        let text = format_args!(
            "* one for each item of `{}`, called by its `{}` (output): {}\n",
            from.list, from.name, from.help
        );
        add(&mut page, text);
    }
    outputs.iter().for_each(|port| line(&mut page, port));
    page.push_str("* `errors` (output): Records that this node refuses, as they came in.\n");
    for example in &spec.examples {
        let config = serde_json::to_string_pretty(&example.config).unwrap_or_default();
        add(&mut page, format_args!("\n## Example: {}\n\n```json\n{config}\n```\n", example.title));
    }
    page
}

/// What every problem code means, in Markdown.
pub fn problems_page() -> String {
    let mut page = String::from(
        "# Problems\n\nWhat the API and the client commands answer when they refuse (RFC 9457). Codes are permanent.\n\n\
         | Code | Status | What is wrong | What to do |\n|---|---|---|---|\n",
    );
    for entry in codes::ALL {
        add(
            &mut page,
            format_args!("| `{}` | {} | {} | {} |\n", entry.code, entry.status, entry.title, entry.help),
        );
    }
    page
}

fn add(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.write_fmt(text).expect("writing to a String cannot fail");
}

fn kind(spec: &ComponentSpec) -> &'static str {
    match spec.kind {
        Kind::Source => "source",
        Kind::Transform => "transform",
        Kind::Sink => "target",
    }
}

fn promise(spec: &ComponentSpec) -> &'static str {
    match (spec.kind, spec.delivery) {
        (Kind::Transform, _) => "It changes records on their way.",
        (Kind::Source, Guarantee::ExactlyOnce) => {
            "It replays in the same order, so targets can write each record once."
        }
        (Kind::Source, _) => "It may replay in another order: records may arrive twice after a crash.",
        (Kind::Sink, Guarantee::ExactlyOnce) => "It writes each record exactly once.",
        (Kind::Sink, Guarantee::Idempotent) => "Writing a record twice changes nothing.",
        (Kind::Sink, Guarantee::AtLeastOnce) => "It writes each record at least once.",
    }
}
