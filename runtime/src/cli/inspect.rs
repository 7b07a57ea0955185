//! Commands that look at documents and components without a server: validate, plan, components.

use std::path::PathBuf;

use fairway_shared::api::channels::Diagnostics;
use fairway_shared::api::system::Components;
use fairway_shared::component::ComponentSpec;
use fairway_shared::diagnostic::Diagnostic;
use fairway_shared::plan::Plan;

use super::documents::Documents;
use super::exit::{self, Failure};
use super::output::{Format, say, table, word};
use crate::registry::Registry;

/// Say everything that is wrong with a document.
#[derive(Debug, clap::Args)]
pub(super) struct FileArgs {
    /// The document; `-` is standard input.
    file: PathBuf,
    /// Another document, such as a connection that the channel names. Without any, connections are not judged.
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// List all components, or describe one.
#[derive(Debug, clap::Args)]
pub(super) struct ComponentsArgs {
    /// Name of a component.
    name: Option<String>,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

pub(super) fn validate(args: &FileArgs) -> Result<u8, Failure> {
    let documents = Documents::read(&args.file, &args.with)?;
    let diagnostics = documents.check(&Registry::standard());
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    args.output.print(&Diagnostics { diagnostics }, |found| match found.diagnostics.as_slice() {
        [] => format!("{}: no problems", args.file.display()),
        found => found.iter().map(Diagnostic::to_string).collect::<Vec<_>>().join("\n"),
    });
    Ok(if sound { exit::DONE } else { exit::DOCUMENT })
}

pub(super) fn plan(args: &FileArgs) -> Result<u8, Failure> {
    let documents = Documents::read(&args.file, &args.with)?;
    let (plan, diagnostics) = documents.plan(&Registry::standard())?;
    let Some(plan) = plan else {
        return Err(Failure::new(exit::DOCUMENT, format!("{} has errors", args.file.display()))
            .diagnostics(diagnostics));
    };
    diagnostics.iter().for_each(|warning| say(&format!("{warning}")));
    args.output.print(&plan, describe_plan);
    Ok(exit::DONE)
}

pub(super) fn components(args: &ComponentsArgs) -> Result<u8, Failure> {
    let registry = Registry::standard();
    match &args.name {
        None => args.output.print(&Components { components: registry.specs().to_vec() }, |list| {
            let row = |spec: &ComponentSpec| {
                vec![spec.name.clone(), word(&spec.kind), word(&spec.delivery), spec.summary.clone()]
            };
            table(&["NAME", "KIND", "DELIVERY", ""], &list.components.iter().map(row).collect::<Vec<_>>())
        }),
        Some(name) => {
            let spec = registry.spec(name).ok_or_else(|| {
                let names = registry.specs().iter().map(|spec| spec.name.as_str());
                let near = fairway_shared::suggest::closest(name, names);
                Failure::new(exit::REFUSED, format!("there is no component called `{name}`"))
                    .help(near.map(|near| format!("did you mean `{near}`?")))
            })?;
            args.output.print(spec, crate::docs::component_page);
        }
    }
    Ok(exit::DONE)
}

fn describe_plan(plan: &Plan) -> String {
    let tasks: Vec<_> =
        plan.tasks.iter().map(|task| vec![task.id.clone(), word(&task.kind), task.nodes.join(" ")]).collect();
    let targets: Vec<_> = plan
        .targets
        .iter()
        .map(|target| {
            vec![target.node.clone(), word(&target.delivery), target.because.clone().unwrap_or_default()]
        })
        .collect();
    let bounded = if plan.bounded { "ends by itself" } else { "runs until it is stopped" };
    format!(
        "plan {} {bounded}\n\n{}\n{}",
        plan.hash,
        table(&["TASK", "KIND", "NODES"], &tasks),
        table(&["TARGET", "DELIVERY", "BECAUSE"], &targets)
    )
}
