//! The tree of a warp: who waits for whom where lanes parted.
//!
//! Leaves are groups that run or wait, inner nodes are meetings. Here is what keeps the tree right whoever runs next:
//! nodes come and go, groups arrive, and the lanes of a meeting are always those of its children and those that
//! arrived. Who runs next, and when lanes stop to wait for the others, is in `mod.rs`.

use smallvec::SmallVec;

use super::{Its, ROOT};
use crate::program::code::NO_BLOCK;

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

#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) parent: u8,
    /// The place of the group. For a meeting: the place at which it will continue.
    pub(super) pc: u32,
    /// The place at which the group meets the others of its parent.
    pub(super) meet: u32,
    pub(super) lanes: u32,
    /// For a meeting: those of its lanes that have arrived.
    pub(super) arrived: u32,
    /// For a group: the time at which it, or the group that it comes from, was last chosen, in choices. For a meeting:
    /// the time at which the first of the lanes that wait there arrived, in rotations.
    pub(super) last: u64,
}

impl Its {
    /// Adds a node and returns its index.
    pub(super) fn add(&mut self, node: Node) -> u8 {
        match self.nodes.iter().position(|n| n.kind == Kind::Free) {
            Some(index) => {
                self.nodes[index] = node;
                index as u8
            }
            // See `thin`: the index fits.
            None => {
                self.nodes.push(node);
                (self.nodes.len() - 1) as u8
            }
        }
    }

    pub(super) fn node(&mut self, index: u8) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// Returns true if there is such a node and its group can run.
    pub(super) fn ready(&self, index: u8) -> bool {
        self.nodes.get(index as usize).is_some_and(|node| node.kind == Kind::Ready)
    }

    /// Lets a group that stands at its meeting point arrive, and meetings that are complete go on; `index` is where
    /// something changed. Returns the group that goes on from there, if any.
    pub(super) fn arrive(&mut self, mut index: u8) -> Option<u8> {
        loop {
            let node = *self.nodes.get(index as usize)?;
            match node.kind {
                Kind::Meeting if node.lanes == node.arrived && node.lanes != 0 => {
                    let last = self.choices;
                    *self.node(index) = Node { kind: Kind::Ready, arrived: 0, last, ..node };
                }
                Kind::Meeting if node.lanes != 0 => return None,
                _ if node.lanes == 0 => {
                    self.node(index).kind = Kind::Free;
                    index = node.parent;
                }
                Kind::Ready if node.pc == node.meet && node.meet != NO_BLOCK && node.parent != ROOT => {
                    self.node(index).kind = Kind::Free;
                    let rotations = self.rotations;
                    let parent = self.node(node.parent);
                    if parent.arrived == 0 {
                        parent.last = rotations;
                    }
                    parent.arrived |= node.lanes;
                    index = node.parent;
                }
                Kind::Ready => return Some(index),
                _ => return None,
            }
        }
    }

    /// Makes room for what a split adds, while indices still fit.
    pub(super) fn make_room(&mut self) {
        if self.nodes.len() > MANY && self.nodes.iter().filter(|node| node.kind != Kind::Free).count() > MANY {
            self.thin();
        }
    }

    /// Takes out meetings with a single child and nobody waiting, when there are many: lanes that were let go leave
    /// such behind. What is left are groups without common lanes and meetings of at least two, so that 63 nodes are
    /// enough.
    #[cold]
    fn thin(&mut self) {
        for index in 0..self.nodes.len() as u8 {
            let node = self.nodes[index as usize];
            let mut children = self.nodes.iter_mut().filter(|child| child.kind != Kind::Free && child.parent == index);
            if let (Kind::Meeting, 0, Some(child), None) = (node.kind, node.arrived, children.next(), children.next()) {
                (child.parent, child.meet) = (node.parent, node.meet);
                self.node(index).kind = Kind::Free;
            }
        }
    }

    /// Takes lanes out of a node and all nodes above it, up to but not including `until`.
    pub(super) fn remove(&mut self, from: u8, until: u8, lanes: u32) {
        let mut index = from;
        while index != ROOT && index != until {
            let node = self.node(index);
            node.lanes &= !lanes;
            node.arrived &= !lanes;
            index = node.parent;
        }
    }

    /// The nodes above a node, the nearest first; [`ROOT`] is the last.
    pub(super) fn ancestors(&self, from: u8) -> SmallVec<[u8; 8]> {
        let mut path = SmallVec::new();
        let mut index = from;
        while index != ROOT {
            index = self.nodes[index as usize].parent;
            path.push(index);
        }
        path
    }
}
