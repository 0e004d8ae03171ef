//! Names and operands: which row a register, a constant or an address is.

use ptx_parser::{Base, Operand, Reg, Special, SpecialName, Symbol, Type};

use super::functions::parts;
use super::rows::Width;
use super::variables::Location;
use super::{Decoder, Frame, View};
use crate::api::error::Error;
use crate::exec::convert::Extend;
use crate::exec::integer::Add;
use crate::exec::op::{NONE, Op, pick};
use crate::exec::rows::Map2;
use crate::memory::space::{LOCAL_WINDOW, PARAM_ADDRESS, SHARED_WINDOW};
use crate::program::registers::{Source, TAG64, untagged};

impl<'m> Decoder<'m> {
    /// The tagged row of a register; its first one if it takes several.
    pub(super) fn row(&mut self, frame: &Frame<'m>, reg: Reg) -> u32 {
        self.functions.row(&mut self.rows, frame.kernel, frame.function, reg)
    }

    /// The tagged row of a constant.
    pub(super) fn constant(&mut self, width: Width, source: Source) -> u32 {
        self.constants.row(&mut self.rows, width, source)
    }

    /// A register operand with its tag, whatever its width.
    pub(super) fn register(&mut self, view: &View<'_, 'm>, operand: &Operand) -> Option<u32> {
        match *operand {
            Operand::Reg(reg) => Some(self.row(view.frame, reg)),
            Operand::Component(reg, component) if (component as u8) < view.frame.kernel.reg(reg).lanes => {
                Some(self.row(view.frame, reg) + component as u32)
            }
            _ => None,
        }
    }

    /// The tagged row of a source: a register as it is, anything else as a constant of the type's width.
    pub(super) fn any_source(&mut self, view: &View<'_, 'm>, index: usize, ty: Type) -> Result<u32, Error> {
        let Some(operand) = view.operand(index) else {
            return Err(self.unsupported(view, format!("operand {} is missing", index + 1)));
        };
        self.value(view, operand, ty)
    }

    /// See [`Decoder::any_source`].
    pub(super) fn value(&mut self, view: &View<'_, 'm>, operand: &Operand, ty: Type) -> Result<u32, Error> {
        if let Some(row) = self.register(view, operand) {
            return Ok(row);
        }
        let width = Width::of(ty);
        if let Operand::Symbol(symbol, offset) = *operand
            && let Location::Frame(at) = self.place(view, symbol)?
        {
            return Ok(self.frame_address(at.wrapping_add_signed(offset.get()), width));
        }
        let source = match *operand {
            Operand::Int(value) => Source::Bits(value.cast_unsigned()),
            Operand::Float32(bits) => Source::Bits(u64::from(bits)),
            // A decimal literal is read in double precision, whatever the instruction's type.
            Operand::Float64(bits) if ty == Type::F32 => {
                Source::Bits(u64::from((f64::from_bits(bits) as f32).to_bits()))
            }
            Operand::Float64(bits) => Source::Bits(bits),
            Operand::Special(special) => self.special(view, special)?,
            Operand::Symbol(symbol, offset) => self.address_of(view, symbol, offset.get())?,
            _ => return Err(self.unsupported(view, "an operand of this form is not expected here")),
        };
        Ok(self.constant(width, source))
    }

    /// The first of the two rows of a 128-bit source; an integer literal gets two constant rows, one behind the other.
    pub(super) fn wide_value(&mut self, view: &View<'_, 'm>, operand: &Operand) -> Result<u32, Error> {
        match *operand {
            Operand::Reg(reg) if parts(view.frame.kernel, reg) == 2 => Ok(self.row(view.frame, reg)),
            Operand::Int(value) => Ok(self.constants.pair(&mut self.rows, value)),
            _ => Err(self.unsupported(view, "128 bits must be a register or an integer")),
        }
    }

    /// The row of a source in the file of its type, without the tag.
    pub(super) fn source(&mut self, view: &View<'_, 'm>, index: usize, ty: Type) -> Result<u32, Error> {
        let row = self.any_source(view, index, ty)?;
        if Width::of_row(row) != Width::of(ty) {
            let reason = format!("operand {} is a register of another width than {ty}", index + 1);
            return Err(self.unsupported(view, reason));
        }
        Ok(untagged(row))
    }

    /// The tagged row of a result; [`NONE`] for `_`.
    pub(super) fn any_result(&mut self, view: &View<'_, 'm>, index: usize) -> Result<u32, Error> {
        match view.operand(index) {
            Some(Operand::Sink) => Ok(NONE),
            Some(operand) => match self.register(view, operand) {
                Some(row) => Ok(row),
                None => Err(self.unsupported(view, "the result must be a register")),
            },
            None => Err(self.unsupported(view, "the result is missing")),
        }
    }

    /// The row of a result in the file of its type.
    pub(super) fn result(&mut self, view: &View<'_, 'm>, index: usize, ty: Type) -> Result<u32, Error> {
        let row = self.any_result(view, index)?;
        if row == NONE || Width::of_row(row) != Width::of(ty) {
            return Err(self.unsupported(view, format!("the result must be a register for {ty}")));
        }
        Ok(untagged(row))
    }

    /// The two results of `d|e`, untagged: the first in the file of its type, the second a predicate.
    pub(super) fn results(&mut self, view: &View<'_, 'm>, ty: Type) -> Result<(u32, u32), Error> {
        let Some(&Operand::Pair(first, second)) = view.operand(0) else {
            return Ok((self.any_result(view, 0).map(|row| if row == NONE { row } else { untagged(row) })?, NONE));
        };
        let first = first.expand().map(|reg| self.row(view.frame, reg));
        let second = second.expand().map(|reg| self.row(view.frame, reg));
        let fits = |row: Option<u32>, width| row.is_none_or(|row| Width::of_row(row) == width);
        if !fits(first, Width::of(ty)) || !fits(second, Width::Pred) {
            return Err(self.unsupported(view, "the results have the wrong width"));
        }
        Ok((first.map_or(NONE, untagged), second.map_or(NONE, untagged)))
    }

    /// The code of a predicate operand: row times two, plus one if negated.
    pub(super) fn predicate(&mut self, view: &View<'_, 'm>, index: usize) -> Result<u32, Error> {
        let (row, negated) = match view.operand(index) {
            Some(&Operand::Not(reg)) => (self.row(view.frame, reg), 1),
            Some(Operand::Int(value)) => (self.constant(Width::Pred, Source::Bits((*value != 0).into())), 0),
            Some(operand) => (self.value(view, operand, Type::Pred)?, 0),
            None => return Err(self.unsupported(view, "a predicate is missing")),
        };
        if Width::of_row(row) != Width::Pred {
            return Err(self.unsupported(view, format!("operand {} must be a predicate", index + 1)));
        }
        Ok(untagged(row) << 1 | negated)
    }

    /// Entries of the operand lists; returns where they begin.
    pub(super) fn list(&mut self, rows: &[u32]) -> u32 {
        let start = self.tables.lists.len() as u32;
        self.tables.lists.extend_from_slice(rows);
        start
    }

    /// Returns what a special register that stays the same while a block runs holds.
    fn special(&mut self, view: &View<'_, 'm>, special: Special) -> Result<Source, Error> {
        use SpecialName::*;
        let reserved = matches!(
            special.name,
            ReservedSmemBegin | ReservedSmemEnd | ReservedSmemCap | ReservedSmem0 | ReservedSmem1
        );
        self.reserved_shared |= reserved;
        self.cooperates |= matches!(special.name, Envreg(1 | 2));
        match special.name {
            Clock | ClockHi | Clock64 | Globaltimer | GlobaltimerLo | GlobaltimerHi => {
                Err(self.unsupported(view, format!("`{special}` is only read by `mov`")))
            }
            Pm(_) | CurrentGraphExec => Err(self.unsupported(view, format!("`{special}` is not modelled"))),
            IsExplicitCluster => Ok(Source::Bits(self.explicit_cluster.into())),
            _ => Ok(Source::Special(special)),
        }
    }

    /// The address of a symbol plus an offset, in its own state space.
    pub(super) fn address_of(&mut self, view: &View<'_, 'm>, symbol: Symbol, offset: i64) -> Result<Source, Error> {
        Ok(match self.place(view, symbol)? {
            Location::Shared(at) | Location::Local(at) => Source::Bits(at.wrapping_add_signed(offset)),
            Location::Param(at) => Source::Bits(PARAM_ADDRESS.wrapping_add(at).wrapping_add_signed(offset)),
            Location::Global(number) => Source::Global(number, offset),
            Location::Function(address) => Source::Bits(address.wrapping_add_signed(offset)),
            Location::Frame(_) => {
                return Err(self.unsupported(view, "a variable of a called function is not a constant"));
            }
        })
    }

    /// A row with the address of a variable in the frame of the function that runs.
    fn frame_address(&mut self, offset: u64, width: Width) -> u32 {
        let fp = self.stack_rows().fp;
        let offset = untagged(self.constant(Width::W64, Source::Bits(offset)));
        let row = self.rows.take(Width::W64);
        let id = self.drafts.insts.next_key();
        let sum = self.op(pick::<Map2<Add<u64>>>());
        self.drafts.push(Op { d: untagged(row), a: fp, b: offset, id, ..sum });
        if width == Width::W64 {
            return row;
        }
        let narrow = self.rows.take(Width::W32);
        let cut = self.op(pick::<Extend<u32, u64, u32>>());
        self.drafts.push(Op { d: narrow, a: untagged(row), id, ..cut });
        narrow
    }

    /// The address operand `index`: a tagged row, an offset, and the place if it names a variable.
    pub(super) fn address(
        &mut self,
        view: &View<'_, 'm>,
        index: usize,
        generic: bool,
    ) -> Result<(u32, u64, Option<Location>), Error> {
        let Some(&Operand::Address(base, offset)) = view.operand(index) else {
            return Err(self.unsupported(view, format!("operand {} must be an address", index + 1)));
        };
        let wide = offset.get().cast_unsigned();
        match base {
            Base::Reg(reg) => {
                let row = self.row(view.frame, reg);
                if Width::of_row(row) == Width::Pred {
                    return Err(self.unsupported(view, "a predicate is not an address"));
                }
                Ok((row, wide, None))
            }
            Base::Absolute => Ok((self.constant(Width::W64, Source::Bits(0)), wide, None)),
            Base::Symbol(symbol) => {
                let place = self.place(view, symbol)?;
                if let Location::Frame(at) = place {
                    let window = if generic { LOCAL_WINDOW } else { 0 };
                    let offset = at.wrapping_add(wide).wrapping_add(window);
                    return Ok((self.stack_rows().fp | TAG64, offset, Some(place)));
                }
                let source = self.address_of(view, symbol, offset.get())?;
                let source = match (place, source) {
                    (Location::Shared(_), Source::Bits(at)) if generic => Source::Bits(SHARED_WINDOW.wrapping_add(at)),
                    (Location::Local(_), Source::Bits(at)) if generic => Source::Bits(LOCAL_WINDOW.wrapping_add(at)),
                    (_, source) => source,
                };
                Ok((self.constant(Width::W64, source), 0, Some(place)))
            }
        }
    }
}
