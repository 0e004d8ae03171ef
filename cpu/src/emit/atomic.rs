//! Atomics and reductions (PTX ISA, "atom", "red").
//!
//! Each is a function of `runtime/atomic.h`, which returns the old value. Of a vector each element is one atomic.

use ptx_parser::{Base, Mnemonic, Modifier, Operand, Space, Type};

use super::memory::{halves, space};
use super::names::{Place, elements};
use super::view::View;
use crate::refusal::Refusal;

/// Returns the statement of C for an instruction.
///
/// # Errors
/// A form that the ISA or the emulator does not have.
pub(crate) fn emit(view: &View<'_>) -> Result<String, Refusal> {
    if view.has(Modifier::Async) {
        return Err(view.refuse("asynchronous reductions are not translated"));
    }
    let returns = usize::from(view.opcode().mnemonic() == Mnemonic::Atom);
    check_space(view, returns)?;
    let names = [
        (Modifier::Add, "add"),
        (Modifier::Min, "min"),
        (Modifier::Max, "max"),
        (Modifier::Inc, "inc"),
        (Modifier::Dec, "dec"),
        (Modifier::And, "and"),
        (Modifier::Or, "or"),
        (Modifier::Xor, "xor"),
        (Modifier::Exch, "exch"),
        (Modifier::Cas, "cas"),
    ];
    let Some((operation, name)) = names.into_iter().find(|&(modifier, _)| view.has(modifier)) else {
        return Err(view.refuse("this operation is not modelled"));
    };
    let ty = view.ty();
    let vector = matches!(view.operand(returns + 1)?, Operand::Vector(_));
    if ty == Type::B128 {
        return wide(view, operation, returns);
    }
    let Some(suffix) = function(operation, ty) else {
        return Err(view.refuse("there is no such atomic, or not in this state space"));
    };
    let function = format!("pxrw_atomic_{name}_{suffix}");
    if vector {
        return elementwise(view, &function, returns);
    }
    let address = view.address(returns, space(view))?;
    let b = view.source(returns + 1, ty)?;
    if (operation, ty) == (Modifier::Add, Type::F32) {
        return add_single(view, &address, &b, returns);
    }
    let third = if operation == Modifier::Cas { format!(", {}", view.source(returns + 2, ty)?) } else { String::new() };
    finish(view, ty, &format!("{function}({address}, {b}{third})"), returns)
}

/// Refuses atomics in memory that nobody shares.
fn check_space(view: &View<'_>, index: usize) -> Result<(), Refusal> {
    let is_parameter = match *view.operand(index)? {
        Operand::Address(Base::Symbol(symbol), _) => matches!(view.place(symbol)?, Place::Param(_)),
        _ => false,
    };
    match space(view) {
        Space::Global | Space::Shared | Space::Generic if !is_parameter => Ok(()),
        _ => Err(view.refuse("atomics reach global and shared memory only")),
    }
}

/// The suffix of the function for an operation and a type; `None` if there is no such atomic.
fn function(operation: Modifier, ty: Type) -> Option<&'static str> {
    use Modifier::{Add, And, Cas, Dec, Exch, Inc, Max, Min, Or, Xor};
    use Type::{B16, B32, B64, Bf16, Bf16x2, F16, F16x2, F32, F64, S32, S64, U32, U64};
    Some(match (operation, ty) {
        (Add, U32 | S32) | (And | Or | Xor | Exch | Cas, B32) => "32",
        (Add, U64 | S64) | (And | Or | Xor | Exch | Cas, B64) => "64",
        (Min | Max | Inc | Dec, U32) => "u32",
        (Min | Max, S32) => "s32",
        (Min | Max, U64) => "u64",
        (Min | Max, S64) => "s64",
        (Add | Min | Max, F32) => "f32",
        (Add | Min | Max, F64) => "f64",
        (Add | Min | Max, F16) => "f16",
        (Add | Min | Max, Bf16) => "bf16",
        (Add | Min | Max, F16x2) => "f16x2",
        (Add | Min | Max, Bf16x2) => "bf16x2",
        (Cas, B16) => "16",
        _ => return None,
    })
}

/// Emits the statement for an expression that is the old value.
fn finish(view: &View<'_>, ty: Type, old: &str, returns: usize) -> Result<String, Refusal> {
    match returns {
        0 => Ok(format!("(void){old};")),
        _ if *view.operand(0)? == Operand::Sink => Ok(format!("(void){old};")),
        _ => view.assign(ty, old),
    }
}

/// Emits `add.f32`. In global memory subnormal operands and sums count as zero, in shared memory they do not.
fn add_single(view: &View<'_>, address: &str, b: &str, returns: usize) -> Result<String, Refusal> {
    let old = match space(view) {
        Space::Global => format!("pxrw_atomic_add_ftz_f32({address}, {b})"),
        Space::Shared => format!("pxrw_atomic_add_f32({address}, {b})"),
        _ => {
            let place = "(uint64_t)(uintptr_t)pxrw_at";
            let windows = format!(
                "const uint8_t pxrw_window = pxrw_is_inside({place}, cta->shared, cta->window_bytes) \
                 | pxrw_is_inside({place}, local, cta->local_bytes);"
            );
            let call = |name: &str| format!("{name}(pxrw_at, {b})");
            let (kept, flushed) = (call("pxrw_atomic_add_f32"), call("pxrw_atomic_add_ftz_f32"));
            let statement = finish(view, Type::F32, &format!("(pxrw_window ? {kept} : {flushed})"), returns)?;
            return Ok(format!("{{ unsigned char *const pxrw_at = {address}; {windows} {statement} }}"));
        }
    };
    finish(view, Type::F32, &old, returns)
}

/// Emits an atomic for each element of a vector. Vectors exist in global memory only.
fn elementwise(view: &View<'_>, function: &str, returns: usize) -> Result<String, Refusal> {
    let ty = view.ty();
    let function = if ty == Type::F32 { "pxrw_atomic_add_ftz_f32" } else { function };
    if ty == Type::F32 && !view.has(Modifier::Add) || ty == Type::F64 || !ty.is_float() {
        return Err(view.refuse("there is no such atomic of vectors"));
    }
    let sources = elements(view.kernel, view.operand(returns + 1)?);
    let results = if returns == 1 { elements(view.kernel, view.operand(0)?) } else { &[] };
    if returns == 1 && results.len() != sources.len() || sources.len() > 8 {
        return Err(view.refuse("results and operands differ in number"));
    }
    let address = view.address(returns, space(view))?;
    let mut text = format!("{{ unsigned char *const pxrw_at = {address};");
    for (index, source) in sources.iter().enumerate() {
        let at = match index as u32 * ty.bytes() {
            0 => "pxrw_at".to_owned(),
            bytes => format!("pxrw_at + {bytes}"),
        };
        let old = format!("{function}({at}, {})", view.value(source, ty)?);
        let to = match results.get(index) {
            None | Some(Operand::Sink) => "(void)".to_owned(),
            Some(result) => match view.register(result) {
                Some((name, declared)) if declared.bits() >= ty.bits() => format!("{name} = "),
                Some((name, _)) => return Err(view.refuse(format!("the register `{name}` is narrower than `{ty}`"))),
                None => return Err(view.refuse("the result must be a register")),
            },
        };
        text.push_str(&format!(" {to}{old};"));
    }
    text.push_str(" }");
    Ok(text)
}

/// Emits `exch` and `cas` of 128 bits.
fn wide(view: &View<'_>, operation: Modifier, returns: usize) -> Result<String, Refusal> {
    let address = view.address(returns, space(view))?;
    let value = |index: usize| -> Result<String, Refusal> {
        let [low, high] = halves(view, view.operand(index)?)?;
        Ok(format!("pxrw_pair({low}, {high})"))
    };
    let b = value(returns + 1)?;
    let old = match operation {
        Modifier::Exch => format!("pxrw_atomic_exch_128({address}, {b})"),
        Modifier::Cas => format!("pxrw_atomic_cas_128({address}, {b}, {})", value(returns + 2)?),
        _ => return Err(view.refuse("there is no such atomic of 128 bits")),
    };
    finish(view, Type::B128, &old, returns)
}
