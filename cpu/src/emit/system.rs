//! Calls of functions that the system provides: `vprintf`, `__assertfail`, `malloc` and `free` (CUDA C++ Programming Guide, "Formatted Output", "Assertion",
//! "Dynamic Global Memory Allocation").

use ptx_parser::{Flow, Kernel, Module, Operand, Type};

use super::names::Place;
use super::view::View;
use crate::refusal::Refusal;

/// A function that no module defines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SystemFunction {
    Print,
    AssertFail,
    Allocate,
    Free,
}

/// The headers of the runtime behind the system's functions, each with the functions that need it, in the order in which they build on each other.
const HEADERS: [(&[SystemFunction], &str); 3] = [
    (&[SystemFunction::Print, SystemFunction::AssertFail], include_str!("../runtime/text.h")),
    (&[SystemFunction::Print], include_str!("../runtime/print.h")),
    (&[SystemFunction::Allocate, SystemFunction::Free], include_str!("../runtime/heap.h")),
];

impl SystemFunction {
    /// Returns the function that a call is of, unless the module has a body of that name.
    pub(crate) fn called(module: &Module, kernel: &Kernel, inst: ptx_parser::Inst) -> Option<SystemFunction> {
        if kernel.properties(inst).flow != Flow::Call {
            return None;
        }
        let name = kernel.callee_name(inst)?;
        let function = SystemFunction::named(name)?;
        (!module.kernels().iter().any(|one| one.name() == name && one.has_body())).then_some(function)
    }

    fn named(name: &str) -> Option<SystemFunction> {
        Some(match name {
            "vprintf" => SystemFunction::Print,
            "__assertfail" => SystemFunction::AssertFail,
            "malloc" => SystemFunction::Allocate,
            "free" => SystemFunction::Free,
            _ => return None,
        })
    }

    /// Returns true if its result depends on what other threads do: an allocation fails until they have given memory back.
    pub(crate) fn depends_on_others(self) -> bool {
        self == SystemFunction::Allocate
    }

    /// Returns true if it may end the launch.
    pub(crate) fn may_trap(self) -> bool {
        matches!(self, SystemFunction::AssertFail | SystemFunction::Free)
    }

    fn parameters(self) -> usize {
        match self {
            SystemFunction::Print => 2,
            SystemFunction::AssertFail => 5,
            SystemFunction::Allocate | SystemFunction::Free => 1,
        }
    }

    /// Returns the statement that calls it; `ended` is what a thread executes that it has ended.
    ///
    /// # Errors
    /// A call with other parameters.
    pub(crate) fn call(self, view: &View<'_>, ended: &str) -> Result<String, Refusal> {
        let parts = view.kernel.call_parts(view.inst);
        if parts.arguments.len() != self.parameters() || parts.results.len() > 1 {
            return Err(view.refuse("this function of the system has another number of parameters or results"));
        }
        let arguments = parts.arguments.iter().map(|operand| argument(view, operand));
        let arguments = arguments.collect::<Result<Vec<_>, _>>()?;
        let listed = |arguments: &[String]| arguments.join(", ");
        let line = view.kernel.text_position(view.inst).map_or(0, |at| at.line);
        match self {
            SystemFunction::Print => result(view, parts.results, &format!("pxrw_vprintf(cta, {})", listed(&arguments))),
            SystemFunction::Allocate => result(view, parts.results, &format!("pxrw_malloc({})", listed(&arguments))),
            SystemFunction::Free => {
                Ok(format!("if (!pxrw_free(cta, warp, lane, {line}u, {})) {{ {ended} }}", listed(&arguments)))
            }
            SystemFunction::AssertFail => {
                // The last one is the size of a character.
                let [condition, file, at, function, _] = arguments.as_slice() else {
                    return Err(view.refuse("an assertion has five parameters"));
                };
                Ok(format!(
                    "{{ pxrw_assert_fail(cta, warp, lane, {line}u, {condition}, {file}, (uint32_t){at}, {function}); {ended} }}"
                ))
            }
        }
    }
}

/// The headers of the runtime that some functions of the system need.
pub(crate) fn headers(called: &[SystemFunction]) -> impl Iterator<Item = &'static str> {
    let is_needed = |functions: &[SystemFunction]| functions.iter().any(|function| called.contains(function));
    HEADERS.into_iter().filter(move |(functions, _)| is_needed(functions)).map(|(_, header)| header)
}

/// The bytes of a parameter of calls that is passed by memory, with its place.
fn passed(view: &View<'_>, operand: &Operand) -> Result<Option<(u64, u64)>, Refusal> {
    let Operand::Symbol(symbol, _) = *operand else { return Ok(None) };
    let variable = view.kernel.variable_in_scope(symbol).or_else(|| view.kernel.variable(symbol));
    match (view.place(symbol)?, variable) {
        (Place::Call(at), Some(variable)) if matches!(variable.bytes(), 1 | 2 | 4 | 8) => {
            Ok(Some((at, variable.bytes())))
        }
        _ => Err(view.refuse("a function of the system is passed registers, and parameters of 1, 2, 4 or 8 bytes")),
    }
}

/// The value of an argument, extended to 64 bits.
fn argument(view: &View<'_>, operand: &Operand) -> Result<String, Refusal> {
    if let Some((at, bytes)) = passed(view, operand)? {
        return Ok(format!("pxrw_load{}(local + {at})", 8 * bytes));
    }
    match view.register(operand) {
        Some((_, Type::Pred | Type::B128)) => Err(view.refuse("an argument has up to 64 bits")),
        Some((name, _)) => Ok(name),
        None => view.value(operand, Type::B64),
    }
}

/// The statement that stores the result of a call, if somebody wants it.
fn result(view: &View<'_>, results: &[Operand], call: &str) -> Result<String, Refusal> {
    let Some(operand) = results.first().filter(|operand| **operand != Operand::Sink) else {
        return Ok(format!("(void){call};"));
    };
    if let Some((at, bytes)) = passed(view, operand)? {
        let bits = 8 * bytes;
        return Ok(format!("pxrw_store{bits}(local + {at}, (uint{bits}_t){call});"));
    }
    match view.register(operand) {
        Some((_, Type::Pred | Type::B128)) | None => {
            Err(view.refuse("a result of the system goes to a register of up to 64 bits"))
        }
        Some((name, ty)) => Ok(format!("{name} = ({}){call};", super::names::c_type(ty))),
    }
}
