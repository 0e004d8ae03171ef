//! Loads that are executed where a context is collected (paper, Section 4.2, "memory divergence avoidance").
//!
//! ```text
//! before                              after
//!                                     J':   context = registers, load [costs + 4 * i]
//! REGION: cost = load [costs + 4 * i]       want = true
//!         … cost …                    REGION: … cost' …
//! ```
//!
//! Lanes of a warp have neighbouring iterations, so that a load at an address with the stride of its width touches one sector of 32 bytes
//! for several lanes. Collected contexts come from several iterations of the loop, and a run of the region may get a part of an
//! iteration's; the others' run then visits the same sectors again. Where the context is collected, the lanes are still neighbours.
//!
//! # Why the result is the same
//!
//! A load is hoisted from the beginning of the region, up to the first branch, join, or instruction that may write memory or wait for
//! another thread. So it is executed whenever the region is, and the lane that collects executes it exactly where the original did: at
//! its iteration, behind the same accesses of its own. What other iterations write may come earlier or later than it did, as
//! for every value of a context that was loaded in the loop; the directive says that iterations do not depend on each other.
//! Volatile, atomic and ordered loads stay. Its address is computed by copies of the region's instructions, in registers of their own.
//!
//! # When it pays
//!
//! A run of the region takes at most one iteration's contexts in part, so that it visits again at most the sectors of one access by 32
//! neighbours: as many as the access has bytes. In exchange, up to 32 contexts may grow by the values, which are stored and
//! loaded. Loads whose values take more bytes than the sectors that they could save stay; loads less than a sector apart save theirs
//! once.
//!
//! Contexts of one iteration mostly run together anyway, so that little is lost and little is to be gained. Counted on SSSP with 65,536
//! vertices on the emulator: where a quarter of the vertices take the path, collecting adds 1,014 sectors to 282,485, and hoisting the
//! cost takes 219 of them away again, in some 500 runs of the path; where nine tenths do, 1,474 of 11,295. That is half a sector for a run,
//! for which the run would store and load a value of each lane. So by default loads are hoisted where the context does not grow: where
//! the value takes the place of what only its address was made from.

use analysis::{Block, Strides, Value};
use cranelift_entity::EntitySet;
use ptx_parser::{Base, Flow, Inst, Memory, Operand, Ordering, Reg, Space, Type};

use crate::facts::{Facts, rematerializable};
use crate::options::Hoist;
use crate::origin::Origin;
use crate::region::Region;

/// Bytes of a sector, the unit in which memory beyond the multiprocessor is read.
const SECTOR: i64 = 32;

/// A load that is executed where the context is collected.
#[derive(Clone, Debug)]
pub(crate) struct HoistedLoad {
    pub(crate) inst: Inst,
    /// The register that the region finds its value in.
    pub(crate) reg: Reg,
    pub(crate) ty: Type,
    /// Sectors that 32 neighbouring lanes touch; `None` where that is not known.
    pub(crate) sectors: Option<i64>,
    pub(crate) at: Origin,
    /// The value that its address is made from, and what is added.
    base: Value,
    offset: i64,
    /// The instructions that compute the address, in order.
    pub(crate) chain: Vec<Inst>,
}

/// The hoisted loads of a region.
#[derive(Clone, Default, Debug)]
pub(crate) struct Hoisted {
    pub(crate) loads: Vec<HoistedLoad>,
    /// The instructions that the region does without.
    pub(crate) dropped: EntitySet<Inst>,
}

impl Hoisted {
    pub(crate) fn of(facts: &Facts<'_>, region: &Region, hoist: Hoist) -> Hoisted {
        if hoist == Hoist::Never {
            return Hoisted::default();
        }
        let (beginning, named) = (beginning(facts, region), rematerializable::named(facts));
        let candidate = |index: usize| candidate(facts, &named, beginning.split_at_checked(index)?);
        let mut loads: Vec<HoistedLoad> = (0..beginning.len()).filter_map(candidate).collect();
        if loads.is_empty() {
            return Hoisted::default();
        }
        if hoist != Hoist::Always {
            let strides = Strides::of(facts.kernel, &facts.cfg, &facts.values, &facts.divergence);
            for load in &mut loads {
                let width = i64::from(load.ty.bytes());
                load.sectors = strides.stride(load.base).filter(|stride| stride.abs() == width).map(i64::abs);
            }
            let all = loads.clone();
            loads.retain(|load| pays(load, &all));
        }
        let dropped = dropped(facts, region, &beginning, &loads);
        Hoisted { loads, dropped }
    }
}

/// The instructions that every run of the region begins with, each once.
fn beginning(facts: &Facts<'_>, region: &Region) -> Vec<Inst> {
    let inside = |block: Block| facts.cfg.preds(block).iter().filter(|&&pred| region.contains(pred)).count();
    let mut insts = Vec::new();
    let mut block = region.entry;
    if inside(block) > 0 {
        return insts;
    }
    loop {
        for &inst in facts.cfg.insts(block) {
            let properties = facts.kernel.properties(inst);
            let writes = !matches!(properties.memory, Memory::None | Memory::Read);
            let acts = properties.side_effect || properties.convergent || !properties.known;
            if writes || acts || properties.flow == Flow::Call || properties.ordering != Ordering::Weak {
                return insts;
            }
            insts.push(inst);
        }
        match facts.cfg.distinct_succs(block).as_slice() {
            [next] if *next != region.exit && region.contains(*next) && facts.cfg.preds(*next).len() == 1 => {
                block = *next;
            }
            _ => return insts,
        }
    }
}

/// The load that an instruction of the beginning is, if it can be executed before the region. The beginning is cut in front of the instruction.
fn candidate(facts: &Facts<'_>, named: &EntitySet<Reg>, (before, on): (&[Inst], &[Inst])) -> Option<HoistedLoad> {
    let (kernel, inst) = (facts.kernel, *on.first()?);
    let properties = kernel.properties(inst);
    let global = properties.memory == Memory::Read && properties.space == Some(Space::Global);
    if !global || properties.volatile || !can_be_repeated(facts, named, inst) {
        return None;
    }
    let [Operand::Reg(reg), Operand::Address(Base::Reg(address), offset)] = *kernel.operands(inst) else { return None };
    // Before the load, the register must be nothing to the region.
    let mentions = |other: &Inst| kernel.uses(*other).contains(&reg) || kernel.defs(*other).contains(&reg);
    if address == reg || before.iter().any(mentions) {
        return None;
    }
    let mut chain = Vec::new();
    slice(facts, named, before, inst, &mut chain)?;
    chain.sort_by_key(|inst| before.iter().position(|other| other == inst));
    Some(HoistedLoad {
        inst,
        reg,
        ty: kernel.reg(reg).ty,
        sectors: None,
        at: Origin::of(kernel, inst),
        base: facts.values.at_use(inst, address)?,
        offset: offset.get(),
        chain,
    })
}

/// The instructions of the beginning that what an instruction reads is computed by.
fn slice(facts: &Facts<'_>, named: &EntitySet<Reg>, before: &[Inst], inst: Inst, chain: &mut Vec<Inst>) -> Option<()> {
    const LONGEST: usize = 16;
    for reg in facts.kernel.reads(inst) {
        let mut before = before.iter();
        let Some(&source) = before.rfind(|other| facts.kernel.defs(**other).contains(&reg)) else { continue };
        if chain.contains(&source) {
            continue;
        }
        let alone = facts.kernel.defs(source).len() == 1
            && matches!(facts.kernel.operands(source).first(), Some(Operand::Reg(_)));
        if !facts.kernel.properties(source).is_pure()
            || !alone
            || !can_be_repeated(facts, named, source)
            || chain.len() >= LONGEST
        {
            return None;
        }
        slice(facts, named, before.as_slice(), source, chain)?;
        chain.push(source);
    }
    // A register that is written twice in the chain would need two names.
    let results: Vec<Reg> = chain.iter().flat_map(|&inst| facts.kernel.defs(inst)).collect();
    let twice = results.iter().enumerate().any(|(index, reg)| results.iter().take(index).any(|other| other == reg));
    (!twice).then_some(())
}

/// Returns true if an instruction is unguarded, reads and writes nothing but scalar registers that the code of the rewrite can name, and has
/// nothing to do with local memory.
fn can_be_repeated(facts: &Facts<'_>, named: &EntitySet<Reg>, inst: Inst) -> bool {
    let kernel = facts.kernel;
    let plain = |reg: Reg| named.contains(reg) && rematerializable::is_scalar(facts, reg);
    let regs = kernel.reads(inst).into_iter().chain(kernel.defs(inst));
    let operand = |operand: &Operand| {
        matches!(
            operand,
            Operand::Reg(_)
                | Operand::Int(_)
                | Operand::Float32(_)
                | Operand::Float64(_)
                | Operand::Special(_)
                | Operand::Address(Base::Reg(_), _)
        )
    };
    kernel.inst(inst).guard.is_none()
        && regs.into_iter().all(plain)
        && kernel.operands(inst).iter().all(operand)
        && !facts.touches_local(inst)
}

/// Returns true if the values of the loads near this one take no more bytes than the sectors that they save.
fn pays(load: &HoistedLoad, all: &[HoistedLoad]) -> bool {
    let near = |other: &&HoistedLoad| other.base == load.base && (other.offset - load.offset).abs() < SECTOR;
    let bytes: i64 = all.iter().filter(near).map(|other| i64::from(other.ty.bytes())).sum();
    load.sectors.is_some_and(|sectors| bytes <= sectors)
}

/// The loads, and what only they needed.
fn dropped(facts: &Facts<'_>, region: &Region, beginning: &[Inst], loads: &[HoistedLoad]) -> EntitySet<Inst> {
    let reaching = facts.reaching(facts.kernel);
    let mut dropped: EntitySet<Inst> = EntitySet::new();
    loads.iter().for_each(|load| {
        dropped.insert(load.inst);
    });
    for &inst in beginning.iter().rev() {
        let chained = loads.iter().any(|load| load.chain.contains(&inst));
        let unused = |reg: &Reg| {
            let read = reaching.uses_of(inst, *reg).iter().any(|user| !dropped.contains(*user));
            !read && !facts.liveness.is_live_in(region.exit, *reg)
        };
        if chained && facts.kernel.defs(inst).iter().all(unused) {
            dropped.insert(inst);
        }
    }
    dropped
}
