//! A comparison of two instructions, registers and variables by their names.
//!
//! Scopes may declare one name twice. So the meaning of a name in the input is bound to its meaning in the output where the name first
//! occurs. It must be the same everywhere. Then each value of the input is in one register of the output.

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use ptx_parser::{Base, List, Operand, Reg, Symbol};
use rustc_hash::FxHashMap;

use super::code::{Code, Point, Way};
use super::mismatch::Part;

/// The meanings of the input's names in the output.
#[derive(Default)]
pub(super) struct Names {
    regs: SecondaryMap<Reg, PackedOption<Reg>>,
    back: SecondaryMap<Reg, PackedOption<Reg>>,
    symbols: FxHashMap<Symbol, Symbol>,
    symbols_back: FxHashMap<Symbol, Symbol>,
}

/// An input and its output.
#[derive(Clone, Copy)]
pub(super) struct Both<'a, 'k> {
    pub(super) before: &'a Code<'k>,
    pub(super) after: &'a Code<'k>,
}

impl Names {
    /// Compares the instructions at two points, where they branch to aside.
    pub(super) fn compare(&mut self, both: Both<'_, '_>, before: Point, after: Point) -> Result<(), Part> {
        let Both { before: input, after: output } = both;
        let (Some(one), Some(other)) = (input.inst(before), output.inst(after)) else { return Err(Part::Kind) };
        self.compare_guards(both, before, after, true)?;
        if let (Way::Jump(_), Way::Jump(_)) = (input.way(before), output.way(after)) {
            // A `ret` may have become a branch to one. A promise may go but not come.
            let kept = input.promises_uniform(one) || !output.promises_uniform(other);
            return if kept { Ok(()) } else { Err(Part::Opcode) };
        }
        let (opcode, now) = (input.kernel.opcode(one).text(), output.kernel.opcode(other).text());
        let released = input.promises_uniform(one) && opcode.strip_suffix(".uni") == Some(now);
        if opcode != now && !released {
            return Err(Part::Opcode);
        }
        let (ones, others) = (input.kernel.operands(one), output.kernel.operands(other));
        if ones.len() != others.len() {
            return Err(Part::Count);
        }
        let table = matches!(input.way(before), Way::Table(_));
        for (index, (one, other)) in ones.iter().zip(others).enumerate() {
            let names_table = table && matches!((one, other), (Operand::Symbol(..), Operand::Symbol(..)));
            if !names_table && !self.operand(both, one, other) {
                return Err(Part::Operand(index));
            }
        }
        Ok(())
    }

    /// Compares the guards of the instructions at two points: whether they hold alike, or one where the other does not.
    pub(super) fn compare_guards(
        &mut self,
        both: Both<'_, '_>,
        before: Point,
        after: Point,
        alike: bool,
    ) -> Result<(), Part> {
        let same = match (both.before.guard(before), both.after.guard(after)) {
            (None, None) => alike,
            (Some(one), Some(other)) => (one.negated == other.negated) == alike && self.reg(both, one.reg, other.reg),
            _ => false,
        };
        if same { Ok(()) } else { Err(Part::Guard) }
    }

    fn reg(&mut self, both: Both<'_, '_>, one: Reg, other: Reg) -> bool {
        match (self.regs[one].expand(), self.back[other].expand()) {
            (Some(bound), Some(back)) => bound == other && back == one,
            (None, None) => {
                let (input, output) = (both.before.kernel, both.after.kernel);
                let (data, others) = (input.reg(one), output.reg(other));
                let same =
                    input.reg_name(one) == output.reg_name(other) && (data.ty, data.lanes) == (others.ty, others.lanes);
                if same {
                    (self.regs[one], self.back[other]) = (other.into(), one.into());
                }
                same
            }
            _ => false,
        }
    }

    fn reg_or_none(&mut self, both: Both<'_, '_>, one: Option<Reg>, other: Option<Reg>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => self.reg(both, one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    fn symbol(&mut self, both: Both<'_, '_>, one: Symbol, other: Symbol) -> bool {
        match (self.symbols.get(&one), self.symbols_back.get(&other)) {
            (Some(&bound), Some(&back)) => bound == other && back == one,
            (None, None) => {
                let (input, output) = (both.before.kernel, both.after.kernel);
                let same = input.symbol_name(one) == output.symbol_name(other)
                    && input.variable(one) == output.variable(other);
                if same {
                    self.symbols.insert(one, other);
                    self.symbols_back.insert(other, one);
                }
                same
            }
            _ => false,
        }
    }

    fn operand(&mut self, both: Both<'_, '_>, one: &Operand, other: &Operand) -> bool {
        use Operand::*;
        match (*one, *other) {
            (Reg(one), Reg(other)) | (Not(one), Not(other)) => self.reg(both, one, other),
            (Component(one, part), Component(other, parts)) => part == parts && self.reg(both, one, other),
            (Selected(one, part), Selected(other, parts)) => part == parts && self.reg(both, one, other),
            (Sum(one, offset), Sum(other, offsets)) => offset == offsets && self.reg(both, one, other),
            (Pair(one, two), Pair(other, others)) => {
                self.reg_or_none(both, one.expand(), other.expand())
                    && self.reg_or_none(both, two.expand(), others.expand())
            }
            (Symbol(one, offset), Symbol(other, offsets)) => offset == offsets && self.symbol(both, one, other),
            (Address(one, offset), Address(other, offsets)) => {
                offset == offsets
                    && match (one, other) {
                        (Base::Reg(one), Base::Reg(other)) => self.reg(both, one, other),
                        (Base::Symbol(one), Base::Symbol(other)) => self.symbol(both, one, other),
                        (one, other) => one == Base::Absolute && other == Base::Absolute,
                    }
            }
            (Vector(one), Vector(other)) | (Tuple(one), Tuple(other)) | (Bracket(one), Bracket(other)) => {
                self.list(both, one, other)
            }
            (VectorPair(one, resident), VectorPair(other, residents)) => {
                self.reg_or_none(both, resident, residents) && self.list(both, one, other)
            }
            // What takes a label and is no branch may go anywhere.
            (Label(_), _) => false,
            (one @ (Special(_) | Int(_) | Float32(_) | Float64(_) | Sink), other) => one == other,
            _ => false,
        }
    }

    fn list(&mut self, both: Both<'_, '_>, one: List, other: List) -> bool {
        let (ones, others) = (both.before.kernel.list(one), both.after.kernel.list(other));
        ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| self.operand(both, one, other))
    }
}
