//! What is promised about each target, from end to end: the least of what the target itself promises and of what every
//! source promises whose records may come to it, by straight edges or by `errors` ports.

use fairway_shared::channel::{Channel, Guarantee};
use fairway_shared::component::{ComponentSpec, Kind};
use fairway_shared::diagnostic::{Diagnostic, Place, codes};
use fairway_shared::plan::Target;

use super::graph::Graph;

/// Every target in document order, with its guarantee and the reason when it is not the best.
pub(super) fn targets(channel: &Channel, specs: &[&ComponentSpec], graph: &Graph) -> Vec<Target> {
    let of_kind = |kind: Kind| (0..specs.len()).filter(move |node| specs[*node].kind == kind);
    let reached: Vec<(usize, Vec<bool>)> =
        of_kind(Kind::Source).map(|source| (source, graph.reached(source))).collect();
    let promises: Vec<Guarantee> =
        channel.spec.nodes.iter().zip(specs).map(|(node, spec)| spec.delivery_of(&node.config)).collect();
    let target = |sink: usize| {
        let sources = reached.iter().filter(|(_, nodes)| nodes[sink]).map(|(source, _)| *source);
        let way: Vec<usize> = std::iter::once(sink).chain(sources).collect();
        let delivery = way.iter().map(|node| promises[*node]).min().unwrap_or_default();
        let weakest = way.into_iter().filter(|node| promises[*node] == delivery);
        Target {
            node: channel.spec.nodes[sink].id.clone(),
            delivery,
            because: (delivery != Guarantee::ExactlyOnce)
                .then(|| reasons(channel, specs, weakest.collect(), delivery)),
        }
    };
    of_kind(Kind::Sink).map(target).collect()
}

/// The reasons of the weakest nodes, the target's own first; not without end.
fn reasons(channel: &Channel, specs: &[&ComponentSpec], weakest: Vec<usize>, delivery: Guarantee) -> String {
    const SHOWN: usize = 3;
    let mut reasons: Vec<String> = weakest
        .iter()
        .take(SHOWN)
        .map(|node| reason(&channel.spec.nodes[*node].id, specs[*node], delivery))
        .collect();
    if weakest.len() > SHOWN {
        reasons.push(format!("and {} more", weakest.len() - SHOWN));
    }
    reasons.join("; ")
}

fn reason(id: &str, spec: &ComponentSpec, delivery: Guarantee) -> String {
    match (spec.kind, delivery) {
        (Kind::Source, _) => {
            format!("`{id}` ({}) may bring a record in again after a crash, in another place", spec.title)
        }
        (_, Guarantee::Idempotent) => {
            format!("`{id}` ({}) may write a record again after a crash, with the same key", spec.title)
        }
        (..) => format!("`{id}` ({}) may write a record again after a crash", spec.title),
    }
}

/// One error for each target that promises less than the channel asks for.
pub(super) fn too_low(channel: &Channel, targets: &[Target]) -> Vec<Diagnostic> {
    let asked = channel.spec.settings.delivery;
    let least = targets.iter().map(|target| target.delivery).min().unwrap_or_default();
    let low = targets.iter().filter(|target| target.delivery < asked);
    low.map(|target| {
        let at = channel.spec.nodes.iter().position(|node| node.id == target.node).unwrap_or_default();
        let place = Place::at(format!("/spec/nodes/{at}")).of_node(&target.node);
        let message = format!(
            "the channel asks for {}, but target `{}` can promise {} only: {}",
            words(asked),
            target.node,
            words(target.delivery),
            target.because.as_deref().unwrap_or_default()
        );
        Diagnostic::error(codes::PLAN_DELIVERY_TOO_LOW, place, message)
            .help("Use components that promise more, or accept less in the channel's settings.")
            .fix(format!("Accept {}", words(least)), "/spec/settings/delivery", Some(least.as_str().into()))
    })
    .collect()
}

fn words(guarantee: Guarantee) -> &'static str {
    match guarantee {
        Guarantee::AtLeastOnce => "at least once",
        Guarantee::Idempotent => "idempotent delivery",
        Guarantee::ExactlyOnce => "exactly once",
    }
}
