//! Reachability between the nodes of a graph, without a set for each node.
//!
//! Components are numbered so that each leads to itself and to lower numbers only. The components that one leads to are kept as ranges of
//! these numbers (tree cover: Agrawal, Borgida and Jagadish, SIGMOD 1989). In a control-flow graph, most blocks that follow a block are
//! next to it in that order. So there are few ranges, while sets would be quadratic in the size of the graph.

use std::ops::Range;

use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, entity_impl};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// Names a strongly connected component of a graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Component(u32);
entity_impl!(Component, "component");

/// Reachability in a graph whose nodes are numbered from 0.
pub(crate) struct Reach<N: EntityRef> {
    graph: DiGraph<(), ()>,
    /// The component of each node.
    component: PrimaryMap<N, Component>,
    /// The nodes of each component.
    members: PrimaryMap<Component, Vec<NodeIndex>>,
    /// The components that each leads to, itself included: disjoint ranges in ascending order.
    ranges: PrimaryMap<Component, Vec<Range<Component>>>,
}

impl<N: EntityRef> Reach<N> {
    /// Computes it for a graph of so many nodes.
    pub(crate) fn of(nodes: usize, edges: impl Iterator<Item = (N, N)>) -> Reach<N> {
        let mut graph = DiGraph::with_capacity(nodes, edges.size_hint().0);
        (0..nodes).for_each(|_| _ = graph.add_node(()));
        edges.for_each(|(from, to)| _ = graph.add_edge(NodeIndex::new(from.index()), NodeIndex::new(to.index()), ()));
        let (members, component) = components(&graph);
        let mut ranges: PrimaryMap<Component, Vec<Range<Component>>> = PrimaryMap::with_capacity(members.len());
        for (number, members) in &members {
            let mut next: Vec<Component> = next(&graph, &component, members).filter(|&next| next != number).collect();
            next.sort_unstable();
            next.dedup();
            let all = next.iter().flat_map(|&next| ranges[next].iter().cloned()).collect();
            ranges.push(joined(all, number));
        }
        Reach { graph, component, members, ranges }
    }

    /// Returns true if one node leads to another one, or is it.
    pub(crate) fn leads(&self, from: N, to: N) -> bool {
        let (ranges, to) = (&self.ranges[self.component[from]], self.component[to]);
        let behind = ranges.partition_point(|range| range.end <= to);
        ranges.get(behind).is_some_and(|range| range.contains(&to))
    }

    /// The component of a node. Nodes that lead to each other have the same one.
    pub(crate) fn component(&self, node: N) -> Component {
        self.component[node]
    }

    /// The components that a node leads to, its own included.
    pub(crate) fn ranges(&self, node: N) -> &[Range<Component>] {
        &self.ranges[self.component[node]]
    }

    /// Joins something of the nodes over all that each component leads to, its own nodes included.
    pub(crate) fn fold<T: Copy>(
        &self,
        start: T,
        of: impl Fn(N) -> T,
        join: impl Fn(T, T) -> T,
    ) -> PrimaryMap<Component, T> {
        let mut folded: PrimaryMap<Component, T> = PrimaryMap::with_capacity(self.members.len());
        for (number, members) in &self.members {
            let own = members.iter().fold(start, |folded, member| join(folded, of(N::new(member.index()))));
            let others = next(&self.graph, &self.component, members).filter(|&next| next != number);
            folded.push(others.fold(own, |all, next| join(all, folded[next])));
        }
        folded
    }
}

/// The components of a graph and that of each node, in the postorder of a depth-first walk: so what one leads to is next to it.
fn components<N: EntityRef>(
    graph: &DiGraph<(), ()>,
) -> (PrimaryMap<Component, Vec<NodeIndex>>, PrimaryMap<N, Component>) {
    let mut found: PrimaryMap<Component, Vec<NodeIndex>> = kosaraju_scc(graph).into();
    let found_in: PrimaryMap<N, Component> = numbers(graph, &found);
    let (mut seen, mut order) = (EntitySet::with_capacity(found.len()), Vec::with_capacity(found.len()));
    let mut stack: Vec<(Component, bool)> = Vec::new();
    for &root in found_in.values() {
        stack.push((root, false));
        while let Some((number, done)) = stack.pop() {
            if done {
                order.push(number);
            } else if seen.insert(number) {
                stack.push((number, true));
                let next = next(graph, &found_in, &found[number]);
                stack.extend(next.filter(|&next| !seen.contains(next)).map(|next| (next, false)));
            }
        }
    }
    let members = order.iter().map(|&number| std::mem::take(&mut found[number])).collect();
    let component = numbers(graph, &members);
    (members, component)
}

/// The component of each node.
fn numbers<N: EntityRef>(
    graph: &DiGraph<(), ()>,
    members: &PrimaryMap<Component, Vec<NodeIndex>>,
) -> PrimaryMap<N, Component> {
    // Overwritten for each node.
    let mut numbers: PrimaryMap<N, Component> = vec![Component::new(0); graph.node_count()].into();
    for (number, members) in members {
        members.iter().for_each(|member| numbers[N::new(member.index())] = number);
    }
    numbers
}

/// The components that edges lead to from some nodes.
fn next<'a, N: EntityRef>(
    graph: &'a DiGraph<(), ()>,
    component: &'a PrimaryMap<N, Component>,
    members: &'a [NodeIndex],
) -> impl Iterator<Item = Component> + 'a {
    members.iter().flat_map(move |&member| graph.neighbors(member).map(|next| component[N::new(next.index())]))
}

/// Some ranges and a number behind all of them, as disjoint ranges.
fn joined(mut ranges: Vec<Range<Component>>, number: Component) -> Vec<Range<Component>> {
    ranges.push(number..Component::new(number.index() + 1));
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<Component>> = Vec::new();
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
    use analysis::Block;

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
            let reach = Reach::of(nodes, edges.iter().map(|&(from, to)| (Block::new(from), Block::new(to))));
            let least = reach.fold(usize::MAX, Block::index, usize::min);
            for from in 0..nodes {
                let expected = walked(nodes, &edges, from);
                let found: Vec<bool> = (0..nodes).map(|to| reach.leads(Block::new(from), Block::new(to))).collect();
                assert_eq!(found, expected, "{from} in {edges:?}");
                let first = expected.iter().position(|&reached| reached);
                assert_eq!(Some(least[reach.component(Block::new(from))]), first, "{from} in {edges:?}");
            }
        }
    }

    #[test]
    fn what_follows_in_a_row_is_one_range() {
        let reach = Reach::of(1000, (0..999).map(|node| (Block::new(node), Block::new(node + 1))));
        assert!((0..1000).all(|node| reach.ranges(Block::new(node)).len() == 1));
    }
}
