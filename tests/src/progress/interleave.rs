//! All interleavings of the lanes of a program, each at its own pace.
//!
//! A state is the place and the registers of each lane, and the words. Between two accesses to words a lane is alone, so that it is
//! executed up to the next one at once.

use indexmap::IndexSet;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxBuildHasher;

use super::code::{Code, Next};

/// More states than this are not searched.
const MOST_STATES: usize = 100_000;

/// Steps in registers alone after which a lane is taken to go round for ever.
const MOST_SILENT: usize = 10_000;

/// Under which schedulers a program ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Ends {
    /// Whoever runs when.
    Always,
    /// If each lane that has not ended runs again and again (weak fairness).
    WhereFair,
    /// If from every state some order of lanes ends, and the scheduler takes each order that is possible again and again: a random one ends
    /// with probability 1.
    WhereRandom,
    /// Not even then.
    Never,
}

/// The places of lanes, their registers, lane by lane, and the words.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    places: Vec<usize>,
    registers: Vec<u32>,
    words: Vec<u32>,
}

impl State {
    /// The place, the registers and the words that a lane works on.
    fn of_lane(&mut self, code: &Code, lane: usize) -> (&mut usize, &mut [u32], &mut [u32]) {
        let first = lane * code.registers();
        (&mut self.places[lane], &mut self.registers[first..first + code.registers()], &mut self.words)
    }

    /// Executes the access that a lane is at.
    fn access(&mut self, code: &Code, lane: usize) {
        let (at, registers, words) = self.of_lane(code, lane);
        *at = code.step(*at, lane, registers, words);
    }

    /// Executes a lane up to its next access to a word, or its end; `false` if it never comes to one.
    fn settle(&mut self, code: &Code, lane: usize) -> bool {
        let (at, registers, words) = self.of_lane(code, lane);
        for _ in 0..MOST_SILENT {
            match code.next(*at) {
                Next::Silent | Next::Branch => *at = code.step(*at, lane, registers, words),
                Next::Access => {
                    code.forget(*at, registers);
                    return true;
                }
                Next::End => {
                    *at = code.end();
                    code.forget(*at, registers);
                    return true;
                }
            }
        }
        false
    }
}

/// Searches all interleavings from what the words are at first; `None` if there are too many states, or a lane goes round without an access.
#[must_use]
pub fn ends(code: &Code, lanes: usize, words: &[u32]) -> Option<Ends> {
    let registers = vec![0; code.registers() * lanes];
    let mut start = State { places: vec![0; lanes], registers, words: words.to_vec() };
    for lane in 0..lanes {
        start.settle(code, lane).then_some(())?;
    }
    // The number of a state is that of its node.
    let mut graph: DiGraph<(), usize> = DiGraph::new();
    let mut states: IndexSet<State, FxBuildHasher> = IndexSet::default();
    states.insert(start);
    let mut from = graph.add_node(());
    while let Some(state) = states.get_index(from.index()).cloned() {
        for lane in (0..lanes).filter(|&lane| state.places[lane] != code.end()) {
            let mut after = state.clone();
            after.access(code, lane);
            after.settle(code, lane).then_some(())?;
            let (number, is_new) = states.insert_full(after);
            let to = if is_new { graph.add_node(()) } else { NodeIndex::new(number) };
            graph.add_edge(from, to, lane);
        }
        from = NodeIndex::new(from.index() + 1);
        if states.len() > MOST_STATES {
            return None;
        }
    }
    Some(judge(&graph, &states, code.end()))
}

/// Looks at the cycles of the graph of states, whose edges are labelled with lanes.
fn judge(graph: &DiGraph<(), usize>, states: &IndexSet<State, FxBuildHasher>, end: usize) -> Ends {
    let mut part = vec![0; states.len()];
    let parts = kosaraju_scc(graph);
    for (number, members) in parts.iter().enumerate() {
        members.iter().for_each(|member| part[member.index()] = number);
    }
    // A component with a cycle, and the lanes that run within it.
    let (mut cyclic, mut fair, mut closed) = (false, false, false);
    for (number, members) in parts.iter().enumerate() {
        let edges = || members.iter().flat_map(|&member| graph.edges(member));
        let inside = |target: NodeIndex| part[target.index()] == number;
        use petgraph::visit::EdgeRef;
        let running: u32 =
            edges().filter(|edge| inside(edge.target())).fold(0, |lanes, edge| lanes | 1 << edge.weight());
        let state = &states[members[0].index()];
        let live = state.places.iter().enumerate().filter(|(_, at)| **at != end);
        let live: u32 = live.fold(0, |lanes, (lane, _)| lanes | 1 << lane);
        cyclic |= running != 0;
        // Lanes that have ended stay so within a component.
        fair |= running != 0 && running & live == live;
        closed |= live != 0 && edges().all(|edge| inside(edge.target()));
    }
    match (cyclic, fair, closed) {
        (false, ..) => Ends::Always,
        (_, false, _) => Ends::WhereFair,
        (_, _, false) => Ends::WhereRandom,
        _ => Ends::Never,
    }
}
