//! Moves, addresses and special registers.

use ptx_parser::{Component, Mnemonic, Modifier, Operand, Reg, Space, Special, SpecialName, Type};

use super::functions::{KERNEL, parts};
use super::rows::Width;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::cluster::{BlockRank32, BlockRank64, MapAddress32, MapAddress64};
use crate::exec::compare::{Connective, Logic};
use crate::exec::integer::Move;
use crate::exec::moves::*;
use crate::exec::op::{NONE, Op, pick};
use crate::exec::rows::{Map1, Map2};
use crate::memory::space::{LOCAL_WINDOW, SHARED_WINDOW};
use crate::program::registers::{TAG64, untagged};

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    match view.opcode.mnemonic() {
        Mnemonic::Cvta => cvta(d, view),
        Mnemonic::Isspacep => isspacep(d, view),
        Mnemonic::Mapa | Mnemonic::Getctarank => cluster(d, view),
        _ => mov(d, view),
    }
}

fn mov<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    match (view.operand(0), view.operand(1)) {
        (Some(Operand::Reg(to)), Some(Operand::Reg(from)))
            if view.frame.kernel.reg(*to).lanes > 1 && view.frame.kernel.reg(*from).lanes > 1 =>
        {
            whole_vector(d, view, *to, *from)
        }
        (Some(Operand::Vector(to)), Some(Operand::Vector(from))) => {
            let kernel = view.frame.kernel;
            elementwise(d, view, kernel.list(*to), kernel.list(*from))
        }
        (Some(Operand::Vector(to)), Some(Operand::Special(from))) if let Some(from) = from.components() => {
            elementwise(d, view, view.frame.kernel.list(*to), &from.map(Operand::Special))
        }
        (Some(Operand::Reg(to)), Some(Operand::Special(from))) if let Some(from) = from.components() => {
            let to = Component::ALL.map(|component| Operand::Component(*to, component));
            elementwise(d, view, &to, &from.map(Operand::Special))
        }
        (Some(Operand::Vector(list)), Some(_)) => unpack(d, view, view.frame.kernel.list(*list)),
        (Some(_), Some(Operand::Vector(list))) => pack(d, view, view.frame.kernel.list(*list)),
        (_, Some(Operand::Special(special))) if clock_shift(*special).is_some() => clock(d, view, *special),
        _ if ty == Type::Pred => {
            let mut op = d.form::<Logic>(Connective::None);
            op.d = d.result(view, 0, ty)?;
            op.a = d.predicate(view, 1)?;
            Ok(op)
        }
        _ if ty == Type::B128 => {
            let mut op = d.op(pick::<MovePair>());
            op.d = d.result(view, 0, ty)?;
            op.a = d.source(view, 1, ty)?;
            (op.e, op.b) = (op.d + 1, op.a + 1);
            Ok(op)
        }
        _ => {
            let run = if Width::of(ty) == Width::W64 { pick::<Map1<Move<u64>>>() } else { pick::<Map1<Move<u32>>>() };
            let op = super::integer::finish(d, view, run, ty, [ty; 3])?;
            Ok(d.move_or_share(view, Width::of(ty), op))
        }
    }
}

/// `mov.v2.b32` of vector registers, component by component.
fn whole_vector<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, to: Reg, from: Reg) -> Result<Op, Error> {
    let ty = view.ty();
    let count = parts(view.frame.kernel, to).min(parts(view.frame.kernel, from));
    let (to, from) = (d.row(view.frame, to), d.row(view.frame, from));
    if Width::of_row(to) != Width::of(ty) || Width::of_row(from) != Width::of(ty) || Width::of(ty) == Width::Pred {
        return Err(d.unsupported(view, "the registers have another width than the type"));
    }
    let pairs: Vec<u32> = (0..count).flat_map(|index| [to + index, from + index]).collect();
    let mut op = d.op(pick::<MoveList>());
    (op.a, op.e) = (d.list(&pairs), count);
    Ok(op)
}

/// `mov.v2.b32 {a, b}, {c, d}`.
fn elementwise<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, to: &[Operand], from: &[Operand]) -> Result<Op, Error> {
    let ty = view.ty();
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for (to, from) in to.iter().zip(from) {
        let from = d.value(view, from, ty)?;
        let to = match to {
            Operand::Sink => NONE,
            to => match d.register(view, to) {
                Some(row) => row,
                None => return Err(d.unsupported(view, "the results must be registers")),
            },
        };
        // One after the other: a result must not be a later source.
        if pairs.iter().any(|[to, _]| *to == from) {
            return Err(d.unsupported(view, "a register is both a result and a later source"));
        }
        pairs.push([to, from]);
    }
    let mut op = d.op(pick::<MoveList>());
    (op.a, op.e) = (d.list(pairs.as_flattened()), pairs.len() as u32);
    Ok(op)
}

/// Returns how far the cycle count is shifted to give the special register's value; `None` if it is no clock.
fn clock_shift(special: Special) -> Option<u64> {
    match special.name {
        SpecialName::Clock | SpecialName::Clock64 | SpecialName::Globaltimer | SpecialName::GlobaltimerLo => Some(0),
        SpecialName::ClockHi | SpecialName::GlobaltimerHi => Some(32),
        _ => None,
    }
}

fn clock<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, special: Special) -> Result<Op, Error> {
    let ty = view.ty();
    let run = if Width::of(ty) == Width::W64 { pick::<Clock<u64>>() } else { pick::<Clock<u32>>() };
    let mut op = d.op(run);
    op.d = d.result(view, 0, ty)?;
    op.imm = clock_shift(special).unwrap_or(0);
    op.e = 0;
    d.drafts.clocks.push(d.drafts.insts.next_key());
    Ok(op)
}

/// `mapa`, `getctarank`: see `exec/cluster.rs`.
fn cluster<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let (ty, maps) = (view.ty(), view.opcode.mnemonic() == Mnemonic::Mapa);
    let run = match (maps, Width::of(ty) == Width::W64) {
        (true, true) => pick::<Map2<MapAddress64>>(),
        (true, false) => pick::<Map2<MapAddress32>>(),
        (false, true) => pick::<Map1<BlockRank64>>(),
        (false, false) => pick::<Map1<BlockRank32>>(),
    };
    let mut op = d.op(run);
    op.d = d.result(view, 0, if maps { ty } else { Type::U32 })?;
    op.a = untagged(d.value(view, &view.operand(1).copied().unwrap_or(Operand::Sink), ty)?);
    if maps {
        op.b = untagged(d.value(view, &view.operand(2).copied().unwrap_or(Operand::Sink), Type::U32)?);
    }
    Ok(op)
}

fn pack<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, elements: &[Operand]) -> Result<Op, Error> {
    let ty = view.ty();
    let bits = ty.bits() / (elements.len().max(1) as u32);
    let part = match bits {
        8 => Type::B8,
        16 => Type::B16,
        32 => Type::B32,
        64 => Type::B64,
        _ => return Err(d.unsupported(view, "the elements do not fill the type")),
    };
    let mut rows = Vec::with_capacity(elements.len());
    for element in elements {
        rows.push(d.value(view, element, part)?);
    }
    let narrow = rows.iter().all(|row| Width::of_row(*row) == Width::W32);
    let wide = rows.iter().all(|row| Width::of_row(*row) == Width::W64);
    let result = d.result(view, 0, ty)?;
    let two = |d: &Decoder<'m>, run, low: u32, high: u32| {
        let mut op = d.op(run);
        (op.d, op.a, op.b) = (result, untagged(low), untagged(high));
        op
    };
    match (ty.bits(), bits, rows.as_slice()) {
        (64, 32, &[low, high]) if narrow => Ok(two(d, pick::<Map2<Pack64>>(), low, high)),
        (32, 16, &[low, high]) if narrow => Ok(two(d, pick::<Map2<Pack32>>(), low, high)),
        (128, 64, &[low, high]) if wide => {
            let mut op = two(d, pick::<MovePair>(), low, high);
            op.e = result + 1;
            Ok(op)
        }
        _ => {
            let mut op = d.op(pick::<PackList>());
            op.d = d.any_result(view, 0)?;
            (op.a, op.e, op.imm) = (d.list(&rows), rows.len() as u32, u64::from(bits));
            Ok(op)
        }
    }
}

fn unpack<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, elements: &[Operand]) -> Result<Op, Error> {
    let ty = view.ty();
    let bits = ty.bits() / (elements.len().max(1) as u32);
    let mut rows = Vec::with_capacity(elements.len());
    for element in elements {
        rows.push(match element {
            Operand::Sink => NONE,
            element => match d.register(view, element) {
                Some(row) => row,
                None => return Err(d.unsupported(view, "the results must be registers")),
            },
        });
    }
    let all = |width| rows.iter().all(|&row| row == NONE || Width::of_row(row) == width);
    let bare = |row: u32| if row == NONE { NONE } else { untagged(row) };
    let source = d.any_source(view, 1, ty)?;
    if Width::of_row(source) != Width::of(ty) {
        return Err(d.unsupported(view, format!("the source must be a register for {ty}")));
    }
    match (ty.bits(), bits, rows.as_slice()) {
        (64, 32, &[low, high]) if all(Width::W32) => {
            let mut op = d.op(pick::<Unpack64>());
            (op.d, op.e, op.a) = (bare(low), bare(high), untagged(source));
            Ok(op)
        }
        (128, 64, &[low, high]) if all(Width::W64) => {
            let mut op = d.op(pick::<MovePair>());
            (op.d, op.e, op.a, op.b) = (bare(low), bare(high), untagged(source), untagged(source) + 1);
            Ok(op)
        }
        (_, 8 | 16 | 32, _) => {
            let mut op = d.op(pick::<UnpackList>());
            (op.a, op.imm) = (source, u64::from(bits));
            (op.d, op.e) = (d.list(&rows), rows.len() as u32);
            Ok(op)
        }
        _ => Err(d.unsupported(view, "the elements do not fill the type")),
    }
}

/// The window of the space that a `cvta` or `isspacep` names; `None` for global, constant and parameter memory, whose
/// addresses are generic addresses already.
fn window(view: &View<'_, '_>) -> Option<u64> {
    let space = view.opcode.modifiers().iter().find_map(|modifier| modifier.space());
    match space {
        Some(Space::Shared) => Some(SHARED_WINDOW),
        Some(Space::Local) => Some(LOCAL_WINDOW),
        _ => None,
    }
}

fn cvta<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let ty = view.ty();
    let base = window(view).unwrap_or(0);
    if base == 0 && Width::of(ty) == Width::W64 {
        let op = super::integer::finish(d, view, pick::<Map1<Move<u64>>>(), ty, [ty; 3])?;
        return Ok(d.move_or_share(view, Width::W64, op));
    }
    if Width::of(ty) != Width::W64 {
        return Err(d.unsupported(view, "generic addresses have 64 bits"));
    }
    let mut op = d.op(pick::<Rebase>());
    op.d = d.any_result(view, 0)?;
    op.a = d.any_source(view, 1, ty)?;
    op.imm = if view.has(Modifier::To) { base.wrapping_neg() } else { base };
    Ok(op)
}

fn isspacep<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let memory = match window(view) {
        Some(start) => Memory::Window(start),
        None if view.has(Modifier::Global) => Memory::Global,
        None if view.has(Modifier::Const) => Memory::Constant,
        None if view.has_any(&[Modifier::Param, Modifier::ParamEntry]) => {
            Memory::Window(crate::memory::space::PARAM_ADDRESS)
        }
        None => return Err(d.unsupported(view, "this state space is not modelled")),
    };
    let mut op = d.form::<InSpace>(memory);
    op.d = d.result(view, 0, Type::Pred)?;
    op.a = d.any_source(view, 1, Type::U64)?;
    if matches!(memory, Memory::Global | Memory::Constant) {
        let list = d.constant_variables(view)?;
        (op.b, op.e) = (d.list(&list), list.len() as u32 / 2);
    }
    Ok(op)
}

impl<'m> Decoder<'m> {
    /// The op of a move from row `op.a` to the first operand. Where that register can be the row itself, the op is left out.
    pub(super) fn move_or_share(&mut self, view: &View<'_, 'm>, width: Width, op: Op) -> Op {
        let [words, wide, _] = self.current.rows_before;
        let (tag, before) = if width == Width::W64 { (TAG64, wide) } else { (0, words) };
        let (from, to) = (op.a | tag, op.d | tag);
        let Some(Operand::Reg(reg)) = view.operand(0) else { return op };
        // The kernel itself: functions are decoded once for every call. A row that is not new has been used before.
        let first_use = view.frame.function == KERNEL && untagged(to) >= before;
        if first_use && self.constants.contains(from) && self.definitions.holds_after(*reg) {
            self.functions.share_row(*reg, from);
            self.current.left_out = true;
        }
        op
    }
}
