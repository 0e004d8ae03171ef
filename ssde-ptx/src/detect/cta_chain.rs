//! Loops that wait for what CTAs pass on in one direction: `while (flag[blockIdx.x - 1] == 0);` … `flag[blockIdx.x] = 1;`.
//!
//! That a write is waited for from other CTAs only is not enough to keep a loop from deadlocking: where each CTA waits for the one before it, and the first
//! for the last, each may keep back the very write that the next one waits for. But in a chain there is no way back:
//!
//! # Why no such loop deadlocks
//!
//! Let all reads of a loop, and of the loops that it may wait for at second hand, be of addresses `base + factor * c + r`, and all writes that they wait for
//! of `base + factor * c + w`, where `base` and `factor` are the same for all of them, `c` is the number of the CTA in one dimension, and all differences
//! `r - w` are on one side of 0, by more than an access is wide. Call `base + factor * c` a CTA's *height*. Who waits in such a loop, waits for a CTA of another
//! height, all of them higher or all of them lower: heights are addresses, so that no row of them comes round. Lanes that are kept back by such a loop, or
//! that wait at a barrier for others of their CTA, wait for lanes of the same height that are in such a loop. So every row of threads that wait for each other ends, with one that
//! waits for nobody that another one keeps back: it gets on as it does where each thread has a program counter of its own. This takes
//! that nothing waits for other CTAs but these loops, so that kernels with barriers of a cluster are left out, and loops that depend on what
//! another loop passes on (`relay.rs`).
//!
//! # What is known of an address
//!
//! `c` is as large as a grid can be, below 2^31, and the constants that are added to it stay below 2^20. Where `c + number` is widened from 32 bits without a sign and is
//! negative, the address is some 2^32 elements beyond those of all CTAs, where no write of this form goes.

use analysis::{Analyses, Value};
use ptx_parser::{Base, Component, Inst, Kernel, Linear, Memory, Operand, Scope, SpecialName};

use crate::detect::alias::{Root, address, bytes, root};

/// The greatest depth to which addresses are followed.
const DEEPEST: u32 = 24;

/// The largest constant that is added to a CTA's number.
const FARTHEST: i64 = 1 << 20;

/// The place that an access goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    root: Root,
    component: Component,
    factor: i64,
    constant: i64,
    bytes: i64,
}

/// In which direction threads wait, along which heights.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Direction {
    root: Root,
    component: Component,
    factor: i64,
    upwards: bool,
}

/// A number of the CTA, times a factor, plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Scaled {
    component: Component,
    factor: i64,
    constant: i64,
}

impl Link {
    /// The address of an access, if it is one of those.
    pub(crate) fn of(facts: &Analyses, kernel: &Kernel, inst: Inst) -> Option<Link> {
        let properties = kernel.properties(inst);
        // Of anything but a plain access, the first address is not all.
        if properties.memory == Memory::Unknown || properties.convergent {
            return None;
        }
        let look = Look { facts, kernel };
        let (Base::Reg(reg), offset) = address(kernel, inst)? else { return None };
        let (root, scaled) = look.address(facts.values.at_use(inst, reg)?, DEEPEST)?;
        let Scaled { component, factor, constant } = scaled;
        Some(Link { root, component, factor, constant: constant.checked_add(offset)?, bytes: bytes(kernel, inst) })
    }

    /// In which direction who reads here waits for who writes there.
    pub(crate) fn towards(&self, write: &Link) -> Option<Direction> {
        let Link { root, component, factor, constant, bytes } = *self;
        let same = (root, component, factor) == (write.root, write.component, write.factor);
        let upwards = constant.checked_sub(write.constant)? >= write.bytes;
        let downwards = write.constant.checked_sub(constant)? >= bytes;
        (same && (upwards || downwards)).then_some(Direction { root, component, factor, upwards })
    }
}

/// Returns true if a kernel waits for other CTAs at barriers of its cluster.
pub(crate) fn has_clusters(facts: &Analyses, kernel: &Kernel) -> bool {
    let mut insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block));
    insts.any(|&inst| kernel.properties(inst).waits_for.is_some_and(|scope| scope != Scope::Cta))
}

struct Look<'a> {
    facts: &'a Analyses,
    kernel: &'a Kernel,
}

impl Look<'_> {
    /// A pointer to which a scaled number was added.
    fn address(&self, value: Value, depth: u32) -> Option<(Root, Scaled)> {
        let depth = depth.checked_sub(1)?;
        let inst = self.facts.values.made_by(self.kernel, value)?;
        let operands = self.kernel.operands(inst);
        let pointer = |operand: &Operand| match operand {
            Operand::Reg(reg) => match root(self.facts, self.kernel, self.facts.values.at_use(inst, *reg)?, DEEPEST) {
                (root, Some(offset)) if root != Root::Unknown => Some((root, offset)),
                _ => None,
            },
            _ => None,
        };
        let with = |(root, offset): (Root, i64), scaled: Scaled| {
            Some((root, Scaled { constant: scaled.constant.checked_add(offset)?, ..scaled }))
        };
        let moved = |operand: &Operand, number: i64| {
            let (root, scaled) = self.address(self.facts.values.of_operand(inst, operand)?, depth)?;
            with((root, number), scaled)
        };
        match (self.kernel.properties(inst).linear?, operands) {
            (Linear::Same, [_, one]) => self.address(self.facts.values.of_operand(inst, one)?, depth),
            (Linear::Sum, &[_, one, Operand::Int(number)]) => moved(&one, number),
            (Linear::Difference, &[_, one, Operand::Int(number)]) => moved(&one, number.checked_neg()?),
            (Linear::Sum, [_, one, other]) => {
                let (pointer, index) = match pointer(one) {
                    Some(pointer) => (pointer, other),
                    None => (pointer(other)?, one),
                };
                with(pointer, self.scaled(self.facts.values.of_operand(inst, index)?, depth)?)
            }
            (Linear::ProductSum, &[_, one, Operand::Int(factor), ref added]) => {
                with(pointer(added)?, self.product(self.facts.values.of_operand(inst, &one)?, factor)?)
            }
            _ => None,
        }
    }

    fn scaled(&self, value: Value, depth: u32) -> Option<Scaled> {
        let depth = depth.checked_sub(1)?;
        let inst = self.facts.values.made_by(self.kernel, value)?;
        let scaled = match (self.kernel.properties(inst).linear?, self.kernel.operands(inst)) {
            (Linear::Same, [_, one]) => self.scaled(self.facts.values.of_operand(inst, one)?, depth),
            (Linear::Product, &[_, one, Operand::Int(factor)]) => {
                self.product(self.facts.values.of_operand(inst, &one)?, factor)
            }
            (Linear::Shifted, &[_, one, Operand::Int(shift)]) if (0..16).contains(&shift) => {
                self.product(self.facts.values.of_operand(inst, &one)?, 1 << shift)
            }
            _ => None,
        };
        // Of 32 bits, a product may have lost its upper part.
        scaled.filter(|_| self.kernel.reg(self.facts.values.reg(value)).ty.bytes() == 8)
    }

    fn product(&self, value: Value, factor: i64) -> Option<Scaled> {
        let (component, number) = self.number(value, DEEPEST)?;
        let small = (1..FARTHEST).contains(&factor) && number.abs() < FARTHEST;
        small.then(|| Scaled { component, factor, constant: number * factor })
    }

    /// A number of the CTA plus a constant, in 32 bits or more.
    fn number(&self, value: Value, depth: u32) -> Option<(Component, i64)> {
        let depth = depth.checked_sub(1)?;
        let inst = self.facts.values.made_by(self.kernel, value)?;
        if self.kernel.opcode(inst).types().iter().any(|ty| ty.bytes() < 4) {
            return None;
        }
        let moved = |operand: &Operand, number: i64| {
            let (component, constant) = self.number(self.facts.values.of_operand(inst, operand)?, depth)?;
            let sum = constant.checked_add(number)?;
            (sum.abs() < FARTHEST).then_some((component, sum))
        };
        match (self.kernel.properties(inst).linear?, self.kernel.operands(inst)) {
            (Linear::Same, [_, Operand::Special(special)]) if special.name == SpecialName::Ctaid => {
                special.component.map(|component| (component, 0))
            }
            (Linear::Same, [_, one]) => self.number(self.facts.values.of_operand(inst, one)?, depth),
            (Linear::Sum, &[_, one, Operand::Int(number)]) => moved(&one, number),
            (Linear::Difference, &[_, one, Operand::Int(number)]) => moved(&one, number.checked_neg()?),
            _ => None,
        }
    }
}
