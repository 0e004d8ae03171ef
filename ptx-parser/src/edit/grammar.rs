//! A check that operands have a text that reads as that operand (PTX ISA, "Instruction Operands").
//!
//! The types of the representation allow more than PTX can say: an address inside a vector, a label where no branch is, a selector of five
//! bytes. Such an operand would print as something else, or as nothing that can be read.

use crate::entities::Inst;
use crate::kernel::Kernel;
use crate::operand::{Base, Offset, Operand, Part, Selector};
use crate::table::Flow;

/// The position of an operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Slot {
    /// On its own.
    Alone,
    /// In a vector or tuple.
    Element,
    /// The first of a bracket.
    First,
    /// In a bracket, behind the first.
    Coordinate,
}

impl Kernel {
    /// Checks that the operands of an instruction have a text; the error names one that has none.
    pub(crate) fn grammatical(&self, inst: Inst) -> Result<(), String> {
        let operands = self.operands(inst);
        if self.properties(inst).flow == Flow::Branch {
            return match operands {
                [Operand::Label(label)] if self.labels.is_valid(*label) => Ok(()),
                _ => Err("a direct branch has one operand, a label of its kernel".to_owned()),
            };
        }
        operands.iter().try_for_each(|operand| self.has_text(operand, Slot::Alone))?;
        if self.properties(inst).flow != Flow::Call && operands.iter().any(|operand| self.begins_with_constant(operand))
        {
            return Err(
                "a list in parentheses that begins with a constant is a constant itself, but in a call".to_owned()
            );
        }
        if self.properties(inst).flow == Flow::IndirectBranch && self.branch_table(inst).is_none() {
            return Err("an indirect branch has a list of branch targets among its operands".to_owned());
        }
        Ok(())
    }

    fn begins_with_constant(&self, operand: &Operand) -> bool {
        let Operand::Tuple(list) = *operand else { return false };
        matches!(self.list(list).first(), Some(Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_)))
    }

    fn has_text(&self, operand: &Operand, place: Slot) -> Result<(), String> {
        use Slot::*;
        let fits = match *operand {
            Operand::Reg(_) => true,
            Operand::Symbol(..) => true,
            Operand::Int(_) => true,
            Operand::Address(base, offset) => match place {
                Alone => true,
                First => matches!(base, Base::Reg(_)) && offset != Offset::ZERO,
                _ => false,
            },
            Operand::Component(..)
            | Operand::Sum(..)
            | Operand::Pair(..)
            | Operand::Special(_)
            | Operand::Float32(_)
            | Operand::Float64(_)
            | Operand::Sink => place != First,
            Operand::Not(_) => place == Alone,
            // Behind a minus, a name without `%` is read as a constant.
            Operand::Selected(reg, Selector { negated: true, .. })
                if !self.regs.is_valid(reg) || !self.reg_name(reg).starts_with('%') =>
            {
                false
            }
            Operand::Selected(_, selector) => {
                place != First && selector.part.map_or(selector.negated, |part| is_readable(&part))
            }
            Operand::Vector(_) => matches!(place, Alone | Coordinate),
            Operand::VectorPair(..) | Operand::Tuple(_) | Operand::Bracket(_) => place == Alone,
            Operand::Label(_) => return Err("a label stands in branches only".to_owned()),
        };
        if !fits {
            return Err(format!("{operand:?} cannot be written {}", place.text()));
        }
        self.ids_exist(operand)?;
        let Some(list) = operand.list() else { return Ok(()) };
        if !self.lists.is_valid(list) {
            return Err(format!("{list} is not of this kernel"));
        }
        let elements = self.list(list);
        match operand {
            Operand::Bracket(_) => match elements {
                [] | [_] => Err("a bracket has at least two elements".to_owned()),
                [first, coordinates @ ..] => {
                    self.has_text(first, First)?;
                    coordinates.iter().try_for_each(|element| self.has_text(element, Coordinate))
                }
            },
            _ => elements.iter().try_for_each(|element| self.has_text(element, Element)),
        }
    }

    /// Checks that the registers and symbols that an operand mentions itself are in the tables. The carry flag has no name.
    fn ids_exist(&self, operand: &Operand) -> Result<(), String> {
        let reg = |reg| match self.regs.is_valid(reg) && Some(reg) != self.carry {
            true => Ok(()),
            false => Err(format!("{reg} is no register of this kernel")),
        };
        match *operand {
            Operand::Reg(r)
            | Operand::Not(r)
            | Operand::Component(r, _)
            | Operand::Selected(r, _)
            | Operand::Sum(r, _)
            | Operand::VectorPair(_, Some(r))
            | Operand::Address(Base::Reg(r), _) => reg(r),
            Operand::Pair(first, second) => first.expand().into_iter().chain(second.expand()).try_for_each(reg),
            Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) => {
                match self.symbols.is_valid(symbol) {
                    true => Ok(()),
                    false => Err(format!("{symbol} is no symbol of this kernel")),
                }
            }
            _ => Ok(()),
        }
    }
}

impl Slot {
    fn text(self) -> &'static str {
        match self {
            Slot::Alone => "as an operand",
            Slot::Element => "in a vector or tuple",
            Slot::First => "at the front of a bracket",
            Slot::Coordinate => "in a bracket",
        }
    }
}

/// Returns true if the digits of a part are some that its instruction form has.
fn is_readable(part: &Part) -> bool {
    part.to_string().strip_prefix('.').and_then(Part::from_text).as_ref() == Some(part)
}
