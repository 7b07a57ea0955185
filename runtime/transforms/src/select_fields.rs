//! `select_fields`: which fields go on. What a path means within a value is in `paths`.

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, Derived, Schema, Update};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::paths::Tree;

/// Keeps the fields you name and drops the others, or the other way round.
///
/// A name such as `address.city` means what lies under `city` within the object in `address`, and also a field that is
/// itself called `address.city`. Where a list lies on the way, the rest of the path is meant in each of its items.
///
/// Kept fields come in the order in which they are listed, or stay in the order of the record; within objects the order
/// stays. A field that a record does not have is passed over, null stays null, and no value is changed or written anew:
/// of a number, no digit is lost. Of an object of which nothing is kept, an empty object is left.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectFields {
    /// Whether the fields are those to keep or those to drop.
    #[serde(default = "default_mode")]
    #[schemars(extend("x-ui" = {"order": 1}))]
    mode: Mode,
    /// Names of fields; a dot leads into an object.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 2, "widget": "fields"}))]
    fields: Vec<String>,
    /// The order of the fields that are kept.
    #[serde(default = "default_order")]
    #[schemars(extend("x-ui" = {"order": 3, "show_if": {"mode": "keep"}}))]
    order: Order,
}

/// What becomes of the fields named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// They stay, the others go.
    Keep,
    /// They go, the others stay.
    Drop,
}

/// The order of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Order {
    /// As they are listed here.
    Listed,
    /// As they are in the record.
    Record,
}

fn default_mode() -> Mode {
    Mode::Keep
}

fn default_order() -> Order {
    Order::Listed
}

impl Config for SelectFields {
    const META: Meta = Meta {
        examples: &[
            ("Three fields, in this order", r#"{"fields":["id","name","address.city"]}"#),
            (
                "All but what is private",
                r#"{"mode":"drop","fields":["email","address.street","contacts.phone"]}"#,
            ),
            ("Some fields, in the order of the record", r#"{"fields":["name","id"],"order":"record"}"#),
        ],
        several: true,
        ..Meta::new("select_fields", "Select fields", "fields")
    };

    fn check(&self) -> Vec<Issue> {
        let mut issues = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            let place = format!("fields.{index}");
            if field.is_empty() {
                issues.push(Issue::new(place, "the name is empty", "name a field"));
            } else if self.fields[..index].contains(field) {
                issues.push(Issue::new(place, format!("`{field}` is named twice"), "name it once"));
            }
        }
        issues
    }
}

impl TransformConfig for SelectFields {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let mut inner: Vec<(String, Tree)> = Vec::new();
        for (first, rest) in self.fields.iter().filter_map(|path| path.split_once('.')) {
            // What is named whole is not looked into.
            if self.fields.iter().any(|whole| whole == first) {
                continue;
            }
            match inner.iter_mut().find(|(name, _)| name == first) {
                Some((_, tree)) => tree.add(rest),
                None => {
                    let mut tree = Tree::default();
                    tree.add(rest);
                    inner.push((first.to_owned(), tree));
                }
            }
        }
        let (keep, listed) = (self.mode == Mode::Keep, self.order == Order::Listed);
        let mut order = Vec::new();
        for path in self.fields {
            let first = path.split_once('.').map(|(first, _)| first.to_owned());
            order.push(path);
            order.extend(first.filter(|_| keep));
        }
        Ok(Box::new(Select { keep, listed, order, inner, derived: Derived::default() }))
    }
}

struct Select {
    keep: bool,
    listed: bool,
    /// Whole fields that are kept, in order, or dropped.
    order: Vec<String>,
    /// Fields of which parts are kept or dropped.
    inner: Vec<(String, Tree)>,
    derived: Derived,
}

impl Select {
    fn schema(&self, schema: &Schema) -> Schema {
        match (self.keep, self.listed) {
            (false, _) => schema.without_all(&self.order),
            (true, true) => schema.only(&self.order),
            (true, false) => {
                let kept = schema.fields().iter().map(|field| field.name());
                let kept: Vec<&str> = kept
                    .map(|name| &**name)
                    .filter(|name| self.order.iter().any(|wanted| wanted == name))
                    .collect();
                schema.only(&kept)
            }
        }
    }
}

impl Transform for Select {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        for (field, tree) in &self.inner {
            let Some(slot) = batch.schema().slot(field) else { continue };
            let rejects = batch.update_slot(slot, |value, cell| {
                let pruned = if self.keep { tree.kept(value) } else { tree.dropped(value) };
                Ok(match pruned {
                    Some(value) => cell.set(value),
                    None => Update::Keep,
                })
            });
            out.reject(rejects);
        }
        let mut derived = std::mem::take(&mut self.derived);
        batch.with_schema(&mut derived, |schema| self.schema(schema));
        self.derived = derived;
        out.emit(batch);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
