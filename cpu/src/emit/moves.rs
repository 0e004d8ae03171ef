//! Moves, and addresses of state spaces (PTX ISA, "mov", "cvta", "isspacep").

use ptx_parser::{Component, KernelKind, Mnemonic, Modifier, Operand, Reg, Space, Type};

use super::integer::check_sources;
use super::names::c_type;
use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    check_sources(view, if view.opcode().mnemonic() == Mnemonic::Mapa { 2 } else { 1 })?;
    match view.opcode().mnemonic() {
        Mnemonic::Cvta => cvta(view),
        Mnemonic::Mapa => map_address(view),
        Mnemonic::Getctarank => rank(view),
        Mnemonic::Isspacep => isspacep(view),
        _ => mov(view),
    }
}

fn mov(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    let lanes = |reg: Reg| view.kernel.reg(reg).lanes;
    match (view.operand(0)?, view.operand(1)?) {
        (Operand::Reg(to), Operand::Reg(from)) if lanes(*to) > 1 && lanes(*from) > 1 => {
            let count = usize::from(lanes(*to).min(lanes(*from)));
            elementwise(view, &components(*to)[..count], &components(*from)[..count])
        }
        (Operand::Vector(to), Operand::Vector(from)) => {
            elementwise(view, view.kernel.list(*to), view.kernel.list(*from))
        }
        (Operand::Vector(to), Operand::Special(from)) if let Some(from) = from.components() => {
            elementwise(view, view.kernel.list(*to), &from.map(Operand::Special))
        }
        (Operand::Reg(to), Operand::Special(from)) if let Some(from) = from.components() => {
            elementwise(view, &components(*to)[..usize::from(lanes(*to)).min(4)], &from.map(Operand::Special))
        }
        (Operand::Vector(list), _) => unpack(view, view.kernel.list(*list)),
        (_, Operand::Vector(list)) => pack(view, view.kernel.list(*list)),
        // A special register that is a predicate.
        (_, Operand::Special(_)) if ty == Type::Pred => view.assign(ty, &view.source(1, ty)?),
        _ if ty == Type::Pred => view.assign(ty, &view.predicate(1)?),
        (_, operand) if ty == Type::B128 && view.register(operand).is_none() => {
            Err(view.refuse("128 bits must be a register"))
        }
        (Operand::Reg(to), Operand::Reg(from)) if view.names.float(*to).is_some() => {
            match (view.names.float(*to), view.names.float(*from)) {
                (Some(one), Some(other)) if one == other => view.assign_float(one, &view.float_source(1, one)?),
                _ => view.assign(ty, &view.source(1, ty)?),
            }
        }
        _ => view.assign(ty, &view.source(1, ty)?),
    }
}

/// The components of a vector register.
fn components(reg: Reg) -> [Operand; 4] {
    Component::ALL.map(|component| Operand::Component(reg, component))
}

/// Emits `mov.v2.b32 {a, b}, {c, d}`, one element after the other.
fn elementwise(view: &View<'_>, to: &[Operand], from: &[Operand]) -> Result<String, Refusal> {
    let ty = view.ty();
    let mut written: Vec<String> = Vec::new();
    let mut text = Vec::new();
    for (to, from) in to.iter().zip(from) {
        let value = view.value(from, ty)?;
        if let Some((name, _)) = view.register(from)
            && written.contains(&name)
        {
            return Err(view.refuse("a register is both a result and a later source"));
        }
        if *to == Operand::Sink {
            continue;
        }
        let name = element_of_result(view, to, ty.bits())?;
        text.push(format!("{name} = {value};"));
        written.push(name);
    }
    Ok(block(&text))
}

/// Returns the variable of one element of the result, which must have room for some bits.
fn element_of_result(view: &View<'_>, operand: &Operand, bits: u32) -> Result<String, Refusal> {
    match view.register(operand) {
        Some((name, declared)) if declared.bits() >= bits => Ok(name),
        Some((name, _)) => Err(view.refuse(format!("the register `{name}` is narrower than its element"))),
        None => Err(view.refuse("the results must be registers")),
    }
}

/// Joins statements into one; an empty one if there is none.
fn block(statements: &[String]) -> String {
    match statements {
        [] => ";".to_owned(),
        [one] => one.clone(),
        several => format!("{{ {} }}", several.join(" ")),
    }
}

/// The type of one element of a vector that fills the type of the instruction.
fn part(view: &View<'_>, count: usize) -> Result<Type, Refusal> {
    match view.ty().bits() / (count.max(1) as u32) {
        bits @ (8 | 16 | 32 | 64) if bits * count as u32 == view.ty().bits() => Ok(Type::untyped(bits)),
        _ => Err(view.refuse("the elements do not fill the type")),
    }
}

/// Emits `mov.b64 d, {a, b}`: the first element is in the low bits.
fn pack(view: &View<'_>, elements: &[Operand]) -> Result<String, Refusal> {
    let (ty, part) = (view.ty(), part(view, elements.len())?);
    let values = elements.iter().map(|element| view.value(element, part)).collect::<Result<Vec<_>, _>>()?;
    let joined = |values: &[String], c: &str| {
        let parts = values.iter().enumerate().map(|(index, value)| match index as u32 * part.bits() {
            0 => format!("({c}){value}"),
            shift => format!("({c}){value} << {shift}"),
        });
        parts.collect::<Vec<_>>().join(" | ")
    };
    if ty != Type::B128 {
        // Narrower words than 32 bits would be shifted as signed ones.
        let wide = if ty.bits() == 64 { "uint64_t" } else { "uint32_t" };
        return view.assign(ty, &format!("({})({})", c_type(ty), joined(&values, wide)));
    }
    let (low, high) = values.split_at(values.len() / 2);
    let Some((name, declared)) = view.result(0)? else { return Ok(";".to_owned()) };
    if declared != Type::B128 {
        return Err(view.refuse(format!("the register `{name}` is narrower than `{ty}`")));
    }
    let (low, high) = (joined(low, "uint64_t"), joined(high, "uint64_t"));
    Ok(format!("{{ {name}.low = {low}; {name}.high = {high}; }}"))
}

/// Emits `mov.b64 {d, e}, a`.
fn unpack(view: &View<'_>, elements: &[Operand]) -> Result<String, Refusal> {
    let (ty, part) = (view.ty(), part(view, elements.len())?);
    if view.register(view.operand(1)?).is_some_and(|(_, declared)| c_type(declared) != c_type(ty)) {
        return Err(view.refuse(format!("the source must be a register for {ty}")));
    }
    if ty == Type::B128 && view.register(view.operand(1)?).is_none() {
        return Err(view.refuse("128 bits must be a register"));
    }
    let source = view.source(1, ty)?;
    let c = c_type(part);
    let mut text = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        if *element == Operand::Sink {
            continue;
        }
        let name = element_of_result(view, element, part.bits())?;
        let shift = index as u32 * part.bits();
        let (word, shift) = match (ty, shift) {
            (Type::B128, 64..) => (format!("{source}.high"), shift - 64),
            (Type::B128, _) => (format!("{source}.low"), shift),
            _ => (source.clone(), shift),
        };
        text.push(match shift {
            0 => format!("{name} = ({c}){word};"),
            shift => format!("{name} = ({c})({word} >> {shift});"),
        });
    }
    Ok(block(&text))
}

/// The beginning of the window that a `cvta` or `isspacep` names and its bytes; `None` for global, constant and parameter memory, whose addresses are generic
/// addresses already.
fn window(view: &View<'_>) -> Option<(&'static str, &'static str)> {
    match view.opcode().modifiers().iter().find_map(|modifier| modifier.space()) {
        Some(Space::Shared) => Some(("cta->shared", "cta->window_bytes")),
        Some(Space::Local) => Some(("local", "cta->local_bytes")),
        _ => None,
    }
}

/// The address in operand 1, of 64 bits: a narrower register holds an address with zeros above it.
fn address(view: &View<'_>) -> Result<String, Refusal> {
    match view.register(view.operand(1)?) {
        Some((name, ty)) if ty != Type::Pred && ty.bits() < 64 => Ok(format!("(uint64_t){name}")),
        _ => view.source(1, Type::U64),
    }
}

fn cvta(view: &View<'_>) -> Result<String, Refusal> {
    if view.ty().bits() != 64 {
        return Err(view.refuse("generic addresses have 64 bits"));
    }
    let from = address(view)?;
    let value = match (window(view), view.has(Modifier::To)) {
        (None, _) => from,
        (Some((start, _)), true) => format!("{from} - (uint64_t)(uintptr_t){start}"),
        (Some((start, _)), false) => format!("(uint64_t)(uintptr_t){start} + {from}"),
    };
    view.assign(Type::U64, &value)
}

/// Emits `mapa`. A cluster is one block, so that rank 0 is the block itself; of any other rank the address is beyond its shared memory, as in the emulator.
fn map_address(view: &View<'_>) -> Result<String, Refusal> {
    let ty = view.ty();
    let (address, rank) = (view.source(1, ty)?, view.source(2, Type::U32)?);
    view.assign(ty, &format!("{address} + (uint32_t)({rank} << 24)"))
}

/// Emits `getctarank`: the rank that `mapa` puts into an address of a window. A generic address is one of the block itself.
fn rank(view: &View<'_>) -> Result<String, Refusal> {
    let address = view.source(1, view.ty())?;
    match window(view) {
        Some(_) => view.assign(Type::U32, &format!("(uint32_t){address} >> 24")),
        None => view.assign(Type::U32, &format!("((void){address}, 0u)")),
    }
}

fn isspacep(view: &View<'_>) -> Result<String, Refusal> {
    let from = address(view)?;
    let inside = |start: &str, bytes: &str| format!("pxrw_is_inside({from}, {start}, {bytes})");
    let constants: Vec<String> =
        view.module.constants.iter().map(|(name, bytes)| inside(name, &format!("UINT64_C({bytes})"))).collect();
    let condition = match window(view) {
        Some((start, bytes)) => inside(start, bytes),
        None if view.has(Modifier::Global) => {
            let mut others = vec![inside("cta->shared", "cta->window_bytes"), inside("local", "cta->local_bytes")];
            others.extend(constants);
            format!("!({})", others.join(" | "))
        }
        None if view.has(Modifier::Const) && constants.is_empty() => format!("((void){from}, 0)"),
        None if view.has(Modifier::Const) => constants.join(" | "),
        None if view.opcode().has_any(&[Modifier::Param, Modifier::ParamEntry]) => {
            if view.kernel.kind() != KernelKind::Entry {
                return Err(view.refuse("a called function does not know the parameters of the kernel"));
            }
            inside("params", &format!("UINT64_C({})", view.names.param_bytes))
        }
        None => return Err(view.refuse("this state space is not modelled")),
    };
    view.assign(Type::Pred, &condition)
}
