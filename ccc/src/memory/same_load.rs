//! Loads of one place that give one value.
//!
//! ```text
//! if (kind[i] == 0) out[i] = a;       a marker keeps the compiler from reusing what it has loaded,
//! if (kind[i] == 3) out[i] = b;       so kind[i] is loaded again, and is what it was: the paths exclude each other
//! ```
//!
//! Two loads with one opcode and one address give one value if the first dominates the second, both are weak and plain, and nothing that a thread may
//! execute between them in its iteration writes there. What the thread does not execute if the path runs does not count. Nor do writes of the path
//! itself of which nothing is known. The second load stands behind the path, so that the report says of these writes that they do not meet it, or the path is refused.
//! Other threads do not count either: a weak load that races with a write has no defined value (PTX ISA, "Data-Races").

use analysis::{Access, Block, MemoryDependence, Relation, Value};
use cranelift_entity::EntitySet;
use ptx_parser::{Base, Inst, Memory, Operand};
use rustc_hash::FxHashMap;

use crate::facts::Facts;
use crate::facts::accesses::is_own_output;
use crate::region::Region;

/// The most loads of one place that are looked at.
const MOST_LOADS: usize = 32;

/// The loads of a loop that read places which other loads have read before.
pub(crate) struct SameLoads<'a, 'k> {
    facts: &'a Facts<'k>,
    memory: &'a MemoryDependence<'a>,
    region: &'a Region,
    /// For each place, its loads in the order of the text.
    places: Vec<Vec<Inst>>,
}

impl<'a, 'k> SameLoads<'a, 'k> {
    /// Finds them in the marked loop of a path.
    pub(crate) fn of(facts: &'a Facts<'k>, memory: &'a MemoryDependence<'a>, region: &'a Region) -> SameLoads<'a, 'k> {
        let mut places: FxHashMap<(String, Value, i64), Vec<Inst>> = FxHashMap::default();
        let blocks = facts.cfg.blocks().filter(|&block| facts.loops.contains(region.marked_loop, block));
        for &inst in blocks.flat_map(|block| facts.cfg.insts(block)) {
            if let Some((address, offset)) = plain_load(facts, inst) {
                places.entry((facts.opcode(inst), address, offset)).or_default().push(inst);
            }
        }
        let places = places.into_values().filter(|loads| (2..=MOST_LOADS).contains(&loads.len())).collect();
        SameLoads { facts, memory, region, places }
    }

    /// For the values of loads, the earlier values that they equal, if none of some blocks is executed in the iteration.
    pub(crate) fn equal(&self, not_executed: &EntitySet<Block>) -> FxHashMap<Value, Value> {
        let mut equal = FxHashMap::default();
        for loads in &self.places {
            for &later in loads {
                let earlier = loads.iter().find(|&&earlier| self.gives_the_same(earlier, later, not_executed));
                let value = |inst: Inst| self.facts.values.defs(inst).first().map(|(_, value)| *value);
                if let (Some(earlier), Some(later)) = (earlier.and_then(|&inst| value(inst)), value(later)) {
                    equal.insert(later, earlier);
                }
            }
        }
        equal
    }

    fn gives_the_same(&self, earlier: Inst, later: Inst, not_executed: &EntitySet<Block>) -> bool {
        let cfg = &self.facts.cfg;
        let (Some(from), Some(to)) = (cfg.block_of(earlier), cfg.block_of(later)) else { return false };
        let own_loop = |block: Block| self.facts.loops.innermost(block) == Some(self.region.marked_loop);
        if earlier == later || !own_loop(from) || !own_loop(to) || !self.facts.dominators.dominates(from, to) {
            return false;
        }
        let Some(read) = self.memory.access(later) else { return true };
        let behind = |block: Block| cfg.insts(block).iter().copied().skip_while(|&inst| inst != earlier).skip(1);
        let before = |inst: &Inst| *inst != later;
        if from == to {
            let order: Vec<Inst> = behind(from).collect();
            return order.contains(&later) && order.into_iter().take_while(before).all(|inst| self.leaves(&read, inst));
        }
        let between = self.between(from, to);
        let mut blocks = cfg.blocks().filter(|&block| between.contains(block) && !not_executed.contains(block));
        behind(from).all(|inst| self.leaves(&read, inst))
            && cfg.insts(to).iter().copied().take_while(before).all(|inst| self.leaves(&read, inst))
            && blocks.all(|block| cfg.insts(block).iter().all(|&inst| self.leaves(&read, inst)))
    }

    /// Returns true if an instruction does not change what a load reads.
    fn leaves(&self, read: &Access, inst: Inst) -> bool {
        let Some(write) = self.memory.access(inst).filter(|access| access.writes) else { return true };
        if is_own_output(self.facts.kernel, inst) {
            return true;
        }
        let relation = self.memory.relation(&write, read, self.region.marked_loop);
        let of_path = self.facts.cfg.block_of(inst).is_some_and(|block| self.region.contains(block));
        relation == Relation::Disjoint || relation == Relation::Unknown && of_path
    }

    /// The blocks between two in an iteration.
    fn between(&self, from: Block, to: Block) -> EntitySet<Block> {
        let cfg = &self.facts.cfg;
        let behind = self.facts.behind(self.region.marked_loop, from);
        let mut found = EntitySet::new();
        let mut work = cfg.preds(to).to_vec();
        while let Some(block) = work.pop() {
            if block != from && block != to && behind.contains(block) && found.insert(block) {
                work.extend(cfg.preds(block));
            }
        }
        found
    }
}

/// The address and offset of a load that any other one may stand for.
fn plain_load(facts: &Facts<'_>, inst: Inst) -> Option<(Value, i64)> {
    let plain = facts.kernel.properties(inst).memory == Memory::Read && facts.is_weak(inst);
    if !plain || facts.kernel.inst(inst).guard.is_some() || facts.values.defs(inst).len() != 1 {
        return None;
    }
    match facts.kernel.operands(inst).get(1)? {
        Operand::Address(Base::Reg(reg), offset) => Some((facts.values.at_use(inst, *reg)?, offset.get())),
        _ => None,
    }
}
