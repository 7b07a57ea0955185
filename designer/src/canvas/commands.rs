//! The command palette: every action of the canvas and every node, by a few letters. `@` finds nodes only, `>` actions only.

use std::sync::Arc;

use fairway_canvas::fuzzy;
use leptos::prelude::*;

use super::actions::{ACTIONS, Given, chords, shown};
use super::picker::{Choice, Picker};
use super::{Surface, joining, replacing, summary, use_surface};
use crate::i18n::{components, t};
use crate::icons::{Icon, component_icon, icon};
use crate::state::editor::NodeView;
use crate::state::use_session;

/// What the palette was opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Actions and nodes.
    All,
    /// Nodes only.
    Nodes,
    /// Another end for an edge of this node (see [`joining`]).
    Join,
    /// Another component in the place of this node (see [`replacing`]).
    Replace,
}

/// Most rows that are listed.
const MOST: usize = 60;

/// The palette, while it is open.
#[component]
pub(super) fn Commands() -> impl IntoView {
    let surface = use_surface();
    let session = use_session();
    let close = Callback::new(move |()| surface.asked.set(None));
    move || {
        surface.asked.get().map(|asked| match asked {
            Asked::Join => {
                let all = joining::choices(surface);
                let find = Callback::new(move |search: String| ranked(&search, all.clone()));
                view! { <Picker label=t!("join-title") testid="join" find close /> }
            }
            Asked::Replace => {
                let all = replacing::choices(surface);
                let find = Callback::new(move |search: String| ranked(&search, all.clone()));
                view! { <Picker label=t!("replace-title") testid="replace" find close /> }
            }
            asked => {
                let prefix = if asked == Asked::Nodes { "@" } else { "" };
                let actions = session.keys.with_untracked(|keys| actions(surface, keys));
                let nodes = nodes(surface);
                let find = Callback::new(move |search: String| found(&search, &nodes, &actions));
                view! { <Picker label=t!("commands-title") testid="commands" start=prefix find close /> }
            }
        })
    }
}

fn found(search: &str, nodes: &[(Choice, String)], actions: &[(Choice, String)]) -> Vec<Choice> {
    let search = search.trim_start();
    let (search, nodes, actions) = match search.chars().next() {
        Some('@') => (&search[1..], nodes, &[][..]),
        Some('>') => (&search[1..], &[][..], actions),
        _ => (search, nodes, actions),
    };
    // Without a word the actions come first, for they are what is listed; a search finds the best of both.
    let all = actions.iter().chain(nodes).cloned().collect();
    ranked(search, all)
}

/// Choices that answer the search, the best first, equals in given order.
fn ranked(search: &str, all: Vec<(Choice, String)>) -> Vec<Choice> {
    let mut found: Vec<(i32, Choice)> = all
        .into_iter()
        .filter_map(|(choice, text)| {
            // What a row is called counts more than what else it can be found by.
            let called = fuzzy::score(search, &choice.text).map(|score| score + 256);
            Some((called.or_else(|| fuzzy::score(search, &text))?, choice))
        })
        .collect();
    if !search.trim().is_empty() {
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    found.truncate(MOST);
    found.into_iter().map(|(_, choice)| choice).collect()
}

fn actions(surface: Surface, given: &Given) -> Vec<(Choice, String)> {
    let able = ACTIONS.iter().filter(|action| action.name != "commands" && (action.able)(surface));
    able.map(|action| {
        let run = action.run;
        let choice = Choice {
            hook: action.name.to_owned(),
            kind: None,
            shape: Arc::new(|| icon(Icon::ChevronRight).into_any()),
            text: (action.text)(),
            detail: String::new(),
            keys: chords(action, given).first().map(|chord| shown(chord)).unwrap_or_default(),
            act: Callback::new(move |()| run(surface)),
        };
        let text = choice.text.clone();
        (choice, text)
    })
    .collect()
}

fn nodes(surface: Surface) -> Vec<(Choice, String)> {
    let all = surface.editor.nodes.get_untracked();
    all.iter().map(|node| node_choice(surface, node)).collect()
}

/// A node as a choice that goes to it; it is found by its name, id, component and settings.
fn node_choice(surface: Surface, node: &NodeView) -> (Choice, String) {
    let catalog = surface.editor.catalog();
    let spec = catalog.get(&node.component);
    let title = spec.map_or_else(|| node.component.clone(), components::title);
    let family = spec.map(|spec| spec.family.clone()).unwrap_or_default();
    let (component, kind, id) = (node.component.clone(), node.kind, node.id.clone());
    let settings = node.config.with_untracked(summary::words);
    let name = surface.editor.name_of(node);
    let text = format!("{name} {id} {title} {component} {settings}");
    let choice = Choice {
        hook: format!("@{id}"),
        kind: Some(kind),
        shape: Arc::new(move || component_icon(&component, &family, kind).into_any()),
        text: name,
        detail: title,
        keys: Vec::new(),
        act: Callback::new(move |()| {
            surface.editor.select_node(&id);
            surface.focus(&id);
            surface.flash(&id);
        }),
    };
    (choice, text)
}
