//! `route_records`: which way each record goes. What rules can ask is in `rules`.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairway_engine::component::{Config, Issue, Meta, TransformConfig};
use fairway_engine::data::{Batch, RecordError, RecordRef, Schema};
use fairway_engine::error::Error;
use fairway_engine::transform::{Output, Transform, TransformCtx};
use fairway_shared::component::is_output_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rules::{self, Group, Match, Rule, default_match};

/// Sends each record by the outputs of the routes whose rules it matches.
///
/// Every route is an output of the node, called by its name, and its rules say which records go there. What no route
/// takes leaves by `unmatched`. An output from which nothing leads on drops its records; they count as filtered.
///
/// With `first` a record goes by the first route that it matches, in the order of the list; with `all` by each one that
/// it matches, as a copy that costs nothing until something changes it.
///
/// Rules mean what they mean in `filter_records`: a comparison with null or with a missing field is false. Comparing
/// unlike types, such as a text with a number, is an error of the record, if the way it goes depends on it; it then
/// leaves by the errors port and by no route.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RouteRecords {
    /// The routes, each an output of the node.
    #[schemars(length(min = 1, max = 50), extend("x-ui" = {"order": 1}))]
    routes: Vec<Route>,
    /// Which routes a record takes that matches several.
    #[serde(default = "default_take")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    take: Take,
}

/// One route.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Route {
    /// Name of the output: letters, digits, `_` and `-`. Edges name it, so they must follow a change.
    #[schemars(length(min = 1, max = 64), extend("x-ui" = {"order": 1, "placeholder": "large"}))]
    name: String,
    /// Whether a record must match all rules or any one of them.
    #[serde(default = "default_match", rename = "match")]
    #[schemars(extend("x-ui" = {"order": 2}))]
    matching: Match,
    /// The rules.
    #[schemars(length(min = 1), extend("x-ui" = {"order": 3, "widget": "rules"}))]
    rules: Vec<Rule>,
}

/// Which routes a record takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Take {
    /// The first that it matches.
    First,
    /// Every one that it matches.
    All,
}

fn default_take() -> Take {
    Take::First
}

const UNMATCHED: &str = "unmatched";

impl Config for RouteRecords {
    const META: Meta = Meta {
        outputs: &[(UNMATCHED, "Records that match no route.")],
        outputs_from: Some(("routes", "name", "Records that match the rules of this route.")),
        examples: &[
            (
                "Large orders one way, the rest of the paid ones another",
                r#"{"routes":[{"name":"large","rules":[{"field":"amount","op":"ge","value":1000}]},{"name":"paid","rules":[{"field":"status","op":"eq","value":"paid"}]}]}"#,
            ),
            (
                "A copy for every country that is named",
                r#"{"take":"all","routes":[{"name":"dach","match":"any","rules":[{"field":"country","op":"in","value":["DE","AT","CH"]},{"field":"lang","op":"eq","value":"de"}]},{"name":"eu","rules":[{"field":"region","op":"eq","value":"eu"}]}]}"#,
            ),
        ],
        several: true,
        ..Meta::new("route_records", "Route records", "records")
    };

    fn check(&self) -> Vec<Issue> {
        // Names are judged with the ports, by everything that draws or runs the channel.
        let routes = self.routes.iter().enumerate();
        routes.flat_map(|(at, route)| rules::check(&route.rules, &format!("routes.{at}.rules"))).collect()
    }
}

impl TransformConfig for RouteRecords {
    fn open(self, _cx: TransformCtx) -> Result<Box<dyn Transform>, Error> {
        let mut names = BTreeSet::from([UNMATCHED.to_owned(), fairway_shared::channel::ERRORS.to_owned()]);
        let mut routes = Vec::with_capacity(self.routes.len());
        for route in self.routes {
            // Routes and outputs are matched by rank, so none may be without an output of its own.
            if !is_output_name(&route.name) || !names.insert(route.name.clone()) {
                let message = format!("`{}` cannot be the name of this route", route.name);
                return Err(Error::config("route.bad_name", message)
                    .help("names are letters, digits, `_` and `-`, and no two outputs share one"));
            }
            routes.push(Group::open(route.matching, route.rules)?);
        }
        let rows = vec![Vec::new(); routes.len() + 1];
        Ok(Box::new(Router { first: self.take == Take::First, routes, rows, schema: None }))
    }
}

struct Router {
    first: bool,
    routes: Vec<Group>,
    /// Indexes of the records that go by each route, and by none; kept for their room.
    rows: Vec<Vec<usize>>,
    /// The schema that the groups were resolved for.
    schema: Option<Arc<Schema>>,
}

impl Router {
    /// Notes the routes of a record, which is the one of index `row` among those not refused.
    fn route(&mut self, record: &RecordRef<'_>, row: usize) -> Result<(), RecordError> {
        let unmatched = self.routes.len();
        let mut taken = 0;
        for (route, group) in self.routes.iter().enumerate() {
            match group.holds(record) {
                Ok(false) => {}
                Ok(true) => {
                    self.rows[route].push(row);
                    taken += 1;
                    if self.first {
                        return Ok(());
                    }
                }
                Err(error) => {
                    // A record that is refused goes by no route (I1).
                    for rows in &mut self.rows[..route] {
                        if rows.last() == Some(&row) {
                            rows.pop();
                        }
                    }
                    return Err(error);
                }
            }
        }
        if taken == 0 {
            self.rows[unmatched].push(row);
        }
        Ok(())
    }
}

impl Transform for Router {
    fn apply(&mut self, mut batch: Batch, out: &mut Output) -> Result<(), Error> {
        if !self.schema.as_ref().is_some_and(|known| Arc::ptr_eq(known, batch.schema())) {
            self.routes.iter_mut().for_each(|group| group.resolve(batch.schema()));
            self.schema = Some(Arc::clone(batch.schema()));
        }
        self.rows.iter_mut().for_each(Vec::clear);
        let mut row = 0;
        let rejects = batch.try_retain(|record| {
            self.route(record, row)?;
            row += 1;
            Ok(true)
        });
        out.reject(rejects);
        out.dropped(0);
        for (port, rows) in self.rows.iter().enumerate() {
            if rows.len() == batch.len() {
                out.emit_to(port, batch.clone());
            } else if !rows.is_empty() {
                out.emit_to(port, batch.select_rows(rows));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
