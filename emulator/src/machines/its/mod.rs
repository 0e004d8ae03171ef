//! Independent thread scheduling: a program counter per thread, fair, reconverging where it can (Volta and later).
//!
//! Lanes that part and are to meet again form a tree (`divergence_tree.rs`): the parent node stands for the place where they meet,
//! its children for the groups on their way. A group that arrives waits in the parent, as at a convergence barrier;
//! when all have arrived, the parent goes on as one group. Unlike a stack, the tree never makes progress depend on
//! that:
//!
//! - ready groups take turns, so that none waits for ever behind another that loops;
//! - lanes that have arrived and waited for a whole round of turns go on without the rest;
//! - lanes that have arrived go on at once if nobody else can run.
//!
//! **Fairness**: a lane that can run, or has arrived, runs after finitely many turns of its warp.
//!
//! 1. Groups are stamped when they are chosen. Parts of a group keep its stamp, groups that become one keep the latest,
//!    and lanes that go on from a meeting get a new one: a stamp grows with every lane that runs, and stays for those
//!    that do not.
//! 2. Every [`PATIENCE`] turns there is a *rotation*: the ready group with the oldest stamp runs next, for a whole turn
//!    unless it waits; who is released from a barrier meanwhile does not take its place. So a ready group has at most
//!    31 before it.
//! 3. A meeting is stamped with the rotation in which the first of the lanes arrived that wait there. Once more
//!    rotations have passed than there are ready groups, the oldest such meeting lets its lanes go; there are at most
//!    31 of them.

mod divergence_tree;

use cranelift_entity::PrimaryMap;
use smallvec::SmallVec;

use super::{Group, Groups, Machine, Setup, State};
use crate::program::code::{BlockId, NO_BLOCK};

use divergence_tree::{Kind, Node, NodeId, ROOT};

/// The number of a warp's turns after which another group of the warp gets its chance. The loops of ordinary kernels
/// end within it, so that their lanes reconverge as on hardware. It is bounded, so that a spinning group does not run
/// for ever.
const PATIENCE: u32 = 32;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Its {
    nodes: PrimaryMap<NodeId, Node>,
    current: NodeId,
    live: u32,
    /// Turns since the last rotation.
    turns: u32,
    rotations: u64,
    choices: u64,
    /// The group that runs was chosen by a rotation and has not had its turn.
    due: bool,
    /// Turns from one rotation to the next.
    patience: u32,
}

impl Its {
    fn empty() -> Its {
        let patience = PATIENCE;
        Its {
            nodes: PrimaryMap::new(),
            current: ROOT,
            live: 0,
            turns: 0,
            rotations: 0,
            choices: 0,
            due: false,
            patience,
        }
    }

    /// A warp in the state of another machine, in which it stood still: every group is on its own. Each turn of the warp is another group's:
    /// the only question is whether one of them gets on.
    pub(crate) fn adopt(groups: &[Group]) -> Its {
        let mut its = Its { patience: 1, ..Its::empty() };
        for group in groups {
            let kind = if group.state == State::Waiting { Kind::Waiting } else { Kind::Ready };
            let (pc, lanes) = (group.pc, group.lanes);
            its.add(Node { kind, parent: ROOT, pc, meet: NO_BLOCK, lanes, arrived: 0, last: 0 });
            its.live |= lanes;
        }
        its.choose(None);
        its
    }

    /// Chooses the group that runs next: `preferred`, else whoever was chosen longest ago, else lanes that have arrived
    /// somewhere.
    fn choose(&mut self, preferred: Option<NodeId>) {
        let ready = self.nodes.iter().filter(|(_, node)| node.kind == Kind::Ready);
        let chosen = match preferred.filter(|&id| self.ready(id)) {
            Some(id) => Some(id),
            None => ready.min_by_key(|(_, node)| node.last).map(|(id, _)| id),
        };
        self.current = match chosen.or_else(|| self.oldest_meeting().map(|id| self.release(id))) {
            Some(id) => {
                self.choices += 1;
                self.nodes[id].last = self.choices;
                id
            }
            None => ROOT,
        };
    }

    /// The meeting whose arrived lanes have waited longest.
    fn oldest_meeting(&self) -> Option<NodeId> {
        let meetings = self.nodes.iter().filter(|(_, node)| node.kind == Kind::Meeting && node.arrived != 0);
        meetings.min_by_key(|(_, node)| node.last).map(|(id, _)| id)
    }

    /// Lets the lanes that have arrived at a meeting go on without the rest.
    fn release(&mut self, id: NodeId) -> NodeId {
        let meeting = self.nodes[id];
        self.nodes[id].lanes &= !meeting.arrived;
        self.nodes[id].arrived = 0;
        let last = self.choices;
        self.add(Node { kind: Kind::Ready, lanes: meeting.arrived, arrived: 0, last, ..meeting })
    }
}

impl Machine for Its {
    const WAITS: bool = true;

    fn new(_: &Setup) -> Its {
        Its::empty()
    }

    fn start(&mut self, entry: BlockId, lanes: u32, _: u64) {
        self.nodes.clear();
        self.live = lanes;
        (self.turns, self.rotations, self.choices, self.due) = (0, 0, 0, false);
        let node = Node { kind: Kind::Ready, parent: ROOT, pc: entry, meet: NO_BLOCK, lanes, arrived: 0, last: 0 };
        self.current = self.add(node);
    }

    #[inline(always)]
    fn current(&self) -> Option<(BlockId, u32)> {
        self.nodes.get(self.current).filter(|node| node.kind == Kind::Ready).map(|node| (node.pc, node.lanes))
    }

    fn live(&self) -> u32 {
        self.live
    }

    #[inline(always)]
    fn goto(&mut self, pc: BlockId) {
        let current = self.current;
        let node = &mut self.nodes[current];
        node.pc = pc;
        if pc == node.meet {
            let next = self.arrive(current);
            self.choose(next);
        }
    }

    fn split(&mut self, parts: &[(BlockId, u32)], meet: BlockId) {
        self.make_room();
        let node = self.nodes[self.current];
        let parent = if meet == node.meet {
            // The parts meet where the whole would have met its siblings: they become siblings themselves.
            self.nodes[self.current].kind = Kind::Free;
            node.parent
        } else {
            let current = self.current;
            self.nodes[current] = Node { kind: Kind::Meeting, pc: meet, arrived: 0, ..node };
            if meet == NO_BLOCK { ROOT } else { current }
        };
        if meet == NO_BLOCK {
            // Nothing to meet at: the parts are on their own, and leave the meetings that the whole was part of.
            self.remove(self.current, ROOT, node.lanes);
            let current = self.current;
            self.nodes[current].kind = Kind::Free;
        }
        let mut next = None;
        for &(pc, lanes) in parts.iter().rev() {
            let part = Node { kind: Kind::Ready, parent, pc, meet, lanes, arrived: 0, last: node.last };
            let id = self.add(part);
            next = self.arrive(id).or(next);
        }
        if meet == NO_BLOCK && node.parent != ROOT {
            self.arrive(node.parent);
        }
        self.choose(next);
    }

    fn call(&mut self, parts: &[(BlockId, u32)], land: BlockId, after: BlockId) {
        // Calls that have not come back leave a meeting each, of which all but those with lanes elsewhere can be missed.
        self.make_room();
        let current = self.current;
        let node = self.nodes[current];
        self.nodes[current] = Node { kind: Kind::Meeting, pc: after, arrived: 0, ..node };
        let mut next = None;
        for &(pc, lanes) in parts.iter().rev() {
            let last = node.last;
            next = Some(self.add(Node { kind: Kind::Ready, parent: current, pc, meet: land, lanes, arrived: 0, last }));
        }
        self.choose(next);
    }

    fn exit(&mut self, lanes: u32, next: BlockId) {
        self.live &= !lanes;
        let current = self.current;
        self.remove(current, ROOT, lanes);
        if self.nodes[current].lanes != 0 {
            self.goto(next);
        } else {
            let next = self.arrive(current);
            self.choose(next);
        }
    }

    fn wait(&mut self, parts: &[u32]) {
        let node = Node { kind: Kind::Waiting, ..self.nodes[self.current] };
        self.nodes[self.current].kind = Kind::Free;
        for &lanes in parts {
            self.add(Node { lanes, ..node });
        }
        self.choose(None);
    }

    fn resume(&mut self, lanes: u32, pc: BlockId) {
        let waits = |(_, node): &(NodeId, &Node)| node.kind == Kind::Waiting && node.lanes & lanes != 0;
        let waiting: SmallVec<[NodeId; 8]> = self.nodes.iter().filter(waits).map(|(id, _)| id).collect();
        let Some((&first, rest)) = waiting.split_first() else { return };
        let mut id = first;
        if rest.is_empty() {
            self.nodes[first].kind = Kind::Ready;
        } else {
            // The lanes are together now, wherever they parted: they form one group below the innermost meeting that
            // all of them belong to, and leave those below it.
            let mut common = self.ancestors(first);
            for &other in rest {
                let path = self.ancestors(other);
                common.retain(|node| path.contains(node));
            }
            let parent = common.first().copied().unwrap_or(ROOT);
            let meet = self.nodes.get(parent).map_or(NO_BLOCK, |node| node.pc);
            let last = waiting.iter().map(|&one| self.nodes[one].last).max().unwrap_or(0);
            let mut together = 0;
            for &one in &waiting {
                let node = self.nodes[one];
                together |= node.lanes;
                self.remove(one, parent, node.lanes);
                self.nodes[one].kind = Kind::Free;
                if node.parent != parent {
                    self.arrive(node.parent);
                }
            }
            id = self.add(Node { kind: Kind::Ready, parent, pc, meet, lanes: together, arrived: 0, last });
        }
        let interrupted = self.current;
        self.current = id;
        self.goto(pc);
        if self.due && self.ready(interrupted) {
            self.current = interrupted;
        } else if !self.ready(self.current) {
            self.choose(None);
        }
    }

    fn waiting(&self) -> u32 {
        self.nodes.values().filter(|node| node.kind == Kind::Waiting).fold(0, |all, node| all | node.lanes)
    }

    fn releases(&self) -> bool {
        true
    }

    fn rotate(&mut self) {
        self.turns += 1;
        self.due = false;
        if self.turns < self.patience || self.nodes.len() < 2 {
            return;
        }
        self.turns = 0;
        self.rotations += 1;
        self.due = true;
        // Lanes that arrived go on once every ready group has had a turn since.
        let round = self.nodes.values().filter(|node| node.kind == Kind::Ready).count() as u64;
        if let Some(id) = self.oldest_meeting()
            && self.rotations - self.nodes[id].last > round
        {
            self.release(id);
        }
        self.choose(None);
    }

    fn give_way(&mut self) {
        if let Some(id) = self.oldest_meeting() {
            self.release(id);
        }
        self.choose(None);
    }

    fn wait_together(&self, lanes: u32) -> Option<BlockId> {
        let holds_all = |node: &&Node| node.kind == Kind::Waiting && lanes & !node.lanes == 0;
        self.nodes.values().find(holds_all).map(|node| node.pc)
    }

    fn groups(&self) -> Groups {
        let mut groups = Groups::new();
        for node in self.nodes.values() {
            let (lanes, state) = match node.kind {
                Kind::Ready => (node.lanes, State::Ready),
                Kind::Waiting => (node.lanes, State::Waiting),
                Kind::Meeting => (node.arrived, State::Arrived),
                Kind::Free => continue,
            };
            if lanes != 0 {
                groups.push(Group { pc: node.pc, lanes, state });
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests;
