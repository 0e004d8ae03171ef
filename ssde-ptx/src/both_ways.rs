//! Barriers on both ways of a branch, where lanes wait for each other without a loop.
//!
//! ```text
//! if (wanted) { a[i] = x; __syncwarp(); … }       waits for the lanes of the other way,
//! else        { b[i] = y; __syncwarp(); … }       which on a reconvergence stack wait until this one is over
//! ```
//!
//! Lanes that are scheduled independently meet at two instructions of one mask, or of one barrier that threads come to one by one (PTX ISA, `bar.warp.sync` and `barrier`).
//! Those that only arrive there (`barrier.arrive`) keep back who waits all the same, as long as their way is not gone. Whether the lanes of a warp part at such a branch is often not to be seen, as where a warp chooses its part by its number. So these are no findings; the
//! user is told what is assumed.

use analysis::{Analyses, Block, Value};
use ptx_parser::{Inst, Kernel, Operand};
use rustc_hash::FxHashMap;

use crate::blocked::{Blockades, Way};

/// Two instructions on different ways of a branch that lanes wait for each other at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    pub(crate) branch: Block,
    pub(crate) one: Inst,
    pub(crate) other: Inst,
}

/// Whom lanes wait for.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Who {
    /// The lanes of a mask.
    Lanes(Name),
    /// The threads that come to a barrier of the CTA.
    Threads(Name),
}

/// Where lanes come to, and whether they wait there for others.
struct Comes {
    who: Who,
    waits: bool,
}

/// An instruction by which lanes come there, on one way of a branch.
struct Coming {
    way: usize,
    waits: bool,
    inst: Inst,
}

/// A mask, or the number of a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Name {
    Number(i64),
    Value(Value),
}

/// The pairs of a kernel, one for each branch, in the order of the branches.
pub(crate) fn pairs(facts: &Analyses, kernel: &Kernel) -> Vec<Pair> {
    let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().map(move |&inst| (block, inst)));
    let coming: Vec<(Block, Inst, Comes)> =
        insts.filter_map(|(block, inst)| Some((block, inst, comes_to(facts, kernel, inst)?))).collect();
    if coming.len() < 2 {
        return Vec::new();
    }
    let blockades = Blockades::of(facts, kernel);
    let mut known: FxHashMap<(usize, Who), Vec<Coming>> = FxHashMap::default();
    let mut found: FxHashMap<usize, Pair> = FxHashMap::default();
    for (block, inst, Comes { who, waits }) in coming {
        for &(parting, way) in blockades.led_to(block) {
            let Way::Only(way) = way else { continue };
            let known = known.entry((parting, who)).or_default();
            // Two that only arrive wait for nobody.
            if let Some(other) = known.iter().find(|other| other.way != way && (waits || other.waits)) {
                let branch = blockades.branch(parting);
                found.entry(parting).or_insert(Pair { branch, one: other.inst, other: inst });
            }
            if !known.iter().any(|other| (other.way, other.waits) == (way, waits)) {
                known.push(Coming { way, waits, inst });
            }
        }
    }
    let mut pairs: Vec<Pair> = found.into_values().collect();
    pairs.sort_unstable_by_key(|pair| pair.branch);
    pairs
}

/// Where lanes meet at an instruction, if others may meet them there by another one.
fn comes_to(facts: &Analyses, kernel: &Kernel, inst: Inst) -> Option<Comes> {
    let words: Vec<&str> = kernel.opcode(inst).text().split('.').collect();
    let operands = kernel.operands(inst);
    let name = |operand: &Operand| {
        let number = facts.values.constant(kernel, inst, operand).map(Name::Number);
        number.or_else(|| facts.values.of_operand(inst, operand).map(Name::Value))
    };
    match words.as_slice() {
        ["bar", "warp", "sync"] => {
            let mask = operands.first()?;
            let all = facts.values.names_all_lanes(kernel, inst, mask).then_some(Name::Number(-1));
            all.or_else(|| name(mask)).map(|name| Comes { who: Who::Lanes(name), waits: true })
        }
        ["barrier", rest @ ..] if !rest.contains(&"aligned") && !rest.contains(&"cluster") => {
            let waits = rest.contains(&"sync") || rest.contains(&"red");
            if !waits && !rest.contains(&"arrive") {
                return None;
            }
            // A result stands before the number of the barrier.
            let number = operands.get(kernel.defs(inst).len())?;
            name(number).map(|name| Comes { who: Who::Threads(name), waits })
        }
        _ => None,
    }
}
