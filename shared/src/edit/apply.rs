//! Carries out commands: each is turned into steps against the document as it is, and the steps' inverses, backwards, are
//! the command's inverse.

use std::collections::BTreeSet;

use serde_json::Value;

use super::steps::{Instead, SpotStep, Step};
use super::{Command, EditError, Placed, is_id};
use crate::channel::{Channel, Edge, Node, Part, PortRef, text};
use crate::pointer;

/// Carries out a command and answers the one that takes it back; a command that changes nothing is taken back by
/// `Command::Steps` of nothing.
///
/// # Errors
/// When the command does not fit the document, which is then as it was.
pub fn apply(channel: &mut Channel, command: Command) -> Result<Command, EditError> {
    let mut undo = Vec::new();
    let outcome = carry_out(channel, command, &mut undo);
    undo.reverse();
    match outcome {
        Ok(()) => Ok(Command::Steps(undo)),
        Err(error) => {
            for step in undo {
                step.run(channel).expect("the inverse of a step that was just made fits");
            }
            Err(error)
        }
    }
}

fn carry_out(channel: &mut Channel, command: Command, undo: &mut Vec<Step>) -> Result<(), EditError> {
    if let Command::Batch(commands) = command {
        return commands.into_iter().try_for_each(|command| carry_out(channel, command, undo));
    }
    // Steps are exact; every other command tidies up behind itself.
    let exact = matches!(command, Command::Steps(_));
    for step in steps(channel, command)? {
        undo.extend(step.run(channel)?);
    }
    if !exact {
        for part in Part::hiding(channel).collect::<Vec<_>>() {
            undo.extend(Step::Instead(Instead { part, value: None }).run(channel)?);
        }
    }
    Ok(())
}

/// The steps of a command, in the order in which they are made.
fn steps(channel: &Channel, command: Command) -> Result<Vec<Step>, EditError> {
    Ok(match command {
        Command::AddNode { node, spot } => add(channel, vec![Placed { node, spot }], Vec::new())?,
        Command::Paste { nodes, edges } => add(channel, nodes, edges)?,
        Command::RemoveNodes { ids } => remove(channel, &ids, Vec::new())?,
        Command::HealNodes { ids } => remove(channel, &ids, healed(channel, &ids))?,
        Command::MoveNodes { spots } => {
            let mut steps = Vec::with_capacity(spots.len());
            for (id, spot) in spots {
                index_of(channel, &id)?;
                steps.push(Step::Spot(SpotStep::moved(&channel.layout, &id, spot)));
            }
            steps
        }
        Command::SetConfig { node, field, value } => {
            let segments = pointer::segments(&field);
            change(channel, &node, "config", |node| {
                let mut config = Value::Object(std::mem::take(&mut node.config));
                let outcome = match segments.is_empty() {
                    true => Err(pointer::PutError::NoParts),
                    false => pointer::put(&mut config, &segments, value),
                };
                outcome.map_err(|source| EditError::Place { pointer: field, source })?;
                if let Value::Object(config) = config {
                    node.config = config;
                }
                Ok(())
            })?
        }
        Command::ReplaceConfig { node, config } => change(channel, &node, "config", |node| {
            node.config = config;
            Ok(())
        })?,
        Command::SetComponent { node, component } => change(channel, &node, "component", |node| {
            node.component = component;
            Ok(())
        })?,
        Command::SetTitle { node, title } => change(channel, &node, "title", |node| {
            node.title = title;
            Ok(())
        })?,
        Command::SetTasks { node, tasks } => change(channel, &node, "tasks", |node| {
            node.tasks = tasks;
            Ok(())
        })?,
        Command::RenameNode { from, to } => rename(channel, &from, &to)?,
        Command::AddEdge { mut edge } => {
            check_edge(channel, &edge)?;
            edge.tidy();
            vec![Step::PutEdge(channel.spec.edges.len(), edge)]
        }
        Command::RemoveEdge { from, to } => vec![Step::TakeEdge(edge_index(channel, &from, &to)?)],
        Command::ReplaceEdge { from, to, mut edge } => {
            edge.tidy();
            let index = edge_index(channel, &from, &to)?;
            if (&edge.from, &edge.to) != (&from, &to) {
                check_edge(channel, &edge)?;
            }
            vec![Step::SetEdge(index, edge)]
        }
        Command::Splice { from, to, node, input, output } => {
            let index = edge_index(channel, &from, &to)?;
            index_of(channel, &node)?;
            let into =
                Edge { to: PortRef { node: node.clone(), port: input }, ..channel.spec.edges[index].clone() };
            let out = Edge { from: PortRef { node, port: output }, to, ..Edge::default() };
            for edge in [&into, &out] {
                if channel.spec.edges.iter().any(|other| (&other.from, &other.to) == (&edge.from, &edge.to)) {
                    return Err(EditError::EdgeExists(edge.from.clone(), edge.to.clone()));
                }
            }
            vec![Step::SetEdge(index, into), Step::PutEdge(index + 1, out)]
        }
        Command::SetSettings { mut settings } => {
            settings.tidy();
            vec![Step::Settings(settings)]
        }
        Command::SetMetadata { mut metadata } => {
            metadata.tidy();
            vec![Step::Metadata(metadata)]
        }
        Command::SetNotes { notes } => vec![Step::Notes(notes)],
        Command::SetGroups { groups } => vec![Step::Groups(groups)],
        Command::SetRaw { pointer, value } => {
            let mut document = text::to_value(channel);
            crate::pointer::put(&mut document, &crate::pointer::segments(&pointer), value)
                .map_err(|source| EditError::Place { pointer, source })?;
            let changed = text::from_value(&document).0.ok_or(EditError::NotAChannel)?;
            vec![Step::Document(Box::new(changed))]
        }
        Command::ReplaceDocument { channel } => vec![Step::Document(channel)],
        Command::Steps(steps) => steps,
        // Batches are taken apart before they come here.
        Command::Batch(_) => Vec::new(),
    })
}

fn index_of(channel: &Channel, id: &str) -> Result<usize, EditError> {
    // Nodes without an id cannot be meant by it.
    let index = channel.spec.nodes.iter().position(|node| node.id == id && !id.is_empty());
    index.ok_or_else(|| EditError::NoSuchNode(id.to_owned()))
}

fn edge_index(channel: &Channel, from: &PortRef, to: &PortRef) -> Result<usize, EditError> {
    // Of two equal edges the later one is the one too many.
    let index = channel.spec.edges.iter().rposition(|edge| edge.from == *from && edge.to == *to);
    index.ok_or_else(|| EditError::NoSuchEdge(from.clone(), to.clone()))
}

fn check_edge(channel: &Channel, edge: &Edge) -> Result<(), EditError> {
    for end in [&edge.from, &edge.to] {
        index_of(channel, &end.node)?;
    }
    match edge_index(channel, &edge.from, &edge.to) {
        Ok(_) => Err(EditError::EdgeExists(edge.from.clone(), edge.to.clone())),
        Err(_) => Ok(()),
    }
}

/// Changes a copy of a node. What stood at the field and could not be taken gives way to the new value.
fn change(
    channel: &Channel,
    id: &str,
    field: &str,
    change: impl FnOnce(&mut Node) -> Result<(), EditError>,
) -> Result<Vec<Step>, EditError> {
    let index = index_of(channel, id)?;
    let mut node = channel.spec.nodes[index].clone();
    change(&mut node)?;
    node.extra.remove(field);
    Ok(vec![Step::SetNode(index, node)])
}

fn add(channel: &Channel, nodes: Vec<Placed>, edges: Vec<Edge>) -> Result<Vec<Step>, EditError> {
    let mut ids: BTreeSet<String> = channel.spec.nodes.iter().map(|node| node.id.clone()).collect();
    let mut joints: BTreeSet<(PortRef, PortRef)> =
        channel.spec.edges.iter().map(|edge| (edge.from.clone(), edge.to.clone())).collect();
    let mut steps = Vec::with_capacity(nodes.len() * 2 + edges.len());
    let mut spots = Vec::new();
    for (index, Placed { mut node, spot }) in (channel.spec.nodes.len()..).zip(nodes) {
        node.tidy();
        if !is_id(&node.id) {
            return Err(EditError::BadId(node.id));
        }
        if !ids.insert(node.id.clone()) {
            return Err(EditError::NodeExists(node.id));
        }
        // A spot left over from a node of the same id gives way.
        spots.push(Step::Spot(SpotStep { id: node.id.clone(), spot, kept: None }));
        steps.push(Step::PutNode(index, node));
    }
    for (index, mut edge) in (channel.spec.edges.len()..).zip(edges) {
        edge.tidy();
        for end in [&edge.from, &edge.to] {
            if !ids.contains(&end.node) {
                return Err(EditError::NoSuchNode(end.node.clone()));
            }
        }
        if !joints.insert((edge.from.clone(), edge.to.clone())) {
            return Err(EditError::EdgeExists(edge.from, edge.to));
        }
        steps.push(Step::PutEdge(index, edge));
    }
    steps.extend(spots);
    Ok(steps)
}

fn remove(channel: &Channel, ids: &[String], heal: Vec<Edge>) -> Result<Vec<Step>, EditError> {
    ids.iter().try_for_each(|id| index_of(channel, id).map(drop))?;
    let goes = |id: &String| ids.contains(id);
    let mut steps = Vec::new();
    // From the end, so that indexes stay true.
    for (index, edge) in channel.spec.edges.iter().enumerate().rev() {
        if goes(&edge.from.node) || goes(&edge.to.node) {
            steps.push(Step::TakeEdge(index));
        }
    }
    let left = channel.spec.edges.len() - steps.len();
    steps.extend((left..).zip(heal).map(|(index, edge)| Step::PutEdge(index, edge)));
    for (index, node) in channel.spec.nodes.iter().enumerate().rev() {
        if goes(&node.id) {
            steps.push(Step::TakeNode(index));
        }
    }
    for id in ids.iter().collect::<BTreeSet<_>>() {
        steps.push(Step::Spot(SpotStep { id: id.clone(), spot: None, kept: None }));
    }
    Ok(steps)
}

/// The edges that join what comes before the nodes with what comes behind them; error ways are not joined.
fn healed(channel: &Channel, ids: &[String]) -> Vec<Edge> {
    let edges = &channel.spec.edges;
    let inside = |id: &String| ids.contains(id);
    let mut joints: BTreeSet<(&PortRef, &PortRef)> =
        edges.iter().map(|edge| (&edge.from, &edge.to)).collect();
    let mut heal = Vec::new();
    for entry in edges.iter().filter(|edge| !inside(&edge.from.node) && inside(&edge.to.node)) {
        let mut seen = BTreeSet::from([&entry.to.node]);
        let mut open = vec![&entry.to.node];
        while let Some(id) = open.pop() {
            for edge in edges.iter().filter(|edge| edge.from.node == *id && !edge.from.is_errors()) {
                if inside(&edge.to.node) {
                    if seen.insert(&edge.to.node) {
                        open.push(&edge.to.node);
                    }
                } else if edge.to.node != entry.from.node && joints.insert((&entry.from, &edge.to)) {
                    heal.push(Edge { from: entry.from.clone(), to: edge.to.clone(), ..Edge::default() });
                }
            }
        }
    }
    heal
}

fn rename(channel: &Channel, from: &str, to: &str) -> Result<Vec<Step>, EditError> {
    let index = index_of(channel, from)?;
    if !is_id(to) {
        return Err(EditError::BadId(to.to_owned()));
    }
    if channel.node(to).is_some() {
        return Err(EditError::NodeExists(to.to_owned()));
    }
    let mut node = channel.spec.nodes[index].clone();
    node.id = to.to_owned();
    node.extra.remove("id");
    let mut steps = vec![Step::SetNode(index, node)];
    // Where another node has the old id as well, edges and spot stay with it.
    if channel.spec.nodes.iter().filter(|node| node.id == from).count() > 1 {
        return Ok(steps);
    }
    for (index, edge) in channel.spec.edges.iter().enumerate() {
        let mut edge = edge.clone();
        for end in [&mut edge.from, &mut edge.to] {
            if end.node == from {
                end.node = to.to_owned();
            }
        }
        steps.push(Step::SetEdge(index, edge));
    }
    let spot = SpotStep::of(&channel.layout, from);
    steps.push(Step::Spot(SpotStep { id: from.to_owned(), spot: None, kept: None }));
    steps.push(Step::Spot(SpotStep { id: to.to_owned(), ..spot }));
    Ok(steps)
}
