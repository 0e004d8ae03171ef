//! Strides: by how much a value grows from one lane of a warp to the next.
//!
//! A value that is the same in all lanes has stride 0, `%tid.x` has stride 1, and what is linear in values of known strides has one
//! too: the address of element `%tid.x` of an array of 4-byte words has stride 4. A loop that adds the same to the index of every
//! lane leaves its stride as it is. Where paths meet, the lanes are taken to have come the same way.
//!
//! What is known is about a warp whose lanes have neighbouring numbers in x and did the same so far. It says how accesses will most
//! likely lie in memory, and is for deciding what pays; nothing that must be right may depend on it.

use std::fmt::Write as _;

use cranelift_entity::SecondaryMap;
use ptx_parser::{Component, Inst, Kernel, Linear, Operand, SpecialName, Uniformity};

use crate::cfg::Cfg;
use crate::divergence::Divergence;
use crate::ssa::{Value, ValueKind, Values};

/// The stride of every value.
#[derive(Clone, Debug)]
pub struct Strides {
    strides: SecondaryMap<Value, Stride>,
}

/// The stride of one value, as far as it is known.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum Stride {
    /// Nothing has been seen yet that speaks against any.
    #[default]
    Open,
    /// This many.
    Known(i64),
    /// None that is the same for all lanes.
    Varies,
}

impl Stride {
    fn meet(self, other: Stride) -> Stride {
        match (self, other) {
            (Stride::Open, stride) | (stride, Stride::Open) => stride,
            (one, other) if one == other => one,
            _ => Stride::Varies,
        }
    }

    fn with(self, other: Stride, combine: impl Fn(i64, i64) -> i64) -> Stride {
        match (self, other) {
            (Stride::Varies, _) | (_, Stride::Varies) => Stride::Varies,
            (Stride::Known(one), Stride::Known(other)) => Stride::Known(combine(one, other)),
            _ => Stride::Open,
        }
    }
}

impl Strides {
    /// Computes the strides.
    #[must_use]
    pub fn of(kernel: &Kernel, cfg: &Cfg, values: &Values, divergence: &Divergence) -> Strides {
        let mut strides = Strides { strides: SecondaryMap::with_capacity(values.count()) };
        // A stride only goes from open to known to none, so that this ends; in this order, mostly after a few rounds.
        loop {
            let mut changed = false;
            for block in cfg.reverse_postorder().iter().copied() {
                let defs = cfg.insts(block).iter().flat_map(|&inst| values.defs(inst).iter().map(|&(_, value)| value));
                for value in values.phis(block).iter().copied().chain(defs) {
                    let found = strides.visit(kernel, values, divergence, value);
                    let known = strides.strides[value].meet(found);
                    changed |= known != strides.strides[value];
                    strides.strides[value] = known;
                }
            }
            if !changed {
                return strides;
            }
        }
    }

    /// By how much a value grows from one lane to the next; `None` if that is not known.
    #[must_use]
    pub fn stride(&self, value: Value) -> Option<i64> {
        match self.strides[value] {
            Stride::Known(stride) => Some(stride),
            Stride::Open | Stride::Varies => None,
        }
    }

    /// One line per value that has a stride other than 0.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel, values: &Values) -> String {
        let mut text = String::new();
        for value in values.iter() {
            if let Some(stride) = self.stride(value).filter(|&stride| stride != 0) {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{}: {stride}", kernel.reg_name(values.reg(value)));
            }
        }
        text
    }

    fn visit(&self, kernel: &Kernel, values: &Values, divergence: &Divergence, value: Value) -> Stride {
        if divergence.value_is_uniform(value) {
            return Stride::Known(0);
        }
        match values.kind(value) {
            ValueKind::Undefined(_) => Stride::Varies,
            ValueKind::Phi(..) => {
                let inputs = values.inputs(kernel, value);
                inputs.into_iter().fold(Stride::Open, |stride, input| stride.meet(self.strides[input]))
            }
            ValueKind::Def(..) if values.old(value).is_some() => Stride::Varies,
            ValueKind::Def(inst, _) => self.linear(kernel, values, divergence, inst),
        }
    }

    fn linear(&self, kernel: &Kernel, values: &Values, divergence: &Divergence, inst: Inst) -> Stride {
        let operand = |index: usize| self.operand(kernel, values, divergence, inst, index);
        let constant = |index: usize| match kernel.operands(inst).get(index) {
            Some(Operand::Int(number)) => Some(*number),
            _ => None,
        };
        let scaled = |stride: Stride, factor: Option<i64>| match (stride, factor) {
            (Stride::Known(0) | Stride::Open | Stride::Varies, None) => stride,
            (Stride::Known(_), None) => Stride::Varies,
            (stride, Some(factor)) => stride.with(Stride::Known(factor), i64::wrapping_mul),
        };
        // Of two factors, one must be a number, or both the same in all lanes.
        let product = || match (constant(1), constant(2)) {
            (_, Some(factor)) => scaled(operand(1), Some(factor)),
            (Some(factor), None) => scaled(operand(2), Some(factor)),
            (None, None) => {
                let both = |one, other| if one == 0 && other == 0 { 0 } else { i64::MAX };
                match operand(1).with(operand(2), both) {
                    Stride::Known(i64::MAX) => Stride::Varies,
                    stride => stride,
                }
            }
        };
        match kernel.properties(inst).linear {
            None => Stride::Varies,
            Some(Linear::Same) => operand(1),
            Some(Linear::Sum) => operand(1).with(operand(2), i64::wrapping_add),
            Some(Linear::Difference) => operand(1).with(operand(2), i64::wrapping_sub),
            Some(Linear::Product) => product(),
            Some(Linear::ProductSum) => product().with(operand(3), i64::wrapping_add),
            Some(Linear::Shifted) => {
                let factor = constant(2).and_then(|shift| u32::try_from(shift).ok());
                scaled(operand(1), factor.and_then(|shift| 1i64.checked_shl(shift)))
            }
        }
    }

    fn operand(&self, kernel: &Kernel, values: &Values, divergence: &Divergence, inst: Inst, index: usize) -> Stride {
        match kernel.operands(inst).get(index) {
            Some(Operand::Reg(reg)) if divergence.use_is_uniform(values, inst, *reg) => Stride::Known(0),
            Some(Operand::Reg(reg)) => values.at_use(inst, *reg).map_or(Stride::Varies, |value| self.strides[value]),
            Some(Operand::Int(_) | Operand::Symbol(..)) => Stride::Known(0),
            Some(Operand::Special(special)) => match special.name {
                SpecialName::Tid if special.component == Some(Component::X) => Stride::Known(1),
                SpecialName::Laneid => Stride::Known(1),
                name if matches!(name.uniformity(), Uniformity::Grid | Uniformity::Cta) => Stride::Known(0),
                _ => Stride::Varies,
            },
            _ => Stride::Varies,
        }
    }
}
