//! `generate_source`: records made up as they are needed. How each field is made is in `recipe`, how many records are due
//! by now in `pace`.

mod pace;
mod random;
mod recipe;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use fairway_engine::Error;
use fairway_engine::component::{Config, Issue, Meta, SourceConfig, Varies};
use fairway_engine::data::{BatchBuilder, Full, Meta as RecordMeta, Schema};
use fairway_engine::position::Position;
use fairway_engine::source::{Next, Polled, Source, SourceCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use pace::Pace;
use random::Random;
use recipe::{Generator, Recipe};

/// A batch is handed on once it takes this many bytes, however many records were asked for (I5).
const BATCH_BYTES: usize = 4 << 20;

/// Makes up records: for trying a channel out, for demonstrations and for load.
///
/// The n-th record depends on nothing but n, `seed` and how its fields are made: after a crash the very same records come
/// again, and so do they in another run with the same seed. Adding or removing a field leaves the values of the others
/// as they are. Fields come in the order of their names.
///
/// Without `count` there is no end. With `rate` a record comes when its time has come; time lost while a target was slow
/// is not made up for beyond one second's worth of records.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GenerateSource {
    /// How many records there are in all; without end if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-ui" = {"order": 1, "placeholder": "without end"}))]
    count: Option<u64>,
    /// Records a second; as fast as the targets take them if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        range(min = 0.001, max = 10_000_000),
        extend("x-ui" = {"order": 2, "placeholder": "as fast as possible"})
    )]
    rate: Option<f64>,
    /// The fields of a record, and how each is made.
    #[serde(default = "default_fields")]
    #[schemars(extend("x-ui" = {"order": 3}))]
    fields: BTreeMap<String, Generator>,
    /// Where chance begins: another seed gives other records. Changing it starts over from the first record.
    #[serde(default)]
    #[schemars(extend("x-ui" = {"order": 4, "advanced": true}))]
    seed: u64,
    /// Most records handed on at once.
    #[serde(default = "default_batch")]
    #[schemars(range(min = 1, max = 10_000), extend("x-ui" = {"order": 5, "advanced": true}))]
    batch: u32,
}

fn default_fields() -> BTreeMap<String, Generator> {
    let ports = ["Bergen", "Gdańsk", "Hamburg", "Lisboa", "Rotterdam", "上海"];
    [
        ("active", Generator::Boolean),
        ("amount", Generator::Decimal { min: 1, max: 1000, scale: 2 }),
        ("at", Generator::Timestamp { start: recipe::default_start(), step_ms: recipe::default_step_ms() }),
        ("id", Generator::Sequence { start: 1, step: 1 }),
        ("name", Generator::Text { words: 2 }),
        ("port", Generator::Choice { values: ports.iter().map(|port| Json::from(*port)).collect() }),
    ]
    .map(|(name, generator)| (name.to_owned(), generator))
    .into()
}

fn default_batch() -> u32 {
    1000
}

impl Config for GenerateSource {
    const META: Meta = Meta {
        varies: &[Varies { when: &[("count", &["*"])], delivery: None, bounded: Some(true), cluster: false }],
        position_fields: &["seed"],
        examples: &[
            ("A hundred useful records", r#"{"count":100}"#),
            ("Ten records a second", r#"{"rate":10}"#),
            (
                "Dice",
                r#"{"count":1000,"seed":7,"fields":{"throw":{"sequence":{}},"eyes":{"integer":{"min":1,"max":6}},"by":{"choice":{"values":["Ada","Grace"]}}}}"#,
            ),
        ],
        ..Meta::new("generate_source", "Made-up records", "builtin")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        if self.fields.is_empty() {
            issues.push(Issue::new(
                "fields",
                "records have no fields",
                "name one, or leave `fields` out for the usual ones",
            ));
        }
        if self.rate.is_some_and(|rate| rate <= 0.0 || !rate.is_finite()) {
            issues.push(Issue::new(
                "rate",
                "no record would ever come",
                "use a number above 0, or leave it out for no limit",
            ));
        }
        for (name, generator) in &self.fields {
            if let Err(fault) = generator.recipe() {
                let field = format!("fields.{name}.{}.{}", fault.generator, fault.parameter);
                issues.push(Issue::new(field, fault.message, fault.help));
            }
        }
        issues
    }
}

#[async_trait]
impl SourceConfig for GenerateSource {
    async fn open(self, cx: SourceCtx) -> Result<Box<dyn Source>, Error> {
        let bad = |issue: Issue| {
            let error = Error::config("generate.bad_config", format!("`{}`: {}", issue.field, issue.message));
            issue.help.into_iter().fold(error, Error::help)
        };
        if let Some(issue) = self.check().into_iter().next() {
            return Err(bad(issue));
        }
        let mut fields = Vec::new();
        let mut types = Vec::new();
        for (slot, (name, generator)) in self.fields.iter().enumerate() {
            // `check` has just made the same recipe.
            let Ok(recipe) = generator.recipe() else { continue };
            types.push((name.as_str(), recipe.ty()));
            fields.push(Made { slot, chance: Random::of_name(self.seed, name), recipe });
        }
        let schema =
            Schema::new(types).map_err(|error| Error::config("generate.bad_config", error.to_string()))?;
        Ok(Box::new(Generating {
            fields,
            builder: BatchBuilder::new(Arc::new(schema)),
            pace: self.rate.map(Pace::new),
            last: self.count.unwrap_or(u64::MAX),
            batch: u64::from(self.batch.max(1)),
            at: cx.position("").map_or(0, |position| position.order),
        }))
    }
}

/// A field and how it is made.
struct Made {
    slot: usize,
    chance: Random,
    recipe: Recipe,
}

struct Generating {
    fields: Vec<Made>,
    builder: BatchBuilder,
    pace: Option<Pace>,
    /// Order of the last record.
    last: u64,
    /// Most records a batch.
    batch: u64,
    /// Order of the last record handed on.
    at: u64,
}

impl Generating {
    /// Adds the record of this order to the batch.
    fn push(&mut self, order: u64, row: u32) -> Result<(), Full> {
        self.builder.begin_row(RecordMeta::new(order, row));
        for field in &self.fields {
            let mut chance = field.chance.at(order);
            if let Err(full) = field.recipe.push(order, &mut chance, field.slot, &mut self.builder) {
                self.builder.abort_row();
                return Err(full);
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Source for Generating {
    async fn next(&mut self) -> Result<Next, Error> {
        let mut most = self.batch.min(self.last.saturating_sub(self.at));
        if most == 0 {
            return Ok(Next::End);
        }
        if let Some(pace) = &mut self.pace {
            // Waited out here: to answer that nothing is there would be to say that it has caught up, which ends a run.
            most = loop {
                match pace.due(most) {
                    Ok(due) => break due,
                    Err(wait) => tokio::time::sleep(wait).await,
                }
            };
        }
        let mut row = 0;
        while u64::from(row) < most && self.builder.bytes() < BATCH_BYTES {
            let order = self.at + u64::from(row) + 1;
            if self.push(order, row).is_err() {
                break;
            }
            row += 1;
        }
        if row == 0 {
            return Err(Error::failed("generate.too_large", "one record is larger than a batch can be"));
        }
        self.at += u64::from(row);
        if let Some(pace) = &mut self.pace {
            pace.spend(u64::from(row));
        }
        let position = Position { order: self.at, token: Json::Null };
        Ok(Next::Batch(Polled {
            partition: "".into(),
            position,
            batch: self.builder.finish(),
            rejects: None,
        }))
    }
}

#[cfg(test)]
mod tests;
