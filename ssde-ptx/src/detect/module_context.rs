//! The facts that are asked of the module around a kernel: the effects of calls that stay, and the features of the target.
//!
//! A call stays if its function is recursive, or if it is by address. [`crate::detect::call_effects`] tells what is known of these functions.

use ptx_parser::{Flow, Inst, Kernel, KernelKind, Module};
use rustc_hash::FxHashMap;

/// The function of CUDA's library that ends the grid with an error.
pub(super) const FAILING: &str = "__assertfail";

/// Functions of CUDA's library that do nothing to memory that a loop could wait for.
pub(super) const HARMLESS: [&str; 2] = ["vprintf", FAILING];

/// Functions of CUDA's library that take from the heap of the device, or give back to it.
pub(super) const HEAP: [&str; 2] = ["malloc", "free"];

/// The effect of a call on memory that other threads can see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    Nothing,
    Reads,
    /// It changes what is free on the heap, and learns of that.
    Heap,
    Anything,
}

/// See the module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Context {
    /// The quiet functions, and whether they read what others write.
    pub(super) quiet: FxHashMap<String, bool>,
    /// The same of all functions whose address is taken together, if all are known and quiet.
    pub(super) by_address: Option<bool>,
    /// The target has `activemask` and `match.any.sync`.
    pub(crate) has_match: bool,
    /// Nothing is assumed of loops that a lane alone is not proved to leave.
    pub(crate) strict: bool,
}

impl Context {
    /// The same, with or without assumptions.
    pub(crate) fn strictly(self, strict: bool) -> Context {
        Context { strict, ..self }
    }

    /// Returns what a call does.
    pub(crate) fn effect(&self, kernel: &Kernel, call: Inst) -> Effect {
        let reads = match kernel.callee_name(call) {
            Some(name) if HARMLESS.contains(&name) => Some(false),
            Some(name) if HEAP.contains(&name) => return Effect::Heap,
            Some(name) => self.quiet.get(name).copied(),
            None => self.by_address,
        };
        match reads {
            Some(false) => Effect::Nothing,
            Some(true) => Effect::Reads,
            None => Effect::Anything,
        }
    }
}

/// Returns true if no other module is linked with this one. Then all functions are known that a call by address may lead to.
pub(crate) fn is_closed(module: &Module) -> bool {
    let mut functions = module.kernels().iter().filter(|function| function.kind() == KernelKind::Func);
    functions.all(|function| {
        let defined = || module.kernel(function.name()).is_some_and(Kernel::has_body);
        is_library(function.name()) || !is_linked(function) || (module.is_debug() && defined())
    })
}

/// Returns true if an instruction calls `vprintf` or the like: nothing that a loop could wait for changes.
pub(crate) fn is_harmless_call(kernel: &Kernel, inst: Inst) -> bool {
    called_by(kernel, inst).is_some_and(|name| HARMLESS.contains(&name))
}

/// Returns true if an instruction calls the function that ends the grid: nobody comes back from there.
pub(crate) fn is_failing_call(kernel: &Kernel, inst: Inst) -> bool {
    called_by(kernel, inst) == Some(FAILING)
}

/// The name of the function that an instruction calls, if it is a call by name.
fn called_by(kernel: &Kernel, inst: Inst) -> Option<&str> {
    (kernel.properties(inst).flow == Flow::Call).then(|| kernel.callee_name(inst)).flatten()
}

fn is_library(name: &str) -> bool {
    HARMLESS.contains(&name) || HEAP.contains(&name)
}

/// Returns true if other modules may call a function, or define it.
pub(crate) fn is_linked(function: &Kernel) -> bool {
    let header = function.header_tokens();
    let before = header.split(".func").next().unwrap_or("");
    [".visible", ".weak", ".common", ".extern"].iter().any(|word| before.contains(word))
}
