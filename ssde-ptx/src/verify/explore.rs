//! The simulation relation, by exploration: pairs of a point of the input and one of the output, with what the added registers hold there.
//!
//! Both begin at the start. At a pair both stand before an instruction that is not silent. It must be the same (R3 of the correctness report:
//! `I' = I`), so that memory and the registers of the input stay the same (R1, R2), and each way on, followed through silent code, must
//! lead to a pair again (R4). There are finitely many pairs; where all of them are found without a mismatch, they are the relation, and since
//! silent ways end, each step of the one is finitely many steps of the other, in both directions.
//!
//! Where the input stands before a guarded instruction, the output may be before a branch that leads past the same one where the guard does not hold: then the input
//! passes by too. Where it holds, the input stays, and the output comes to the instruction by silent code, which changes no guard of the input.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::added_registers::{Added, State};
use super::code::{Code, Next, Point, Way};
use super::instruction_equality::{Both, Names};
use super::mismatch::{Decision, Mismatch, Part, Reason};
use super::silent_steps::{self, Stop, Visitor};

/// The most decisions on the path to a mismatch that are reported.
const TOLD: usize = 8;

/// Names a [`Node`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);
entity_impl!(NodeId, "pair");

/// Names a [`State`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct StateId(u32);
entity_impl!(StateId, "state");

/// A pair of the relation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) before: Point,
    pub(super) after: Point,
    /// The state that is known there.
    state: StateId,
    /// The pair from which it was found, none for the start, and by which way.
    parent: PackedOption<NodeId>,
    way: u32,
}

/// A step of both from a pair, or from the start: where each goes on, before it follows silent code.
pub(super) struct Transition {
    /// The pair; none for the start.
    pub(super) from: Option<Node>,
    pub(super) before: Next,
    pub(super) after: Next,
    /// The state that is known when it begins.
    pub(super) state: State,
}

/// The relation, as far as it was explored.
pub(super) struct Relation<'k> {
    pub(super) before: Code<'k>,
    pub(super) after: Code<'k>,
    pub(super) added: Added,
    pub(super) nodes: PrimaryMap<NodeId, Node>,
    seen: FxHashSet<(Point, Point, StateId)>,
    states: PrimaryMap<StateId, State>,
    ids: FxHashMap<State, StateId>,
    /// The pairs of points whose instructions were compared.
    compared: FxHashSet<(Point, Point)>,
    names: Names,
}

/// The last point of a way.
#[derive(Clone)]
struct Last(Point);

impl Visitor for Last {
    fn pass(&mut self, point: Point, _: &State) {
        self.0 = point;
    }
}

impl<'k> Relation<'k> {
    pub(super) fn of(before: Code<'k>, after: Code<'k>) -> Result<Relation<'k>, Mismatch> {
        let added = Added::of(&before, &after);
        let mut relation = Relation {
            before,
            after,
            added,
            nodes: PrimaryMap::new(),
            seen: FxHashSet::default(),
            states: PrimaryMap::new(),
            ids: FxHashMap::default(),
            compared: FxHashSet::default(),
            names: Names::default(),
        };
        relation.follow(relation.start(), None, 0)?;
        // Breadth first, so that the path to a mismatch is a shortest one.
        let mut next = NodeId(0);
        while let Some(&node) = relation.nodes.get(next) {
            for (way, transition) in relation.compare(node)?.into_iter().enumerate() {
                relation.follow(transition, Some(next), way as u32)?;
            }
            next = NodeId(next.0 + 1);
        }
        Ok(relation)
    }

    fn start(&self) -> Transition {
        Transition {
            from: None,
            before: Next::To(Point::START),
            after: Next::To(Point::START),
            state: State::default(),
        }
    }

    /// All steps of the relation.
    pub(super) fn transitions(&self) -> impl Iterator<Item = Transition> {
        let steps = |&node: &Node| self.steps(node).unwrap_or_default();
        std::iter::once(self.start()).chain(self.nodes.values().flat_map(steps))
    }

    /// Returns how many instructions of the input were compared.
    pub(super) fn instructions(&self) -> usize {
        let points: FxHashSet<Point> = self.compared.iter().map(|&(before, _)| before).collect();
        points.len()
    }

    /// Compares the instructions of a pair; gives its steps.
    fn compare(&mut self, node: Node) -> Result<SmallVec<[Transition; 2]>, Mismatch> {
        let Node { before, after, .. } = node;
        let both = Both { before: &self.before, after: &self.after };
        let compared = match self.compared.insert((before, after)) {
            true if self.passes_by(before, after) => self.names.compare_guards(both, before, after, false),
            true => self.names.compare(both, before, after),
            false => Ok(()),
        };
        let compared = compared.map_err(Reason::Differs);
        let steps = compared.and_then(|()| self.steps(node));
        steps.map_err(|reason| self.mismatch(reason, (before, after), (node.parent.expand(), node.way)))
    }

    /// Returns true if the output, by a branch, may pass by an instruction that the input executes under a guard. That the guards are opposite ones is for
    /// [`Names`] to say.
    fn passes_by(&self, before: Point, after: Point) -> bool {
        self.before.way(before) == Way::On
            && matches!(self.after.way(after), Way::Jump(_))
            && self.before.guard(before).is_some()
            && self.after.guard(after).is_some()
    }

    /// Checks a pair at which the output may jump over the instruction. If it does not jump, it must reach an instruction. It must not
    /// reach a branch before which the input would stay once more.
    fn comes_to_instruction(&self, Node { after, state, .. }: Node) -> Result<(), Reason> {
        let (state, mut comes) = (self.states[state].clone(), true);
        let from = (Next::To(after.next()), state);
        let walked = silent_steps::output(&self.after, &self.added, from, Last(after), |stop, _, _| {
            comes &= match stop {
                Stop::At(point) => self.after.way(point) == Way::On,
                Stop::Joined => true,
                Stop::End(_) | Stop::Never => false,
            };
        });
        walked.map_err(|(reason, _)| reason)?;
        if comes { Ok(()) } else { Err(Reason::Differs(Part::Guard)) }
    }

    /// The steps from a pair: taken with taken, falling through with falling through.
    fn steps(&self, node: Node) -> Result<SmallVec<[Transition; 2]>, Reason> {
        let Node { before, after, state, .. } = node;
        let mut nexts: SmallVec<[(Next, Next); 2]> = SmallVec::new();
        let on = (Next::To(before.next()), Next::To(after.next()));
        match (self.before.way(before), self.after.way(after)) {
            (Way::On, Way::Jump(behind)) if self.passes_by(before, after) => {
                self.comes_to_instruction(node)?;
                nexts.extend([(on.0, behind), (Next::To(before), on.1)]);
            }
            (Way::On, Way::On) => nexts.push(on),
            (Way::Jump(one), Way::Jump(other)) => nexts.push((one, other)),
            (Way::Table(ones), Way::Table(others)) if ones.len() == others.len() => {
                nexts.extend(ones.iter().zip(&others).map(|(&one, &other)| (Next::To(one), Next::To(other))));
            }
            (Way::Table(_), Way::Table(_)) => return Err(Reason::Differs(Part::Count)),
            (Way::Abort, Way::Abort) => {}
            (Way::Anywhere, _) | (_, Way::Anywhere) => return Err(Reason::Target),
            _ => return Err(Reason::Differs(Part::Kind)),
        }
        if self.before.guard(before).is_some() && self.before.way(before) != Way::On {
            nexts.push(on);
        }
        let state = &self.states[state];
        let step = |(before, after)| Transition { from: Some(node), before, after, state: state.clone() };
        Ok(nexts.into_iter().map(step).collect())
    }

    /// Follows silent code on both sides, to a pair: to several if lanes draw which way to go.
    fn follow(&mut self, transition: Transition, parent: Option<NodeId>, way: u32) -> Result<(), Mismatch> {
        let Transition { before, after, state, .. } = transition;
        // Where a thread ends, its last instruction is what a mismatch is about.
        let (mut last, others) = (self.before.end(), Last(self.after.end()));
        let one = silent_steps::input(&self.before, before, |point| last = point);
        let mut ends: SmallVec<[(Stop, State, Last); 1]> = SmallVec::new();
        let walked = silent_steps::output(&self.after, &self.added, (after, state), others, |stop, state, last| {
            ends.push((stop, state, last));
        });
        walked.map_err(|(reason, point)| self.mismatch(reason, (last, point), (parent, way)))?;
        for (other, mut state, Last(others)) in ends {
            let mismatch = |reason| Err(self.mismatch(reason, (last, others), (parent, way)));
            match (one, other) {
                (Stop::At(before), Stop::At(after)) => {
                    self.added.forget(after, &mut state);
                    let state = self.id(state);
                    if self.seen.insert((before, after, state)) {
                        self.nodes.push(Node { before, after, state, parent: parent.into(), way });
                    }
                }
                (_, Stop::Joined) => {}
                (one, other) if one == other => {}
                (_, Stop::Never) => return mismatch(Reason::Cycle),
                _ => return mismatch(Reason::Differs(Part::Kind)),
            }
        }
        Ok(())
    }

    fn id(&mut self, state: State) -> StateId {
        *self.ids.entry(state).or_insert_with_key(|state| self.states.push(state.clone()))
    }

    /// A mismatch at two points, found behind a node by a way.
    fn mismatch(&self, reason: Reason, at: (Point, Point), behind: (Option<NodeId>, u32)) -> Mismatch {
        let (mut path, (mut node, mut way)) = (Vec::new(), behind);
        while let Some(from) = node.filter(|_| path.len() < TOLD) {
            let pair = self.nodes[from];
            path.extend(self.decision(pair, way));
            (node, way) = (pair.parent.expand(), pair.way);
        }
        path.reverse();
        let (before, after) = (Some(self.before.shown(at.0)), Some(self.after.shown(at.1)));
        Mismatch { reason, before, after, path: path.into() }
    }

    /// The way that was taken at a pair, if there are several.
    fn decision(&self, node: Node, way: u32) -> Option<Decision> {
        let ways = self.steps(node).map_or(0, |steps| steps.len());
        (ways > 1).then(|| Decision { at: self.before.shown(node.before), way: way as usize, ways })
    }
}
