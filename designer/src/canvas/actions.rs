//! Everything that a key or the command palette can do on the canvas: one table, read by `keys`, by the sheet of keys and by
//! `commands`, so that none of them knows an action that the others do not.

use std::collections::BTreeMap;

use fairway_canvas::align::Align;
use fairway_canvas::viewport::STEP;
use fairway_shared::api::status::TargetState;
use leptos::prelude::*;

use super::commands::Asked;
use super::quick_add::QuickAdd;
use super::{Surface, cards, clipboard, export, joining, replacing};
use crate::i18n::t;
use crate::parts::lifecycle;
use crate::router::Route;

/// What an action is about; the sheet has a column for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Draw,
    Select,
    View,
    Channel,
}

impl Group {
    pub(super) const ALL: [Self; 4] = [Self::Draw, Self::Select, Self::View, Self::Channel];

    pub(super) fn title(self) -> String {
        match self {
            Self::Draw => t!("keys-draw"),
            Self::Select => t!("keys-move"),
            Self::View => t!("keys-view"),
            Self::Channel => t!("keys-run"),
        }
    }
}

/// An action.
pub(super) struct Action {
    /// Hook for tests.
    pub(super) name: &'static str,
    pub(super) group: Group,
    /// Chords as [`chord`](super::keys) writes them; the first is shown.
    pub(super) keys: &'static [&'static str],
    pub(super) text: fn() -> String,
    pub(super) run: fn(Surface),
    /// Whether it would do something now.
    pub(super) able: fn(Surface) -> bool,
}

fn always(_: Surface) -> bool {
    true
}

fn selected(surface: Surface) -> bool {
    surface.editor.selection.with_untracked(|selection| !selection.is_empty())
}

fn nodes_selected(surface: Surface) -> bool {
    surface.editor.selection.with_untracked(|selection| !selection.nodes.is_empty())
}

fn several_selected(surface: Surface) -> bool {
    surface.editor.selection.with_untracked(|selection| selection.nodes.len() > 1)
}

fn drawn(surface: Surface) -> bool {
    surface.editor.nodes.with_untracked(|nodes| !nodes.is_empty())
}

fn offered(surface: Surface, target: TargetState) -> bool {
    let state = surface.editor.status().with_untracked(|status| status.state);
    let deployed = surface.editor.deployed.with_untracked(Option::is_some);
    lifecycle::offers(state, deployed).contains(&target)
}

macro_rules! actions {
    ($($group:ident $name:literal [$($keys:literal),*] $text:expr, $able:expr, $run:expr;)+) => {
        /// All actions, in the order in which they are listed.
        pub(super) const ACTIONS: &[Action] = &[
            $(Action { name: $name, group: Group::$group, keys: &[$($keys),*], text: || $text, able: $able, run: $run },)+
        ];
    };
}

actions! {
    Draw "add" ["N", "/"] t!("key-add"), always, |surface| QuickAdd::open(surface);
    Draw "join" ["C"] t!("key-join"), drawn, joining::start;
    Draw "replace" ["R"] t!("key-replace"), nodes_selected, replacing::start;
    Draw "delete" ["Delete", "Backspace"] t!("key-delete"), selected, |surface| surface.editor.remove_selected(false);
    Draw "heal" ["Mod+Delete", "Mod+Backspace"] t!("key-heal"), selected, |surface| surface.editor.remove_selected(true);
    Draw "duplicate" ["Mod+D"] t!("key-duplicate"), nodes_selected, clipboard::duplicate;
    Draw "copy" ["Mod+C"] t!("key-copy"), nodes_selected, |surface| clipboard::copy(surface, false);
    Draw "cut" ["Mod+X"] t!("key-cut"), nodes_selected, |surface| clipboard::copy(surface, true);
    Draw "paste" ["Mod+V"] t!("key-paste"), always, clipboard::paste;
    Draw "group" ["Mod+G"] t!("key-group"), nodes_selected, |surface| {
        surface.editor.group_selected(t!("group-new"));
        surface.say(t!("said-grouped"));
    };
    Draw "ungroup" ["Mod+Shift+G"] t!("key-ungroup"), nodes_selected, |surface| {
        surface.editor.ungroup_selected();
        surface.say(t!("said-ungrouped"));
    };
    Draw "note" ["Shift+N"] t!("key-note"), always, cards::add_note;
    Draw "undo" ["Mod+Z"] t!("key-undo"), |surface| surface.editor.can_undo.get_untracked(), |surface| {
        surface.editor.undo();
        surface.say(t!("said-undone"));
    };
    Draw "redo" ["Mod+Shift+Z", "Mod+Y"] t!("key-redo"), |surface| surface.editor.can_redo.get_untracked(), |surface| {
        surface.editor.redo();
        surface.say(t!("said-redone"));
    };
    Draw "tidy" ["Shift+Alt+T"] t!("key-tidy"), drawn, |surface| {
        surface.editor.tidy();
        surface.fit();
    };
    Draw "align-left" [] t!("align-left"), several_selected, |surface| surface.editor.align(Align::Left);
    Draw "align-centre" [] t!("align-centre"), several_selected, |surface| surface.editor.align(Align::Centre);
    Draw "align-right" [] t!("align-right"), several_selected, |surface| surface.editor.align(Align::Right);
    Draw "align-top" [] t!("align-top"), several_selected, |surface| surface.editor.align(Align::Top);
    Draw "align-middle" [] t!("align-middle"), several_selected, |surface| surface.editor.align(Align::Middle);
    Draw "align-bottom" [] t!("align-bottom"), several_selected, |surface| surface.editor.align(Align::Bottom);
    Draw "spread-across" [] t!("spread-across"), several_selected, |surface| surface.editor.align(Align::Across);
    Draw "spread-down" [] t!("spread-down"), several_selected, |surface| surface.editor.align(Align::Down);

    Select "select-all" ["Mod+A"] t!("key-all"), drawn, |surface| surface.editor.select_all();
    Select "select-before" ["Shift+Alt+ArrowLeft"] t!("key-before"), nodes_selected, |surface| surface.editor.select_along(false);
    Select "select-behind" ["Shift+Alt+ArrowRight"] t!("key-behind"), nodes_selected, |surface| surface.editor.select_along(true);
    Select "rename" ["F2"] t!("key-rename"), nodes_selected, |surface| surface.editor.edit_field(Some("title"));
    Select "edges" ["E"] t!("key-edges"), drawn, super::keys::walk_edges;

    View "find" ["Mod+F"] t!("key-find"), drawn, |surface| surface.asked.set(Some(Asked::Nodes));
    View "fit" ["F", "1"] t!("key-fit"), drawn, Surface::fit;
    View "fit-selection" [".", "2"] t!("key-fit-selection"), nodes_selected, Surface::fit_selection;
    View "zoom-in" ["+", "="] t!("key-zoom-in"), always, |surface| surface.zoom_by(STEP);
    View "zoom-out" ["-", "_"] t!("key-zoom-out"), always, |surface| surface.zoom_by(1.0 / STEP);
    View "zoom-reset" ["0"] t!("key-zoom-reset"), always, |surface| surface.zoom_to(1.0);
    View "minimap" ["M"] t!("key-minimap"), always, Surface::toggle_map;
    View "outline" ["O"] t!("key-outline"), always, Surface::toggle_outline;
    View "physical" [] t!("key-physical"), always, |surface| surface.physical.update(|on| *on = !*on);

    Channel "commands" ["Mod+K", "Mod+Shift+P"] t!("key-commands"), always, |surface| surface.asked.set(Some(Asked::All));
    Channel "save" ["Mod+S"] t!("key-save"), always, |surface| surface.editor.save_now();
    Channel "deploy" ["Mod+Shift+D"] t!("key-deploy"), always, |surface| surface.editor.ask_plan();
    Channel "start" [] t!("key-start"), |surface| offered(surface, TargetState::Running), |surface| surface.editor.ask_for(TargetState::Running);
    Channel "pause" [] t!("key-pause"), |surface| offered(surface, TargetState::Paused), |surface| surface.editor.ask_for(TargetState::Paused);
    Channel "stop" [] t!("key-stop"), |surface| offered(surface, TargetState::Stopped), |surface| surface.editor.ask_for(TargetState::Stopped);
    Channel "problems" [] t!("key-problems"), always, |surface| surface.editor.show_panel("problems");
    Channel "activity" [] t!("key-activity"), always, |surface| surface.editor.show_panel("activity");
    Channel "dead-letters" [] t!("key-dead-letters"), always, |surface| surface.editor.show_panel("dead-letters");
    Channel "versions" [] t!("key-versions"), always, |surface| surface.editor.show_panel("versions");
    Channel "text" ["T"] t!("key-text"), always, |surface| surface.text.set(true);
    Channel "guide" [] t!("guide-begin"), always, Surface::guide_on;
    Channel "export-svg" [] t!("export-svg"), drawn, export::svg;
    Channel "export-png" [] t!("export-png"), drawn, export::png;
    Channel "print" [] t!("print"), drawn, export::print;
    Channel "channels" [] t!("to-channels"), always, |surface| surface.router.go(Route::Channels);
    Channel "keys" ["?"] t!("key-sheet"), always, |surface| surface.sheet.set(true);
}

/// Chords that people have given to actions, by the action's name. An empty one means that the action has no key.
pub(super) type Given = BTreeMap<String, String>;

/// The chords of an action: the one that it was given, or ours without those that were given to another.
pub(super) fn chords(action: &Action, given: &Given) -> Vec<String> {
    match given.get(action.name) {
        Some(chord) if chord.is_empty() => Vec::new(),
        Some(chord) => vec![chord.clone()],
        None => {
            let taken = |chord: &&str| !given.values().any(|other| other == chord);
            action.keys.iter().copied().filter(taken).map(str::to_owned).collect()
        }
    }
}

/// An action by its name, as a button of a menu: what it is called, and what it does.
pub(crate) fn menu_item(name: &str) -> Option<(String, fn(Surface))> {
    ACTIONS.iter().find(|action| action.name == name).map(|action| ((action.text)(), action.run))
}

/// The action of a chord. Copy, cut and paste are the browser's own events, which need no permission; their keys are not ours
/// to give away.
pub(super) fn of_chord(chord: &str, given: &Given) -> Option<&'static Action> {
    ACTIONS
        .iter()
        .find(|action| chords(action, given).iter().any(|known| known == chord))
        .filter(|action| !by_browser(action))
}

/// Whether the browser itself does it.
pub(super) fn by_browser(action: &Action) -> bool {
    matches!(action.name, "copy" | "cut" | "paste")
}

/// A chord as its keys are labelled, for people.
pub(super) fn shown(chord: &str) -> Vec<String> {
    let command = if is_mac() { "⌘" } else { "Ctrl" };
    let label = |part: &str| match part {
        "Mod" => command.to_owned(),
        "ArrowLeft" => "←".to_owned(),
        "ArrowRight" => "→".to_owned(),
        "ArrowUp" => "↑".to_owned(),
        "ArrowDown" => "↓".to_owned(),
        "-" => "−".to_owned(),
        "Escape" => "Esc".to_owned(),
        "drag" => t!("key-drag"),
        part => part.to_owned(),
    };
    match chord {
        "+" => vec!["+".to_owned()],
        chord => chord.split('+').map(label).collect(),
    }
}

fn is_mac() -> bool {
    window().navigator().platform().is_ok_and(|platform| platform.starts_with("Mac"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_chords_are_unique() {
        let names: BTreeSet<_> = ACTIONS.iter().map(|action| action.name).collect();
        assert_eq!(names.len(), ACTIONS.len());
        let chords: Vec<_> = ACTIONS.iter().flat_map(|action| action.keys).collect();
        assert_eq!(chords.iter().collect::<BTreeSet<_>>().len(), chords.len());
        let named = |chord: &str, given: &Given| of_chord(chord, given).map(|action| action.name);
        assert_eq!(named("Mod+Shift+D", &Given::new()), Some("deploy"));
        assert_eq!(named("Mod+C", &Given::new()), None);
    }

    #[test]
    fn a_chord_that_was_given_to_an_action_is_no_other_ones() {
        let named = |chord: &str, given: &Given| of_chord(chord, given).map(|action| action.name);
        let given = Given::from([("tidy".to_owned(), "F".to_owned()), ("join".to_owned(), String::new())]);
        assert_eq!(named("F", &given), Some("tidy"));
        assert_eq!(named("1", &given), Some("fit"), "its other chord stays");
        assert_eq!(named("Shift+Alt+T", &given), None);
        assert_eq!(named("C", &given), None, "an action may have no key at all");
    }
}
