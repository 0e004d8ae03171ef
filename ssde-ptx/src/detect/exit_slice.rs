//! The backward slice of a loop's exit conditions, by data and by control, within the loop.
//!
//! A value from before the loop does not change while lanes wait, so the slice ends at the loop's border. Where values meet, the slice
//! continues with the conditions that select one of them. A load from local memory may give any value that was stored there in the loop. A
//! parameter may hold any value that a call has returned.

//!
//! # Loops in one another
//!
//! Slices of a nest overlap, so that to walk through each of them takes quadratic time. Inner loops come first. If everything in the slice of one leads to
//! the one block that decides its exit, and so to the whole slice, an outer loop that comes to any of it takes all of it at once, and goes on with what
//! led out of the inner loop.

use analysis::{Analyses, Block, Loop, Value, ValueKind};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Flow, Inst, Kernel, Memory, Properties, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::detect::accesses::reads;
use crate::detect::loops::Cycle;
use crate::detect::module_context::Context;
use crate::detect::selecting_branches::Met;

/// The blocks whose branches decide whether a block is executed, and where instructions stand.
#[derive(Debug)]
pub(crate) struct Controls {
    branches: SecondaryMap<Block, Vec<Block>>,
    /// The number of an instruction in the text.
    places: SecondaryMap<Inst, usize>,
}

impl Controls {
    /// Control dependence of all blocks: a block depends on a branch if it postdominates one of its ways but not the branch.
    ///
    /// If only natural loops are asked about, branches outside of loops are left out, and a block that depends on a branch by way of another one
    /// that is in all loops of the first need not have both: in a nest, each block depends on the branches of all loops around it.
    pub(crate) fn of(facts: &Analyses, natural: bool) -> Controls {
        let mut branches: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        let mut order: Vec<Block> = facts.cfg.blocks().filter(|&block| facts.cfg.ways(block) > 1).collect();
        if natural {
            order.retain(|&block| facts.loops.innermost(block).is_some());
            order.sort_by_key(|&block| std::cmp::Reverse(facts.loops.innermost(block).map(|id| facts.loops.depth(id))));
        }
        for branch in order {
            let end = facts.postdominators.ipdom(branch);
            for way in facts.cfg.distinct_succs(branch) {
                let mut block = Some(way);
                while let Some(dependent) = block.filter(|&block| Some(block) != end) {
                    let last = branches[dependent].last().copied();
                    // Who was reached before for this branch has noted all that follows, too.
                    if last == Some(branch) {
                        break;
                    }
                    // All blocks up to the last branch depend on that, and it depends on this one.
                    let between = last.filter(|&last| {
                        let depends = facts.postdominators.postdominates(last, dependent)
                            && end.is_none_or(|end| last != end && facts.postdominators.postdominates(end, last));
                        let around = facts.loops.innermost(branch);
                        natural
                            && last != dependent
                            && depends
                            && around.is_some_and(|id| facts.loops.contains(id, last))
                    });
                    match between {
                        Some(last) => block = Some(last),
                        None => {
                            branches[dependent].push(branch);
                            block = facts.postdominators.ipdom(dependent);
                        }
                    }
                }
            }
        }
        let mut places = SecondaryMap::new();
        let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block));
        insts.enumerate().for_each(|(place, &inst)| places[inst] = place);
        Controls { branches, places }
    }

    /// The branches that decide whether a block is executed.
    pub(crate) fn of_block(&self, block: Block) -> &[Block] {
        &self.branches[block]
    }

    /// The number of an instruction in the text.
    pub(crate) fn place(&self, inst: Inst) -> usize {
        self.places[inst]
    }
}

/// The slice of a loop's exit conditions, as far as it matters to others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Awaited {
    /// The reads of memory that other threads see, in the order in which they stand.
    pub(crate) reads: Vec<Inst>,
    /// The registers in the slice that are carried from one iteration to the next.
    pub(crate) carried: Vec<Value>,
    /// True if the slice has stores to the thread's own memory, or calls, which may carry something too.
    pub(crate) stores: bool,
}

/// Returns what the exit conditions of each of some loops depend on.
pub(crate) fn awaited(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    controls: &Controls,
    cycles: &[&Cycle],
) -> Vec<Awaited> {
    let mut slices = Slices {
        facts,
        kernel,
        context,
        controls,
        insts: SecondaryMap::new(),
        values: SecondaryMap::new(),
        branches: SecondaryMap::new(),
        controlled: SecondaryMap::new(),
        within: PrimaryMap::new(),
        done: PrimaryMap::new(),
    };
    let mut awaited = vec![Awaited::default(); cycles.len()];
    let mut order: Vec<(&Cycle, &mut Awaited)> = cycles.iter().copied().zip(&mut awaited).collect();
    order.sort_by_key(|(cycle, _)| cycle.size(facts));
    order.into_iter().for_each(|(cycle, found)| *found = slices.awaited(cycle));
    awaited
}

/// Something that a slice takes in.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Work {
    Inst(Inst),
    Value(Value),
    /// The end of a block, and guarded ends of the kernel in it.
    Branch(Block),
    /// The conditions under which a block is executed.
    Control(Block),
}

/// Names a slice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct SliceId(u32);
entity_impl!(SliceId, "slice");

/// The slices so far, and by which of them something was last taken in.
struct Slices<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
    controls: &'a Controls,
    insts: SecondaryMap<Inst, PackedOption<SliceId>>,
    values: SecondaryMap<Value, PackedOption<SliceId>>,
    branches: SecondaryMap<Block, PackedOption<SliceId>>,
    controlled: SecondaryMap<Block, PackedOption<SliceId>>,
    /// The slice that a slice was taken into; itself if none.
    within: PrimaryMap<SliceId, SliceId>,
    /// All but the one that is being walked through.
    done: PrimaryMap<SliceId, Done>,
}

/// A slice that others may take in.
struct Done {
    /// Its loop and the block that decides its exit, if all of the slice leads there.
    whole: Option<(Loop, Block)>,
    reads: Vec<Inst>,
    has_calls: bool,
    has_stores: bool,
    /// The work that leads out of the loop.
    outside: Vec<Work>,
}

/// A slice that is being walked through.
struct Slice<'c> {
    id: SliceId,
    cycle: &'c Cycle,
    work: Vec<Work>,
    reads: Vec<Inst>,
    /// True if all calls of the loop, or stores to local memory, were taken in.
    has_calls: bool,
    has_stores: bool,
    carried: Vec<Value>,
    stores: bool,
    outside: FxHashSet<Work>,
    /// The blocks of which what decides whether they are executed was taken in.
    controlled: Vec<Block>,
    /// The slices that were taken in.
    inner: FxHashSet<SliceId>,
}

impl Slices<'_> {
    fn awaited(&mut self, cycle: &Cycle) -> Awaited {
        let id = self.within.next_key();
        self.within.push(id);
        let mut slice = Slice {
            id,
            cycle,
            work: cycle.deciding.iter().flat_map(|&block| [Work::Branch(block), Work::Control(block)]).collect(),
            reads: Vec::new(),
            has_calls: false,
            has_stores: false,
            carried: Vec::new(),
            stores: false,
            outside: FxHashSet::default(),
            controlled: Vec::new(),
            inner: FxHashSet::default(),
        };
        while let Some(work) = slice.work.pop() {
            self.take(&mut slice, work);
        }
        let whole = self.whole(&slice);
        let Slice { mut reads, has_calls, has_stores, carried, stores, outside, inner, .. } = slice;
        inner.into_iter().for_each(|inner| self.within[inner] = id);
        reads.sort_unstable_by_key(|&read| self.controls.places[read]);
        reads.dedup();
        // No other slice takes in one that is not whole.
        let (kept, outside) =
            if whole.is_some() { (reads.clone(), outside.into_iter().collect()) } else { Default::default() };
        self.done.push(Done { whole, reads: kept, has_calls, has_stores, outside });
        Awaited { reads, carried, stores }
    }

    fn take(&mut self, slice: &mut Slice<'_>, work: Work) {
        let (facts, kernel) = (self.facts, self.kernel);
        let (inside, owner) = match work {
            Work::Inst(inst) => (true, self.insts[inst]),
            Work::Value(value) => (slice.cycle.contains(facts, facts.values.block(value)), self.values[value]),
            Work::Branch(block) => (slice.cycle.contains(facts, block), self.branches[block]),
            Work::Control(block) => (slice.cycle.contains(facts, block), self.controlled[block]),
        };
        if !inside {
            slice.outside.insert(work);
            return;
        }
        if self.has(slice, owner.expand()) {
            return;
        }
        match work {
            Work::Inst(inst) => {
                self.insts[inst] = slice.id.into();
                self.take_inst(slice, inst);
            }
            Work::Value(value) => {
                self.values[value] = slice.id.into();
                match facts.values.kind(value) {
                    ValueKind::Def(inst, _) => slice.work.push(Work::Inst(inst)),
                    ValueKind::Undefined(_) => {}
                    ValueKind::Phi(block, _) => {
                        slice.carried.extend(slice.cycle.entries.contains(&block).then_some(value));
                        // Which way a lane came decides which value it is, as far as they differ.
                        for met in Met::all(facts, kernel, value) {
                            slice.work.push(Work::Value(met.value));
                            for from in met.deciders(facts, block) {
                                slice.work.extend([Work::Branch(from), Work::Control(from)]);
                            }
                        }
                        slice.work.push(Work::Control(block));
                    }
                }
            }
            Work::Branch(block) => {
                self.branches[block] = slice.id.into();
                let ends = facts.cfg.insts(block).iter().copied().filter(|&inst| ends_or_branches(kernel, inst));
                slice.work.extend(ends.map(Work::Inst));
            }
            Work::Control(block) => {
                self.controlled[block] = slice.id.into();
                slice.controlled.push(block);
                slice.work.extend(self.controls.branches[block].iter().map(|&branch| Work::Branch(branch)));
            }
        }
    }

    /// Returns true if something that another slice, or this one, took in last is in this slice, by the whole of the other one if need be.
    fn has(&mut self, slice: &mut Slice<'_>, owner: Option<SliceId>) -> bool {
        let Some(owner) = owner else { return false };
        let root = self.root(owner);
        if root == slice.id || slice.inner.contains(&root) {
            return true;
        }
        let inner = self.done.get(root).and_then(|done| done.whole);
        let holds = |(inner, _): (Loop, Block)| {
            let outer = slice.cycle.natural();
            outer.is_some_and(|outer| self.facts.loops.contains(outer, self.facts.loops.header(inner)))
        };
        if !inner.is_some_and(holds) {
            return false;
        }
        slice.inner.insert(root);
        let done = &self.done[root];
        slice.reads.extend(&done.reads);
        slice.work.extend(&done.outside);
        let (calls, stores) = (done.has_calls, done.has_stores);
        if calls {
            self.take_calls(slice);
        }
        if stores {
            self.take_stores_to_local(slice);
        }
        true
    }

    /// The slice that one is part of, shortening the way to it for the next question.
    fn root(&mut self, id: SliceId) -> SliceId {
        let mut root = id;
        while self.within[root] != root {
            root = self.within[root];
        }
        let mut at = id;
        while at != root {
            at = std::mem::replace(&mut self.within[at], root);
        }
        root
    }

    fn take_inst(&self, slice: &mut Slice<'_>, inst: Inst) {
        let (facts, kernel) = (self.facts, self.kernel);
        if reads(facts, kernel, self.context, inst) {
            slice.reads.push(inst);
        }
        slice.work.extend(facts.values.uses(inst).iter().map(|&(_, value)| Work::Value(value)));
        slice.work.extend(facts.cfg.block_of(inst).map(Work::Control));
        let properties = kernel.properties(inst);
        if may_read_parameter(properties) {
            self.take_calls(slice);
        }
        if may_read_local(properties) {
            self.take_stores_to_local(slice);
        }
    }

    /// Adds all calls of the loop to a slice: a parameter in the loop may hold a value that a call has returned.
    fn take_calls(&self, slice: &mut Slice<'_>) {
        if !std::mem::replace(&mut slice.has_calls, true) {
            self.take_all(slice, is_call);
        }
    }

    /// Everything in the loop that may have stored what a thread reads from its own memory.
    fn take_stores_to_local(&self, slice: &mut Slice<'_>) {
        if std::mem::replace(&mut slice.has_stores, true) {
            return;
        }
        self.take_all(slice, may_store_to_local);
    }

    /// Takes in all instructions of the loop of a kind.
    fn take_all(&self, slice: &mut Slice<'_>, kind: impl Fn(&Properties) -> bool) {
        let insts = slice.cycle.insts(self.facts).filter(|&inst| kind(self.kernel.properties(inst)));
        let before = slice.work.len();
        slice.work.extend(insts.map(Work::Inst));
        // What one iteration has stored, the next one may read.
        slice.stores |= slice.work.len() > before;
    }

    /// The loop of a slice and the one block that decides its exit, if everything in the slice leads there.
    ///
    /// Whatever is taken in leads to what decides whether its block is executed, so that it is enough to look at those decisions. An inner slice
    /// is one node, that of the block that decides its exit.
    fn whole(&mut self, slice: &Slice<'_>) -> Option<(Loop, Block)> {
        let id = slice.cycle.natural()?;
        let &[decider] = slice.cycle.deciding.as_slice() else { return None };
        let (kernel, controls) = (self.kernel, self.controls);
        let ends = |block: Block| self.facts.cfg.insts(block).iter().any(|&inst| ends_or_branches(kernel, inst));
        if !ends(decider) {
            return None;
        }
        let inner = slice.inner.iter().filter_map(|&inner| Some(self.done[inner].whole?.1));
        let blocks: FxHashSet<Block> = slice.controlled.iter().copied().chain(inner).collect();
        let mut led_from: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
        for &block in &blocks {
            for &branch in controls.of_block(block) {
                let owner = self.branches[branch].expand().filter(|_| slice.cycle.contains(self.facts, branch));
                let Some(owner) = owner else { continue };
                let root = self.root(owner);
                let node = match slice.inner.contains(&root) {
                    true => self.done[root].whole.map_or(branch, |(_, decider)| decider),
                    false => branch,
                };
                led_from.entry(node).or_default().push(block);
            }
        }
        let (mut reached, mut work) = (FxHashSet::default(), vec![decider]);
        while let Some(block) = work.pop() {
            if reached.insert(block) {
                work.extend(led_from.remove(&block).unwrap_or_default());
            }
        }
        blocks.iter().all(|block| reached.contains(block)).then_some((id, decider))
    }
}

/// Returns true if an instruction ends its block, or the kernel under a guard.
pub(crate) fn ends_or_branches(kernel: &Kernel, inst: Inst) -> bool {
    matches!(kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch | Flow::Return | Flow::Exit)
}

/// Returns true if an instruction may read what a call has returned.
pub(crate) fn may_read_parameter(properties: &Properties) -> bool {
    properties.space == Some(Space::Param) && properties.memory == Memory::Read
}

/// Returns true if an instruction may read the thread's own memory.
pub(crate) fn may_read_local(properties: &Properties) -> bool {
    let local = matches!(properties.space, Some(Space::Local | Space::Generic)) || properties.memory == Memory::Unknown;
    local && matches!(properties.memory, Memory::Read | Memory::Unknown | Memory::Atomic)
}

/// Returns true if an instruction may store to the thread's own memory.
pub(crate) fn may_store_to_local(properties: &Properties) -> bool {
    let local = matches!(properties.space, Some(Space::Local | Space::Generic));
    (properties.memory == Memory::Write && local) || properties.memory == Memory::Unknown
}

/// Returns true if an instruction is a call.
pub(crate) fn is_call(properties: &Properties) -> bool {
    properties.flow == Flow::Call
}
