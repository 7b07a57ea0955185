//! Reachability, topological order and layers of a graph given as node count and index pairs. Cycles are tolerated:
//! a document being edited may hold anything.

use std::collections::VecDeque;

/// Directed edges as pairs of node ranks.
pub type Links<'a> = &'a [(usize, usize)];

/// The shortest way from one node to another, both included.
pub fn path(links: Links<'_>, from: usize, to: usize) -> Option<Vec<usize>> {
    let size = links.iter().flat_map(|&(a, b)| [a, b]).chain([from, to]).max().unwrap_or(0) + 1;
    let next = followers(size, links);
    let mut came: Vec<Option<usize>> = vec![None; size];
    let mut seen = vec![false; size];
    seen[from] = true;
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        if node == to {
            let mut way = vec![to];
            while let Some(before) = came[way[way.len() - 1]] {
                way.push(before);
            }
            way.reverse();
            return Some(way);
        }
        for &follower in &next[node] {
            if !std::mem::replace(&mut seen[follower], true) {
                came[follower] = Some(node);
                queue.push_back(follower);
            }
        }
    }
    None
}

/// Which nodes can be reached from one, itself included; backwards, which ones it can be reached from.
pub fn reach(size: usize, links: Links<'_>, from: usize, backwards: bool) -> Vec<bool> {
    let turned: Vec<(usize, usize)>;
    let links = if backwards {
        turned = links.iter().map(|&(a, b)| (b, a)).collect();
        &turned
    } else {
        links
    };
    let next = followers(size, links);
    let mut seen = vec![false; size];
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(next[node].iter().filter(|follower| !seen[**follower]));
        }
    }
    seen
}

/// Nodes such that each comes after what leads to it; equals in given order. Nodes on a cycle come last.
pub fn topological(size: usize, links: Links<'_>) -> Vec<usize> {
    let next = followers(size, links);
    let mut waiting = vec![0usize; size];
    for &(_, to) in links {
        waiting[to] += 1;
    }
    let mut ready: std::collections::BTreeSet<usize> = (0..size).filter(|&n| waiting[n] == 0).collect();
    let mut order = Vec::with_capacity(size);
    let mut placed = vec![false; size];
    while let Some(node) = ready.pop_first() {
        order.push(node);
        placed[node] = true;
        for &follower in &next[node] {
            waiting[follower] -= 1;
            if waiting[follower] == 0 {
                ready.insert(follower);
            }
        }
    }
    order.extend((0..size).filter(|&n| !placed[n]));
    order
}

/// For each node the length of the longest way to it. Links that close a cycle do not count.
pub fn layers(size: usize, links: Links<'_>) -> Vec<usize> {
    let order = topological(size, links);
    let mut rank = vec![0usize; size];
    for (at, &node) in order.iter().enumerate() {
        rank[node] = at;
    }
    let next = followers(size, links);
    let mut layer = vec![0usize; size];
    for &node in &order {
        for &follower in &next[node] {
            if rank[follower] > rank[node] {
                layer[follower] = layer[follower].max(layer[node] + 1);
            }
        }
    }
    layer
}

fn followers(size: usize, links: Links<'_>) -> Vec<Vec<usize>> {
    let mut next = vec![Vec::new(); size];
    for &(from, to) in links {
        next[from].push(to);
    }
    next
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_path_is_found_or_not() {
        let links = [(0, 1), (1, 2), (0, 3)];
        assert_eq!(path(&links, 0, 2), Some(vec![0, 1, 2]));
        assert_eq!(path(&links, 3, 2), None);
        assert_eq!(path(&links, 2, 2), Some(vec![2]));
    }

    #[test]
    fn layers_take_the_longest_way() {
        assert_eq!(layers(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]), vec![0, 1, 2, 3]);
    }

    fn any_graph() -> impl Strategy<Value = (usize, Vec<(usize, usize)>)> {
        (1usize..12).prop_flat_map(|size| (Just(size), prop::collection::vec((0..size, 0..size), 0..24)))
    }

    proptest! {
        #[test]
        fn order_holds_every_node_once_even_with_cycles((size, links) in any_graph()) {
            let mut order = topological(size, &links);
            order.sort_unstable();
            prop_assert_eq!(order, (0..size).collect::<Vec<_>>());
            prop_assert_eq!(layers(size, &links).len(), size);
        }

        #[test]
        fn without_cycles_each_link_goes_forward((size, links) in any_graph()) {
            let links: Vec<_> = links.into_iter().filter(|(a, b)| a < b).collect();
            let layer = layers(size, &links);
            for (from, to) in links {
                prop_assert!(layer[from] < layer[to]);
            }
        }
    }
}
