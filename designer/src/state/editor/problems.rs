//! What is wrong with the document: found here as one edits, and by the server as it saves.

use std::collections::HashMap;
use std::time::Duration;

use fairway_shared::api::Problem;
use fairway_shared::diagnostic::{self, Diagnostic, Place, Severity};
use fairway_shared::validate::{self, Facts};
use leptos::prelude::*;

use super::views::put;
use super::{Editor, Findings};
use crate::api;

/// Findings are looked for once typing pauses for this long.
const PAUSE: Duration = Duration::from_millis(120);

impl Editor {
    /// Looks for findings again once the server has said what it is.
    pub(super) fn follow_server(self) {
        Effect::watch(move || self.session.about.track(), move |_, _, _| self.check(), false);
    }

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
        // Before the server has said what it is, nothing is held against the document.
        let cluster = self
            .session
            .about
            .with_untracked(|about| about.as_ref().is_none_or(|about| about.mode == "cluster"));
        let facts = Facts { components: catalog.all(), cluster, ..Facts::default() };
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

    /// Takes over why the server does not take the draft: its name is the only thing of it that others may have too.
    pub(super) fn server_refused(self, problem: &Problem) {
        let mut found = problem.diagnostics.clone();
        if found.is_empty() {
            let named = problem.code.starts_with("channel.name");
            found.push(Diagnostic {
                code: problem.code.clone().into(),
                severity: Severity::Error,
                place: Place::at(if named { "/metadata/name" } else { "" }),
                message: api::said(problem),
                help: problem.help.clone(),
                fix: None,
            });
        }
        self.server_found(found);
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
