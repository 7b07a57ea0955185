//! `fairway preview` and `fairway probe`: a document tried out here or by a server, and without moving anything.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use fairway_engine::files::Files;
use fairway_shared::api::preview::{
    NodePreview, PreviewAnswer, PreviewDocument, PreviewRecord, PreviewRequest, PreviewState, ProbeAnswer,
    ProbeConnection, ProbeRequest,
};
use fairway_shared::channel::Channel;
use fairway_shared::channel::text::Document;
use fairway_shared::component::Kind;
use serde_json::Value;

use super::client::{Client, Reach};
use super::documents::{self, Documents};
use super::duration;
use super::exit::{self, Failure};
use super::offline::House;
use super::output::{Format, count, say};
use crate::check::{self, Known};
use crate::registry::Registry;
use crate::trial::Trial;

/// Run a channel on sample records and show every step. Nothing is written, and no position moves.
#[derive(Debug, clap::Args)]
pub(super) struct PreviewArgs {
    #[command(flatten)]
    drawn: Drawn,
    /// Only this node and what leads to it.
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    /// Records in the place of the source's own: a JSON list, or one JSON object a line; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// The source in whose place `--records` stand, where there are several.
    #[arg(long, value_name = "NODE", requires = "records")]
    source: Option<String>,
    /// Most records of each source.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

/// Test the connection of a node. Nothing is moved or changed.
#[derive(Debug, clap::Args)]
pub(super) struct ProbeArgs {
    #[command(flatten)]
    drawn: Drawn,
    /// The node.
    #[arg(long, value_name = "NODE")]
    node: String,
}

/// A document, and what it is tried out with.
#[derive(Debug, clap::Args)]
struct Drawn {
    /// The document: a channel, or a bundle with one channel. `-` is standard input.
    file: PathBuf,
    /// Another document, such as a connection that the channel names.
    #[arg(long, value_name = "FILE")]
    with: Vec<PathBuf>,
    /// Data directory with the secrets and connections that the document refers to; else FAIRWAY_DATA, else the platform's own.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// How long an answer may take: 100ms to 30s.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration::deadline)]
    deadline: Duration,
    /// Address of a running server that tries the document out, with its own files, connections and secrets; without it this
    /// process does.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    server: Option<String>,
    /// File that holds the server's token; else FAIRWAY_TOKEN, else that of the data directory on this machine.
    #[arg(long, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
    /// Shape of standard output.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

impl Drawn {
    /// The server that is to try it out, where one is named.
    fn client(&self) -> Result<Option<Client>, Failure> {
        let reach = |server: &String| Reach { server: server.clone(), token_file: self.token_file.clone() };
        self.server.as_ref().map(|server| Client::new(&reach(server))).transpose()
    }

    fn deadline_ms(&self) -> Option<u32> {
        Some(u32::try_from(self.deadline.as_millis()).unwrap_or(u32::MAX))
    }

    /// The data directory, where the document refers to something in it.
    async fn house(&self, channel: &Channel, documents: &Documents) -> Result<Option<House>, Failure> {
        let named = |name: &str| documents.connections.iter().any(|connection| connection.name() == name);
        let stored = channel.spec.nodes.iter().any(|node| {
            let connection = node.config.get("connection").and_then(Value::as_str);
            connection.is_some_and(|name| !named(name))
        });
        let configs = channel.spec.nodes.iter().map(|node| &node.config);
        let configs = configs.chain(documents.connections.iter().map(|connection| connection.config()));
        let secret = |config: &serde_json::Map<String, Value>| {
            let config = Value::Object(config.clone());
            let references = fairway_shared::secret::references(&config);
            references
                .iter()
                .any(|reference| matches!(reference, fairway_shared::secret::Reference::Secret(_)))
        };
        if stored || configs.into_iter().any(secret) || self.data.is_some() {
            return House::open(self.data.clone()).await.map(Some);
        }
        Ok(None)
    }
}

pub(super) async fn preview(args: PreviewArgs) -> Result<u8, Failure> {
    let registry = Registry::standard();
    let documents = Documents::read(&args.drawn.file, &args.drawn.with)?;
    let channel = documents.channel()?;
    let mut request = PreviewRequest {
        node: args.node.clone(),
        records: records(&args, &channel, &registry)?,
        limit: Some(args.limit),
        deadline_ms: args.drawn.deadline_ms(),
        ..PreviewRequest::default()
    };
    if let Some(client) = args.drawn.client()? {
        if let Some(connection) = documents.connections.first() {
            let what =
                format!("the server has connections of its own, `{}` is not sent to it", connection.name());
            return Err(Failure::new(exit::REFUSED, what)
                .help(Some("import the connection first, and give the channel's document alone")));
        }
        request.document = Some(Document::Channel(channel.clone()).to_value());
        let answer = client.call::<PreviewDocument>(&[], &request).await?;
        return Ok(print_preview(&args, &channel, &answer));
    }
    let house = args.drawn.house(&channel, &documents).await?;
    let files = here()?;
    let trial = Trial {
        services: house.as_ref().map(|house| &house.services),
        registry: &registry,
        files: &files,
        connections: &documents.connections,
    };
    let uid = match &house {
        Some(house) => house.uid(&channel.metadata.name).await.ok(),
        None => None,
    };
    let mut answer = trial.preview(uid.as_deref().unwrap_or("preview"), &channel, &request).await?;
    let known = match &house {
        Some(house) => house.known(&documents.connections).await?,
        None => Known { connections: Some(documents.connections.clone()), cluster: true, ..Known::default() },
    };
    answer.diagnostics = check::channel(&registry, &channel, &known);
    if let Some(house) = house {
        house.close().await;
    }
    Ok(print_preview(&args, &channel, &answer))
}

/// Prints a preview; answers the exit code.
fn print_preview(args: &PreviewArgs, channel: &Channel, answer: &PreviewAnswer) -> u8 {
    if args.drawn.output == Format::Text {
        answer.diagnostics.iter().for_each(|diagnostic| say(&diagnostic.to_string()));
    }
    args.drawn.output.print(answer, |answer| describe(channel, answer));
    let failed = answer.nodes.values().any(|node| node.state == PreviewState::Failed);
    if failed { exit::FAILED } else { exit::DONE }
}

pub(super) async fn probe(args: ProbeArgs) -> Result<u8, Failure> {
    let registry = Registry::standard();
    let documents = Documents::read(&args.drawn.file, &args.drawn.with)?;
    let channel = documents.channel()?;
    let node = channel
        .node(&args.node)
        .ok_or_else(|| Failure::new(exit::DOCUMENT, format!("the channel has no node `{}`", args.node)))?;
    let mut request = ProbeRequest {
        component: Some(node.component.clone()),
        config: node.config.clone(),
        deadline_ms: args.drawn.deadline_ms(),
        connection: None,
    };
    if let Some(client) = args.drawn.client()? {
        let named = node.config.get("connection").and_then(Value::as_str);
        let beside = documents.connections.iter().find(|connection| Some(connection.name()) == named);
        request.connection = beside.map(|beside| Document::Connection(beside.clone()).to_value());
        return Ok(print_probe(&args, &client.call::<ProbeConnection>(&[], &request).await?));
    }
    let house = args.drawn.house(&channel, &documents).await?;
    let files = here()?;
    let trial = Trial {
        services: house.as_ref().map(|house| &house.services),
        registry: &registry,
        files: &files,
        connections: &documents.connections,
    };
    let answer = trial.probe(&request).await?;
    if let Some(house) = house {
        house.close().await;
    }
    Ok(print_probe(&args, &answer))
}

/// Prints what a test of a connection came to; answers the exit code.
fn print_probe(args: &ProbeArgs, answer: &ProbeAnswer) -> u8 {
    args.drawn.output.print(answer, |answer| match (&answer.probe, &answer.cause) {
        (Some(probe), _) => {
            let mut text = format!("{}\n", probe.found);
            for (setting, choices) in &probe.choices {
                let values = choices.iter().map(|choice| choice.value.as_str()).collect::<Vec<_>>();
                text.push_str(&format!("{setting}: {}\n", values.join(", ")));
            }
            text
        }
        (None, Some(cause)) => {
            let help = cause.help.iter().map(|help| format!("  help: {help}\n")).collect::<String>();
            format!("{} [{}]\n{help}", cause.message, cause.code)
        }
        (None, None) => String::new(),
    });
    if answer.probe.is_some() { exit::DONE } else { exit::REFUSED }
}

fn here() -> Result<Files, Failure> {
    Ok(Files::open(std::env::current_dir().map_err(|error| Failure::new(exit::FAILED, error))?))
}

/// What `--records` holds, by the source in whose place it stands.
fn records(
    args: &PreviewArgs,
    channel: &Channel,
    registry: &Registry,
) -> Result<BTreeMap<String, Vec<Value>>, Failure> {
    let Some(path) = &args.records else {
        return Ok(BTreeMap::new());
    };
    let sources = channel.spec.nodes.iter().filter(|node| {
        registry.get(&node.component).is_some_and(|component| component.kind() == Kind::Source)
    });
    let sources: Vec<&str> = sources.map(|node| node.id.as_str()).collect();
    let source = match (&args.source, sources.as_slice()) {
        (Some(source), _) => source.clone(),
        (None, [only]) => (*only).to_owned(),
        (None, _) => {
            return Err(Failure::new(exit::REFUSED, format!("the channel has {} sources", sources.len()))
                .help(Some("say with --source in whose place the records stand")));
        }
    };
    let bytes = documents::read(path)?;
    let wrong = |error| {
        Failure::new(exit::REFUSED, format!("{} holds no JSON records: {error}", path.display()))
            .help(Some("write a JSON list, or one JSON object a line"))
    };
    let values: Vec<Value> = serde_json::Deserializer::from_slice(&bytes)
        .into_iter::<Value>()
        .collect::<Result<_, _>>()
        .map_err(wrong)?;
    let records = match values.as_slice() {
        [Value::Array(records)] => records.clone(),
        _ => values,
    };
    Ok(BTreeMap::from([(source, records)]))
}

fn describe(channel: &Channel, answer: &PreviewAnswer) -> String {
    let mut text = String::new();
    for node in &channel.spec.nodes {
        if let Some(shown) = answer.nodes.get(&node.id) {
            text.push_str(&step(&node.id, &node.component, shown));
        }
    }
    for cut in &answer.cuts {
        text.push_str(&format!("\ncut: {}\n", cut.message));
    }
    text
}

fn step(id: &str, component: &str, shown: &NodePreview) -> String {
    let counts = &shown.counts;
    let mut text = format!("\n{id} ({component}): ");
    match (shown.state, &shown.cause) {
        (PreviewState::NotReached, _) => text.push_str("nothing comes here"),
        (_, Some(cause)) => text.push_str(&format!("{} [{}]", cause.message, cause.code)),
        _ => text.push_str(&format!(
            "{} in, {} out, {} filtered, {} refused",
            count(counts.entered),
            count(counts.out),
            count(counts.filtered),
            count(counts.errors)
        )),
    }
    text.push('\n');
    let several = shown.outputs.len() > 1;
    for output in &shown.outputs {
        let port = if several { format!(" {}", output.port) } else { String::new() };
        output
            .records
            .iter()
            .for_each(|record| text.push_str(&format!("  {}{port} {}\n", record.id, line(record))));
    }
    if shown.kind == Some(Kind::Sink) {
        shown.inputs.iter().for_each(|record| text.push_str(&format!("  {} {}\n", record.id, line(record))));
    }
    for reject in &shown.rejects {
        let (cause, record) = (&reject.cause, &reject.record);
        text.push_str(&format!(
            "  {} refused: {} [{}] {}\n",
            record.id,
            cause.message,
            cause.code,
            line(record)
        ));
    }
    text
}

/// A record on one line, its fields in their order.
fn line(record: &PreviewRecord) -> String {
    let field = |name: &String| {
        let value = record.value.get(name).map(ToString::to_string).unwrap_or_default();
        format!("{}:{value}", Value::from(name.as_str()))
    };
    format!("{{{}}}", record.fields.iter().map(field).collect::<Vec<_>>().join(","))
}
