//! What there is to be named in a setting: tables, topics, columns and files, as the component's own test of its connection
//! answers, and the fields of the records that come in, as a preview shows them. Asked for when a field that can name one
//! gets the focus; typed values stay allowed.

use std::collections::BTreeMap;

use fairway_shared::api::preview::{
    PreviewAnswer, PreviewChannel, PreviewRequest, ProbeAnswer, ProbeConnection, ProbeRequest,
};
use fairway_shared::channel::text;
use fairway_shared::component::{Choice, ComponentSpec, Kind};
use fairway_shared::form::{Field, Widget};
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::api;
use crate::i18n::t;
use crate::state::editor::Editor;
use crate::state::tested::tested_by_node;

/// Settings besides those with a telling widget that name something of the outside system.
const NAMING: [&str; 8] =
    ["tables", "topics", "schema", "exclude", "key", "columns", "incrementing_column", "timestamp_column"];
/// Longest time for both questions, in milliseconds.
const DEADLINE: u32 = 5000;
/// Records that field names are taken from.
const LOOKED_AT: u32 = 100;

/// How a question stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Asked<T> {
    /// Not asked.
    #[default]
    Not,
    /// On its way.
    Waiting,
    /// Answered.
    Answer(T),
    /// There is no answer, and why.
    Failed(String),
}

/// What one field can name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Offer {
    /// What there is.
    pub(crate) choices: Vec<Choice>,
    /// What is said instead, quietly: that it is being looked for, or that it cannot be had.
    pub(crate) note: Option<String>,
}

/// Whose settings are asked about.
#[derive(Clone)]
struct Whose {
    editor: Editor,
    node: String,
    component: String,
    config: Signal<Map<String, Value>>,
    /// Whether the component answers with choices for its settings.
    probes: bool,
    /// Its settings that a connection could give.
    access: Vec<String>,
    kind: Kind,
}

/// The questions of one form. A handle.
#[derive(Clone, Copy)]
pub(crate) struct Offers {
    whose: StoredValue<Option<Whose>>,
    /// Test of the connection, for what it offers.
    probe: RwSignal<Asked<ProbeAnswer>>,
    /// The same where somebody asked for it: one that was made for what it offers says nothing of itself.
    pub(crate) told: RwSignal<Asked<ProbeAnswer>>,
    /// Fields of the records that come in, with their types.
    incoming: RwSignal<Asked<Vec<Choice>>>,
    /// The settings that the test was made with.
    probed: StoredValue<Map<String, Value>>,
}

impl Offers {
    /// A form that names nothing.
    pub(crate) fn none() -> Self {
        Self {
            whose: StoredValue::new(None),
            probe: RwSignal::new(Asked::Not),
            told: RwSignal::new(Asked::Not),
            incoming: RwSignal::new(Asked::Not),
            probed: StoredValue::new(Map::new()),
        }
    }

    /// The settings of a node.
    pub(crate) fn of_node(
        editor: Editor,
        node: &str,
        spec: Option<&ComponentSpec>,
        config: Signal<Map<String, Value>>,
    ) -> Self {
        let offers = Self::none();
        let whose = spec.map(|spec| Whose {
            editor,
            node: node.to_owned(),
            component: spec.name.clone(),
            config,
            probes: spec.probe,
            access: access_of(spec),
            kind: spec.kind,
        });
        offers.whose.set_value(whose);
        offers
    }

    /// Whether there is a connection to test.
    pub(crate) fn can_probe(self) -> bool {
        self.whose.with_value(|whose| whose.as_ref().is_some_and(|whose| whose.probes))
    }

    /// Looks for what a field could name, unless it is known or being looked for.
    pub(crate) fn look_for(self, field: &Field) {
        let Some(whose) = self.whose.get_value() else { return };
        let of_records = of_records(field);
        let outside = matches!(field.widget, Some(Widget::Table | Widget::Topic | Widget::Path))
            || NAMING.contains(&field.name.as_str())
            || (of_records && whose.kind == Kind::Source);
        if whose.probes && outside && !field.access {
            let now = whose.config.get_untracked();
            let known = self.probed.with_value(|probed| *probed == now)
                && self.probe.with_untracked(|probe| *probe != Asked::Not);
            if !known {
                self.told.set(Asked::Not);
                self.ask(false);
            }
        }
        if of_records
            && whose.kind != Kind::Source
            && self.incoming.with_untracked(|asked| *asked == Asked::Not)
        {
            self.look_at_incoming(whose);
        }
    }

    /// Tests the connection with the settings as they are, and says what came of it.
    pub(crate) fn test(self) {
        self.ask(true);
    }

    fn ask(self, aloud: bool) {
        let Some(whose) = self.whose.get_value() else { return };
        let config = whose.config.get_untracked();
        self.probed.set_value(config.clone());
        self.probe.set(Asked::Waiting);
        if aloud {
            self.told.set(Asked::Waiting);
        }
        leptos::task::spawn_local(async move {
            let connection = config.get("connection").and_then(Value::as_str).map(str::to_owned);
            let connection =
                connection.filter(|_| !whose.access.iter().any(|name| config.contains_key(name)));
            let request = ProbeRequest {
                component: Some(whose.component),
                config,
                deadline_ms: Some(DEADLINE),
                ..ProbeRequest::default()
            };
            let asked = match api::call::<ProbeConnection>(&[], &request).await {
                Ok(answer) => Asked::Answer(answer),
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            if let (Some(connection), Asked::Answer(answer)) = (connection, &asked) {
                tested_by_node(&connection, answer).await;
            }
            // Another node may have been chosen meanwhile.
            if aloud {
                drop(self.told.try_set(asked.clone()));
            }
            drop(self.probe.try_set(asked));
        });
    }

    fn look_at_incoming(self, whose: Whose) {
        self.incoming.set(Asked::Waiting);
        leptos::task::spawn_local(async move {
            let request = PreviewRequest {
                document: Some(whose.editor.with(text::to_value)),
                node: Some(whose.node.clone()),
                limit: Some(LOOKED_AT),
                deadline_ms: Some(DEADLINE),
                ..PreviewRequest::default()
            };
            let answer = api::call::<PreviewChannel>(&[("uid", &whose.editor.uid())], &request).await;
            let asked = match answer {
                Ok(answer) => Asked::Answer(fields_of(&answer, &whose.node)),
                Err(problem) => Asked::Failed(api::said(&problem)),
            };
            drop(self.incoming.try_set(asked));
        });
    }

    /// What a field can name, as far as it is known.
    pub(crate) fn of(self, field: &Field) -> Signal<Offer> {
        let (path, of_records) = (field.path.clone(), of_records(field));
        Memo::new(move |_| {
            let mut offer = self.probe.with(|probe| match probe {
                Asked::Answer(ProbeAnswer { probe: Some(probe), .. }) => {
                    Offer { choices: probe.choices.get(&path).cloned().unwrap_or_default(), note: None }
                }
                Asked::Answer(ProbeAnswer { cause, .. }) => Offer {
                    choices: Vec::new(),
                    note: cause.as_ref().map(|cause| t!("offer-failed", why = cause.message.as_str())),
                },
                Asked::Waiting => Offer { choices: Vec::new(), note: Some(t!("offer-waiting")) },
                Asked::Failed(why) => {
                    Offer { choices: Vec::new(), note: Some(t!("offer-failed", why = why.as_str())) }
                }
                Asked::Not => Offer::default(),
            });
            if of_records {
                self.incoming.with(|incoming| match incoming {
                    Asked::Answer(fields) => {
                        let new = fields
                            .iter()
                            .filter(|field| !offer.choices.iter().any(|known| known.value == field.value));
                        let new: Vec<Choice> = new.cloned().collect();
                        offer.choices.extend(new);
                    }
                    Asked::Waiting => offer.note = Some(t!("offer-waiting")),
                    _ => {}
                });
            }
            if !offer.choices.is_empty() {
                offer.note = None;
            }
            offer
        })
        .into()
    }
}

/// The settings of a component that a connection could give.
fn access_of(spec: &ComponentSpec) -> Vec<String> {
    let fields = fairway_shared::form::model(&spec.config_schema).fields.into_iter();
    fields.filter(|field| field.access).map(|field| field.name).collect()
}

/// Whether a setting names fields of records.
fn of_records(field: &Field) -> bool {
    matches!(field.widget, Some(Widget::Field | Widget::Fields))
}

/// Names and types of the fields that enter a node, in the order in which they are first seen.
fn fields_of(answer: &PreviewAnswer, node: &str) -> Vec<Choice> {
    let mut seen: Vec<Choice> = Vec::new();
    let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
    for record in answer.nodes.get(node).into_iter().flat_map(|node| &node.inputs) {
        for name in &record.fields {
            let kind = record.types.get(name).filter(|kind| *kind != "null").cloned().unwrap_or_default();
            match ranks.get(name.as_str()) {
                Some(rank) if seen[*rank].note.is_empty() => seen[*rank].note = kind,
                Some(_) => {}
                None => {
                    ranks.insert(name, seen.len());
                    seen.push(Choice::new(name.as_str(), kind));
                }
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use fairway_shared::api::preview::{NodePreview, PreviewRecord};

    use super::*;

    fn record(fields: &[(&str, &str)]) -> PreviewRecord {
        PreviewRecord {
            fields: fields.iter().map(|(name, _)| (*name).to_owned()).collect(),
            types: fields.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect(),
            ..PreviewRecord::default()
        }
    }

    #[test]
    fn each_field_is_offered_once_with_the_type_that_it_has() {
        let inputs = vec![
            record(&[("id", "int64"), ("note", "null")]),
            record(&[("note", "string"), ("id", "int64")]),
        ];
        let node = NodePreview { inputs, ..NodePreview::default() };
        let answer = PreviewAnswer { nodes: [("f".to_owned(), node)].into(), ..PreviewAnswer::default() };
        assert_eq!(fields_of(&answer, "f"), [Choice::new("id", "int64"), Choice::new("note", "string")]);
        assert!(fields_of(&answer, "g").is_empty());
    }
}
