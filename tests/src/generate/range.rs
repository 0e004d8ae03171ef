//! Marked inner loops over ranges, whose steps are independent of each other, so that idle lanes may share them.
//!
//! Every step adds what its counter says to a counter in memory, so that one that is left out or run twice shows. Ranges are of 32 and 64
//! bits, with and without a sign, up and down, by every relation; empty, short and long ones; near the ends of their numbers and, where
//! that comes to an end too, beyond them. Some loops have what keeps them whole: a sum, a second end, code behind them.

use super::body::{Body, Iteration, Known};
use super::emit::{Class, Reg};

/// The counter of a range, as it is written.
struct Count {
    class: Class,
    signed: bool,
    /// `lt`, `le`, `gt`, `ge` or `ne`.
    relation: &'static str,
    step: i64,
}

impl Count {
    fn bits(&self) -> u32 {
        if self.class == Class::Long { 64 } else { 32 }
    }

    /// The comparison by which the loop goes on, or, negated, ends.
    fn opcode(&self, negated: bool, swapped: bool) -> String {
        let relation = match (self.relation, negated) {
            (relation, false) => relation,
            ("lt", _) => "ge",
            ("le", _) => "gt",
            ("gt", _) => "le",
            ("ge", _) => "lt",
            _ => "eq",
        };
        let relation = match (relation, swapped) {
            ("lt", true) => "gt",
            ("le", true) => "ge",
            ("gt", true) => "lt",
            ("ge", true) => "le",
            (relation, _) => relation,
        };
        format!("setp.{relation}.{}{}", if self.signed { 's' } else { 'u' }, self.bits())
    }

    /// The bound nearest to the end of the numbers that a counter does not jump over.
    fn farthest(&self) -> String {
        let (step, bits) = (i128::from(self.step), self.bits());
        let step = if self.relation.starts_with('l') || self.relation.starts_with('g') { step } else { 0 };
        let step = if self.relation.ends_with('t') { step - step.signum() } else { step };
        let half = 1i128 << (bits - 1);
        let (first, last) = if self.signed { (-half, half - 1) } else { (0, 2 * half - 1) };
        (if self.step > 0 { last - step } else { first - step }).to_string()
    }
}

/// The registers that a step reads and that change from one step to the next.
struct Carried {
    counter: Reg,
    /// True if the step reads the counter too.
    reads_counter: bool,
    /// Others, and by how much they grow.
    others: Vec<(Reg, i64)>,
    /// A sum over the steps.
    sum: Option<Reg>,
    /// The registers that steps read and that are related to the bound: its sources, values computed from it, or the bound itself.
    like_bound: Vec<Reg>,
    /// The addresses among these, each with the address of its buffer. The addresses of buffers must not be in the memory afterwards.
    bases: Vec<(Reg, Reg)>,
}

impl Body<'_> {
    /// A loop over a range and what belongs to its task behind it.
    pub(super) fn range(&mut self, known: &Known, iteration: &Iteration, number: u32, private: &[Reg]) {
        let mix = self.mixed(known, iteration, private);
        let count = self.count_of_range();
        let (start, bound, own_bound) = self.ends_of_range(known, &count, mix);
        let mut carried = self.carried(known, &count, start, mix);
        if bound == known.input.to_string() {
            carried.bases.push((carried.counter, known.input));
        }
        carried.like_bound = own_bound.map(|bound| self.like_bound(&count, bound)).unwrap_or_default();
        let (id, line) = (number + 2, 15 + number);
        let (head, rest) = (self.code.label(), self.code.label());
        let over = self.code.reg(Class::Pred);
        if self.code.random.chance(70) {
            self.code.line(format!("{} {over}, {start}, {bound};", count.opcode(true, false)));
            self.code.line(format!("@{over} bra {rest};"));
        }
        self.code.place(&head);
        self.code.line(format!("//#CCC step_begin {id} loop 1 for line {line}"));
        self.share_of_step(known, iteration, &carried, mix);
        if self.code.random.chance(8) {
            self.leave(mix, &rest);
        }
        for &(reg, step) in &carried.others {
            let bits = if reg.class == Class::Long { 64 } else { 32 };
            self.code.line(format!("add.s{bits} {reg}, {reg}, {step};"));
        }
        self.go_on(&count, carried.counter, &bound, &head);
        self.code.place(&rest);
        if let Some(sum) = carried.sum {
            self.results(known, iteration, number, sum);
        } else if self.code.random.chance(12) {
            self.results(known, iteration, number, mix);
        }
        self.code.line(format!("//#CCC step_end {id}"));
    }

    fn count_of_range(&mut self) -> Count {
        let random = &mut self.code.random;
        let class = if random.chance(30) { Class::Long } else { Class::Word };
        let signed = random.chance(60);
        let relation = *random.pick(&["lt", "lt", "lt", "le", "gt", "ge", "ne"]);
        let most = if relation == "ne" { 1 } else { *random.pick(&[1, 1, 1, 2, 3, 5, 64]) };
        let down = relation.starts_with('g') || (relation == "ne" && random.chance(50));
        let mut count = Count { class, signed, relation, step: if down { -most } else { most } };
        if class == Class::Word && random.chance(6) {
            // Few steps to the end of the numbers, over it and around, until one comes behind the bound.
            count = Count { class, signed, relation: "lt", step: (1 << 29) + (1 << 24) };
        }
        count
    }

    /// The first number and the bound: a register or a constant; and that register, where it is the range's own.
    fn ends_of_range(&mut self, known: &Known, count: &Count, mix: Reg) -> (Reg, String, Option<Reg>) {
        let bits = count.bits();
        let code = &mut self.code;
        let (start, steps, low) = (code.reg(count.class), code.reg(Class::Word), code.reg(Class::Word));
        if count.step > 1 << 20 {
            let (bound, last) =
                (code.reg(Class::Word), if count.signed { i64::from(i32::MAX) } else { u32::MAX.into() });
            code.line(format!("and.b32 {low}, {mix}, 1023;"));
            code.line(format!("sub.s32 {bound}, {}, {low};", last - (1 << 27)));
            code.line(format!("and.b32 {start}, {mix}, 4095;"));
            return (start, bound.to_string(), Some(bound));
        }
        let (shift, most) = (code.random.below(20), *code.random.pick(&[1, 7, 31, 31, 127, 511]));
        code.line(format!("shr.u32 {steps}, {mix}, {shift};"));
        code.line(format!("and.b32 {steps}, {steps}, {most};"));
        if code.random.chance(40) {
            code.line(format!("add.s32 {steps}, {steps}, -{};", most / 2));
        }
        let kind = code.random.below(6);
        // Near the ends of the numbers, only a range that is not empty comes to its end.
        if count.relation == "ne" || matches!(kind, 0 | 2 | 3) {
            code.line(format!("max.s32 {steps}, {steps}, 1;"));
        }
        let uniform = if bits == 32 { known.salt.to_string() } else { known.input.to_string() };
        let (bound, own) = match kind {
            0 => ("1000".to_owned(), None),
            1 if count.relation == "ne" => (uniform, None),
            2 => (count.farthest(), None),
            kind => {
                let bound = code.reg(count.class);
                let base = if kind == 3 { count.farthest() } else { "500000".to_owned() };
                let away = if count.step > 0 { "sub" } else { "add" };
                code.line(format!("shr.u32 {low}, {mix}, 3;"));
                code.line(format!("and.b32 {low}, {low}, 255;"));
                if bits == 64 {
                    code.line(format!("mov.b64 {bound}, {base};"));
                    let wide = code.reg(Class::Long);
                    code.line(format!("cvt.u64.u32 {wide}, {low};"));
                    code.line(format!("{away}.s64 {bound}, {bound}, {wide};"));
                } else {
                    code.line(format!("mov.b32 {bound}, {base};"));
                    code.line(format!("{away}.s32 {bound}, {bound}, {low};"));
                }
                (bound.to_string(), Some(bound))
            }
        };
        // So many steps before the bound, or one that is not met exactly.
        if bits == 64 {
            code.line(format!("mul.wide.s32 {start}, {steps}, {};", -count.step));
            code.line(format!("add.s64 {start}, {start}, {bound};"));
        } else {
            code.line(format!("mul.lo.s32 {start}, {steps}, {};", -count.step));
            code.line(format!("add.s32 {start}, {start}, {bound};"));
        }
        if count.step.abs() > 1 && code.random.chance(50) {
            code.line(format!("add.s{bits} {start}, {start}, {};", count.step.signum()));
        }
        (start, bound, own)
    }

    /// Returns what the steps hand on.
    fn carried(&mut self, known: &Known, count: &Count, start: Reg, mix: Reg) -> Carried {
        let code = &mut self.code;
        let counter = code.reg(count.class);
        code.line(format!("mov.b{} {counter}, {start};", count.bits()));
        let (mut others, mut bases) = (Vec::new(), Vec::new());
        if code.random.chance(50) {
            let (word, step) = (code.reg(Class::Word), *code.random.pick(&[1, -1, 4, -7, 1000]));
            code.line(format!("xor.b32 {word}, {mix}, 21;"));
            others.push((word, step));
        }
        if count.class == Class::Word && count.step.abs() < 100 && code.random.chance(50) {
            // As where a compiler keeps the address of an element beside its index.
            let (long, sign) = (code.reg(Class::Long), *code.random.pick(&['s', 'u']));
            code.line(format!("mul.wide.{sign}32 {long}, {start}, 4;"));
            if code.random.chance(70) {
                code.line(format!("add.s64 {long}, {long}, {};", known.region));
                bases.push((long, known.region));
            }
            // Sometimes it grows in another way.
            let aside = *code.random.pick(&[0, 0, 0, 8]);
            others.push((long, 4 * count.step + aside));
        }
        let reads_counter = others.is_empty() || code.random.chance(60);
        let sum = code.random.chance(12).then(|| {
            let sum = code.reg(Class::Word);
            code.line(format!("mov.u32 {sum}, {mix};"));
            sum
        });
        Carried { counter, reads_counter, others, sum, like_bound: Vec::new(), bases }
    }

    /// Sometimes a value that is computed from the bound, or the bound itself.
    fn like_bound(&mut self, count: &Count, bound: Reg) -> Vec<Reg> {
        let code = &mut self.code;
        let value = code.reg(count.class);
        match code.random.below(8) {
            0 => return vec![bound],
            1 | 2 => code.line(format!("xor.b{} {value}, {bound}, 12345;", count.bits())),
            3 if count.class == Class::Word => {
                let address = code.reg(Class::Long);
                code.line(format!("mul.wide.u32 {address}, {bound}, 4;"));
                return vec![address];
            }
            _ => return Vec::new(),
        }
        vec![value]
    }

    /// Writes the work of one step. It does not depend on who runs the step, or when.
    fn share_of_step(&mut self, known: &Known, iteration: &Iteration, carried: &Carried, mix: Reg) {
        let word = self.code.reg(Class::Word);
        self.code.line(format!("mad.lo.s32 {word}, {mix}, 5, 7;"));
        let counter = Some(carried.counter).filter(|_| carried.reads_counter);
        let values = iteration.values.iter().copied().filter(|_| self.code.random.chance(20)).collect::<Vec<_>>();
        let others = carried.others.iter().map(|&(reg, _)| reg).chain(carried.like_bound.iter().copied());
        for value in counter.into_iter().chain(others).chain(values) {
            let factor = self.code.random.below(1000) | 1;
            let value = match carried.bases.iter().find(|&&(address, _)| address == value) {
                Some((address, base)) => {
                    let offset = self.code.reg(Class::Long);
                    self.code.line(format!("sub.s64 {offset}, {address}, {base};"));
                    offset
                }
                None => value,
            };
            let folded = self.code.fold(value);
            self.code.line(format!("mad.lo.s32 {word}, {word}, {factor}, {folded};"));
        }
        if self.code.random.chance(20) {
            let special = self.code.reg(Class::Word);
            self.code.line(format!("mov.u32 {special}, %tid.x;"));
            self.code.line(format!("xor.b32 {word}, {word}, {special};"));
        }
        let behind = self.code.label();
        if self.code.random.chance(30) {
            self.leave(word, &behind);
        }
        if self.code.random.chance(50) {
            let loaded = self.load(known, word);
            self.code.line(format!("add.s32 {word}, {word}, {loaded};"));
        }
        let place = self.code.reg(Class::Word);
        self.code.line(format!("and.b32 {place}, {word}, {};", super::COUNTERS - 1));
        let address = self.code.address(known.counters, place);
        self.code.line(format!("red.global.add.u32 [{address}], {word};"));
        self.code.place(&behind);
        if let Some(sum) = carried.sum {
            self.code.line(format!("mad.lo.s32 {sum}, {sum}, 3, {word};"));
        }
    }

    /// The counter grows, and the loop goes on while it relates to the bound: what it is then, or what it was before.
    fn go_on(&mut self, count: &Count, counter: Reg, bound: &str, head: &str) {
        let (bits, step) = (count.bits(), count.step);
        let more = self.code.reg(Class::Pred);
        let (negated, swapped) = (self.code.random.chance(30), self.code.random.chance(20));
        let opcode = count.opcode(negated, swapped);
        let code = &mut self.code;
        let test = |compared: Reg| match swapped {
            true => format!("{opcode} {more}, {bound}, {compared};"),
            false => format!("{opcode} {more}, {compared}, {bound};"),
        };
        match code.random.below(4) {
            0 => {
                let next = code.reg(count.class);
                code.line(format!("add.s{bits} {next}, {counter}, {step};"));
                code.line(test(next));
                code.line(format!("mov.b{bits} {counter}, {next};"));
            }
            1 => {
                code.line(test(counter));
                code.line(format!("add.s{bits} {counter}, {counter}, {step};"));
            }
            2 => {
                code.line(format!("sub.s{bits} {counter}, {counter}, {};", -step));
                code.line(test(counter));
            }
            _ => {
                code.line(format!("add.s{bits} {counter}, {counter}, {step};"));
                code.line(test(counter));
            }
        }
        code.line(format!("@{}{more} bra {head};", if negated { "!" } else { "" }));
    }
}
