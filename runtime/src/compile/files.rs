//! A channel that would read what it writes: it would feed itself without end, or read lines that are only half there.

use fairway_connector_file::reads_what_it_writes;
use fairway_shared::channel::Channel;
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::diagnostic::{Diagnostic, Place, codes};

/// One error for each target whose file a source of the same channel reads, by the texts of their paths.
pub(super) fn loops(channel: &Channel, specs: &[&ComponentSpec]) -> Vec<Diagnostic> {
    let of_kind = |kind: Kind| {
        let nodes = channel.spec.nodes.iter().enumerate().zip(specs);
        nodes.filter(move |(_, spec)| spec.kind == kind && spec.family == "file").map(|(node, _)| node)
    };
    let mut found = Vec::new();
    for (at, sink) in of_kind(Kind::Sink) {
        let path =
            |node: &fairway_shared::channel::Node| node.config.get("path").cloned().unwrap_or_default();
        let Some((_, source)) =
            of_kind(Kind::Source).find(|(_, source)| reads_what_it_writes(&path(source), &path(sink)))
        else {
            continue;
        };
        let place = Place::at(format!("/spec/nodes/{at}/config/path")).of_node(&sink.id);
        let message = format!("target `{}` writes a file that source `{}` reads", sink.id, source.id);
        found.push(
            Diagnostic::error(codes::PLAN_READS_WHAT_IT_WRITES, place, message)
                .help("Write to another folder, or narrow the source's path."),
        );
    }
    found
}
