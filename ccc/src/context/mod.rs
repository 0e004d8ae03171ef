//! The context of a region: the values that another lane needs to run it (paper, Section 2.3).
//!
//! The paper takes the registers that depend on the thread's special registers. That misses a value that is the same in all lanes
//! but changes from iteration to iteration, and results of atomics and loads. Here the context is every register that is
//! alive where the region begins and that the region reads, minus those that are proven to be the same in all lanes of the warp
//! *and* fixed while the loop runs *and* known to lanes that were parked.

pub(crate) mod compress;
pub(crate) mod derived_induction;
pub(crate) mod functional_dependence;
pub(crate) mod hoist;
pub(crate) mod min_cut;
pub(crate) mod preserved_values;
pub(crate) mod rematerialization;
pub(crate) mod value;

use analysis::{Block, Value, ValueKind};
use cranelift_entity::EntitySet;
use ptx_parser::{Inst, Memory, Operand, Reg, Space, Special, Type, Uniformity};
use rustc_hash::FxHashMap;

use crate::context::hoist::Hoisted;
use crate::context::value::{Context, ContextValue, Source, Why};
use crate::facts::rematerializable::is_scalar;
use crate::facts::{Facts, rematerializable};
use crate::layout::width;
use crate::options::{Hoist, Options};
use crate::reduction::Part;
use crate::refusal::Refusal;
use crate::region::Region;
use crate::region::arrival::Arrival;

impl Context {
    /// The context of a region. `outer` is the one that it lies in, whose copies it is collected from.
    pub(crate) fn of(
        facts: &Facts<'_>,
        region: &Region,
        arrival: &Arrival,
        parts: &[Part],
        outer: Option<(&Region, &Context)>,
        options: &Options,
        hoist: Hoist,
    ) -> Result<Context, Refusal> {
        if hoist == Hoist::WhereFree {
            let with = |hoist| Context::of(facts, region, arrival, parts, outer, options, hoist);
            let hoisted = with(Hoist::WhereNeighbours)?;
            if hoisted.loads.loads.is_empty() {
                return Ok(hoisted);
            }
            let plain = with(Hoist::Never)?;
            return Ok(if hoisted.bytes() <= plain.bytes() { hoisted } else { plain });
        }
        // In an outer region, a lane has no neighbours any more.
        let loads = Hoisted::of(facts, region, if outer.is_some() { Hoist::Never } else { hoist });
        let (mut needed, mut written) = needed(facts, region, &loads.dropped);
        check_written(facts, region, &written)?;
        // A region starts with a reduction of its own, in a copy.
        needed.retain(|&reg| parts.iter().all(|part| part.enters != reg));
        needed.retain(|&reg| loads.loads.iter().all(|load| load.reg != reg));
        let entered: Vec<Reg> = parts.iter().map(|part| part.enters).filter(|reg| !written.contains(reg)).collect();
        written.extend(entered);
        let mut context = Context { written, loads, ..Context::default() };
        for reg in needed {
            let mut moved = Vec::new();
            let why = match facts.values.live_in(region.entry, reg) {
                Some(value) => why(facts, region, arrival, value, &mut moved),
                None => Some(Why::Divergent("its value is not known".to_owned())),
            };
            context.hoist(&moved);
            match why {
                None => context.kept.push(reg),
                Some(_) if !is_scalar(facts, reg) => return Err(no_copy(facts, reg)),
                Some(why) => context.push(Source::Reg(reg), facts.kernel.reg(reg).ty, why),
            }
        }
        for special in specials(facts, region, &context.loads.dropped) {
            let ty = match special.name.bits() {
                1 => Type::Pred,
                64 => Type::B64,
                _ => Type::B32,
            };
            context.push(Source::Special(special), ty, Why::Special);
        }
        let loaded: Vec<(Reg, Type)> = context.loads.loads.iter().map(|load| (load.reg, load.ty)).collect();
        for (reg, ty) in loaded {
            context.push(Source::Loaded(reg), ty, Why::Loaded);
        }
        if !parts.is_empty() {
            context.push(Source::Owner, Type::B16, Why::Owner);
        }
        context.uncompressed = context.bytes();
        if options.compress {
            compress::compress(facts, region, arrival, outer, &mut context, options);
        }
        Ok(context)
    }

    /// The bytes that are stored for a lane.
    fn bytes(&self) -> u32 {
        self.values.iter().map(|value| width(value.ty)).sum()
    }

    fn push(&mut self, source: Source, ty: Type, why: Why) {
        self.values.push(ContextValue { source, ty, why, stored: None });
    }

    /// Returns true if a register of the region holds a value of the loop outside of it: one that travelled, or was computed from what did.
    pub(crate) fn brings(&self, reg: Reg) -> bool {
        self.values.iter().any(|value| value.source == Source::Reg(reg))
            || self.recomputed.iter().any(|value| value.reg == reg)
    }

    /// Notes instructions to be moved up, each once.
    pub(crate) fn hoist(&mut self, moved: &[Inst]) {
        for &inst in moved {
            if !self.hoisted.contains(&inst) {
                self.hoisted.push(inst);
            }
        }
    }
}

fn no_copy(facts: &Facts<'_>, reg: Reg) -> Refusal {
    let data = facts.kernel.reg(reg);
    let ty = if data.lanes > 1 { format!(".v{} {}", data.lanes, data.ty) } else { "condition code".to_owned() };
    Refusal::ContextType { reg: facts.kernel.reg_name(reg).to_owned(), ty }
}

/// Checks that the region writes nothing without a copy that a lane which runs it for another still needs.
fn check_written(facts: &Facts<'_>, region: &Region, written: &[Reg]) -> Result<(), Refusal> {
    let header = facts.loops.header(region.marked_loop);
    let alive = |reg: Reg| {
        let exits = facts.loops.exits(region.marked_loop);
        facts.liveness.is_live_in(header, reg) || exits.iter().any(|exit| facts.liveness.is_live_in(exit.to, reg))
    };
    let vector = |reg: Reg| facts.kernel.reg(reg).lanes > 1;
    match written.iter().find(|&&reg| !is_scalar(facts, reg) && (vector(reg) || alive(reg))) {
        Some(&reg) => Err(no_copy(facts, reg)),
        None => Ok(()),
    }
}

/// The registers whose value from before the region it reads, and those that it writes, both in order of their numbers. It does without
/// the instructions that are dropped.
fn needed(facts: &Facts<'_>, region: &Region, dropped: &EntitySet<Inst>) -> (Vec<Reg>, Vec<Reg>) {
    let mut live: FxHashMap<Block, EntitySet<Reg>> = FxHashMap::default();
    let mut written = EntitySet::new();
    // Liveness within the region alone, as if nothing were read behind it. Blocks backwards, until nothing changes.
    loop {
        let mut changed = false;
        for &block in region.blocks.iter().rev() {
            let mut set = EntitySet::<Reg>::new();
            for successor in facts.cfg.distinct_succs(block) {
                for reg in live.get(&successor).into_iter().flat_map(EntitySet::iter) {
                    set.insert(reg);
                }
            }
            for &inst in facts.cfg.insts(block).iter().rev().filter(|&&inst| !dropped.contains(inst)) {
                for reg in facts.kernel.defs(inst) {
                    written.insert(reg);
                    set.remove(reg);
                }
                for reg in facts.kernel.uses(inst) {
                    set.insert(reg);
                }
            }
            let known = live.entry(block).or_default();
            if known.iter().count() != set.iter().count() {
                *known = set;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    (live.remove(&region.entry).unwrap_or_default().iter().collect(), written.iter().collect())
}

/// The special registers of the executing thread that the region reads, each once, in order of first mention. Clocks and counters
/// are read when the region runs, wherever that is.
fn specials(facts: &Facts<'_>, region: &Region, dropped: &EntitySet<Inst>) -> Vec<Special> {
    let mut list = Vec::new();
    for &block in &region.blocks {
        for &inst in facts.cfg.insts(block).iter().filter(|&&inst| !dropped.contains(inst)) {
            facts.kernel.visit_operands(inst, |operand| {
                if let Operand::Special(special) = operand
                    && is_of_thread(*special)
                    && !list.contains(special)
                {
                    list.push(*special);
                }
            });
        }
    }
    list
}

/// Returns true if a special register says who the thread is, and not what time it is.
fn is_of_thread(special: Special) -> bool {
    use ptx_parser::SpecialName::*;
    special.name.uniformity() == Uniformity::Lane
        && !matches!(special.name, Clock | ClockHi | Clock64 | Globaltimer | GlobaltimerLo | GlobaltimerHi | Pm(_))
}

/// Returns the reason why a value must travel with the context. `None` if every lane has the same value at every time, once the
/// instructions in `moved` are moved up to the anchor.
pub(crate) fn why(
    facts: &Facts<'_>,
    region: &Region,
    arrival: &Arrival,
    value: Value,
    moved: &mut Vec<Inst>,
) -> Option<Why> {
    if !facts.divergence.is_uniform_at(&facts.loops, value, region.entry) {
        return Some(Why::Divergent(facts.value_cause(value)));
    }
    let block = facts.values.block(value);
    if facts.loops.contains(region.marked_loop, block) {
        return Some(Why::Changes);
    }
    // A block that dominates the anchor was executed by every lane that reaches the loop.
    if facts.dominators.dominates(block, arrival.anchor) && facts.divergence.is_whole_warp(block) {
        return None;
    }
    if hoistable(facts, arrival, value, moved, 0) {
        return None;
    }
    moved.clear();
    Some(Why::Unavailable)
}

/// Returns true if a value can be computed at the anchor: by an instruction that may run for lanes that would not have run it, that is the
/// only one to write its register, and whose inputs are known there or can be moved too.
fn hoistable(facts: &Facts<'_>, arrival: &Arrival, value: Value, moved: &mut Vec<Inst>, depth: u32) -> bool {
    const DEEPEST: u32 = 16;
    let ValueKind::Def(inst, reg) = facts.values.kind(value) else { return false };
    let kernel = facts.kernel;
    let properties = kernel.properties(inst);
    let parameter = properties.memory == Memory::Read && properties.space == Some(Space::Param) && !properties.volatile;
    let only = defs_of(facts, reg) == 1 && kernel.defs(inst).len() == 1;
    let plain = only && (properties.is_pure() || parameter) && kernel.inst(inst).guard.is_none();
    if depth > DEEPEST || !plain || !rematerializable::stands_outermost(facts, inst) {
        return false;
    }
    for input in kernel.uses(inst) {
        let Some(value) = facts.values.at_use(inst, input) else { return false };
        let block = facts.values.block(value);
        let undefined = matches!(facts.values.kind(value), ValueKind::Undefined(_));
        let known = !undefined && facts.dominators.dominates(block, arrival.anchor);
        if !known && !hoistable(facts, arrival, value, moved, depth + 1) {
            return false;
        }
    }
    if !moved.contains(&inst) {
        moved.push(inst);
    }
    true
}

/// Returns how many instructions write a register.
pub(crate) fn defs_of(facts: &Facts<'_>, reg: Reg) -> usize {
    facts
        .values
        .iter()
        .filter(|&value| matches!(facts.values.kind(value), ValueKind::Def(_, other) if other == reg))
        .count()
}
