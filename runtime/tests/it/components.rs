//! Every component there is: its description holds what palette, form, validation, docs and command line need. The pages in
//! `docs/components` are written from the code; `UPDATE=1` writes them anew.

use std::collections::BTreeSet;
use std::fmt::Write;

use fairway_runtime::docs;
use fairway_runtime::registry::Registry;
use fairway_shared::channel::{Channel, Node};
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::form;
use fairway_shared::validate::{Facts, validate};

/// Runs a check over every component and tells all that fail.
fn every(check: impl Fn(&Registry, &ComponentSpec) -> Vec<String>) {
    let registry = Registry::standard();
    assert!(registry.specs().len() >= 8, "the registry is not that of the product");
    let faults: Vec<String> = registry
        .specs()
        .iter()
        .flat_map(|spec| {
            check(&registry, spec).into_iter().map(move |fault| format!("{}: {fault}", spec.name))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn names_and_summaries_are_fit_to_be_shown() {
    every(|_, spec| {
        let mut faults = Vec::new();
        let lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        let ending = match spec.kind {
            Kind::Source => Some("_source"),
            Kind::Sink => Some("_sink"),
            Kind::Transform => None,
        };
        if !spec.name.bytes().all(lower) || ending.is_some_and(|ending| !spec.name.ends_with(ending)) {
            faults.push("the name is not of the form `csv_source`".to_owned());
        }
        if spec.title.is_empty() || spec.family.is_empty() || !spec.summary.ends_with('.') {
            faults.push(format!("title, family or summary is wanting: {:?}", spec.summary));
        }
        if spec.examples.is_empty() {
            faults.push("it has no example".to_owned());
        }
        faults
    });
    let names: Vec<_> = Registry::standard().specs().iter().map(|spec| spec.name.clone()).collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a name comes twice");
}

#[test]
fn every_schema_makes_a_form_with_help() {
    every(|_, spec| {
        let mut faults = form::subset_faults(&spec.config_schema);
        faults.extend(form::help_faults(&spec.config_schema));
        let model = form::model(&spec.config_schema);
        for field in &spec.position_fields {
            if model.fields.iter().all(|known| known.name != *field) {
                faults.push(format!("its position depends on `{field}`, which it does not have"));
            }
        }
        if spec.kind != Kind::Source && !spec.position_fields.is_empty() {
            faults.push("only sources have positions".to_owned());
        }
        faults
    });
}

#[test]
fn every_example_is_valid() {
    every(|registry, spec| {
        let mut faults = Vec::new();
        for example in &spec.examples {
            let component = registry.get(&spec.name).unwrap();
            match component.check(&example.config) {
                Ok(issues) => faults.extend(issues.into_iter().map(|issue| issue.message)),
                Err(error) => faults.push(error.to_string()),
            }
            let mut channel = Channel::default();
            let config = example.config.as_object().cloned().unwrap_or_default();
            channel.spec.nodes.push(Node {
                id: "node".into(),
                component: spec.name.clone(),
                config,
                ..Node::default()
            });
            let facts = Facts { components: registry.specs(), ..Facts::default() };
            for found in validate(&channel, &facts) {
                if found.code.starts_with("config.") || found.code.starts_with("secret.") {
                    faults.push(format!("{:?}: {found}", example.title));
                }
            }
        }
        faults
    });
}

#[test]
fn the_pages_are_up_to_date() {
    let mut index = String::from(
        "# Components\n\nWritten from the code. `fairway components NAME` shows the same.\n\n| Component | Kind | |\n|---|---|---|\n",
    );
    for spec in Registry::standard().specs() {
        let kind = match spec.kind {
            Kind::Source => "source",
            Kind::Transform => "transform",
            Kind::Sink => "target",
        };
        writeln!(index, "| [`{0}`]({0}.md) | {kind} | {1} |", spec.name, spec.summary).unwrap();
        crate::committed(&format!("docs/components/{}.md", spec.name), &docs::component_page(spec));
    }
    crate::committed("docs/components/README.md", &index);
}

#[test]
fn the_page_of_commands_is_up_to_date() {
    crate::committed("docs/cli.md", &fairway_runtime::cli::reference());
}

#[test]
fn the_page_of_problems_is_up_to_date() {
    crate::committed("docs/problems.md", &docs::problems_page());
}
