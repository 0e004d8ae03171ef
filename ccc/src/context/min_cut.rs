//! The minimum vertex cut that decides which values are stored and which are computed again (design, "CCC"; paper, Section 4.1).
//!
//! Values are vertices; a *step* computes some of them from others. Each needed value must be stored, or a step must be done
//! again whose inputs are stored or computed again in turn. The cheapest choice is a minimum cut of this network:
//!
//! ```text
//! source ──∞──> in(v)               if no step can compute v
//! source ──operations──> step ──∞──> in(v)      doing a step again is paid once, for all that it computes
//! in(v) ──bytes──> out(v)           storing v; ∞ if it cannot be stored
//! out(u) ──∞──> step                for each input u of the step
//! out(v) ──∞──> sink                if v is needed
//! ```
//!
//! A byte weighs more than all operations together, so that bytes decide and operations break ties. The paper's greedy
//! rule, one register from one other, is the case of a network with two values.

use std::cmp::Reverse;

use cranelift_entity::{EntitySet, PrimaryMap, entity_impl};
use petgraph::algo::dinics;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::{Dfs, EdgeRef, VisitMap};

/// Up to how many needed values each is tried before one of them is stored.
const TRIES: usize = 8;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Vertex(u32);
entity_impl!(Vertex, "vertex");

/// A computation of one or more values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Step(u32);
entity_impl!(Step, "step");

/// A value of a context: the cost of storing it, and the computation that gives it instead.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexData {
    /// Bytes that storing it takes; `None` if it cannot be stored.
    pub(crate) bytes: Option<u64>,
    /// The step that computes it; `None` if none can.
    pub(crate) step: Option<Step>,
    /// True if it is needed; such a value can always be stored.
    pub(crate) needed: bool,
}

/// A computation: its cost and the values that it reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct StepData {
    /// The cost of doing it.
    pub(crate) operations: u64,
    /// The vertices that it reads. What everybody knows is no vertex.
    pub(crate) inputs: Vec<Vertex>,
}

/// Values and how they are computed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    pub(crate) vertices: PrimaryMap<Vertex, VertexData>,
    pub(crate) steps: PrimaryMap<Step, StepData>,
}

/// The vertices that are stored and the steps that are done again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Cut {
    /// Vertices that are stored, in ascending order.
    pub(crate) stored: Vec<Vertex>,
    /// Steps that are done again, each behind those whose results it reads.
    pub(crate) steps: Vec<Step>,
    /// Bytes stored.
    pub(crate) bytes: u64,
    /// Operations done again.
    pub(crate) operations: u64,
}

impl Network {
    /// The cheapest cut with at most `limit` operations that greedy refinement finds; without a limit that binds, the cheapest.
    ///
    /// Where the cheapest cut does too much again, needed values are stored instead, those first that save most operations per byte
    /// that they add. The cut never takes more bytes than storing what is needed.
    pub(crate) fn cut(&self, limit: u64) -> Cut {
        let mut network = self.clone();
        let mut cut = network.cheapest();
        while cut.operations > limit {
            let again: Vec<Vertex> = network.needed().filter(|&vertex| !cut.stores(vertex)).collect();
            // With every needed value stored nothing is done again, so that there is one as long as the limit is passed.
            (network, cut) = match again.len() {
                0 => break,
                1..=TRIES => network.best_of(&cut, &again),
                _ => network.with_many(&cut, again, limit),
            };
        }
        cut
    }

    /// Stores the one of some needed values that is worth most.
    fn best_of(&self, cut: &Cut, again: &[Vertex]) -> (Network, Cut) {
        let worth = |result: &Cut| {
            let saved = cut.operations.saturating_sub(result.operations);
            per_byte(saved, result.bytes.saturating_sub(cut.bytes))
        };
        let tries = again.iter().map(|&vertex| self.storing(&[vertex]));
        tries.max_by_key(|(_, result)| worth(result)).unwrap_or_else(|| self.storing(again))
    }

    /// Stores several of many needed values at once, so that large regions do not take long: as many as would be enough if they
    /// shared no operations, the dearest first.
    fn with_many(&self, cut: &Cut, again: Vec<Vertex>, limit: u64) -> (Network, Cut) {
        let stored: EntitySet<Vertex> = entities(cut.stored.iter().copied());
        let mut again: Vec<(Vertex, u64)> =
            again.into_iter().map(|vertex| (vertex, self.used([vertex], &stored).operations)).collect();
        again.sort_by_key(|&(vertex, cost)| Reverse(per_byte(cost, self.vertices[vertex].bytes.unwrap_or(0))));
        let mut saved = 0;
        let enough = again.iter().position(|&(_, cost)| {
            saved += cost;
            cut.operations.saturating_sub(saved) <= limit
        });
        let least = again.len() / TRIES;
        let count = enough.map_or(least, |last| last + 1).max(least);
        let dearest: Vec<Vertex> = again.into_iter().take(count).map(|(vertex, _)| vertex).collect();
        self.storing(&dearest)
    }

    /// The network in which some vertices must be stored, and its cheapest cut.
    fn storing(&self, vertices: &[Vertex]) -> (Network, Cut) {
        let mut network = self.clone();
        vertices.iter().for_each(|&vertex| network.vertices[vertex].step = None);
        let cut = network.cheapest();
        (network, cut)
    }

    /// The cheapest cut.
    fn cheapest(&self) -> Cut {
        let all: u64 = self.steps.values().map(|step| step.operations).sum();
        let byte = all + 1;
        let stores: u64 = self.vertices.values().filter_map(|vertex| vertex.bytes).map(|bytes| bytes * byte).sum();
        let never = all + stores + 1;

        let mut graph: DiGraph<(), u64> = DiGraph::new();
        let (source, sink) = (graph.add_node(()), graph.add_node(()));
        let steps: PrimaryMap<Step, NodeIndex> = self.steps.values().map(|_| graph.add_node(())).collect();
        let ends: PrimaryMap<Vertex, (NodeIndex, NodeIndex)> =
            self.vertices.values().map(|_| (graph.add_node(()), graph.add_node(()))).collect();
        for (step, &node) in self.steps.values().zip(steps.values()) {
            graph.add_edge(source, node, step.operations);
            for &input in &step.inputs {
                graph.add_edge(ends[input].1, node, never);
            }
        }
        for (vertex, &(into, out)) in self.vertices.values().zip(ends.values()) {
            graph.add_edge(into, out, vertex.bytes.map_or(never, |bytes| bytes * byte));
            match vertex.step {
                Some(step) => graph.add_edge(steps[step], into, never),
                None => graph.add_edge(source, into, never),
            };
            if vertex.needed {
                graph.add_edge(out, sink, never);
            }
        }
        let (_, flows) = dinics(&graph, source, sink);
        let near = residual(&graph, source, &flows);
        let is_cut = |into: NodeIndex, out: NodeIndex| near.is_visited(&into) && !near.is_visited(&out);
        let stored = ends.iter().filter(|&(_, &(into, out))| is_cut(into, out)).map(|(vertex, _)| vertex);
        self.used(self.needed(), &entities(stored))
    }

    fn needed(&self) -> impl DoubleEndedIterator<Item = Vertex> + '_ {
        self.vertices.iter().filter(|(_, data)| data.needed).map(|(vertex, _)| vertex)
    }

    /// Returns what some values take, given which are stored: depth first, so that a step comes behind its inputs.
    fn used(
        &self,
        values: impl IntoIterator<Item = Vertex, IntoIter: DoubleEndedIterator>,
        stored: &EntitySet<Vertex>,
    ) -> Cut {
        let mut cut = Cut::default();
        let (mut seen, mut done) = (EntitySet::new(), EntitySet::new());
        // A vertex is looked at twice: before its inputs, and behind them.
        let mut work: Vec<(Vertex, bool)> = values.into_iter().rev().map(|vertex| (vertex, false)).collect();
        while let Some((vertex, behind)) = work.pop() {
            let step = self.vertices[vertex].step.filter(|_| !stored.contains(vertex));
            match step {
                Some(step) if behind => {
                    if done.insert(step) {
                        cut.steps.push(step);
                        cut.operations += self.steps[step].operations;
                    }
                }
                _ if !seen.insert(vertex) => {}
                Some(step) => {
                    work.push((vertex, true));
                    work.extend(self.steps[step].inputs.iter().map(|&input| (input, false)));
                }
                None => {
                    cut.stored.push(vertex);
                    cut.bytes += self.vertices[vertex].bytes.unwrap_or(0);
                }
            }
        }
        cut.stored.sort_unstable();
        cut
    }
}

impl Cut {
    /// Returns true if a vertex is stored.
    pub(crate) fn stores(&self, vertex: Vertex) -> bool {
        self.stored.binary_search(&vertex).is_ok()
    }
}

/// Operations per byte, as a whole number that a comparison can use.
fn per_byte(operations: u64, bytes: u64) -> u64 {
    (operations << 16) / bytes.max(1)
}

/// The nodes that the source reaches over edges with capacity left, and backwards over edges with flow.
fn residual(graph: &DiGraph<(), u64>, source: NodeIndex, flows: &[u64]) -> impl VisitMap<NodeIndex> + use<> {
    let edges = graph.edge_references().zip(flows).flat_map(|(edge, &flow)| {
        let forwards = (flow < *edge.weight()).then_some((edge.source(), edge.target()));
        let backwards = (flow > 0).then_some((edge.target(), edge.source()));
        forwards.into_iter().chain(backwards)
    });
    let mut residual = graph.filter_map(|_, ()| Some(()), |_, _| None::<()>);
    residual.extend_with_edges(edges);
    let mut search = Dfs::new(&residual, source);
    while search.next(&residual).is_some() {}
    search.discovered
}

fn entities(vertices: impl IntoIterator<Item = Vertex>) -> EntitySet<Vertex> {
    let mut set = EntitySet::new();
    set.extend(vertices);
    set
}

#[cfg(test)]
mod tests {
    use cranelift_entity::EntityRef;

    use super::*;

    /// A network in words: `a 8 needed = 2 b c` is the vertex `a` of 8 bytes, needed, computed in 2 operations from `b` and `c`;
    /// bytes `-` cannot be stored.
    fn network(text: &str) -> (Network, Vec<String>) {
        let names: Vec<String> =
            text.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
        let vertex = |name: &str| Vertex::new(names.iter().position(|other| other == name).unwrap());
        let mut network = Network::default();
        for line in text.lines() {
            let (left, right) = line.split_once('=').map_or((line, None), |(left, right)| (left, Some(right)));
            let words: Vec<&str> = left.split_whitespace().collect();
            let step = right.map(|right| {
                let words: Vec<&str> = right.split_whitespace().collect();
                let inputs = words[1..].iter().map(|name| vertex(name)).collect();
                network.steps.push(StepData { operations: words[0].parse().unwrap(), inputs })
            });
            network.vertices.push(VertexData { bytes: words[1].parse().ok(), step, needed: words.contains(&"needed") });
        }
        (network, names)
    }

    /// `stored; done again in this order; operations`, each step by the name of what it computes.
    fn cut(text: &str, limit: u64) -> String {
        let (network, names) = network(text);
        let cut = network.cut(limit);
        let stored: Vec<&str> = cut.stored.iter().map(|&vertex| names[vertex.index()].as_str()).collect();
        let of_step = |step: Step| network.vertices.values().position(|vertex| vertex.step == Some(step)).unwrap();
        let steps: Vec<&str> = cut.steps.iter().map(|&step| names[of_step(step)].as_str()).collect();
        format!("{} bytes {}; {}; {}", cut.bytes, stored.join(" "), steps.join(" "), cut.operations)
    }

    #[test]
    fn one_register_from_another_is_the_papers_rule() {
        assert_eq!(cut("kv 8 needed\nkey 4 needed = 1 kv", 16), "8 bytes kv; key; 1");
    }

    #[test]
    fn addresses_of_one_index_are_computed_again() {
        let text = "index 4\nscaled 8 = 1 index\na 8 needed = 2 scaled\nb 8 needed = 2 scaled";
        assert_eq!(cut(text, 16), "4 bytes index; scaled a b; 5");
    }

    #[test]
    fn a_value_between_is_stored_where_it_is_the_narrowest() {
        let text = "x 4\ny 4\nsum 4 = 1 x y\nwide 8 needed = 2 sum\nother 8 needed = 2 sum";
        assert_eq!(cut(text, 16), "4 bytes sum; wide other; 4");
    }

    #[test]
    fn what_comes_from_known_values_alone_is_not_stored() {
        assert_eq!(cut("a 4 needed = 2", 16), "0 bytes ; a; 2");
    }

    #[test]
    fn of_equal_bytes_the_one_with_fewer_operations_wins() {
        assert_eq!(cut("index 4\nvalue 4 needed = 1 index", 16), "4 bytes value; ; 0");
        assert_eq!(cut("x 4\ny 4 = 1 x\nz 4 = 1 y\nwide 8 needed = 1 z", 16), "4 bytes z; wide; 1");
    }

    #[test]
    fn a_source_that_cannot_be_stored_is_no_source() {
        assert_eq!(cut("gone -\nvalue 8 needed = 1 gone", 16), "8 bytes value; ; 0");
        // Unless it can be computed itself.
        assert_eq!(cut("x 4\ngone - = 1 x\nvalue 8 needed = 1 gone", 16), "4 bytes x; gone value; 2");
    }

    #[test]
    fn a_step_with_two_results_is_paid_once() {
        let (mut network, _) = network("wide 4\nlow 4 needed = 1 wide\nhigh 4 needed");
        network.vertices[Vertex::new(2)].step = Some(Step::new(0));
        let cut = network.cut(1);
        assert_eq!((cut.stored, cut.steps, cut.operations), (vec![Vertex::new(0)], vec![Step::new(0)], 1));
    }

    #[test]
    fn the_limit_keeps_what_saves_most_for_its_operations() {
        let text = "index 4 needed\na 8 needed = 2 index\nb 8 needed = 6 index\nc 8 needed = 3 index";
        assert_eq!(cut(text, 16), "4 bytes index; a b c; 11");
        assert_eq!(cut(text, 10), "12 bytes index b; a c; 5");
        assert_eq!(cut(text, 4), "20 bytes index b c; a; 2");
        assert_eq!(cut(text, 0), "28 bytes index a b c; ; 0");
    }

    #[test]
    fn many_values_keep_within_the_limit() {
        let mut text = "index 4 needed".to_owned();
        for value in 0..100 {
            text += &format!("\nv{value} 4 = 1 index\nw{value} 8 needed = {} v{value}", 1 + value % 3);
        }
        let (network, _) = network(&text);
        let [free, some, none] = [1000, 20, 0].map(|limit| network.cut(limit));
        assert_eq!((free.bytes, free.operations), (4, 299));
        assert_eq!((none.bytes, none.operations), (804, 0));
        // Values of two operations are kept, so that ten of the hundred are computed again.
        assert_eq!((some.bytes, some.operations), (724, 20));
    }

    /// Random networks: the cut is as cheap as the best of all choices, tried one by one, and never dearer than storing what is needed.
    #[test]
    fn no_choice_is_cheaper() {
        let mut state = 1u64;
        let mut below = |bound: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % bound
        };
        for _ in 0..300 {
            let mut network = Network::default();
            for index in 0..8 {
                let inputs = (0..index).filter(|_| below(3) == 0).map(Vertex::new).collect();
                let step = (below(4) > 0).then(|| network.steps.push(StepData { operations: 1 + below(4), inputs }));
                let needed = below(3) == 0;
                let bytes = (needed || below(5) > 0).then(|| 1 << below(4));
                network.vertices.push(VertexData { bytes, step, needed });
            }
            let cut = network.cheapest();
            let all: u64 = network.vertices.values().filter(|v| v.needed).filter_map(|v| v.bytes).sum();
            assert!(cut.bytes <= all && network.cut(3).operations <= 3 && network.cut(3).bytes <= all);
            let choices = (0..1u32 << 8).filter_map(|choice| {
                let stored = entities(network.vertices.keys().filter(|vertex| choice >> vertex.index() & 1 == 1));
                let other = network.used(network.needed(), &stored);
                let possible = other
                    .stored
                    .iter()
                    .all(|&vertex| stored.contains(vertex) && network.vertices[vertex].bytes.is_some());
                possible.then_some((other.bytes, other.operations))
            });
            assert_eq!(Some((cut.bytes, cut.operations)), choices.min(), "{network:?}");
        }
    }
}
