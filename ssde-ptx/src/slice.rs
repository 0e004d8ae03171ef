//! What the exit of a loop depends on: the backward slice of its exit conditions, by data and by control, within the loop.
//!
//! A value from before the loop does not change while lanes wait, so that the slice ends at the loop's border. Where values meet, it goes on to
//! what decides which of them it is. What is loaded from local memory may be anything that was stored there in the loop, and what a
//! parameter holds, anything that a call has returned.

use analysis::{Analyses, Block, Value, ValueKind};
use cranelift_entity::{EntitySet, SecondaryMap};
use ptx_parser::{Flow, Inst, Kernel, Memory, Properties, Space};

use crate::cycle::Cycle;
use crate::memory::{effect, place};

/// The blocks whose branches decide whether a block is executed.
#[derive(Debug)]
pub(crate) struct Controls(SecondaryMap<Block, Vec<Block>>);

impl Controls {
    /// Control dependence of all blocks: a block depends on a branch if it postdominates one of its ways but not the branch.
    pub(crate) fn of(facts: &Analyses) -> Controls {
        let mut controls: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for branch in facts.cfg.blocks() {
            let ways = facts.cfg.distinct_succs(branch);
            if ways.len() + usize::from(facts.cfg.exits(branch)) < 2 {
                continue;
            }
            for way in ways {
                let mut block = Some(way);
                while let Some(dependent) = block.filter(|&block| Some(block) != facts.postdominators.ipdom(branch)) {
                    if !controls[dependent].contains(&branch) {
                        controls[dependent].push(branch);
                    }
                    block = facts.postdominators.ipdom(dependent);
                }
            }
        }
        Controls(controls)
    }
}

/// The reads of shared memory in a loop that its exit conditions depend on, in the order in which they stand.
pub(crate) fn awaited_reads(facts: &Analyses, kernel: &Kernel, controls: &Controls, cycle: &Cycle) -> Vec<Inst> {
    let mut slice =
        Slice { facts, kernel, controls, cycle, insts: EntitySet::new(), values: EntitySet::new(), work: Vec::new() };
    for &block in &cycle.deciding {
        slice.branch(block);
        slice.controlling(block);
    }
    slice.run();
    let awaited =
        |inst: Inst| slice.insts.contains(inst) && effect(kernel, inst).reads && !place(facts, kernel, inst).is_own();
    cycle.insts(facts).filter(|&inst| awaited(inst)).collect()
}

struct Slice<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    controls: &'a Controls,
    cycle: &'a Cycle,
    insts: EntitySet<Inst>,
    values: EntitySet<Value>,
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
        let ends = self.facts.cfg.insts(block).iter().copied().filter(|&inst| {
            matches!(self.kernel.properties(inst).flow, Flow::Branch | Flow::IndirectBranch | Flow::Return | Flow::Exit)
        });
        ends.collect::<Vec<_>>().into_iter().for_each(|inst| self.inst(inst));
    }

    /// The branches of the loop that decide whether a block is executed.
    fn controlling(&mut self, block: Block) {
        for &branch in &self.controls.0[block] {
            if self.cycle.contains(branch) {
                self.branch(branch);
            }
        }
    }

    fn run(&mut self) {
        while let Some(inst) = self.work.pop() {
            let values: Vec<Value> = self.facts.values.uses(inst).iter().map(|&(_, value)| value).collect();
            values.into_iter().for_each(|value| self.value(value));
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
        self.all(|properties| properties.flow == Flow::Call);
    }

    /// Everything in the loop that may have stored what a thread reads from its own memory.
    fn stores_to_local(&mut self) {
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
        if !self.values.insert(value) || !self.cycle.contains(self.facts.values.block(value)) {
            return;
        }
        match self.facts.values.kind(value) {
            ValueKind::Def(inst, _) => self.inst(inst),
            ValueKind::Undefined(_) => {}
            ValueKind::Phi(block, _) => {
                for (from, input) in self.facts.values.phi_inputs(value).to_vec() {
                    self.value(input);
                    // Which way a lane came decides which value it is.
                    if self.cycle.contains(from) {
                        self.branch(from);
                        self.controlling(from);
                    }
                }
                self.controlling(block);
            }
        }
    }
}
