//! What is wrong with the document: found here as one edits, and by the server as it saves.

use std::collections::HashMap;
use std::time::Duration;

use fairway_shared::diagnostic::{self, Diagnostic};
use fairway_shared::validate::{self, Facts};
use leptos::prelude::*;

use super::views::put;
use super::{Editor, Findings};

/// Findings are looked for once typing pauses for this long.
const PAUSE: Duration = Duration::from_millis(120);

impl Editor {
    /// Looks for findings soon.
    pub(super) fn check(self) {
        if self.checking.get_value() {
            return;
        }
        self.checking.set_value(true);
        set_timeout(
            move || {
                // The page may have been left meanwhile.
                if self.checking.try_set_value(false).is_none() {
                    self.check_now();
                }
            },
            PAUSE,
        );
    }

    /// Looks for findings at once.
    pub(super) fn check_now(self) {
        let catalog = self.catalog();
        let facts = Facts { components: catalog.all(), ..Facts::default() };
        let mut found = self.with(|channel| validate::everything(channel, &facts));
        self.server_problems.with_value(|theirs| {
            for problem in theirs {
                if !found.iter().any(|ours| same(ours, problem)) {
                    found.push(problem.clone());
                }
            }
        });
        diagnostic::sort(&mut found);
        let mut by_node: HashMap<&str, Findings> = HashMap::new();
        for problem in &found {
            if let Some(node) = problem.place.node.as_deref() {
                let findings = by_node.entry(node).or_default();
                if problem.is_error() { findings.errors += 1 } else { findings.warnings += 1 }
            }
        }
        self.nodes.with_untracked(|nodes| {
            for node in nodes {
                put(&node.findings, &by_node.get(node.id.as_str()).copied().unwrap_or_default());
            }
        });
        if self.problems.with_untracked(|known| *known != found) {
            self.problems.set(found);
        }
    }

    /// Takes over what the server found in the draft it has now.
    pub(super) fn server_found(self, problems: Vec<Diagnostic>) {
        self.server_problems.set_value(problems);
        self.check_now();
    }

    /// Goes to the place of a finding: selects the node, brings the focus to the field.
    pub(crate) fn go_to(self, problem: &Diagnostic) {
        match &problem.place.node {
            Some(node) => self.select_node(node),
            None => self.select(super::Selection::default()),
        }
        let field = problem.place.field.clone().or_else(|| match problem.place.node {
            Some(_) => None,
            None => {
                Some(problem.place.pointer.trim_start_matches("/spec").trim_matches('/').replace('/', "."))
            }
        });
        self.wish.set(Some(super::FieldWish { field }));
    }
}

fn same(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.code == b.code
        && a.place.node == b.place.node
        && a.place.field == b.place.field
        && a.message == b.message
}
