//! What a task runs, as lines of steps: a chain is one line; where it parts, each branch begins a line of its own.

use std::collections::BTreeMap;

use fairway_shared::channel::{ERRORS, PortRef};
use fairway_shared::plan::Stream;

/// One line: what it begins with, and what follows.
pub(super) type Path = Vec<String>;

/// How the beginning of a branch is called: by its node, and by its port where that says something.
fn end(name: &str, port: &PortRef) -> String {
    match port.port.as_deref() {
        None => name.to_owned(),
        Some(ERRORS) => format!("{name} ×"),
        Some(port) => format!("{name} · {port}"),
    }
}

/// The lines of a task. `nodes` are its nodes in topological order, `name` what a node is called.
pub(super) fn paths(nodes: &[String], streams: &[Stream], name: impl Fn(&str) -> String) -> Vec<Path> {
    let inside = |id: &str| nodes.iter().any(|node| node == id);
    let mut leave: BTreeMap<&str, Vec<&Stream>> = BTreeMap::new();
    let mut enter: BTreeMap<&str, usize> = BTreeMap::new();
    for stream in streams.iter().filter(|stream| inside(&stream.from.node) && inside(&stream.to.node)) {
        leave.entry(&stream.from.node).or_default().push(stream);
        *enter.entry(&stream.to.node).or_default() += 1;
    }
    let mut lines = Vec::new();
    // Where a line goes on from; a node that several lead to begins none of its own until it was reached.
    let mut begun: Vec<&str> = Vec::new();
    for root in nodes.iter().filter(|node| !enter.contains_key(node.as_str())) {
        let mut open: Vec<(Path, &str)> = vec![(vec![name(root)], root)];
        while let Some((mut line, mut at)) = open.pop() {
            loop {
                if begun.contains(&at) {
                    break;
                }
                begun.push(at);
                match leave.get(at).map(Vec::as_slice).unwrap_or_default() {
                    [] => break,
                    [only] => {
                        if only.from.port.is_some()
                            && let Some(last) = line.last_mut()
                        {
                            *last = end(&name(at), &only.from);
                        }
                        at = &only.to.node;
                        line.push(name(at));
                    }
                    several => {
                        for stream in several.iter().rev() {
                            let next = &stream.to.node;
                            open.push((vec![end(&name(at), &stream.from), name(next)], next));
                        }
                        break;
                    }
                }
            }
            // The root of a branch alone says nothing that its branches do not.
            if line.len() > 1 || !leave.contains_key(at) {
                lines.push(line);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use fairway_shared::plan::StreamKind;

    use super::*;

    fn told(nodes: &[&str], streams: &[(&str, &str)]) -> Vec<String> {
        let port = |text: &str| match text.split_once('.') {
            Some((node, port)) => PortRef { node: node.into(), port: Some(port.into()) },
            None => PortRef::node(text),
        };
        let streams: Vec<Stream> = streams
            .iter()
            .map(|(from, to)| Stream { from: port(from), to: port(to), kind: StreamKind::Direct })
            .collect();
        let nodes: Vec<String> = nodes.iter().map(|node| (*node).to_owned()).collect();
        paths(&nodes, &streams, str::to_owned).iter().map(|line| line.join(" → ")).collect()
    }

    #[test]
    fn a_chain_is_one_line() {
        assert_eq!(told(&["a", "b", "c"], &[("a", "b"), ("b", "c")]), ["a → b → c"]);
        assert_eq!(told(&["a"], &[]), ["a"]);
    }

    #[test]
    fn a_branch_begins_lines_of_its_own() {
        let streams = [("a", "b"), ("b", "c"), ("b.errors", "d"), ("c", "e"), ("c", "f")];
        assert_eq!(
            told(&["a", "b", "c", "d", "e", "f"], &streams),
            ["a → b", "b → c", "c → e", "c → f", "b × → d"]
        );
        let routes = [("r.big", "x"), ("r.unmatched", "y")];
        assert_eq!(told(&["r", "x", "y"], &routes), ["r · big → x", "r · unmatched → y"]);
    }

    #[test]
    fn what_comes_together_goes_on_once() {
        let streams = [("a", "c"), ("b", "c"), ("c", "d")];
        assert_eq!(told(&["a", "b", "c", "d"], &streams), ["a → c → d", "b → c"]);
    }
}
