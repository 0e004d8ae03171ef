//! The code of reductions: where the parts of an accumulator are kept, and who folds what into what (see [`crate::reduction`]).
//!
//! Every accumulator of a loop has an array in shared memory with a slot per thread of the CTA, as wide as the register, beside the stacks.
//!
//! ```text
//! set up:   me = number of the thread in its CTA;  slot[me] = identity
//! start:    the region's copy = identity
//! deposit:  red.shared.add [slot[owner]], the region's copy
//! combine:  bar.warp.sync;  register = register + slot[me]
//! ```
//!
//! Only the owner touches its slot before its first context is on the stack and after the loop is over, and a `bar.warp.sync`
//! stands between that and what other lanes do. In between, lanes that run contexts of one owner at a time meet in an atomic.
//! Where shared memory has none (products, smallest and largest floats, sums of doubles on old targets), a loop of `atom.cas` does it: a
//! lane goes round again only if another one got through, so that it ends on every machine.
//!
//! The identity of floats is one by value alone: a NaN with it gives another NaN. So a part that is still the identity, bit for bit, is not
//! folded in. Where a thread folds nothing, its register keeps the NaN that it began with. For this, the identity of `min` and `max` is a NaN that
//! no operation makes of two others. (A sum that is NaN before the loop and to which all iterations add -0, or a product of which all factors
//! are 1, also keeps its bits; the original makes it the canonical NaN.)
//!
//! Where the loop folds with `.ftz`, which takes subnormal numbers for 0, so do the deposit and what folds the part in behind the loop. A register into which
//! nothing is folded keeps the subnormal number that it began with. So a part must tell whether anything was folded into it: then no result may be the
//! identity. That of `+` is the negative subnormal number nearest to 0, which `.ftz` reads as -0 and never writes. (A product that is subnormal before
//! the loop and of which all factors in paths are 1 keeps its bits; the original makes it 0.)

use cranelift_entity::PrimaryMap;
use ptx_parser::{Base, Code, Guard, Kernel, Label, Number, Operand, Operator, Reg, Relation, Space, Symbol, Type};

use crate::context::value::Source;
use crate::emit::loop_registers::Names;
use crate::emit::register_copies::Copies;
use crate::layout::width;
use crate::plan::path::Path;
use crate::reduction::{self, Accumulator, AccumulatorId, Part};

/// The arrays of the accumulators of a loop, and the registers for them.
pub(crate) struct Deposits {
    symbol: Symbol,
    /// The number of the thread in its CTA: what travels as the owner of a context.
    pub(crate) own: Reg,
    sums: PrimaryMap<AccumulatorId, Sum>,
}

/// An accumulator and registers of its type, for a part of it, and for a loop of `atom.cas`.
struct Sum {
    accumulator: Accumulator,
    /// The offset of its array from the start of all.
    offset: i64,
    part: Reg,
    old: Reg,
    fresh: Reg,
    /// The predicate that is true if a part is the identity, bit for bit; `Some` for floats only.
    nothing: Option<Reg>,
}

impl Deposits {
    /// Declares what the accumulators need; `None` if there are none.
    pub(crate) fn new(
        kernel: &mut Kernel,
        accumulators: &PrimaryMap<AccumulatorId, Accumulator>,
        threads: u32,
    ) -> Option<Deposits> {
        if accumulators.is_empty() {
            return None;
        }
        let layout = reduction::layout(accumulators, threads);
        let symbol = kernel.new_shared("ccc_parts", layout.align, layout.bytes);
        let mut reg = |stem: &str, ty: Type| kernel.new_reg(stem, ty);
        let own = reg("ccc_own", Type::B16);
        let sums = accumulators.values().zip(&layout.fields).map(|(accumulator, field)| Sum {
            accumulator: accumulator.clone(),
            offset: field.offset.cast_signed(),
            part: reg("ccc_part", accumulator.ty),
            old: reg("ccc_old", accumulator.ty),
            fresh: reg("ccc_fresh", accumulator.ty),
            nothing: (accumulator.number == Number::Float).then(|| reg("ccc_nothing", Type::Pred)),
        });
        let sums = sums.collect();
        Some(Deposits { symbol, own, sums })
    }

    /// Before the loop: every thread's slot holds the identity. `thread` is the number of the thread in its CTA.
    pub(crate) fn set_up(&self, names: &Names, thread: Reg) -> Code {
        let mut code = Code::new();
        code.ins().cvt(Type::U16, Type::U32, self.own, thread);
        for sum in self.sums.values() {
            identity(&mut code, &sum.accumulator, sum.part);
            self.address(&mut code, names, sum, self.own);
            code.ins().st(Space::Shared, sum.bits(), Base::Reg(names.temp), sum.offset, sum.part);
        }
        code
    }

    /// In the place of a region that a lane goes around, under a guard or none: what it found is what it leaves.
    pub(crate) fn pass(&self, kernel: &Kernel, parts: &[Part], guard: Option<Guard>, code: &mut Code) {
        for part in parts.iter().filter(|part| part.enters != part.leaves) {
            code.guarded(guard).copy(kernel.reg(part.leaves).ty, part.leaves, part.enters);
        }
    }

    /// Builds the beginning of a region: each copy of an accumulator holds the identity.
    pub(crate) fn start(&self, parts: &[Part], copies: &Copies, code: &mut Code) {
        for part in parts {
            if let Some(copy) = copies.of(Source::Reg(part.enters)) {
                identity(code, &self.sums[part.accumulator].accumulator, copy);
            }
        }
    }

    /// Builds the end of a region: what it adds goes to the owner of the context.
    pub(crate) fn deposit(&self, kernel: &mut Kernel, path: &Path, names: &Names, copies: &Copies) -> Code {
        let mut code = Code::new();
        let Some(owner) = copies.of(Source::Owner) else { return code };
        for part in &path.parts {
            let Some(copy) = copies.of(Source::Reg(part.leaves)) else { continue };
            let again = kernel.new_label("ccc_again");
            let sum = &self.sums[part.accumulator];
            self.address(&mut code, names, sum, owner);
            sum.fold(&mut code, names, copy, again);
        }
        code
    }

    /// Builds the code behind the loop, where the deposits of all lanes are made: each thread loads its own slots.
    pub(crate) fn take(&self, names: &Names) -> Code {
        let mut code = Code::new();
        for sum in self.sums.values() {
            self.address(&mut code, names, sum, self.own);
            code.ins().ld(Space::Shared, sum.bits(), sum.part, Base::Reg(names.temp), sum.offset);
        }
        code
    }

    /// For lanes that leave the loop for a block, under a guard or none: the accumulators that are alive there.
    pub(crate) fn combine(&self, target: analysis::Block, guard: Option<Guard>, code: &mut Code) {
        for sum in self.sums.values() {
            for &(_, reg) in sum.accumulator.left.iter().filter(|(block, _)| *block == target) {
                sum.combine(code, reg, guard);
            }
        }
    }

    /// The address of a thread's slot in the array of an accumulator at offset 0, in `temp`.
    fn address(&self, code: &mut Code, names: &Names, sum: &Sum, thread: Reg) {
        let Names { temp, slot, .. } = *names;
        code.ins().mul_wide(Type::U16, temp, thread, width(sum.accumulator.ty));
        code.ins().mov(Type::U32, slot, self.symbol);
        code.ins().add(Type::U32, temp, temp, slot);
    }
}

impl Sum {
    /// The type of its slot.
    fn bits(&self) -> Type {
        Type::untyped(self.accumulator.ty.bits())
    }

    /// Folds a register into the slot at `temp`, whatever other lanes do meanwhile.
    fn fold(&self, code: &mut Code, names: &Names, added: Reg, again: Label) {
        let Names { temp, test, .. } = *names;
        let Sum { accumulator, offset, part, old, fresh, .. } = self;
        let offset = *offset;
        let (space, base, bits) = (Space::Shared, Base::Reg(temp), self.bits());
        if let Some(ty) = atomic(accumulator) {
            code.ins().red(space, accumulator.operator, ty, base, offset, added);
            return;
        }
        code.ins().ld_volatile(space, bits, *part, base, offset);
        self.test_nothing(code, added);
        code.label(again);
        code.ins().copy(accumulator.ty, *old, *part);
        operation(code, accumulator, *fresh, *old, added, None);
        self.keep_where_nothing(code, *old);
        code.ins().atom_cas(space, bits, *part, (base, offset), *old, *fresh);
        code.ins().setp(Relation::NotEqual, bits, test, *part, *old);
        code.when(test).bra(again);
    }

    /// Folds the thread's own part into a register, under a guard or none.
    fn combine(&self, code: &mut Code, reg: Reg, guard: Option<Guard>) {
        let Sum { accumulator, part, fresh, .. } = self;
        if accumulator.number != Number::Float {
            operation(code, accumulator, reg, reg, *part, guard);
            return;
        }
        self.test_nothing(code, *part);
        operation(code, accumulator, *fresh, reg, *part, None);
        self.keep_where_nothing(code, reg);
        code.guarded(guard).copy(accumulator.ty, reg, *fresh);
    }

    /// Tests whether a part is the identity of floats. Other numbers need no test.
    fn test_nothing(&self, code: &mut Code, part: Reg) {
        if let Some(nothing) = self.nothing {
            let identity = identity_bits(&self.accumulator).cast_signed();
            code.ins().setp(Relation::Equal, self.bits(), nothing, part, identity);
        }
    }

    /// Puts `old` in the place of the fresh value where the part that was tested is the identity.
    fn keep_where_nothing(&self, code: &mut Code, old: Reg) {
        if let Some(nothing) = self.nothing {
            code.ins().selp(self.bits(), self.fresh, old, self.fresh, nothing);
        }
    }
}

/// The type of the atomic on shared memory (PTX ISA, "red"), if every target that has `vote.sync` has one.
fn atomic(accumulator: &Accumulator) -> Option<Type> {
    let Accumulator { operator, number, flushes, .. } = accumulator;
    let bits = accumulator.ty.bits();
    Some(match (operator, number) {
        // On shared memory it keeps subnormal numbers (PTX ISA, "red").
        _ if *flushes => return None,
        (Operator::Add, Number::Float) if bits == 32 => Type::F32,
        (Operator::Multiply, _) | (_, Number::Float) => return None,
        (Operator::Add, _) => Type::unsigned(bits),
        (Operator::Min | Operator::Max, number) => typed(*number, bits),
        (Operator::And | Operator::Or | Operator::Xor, _) => Type::untyped(bits),
    })
}

/// The type of numbers of a kind and a width of 32 or 64 bits.
fn typed(number: Number, bits: u32) -> Type {
    match number {
        Number::Integer | Number::Signed => Type::signed(bits),
        Number::Unsigned => Type::unsigned(bits),
        Number::Bits => Type::untyped(bits),
        Number::Float if bits == 64 => Type::F64,
        Number::Float => Type::F32,
    }
}

/// Combines two registers as the loop folds, under a guard or none. Floats are rounded, so that nothing is fused with it.
fn operation(code: &mut Code, accumulator: &Accumulator, to: Reg, a: Reg, b: Reg, guard: Option<Guard>) {
    let Accumulator { operator, number, flushes, .. } = *accumulator;
    let bits = accumulator.ty.bits();
    let ty = match operator {
        _ if number == Number::Float => typed(number, bits),
        Operator::Add | Operator::Multiply => Type::signed(bits),
        Operator::Min | Operator::Max => typed(number, bits),
        Operator::And | Operator::Or | Operator::Xor => Type::untyped(bits),
    };
    code.guarded(guard).combine(operator, ty, flushes, to, a, b);
}

/// Sets a register to the identity of the operator.
fn identity(code: &mut Code, accumulator: &Accumulator, to: Reg) {
    let value = identity_bits(accumulator);
    match accumulator.ty {
        Type::F32 => code.ins().mov(Type::F32, to, Operand::Float32(value as u32)),
        Type::F64 => code.ins().mov(Type::F64, to, Operand::Float64(value)),
        ty => code.ins().mov(Type::untyped(ty.bits()), to, value.cast_signed()),
    }
}

/// Returns the identity of the operator, which leaves every value as it is. The sum of floats has -0, because 0 + -0 is 0. Of floats, PTX's
/// `min` and `max` give the other operand for NaN, and the canonical NaN for two of them.
fn identity_bits(accumulator: &Accumulator) -> u64 {
    let bits = accumulator.ty.bits();
    let top = 1u64 << (bits - 1);
    let ones = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let float = |single: u32, double: u64| if bits == 32 { u64::from(single) } else { double };
    match (accumulator.operator, accumulator.number) {
        // The negative number nearest to 0: read as -0, and no result.
        (Operator::Add, Number::Float) if accumulator.flushes => top | 1,
        (Operator::Add, Number::Float) => top,
        (Operator::Multiply, Number::Float) => float(1f32.to_bits(), 1f64.to_bits()),
        (Operator::Min | Operator::Max, Number::Float) => float(0x7fc0_0001, 0x7ff8_0000_0000_0001),
        (Operator::Multiply, _) => 1,
        (Operator::Min, Number::Signed) => top - 1,
        (Operator::Max, Number::Signed) => top,
        (Operator::Min, _) | (Operator::And, _) => ones,
        (Operator::Add | Operator::Max | Operator::Or | Operator::Xor, _) => 0,
    }
}
