//! Independent thread scheduling: a program counter per thread, fair, reconverging where it can (Volta and later).
//!
//! Lanes that part and are to meet again form a tree: the parent node stands for the place where they meet, its children
//! for the groups on their way. A group that arrives waits in the parent, as at a convergence barrier; when all have
//! arrived, the parent goes on as one group. Unlike a stack, the tree never makes progress depend on that:
//!
//! - ready groups take turns, so that none waits for ever behind another that loops;
//! - lanes that have arrived and waited for a whole round of turns go on without the rest;
//! - lanes that have arrived go on at once if nobody else can run.

use smallvec::SmallVec;

use super::{Group, Machine, State};
use crate::program::NO_BLOCK;

/// No node: the parent of a group that meets nobody before it ends.
const ROOT: u8 = u8::MAX;

/// How many of a warp's turns a group has before another one of the warp gets its chance. Long enough for the loops of
/// ordinary kernels to end, so that their lanes meet as on hardware; bounded, so that a spinning group ends somewhere.
const PATIENCE: u32 = 32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Free,
    Ready,
    Waiting,
    /// Its lanes are in children or have arrived.
    Meeting,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    parent: u8,
    /// Where the group stands; of a meeting, where it will go on.
    pc: u32,
    /// Where the group meets the others of its parent.
    meet: u32,
    lanes: u32,
    /// Of a meeting: those of its lanes that have arrived.
    arrived: u32,
    /// When it last ran, in rotations.
    last: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Its {
    nodes: Vec<Node>,
    current: u8,
    live: u32,
    turns: u32,
    rotations: u64,
}

impl Its {
    /// A warp in the state of another machine: every group is on its own.
    pub(crate) fn adopt(groups: &[Group]) -> Its {
        let mut its = Its::new();
        for group in groups {
            let kind = if group.state == State::Waiting { Kind::Waiting } else { Kind::Ready };
            let (pc, lanes) = (group.pc, group.lanes);
            its.add(Node { kind, parent: ROOT, pc, meet: NO_BLOCK, lanes, arrived: 0, last: 0 });
            its.live |= lanes;
        }
        its.choose(None);
        its
    }

    fn add(&mut self, node: Node) -> u8 {
        match self.nodes.iter().position(|n| n.kind == Kind::Free) {
            Some(index) => {
                self.nodes[index] = node;
                index as u8
            }
            // At most 32 groups and 31 meetings exist, so that the index fits.
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u8
            }
        }
    }

    fn node(&mut self, index: u8) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    fn ready(&self, index: u8) -> bool {
        self.nodes.get(index as usize).is_some_and(|node| node.kind == Kind::Ready)
    }

    /// Lets a group that stands at its meeting point arrive, and meetings that are complete go on; `index` is where
    /// something changed. Returns the group that goes on from there, if any.
    fn arrive(&mut self, mut index: u8) -> Option<u8> {
        loop {
            let node = *self.nodes.get(index as usize)?;
            match node.kind {
                Kind::Meeting if node.lanes == node.arrived && node.lanes != 0 => {
                    self.node(index).kind = Kind::Ready;
                    self.node(index).arrived = 0;
                }
                Kind::Meeting if node.lanes != 0 => return None,
                _ if node.lanes == 0 => {
                    self.node(index).kind = Kind::Free;
                    index = node.parent;
                }
                Kind::Ready if node.pc == node.meet && node.meet != NO_BLOCK && node.parent != ROOT => {
                    self.node(index).kind = Kind::Free;
                    self.node(node.parent).arrived |= node.lanes;
                    index = node.parent;
                }
                Kind::Ready => return Some(index),
                _ => return None,
            }
        }
    }

    /// Chooses the group that runs next: `preferred`, else whoever ran longest ago, else lanes that have arrived somewhere.
    fn choose(&mut self, preferred: Option<u8>) {
        if let Some(index) = preferred.filter(|&index| self.ready(index)) {
            self.current = index;
            return;
        }
        let ready = (0..self.nodes.len() as u8).filter(|&index| self.ready(index));
        if let Some(index) = ready.min_by_key(|&index| self.nodes[index as usize].last) {
            self.current = index;
            return;
        }
        let meeting = self.nodes.iter().position(|node| node.kind == Kind::Meeting && node.arrived != 0);
        self.current = meeting.map_or(ROOT, |index| self.release(index as u8));
    }

    /// Lets the lanes that have arrived at a meeting go on without the rest.
    fn release(&mut self, index: u8) -> u8 {
        let meeting = *self.node(index);
        self.node(index).lanes &= !meeting.arrived;
        self.node(index).arrived = 0;
        self.add(Node { kind: Kind::Ready, lanes: meeting.arrived, arrived: 0, ..meeting })
    }

    /// Takes lanes out of a node and all nodes above it, up to but not including `until`.
    fn remove(&mut self, from: u8, until: u8, lanes: u32) {
        let mut index = from;
        while index != ROOT && index != until {
            let node = self.node(index);
            node.lanes &= !lanes;
            node.arrived &= !lanes;
            index = node.parent;
        }
    }

    fn ancestors(&self, from: u8) -> SmallVec<[u8; 8]> {
        let mut path = SmallVec::new();
        let mut index = from;
        while index != ROOT {
            index = self.nodes[index as usize].parent;
            path.push(index);
        }
        path
    }
}

impl Machine for Its {
    const WAITS: bool = true;

    fn new() -> Its {
        Its { nodes: Vec::new(), current: ROOT, live: 0, turns: 0, rotations: 0 }
    }

    fn start(&mut self, entry: u32, lanes: u32) {
        self.nodes.clear();
        self.live = lanes;
        (self.turns, self.rotations) = (0, 0);
        let node = Node { kind: Kind::Ready, parent: ROOT, pc: entry, meet: NO_BLOCK, lanes, arrived: 0, last: 0 };
        self.current = self.add(node);
    }

    #[inline(always)]
    fn current(&self) -> Option<(u32, u32)> {
        self.nodes.get(self.current as usize).filter(|node| node.kind == Kind::Ready).map(|node| (node.pc, node.lanes))
    }

    fn live(&self) -> u32 {
        self.live
    }

    #[inline(always)]
    fn goto(&mut self, pc: u32) {
        let current = self.current;
        let node = self.node(current);
        node.pc = pc;
        if pc == node.meet {
            let next = self.arrive(current);
            self.choose(next);
        }
    }

    fn split(&mut self, parts: &[(u32, u32)], meet: u32) {
        let node = self.nodes[self.current as usize];
        let parent = if meet == node.meet {
            // The parts meet where the whole would have met its siblings: they become siblings themselves.
            self.node(self.current).kind = Kind::Free;
            node.parent
        } else {
            let current = self.current;
            *self.node(current) = Node { kind: Kind::Meeting, pc: meet, arrived: 0, ..node };
            if meet == NO_BLOCK { ROOT } else { current }
        };
        if meet == NO_BLOCK {
            // Nothing to meet at: the parts are on their own, and leave the meetings that the whole was part of.
            self.remove(self.current, ROOT, node.lanes);
            let current = self.current;
            self.node(current).kind = Kind::Free;
        }
        let mut next = None;
        for &(pc, lanes) in parts.iter().rev() {
            let part = Node { kind: Kind::Ready, parent, pc, meet, lanes, arrived: 0, last: node.last };
            let index = self.add(part);
            next = self.arrive(index).or(next);
        }
        if meet == NO_BLOCK && node.parent != ROOT {
            self.arrive(node.parent);
        }
        self.choose(next);
    }

    fn exit(&mut self, lanes: u32, next: u32) {
        self.live &= !lanes;
        let current = self.current;
        self.remove(current, ROOT, lanes);
        if self.node(current).lanes != 0 {
            self.goto(next);
        } else {
            let next = self.arrive(current);
            self.choose(next);
        }
    }

    fn wait(&mut self, parts: &[u32]) {
        let node = Node { kind: Kind::Waiting, ..self.nodes[self.current as usize] };
        self.node(self.current).kind = Kind::Free;
        for &lanes in parts {
            self.add(Node { lanes, ..node });
        }
        self.choose(None);
    }

    fn resume(&mut self, lanes: u32, pc: u32) {
        let waiting: SmallVec<[u8; 8]> = (0..self.nodes.len() as u8)
            .filter(|&i| self.nodes[i as usize].kind == Kind::Waiting && self.nodes[i as usize].lanes & lanes != 0)
            .collect();
        let Some((&first, rest)) = waiting.split_first() else { return };
        let mut index = first;
        if rest.is_empty() {
            self.node(first).kind = Kind::Ready;
        } else {
            // The lanes are together now, wherever they parted: they form one group below the innermost meeting that
            // all of them belong to, and leave those below it.
            let mut common = self.ancestors(first);
            for &other in rest {
                let path = self.ancestors(other);
                common.retain(|node| path.contains(node));
            }
            let parent = common.first().copied().unwrap_or(ROOT);
            let meet = self.nodes.get(parent as usize).map_or(NO_BLOCK, |node| node.pc);
            let last = self.nodes[first as usize].last;
            let mut together = 0;
            for &one in &waiting {
                let node = *self.node(one);
                together |= node.lanes;
                self.remove(one, parent, node.lanes);
                self.node(one).kind = Kind::Free;
                if node.parent != parent {
                    self.arrive(node.parent);
                }
            }
            index = self.add(Node { kind: Kind::Ready, parent, pc, meet, lanes: together, arrived: 0, last });
        }
        self.current = index;
        self.goto(pc);
        if !self.ready(self.current) {
            self.choose(None);
        }
    }

    fn rotate(&mut self) {
        self.turns += 1;
        if self.turns < PATIENCE || self.nodes.len() < 2 {
            return;
        }
        self.turns = 0;
        self.rotations += 1;
        let (now, current) = (self.rotations, self.current);
        if let Some(node) = self.nodes.get_mut(current as usize) {
            node.last = now;
        }
        // Lanes that arrived go on once every ready group has had a turn since.
        let round = (0..self.nodes.len() as u8).filter(|&i| self.ready(i)).count() as u64;
        let meeting = self
            .nodes
            .iter()
            .position(|node| node.kind == Kind::Meeting && node.arrived != 0 && now.saturating_sub(node.last) > round);
        if let Some(index) = meeting {
            self.nodes[index].last = now;
            self.release(index as u8);
        }
        self.choose(None);
    }

    fn give_way(&mut self) {
        self.rotations += 1;
        let (now, current) = (self.rotations, self.current);
        if let Some(node) = self.nodes.get_mut(current as usize) {
            node.last = now;
        }
        if let Some(index) = self.nodes.iter().position(|node| node.kind == Kind::Meeting && node.arrived != 0) {
            self.release(index as u8);
        }
        self.choose(None);
    }

    fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        for node in &self.nodes {
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
