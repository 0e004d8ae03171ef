//! What the exit of a loop depends on: the backward slice of its exit conditions, by data and by control, within the loop.
//!
//! A value from before the loop does not change while lanes wait, so that the slice ends at the loop's border. Where values meet, it goes on to
//! what decides which of them it is. What is loaded from local memory may be anything that was stored there in the loop, and what a
//! parameter holds, anything that a call has returned.

use analysis::{Analyses, Block, Value, ValueKind};
use cranelift_entity::SecondaryMap;
use ptx_parser::{Flow, Inst, Kernel, Memory, Properties, Space};
use rustc_hash::FxHashSet;

use crate::cycle::Cycle;
use crate::memory::{effect, place};

/// The blocks whose branches decide whether a block is executed, and where instructions stand.
#[derive(Debug)]
pub(crate) struct Controls {
    branches: SecondaryMap<Block, Vec<Block>>,
    /// The number of an instruction in the text.
    places: SecondaryMap<Inst, usize>,
}

impl Controls {
    /// Control dependence of all blocks: a block depends on a branch if it postdominates one of its ways but not the branch.
    pub(crate) fn of(facts: &Analyses) -> Controls {
        let mut branches: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for branch in facts.cfg.blocks() {
            let ways = facts.cfg.distinct_succs(branch);
            if ways.len() + usize::from(facts.cfg.exits(branch)) < 2 {
                continue;
            }
            for way in ways {
                let mut block = Some(way);
                while let Some(dependent) = block.filter(|&block| Some(block) != facts.postdominators.ipdom(branch)) {
                    // Who came by before for this branch has noted all that follows, too.
                    if branches[dependent].last() == Some(&branch) {
                        break;
                    }
                    branches[dependent].push(branch);
                    block = facts.postdominators.ipdom(dependent);
                }
            }
        }
        let mut places = SecondaryMap::new();
        let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block));
        insts.enumerate().for_each(|(place, &inst)| places[inst] = place);
        Controls { branches, places }
    }
}

/// The reads of shared memory in a loop that its exit conditions depend on, in the order in which they stand.
pub(crate) fn awaited_reads(facts: &Analyses, kernel: &Kernel, controls: &Controls, cycle: &Cycle) -> Vec<Inst> {
    let mut slice = Slice {
        facts,
        kernel,
        controls,
        cycle,
        insts: FxHashSet::default(),
        values: FxHashSet::default(),
        branches: FxHashSet::default(),
        controlled: FxHashSet::default(),
        has_calls: false,
        has_stores: false,
        work: Vec::new(),
    };
    for &block in &cycle.deciding {
        slice.branch(block);
        slice.controlling(block);
    }
    slice.run();
    let awaited = |&inst: &Inst| effect(kernel, inst).reads && !place(facts, kernel, inst).is_own();
    let mut reads: Vec<Inst> = slice.insts.into_iter().filter(awaited).collect();
    reads.sort_unstable_by_key(|&read| controls.places[read]);
    reads
}

struct Slice<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    controls: &'a Controls,
    cycle: &'a Cycle,
    insts: FxHashSet<Inst>,
    values: FxHashSet<Value>,
    /// The blocks whose ends were taken in, and those of which what decides whether they are executed was.
    branches: FxHashSet<Block>,
    controlled: FxHashSet<Block>,
    /// Whether all calls of the loop, or stores to local memory, were taken in.
    has_calls: bool,
    has_stores: bool,
    work: Vec<Inst>,
}

impl Slice<'_> {
    fn inst(&mut self, inst: Inst) {
        if self.insts.insert(inst) {
            self.work.push(inst);
        }
    }

    /// What ends a block, and guarded ends of the kernel in it.
    fn branch(&mut self, block: Block) {
        if !self.branches.insert(block) {
            return;
        }
        let ends = self.facts.cfg.insts(block).iter().copied().filter(|&inst| {
            matches!(self.kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch | Flow::Return | Flow::Exit)
        });
        ends.collect::<Vec<_>>().into_iter().for_each(|inst| self.inst(inst));
    }

    /// The branches of the loop that decide whether a block is executed.
    fn controlling(&mut self, block: Block) {
        if !self.controlled.insert(block) {
            return;
        }
        for &branch in &self.controls.branches[block] {
            if self.cycle.contains(self.facts, branch) {
                self.branch(branch);
            }
        }
    }

    fn run(&mut self) {
        while let Some(inst) = self.work.pop() {
            let facts = self.facts;
            facts.values.uses(inst).iter().for_each(|&(_, value)| self.value(value));
            if let Some(block) = self.facts.cfg.block_of(inst) {
                self.controlling(block);
            }
            let properties = self.kernel.properties(inst);
            if properties.space == Some(Space::Param) && properties.memory == Memory::Read {
                self.calls();
            }
            let local =
                matches!(properties.space, Some(Space::Local | Space::Generic)) || properties.memory == Memory::Unknown;
            if local && matches!(properties.memory, Memory::Read | Memory::Unknown | Memory::Atomic) {
                self.stores_to_local();
            }
        }
    }

    /// What a parameter holds in the loop may be what a call has returned.
    fn calls(&mut self) {
        if !std::mem::replace(&mut self.has_calls, true) {
            self.all(|properties| properties.flow == Flow::Call);
        }
    }

    /// Everything in the loop that may have stored what a thread reads from its own memory.
    fn stores_to_local(&mut self) {
        if std::mem::replace(&mut self.has_stores, true) {
            return;
        }
        self.all(|properties| {
            let local = matches!(properties.space, Some(Space::Local | Space::Generic));
            (properties.memory == Memory::Write && local) || properties.memory == Memory::Unknown
        });
    }

    /// Takes in all instructions of the loop of a kind.
    fn all(&mut self, kind: impl Fn(&Properties) -> bool) {
        let (cycle, facts, kernel) = (self.cycle, self.facts, self.kernel);
        cycle.insts(facts).filter(|&inst| kind(kernel.properties(inst))).for_each(|inst| self.inst(inst));
    }

    fn value(&mut self, value: Value) {
        let facts = self.facts;
        let mut values = vec![value];
        while let Some(value) = values.pop() {
            if !self.values.insert(value) || !self.cycle.contains(facts, facts.values.block(value)) {
                continue;
            }
            match facts.values.kind(value) {
                ValueKind::Def(inst, _) => self.inst(inst),
                ValueKind::Undefined(_) => {}
                ValueKind::Phi(block, _) => {
                    for &(from, input) in facts.values.phi_inputs(value) {
                        values.push(input);
                        // Which way a lane came decides which value it is.
                        if self.cycle.contains(facts, from) {
                            self.branch(from);
                            self.controlling(from);
                        }
                    }
                    self.controlling(block);
                }
            }
        }
    }
}
