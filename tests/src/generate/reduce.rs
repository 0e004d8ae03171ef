//! Accumulators: registers that iterations fold values into, in the paths and around them, and that are read behind the loop.
//!
//! Their values do not depend on the order: floats are whole numbers small enough for every sum to be exact, or powers of two. Some
//! kernels break the rules that make a register an accumulator; a rewriter that took it for one would leave other memory.

use super::Random;
use super::body::{Body, Known};
use super::emit::{Class, Code, Reg};

/// An accumulator.
pub(super) struct Sum {
    /// The operator as the directive writes it.
    operator: &'static str,
    /// The opcode that folds.
    opcode: String,
    /// True if it begins with a subnormal number, and such are folded into it.
    subnormal: bool,
    pub(super) reg: Reg,
    /// The register in which the loop keeps it during an iteration, if it is another one.
    pub(super) moved: Option<Reg>,
}

const OPERATORS: [(&str, &str, Class); 22] = [
    ("+", "add.s32", Class::Word),
    ("+", "add.u32", Class::Word),
    ("+", "add.s64", Class::Long),
    ("+", "add.rn.f32", Class::Single),
    ("+", "add.f64", Class::Double),
    ("*", "mul.lo.s32", Class::Word),
    ("*", "mul.lo.u64", Class::Long),
    ("*", "mul.f32", Class::Single),
    ("min", "min.s32", Class::Word),
    ("min", "min.u64", Class::Long),
    ("min", "min.f32", Class::Single),
    ("min", "min.u32", Class::Word),
    ("max", "max.u32", Class::Word),
    ("max", "max.s32", Class::Word),
    ("max", "max.s64", Class::Long),
    ("max", "max.f64", Class::Double),
    ("&", "and.b32", Class::Word),
    ("&", "and.b64", Class::Long),
    ("|", "or.b32", Class::Word),
    ("|", "or.b64", Class::Long),
    ("^", "xor.b32", Class::Word),
    ("^", "xor.b64", Class::Long),
];

impl Sum {
    /// None for most kernels, else up to three, and what the directive says of them.
    pub(super) fn some(code: &mut Code<'_>, salt: Reg) -> (Vec<Sum>, String) {
        let count = if code.random.chance(40) { 1 + code.random.below(3) } else { 0 };
        let (mut sums, mut directive) = (Vec::new(), String::new());
        for number in 0..count {
            let &(operator, opcode, class) = code.random.pick(&OPERATORS);
            let (reg, first) = (code.reg(class), element(code, class, operator, salt, false));
            copy(code, reg, first);
            // Most of those that take subnormal numbers for 0 as they fold, and some that keep them.
            let mut opcode = opcode.to_owned();
            let flush = |random: &mut Random| class == Class::Single && random.chance(75);
            let flushes = code.subnormal.as_mut().is_some_and(flush);
            if flushes {
                opcode = opcode.replace(".f32", ".ftz.f32");
            }
            // A product of ones does not say whether it is one.
            let subnormal = code.subnormal.is_some() && class == Class::Single && operator != "*";
            if let Some(random) = code.subnormal.as_mut().filter(|_| subnormal) {
                let bits = random.below(0x1_0000) | random.below(2) << 31;
                code.line(format!("mov.b32 {reg}, {bits:#x};"));
            }
            let moved = code.random.chance(25).then(|| code.reg(class));
            directive += &format!(" reduce {operator}:x{number}");
            sums.push(Sum { operator, opcode, subnormal, reg, moved });
        }
        (sums, directive)
    }

    /// The register that it is in during an iteration.
    fn now(&self) -> Reg {
        self.moved.unwrap_or(self.reg)
    }
}

/// A value to be folded in, made from a word.
fn element(code: &mut Code<'_>, class: Class, operator: &str, word: Reg, subnormal: bool) -> Reg {
    let (to, number) = (code.reg(class), code.random.below(5000));
    match class {
        // In most kernels, all that a thread folds in is subnormal.
        Class::Single if subnormal && code.subnormal.as_mut().is_some_and(|random| random.chance(80)) => {
            let small = code.reg(Class::Word);
            // So small that no sum of them rounds.
            code.line(format!("and.b32 {small}, {word}, 0x8000ffff;"));
            code.line(format!("mov.b32 {to}, {small};"));
        }
        Class::Long => code.line(format!("mul.wide.s32 {to}, {word}, {};", number | 1)),
        Class::Single | Class::Double => {
            let small = code.reg(Class::Word);
            code.line(format!("and.b32 {small}, {word}, {};", if operator == "*" { 1 } else { 1023 }));
            code.line(format!("add.s32 {small}, {small}, 1;"));
            let ty = if class == Class::Single { "f32" } else { "f64" };
            code.line(format!("cvt.rn.{ty}.u32 {to}, {small};"));
        }
        _ => code.line(format!("xor.b32 {to}, {word}, {number};")),
    }
    to
}

fn copy(code: &mut Code<'_>, to: Reg, from: Reg) {
    let bits = if matches!(from.class, Class::Long | Class::Double) { 64 } else { 32 };
    code.line(format!("mov.b{bits} {to}, {from};"));
}

impl Body<'_> {
    /// Copies the accumulators at the beginning of an iteration, or back before the next one.
    pub(super) fn move_sums(&mut self, known: &Known, back: bool) {
        for sum in &known.sums {
            if let Some(moved) = sum.moved {
                let (to, from) = if back { (sum.reg, moved) } else { (moved, sum.reg) };
                copy(&mut self.code, to, from);
            }
        }
    }

    /// Folds values that are made from a word into some of the accumulators, in one of the ways in which compilers do it.
    pub(super) fn fold_into_sums(&mut self, known: &Known, word: Reg, percent: u32) {
        for sum in &known.sums {
            if !self.code.random.chance(percent) {
                continue;
            }
            let Sum { operator, subnormal, .. } = sum;
            let (code, now) = (&mut self.code, sum.now());
            let value = element(code, now.class, operator, word, *subnormal);
            let flush = if sum.opcode.contains(".ftz") { ".ftz" } else { "" };
            // Against the rules.
            let mixed = !flush.is_empty() && code.subnormal.as_mut().is_some_and(|random| random.chance(4));
            let opcode = if mixed { sum.opcode.replace(".ftz", "") } else { sum.opcode.clone() };
            match code.random.below(6) {
                0 => code.line(format!("{opcode} {now}, {value}, {now};")),
                // A chain through another register.
                1 => {
                    let next = code.reg(now.class);
                    code.line(format!("{opcode} {next}, {now}, {value};"));
                    copy(code, now, next);
                }
                2 => {
                    let test = code.value(Class::Pred, word);
                    code.line(format!("@{test} {opcode} {now}, {now}, {value};"));
                }
                3 => {
                    let (test, next) = (code.value(Class::Pred, word), code.reg(now.class));
                    code.line(format!("{opcode} {next}, {now}, {value};"));
                    let bits = if matches!(now.class, Class::Long | Class::Double) { 64 } else { 32 };
                    code.line(format!("selp.b{bits} {now}, {now}, {next}, {test};"));
                }
                4 if *operator == "+" => match now.class {
                    Class::Word => code.line(format!("mad.lo.s32 {now}, {value}, {word}, {now};")),
                    Class::Long => code.line(format!("mad.wide.s32 {now}, {word}, -3, {now};")),
                    Class::Single => code.line(format!("fma.rn{flush}.f32 {now}, {value}, 0f40000000, {now};")),
                    _ => code.line(format!("sub.f64 {now}, {now}, {value};")),
                },
                _ => code.line(format!("{opcode} {now}, {now}, {value};")),
            }
        }
    }

    /// Writes code at the beginning of a path that may set an accumulator back to its value at the beginning of the iteration. Values
    /// folded in since are then lost.
    pub(super) fn start_over(&mut self, known: &Known, word: Reg) {
        for sum in &known.sums {
            if let Some(moved) = sum.moved.filter(|_| self.code.random.chance(40)) {
                let value = element(&mut self.code, moved.class, sum.operator, word, sum.subnormal);
                self.code.line(format!("{} {moved}, {}, {value};", sum.opcode, sum.reg));
            }
        }
    }

    /// In a few kernels, what no accumulator allows: it is read, set, folded into itself, or into by another operator.
    pub(super) fn break_the_rules(&mut self, known: &Known, word: Reg) {
        let Some(sum) = known.sums.first().filter(|_| self.code.random.chance(12)) else { return };
        let now = sum.now();
        let bits = if matches!(now.class, Class::Long | Class::Double) { 64 } else { 32 };
        match self.code.random.below(5) {
            0 => {
                let read = self.code.fold(now);
                self.code.word_into(known.carried, known.carried, read);
            }
            1 => {
                let (test, value) =
                    (self.code.value(Class::Pred, word), element(&mut self.code, now.class, "+", word, false));
                self.code.line(format!("@{test} mov.b{bits} {now}, {value};"));
            }
            2 => {
                let (test, value) =
                    (self.code.value(Class::Pred, word), element(&mut self.code, now.class, "+", word, false));
                self.code.line(format!("selp.b{bits} {now}, {now}, {value}, {test};"));
            }
            3 if now.class == Class::Word => self.code.line(format!("mad.lo.s32 {now}, {now}, 3, {now};")),
            _ => {
                let other = if sum.operator == "^" { "or" } else { "xor" };
                self.code.line(format!("{other}.b{bits} {now}, {now}, 5;"));
            }
        }
    }

    /// Behind the loop.
    pub(super) fn read_sums(&mut self, known: &Known) {
        for sum in &known.sums {
            let word = self.code.fold(sum.reg);
            self.code.word_into(known.carried, known.carried, word);
        }
    }
}
