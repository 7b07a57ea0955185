//! A component in one file: what its author writes, and the registry entry that everything else is derived from.
//!
//! A config struct says name, schema, form, docs and defaults; [`Component`] erases its type at this one boundary, so
//! that neither runtime nor engine is compiled again for each component.

use async_trait::async_trait;
use fairway_shared::channel::Guarantee;
use fairway_shared::component::{ComponentSpec, Example, Kind, OutputsFrom, Port, Ports, Probe, Variation};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::Error;
use crate::probe::{ProbeConfig, ProbeCtx, Sample, SampleConfig, SampleCtx};
use crate::sink::{Sink, SinkCtx};
use crate::source::{Source, SourceCtx};
use crate::transform::{Transform, TransformCtx};

/// What a component says about itself besides its config.
#[derive(Debug, Clone, Copy)]
pub struct Meta {
    /// Name in documents, and of its file: `csv_source`.
    pub name: &'static str,
    /// Title for people.
    pub title: &'static str,
    /// Family for palette and icon: `file`.
    pub family: &'static str,
    /// For sources, whether replay keeps order (then `ExactlyOnce`); for sinks, what one delivery promises.
    pub delivery: Guarantee,
    /// Whether a source ends by itself with usual settings.
    pub bounded: bool,
    /// Whether a source that does not end by itself knows when it has read all there is, and then ends where that is asked.
    pub catches_up: bool,
    /// Whether several tasks can run it at once: a source, each a share of its partitions; a transform or a sink, each with other
    /// records. Not so where what it keeps is of all records, or a file has one writer.
    pub several: bool,
    /// Settings that change `delivery` or `bounded`.
    pub varies: &'static [Varies],
    /// Outputs of a transform beyond the usual one, as (name, help); empty means just `out`.
    pub outputs: &'static [(&'static str, &'static str)],
    /// Outputs that settings name, before `outputs`: one for each item of a list setting, as (setting, field of an item
    /// that names its output, help). [`Output::emit_to`](crate::transform::Output::emit_to) counts them first.
    pub outputs_from: Option<(&'static str, &'static str, &'static str)>,
    /// Config fields that a source's position depends on.
    pub position_fields: &'static [&'static str],
    /// Worked examples as (title, config in JSON).
    pub examples: &'static [(&'static str, &'static str)],
}

impl Meta {
    /// The least that a component says.
    pub const fn new(name: &'static str, title: &'static str, family: &'static str) -> Self {
        Self {
            name,
            title,
            family,
            delivery: Guarantee::ExactlyOnce,
            bounded: false,
            catches_up: false,
            several: false,
            varies: &[],
            outputs: &[],
            outputs_from: None,
            position_fields: &[],
            examples: &[],
        }
    }
}

/// What is different with certain settings; see [`Variation`].
#[derive(Debug, Clone, Copy)]
pub struct Varies {
    /// Settings with the words of which each must have one: empty for what is not set, `*` for what is.
    pub when: &'static [(&'static str, &'static [&'static str])],
    /// The guarantee then.
    pub delivery: Option<Guarantee>,
    /// Whether a source then ends by itself.
    pub bounded: Option<bool>,
    /// Whether there must be a cluster then.
    pub cluster: bool,
}

impl Varies {
    /// A source that does not end with these settings.
    pub const fn endless(when: &'static [(&'static str, &'static [&'static str])]) -> Self {
        Self { when, delivery: None, bounded: Some(false), cluster: false }
    }

    fn variation(&self) -> Variation {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Variation {
            when: self.when.iter().map(|(setting, values)| ((*setting).to_owned(), words(values))).collect(),
            delivery: self.delivery,
            bounded: self.bounded,
            cluster: self.cluster,
        }
    }
}

/// A rule across fields that the config breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Field it is about, dotted; empty for the whole config.
    pub field: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Issue {
    /// A broken rule about a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into(), help: Some(help.into()) }
    }
}

/// What every component's config is. The first paragraph of its doc comment is the summary, the whole is its page; doc
/// comments of fields are their help; serde defaults are the defaults everywhere.
pub trait Config: Serialize + DeserializeOwned + JsonSchema + Send + 'static {
    /// What the component says about itself.
    const META: Meta;

    /// Rules across fields; pure.
    fn check(&self) -> Vec<Issue> {
        Vec::new()
    }
}

/// Config of a source.
#[async_trait]
pub trait SourceConfig: Config {
    /// Starts it.
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error>;
}

/// Config of a transform.
pub trait TransformConfig: Config {
    /// Starts it.
    ///
    /// # Errors
    /// Kind `Config`, for what neither schema nor `check` could see.
    fn open(self, cx: TransformCtx) -> Result<Box<dyn Transform>, Error>;
}

/// Config of a sink.
#[async_trait]
pub trait SinkConfig: Config {
    /// Starts it.
    async fn open(self, cx: SinkCtx) -> Result<Box<dyn Sink>, Error>;
}

type Answer<T> = futures::future::BoxFuture<'static, Result<T, Error>>;

type Opening<T> = futures::future::BoxFuture<'static, Result<Box<T>, Error>>;

/// How a component is started.
#[derive(Debug, Clone, Copy)]
pub enum Opener {
    /// Of a source.
    Source(fn(Value, SourceCtx) -> Opening<dyn Source>),
    /// Of a transform.
    Transform(fn(Value, TransformCtx) -> Result<Box<dyn Transform>, Error>),
    /// Of a sink.
    Sink(fn(Value, SinkCtx) -> Opening<dyn Sink>),
}

/// A registry entry.
#[derive(Debug, Clone, Copy)]
pub struct Component {
    /// What it says about itself.
    pub meta: Meta,
    /// How it is started.
    pub opener: Opener,
    /// How its connection is tested, where it has one.
    pub probe: Option<fn(Value, ProbeCtx) -> Answer<Probe>>,
    /// How a sample is taken, where it is a source that can.
    pub sample: Option<fn(Value, SampleCtx) -> Answer<Sample>>,
    schema: fn() -> Value,
    check: fn(&Value) -> Result<Vec<Issue>, Error>,
}

impl Component {
    /// The entry of a source.
    pub const fn source<C: SourceConfig>() -> Self {
        Self::new::<C>(Opener::Source(|config, cx| {
            Box::pin(async move { read::<C>(config)?.open(cx).await })
        }))
    }

    /// The entry of a transform.
    pub const fn transform<C: TransformConfig>() -> Self {
        Self::new::<C>(Opener::Transform(|config, cx| read::<C>(config)?.open(cx)))
    }

    /// The entry of a sink.
    pub const fn sink<C: SinkConfig>() -> Self {
        Self::new::<C>(Opener::Sink(|config, cx| Box::pin(async move { read::<C>(config)?.open(cx).await })))
    }

    const fn new<C: Config>(opener: Opener) -> Self {
        Self {
            meta: C::META,
            opener,
            probe: None,
            sample: None,
            schema: schema::<C>,
            check: |config| Ok(read::<C>(config.clone())?.check()),
        }
    }

    /// Adds the test of its connection.
    #[must_use]
    pub const fn with_probe<C: ProbeConfig>(mut self) -> Self {
        self.probe = Some(|config, cx| Box::pin(async move { read::<C>(config)?.probe(cx).await }));
        self
    }

    /// Adds how a sample is taken.
    #[must_use]
    pub const fn with_sample<C: SampleConfig>(mut self) -> Self {
        self.sample = Some(|config, cx| Box::pin(async move { read::<C>(config)?.sample(cx).await }));
        self
    }

    /// Source, transform or sink.
    pub fn kind(&self) -> Kind {
        match self.opener {
            Opener::Source(_) => Kind::Source,
            Opener::Transform(_) => Kind::Transform,
            Opener::Sink(_) => Kind::Sink,
        }
    }

    /// Rules across fields that a config breaks.
    ///
    /// # Errors
    /// `component.bad_config` when the config does not even have the right shape (validation by schema says where).
    pub fn check(&self, config: &Value) -> Result<Vec<Issue>, Error> {
        (self.check)(config)
    }

    /// The ports of a node with these settings, without making the whole description.
    pub fn ports(&self, config: &Value) -> Ports {
        let declared = self.declared_ports();
        match config.as_object() {
            Some(config) => declared.for_config(config).into_owned(),
            None => declared,
        }
    }

    /// The ports that every node has, and how settings add to them.
    fn declared_ports(&self) -> Ports {
        let port = |(name, help): (&str, &str)| Port { name: name.into(), help: help.into() };
        let inputs = vec![port(("in", "Records come in here."))];
        let outputs = match (self.meta.outputs, self.meta.outputs_from) {
            ([], None) => vec![port(("out", "Records leave here."))],
            (named, _) => named.iter().copied().map(port).collect(),
        };
        let from = |(list, name, help): (&str, &str, &str)| OutputsFrom {
            list: list.into(),
            name: name.into(),
            help: help.into(),
        };
        let outputs_from = self.meta.outputs_from.map(from);
        match self.kind() {
            Kind::Source => Ports { inputs: vec![], outputs, outputs_from },
            Kind::Transform => Ports { inputs, outputs, outputs_from },
            Kind::Sink => Ports { inputs, ..Ports::default() },
        }
    }

    /// The description that palette, form, validation, docs and CLI share.
    pub fn spec(&self) -> ComponentSpec {
        let config_schema = (self.schema)();
        let docs = config_schema["description"].as_str().unwrap_or_default().to_owned();
        let summary = docs.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        let example = |(title, config): &(&str, &str)| Example {
            title: (*title).to_owned(),
            config: serde_json::from_str(config).expect("examples are JSON, tested over the registry"),
        };
        ComponentSpec {
            name: self.meta.name.into(),
            title: self.meta.title.into(),
            kind: self.kind(),
            family: self.meta.family.into(),
            summary,
            docs,
            ports: self.declared_ports(),
            delivery: self.meta.delivery,
            bounded: self.meta.bounded,
            several: self.meta.several,
            varies: self.meta.varies.iter().map(Varies::variation).collect(),
            config_schema,
            position_fields: self.meta.position_fields.iter().map(|field| (*field).to_owned()).collect(),
            examples: self.meta.examples.iter().map(example).collect(),
            probe: self.probe.is_some(),
            sample: self.sample.is_some(),
        }
    }
}

fn read<C: Config>(config: Value) -> Result<C, Error> {
    serde_json::from_value(config).map_err(|error| {
        Error::config(
            "component.bad_config",
            format!("the settings of `{}` cannot be read: {error}", C::META.name),
        )
    })
}

/// The config's schema with everything inlined, so that forms need not follow references.
fn schema<C: Config>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<C>().to_value()
}
