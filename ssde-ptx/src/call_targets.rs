//! The functions of a module that a kernel may call, by name or by addresses that are taken.

use ptx_parser::{Flow, Inst, Kernel, KernelKind, Module, Operand};
use rustc_hash::FxHashSet;

/// Returns true if an instruction is a call by address.
pub(crate) fn is_by_address(kernel: &Kernel, inst: Inst) -> bool {
    kernel.properties(inst).flow == Flow::Call && kernel.callee_name(inst).is_none()
}

/// The functions of a module whose addresses are taken.
pub(crate) fn taken(module: &Module) -> Vec<&str> {
    let mut names: Vec<&str> = module
        .variables()
        .iter()
        .filter_map(|variable| variable.init.as_ref())
        .flat_map(|init| init.addresses.iter().map(|address| &*address.name))
        .collect();
    for kernel in module.kernels() {
        for inst in kernel.insts() {
            let callee = kernel.callee_name(inst).filter(|_| kernel.properties(inst).flow == Flow::Call);
            names.extend(kernel.operands(inst).iter().filter_map(|operand| match operand {
                Operand::Symbol(symbol, _) => Some(kernel.symbol_name(*symbol)).filter(|name| Some(*name) != callee),
                _ => None,
            }));
        }
    }
    names.sort_unstable();
    names.dedup();
    let is_function = |name: &&str| module.kernel(name).is_some_and(|function| function.kind() == KernelKind::Func);
    names.retain(is_function);
    names
}

/// The functions of a module that some kernels and functions call, by way of others too. A call by address may lead to all whose addresses are taken.
pub(crate) fn called_from<'m, 'k>(
    module: &'m Module,
    roots: impl IntoIterator<Item = &'k Kernel>,
) -> FxHashSet<&'m str> {
    let (mut called, mut work, mut by_address) = (FxHashSet::default(), Vec::new(), false);
    let mut look = |kernel: &Kernel, work: &mut Vec<&'m Kernel>| {
        let mut lead_to = |name: &str| {
            let function = module.kernel(name).filter(|function| function.kind() == KernelKind::Func);
            work.extend(function.filter(|function| function.has_body() && called.insert(function.name())));
        };
        for inst in kernel.insts() {
            if is_by_address(kernel, inst) && !std::mem::replace(&mut by_address, true) {
                taken(module).into_iter().for_each(&mut lead_to);
            }
            kernel.callee_name(inst).map(&mut lead_to);
        }
    };
    roots.into_iter().for_each(|root| look(root, &mut work));
    while let Some(function) = work.pop() {
        look(function, &mut work);
    }
    called
}
