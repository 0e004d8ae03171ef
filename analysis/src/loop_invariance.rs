//! Loop invariance: which values cannot change while a loop runs.
//!
//! A value is invariant in a loop if it comes from outside the loop, or if a repeatable instruction computes it from
//! values that are invariant in the loop. Phis inside the loop count as changing.
//!
//! If a value changes in a loop, it changes in every loop around that one which also holds its definition. So one loop
//! per value says it all: the innermost in which it changes.

use std::fmt::Write as _;
use std::ops::Range;

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use ptx_parser::{Base, Inst, Kernel, KernelKind, Memory, Operand, Space, SpecialName, Uniformity};

use crate::cfg::{Block, Cfg};
use crate::loops::{Loop, Loops};
use crate::ssa::{Value, ValueKind, Values};

/// The loops in which each value changes.
#[derive(Clone, Debug)]
pub struct Invariance {
    /// The innermost loop in which a value changes.
    changes_in: SecondaryMap<Value, PackedOption<Loop>>,
    /// The range of each loop's blocks in one order of all blocks. A loop is nested in another one if its range is.
    extents: SecondaryMap<Loop, Range<usize>>,
}

impl Invariance {
    /// Computes the table.
    #[must_use]
    pub fn of(kernel: &Kernel, cfg: &Cfg, loops: &Loops, values: &Values) -> Invariance {
        let mut extents = SecondaryMap::new();
        loops.iter().for_each(|id| extents[id] = loops.extent(id));
        let mut invariance = Invariance { changes_in: SecondaryMap::with_capacity(values.count()), extents };
        // What an instruction reads is defined in a block that stands before it in reverse postorder, or is a phi.
        let reachable = cfg.reverse_postorder().iter().copied();
        for block in reachable {
            let innermost = loops.innermost(block);
            for &phi in values.phis(block) {
                invariance.changes_in[phi] = innermost.into();
            }
            for &inst in cfg.insts(block) {
                invariance.visit(kernel, loops, values, block, inst);
            }
        }
        invariance
    }

    fn visit(&mut self, kernel: &Kernel, loops: &Loops, values: &Values, block: Block, inst: Inst) {
        let Some(innermost) = loops.innermost(block) else { return };
        let repeatable = is_repeatable(kernel, inst);
        for &(_, def) in values.defs(inst) {
            self.changes_in[def] = if repeatable {
                let changing =
                    values.inputs(kernel, def).into_iter().filter_map(|input| self.changes_in[input].expand());
                let around = changing.filter_map(|changing| loops.common_of(changing, innermost));
                around.max_by_key(|&id| loops.depth(id)).into()
            } else {
                Some(innermost).into()
            };
        }
    }

    /// The innermost loop in which a value changes; `None` for one that is invariant in every loop.
    #[must_use]
    pub fn changes_in(&self, value: Value) -> Option<Loop> {
        self.changes_in[value].expand()
    }

    /// Returns true if a value stays the same for as long as the loop runs.
    #[must_use]
    pub fn is_invariant_in(&self, value: Value, id: Loop) -> bool {
        self.changes_in(value).is_none_or(|inner| {
            let (inner, outer) = (&self.extents[inner], &self.extents[id]);
            inner.start < outer.start || outer.end < inner.end
        })
    }

    /// One line per value that is defined in a loop: the innermost loop in which it changes.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, cfg: &Cfg, loops: &Loops, values: &Values) -> String {
        let mut text = String::new();
        for block in cfg.blocks().filter(|&block| loops.innermost(block).is_some()) {
            let defs = cfg.insts(block).iter().flat_map(|&inst| values.defs(inst)).map(|(_, def)| *def);
            for value in values.phis(block).iter().copied().chain(defs) {
                let where_ = match self.changes_in(value) {
                    Some(id) => format!("changes in {id}"),
                    None => "is invariant".to_owned(),
                };
                let kind = if matches!(values.kind(value), ValueKind::Phi(..)) { " (phi)" } else { "" };
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{}{kind} {where_}", values.name(kernel, cfg, value));
            }
        }
        text
    }
}

/// Returns true if a thread reads the same value from a special register for as long as it runs. Clocks, and the number of the
/// multiprocessor or of the warp on it, may change.
#[must_use]
pub fn is_fixed_per_thread(name: SpecialName) -> bool {
    use SpecialName::{Laneid, LanemaskEq, LanemaskGe, LanemaskGt, LanemaskLe, LanemaskLt, Tid};
    match name.uniformity() {
        Uniformity::Grid | Uniformity::Cta => true,
        Uniformity::WarpVarying => false,
        Uniformity::Lane => {
            matches!(name, Tid | Laneid | LanemaskEq | LanemaskLe | LanemaskLt | LanemaskGe | LanemaskGt)
        }
    }
}

/// Returns true if a thread that executes an instruction again with the same inputs gets the same results and does nothing
/// else: the instruction is pure ([`ptx_parser::Properties::is_pure`]) and reads no clock, or it loads from memory
/// that does not change while the kernel runs.
#[must_use]
pub fn is_repeatable(kernel: &Kernel, inst: Inst) -> bool {
    if loads_constant(kernel, inst) {
        return true;
    }
    let mut fixed = kernel.properties(inst).is_pure();
    kernel.visit_operands(inst, |operand| {
        if let Operand::Special(special) = operand {
            fixed &= is_fixed_per_thread(special.name);
        }
    });
    fixed
}

/// Returns true if an instruction loads from constant memory or from the parameters of a `.entry`, which nothing writes while
/// the kernel runs. The parameter space of a function, and the `.param` variables through which arguments are passed,
/// are not meant.
pub(crate) fn loads_constant(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    if properties.memory != Memory::Read || properties.volatile || properties.side_effect || properties.convergent {
        return false;
    }
    match properties.space {
        Some(Space::Const) => true,
        Some(Space::Param) => kernel.kind() == KernelKind::Entry && addresses_parameter(kernel, inst),
        _ => false,
    }
}

fn addresses_parameter(kernel: &Kernel, inst: Inst) -> bool {
    let mut addresses = false;
    kernel.visit_operands(inst, |operand| match operand {
        Operand::Address(Base::Symbol(symbol), _) => {
            let name = kernel.symbol_name(*symbol);
            addresses = kernel.variable(*symbol).is_none() && kernel.params().iter().any(|param| &*param.name == name);
        }
        // An address in a register is one of a parameter if there is nothing else in that space.
        Operand::Address(..) => addresses = kernel.variables().all(|(_, variable)| variable.space != Space::Param),
        _ => {}
    });
    addresses
}
