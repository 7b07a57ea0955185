//! Into how many tasks a piece of the plan is split. Each runs the same nodes and has a share of the partitions that come in, told by
//! their names alone: `fairway_shared::plan::Share`.

use fairway_shared::channel::{Channel, StreamChoice};
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::diagnostic::{Diagnostic, Place, codes};
use fairway_shared::plan::TaskKind;

use super::cut::Piece;

/// Most tasks of one piece.
const MOST: u32 = 1000;

/// The number of tasks that the node asks for that a piece is named after.
pub(super) fn of(channel: &Channel, piece: &Piece) -> u32 {
    channel.spec.nodes[piece.first].tasks.unwrap_or(1).clamp(1, MOST)
}

/// What asks for several tasks and cannot have them: never run otherwise in silence (I8).
pub(super) fn refused(channel: &Channel, specs: &[&ComponentSpec], pieces: &[Piece]) -> Vec<Diagnostic> {
    let nodes = &channel.spec.nodes;
    let asked = |node: usize| nodes[node].tasks.unwrap_or(1);
    let mut found = Vec::new();
    for piece in pieces {
        for node in piece.nodes.iter().copied().filter(|node| asked(*node) > 1) {
            let reason = match piece {
                _ if node != piece.first => {
                    let first = &nodes[piece.first].id;
                    Some((format!("its task is that of `{first}`"), format!("Ask for them at `{first}`.")))
                }
                _ if asked(node) > MOST => Some((
                    format!("no node is split into more than {MOST}"),
                    "Ask for at most as many as there are partitions.".to_owned(),
                )),
                piece => alone(channel, specs, piece),
            };
            let Some((reason, help)) = reason else { continue };
            let pointer = format!("/spec/nodes/{node}/tasks");
            let place = Place::at(&pointer).of_node(&nodes[node].id);
            let message =
                format!("`{}` asks for {} tasks and cannot have them: {reason}", nodes[node].id, asked(node));
            found.push(Diagnostic::error(codes::PLAN_ONE_TASK_ONLY, place, message).help(help).fix(
                "Run it in one task",
                pointer,
                None,
            ));
        }
    }
    found
}

/// Why a piece is for one task, and what to do.
fn alone(channel: &Channel, specs: &[&ComponentSpec], piece: &Piece) -> Option<(String, String)> {
    let nodes = &channel.spec.nodes;
    let sources = piece.nodes.iter().filter(|node| specs[**node].kind == Kind::Source).count();
    if sources > 1 && piece.kind != TaskKind::Sink {
        let reason = "the same task reads another source".to_owned();
        return Some((reason, "Draw a channel for each source.".to_owned()));
    }
    let alone = piece.nodes.iter().copied().find(|node| !specs[*node].several)?;
    let (id, title) = (&nodes[alone].id, &specs[alone].title);
    let reason = match specs[alone].kind {
        Kind::Source => format!("`{id}` ({title}) has nothing that several tasks could share"),
        Kind::Transform => format!("`{id}` ({title}) must see all records"),
        Kind::Sink => format!("`{id}` ({title}) has one writer"),
    };
    let help = match channel.spec.settings.stream {
        StreamChoice::Topic => "Run it in one task.",
        _ => {
            "Run it in one task, or let the channel have streams by topic, which give targets tasks of their own."
        }
    };
    Some((reason, help.to_owned()))
}
