//! Fields of records now against those of the version in force, edge by edge: what came, what is gone, what has another type. Told before
//! a deploy, for the steps behind such an edge were drawn for other records.

use fairway_shared::api::channels::{SeenField, SeenFields};
use leptos::prelude::*;

use super::Trying;
use super::fields::Seen;
use crate::i18n::t;
use crate::icons::{Icon, icon};
use crate::inspector::field::offers::Asked;
use crate::state::editor::use_editor;

/// A field that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Drift {
    /// It was not there.
    Came(String),
    /// It is not there any more.
    Gone(String),
    /// Field, its type then, its type now.
    Retyped(String, String, String),
}

impl Drift {
    /// In words.
    pub(crate) fn said(&self) -> String {
        match self {
            Self::Came(name) => t!("drift-came", field = name.as_str()),
            Self::Gone(name) => t!("drift-gone", field = name.as_str()),
            Self::Retyped(name, was, now) => {
                t!("drift-retyped", field = name.as_str(), was = was.as_str(), now = now.as_str())
            }
        }
    }
}

/// What differs. Where no records came nothing is known, and a field that was null everywhere has no type to compare.
fn drift(then: &[SeenField], now: &[Seen]) -> Vec<Drift> {
    if now.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for field in then {
        match now.iter().find(|seen| seen.name == field.name) {
            None => found.push(Drift::Gone(field.name.clone())),
            Some(seen) if !seen.kind.is_empty() && !field.kind.is_empty() && seen.kind != field.kind => {
                found.push(Drift::Retyped(field.name.clone(), field.kind.clone(), seen.kind.clone()));
            }
            Some(_) => {}
        }
    }
    let new = now.iter().filter(|seen| !then.iter().any(|field| field.name == seen.name));
    found.extend(new.map(|seen| Drift::Came(seen.name.clone())));
    found
}

impl Trying {
    /// The fields of all edges, as samples show them; nothing before they were run.
    pub(crate) fn all_passing(self) -> SeenFields {
        if !self.answer.with_untracked(|answer| matches!(answer, Asked::Answer(_))) {
            return SeenFields::new();
        }
        let field = |seen: Seen| SeenField { name: seen.name, kind: seen.kind };
        self.editor.edges.with_untracked(|edges| {
            let of = |key: &crate::state::editor::EdgeKey| {
                untrack(|| self.passing(key)).filter(|seen| !seen.is_empty())
            };
            let all = edges.iter().filter_map(|edge| Some((edge.key.hook(), of(&edge.key)?)));
            all.map(|(edge, seen)| (edge, seen.into_iter().map(field).collect())).collect()
        })
    }

    /// Marks edges whose fields are not what they were.
    pub(crate) fn mark_drift(self) {
        let editor = self.editor;
        editor.edges.with_untracked(|edges| {
            editor.deployed_fields.with_value(|then| {
                for edge in edges {
                    let found = then.get(&edge.key.hook()).and_then(|then| {
                        let now = untrack(|| self.passing(&edge.key))?;
                        Some(drift(then, &now))
                    });
                    let found = found.unwrap_or_default();
                    if edge.drift.with_untracked(|known| *known != found) {
                        edge.drift.set(found);
                    }
                }
            });
        });
    }
}

/// All that has drifted, for the plan.
#[component]
pub(crate) fn Drifted() -> impl IntoView {
    let editor = use_editor();
    let rows = move || {
        let edges = editor.edges.get();
        let rows: Vec<_> = edges
            .iter()
            .filter_map(|edge| {
                let found = edge.drift.get();
                let ends = format!("{} → {}", editor.name_of(&edge.from), editor.name_of(&edge.to));
                let said: Vec<String> = found.iter().map(Drift::said).collect();
                (!found.is_empty()).then(|| {
                    view! { <li data-drifted=edge.key.hook()><bdi><b>{ends}</b></bdi> " " {said.join(" · ")}</li> }
                })
            })
            .collect();
        (!rows.is_empty()).then(|| {
            view! {
                <div class="note drifted" data-tone="warn" role="status" data-testid="drifted">
                    {icon(Icon::Warning)}
                    <div><p>{t!("drift-plan")}</p><ul>{rows}</ul></div>
                </div>
            }
        })
    };
    view! { {rows} }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_went_and_changed_its_type_is_named() {
        let then = [("a", "int64"), ("b", "string"), ("c", ""), ("d", "date")]
            .map(|(name, kind)| SeenField { name: name.into(), kind: kind.into() });
        let now = [("a", "int64"), ("b", "decimal"), ("c", "bool"), ("e", "string")]
            .map(|(name, kind)| Seen { name: name.into(), kind: kind.into(), sample: None, gaps: false });
        assert_eq!(
            drift(&then, &now),
            [
                Drift::Retyped("b".into(), "string".into(), "decimal".into()),
                Drift::Gone("d".into()),
                Drift::Came("e".into())
            ]
        );
        assert!(drift(&then, &[]).is_empty(), "no records, no news");
    }
}
