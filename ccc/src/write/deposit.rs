//! The code of reductions, as PTX text: where the parts of an accumulator are kept, and who folds what into what (see [`crate::reduction`]).
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

use ptx_parser::{Kernel, Number, Operator, Symbol, Type};

use crate::context::Source;
use crate::plan::Path;
use crate::reduction::{Accumulator, Part};
use crate::write::copies::{Copies, copy_text, new_reg};
use crate::write::machinery::Names;
use crate::write::stack::{Layout, width};

/// The arrays of the accumulators of a loop, and the registers for them.
pub(crate) struct Deposits {
    symbol: Symbol,
    layout: Layout,
    /// The number of the thread in its CTA: what travels as the owner of a context.
    pub(crate) own: String,
    sums: Vec<Sum>,
}

/// An accumulator and registers of its type, for a part of it, and for a loop of `atom.cas`.
struct Sum {
    accumulator: Accumulator,
    part: String,
    old: String,
    fresh: String,
    /// Of floats: whether a part is the identity, bit for bit.
    nothing: Option<String>,
}

/// Where the accumulators are kept for CTAs of up to `threads` threads.
pub(crate) fn layout(accumulators: &[Accumulator], threads: u32) -> Layout {
    let types: Vec<Type> = accumulators.iter().map(|accumulator| accumulator.ty).collect();
    Layout::of(&types, threads)
}

impl Deposits {
    /// Declares what the accumulators need; `None` if there are none.
    pub(crate) fn new(kernel: &mut Kernel, accumulators: &[Accumulator], threads: u32) -> Option<Deposits> {
        if accumulators.is_empty() {
            return None;
        }
        let layout = layout(accumulators, threads);
        let symbol = kernel.new_shared("ccc_parts", layout.align, layout.bytes);
        let mut reg = |stem: &str, ty: Type| new_reg(kernel, stem, ty);
        let own = reg("ccc_own", Type::B16);
        let sums = accumulators.iter().map(|accumulator| Sum {
            accumulator: accumulator.clone(),
            part: reg("ccc_part", accumulator.ty),
            old: reg("ccc_old", accumulator.ty),
            fresh: reg("ccc_fresh", accumulator.ty),
            nothing: (accumulator.number == Number::Float).then(|| reg("ccc_nothing", Type::Pred)),
        });
        let sums = sums.collect();
        Some(Deposits { symbol, layout, own, sums })
    }

    /// Before the loop: every thread's slot holds the identity. `thread` is the number of the thread in its CTA.
    pub(crate) fn set_up(&self, kernel: &Kernel, names: &Names, thread: &str) -> String {
        let own = &self.own;
        let mut text = format!("cvt.u16.u32 {own}, {thread};\n");
        for (index, sum) in self.sums.iter().enumerate() {
            let (address, bits) = (self.address(kernel, names, index, own), sum.accumulator.ty.bits());
            text += &format!("{}{address}", identity(&sum.accumulator, &sum.part));
            text += &format!("st.shared.b{bits} [{}+{}], {};\n", names.temp, self.offset(index), sum.part);
        }
        text
    }

    /// In the place of a region that a lane goes around, under a guard or none: what it found is what it leaves.
    pub(crate) fn pass(&self, kernel: &Kernel, parts: &[Part], guard: &str) -> String {
        let moved = parts.iter().filter(|part| part.enters != part.leaves);
        let copy = |part: &Part| {
            let ty = kernel.reg(part.leaves).ty;
            format!("{guard}{}", copy_text(ty, kernel.reg_name(part.leaves), kernel.reg_name(part.enters)))
        };
        moved.map(copy).collect()
    }

    /// Where a region begins.
    pub(crate) fn start(&self, kernel: &Kernel, parts: &[Part], copies: &Copies) -> String {
        let mut text = String::new();
        for part in parts {
            if let Some(copy) = copies.of(Source::Reg(part.enters)) {
                text += &identity(&self.sums[part.accumulator].accumulator, kernel.reg_name(copy));
            }
        }
        text
    }

    /// Where a region ends: what it adds goes to the owner of the context.
    pub(crate) fn deposit(&self, kernel: &mut Kernel, path: &Path, names: &Names, copies: &Copies) -> String {
        let mut text = String::new();
        let Some(owner) = copies.of(Source::Owner) else { return text };
        for part in &path.parts {
            let Some(copy) = copies.of(Source::Reg(part.leaves)) else { continue };
            let label = kernel.new_label("ccc_again");
            let again = kernel.label_name(label).to_owned();
            let (owner, added) = (kernel.reg_name(owner), kernel.reg_name(copy));
            text += &self.address(kernel, names, part.accumulator, owner);
            text += &self.sums[part.accumulator].fold(names, self.offset(part.accumulator), added, &again);
        }
        text
    }

    /// When the loop is over, and the deposits of all lanes are made: takes the thread's own.
    pub(crate) fn take(&self, kernel: &Kernel, names: &Names) -> String {
        let mut text = String::new();
        for (index, sum) in self.sums.iter().enumerate() {
            let bits = sum.accumulator.ty.bits();
            text += &self.address(kernel, names, index, &self.own);
            text += &format!("ld.shared.b{bits} {}, [{}+{}];\n", sum.part, names.temp, self.offset(index));
        }
        text
    }

    /// For lanes that leave the loop for a block, under a guard or none: the accumulators that are alive there.
    pub(crate) fn combine(&self, kernel: &Kernel, target: analysis::Block, guard: &str) -> String {
        let mut text = String::new();
        for sum in &self.sums {
            for &(_, reg) in sum.accumulator.left.iter().filter(|(block, _)| *block == target) {
                text += &sum.combine(kernel.reg_name(reg), guard);
            }
        }
        text
    }

    fn offset(&self, index: usize) -> u64 {
        self.layout.fields[index].offset
    }

    /// The address of a thread's slot in the array of an accumulator at offset 0, in `temp`.
    fn address(&self, kernel: &Kernel, names: &Names, index: usize, thread: &str) -> String {
        let Names { temp, slot, .. } = names;
        let width = width(self.sums[index].accumulator.ty);
        let symbol = kernel.symbol_name(self.symbol);
        format!("mul.wide.u16 {temp}, {thread}, {width};\nmov.u32 {slot}, {symbol};\nadd.u32 {temp}, {temp}, {slot};\n")
    }
}

impl Sum {
    /// Folds a register into the slot at `temp`, whatever other lanes do meanwhile.
    fn fold(&self, names: &Names, offset: u64, added: &str, again: &str) -> String {
        let Names { temp, test, .. } = names;
        let Sum { accumulator, part, old, fresh, .. } = self;
        let bits = accumulator.ty.bits();
        if let Some(atomic) = atomic(accumulator) {
            return format!("red.shared.{atomic} [{temp}+{offset}], {added};\n");
        }
        let copy = copy_text(accumulator.ty, old, part);
        let (test_added, keep) = self.unless_nothing(added, old);
        format!(
            "ld.volatile.shared.b{bits} {part}, [{temp}+{offset}];
             {test_added}{again}:
             {copy}{} {fresh}, {old}, {added};
             {keep}atom.shared.cas.b{bits} {part}, [{temp}+{offset}], {old}, {fresh};
             setp.ne.b{bits} {test}, {part}, {old};
             @{test} bra {again};
            ",
            operation(accumulator)
        )
    }

    /// Folds the thread's own part into a register, under a guard or none.
    fn combine(&self, reg: &str, guard: &str) -> String {
        let Sum { accumulator, part, fresh, .. } = self;
        let operation = operation(accumulator);
        if accumulator.number != Number::Float {
            return format!("{guard}{operation} {reg}, {reg}, {part};\n");
        }
        let (test_part, keep) = self.unless_nothing(part, reg);
        let copy = copy_text(accumulator.ty, reg, fresh);
        format!("{test_part}{operation} {fresh}, {reg}, {part};\n{keep}{guard}{copy}")
    }

    /// Code that tests whether `added` is the identity of floats, and code that then puts `old` in the place of the fresh value. Both are empty for
    /// other numbers.
    fn unless_nothing(&self, added: &str, old: &str) -> (String, String) {
        let Sum { accumulator, fresh, nothing, .. } = self;
        let Some(nothing) = nothing else { return (String::new(), String::new()) };
        let (bits, identity) = (accumulator.ty.bits(), identity_bits(accumulator));
        let test = format!("setp.eq.b{bits} {nothing}, {added}, {identity:#x};\n");
        (test, format!("selp.b{bits} {fresh}, {old}, {fresh}, {nothing};\n"))
    }
}

/// The operation and the type of the atomic on shared memory (PTX ISA, "red"), if every target that has `vote.sync` has one.
fn atomic(accumulator: &Accumulator) -> Option<String> {
    let Accumulator { operator, number, flushes, .. } = accumulator;
    let bits = accumulator.ty.bits();
    Some(match (operator, number) {
        // On shared memory it keeps subnormal numbers (PTX ISA, "red").
        _ if *flushes => return None,
        (Operator::Add, Number::Float) if bits == 32 => format!("add.f{bits}"),
        (Operator::Multiply, _) | (_, Number::Float) => return None,
        (Operator::Add, _) => format!("add.u{bits}"),
        (Operator::Min, number) => format!("min.{}{bits}", letter(*number)),
        (Operator::Max, number) => format!("max.{}{bits}", letter(*number)),
        (Operator::And, _) => format!("and.b{bits}"),
        (Operator::Or, _) => format!("or.b{bits}"),
        (Operator::Xor, _) => format!("xor.b{bits}"),
    })
}

fn letter(number: Number) -> char {
    match number {
        Number::Integer | Number::Signed => 's',
        Number::Unsigned => 'u',
        Number::Bits => 'b',
        Number::Float => 'f',
    }
}

/// The operation on registers.
fn operation(accumulator: &Accumulator) -> String {
    let bits = accumulator.ty.bits();
    let float = accumulator.number == Number::Float;
    let letter = letter(accumulator.number);
    let flush = if accumulator.flushes { ".ftz" } else { "" };
    match accumulator.operator {
        // With a rounding mode, so that nothing is fused with it.
        Operator::Add if float => format!("add.rn{flush}.f{bits}"),
        Operator::Multiply if float => format!("mul.rn{flush}.f{bits}"),
        Operator::Add => format!("add.s{bits}"),
        Operator::Multiply => format!("mul.lo.s{bits}"),
        Operator::Min => format!("min{flush}.{letter}{bits}"),
        Operator::Max => format!("max{flush}.{letter}{bits}"),
        Operator::And => format!("and.b{bits}"),
        Operator::Or => format!("or.b{bits}"),
        Operator::Xor => format!("xor.b{bits}"),
    }
}

/// Sets a register to the identity of the operator.
fn identity(accumulator: &Accumulator, to: &str) -> String {
    let value = identity_bits(accumulator);
    match accumulator.ty {
        Type::F32 => format!("mov.f32 {to}, 0f{value:08X};\n"),
        Type::F64 => format!("mov.f64 {to}, 0d{value:016X};\n"),
        ty => format!("mov.b{} {to}, {value:#x};\n", ty.bits()),
    }
}

/// What the operator leaves every value as it is with. The sum of floats has -0, because 0 + -0 is 0. Of floats, PTX's
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
