//! The reads that decide about the writes in loops that may run for ever: their values, their addresses, and their execution.
//!
//! A lane that stays in a loop may pass on values that others have written. A loop may also keep its own state in memory:
//!
//! ```text
//! while (!stop) f = g;                      who waits for f waits for g
//! while (!got) got = try_lock();            who waits for got waits for the lock
//! ```
//!
//! So a write in such a loop depends on the reads in the backward slice of its address, its value and its execution, within the loop.
//!
//! # Why reads elsewhere do not matter
//!
//! Outside of all loops that it stays in for ever, a thread executes finitely many reads. Let no blocked lane write before the last of
//! these reads. That is the beginning of a fair schedule too, and the kernel ends under it. So the results of these reads keep nobody
//! waiting.

use analysis::{Analyses, Block, Value, ValueKind};
use cranelift_entity::SecondaryMap;
use ptx_parser::{Inst, Kernel, Properties};
use rustc_hash::FxHashMap;

use crate::detect::accesses::reads;
use crate::detect::exit_slice::{
    Controls, ends_or_branches, is_call, may_read_local, may_read_parameter, may_store_to_local,
};
use crate::detect::loops::{Cycle, components};
use crate::detect::module_context::Context;
use crate::detect::reachability::Component;
use crate::detect::waits_for::Node;

/// The blocks of loops that may run for ever, with the strongly connected component that each is in.
pub(crate) struct Lasting {
    components: SecondaryMap<Block, Option<Component>>,
}

impl Lasting {
    /// Marks the blocks of some loops.
    pub(crate) fn of<'c>(facts: &Analyses, cycles: impl Iterator<Item = &'c Cycle>) -> Lasting {
        let all = components(facts);
        let mut components: SecondaryMap<Block, Option<Component>> = SecondaryMap::new();
        let mut loops = cranelift_entity::EntitySet::new();
        for cycle in cycles {
            match cycle.natural() {
                Some(id) => _ = loops.insert(id),
                None => cycle.blocks(facts).iter().for_each(|&block| components[block] = Some(all[block])),
            }
        }
        // Outer loops have smaller depths, so that one look at the parent is enough.
        let mut order: Vec<_> = facts.loops.iter().collect();
        order.sort_by_key(|&id| facts.loops.depth(id));
        for id in order {
            if facts.loops.parent(id).is_some_and(|parent| loops.contains(parent)) {
                loops.insert(id);
            }
        }
        for block in facts.cfg.blocks() {
            if facts.loops.innermost(block).is_some_and(|id| loops.contains(id)) {
                components[block] = Some(all[block]);
            }
        }
        Lasting { components }
    }

    /// Returns true if a block may be executed again and again for ever.
    pub(crate) fn contains(&self, block: Block) -> bool {
        self.components[block].is_some()
    }

    fn same(&self, one: Block, other: Block) -> bool {
        self.components[one].is_some() && self.components[one] == self.components[other]
    }
}

/// A part of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Inst(Inst),
    Value(Value),
    /// The end of a block, and guarded ends of the kernel in it.
    Branch(Block),
    /// The conditions under which a block is executed.
    Control(Block),
    /// The values that may have been stored to the thread's own memory in a component.
    LocalStores(Component),
    /// The values that calls in a component have returned.
    Calls(Component),
}

/// The slices of all writes in lasting loops, as one graph.
pub(crate) struct Relays<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
    context: &'a Context,
    lasting: &'a Lasting,
    controls: &'a Controls,
    nodes: FxHashMap<Part, Node>,
    work: Vec<(Node, Part)>,
    /// The instructions of a component of which something holds.
    local_stores: FxHashMap<Component, Vec<Inst>>,
    calls: FxHashMap<Component, Vec<Inst>>,
    /// The node behind the last one.
    pub(crate) end: Node,
    /// The edges: each leads from one node to another.
    pub(crate) edges: Vec<(Node, Node)>,
    /// The nodes of reads of what other threads see.
    pub(crate) reads: Vec<(Node, Inst)>,
}

impl<'a> Relays<'a> {
    /// Slices some writes; nodes are numbered from `first` on.
    pub(crate) fn of(
        facts: &'a Analyses,
        kernel: &'a Kernel,
        context: &'a Context,
        lasting: &'a Lasting,
        controls: &'a Controls,
        first: Node,
        writes: impl Iterator<Item = (Node, Inst)>,
    ) -> Relays<'a> {
        let (nodes, work, local_stores, calls, edges, reads) = Default::default();
        let end = first;
        let mut relays =
            Relays { facts, kernel, context, lasting, controls, nodes, work, local_stores, calls, end, edges, reads };
        for (node, write) in writes {
            if facts.cfg.block_of(write).is_some_and(|block| lasting.contains(block)) {
                let to = relays.node(Part::Inst(write));
                relays.edges.push((node, to));
            }
        }
        if !relays.work.is_empty() {
            relays.local_stores = relays.having(may_store_to_local);
            relays.calls = relays.having(is_call);
        }
        while let Some((node, part)) = relays.work.pop() {
            relays.take(node, part);
        }
        relays
    }

    fn node(&mut self, part: Part) -> Node {
        let end = self.end;
        let node = *self.nodes.entry(part).or_insert(end);
        if node == end {
            self.end = end.after(1);
            self.work.push((node, part));
        }
        node
    }

    fn having(&self, holds: impl Fn(&Properties) -> bool) -> FxHashMap<Component, Vec<Inst>> {
        let mut found: FxHashMap<Component, Vec<Inst>> = FxHashMap::default();
        for block in self.facts.cfg.blocks() {
            let Some(component) = self.lasting.components[block] else { continue };
            let insts = self.facts.cfg.insts(block).iter().copied();
            let insts = insts.filter(|&inst| holds(self.kernel.properties(inst)));
            found.entry(component).or_default().extend(insts);
        }
        found
    }

    fn take(&mut self, node: Node, part: Part) {
        let (facts, kernel) = (self.facts, self.kernel);
        let mut to: Vec<Part> = Vec::new();
        match part {
            Part::Inst(inst) => {
                if reads(facts, kernel, self.context, inst) {
                    self.reads.push((node, inst));
                }
                let Some(block) = facts.cfg.block_of(inst) else { return };
                to.extend(facts.values.uses(inst).iter().map(|&(_, value)| value).filter_map(|value| {
                    self.lasting.same(block, facts.values.block(value)).then_some(Part::Value(value))
                }));
                to.push(Part::Control(block));
                if let Some(component) = self.lasting.components[block] {
                    let properties = kernel.properties(inst);
                    to.extend(may_read_parameter(properties).then_some(Part::Calls(component)));
                    to.extend(may_read_local(properties).then_some(Part::LocalStores(component)));
                }
            }
            Part::Value(value) => match facts.values.kind(value) {
                ValueKind::Def(inst, _) => to.push(Part::Inst(inst)),
                ValueKind::Undefined(_) => {}
                ValueKind::Phi(block, _) => {
                    for &(from, input) in facts.values.phi_inputs(value) {
                        if self.lasting.same(block, from) {
                            to.extend([Part::Branch(from), Part::Control(from)]);
                        }
                        if self.lasting.same(block, facts.values.block(input)) {
                            to.push(Part::Value(input));
                        }
                    }
                    to.push(Part::Control(block));
                }
            },
            Part::Branch(block) => {
                let ends = facts.cfg.insts(block).iter().copied().filter(|&inst| ends_or_branches(kernel, inst));
                to.extend(ends.map(Part::Inst));
            }
            Part::Control(block) => {
                let branches = self.controls.of_block(block).iter().copied();
                to.extend(branches.filter(|&branch| self.lasting.same(block, branch)).map(Part::Branch));
            }
            Part::LocalStores(component) => {
                to.extend(self.local_stores.get(&component).into_iter().flatten().map(|&inst| Part::Inst(inst)));
            }
            Part::Calls(component) => {
                to.extend(self.calls.get(&component).into_iter().flatten().map(|&inst| Part::Inst(inst)));
            }
        }
        for part in to {
            let to = self.node(part);
            self.edges.push((node, to));
        }
    }
}
