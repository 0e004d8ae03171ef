//! The tree of a warp: who waits for whom where lanes parted.
//!
//! Leaves are groups that run or wait, inner nodes are meetings. Here is what keeps the tree right whoever runs next:
//! nodes come and go, groups arrive, and the lanes of a meeting are always those of its children and those that
//! arrived. Who runs next, and when lanes stop to wait for the others, is in `mod.rs`.

use cranelift_entity::entity_impl;
use smallvec::SmallVec;

use super::Its;
use crate::program::code::{BlockId, NO_BLOCK};

/// The number of nodes above which redundant ones are removed.
pub(super) const MANY: usize = 128;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Free,
    Ready,
    Waiting,
    /// Its lanes are in children or have arrived.
    Meeting,
}

/// The number of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);
entity_impl!(NodeId, "node");

/// No node: the parent of a group that meets nobody before it ends.
pub(super) const ROOT: NodeId = NodeId(u32::MAX);

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) parent: NodeId,
    /// The place of the group. For a meeting: the place at which it will continue.
    pub(super) pc: BlockId,
    /// The place at which the group meets the others of its parent.
    pub(super) meet: BlockId,
    pub(super) lanes: u32,
    /// For a meeting: those of its lanes that have arrived.
    pub(super) arrived: u32,
    /// For a group: the time at which it, or the group that it comes from, was last chosen, in choices. For a meeting:
    /// the time at which the first of the lanes that wait there arrived, in rotations.
    pub(super) last: u64,
}

impl Its {
    /// Adds a node and returns its number.
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        match self.nodes.iter_mut().find(|(_, node)| node.kind == Kind::Free) {
            Some((id, free)) => {
                *free = node;
                id
            }
            None => self.nodes.push(node),
        }
    }

    /// Returns true if there is such a node and its group can run.
    pub(super) fn ready(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(|node| node.kind == Kind::Ready)
    }

    /// Lets a group that stands at its meeting point arrive, and meetings that are complete go on; `id` is where
    /// something changed. Returns the group that goes on from there, if any.
    pub(super) fn arrive(&mut self, mut id: NodeId) -> Option<NodeId> {
        loop {
            let node = *self.nodes.get(id)?;
            match node.kind {
                Kind::Meeting if node.lanes == node.arrived && node.lanes != 0 => {
                    let last = self.choices;
                    self.nodes[id] = Node { kind: Kind::Ready, arrived: 0, last, ..node };
                }
                Kind::Meeting if node.lanes != 0 => return None,
                _ if node.lanes == 0 => {
                    self.nodes[id].kind = Kind::Free;
                    id = node.parent;
                }
                Kind::Ready if node.pc == node.meet && node.meet != NO_BLOCK && node.parent != ROOT => {
                    self.nodes[id].kind = Kind::Free;
                    let rotations = self.rotations;
                    let parent = &mut self.nodes[node.parent];
                    if parent.arrived == 0 {
                        parent.last = rotations;
                    }
                    parent.arrived |= node.lanes;
                    id = node.parent;
                }
                Kind::Ready => return Some(id),
                _ => return None,
            }
        }
    }

    /// Makes room for what a split adds, so that the tree stays small.
    pub(super) fn make_room(&mut self) {
        if self.nodes.len() > MANY && self.nodes.values().filter(|node| node.kind != Kind::Free).count() > MANY {
            self.thin();
        }
    }

    /// Takes out meetings with a single child and nobody waiting, when there are many: lanes that were let go leave
    /// such behind. What is left are groups without common lanes and meetings of at least two, so that 63 nodes are
    /// enough.
    #[cold]
    fn thin(&mut self) {
        for id in self.nodes.keys() {
            let node = self.nodes[id];
            let mut children = self.nodes.values_mut().filter(|child| child.kind != Kind::Free && child.parent == id);
            if let (Kind::Meeting, 0, Some(child), None) = (node.kind, node.arrived, children.next(), children.next()) {
                (child.parent, child.meet) = (node.parent, node.meet);
                self.nodes[id].kind = Kind::Free;
            }
        }
    }

    /// Takes lanes out of a node and all nodes above it, up to but not including `until`.
    pub(super) fn remove(&mut self, from: NodeId, until: NodeId, lanes: u32) {
        let mut id = from;
        while id != ROOT && id != until {
            let node = &mut self.nodes[id];
            node.lanes &= !lanes;
            node.arrived &= !lanes;
            id = node.parent;
        }
    }

    /// The nodes above a node, the nearest first; [`ROOT`] is the last.
    pub(super) fn ancestors(&self, from: NodeId) -> SmallVec<[NodeId; 8]> {
        let mut path = SmallVec::new();
        let mut id = from;
        while id != ROOT {
            id = self.nodes[id].parent;
            path.push(id);
        }
        path
    }
}
