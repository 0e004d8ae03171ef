//! The contents of a word of memory: the values that the kernel stores there, and the value from the beginning.

use ptx_parser::{Inst, Memory, Modifier, Operand, Space};

use super::value_set::{Found, How};
use super::{GIVEN, LANES, Samples, ThreadValues};
use crate::detect::alias::{Location, Root, place};
use crate::detect::lock_free::terms::signed;

/// The most elements of a variable's initial value that are looked at.
const MOST_ELEMENTS: usize = 1024;

impl Samples<'_> {
    /// Returns what the kernel stores at a place, and what is there from the beginning.
    pub(super) fn load(&self, inst: Inst, from: &Location, known: &mut ThreadValues) -> Found {
        let given = Found::number(GIVEN, How::Given);
        let (root, offset) = match from.extent() {
            (root @ (Root::Variable(_) | Root::Dynamic | Root::Parameter(..)), extent) => {
                (root, extent.map(|extent| extent.start))
            }
            _ => return given,
        };
        let (initial, bits) = (self.initial(inst, root, offset), self.bits(inst));
        let stores: Vec<Inst> =
            self.stores().iter().filter(|(place, _)| place.may_fill(from)).map(|&(_, store)| store).collect();
        // Nobody else writes there: neither other kernels, nor the host.
        let is_own = matches!(from.space(), Some(Space::Shared | Space::Local)) && !stores.is_empty();
        // What the host may write before is not known, but of a constant that begins with something that is most likely it.
        let is_constant = from.space() == Some(Space::Const) && !initial.is_empty();
        let mut found = if is_own || is_constant { Found::nothing() } else { given };
        // What a word is made of itself by way of memory that others write is given: that is no loop.
        let open = if is_own { known.open.clone() } else { std::mem::take(&mut known.open) };
        let was_stored = std::mem::replace(&mut known.is_stored, true);
        for store in stores {
            let (wide, is_sum) = (self.bits(store), self.kernel.opcode(store).has(Modifier::Add));
            // What is put together of narrower words is not followed.
            found.is_unknown |= is_own && wide < bits;
            // What it reads stands before the address.
            let is_address = |operand: &&Operand| matches!(operand, Operand::Address(..));
            for operand in self.kernel.operands(store).iter().skip_while(|operand| !is_address(operand)).skip(1) {
                let operands = match operand {
                    Operand::Vector(list) => self.kernel.list(*list),
                    operand => std::slice::from_ref(operand),
                };
                for operand in operands {
                    let stored = self.follow_operand(store, operand, known);
                    // All lanes may add to it.
                    let sum = is_sum.then(|| stored.clone().map(|number| number.wrapping_mul(LANES)));
                    let stored = sum.into_iter().fold(stored, Found::or);
                    // A wider word is read in parts.
                    for at in (0..wide.max(bits)).step_by(bits.max(1) as usize) {
                        let part = |number: i64| signed(number.cast_unsigned().checked_shr(at).unwrap_or(0), bits);
                        found = found.or(if wide > bits { stored.clone().map(part) } else { stored.clone() });
                    }
                }
            }
        }
        (known.open, known.is_stored) = (open, was_stored);
        found = initial.into_iter().map(|number| Found::number(number, How::Given)).fold(found, Found::or);
        if is_own {
            return found.at_best_chosen();
        }
        Found { begun: None, ..found.given() }
    }

    /// Returns the whole numbers that a variable begins with, of the width that an instruction reads: the one at an offset, if that is known.
    fn initial(&self, inst: Inst, root: Root, offset: Option<i64>) -> Vec<i64> {
        let Root::Variable(symbol) = root else { return Vec::new() };
        let init = self.kernel.variable_in_scope(symbol).and_then(|variable| variable.init.as_ref());
        let Some(init) = init.filter(|init| init.addresses.is_empty()) else { return Vec::new() };
        let Some(&ty) = self.kernel.opcode(inst).types().first().filter(|ty| matches!(ty.bits(), 8 | 16 | 32 | 64))
        else {
            return Vec::new();
        };
        let size = ty.bytes() as usize;
        let number = |bytes: &[u8]| {
            let number = bytes.iter().rev().fold(0u64, |number, &byte| number << 8 | u64::from(byte));
            if ty.is_signed() { signed(number, ty.bits()) } else { number.cast_signed() }
        };
        match offset {
            Some(offset) => {
                let at = usize::try_from(offset).ok().and_then(|at| init.bytes.get(at..at.checked_add(size)?));
                at.map(number).into_iter().collect()
            }
            None => init.bytes.chunks_exact(size).take(MOST_ELEMENTS).map(number).collect(),
        }
    }

    fn stores(&self) -> &[(Location, Inst)] {
        self.stores.get_or_init(|| {
            let (facts, kernel) = (self.facts, self.kernel);
            let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
            let stores = insts.filter(|&inst| matches!(kernel.properties(inst).memory, Memory::Write | Memory::Atomic));
            stores.map(|inst| (place(facts, kernel, inst), inst)).collect()
        })
    }
}
