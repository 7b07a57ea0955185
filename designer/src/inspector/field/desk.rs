//! What a form stands in: findings about its values, what there is to be named in them, and whose form it is. The settings of a
//! node have one, and so has the form of a connection.

use fairway_shared::diagnostic::Diagnostic;
use leptos::prelude::*;

use super::offers::Offers;
use crate::state::editor::Editor;

/// The surroundings of a form's fields. A handle: copies mean the same form.
#[derive(Clone, Copy)]
pub(crate) struct Desk {
    /// All that is wrong, by node and dotted field; the node of a connection's form is the empty text.
    pub(crate) problems: Signal<Vec<Diagnostic>>,
    /// What outside systems offer to be named.
    pub(crate) offers: Offers,
    /// Component whose settings these are; empty for a connection.
    component: StoredValue<String>,
    entry_ends: Callback<()>,
}

impl Desk {
    /// The form of a node.
    pub(crate) fn of_node(editor: Editor, component: &str, offers: Offers) -> Self {
        Self {
            problems: editor.problems.into(),
            offers,
            component: StoredValue::new(component.to_owned()),
            entry_ends: Callback::new(move |()| editor.close_entry()),
        }
    }

    /// A form without a node: nothing is undone step by step.
    pub(crate) fn alone(problems: Signal<Vec<Diagnostic>>) -> Self {
        Self {
            problems,
            offers: Offers::none(),
            component: StoredValue::new(String::new()),
            entry_ends: Callback::new(|()| {}),
        }
    }

    /// Ends the present step to undo: what comes next is a step of its own.
    pub(crate) fn close_entry(self) {
        self.entry_ends.run(());
    }

    /// Component whose settings these are.
    pub(crate) fn component(self) -> String {
        self.component.get_value()
    }
}

/// Whether a finding is about a value or a part of it. `path` is dotted, as findings write it.
pub(crate) fn is_about(problem: &Diagnostic, node: &str, path: &str) -> bool {
    problem.place.node.as_deref().unwrap_or_default() == node
        && problem.place.field.as_deref().is_some_and(|field| {
            field.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
}

/// The desk that the form's owner provides.
pub(crate) fn use_desk() -> Desk {
    expect_context()
}
