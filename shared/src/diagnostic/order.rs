//! The order in which diagnostics are told: errors before warnings, then as the document reads from top to bottom.

use std::cmp::Ordering;

use super::Diagnostic;
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
    "layout",
    "notes",
    "groups",
];

/// Sorts diagnostics: errors first, then by place; what is about the same place stays in the order it was found.
pub fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_cached_key(|diagnostic| {
        (std::cmp::Reverse(diagnostic.severity), Key(pointer::segments(&diagnostic.place.pointer)))
    });
}

#[derive(PartialEq, Eq)]
struct Key(Vec<String>);

impl Ord for Key {
    fn cmp(&self, other: &Self) -> Ordering {
        let pairs = self.0.iter().zip(&other.0);
        pairs
            .map(|(a, b)| segment(a, b))
            .find(|order| order.is_ne())
            .unwrap_or(self.0.len().cmp(&other.0.len()))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn segment(a: &str, b: &str) -> Ordering {
    let rank = |key: &str| {
        let index = pointer::index(key);
        let known = RANKS.iter().position(|known| *known == key).unwrap_or(RANKS.len());
        (index.is_none(), index, known)
    };
    rank(a).cmp(&rank(b)).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::super::Place;
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
