//! The order in which diagnostics are told: errors before warnings, then as the document reads from top to bottom.

use std::cmp::Reverse;

use super::{Diagnostic, Place, codes};
use crate::pointer;

/// Keys in the order in which documents write them; other keys come after these, sorted.
const RANKS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "spec",
    "items",
    "nodes",
    "id",
    "component",
    "title",
    "description",
    "labels",
    "config",
    "tasks",
    "connector",
    "edges",
    "from",
    "to",
    "settings",
    "stream",
    "delivery",
    "errors",
    "policy",
    "retry",
    "max_attempts",
    "schedule",
    "cron",
    "timezone",
    "missed",
    "layout",
    "notes",
    "groups",
];

/// Sorts diagnostics: errors first, then by place; what is about the same place stays in the order it was found.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    let keys: Vec<_> = diagnostics
        .iter()
        .map(|diagnostic| {
            (Reverse(diagnostic.severity), diagnostic.place.pointer.split('/').map(segment).collect())
        })
        .collect::<Vec<(_, Vec<_>)>>();
    let mut order: Vec<usize> = (0..diagnostics.len()).collect();
    order.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
    if order.is_sorted() {
        return;
    }
    let mut found: Vec<Option<Diagnostic>> = std::mem::take(diagnostics).into_iter().map(Some).collect();
    diagnostics.extend(order.into_iter().filter_map(|index| found[index].take()));
}

/// What a segment of a pointer is ordered by: indexes as numbers, known keys by rank, others by their letters.
fn segment(key: &str) -> (bool, Option<usize>, usize, &str) {
    let index = pointer::index(key);
    let known = RANKS.iter().position(|known| *known == key).unwrap_or(RANKS.len());
    (index.is_none(), index, known, key)
}

/// The most diagnostics of one answer: nobody reads more, and half a megabyte could be made to yield a hundred of them.
pub const MOST: usize = 2_000;

/// Sorts diagnostics and, where there are more than [`MOST`], says how many more there are instead of them.
pub(crate) fn settle(diagnostics: &mut Vec<Diagnostic>) {
    sort(diagnostics);
    if diagnostics.len() > MOST {
        let more = diagnostics.len() - MOST;
        diagnostics.truncate(MOST);
        let message = format!("{more} more faults are not shown");
        diagnostics.push(
            Diagnostic::warning(codes::DOCUMENT_MORE_FAULTS, Place::default(), message)
                .help("Mend what is shown, and look again."),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_first_then_as_the_document_reads() {
        let places = [
            "",
            "/metadata/name",
            "/spec/nodes/2/id",
            "/spec/nodes/10/id",
            "/spec/nodes/10/config/a",
            "/spec/edges/0",
            "/layout",
        ];
        let mut diagnostics: Vec<_> =
            places.iter().rev().map(|at| Diagnostic::error("x", Place::at(*at), "m")).collect();
        diagnostics.insert(0, Diagnostic::warning("w", Place::at(""), "m"));
        sort(&mut diagnostics);
        let order: Vec<_> = diagnostics.iter().map(|d| d.place.pointer.as_str()).collect();
        assert_eq!(order[..places.len()], places);
        assert_eq!(diagnostics[places.len()].code, "w");
    }
}
