//! Loads, stores, atomics, and instructions that only matter to caches.

use ptx_parser::{Memory, Mnemonic, Modifier, Operand, Space, Type};

use super::current_inst::Target;
use super::rows::Width;
use super::variables::Location;
use super::{Decoder, View};
use crate::api::error::Error;
use crate::exec::access::{Constant, Generic, Global, Local, Shared};
use crate::exec::integer::Move;
use crate::exec::moves::Sleep;
use crate::exec::op::{Handler, NONE, Nothing, Op, pick};
use crate::exec::rows::Map1;
use crate::exec::transfer::{Load, Store};
use crate::memory::access::Access;
use crate::memory::space::MemorySpace;
use crate::program::dataflow::{Effect, Reach};
use crate::program::registers::{Source, untagged};

/// See the module.
pub(super) fn decode<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    match view.opcode.mnemonic() {
        Mnemonic::Ld | Mnemonic::Ldu => load(d, view),
        Mnemonic::St => store(d, view),
        Mnemonic::Atom | Mnemonic::Red => super::atomic::decode(d, view),
        Mnemonic::Membar | Mnemonic::Fence => Ok(d.op(pick::<Fence>())),
        Mnemonic::Nanosleep => {
            let row = d.value(view, &view.operand(0).copied().unwrap_or(Operand::Int(0)), Type::U32)?;
            let op = d.op(pick::<Sleep>());
            Ok(Op { a: untagged(row), ..op })
        }
        // What a policy says only caches read: any number does.
        Mnemonic::Createpolicy => {
            let mut op = d.op(pick::<Map1<Move<u64>>>());
            op.d = d.result(view, 0, Type::B64)?;
            op.a = untagged(d.constant(Width::W64, Source::Bits(0)));
            Ok(op)
        }
        // A grid here waits for no other one and none for it, and its registers are not shared out.
        _ => Ok(d.op(pick::<Nothing>())),
    }
}

/// `membar`, `fence`: orders this host thread's accesses for the others.
struct Fence;

impl crate::exec::op::Execute for Fence {
    #[inline(always)]
    fn execute(ctx: &mut crate::exec::op::Ctx<'_>, _: &Op) -> bool {
        if !ctx.solo {
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
        }
        true
    }
}

macro_rules! by_space {
    ($target:expr, $one:expr, $form:ident, $($rest:ty),*) => {
        match ($target, $one) {
            (Target::Global, true) => pick::<$form<Global, $($rest),*, true>>(),
            (Target::Constant, true) => pick::<$form<Constant, $($rest),*, true>>(),
            (Target::Shared, true) => pick::<$form<Shared, $($rest),*, true>>(),
            (Target::Local, true) => pick::<$form<Local, $($rest),*, true>>(),
            (Target::Generic, true) => pick::<$form<Generic, $($rest),*, true>>(),
            (Target::Global, false) => pick::<$form<Global, $($rest),*, false>>(),
            (Target::Constant, false) => pick::<$form<Constant, $($rest),*, false>>(),
            (Target::Shared, false) => pick::<$form<Shared, $($rest),*, false>>(),
            (Target::Local, false) => pick::<$form<Local, $($rest),*, false>>(),
            (Target::Generic, false) => pick::<$form<Generic, $($rest),*, false>>(),
        }
    };
}

pub(super) fn target<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, place: Option<Location>) -> Result<Target, Error> {
    let target = match (view.opcode.properties().space, place) {
        (Some(Space::Param), Some(Location::Local(_) | Location::Frame(_))) | (Some(Space::Local), _) => Target::Local,
        // By address, a called function can only mean its own parameters, which are local here, and a store only those of a call.
        (Some(Space::Param), None) if view.frame.back.is_some() || view.has(Modifier::ParamFunc) => Target::Local,
        (Some(Space::Param), None) if view.opcode.mnemonic() == Mnemonic::St => Target::Local,
        (Some(Space::Param | Space::Const), _) => Target::Constant,
        (Some(Space::Global), _) => Target::Global,
        (Some(Space::Shared), _) => Target::Shared,
        (Some(Space::Generic) | None, Some(Location::Param(_))) => Target::Constant,
        (Some(Space::Generic) | None, _) => Target::Generic,
        _ => return Err(d.unsupported(view, "this state space is not modelled")),
    };
    d.current.target = Some(target);
    Ok(target)
}

/// Returns what the checks need to know of an instruction; nothing of one that goes to memory which nobody can write.
pub(super) fn access(target: Option<Target>, view: &View<'_, '_>) -> Option<Access> {
    if matches!(view.opcode.mnemonic(), Mnemonic::Cp | Mnemonic::Mbarrier) {
        return super::asynchronous::access(view);
    }
    let space = match target {
        Some(Target::Global) => Some(MemorySpace::Global),
        Some(Target::Shared) => Some(MemorySpace::Shared),
        Some(Target::Local) => Some(MemorySpace::Local),
        Some(Target::Generic) => None,
        Some(Target::Constant) => return None,
        None if view.opcode.properties().memory == Memory::Fence => {
            return Access::of(view.opcode.properties(), None, 0);
        }
        None => return None,
    };
    let moved = match view.opcode.mnemonic() {
        Mnemonic::St | Mnemonic::Red => 1,
        Mnemonic::Atom => 2,
        _ => 0,
    };
    if view.opcode.mnemonic() == Mnemonic::Ld && view.opcode.properties().space == Some(Space::Param) {
        // Parameters and results of calls: who calls and who returns writes them, and not always by an instruction.
        return None;
    }
    let bytes = view.ty().bytes() * elements(view, moved).len() as u32;
    Access::of(view.opcode.properties(), space, u8::try_from(bytes).ok()?)
}

/// Returns what an instruction does to memory, for [`Dataflow`](crate::program::dataflow::Dataflow).
pub(super) fn effect(target: Option<Target>, view: &View<'_, '_>) -> Effect {
    let mnemonic = view.opcode.mnemonic();
    let moved = usize::from(mnemonic == Mnemonic::St);
    let words = if view.ty() == Type::B128 { 2 } else { 1 };
    let bytes = view.ty().bytes().min(8) as usize * words * elements(view, moved).len();
    let Ok(bytes) = u8::try_from(bytes) else { return Effect::Acts };
    let reach = match target {
        Some(Target::Local) => Reach::Local(bytes),
        Some(Target::Generic) => Reach::Any(bytes),
        Some(Target::Global | Target::Constant | Target::Shared) => Reach::Elsewhere,
        None if matches!(view.opcode.properties().memory, Memory::None | Memory::Fence) => return Effect::None,
        None => return Effect::Acts,
    };
    match mnemonic {
        Mnemonic::Ld | Mnemonic::Ldu => Effect::Load(reach),
        Mnemonic::St => Effect::Store(reach),
        Mnemonic::Atom | Mnemonic::Red => Effect::Update(reach),
        _ => Effect::Acts,
    }
}

/// The operands that a load or store moves: one, or the elements of a vector.
pub(super) fn elements<'m>(view: &View<'_, 'm>, index: usize) -> Vec<Operand> {
    match view.operand(index) {
        Some(Operand::Vector(list)) => view.frame.kernel.list(*list).to_vec(),
        Some(operand) => vec![*operand],
        None => Vec::new(),
    }
}

/// Returns whether the access orders others.
fn ordered(view: &View<'_, '_>) -> u32 {
    u32::from(view.opcode.properties().volatile)
}

fn load<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let generic = view.opcode.properties().space.is_none_or(|space| space == Space::Generic);
    let (row, offset, place) = d.address(view, 1, generic)?;
    let target = target(d, view, place)?;
    let ty = view.ty();
    let (rows, width) = destinations(d, view)?;
    if let (Some(Location::Param(at)), &[result], true) =
        (place, rows.as_slice(), ty != Type::B128 && row_is_constant(view))
    {
        return parameter(d, view, at, result, width);
    }
    let (wide, one) = (width == Width::W64, rows.len() == 1);
    let ty = if ty == Type::B128 { Type::B64 } else { ty };
    let run: Option<Handler> = match (ty.bits(), ty.is_signed(), wide) {
        (8, false, false) => Some(by_space!(target, one, Load, u8, u32)),
        (8, true, false) => Some(by_space!(target, one, Load, i8, u32)),
        (8, false, true) => Some(by_space!(target, one, Load, u8, u64)),
        (8, true, true) => Some(by_space!(target, one, Load, i8, u64)),
        (16, false, false) => Some(by_space!(target, one, Load, u16, u32)),
        (16, true, false) => Some(by_space!(target, one, Load, i16, u32)),
        (16, false, true) => Some(by_space!(target, one, Load, u16, u64)),
        (16, true, true) => Some(by_space!(target, one, Load, i16, u64)),
        (32, _, false) => Some(by_space!(target, one, Load, u32, u32)),
        (32, false, true) => Some(by_space!(target, one, Load, u32, u64)),
        (32, true, true) => Some(by_space!(target, one, Load, i32, u64)),
        (64, _, true) => Some(by_space!(target, one, Load, u64, u64)),
        _ => None,
    };
    let Some(run) = run else { return Err(d.unsupported(view, "the register is narrower than the type")) };
    let mut op = d.op(run);
    (op.a, op.imm, op.c) = (row, offset, ordered(view));
    op.d = match *rows {
        [row] if one => row,
        _ => d.list(&rows),
    };
    op.e = rows.len() as u32;
    whole(d, view, op, target)
}

/// The op of a load or store, if it moves at most 16 bytes, in global memory 32.
fn whole<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, op: Op, target: Target) -> Result<Op, Error> {
    // Of 128 bits each element is two words.
    let bytes = view.ty().bytes().min(8) * op.e;
    let most = match view.opcode.properties().space {
        Some(Space::Global | Space::Generic) | None => 32,
        _ => 16,
    };
    if op.e.is_power_of_two() && bytes <= most {
        d.drafts.repeated.coming = Some((target, bytes));
        return Ok(op);
    }
    Err(d.unsupported(view, format!("one access moves 1, 2, 4 or 8 elements and at most {most} bytes, not {bytes}")))
}

/// The untagged rows of a load's results and their width.
fn destinations<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<(Vec<u32>, Width), Error> {
    let mut rows = Vec::new();
    let mut width = None;
    for element in elements(view, 0) {
        if element == Operand::Sink {
            rows.push(NONE);
            continue;
        }
        let Some(row) = d.register(view, &element) else {
            return Err(d.unsupported(view, "a load needs registers for its results"));
        };
        let this = Width::of_row(row);
        if this == Width::Pred || width.is_some_and(|width| width != this) {
            return Err(d.unsupported(view, "the results must be registers of one width"));
        }
        width = Some(this);
        rows.push(untagged(row));
        if view.ty() == Type::B128 {
            rows.push(untagged(row) + 1);
        }
    }
    Ok((rows, width.unwrap_or(Width::W32)))
}

fn row_is_constant(view: &View<'_, '_>) -> bool {
    matches!(view.operand(1), Some(Operand::Address(ptx_parser::Base::Symbol(_), _)))
}

/// A scalar parameter of the kernel is a constant of the launch.
fn parameter<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>, at: u64, result: u32, width: Width) -> Result<Op, Error> {
    let ty = view.ty();
    let offset = match view.operand(1) {
        Some(Operand::Address(_, offset)) => offset.get(),
        _ => 0,
    };
    if result == NONE || (ty.bits() == 64) && width == Width::W32 {
        return Err(d.unsupported(view, "the register is narrower than the parameter"));
    }
    let source = Source::Param(at.wrapping_add_signed(offset), ty.bytes(), ty.is_signed());
    let row = d.constant(width, source);
    let run = if width == Width::W64 { pick::<Map1<Move<u64>>>() } else { pick::<Map1<Move<u32>>>() };
    let mut op = d.op(run);
    (op.d, op.a) = (result, untagged(row));
    Ok(d.move_or_share(view, width, op))
}

fn store<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let generic = view.opcode.properties().space.is_none_or(|space| space == Space::Generic);
    let (row, offset, place) = d.address(view, 0, generic)?;
    let target = target(d, view, place)?;
    if target == Target::Constant {
        return Err(d.unsupported(view, "constant memory and kernel parameters cannot be written"));
    }
    let ty = view.ty();
    let mut rows = Vec::new();
    for element in elements(view, 1) {
        let row = d.value(view, &element, if ty == Type::B128 { Type::B64 } else { ty })?;
        rows.push(row);
        if ty == Type::B128 {
            rows.push(row + 1);
        }
    }
    let Some(&first) = rows.first() else { return Err(d.unsupported(view, "nothing to store")) };
    let width = Width::of_row(first);
    if width == Width::Pred || rows.iter().any(|row| Width::of_row(*row) != width) {
        return Err(d.unsupported(view, "the stored registers must have one width"));
    }
    let rows: Vec<u32> = rows.into_iter().map(untagged).collect();
    let one = rows.len() == 1;
    let run: Option<Handler> = match (if ty == Type::B128 { 64 } else { ty.bits() }, width == Width::W64) {
        (8, false) => Some(by_space!(target, one, Store, u8, u32)),
        (8, true) => Some(by_space!(target, one, Store, u8, u64)),
        (16, false) => Some(by_space!(target, one, Store, u16, u32)),
        (16, true) => Some(by_space!(target, one, Store, u16, u64)),
        (32, false) => Some(by_space!(target, one, Store, u32, u32)),
        (32, true) => Some(by_space!(target, one, Store, u32, u64)),
        (64, true) => Some(by_space!(target, one, Store, u64, u64)),
        _ => None,
    };
    let Some(run) = run else { return Err(d.unsupported(view, "the register is narrower than the type")) };
    let mut op = d.op(run);
    (op.a, op.imm, op.c) = (row, offset, ordered(view));
    op.d = match *rows {
        [row] if one => row,
        _ => d.list(&rows),
    };
    op.e = rows.len() as u32;
    whole(d, view, op, target)
}
