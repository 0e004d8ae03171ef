//! Barriers on both ways of a branch, where lanes wait for each other without a loop.
//!
//! ```text
//! if (wanted) { a[i] = x; __syncwarp(); … }       waits for the lanes of the other way,
//! else        { b[i] = y; __syncwarp(); … }       which on a reconvergence stack wait until this one is over
//! ```
//!
//! Lanes that are scheduled independently meet at two instructions of one mask, or of one barrier that threads come to one by one (PTX ISA, `bar.warp.sync` and `barrier`).
//! One of the two may only arrive (`barrier.arrive`): who waits for it waits for its way.
//!
//! At votes and exchanges, lanes meet at one instruction. Where calls on both ways were replaced by the body of a function that has one, it is there twice: lanes that met in the function
//! do not meet in the copies.
//!
//! Whether the lanes of a warp part at such a branch is often not to be seen, as where a warp chooses its part by its number. So these are no findings; the user is told what is
//! assumed.

use analysis::{Analyses, Block, Value};
use ptx_parser::{Inst, Kernel, Mnemonic, Modifier, Operand, Position};
use rustc_hash::FxHashMap;

use crate::detect::blocked_region::{Blockades, PartingId, Way};

/// Two instructions on different ways of a branch that lanes wait for each other at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub(crate) branch: Block,
    pub(crate) one: Inst,
    pub(crate) other: Inst,
    /// True if both are copies of one instruction.
    pub(crate) copies: bool,
}

/// The lanes or threads that lanes wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    /// The lanes of a mask.
    Lanes(Name),
    /// The threads that come to a barrier of the CTA.
    Threads(Name),
    /// The lanes of a mask that come to one instruction, of which there are copies, at a position of the function that they were copied from.
    Copies(Position, Name),
}

/// An instruction by which lanes come to others.
struct Arrival {
    block: Block,
    inst: Inst,
    who: Who,
    /// True if they wait for the others: not at `barrier.arrive`.
    waits: bool,
}

/// A mask, or the number of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    Number(i64),
    Value(Value),
}

/// The pairs of a kernel, one for each branch, in the order of the branches; `origin` says where instructions were copied from.
pub(crate) fn pairs(facts: &Analyses, kernel: &Kernel, origin: &dyn Fn(Inst) -> Option<Position>) -> Vec<Pair> {
    let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().map(move |&inst| (block, inst)));
    let arrivals: Vec<Arrival> =
        insts.filter_map(|(block, inst)| arrival(facts, kernel, (block, inst), origin)).collect();
    if arrivals.len() < 2 {
        return Vec::new();
    }
    let blockades = Blockades::of(facts, kernel);
    let mut known: FxHashMap<(PartingId, Who), Vec<(usize, &Arrival)>> = FxHashMap::default();
    let mut found: FxHashMap<PartingId, Pair> = FxHashMap::default();
    for arrival in &arrivals {
        for &(parting, way) in blockades.led_to(arrival.block) {
            let Way::Only(way) = way else { continue };
            let known = known.entry((parting, arrival.who)).or_default();
            // Two that only arrive wait for nobody.
            let waits = |other: &Arrival| arrival.waits || other.waits;
            if let Some((_, other)) = known.iter().find(|(other_way, other)| *other_way != way && waits(other)) {
                let branch = blockades.branch(parting);
                let copies = matches!(arrival.who, Who::Copies(..));
                found.entry(parting).or_insert(Pair { branch, one: other.inst, other: arrival.inst, copies });
            }
            if !known.iter().any(|(other_way, other)| (*other_way, other.waits) == (way, arrival.waits)) {
                known.push((way, arrival));
            }
        }
    }
    let mut pairs: Vec<Pair> = found.into_values().collect();
    pairs.sort_unstable_by_key(|pair| pair.branch);
    pairs
}

/// Returns whom lanes come to at an instruction, if others may come to them by another one.
fn arrival(
    facts: &Analyses,
    kernel: &Kernel,
    (block, inst): (Block, Inst),
    origin: &dyn Fn(Inst) -> Option<Position>,
) -> Option<Arrival> {
    let opcode = kernel.opcode(inst);
    let operands = kernel.operands(inst);
    let name = |operand: &Operand| {
        let number = facts.values.constant(kernel, inst, operand).map(Name::Number);
        number.or_else(|| facts.values.of_operand(inst, operand).map(Name::Value))
    };
    let lanes = |mask: &Operand| {
        let all = facts.values.names_all_lanes(kernel, inst, mask).then_some(Name::Number(-1));
        all.or_else(|| name(mask))
    };
    match opcode.mnemonic() {
        Mnemonic::Bar if opcode.has(Modifier::Warp) => {
            let who = Who::Lanes(lanes(operands.first()?)?);
            Some(Arrival { block, inst, who, waits: true })
        }
        _ if kernel.properties(inst).waits_for_named => {
            let who = Who::Copies(origin(inst)?, lanes(operands.last()?)?);
            Some(Arrival { block, inst, who, waits: true })
        }
        Mnemonic::Barrier if !opcode.has_any(&[Modifier::Aligned, Modifier::Cluster]) => {
            let waits = opcode.has_any(&[Modifier::Sync, Modifier::Red]);
            if !waits && !opcode.has(Modifier::Arrive) {
                return None;
            }
            // A result stands before the number of the barrier.
            let name = name(operands.get(kernel.defs(inst).len())?)?;
            Some(Arrival { block, inst, who: Who::Threads(name), waits })
        }
        _ => None,
    }
}
