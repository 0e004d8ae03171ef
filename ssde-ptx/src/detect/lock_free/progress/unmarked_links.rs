//! Links where walks begin, which are taken not to be marked.
//!
//! ```text
//! retry: at = head; next = *at;                                a mark in the first link would keep each lane here for ever
//!        while (key of (next & ~1) < key) …                    unlinks marked nodes on the way
//!        if (CAS(at, next & ~1, node) != (next & ~1)) goto retry;
//! ```
//!
//! Who deletes a node of a list first sets a bit in its link. The link that leads to the first node is in no node, so that nobody marks it; but that is nowhere in the code.
//! It is assumed, and told, if the bits of all writes agree to it, in the whole kernel, as far as they may meet this link:
//!
//! - Some swap of the loop succeeds only where the bit is not set.
//! - Nobody clears it: comparisons and swaps find it clear, or leave it set. Who swaps what is read there for the same with other bits may find it set. A lock is cleared by who has it.
//! - It is set only where links lead, and never where a walk may begin. Who sets a lock does that where others wait for it.
//! - Stores are to a node, before a swap publishes that.
//!
//! A walk begins at an address from outside the loop, or behind a pointer that is read there. It begins anew where a search goes down a level of a skip list: the node that it
//! has come to may be deleted meanwhile, and is then marked on the level above too, where the next search unlinks it; the same is assumed of its links.
//!
//! Numbers in plain arrays, and members of nodes that are narrower than a link, are taken to be elsewhere; that is told as well.
//!
//! So a lane that finds the bit set would wait for nobody.

use analysis::{User, Value, ValueKind};
use ptx_parser::{Inst, Memory, Mnemonic, Modifier, Operand, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use super::clear_bits::{Clear, Reads};
use super::loop_facts::{LoopFacts, MOST_VALUES};
use super::prior_reads::Root;
use crate::detect::accesses::accesses;
use crate::detect::alias::{Root as Pointer, bytes, place, root};

/// The greatest depth to which values are followed.
const DEEPEST: u32 = 32;

/// The bits that may be marks.
const MARKS: [u64; 2] = [1, 2];

/// A link that is taken not to be marked.
pub(super) struct Unmarked {
    /// The read of the link.
    pub(super) read: Inst,
    /// The bits that are taken to be clear there.
    pub(super) mark: u64,
    /// The writes that have to be elsewhere for that.
    pub(super) apart: Vec<Inst>,
}

impl LoopFacts<'_> {
    /// The reads of the loop at places where walks begin.
    pub(super) fn unmarked(&self) -> Vec<Unmarked> {
        let reads = self.cycle.insts(self.facts).filter(|&inst| self.begins_walk(inst) || self.goes_down(inst));
        let never_marked = |read: Inst| {
            let found = MARKS.iter().find_map(|&mark| Some((mark, self.never_marked(read, mark)?)));
            found.map(|(mark, apart)| Unmarked { read, mark, apart })
        };
        reads.filter_map(never_marked).collect()
    }

    /// Returns true if an instruction reads one word again and again in the loop around it: at an address from outside, or from a pointer that is read at one.
    fn begins_walk(&self, inst: Inst) -> bool {
        let facts = self.facts;
        let around = facts.cfg.block_of(inst).and_then(|block| facts.loops.innermost(block));
        let is_outside = |value: Value| around.is_some_and(|id| !facts.loops.contains(id, facts.values.block(value)));
        let stays = |inst: Inst| match self.address(inst) {
            Some((Root::Value(value), _)) => is_outside(value),
            Some((Root::Variable(_), _)) => true,
            None => false,
        };
        let is_behind_pointer = || match self.address(inst) {
            Some((Root::Value(pointer), _)) => self.made_by_read(pointer).is_some_and(stays),
            _ => false,
        };
        self.reads_word(inst) && (stays(inst) || is_behind_pointer())
    }

    /// Returns true if an instruction reads one word of memory that others may write.
    fn reads_word(&self, inst: Inst) -> bool {
        let properties = self.kernel.properties(inst);
        let is_read = properties.memory == Memory::Read && properties.space != Some(Space::Param);
        is_read && self.facts.values.defs(inst).len() == 1
    }

    /// Returns true if an instruction reads where an inner loop has led, and what other loops go on from: as a search goes down a level.
    fn goes_down(&self, inst: Inst) -> bool {
        let facts = self.facts;
        let around = facts.cfg.block_of(inst).and_then(|block| facts.loops.innermost(block));
        self.reads_word(inst) && around.is_some() && around == self.cycle.natural()
    }

    /// The writes that have to be elsewhere for a link never to be marked; `None` if something else may mark it.
    fn never_marked(&self, read: Inst, mark: u64) -> Option<Vec<Inst>> {
        let (facts, kernel) = (self.facts, self.kernel);
        let at = accesses(facts, kernel, self.context, read).into_iter().find(|access| access.reads)?;
        let expects_clear = self.swaps().any(|(swap, _)| {
            let place = place(facts, kernel, swap);
            bytes(kernel, swap) == bytes(kernel, read)
                && place.may_be_by_name(&at.place)
                && self.wanted(swap).is_some_and(|wanted| {
                    self.is_clear(wanted, &Clear { mark, first: read, at: swap, reads: Reads::First })
                })
        });
        if !expects_clear || !self.is_link(read, mark) {
            return None;
        }
        let blocks = || facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
        let meets = |inst: &Inst| {
            let mut all = accesses(facts, kernel, self.context, *inst).into_iter();
            all.any(|access| access.writes && access.place.may_be_by_name(&at.place))
        };
        let marks = |inst: &Inst| !self.leaves_clear(*inst, mark, read);
        let apart: Vec<Inst> = blocks().filter(meets).filter(marks).collect();
        let is_elsewhere = |&inst: &Inst| self.is_in_plain_array(inst, read) || self.is_in_other_member(inst, read);
        apart.iter().all(is_elsewhere).then_some(apart)
    }

    /// Returns true if a write leaves a mark clear where a walk begins, and set where it is set.
    fn leaves_clear(&self, write: Inst, mark: u64, read: Inst) -> bool {
        let (facts, kernel) = (self.facts, self.kernel);
        let opcode = kernel.opcode(write);
        let given = |number: usize| self.given(write, number);
        let value = |operand: Option<Operand>| operand.and_then(|operand| facts.values.of_operand(write, &operand));
        let is_clear = |operand: Option<Operand>, reads: Reads| match operand {
            Some(Operand::Int(number)) => number.cast_unsigned() & mark == 0,
            operand => {
                let clear = Clear { mark, first: read, at: write, reads };
                value(operand).is_some_and(|value| self.is_clear(value, &clear))
            }
        };
        // What is taken to be clear must not be what another one may have made clear by that.
        let finds_clear = |wanted: Option<Operand>, new: Option<Operand>| {
            let clears = || value(wanted).zip(value(new)).is_some_and(|(wanted, new)| self.is_made_of(new, wanted));
            is_clear(wanted, Reads::None) || is_clear(wanted, Reads::First) && !clears()
        };
        let sets = |operand: Option<Operand>| {
            let number = operand.and_then(|operand| match operand {
                Operand::Int(number) => Some(number),
                operand => facts.values.constant(kernel, write, &operand),
            });
            number.is_some_and(|number| number.cast_unsigned() & mark != 0)
                || value(operand).is_some_and(|value| self.is_set(value, mark))
        };
        match kernel.properties(write).memory {
            Memory::Write => self.is_published(write),
            Memory::Atomic if opcode.has(Modifier::Cas) => {
                let (wanted, new) = (given(1), given(2));
                (finds_clear(wanted, new) || sets(new))
                    && (is_clear(new, Reads::All) || self.is_behind_link(write, read))
            }
            Memory::Atomic if opcode.has(Modifier::Or) => {
                is_clear(given(1), Reads::None) || self.is_behind_link(write, read)
            }
            _ => false,
        }
    }

    /// Returns true if another instruction reads where a walk begins, of the same name at least, or behind the same pointer.
    pub(super) fn begins_same_walk(&self, inst: Inst, first: Inst) -> bool {
        let root = |inst: Inst| place(self.facts, self.kernel, inst).extent().0;
        let is_named = || root(inst) != Pointer::Unknown && root(inst) == root(first);
        let behind = |inst: Inst| match self.address(inst)? {
            (Root::Value(pointer), more) => Some((self.read_from(pointer)?, more)),
            (Root::Variable(_), _) => None,
        };
        let is_behind_same = || behind(inst).is_some_and(|at| Some(at) == behind(first));
        self.kernel.properties(inst).memory == Memory::Read
            && (self.address(inst) == self.address(first) || is_behind_same() || is_named() && self.begins_walk(inst))
    }

    /// The address at which a value was read.
    fn read_from(&self, value: Value) -> Option<(Root, i64)> {
        self.address(self.made_by_read(value)?)
    }

    /// The read that a value is copied from, wherever that is.
    fn made_by_read(&self, value: Value) -> Option<Inst> {
        let made = self.facts.values.made_by(self.kernel, self.origin(value))?;
        (self.kernel.properties(made).memory == Memory::Read).then_some(made)
    }

    /// Returns true if a value is computed from another one, or from what is read where a walk begins.
    fn is_made_of(&self, value: Value, part: Value) -> bool {
        let part = self.origin(part);
        let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
        while let Some(value) = work.pop() {
            let value = self.origin(value);
            let made = self.facts.values.made_by(self.kernel, value);
            if value == part || seen.len() > MOST_VALUES || made.is_some_and(|made| self.begins_walk(made)) {
                return true;
            }
            if seen.insert(value) && made.is_some_and(|made| self.kernel.properties(made).memory == Memory::None) {
                work.extend(self.facts.values.inputs(self.kernel, value));
            }
        }
        false
    }

    /// Returns true if the loop masks or tests a bit of what an instruction reads, as of a link.
    fn is_link(&self, read: Inst, mark: u64) -> bool {
        let values = &self.facts.values;
        let mut work: Vec<Value> = values.defs(read).iter().map(|&(_, made)| made).collect();
        let mut seen: FxHashSet<Value> = work.iter().copied().collect();
        while let Some(value) = work.pop() {
            if seen.len() > MOST_VALUES {
                return false;
            }
            for user in values.users(value) {
                let made = match *user {
                    User::Phi(phi) => vec![phi],
                    User::Inst(inst) => {
                        let number = self.kernel.operands(inst).get(2);
                        let number =
                            number.and_then(|of| values.constant(self.kernel, inst, of)).map(i64::cast_unsigned);
                        match self.kernel.opcode(inst).mnemonic() {
                            Mnemonic::And if number.is_some_and(|mask| mask == mark || mask & mark == 0) => {
                                return true;
                            }
                            Mnemonic::Shr if number.is_some_and(|by| by < 64 && mark >> by == 0) => return true,
                            Mnemonic::Mov | Mnemonic::Cvt | Mnemonic::Selp => {
                                values.defs(inst).iter().map(|&(_, made)| made).collect()
                            }
                            _ => Vec::new(),
                        }
                    }
                };
                work.extend(made.into_iter().filter(|&made| seen.insert(made)));
            }
        }
        false
    }

    /// Returns true if a store is of a link that was found, into a node that a comparison and swap behind it links to others of the same name: nobody else sees it before.
    ///
    /// So is a store of a constant into such a node, before or behind that of a link, if the loop reads nodes by links alone that were found where such a swap writes. Who reads that of a
    /// neighbour by its number may see what is only announced.
    pub(super) fn links_own_node(&self, store: Inst) -> bool {
        let (facts, kernel) = (self.facts, self.kernel);
        let at = |inst: Inst| place(facts, kernel, inst).extent().0;
        let given = |inst: Inst, number| self.given(inst, number).and_then(|of| facts.values.of_operand(inst, &of));
        let is_link = |store: Inst| given(store, 1).is_some_and(|of| facts.values.copied_to(kernel, of).is_none());
        let leads_there = |swap: Inst| given(swap, 2).map(|new| root(facts, kernel, new, DEEPEST).0) == Some(at(store));
        let publishing = self.publishing(store);
        if !publishing.iter().any(|&swap| at(swap) == at(store) || leads_there(swap)) {
            return false;
        }
        let is_of_link = |other: Inst| {
            kernel.properties(other).memory == Memory::Write && is_link(other) && self.is_at_one_address(store, other)
        };
        is_link(store) || self.cycle.insts(facts).any(is_of_link) && self.reads_by_links_of(store, &publishing)
    }

    /// Returns true if all reads that decide where a lane goes, and may be where a store writes, are at addresses that were found where some swaps write.
    fn reads_by_links_of(&self, store: Inst, swaps: &[Inst]) -> bool {
        let at = |inst: Inst| place(self.facts, self.kernel, inst);
        let is_published = |link: Inst| swaps.iter().any(|&swap| at(swap).may_meet(&at(link)));
        let mut reads = self.direct().into_iter().filter(|&read| at(read).may_meet(&at(store)));
        reads.all(|read| {
            let Some(address) = self.read_at(read) else { return false };
            let links = self.reads_behind(vec![address], MOST_VALUES);
            !links.is_empty() && links.into_iter().all(is_published)
        })
    }

    /// Returns true if a store is to a node that a comparison and swap behind it publishes.
    fn is_published(&self, store: Inst) -> bool {
        !self.publishing(store).is_empty()
    }

    /// The comparisons and swaps behind a store that publish the node which it is to: what they write is made of what the address is made of.
    fn publishing(&self, store: Inst) -> Vec<Inst> {
        let facts = self.facts;
        let Some(block) = facts.cfg.block_of(store) else { return Vec::new() };
        let Some(at) = self.read_at(store) else { return Vec::new() };
        let own = self.parts(at);
        let publishes = |inst: &Inst| {
            let new = self.given(*inst, 2).and_then(|new| facts.values.of_operand(*inst, &new));
            let is_behind =
                |other| facts.dominators.dominates(block, other) || facts.postdominators.postdominates(other, block);
            let behind = facts.cfg.block_of(*inst).is_some_and(is_behind);
            let elsewhere = || self.read_at(*inst).is_some_and(|at| self.parts(at).is_disjoint(&own));
            self.wanted(*inst).is_some()
                && behind
                && elsewhere()
                && new.is_some_and(|new| !self.parts(new).is_disjoint(&own))
        };
        facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied()).filter(publishes).collect()
    }

    /// The values that one is computed from that are computed themselves, without parameters, variables, numbers and special registers.
    fn parts(&self, value: Value) -> FxHashSet<Value> {
        let values = &self.facts.values;
        let (mut seen, mut work) = (FxHashSet::default(), vec![self.origin(value)]);
        let mut parts = FxHashSet::default();
        while let Some(value) = work.pop() {
            if seen.len() > MOST_VALUES || !seen.insert(value) {
                continue;
            }
            let made = values.made_by(self.kernel, value);
            let inputs = values.inputs(self.kernel, value);
            let is_param = |inst: Inst| {
                let properties = self.kernel.properties(inst);
                let is_variable = |operand: &Operand| matches!(operand, Operand::Symbol(..));
                properties.memory == Memory::Read && properties.space == Some(Space::Param)
                    || self.kernel.opcode(inst).mnemonic() == Mnemonic::Cvta
                    || self.kernel.operands(inst).iter().any(is_variable)
            };
            if made.is_some_and(is_param) {
                continue;
            }
            parts.insert(value);
            if made.is_some_and(|inst| self.kernel.properties(inst).memory == Memory::None) {
                work.extend(inputs.into_iter().map(|input| self.origin(input)));
            }
        }
        parts
    }

    /// Returns true if the address of a write is made of links that are read where links lead, or where walks begin, and never of where that is itself.
    fn is_behind_link(&self, write: Inst, first: Inst) -> bool {
        let Some(at) = self.read_at(write) else { return false };
        let mut walk = Walk { write, first, begins: false, known: FxHashMap::default() };
        self.is_made_of_links(at, false, &mut walk) && walk.begins
    }

    /// The same of a value: an address at which a link is read, or the one of the write.
    fn is_made_of_links(&self, value: Value, is_read: bool, walk: &mut Walk) -> bool {
        let value = self.origin(value);
        if let Some(&known) = walk.known.get(&(value, is_read)) {
            return known;
        }
        if walk.known.len() > MOST_VALUES {
            return false;
        }
        // A register that becomes itself is made of nothing else.
        walk.known.insert((value, is_read), true);
        let is_made = self.is_made_of_links_once(value, is_read, walk);
        walk.known.insert((value, is_read), is_made);
        is_made
    }

    fn is_made_of_links_once(&self, value: Value, is_read: bool, walk: &mut Walk) -> bool {
        let (facts, kernel) = (self.facts, self.kernel);
        let inputs = facts.values.inputs(kernel, value).into_iter();
        if let ValueKind::Phi(..) = facts.values.kind(value) {
            return inputs.into_iter().all(|input| self.is_made_of_links(input, is_read, walk));
        }
        // Nothing is at no link; and what another pointer leads to is no place where this walk begins.
        let begins = place(facts, kernel, walk.first).extent().0;
        let is_elsewhere = |value: Value| {
            let root = root(facts, kernel, value, DEEPEST).0;
            let is_other = matches!(root, Pointer::Parameter(..)) && root != begins && begins != Pointer::Unknown;
            is_other || facts.values.copied_to(kernel, value) == Some(0)
        };
        if is_elsewhere(value) {
            return true;
        }
        // Other links are beside the one where the walk begins.
        if is_read && self.leads_to_beginning(value, walk.first) {
            walk.begins = true;
            return true;
        }
        let Some(made) = facts.values.made_by(kernel, value) else { return false };
        match kernel.properties(made).memory {
            Memory::None => {
                let mut inputs = inputs.into_iter().filter(|&input| !is_elsewhere(input));
                inputs.any(|input| self.is_made_of_links(input, is_read, walk))
            }
            Memory::Read => {
                let (own, other) = (place(facts, kernel, walk.write), place(facts, kernel, made));
                if bytes(kernel, made) != bytes(kernel, walk.write) || own.has_another_name(&other) {
                    return false;
                }
                if self.begins_same_walk(made, walk.first) {
                    walk.begins = true;
                    return true;
                }
                // A link is read where a link leads.
                self.read_at(made).is_some_and(|at| self.is_made_of_links(at, true, walk))
            }
            _ => false,
        }
    }

    /// Returns true if a value is the pointer that a walk begins behind.
    fn leads_to_beginning(&self, value: Value, first: Inst) -> bool {
        match self.address(first) {
            Some((Root::Value(begins), _)) => {
                self.origin(value) == begins
                    || self.read_from(value).is_some_and(|at| Some(at) == self.read_from(begins))
            }
            _ => false,
        }
    }
}

/// A write behind a walk.
struct Walk {
    write: Inst,
    /// The read where a walk begins.
    first: Inst,
    /// True if one of the links was read where a walk begins.
    begins: bool,
    /// The values that are made of links, or not, as addresses of reads and of the write; those that are being followed are taken to be.
    known: FxHashMap<(Value, bool), bool>,
}
