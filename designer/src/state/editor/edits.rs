//! What changes the document. Each method is one intention and one step to undo.

use std::collections::BTreeMap;

use fairway_canvas::curve::Tip;
use fairway_canvas::wiring::{self, End, Joint};
use fairway_canvas::{Point, Port};
use fairway_shared::channel::{Channel, Edge, Metadata, Node, PortRef, Settings, Spot};
use fairway_shared::diagnostic::Fix;
use fairway_shared::edit::{self, Command};
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::{EdgeKey, Editor, Selection};
use crate::i18n::t;

pub(super) fn spot(at: Point) -> Spot {
    Spot { x: at.x, y: at.y }
}

fn splice(edge: &EdgeKey, node: &str, output: Option<String>) -> Command {
    Command::Splice {
        from: edge.from.clone(),
        to: edge.to.clone(),
        node: node.to_owned(),
        input: None,
        output,
    }
}

/// Milliseconds of the browser's clock.
fn now() -> u64 {
    js_sys::Date::now() as u64
}

impl Editor {
    /// Carries out a command; the document, the signals and the draft follow.
    pub(super) fn run(self, command: Command) -> bool {
        let mut outcome = Ok(());
        self.history.update_value(|history| {
            self.document.update_value(|channel| outcome = history.run(channel, command, now()));
        });
        match outcome {
            Ok(()) => {
                self.refresh();
                self.save_soon();
                true
            }
            Err(error) => {
                self.toasts.bad(t!("edit-refused"), Some(error.to_string()));
                self.refresh();
                false
            }
        }
    }

    /// Ends the present step: what comes next is a step of its own.
    pub(crate) fn close_entry(self) {
        self.history.update_value(|history| {
            if let Some(last) = history.undo.last_mut() {
                last.at = 0;
            }
        });
    }

    /// Takes the last step back.
    pub(crate) fn undo(self) {
        self.step(edit::History::undo);
    }

    /// Makes the step that was taken back last once more.
    pub(crate) fn redo(self) {
        self.step(edit::History::redo);
    }

    fn step(self, step: impl FnOnce(&mut edit::History, &mut Channel) -> Result<bool, edit::EditError>) {
        let before: Vec<String> =
            self.nodes.with_untracked(|nodes| nodes.iter().map(|node| node.id.clone()).collect());
        let mut outcome = Ok(false);
        self.history.update_value(|history| {
            self.document.update_value(|channel| outcome = step(history, channel));
        });
        match outcome {
            Ok(true) => {
                self.refresh();
                self.save_soon();
                // What came back is shown by the selection.
                let back = self.nodes.with_untracked(|nodes| {
                    nodes
                        .iter()
                        .filter(|node| !before.contains(&node.id))
                        .map(|node| node.id.clone())
                        .collect::<Vec<_>>()
                });
                if !back.is_empty() {
                    self.select(Selection::of_nodes(back));
                }
            }
            Ok(false) => {}
            Err(error) => self.toasts.bad(t!("edit-refused"), Some(error.to_string())),
        }
    }

    /// Places a component, joined to an end where one waits. Answers the new node's id; it is selected.
    pub(crate) fn add(self, component: &str, corner: Point, wire: Option<End>) -> String {
        let id = self.with(|channel| edit::fresh_id(channel, component));
        let node = Node { id: id.clone(), component: component.to_owned(), ..Node::default() };
        let place = Command::AddNode { node, spot: Some(spot(corner)) };
        self.placed.set(Some(component.to_owned()));
        let edge = wire.and_then(|end| {
            let other =
                self.nodes.with_untracked(|nodes| nodes.get(end.node).map(|node| node.port_ref(end.port)))?;
            let (from, to) = match end.port.is_input() {
                true => (PortRef { node: id.clone(), port: self.first_output(component) }, other),
                false => (other, PortRef::node(&id)),
            };
            Some(Command::AddEdge { edge: Edge { from, to, ..Edge::default() } })
        });
        self.run(match edge {
            Some(edge) => Command::Batch(vec![place, edge]),
            None => place,
        });
        self.select_node(&id);
        id
    }

    /// Joins two ports.
    pub(crate) fn connect(self, joint: Joint) {
        let ends = self.nodes.with_untracked(|nodes| {
            Some((
                nodes.get(joint.from.node)?.port_ref(joint.from.port),
                nodes.get(joint.to.node)?.port_ref(joint.to.port),
            ))
        });
        if let Some((from, to)) = ends {
            self.run(Command::AddEdge { edge: Edge { from, to, ..Edge::default() } });
        }
    }

    /// Places a component and puts it into an edge. Answers the new node's id; it is selected.
    pub(crate) fn add_into(self, component: &str, corner: Point, edge: &EdgeKey) -> String {
        let id = self.with(|channel| edit::fresh_id(channel, component));
        let node = Node { id: id.clone(), component: component.to_owned(), ..Node::default() };
        let place = Command::AddNode { node, spot: Some(spot(corner)) };
        self.placed.set(Some(component.to_owned()));
        self.run(Command::Batch(vec![place, splice(edge, &id, self.first_output(component))]));
        self.select_node(&id);
        id
    }

    /// Takes an edge away, and offers to bring it back.
    pub(crate) fn remove_edge(self, key: &EdgeKey) {
        if self.run(Command::RemoveEdge { from: key.from.clone(), to: key.to.clone() }) {
            self.toasts.offer(t!("edge-removed"), t!("key-undo"), Callback::new(move |()| self.undo()));
        }
    }

    /// Leads an end of an edge to another port; with `all`, of every edge that ends at the same port and may go there.
    pub(crate) fn retarget(self, key: &EdgeKey, tip: Tip, to: End, all: bool) {
        let Some(port) = self.nodes.with_untracked(|nodes| Some(nodes.get(to.node)?.port_ref(to.port)))
        else {
            return;
        };
        let same = |edge: &Edge| match tip {
            Tip::From => edge.from == key.from && (all || edge.to == key.to),
            Tip::To => edge.to == key.to && (all || edge.from == key.from),
        };
        let chosen: Vec<Edge> =
            self.with(|channel| channel.spec.edges.iter().filter(|edge| same(edge)).cloned().collect());
        let mut selected = None;
        let mut commands = Vec::new();
        for edge in chosen {
            let mut led = edge.clone();
            match tip {
                Tip::From => led.from = port.clone(),
                Tip::To => led.to = port.clone(),
            }
            if (&led.from, &led.to) == (&edge.from, &edge.to) || !self.may_lead(&edge, tip, to) {
                continue;
            }
            selected = selected.or(Some(EdgeKey::of(&led)));
            commands.push(Command::ReplaceEdge { from: edge.from, to: edge.to, edge: led });
        }
        if let Some(selected) = selected
            && self.run(Command::Batch(commands))
        {
            self.select(Selection::of_edge(selected));
        }
    }

    /// Whether an end of an edge may be led to a port.
    fn may_lead(self, edge: &Edge, tip: Tip, to: End) -> bool {
        let key = EdgeKey::of(edge);
        let Some(view) = self.edge(&key) else { return false };
        let fixed = match tip {
            Tip::From => self.rank(&view.to.id).map(|node| End { node, port: view.to_port }),
            Tip::To => self.rank(&view.from.id).map(|node| End { node, port: view.from_port }),
        };
        fixed.is_some_and(|fixed| wiring::join(fixed, to, &self.joints_but(Some(&key))).is_ok())
    }

    /// Takes away what is selected; `heal` joins what was before with what was behind.
    pub(crate) fn remove_selected(self, heal: bool) {
        let selection = self.selection.get_untracked();
        if let Some(edge) = selection.edge {
            self.run(Command::RemoveEdge { from: edge.from, to: edge.to });
        } else if !selection.nodes.is_empty() {
            let ids: Vec<String> = selection.nodes.into_iter().collect();
            self.run(if heal { Command::HealNodes { ids } } else { Command::RemoveNodes { ids } });
        }
    }

    /// Takes the last step back as if it had never been: there is nothing to make once more.
    pub(crate) fn discard_last(self) {
        self.step(|history, channel| {
            let done = history.undo(channel);
            history.redo.pop();
            done
        });
    }

    /// Cuts every edge that a stroke from one place of the world to another crosses; answers how many.
    pub(crate) fn slice(self, from: Point, to: Point) -> usize {
        let cut: Vec<Command> = self.edges.with_untracked(|edges| {
            let crossed = edges.iter().filter(|edge| edge.curve_untracked().crossed(from, to));
            crossed
                .map(|edge| Command::RemoveEdge { from: edge.key.from.clone(), to: edge.key.to.clone() })
                .collect()
        });
        let count = cut.len();
        self.close_entry();
        if count > 0 && self.run(Command::Batch(cut)) {
            let said = t!("edges-cut", count = count);
            self.toasts.offer(said, t!("key-undo"), Callback::new(move |()| self.undo()));
        }
        self.close_entry();
        count
    }

    /// Moves nodes on the screen only, from where they stood; [`Self::commit_move`] makes it a step.
    pub(crate) fn shift(self, from: &[(String, Point)], by: Point) {
        for (id, at) in from {
            if let Some(node) = self.node(id) {
                super::put(&node.at, &(*at + by));
            }
        }
    }

    /// Puts nodes back to where they stood.
    pub(crate) fn put_back(self, from: &[(String, Point)]) {
        self.shift(from, Point::default());
    }

    /// Makes a finished drag a step; a single node may have been dropped on an edge, which it is then put into.
    pub(crate) fn commit_move(self, from: &[(String, Point)], into: Option<&EdgeKey>) {
        self.close_entry();
        let spots: BTreeMap<String, Spot> = from
            .iter()
            .filter_map(|(id, _)| Some((id.clone(), spot(self.node(id)?.at.get_untracked()))))
            .collect();
        let moves = match self.regroup(from) {
            Some(groups) => Command::Batch(vec![Command::MoveNodes { spots }, groups]),
            None => Command::MoveNodes { spots },
        };
        self.run(match (from, into) {
            ([(id, _)], Some(edge)) => {
                let output = self.node(id).and_then(|node| node.port_ref(Port::Output(0)).port);
                Command::Batch(vec![moves, splice(edge, id, output)])
            }
            _ => moves,
        });
        self.close_entry();
    }

    /// Moves the selected nodes; a burst is one step.
    pub(crate) fn nudge(self, by: Point) {
        let spots = self
            .selected_nodes()
            .iter()
            .map(|node| (node.id.clone(), spot(node.at.get_untracked() + by)))
            .collect();
        self.run(Command::MoveNodes { spots });
    }

    /// The selected nodes with the edges among them, as a document.
    pub(crate) fn selected_part(self) -> Option<Channel> {
        let ids: Vec<String> = self.selected_nodes().iter().map(|node| node.id.clone()).collect();
        let catalog = self.catalog();
        (!ids.is_empty()).then(|| self.with(|channel| edit::copy(channel, &ids, catalog.all())))
    }

    /// Pastes nodes, moved by a distance; they are selected. Answers how many there are.
    pub(crate) fn paste(self, part: &Channel, by: Point) -> usize {
        let least = |axis: fn(&Spot) -> f64| {
            part.layout.nodes.values().map(axis).reduce(f64::min).unwrap_or_default()
        };
        let corner = Spot { x: least(|spot| spot.x) + by.x, y: least(|spot| spot.y) + by.y };
        let command = self.with(|channel| edit::paste(channel, part, corner));
        let ids: Vec<String> = match &command {
            Command::Paste { nodes, .. } => nodes.iter().map(|placed| placed.node.id.clone()).collect(),
            _ => Vec::new(),
        };
        let count = ids.len();
        if count > 0 && self.run(command) {
            self.select(Selection::of_nodes(ids));
        }
        count
    }

    /// Sets or removes a setting of a node. `part` is what was edited within it: going on with another part begins a
    /// new step.
    pub(crate) fn set_config(self, node: &str, field: &str, value: Option<Value>, part: &str) {
        let key = format!("{node}/{part}");
        if self.editing.with_value(|editing| *editing != key) {
            self.close_entry();
            self.editing.set_value(key);
        }
        let catalog = self.catalog();
        let command = self.with(|channel| {
            let ports =
                channel.node(node).and_then(|node| catalog.get(&node.component)).map(|spec| &spec.ports);
            let mut command = None;
            self.output_names.update_value(|names| {
                command = Some(names.set_config(channel, ports, node, field, value));
            });
            command
        });
        if let Some(command) = command {
            self.run(command);
        }
    }

    /// Sets or removes a setting of several nodes, as one step.
    pub(crate) fn set_config_of_all(self, nodes: &[String], field: &str, value: Option<&Value>) {
        let set = |node: &String| {
            let (node, field) = (node.clone(), field.to_owned());
            Command::SetConfig { node, field, value: value.cloned() }
        };
        self.close_entry();
        self.run(Command::Batch(nodes.iter().map(set).collect()));
    }

    /// Titles a node.
    pub(crate) fn set_title(self, node: &str, title: String) {
        self.run(Command::SetTitle {
            node: node.to_owned(),
            title: Some(title).filter(|title| !title.is_empty()),
        });
    }

    /// Changes name, title or description of the channel.
    pub(crate) fn set_metadata(self, change: impl FnOnce(&mut Metadata), part: &str) {
        self.new_part(part);
        let mut metadata = self.with(|channel| channel.metadata.clone());
        change(&mut metadata);
        self.run(Command::SetMetadata { metadata });
    }

    /// Changes a setting of the channel.
    pub(crate) fn set_settings(self, change: impl FnOnce(&mut Settings), part: &str) {
        self.new_part(part);
        let mut settings = self.with(|channel| channel.spec.settings.clone());
        change(&mut settings);
        self.run(Command::SetSettings { settings });
    }

    fn new_part(self, part: &str) {
        if self.editing.with_value(|editing| editing != part) {
            self.close_entry();
            self.editing.set_value(part.to_owned());
        }
    }

    /// Puts another document in this one's place, as one step. The channel keeps its name.
    pub(crate) fn replace_document(self, mut channel: Channel) {
        channel.metadata.name = self.with(|now| now.metadata.name.clone());
        self.take_document(channel);
    }

    /// Takes a document over as it is, as one step.
    pub(crate) fn take_document(self, channel: Channel) {
        self.close_entry();
        self.run(Command::ReplaceDocument { channel: Box::new(channel) });
        self.close_entry();
    }

    /// Makes a node of another component with these settings, as one step.
    pub(crate) fn replace_component(self, node: &str, component: &str, config: Map<String, Value>) {
        let (node, component) = (node.to_owned(), component.to_owned());
        self.close_entry();
        self.run(Command::Batch(vec![
            Command::SetComponent { node: node.clone(), component },
            Command::ReplaceConfig { node, config },
        ]));
        self.close_entry();
    }

    /// Carries out the change that mends a finding.
    pub(crate) fn fix(self, fix: &Fix) {
        self.close_entry();
        let command = self.with(|channel| edit::apply_fix(channel, fix));
        self.run(command);
        self.close_entry();
    }
}
