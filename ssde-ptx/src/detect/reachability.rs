//! Reachability between the nodes of a graph, without a set for each node.
//!
//! Components are numbered so that each leads to itself and to lower numbers only. The components that one leads to are kept as ranges of
//! these numbers (tree cover: Agrawal, Borgida and Jagadish, SIGMOD 1989). In a control-flow graph, most blocks that follow a block are
//! next to it in that order. So there are few ranges, while sets would be quadratic in the size of the graph.

use std::ops::Range;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Reachability in a graph whose nodes are numbered from 0.
pub(crate) struct Reach {
    graph: DiGraph<(), ()>,
    /// The component of each node.
    component: Vec<usize>,
    /// The nodes of each component.
    members: Vec<Vec<NodeIndex>>,
    /// The components that each leads to, itself included: disjoint ranges in ascending order.
    ranges: Vec<Vec<Range<usize>>>,
}

impl Reach {
    /// Computes it for a graph of so many nodes.
    pub(crate) fn of(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Reach {
        let mut graph = DiGraph::with_capacity(nodes, edges.size_hint().0);
        (0..nodes).for_each(|_| _ = graph.add_node(()));
        edges.for_each(|(from, to)| _ = graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ()));
        let (members, component) = components(&graph);
        let mut ranges: Vec<Vec<Range<usize>>> = Vec::with_capacity(members.len());
        for (number, members) in members.iter().enumerate() {
            let mut next: Vec<usize> = next(&graph, &component, members).filter(|&next| next != number).collect();
            next.sort_unstable();
            next.dedup();
            let all = next.iter().flat_map(|&next| ranges[next].iter().cloned()).collect();
            ranges.push(joined(all, number));
        }
        Reach { graph, component, members, ranges }
    }

    /// Returns true if one node leads to another one, or is it.
    pub(crate) fn leads(&self, from: usize, to: usize) -> bool {
        let (ranges, to) = (&self.ranges[self.component[from]], self.component[to]);
        let behind = ranges.partition_point(|range| range.end <= to);
        ranges.get(behind).is_some_and(|range| range.contains(&to))
    }

    /// The component of a node. Nodes that lead to each other have the same one.
    pub(crate) fn component(&self, node: usize) -> usize {
        self.component[node]
    }

    /// The components that a node leads to, its own included.
    pub(crate) fn ranges(&self, node: usize) -> &[Range<usize>] {
        &self.ranges[self.component[node]]
    }

    /// Joins something of the nodes over all that each component leads to, its own nodes included.
    pub(crate) fn fold<T: Copy>(&self, start: T, of: impl Fn(usize) -> T, join: impl Fn(T, T) -> T) -> Vec<T> {
        let mut folded: Vec<T> = Vec::with_capacity(self.members.len());
        for (number, members) in self.members.iter().enumerate() {
            let own = members.iter().fold(start, |folded, member| join(folded, of(member.index())));
            let others = next(&self.graph, &self.component, members).filter(|&next| next != number);
            folded.push(others.fold(own, |all, next| join(all, folded[next])));
        }
        folded
    }
}

/// The components of a graph and that of each node, in the postorder of a depth-first walk: so what one leads to is next to it.
fn components(graph: &DiGraph<(), ()>) -> (Vec<Vec<NodeIndex>>, Vec<usize>) {
    let mut found = kosaraju_scc(graph);
    let mut found_in = vec![0; graph.node_count()];
    for (number, members) in found.iter().enumerate() {
        members.iter().for_each(|member| found_in[member.index()] = number);
    }
    let (mut seen, mut order) = (vec![false; found.len()], Vec::with_capacity(found.len()));
    let mut stack: Vec<(usize, bool)> = Vec::new();
    for &root in &found_in {
        stack.push((root, false));
        while let Some((number, done)) = stack.pop() {
            if done {
                order.push(number);
            } else if !std::mem::replace(&mut seen[number], true) {
                stack.push((number, true));
                stack.extend(
                    next(graph, &found_in, &found[number]).filter(|&next| !seen[next]).map(|next| (next, false)),
                );
            }
        }
    }
    let members: Vec<Vec<NodeIndex>> = order.iter().map(|&number| std::mem::take(&mut found[number])).collect();
    let mut component = vec![0; graph.node_count()];
    for (number, members) in members.iter().enumerate() {
        members.iter().for_each(|member| component[member.index()] = number);
    }
    (members, component)
}

/// The components that edges lead to from some nodes.
fn next<'a>(
    graph: &'a DiGraph<(), ()>,
    component: &'a [usize],
    members: &'a [NodeIndex],
) -> impl Iterator<Item = usize> + 'a {
    members.iter().flat_map(move |&member| graph.neighbors(member).map(|next| component[next.index()]))
}

/// Some ranges and a number behind all of them, as disjoint ranges.
fn joined(mut ranges: Vec<Range<usize>>, number: usize) -> Vec<Range<usize>> {
    ranges.push(number..number + 1);
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined.shrink_to_fit();
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a node leads to, by a walk.
    fn walked(nodes: usize, edges: &[(usize, usize)], from: usize) -> Vec<bool> {
        let mut seen = vec![false; nodes];
        let mut work = vec![from];
        while let Some(node) = work.pop() {
            if !std::mem::replace(&mut seen[node], true) {
                work.extend(edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1));
            }
        }
        seen
    }

    #[test]
    fn ranges_say_what_a_walk_does() {
        // A generator of its own, so that graphs are the same in every run.
        let mut state = 1u64;
        let mut below = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for nodes in 1..40 {
            let count = below(2 * nodes);
            let edges: Vec<(usize, usize)> = (0..count).map(|_| (below(nodes), below(nodes))).collect();
            let reach = Reach::of(nodes, edges.iter().copied());
            let least = reach.fold(usize::MAX, |node| node, usize::min);
            for from in 0..nodes {
                let expected = walked(nodes, &edges, from);
                let found: Vec<bool> = (0..nodes).map(|to| reach.leads(from, to)).collect();
                assert_eq!(found, expected, "{from} in {edges:?}");
                let first = expected.iter().position(|&reached| reached);
                assert_eq!(Some(least[reach.component(from)]), first, "{from} in {edges:?}");
            }
        }
    }

    #[test]
    fn what_follows_in_a_row_is_one_range() {
        let reach = Reach::of(1000, (0..999).map(|node| (node, node + 1)));
        assert!((0..1000).all(|node| reach.ranges(node).len() == 1));
    }
}
