//! All interleavings of the lanes of a program, each at its own pace.
//!
//! A state is the place and the registers of each lane, and the words. Between two accesses to words a lane is alone, so that it is
//! executed up to the next one at once.

use std::collections::HashMap;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

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

/// The places and registers of lanes, and the words.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    lanes: Vec<(usize, Vec<u32>)>,
    words: Vec<u32>,
}

impl State {
    /// Executes a lane up to its next access to a word, or its end; `false` if it never comes to one.
    fn settle(&mut self, code: &Code, lane: usize) -> bool {
        let (at, registers) = &mut self.lanes[lane];
        for _ in 0..MOST_SILENT {
            match code.next(*at) {
                Next::Silent | Next::Branch => *at = code.step(*at, lane, registers, &mut self.words),
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
    let mut start = State { lanes: vec![(0, vec![0; code.registers()]); lanes], words: words.to_vec() };
    for lane in 0..lanes {
        start.settle(code, lane).then_some(())?;
    }
    let mut graph: DiGraph<(), usize> = DiGraph::new();
    let mut numbers = HashMap::from([(start.clone(), graph.add_node(()))]);
    let mut states = vec![start];
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        for lane in (0..lanes).filter(|&lane| state.lanes[lane].0 != code.end()) {
            let mut after = state.clone();
            let (at, registers) = &mut after.lanes[lane];
            *at = code.step(*at, lane, registers, &mut after.words);
            after.settle(code, lane).then_some(())?;
            let number = *numbers.entry(after).or_insert_with_key(|after| {
                states.push(after.clone());
                graph.add_node(())
            });
            graph.add_edge(NodeIndex::new(next), number, lane);
        }
        next += 1;
        if states.len() > MOST_STATES {
            return None;
        }
    }
    Some(judge(&graph, &states, code.end()))
}

/// Looks at the cycles of the graph of states, whose edges are labelled with lanes.
fn judge(graph: &DiGraph<(), usize>, states: &[State], end: usize) -> Ends {
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
        let live = state.lanes.iter().enumerate().filter(|(_, lane)| lane.0 != end);
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
