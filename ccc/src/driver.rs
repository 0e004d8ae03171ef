//! All kernels of a module, one after the other.

use std::collections::{HashMap, HashSet};

use ptx_parser::{Flow, Kernel, KernelKind, Module, Reg, StmtKind};

use crate::decide;
use crate::markers;
use crate::options::{Options, Target};
use crate::prepare::grid;
use crate::report::{GridReport, KernelReport, Status};

/// Applies CCC to every marked region of every kernel of a module.
///
/// A region that is refused is left as it was and reported with the reason. The reports come in the order of the kernels;
/// kernels without a marker have none.
pub fn rewrite_module(module: &mut Module, options: &Options) -> Vec<KernelReport> {
    let shared = module.variables().iter().filter(|v| v.space == ptx_parser::Space::Shared);
    let target = Target {
        version: module.version().unwrap_or((1, 0)),
        chip: module.target().iter().find_map(|word| chip_number(word)),
        module_shared: shared.map(|v| v.bytes()).sum(),
        ending: ending(module),
        options,
    };
    let meant = |kernel: &&mut Kernel| {
        options.kernels.as_ref().is_none_or(|names| names.iter().any(|name| name == kernel.name()))
    };
    let kernels = module.kernels_mut().iter_mut().filter(meant);
    let reports = kernels.map(|kernel| rewrite_kernel(kernel, &target));
    reports.filter(|report| report.grid.is_some() || !report.regions.is_empty()).collect()
}

/// The functions in which threads may end (`exit`), themselves or in one that they call.
fn ending(module: &Module) -> HashSet<String> {
    let functions: Vec<&Kernel> =
        module.kernels().iter().filter(|one| one.kind() == KernelKind::Func && one.has_body()).collect();
    let mut ending: HashSet<String> = HashSet::new();
    loop {
        let ends = |function: &Kernel| {
            function.stmts().iter().any(|stmt| match stmt.kind {
                StmtKind::Inst(inst) => match function.properties(inst).flow {
                    Flow::Exit => true,
                    Flow::Call => function.callee_name(inst).is_some_and(|name| ending.contains(name)),
                    _ => false,
                },
                _ => false,
            })
        };
        let more = functions.iter().filter(|one| !ending.contains(one.name()) && ends(one));
        let more: Vec<String> = more.map(|one| one.name().to_owned()).collect();
        if more.is_empty() {
            return ending;
        }
        ending.extend(more);
    }
}

/// Returns the number of a target such as `sm_90a`.
fn chip_number(target: &str) -> Option<u32> {
    target.strip_prefix("sm_")?.trim_end_matches(|letter: char| letter.is_ascii_lowercase()).parse().ok()
}

/// Applies CCC to every marked region of a kernel.
fn rewrite_kernel(kernel: &mut Kernel, target: &Target<'_>) -> KernelReport {
    let mut report = KernelReport::new(kernel);
    // Refusals must leave the kernel as it was, so that a copy is worked on.
    let mut work = kernel.clone();
    // Code is moved and copied out of scopes, and names registers.
    let written: Vec<(Reg, String)> = work.regs().map(|reg| (reg, work.reg_name(reg).to_owned())).collect();
    let written = match work.widen_register_scopes() {
        true => written.into_iter().map(|(reg, name)| (work.reg_name(reg).to_owned(), name)).collect(),
        false => HashMap::new(),
    };
    // First, because it makes the loop that regions of the kernel are in.
    if let Some(site) = grid::sites(&work).first() {
        let status = match grid::repeat(&mut work, site) {
            Ok(()) => {
                kernel.clone_from(&work);
                Status::Rewritten
            }
            Err(refusal) => Status::Refused(refusal),
        };
        report.grid = Some(GridReport::of((site.id, site.line), status));
    }
    let outcome = decide::rewrite_all(&mut work, target, &mut report);
    let outcome = outcome.and_then(|()| match target.options.most_registers {
        Some(most) => work.add_directive("maxnreg", &[most]),
        None => Ok(()),
    });
    let collected = report.regions.iter().any(|region| region.status == Status::Rewritten);
    match outcome {
        Ok(()) if collected => *kernel = work,
        Ok(()) => {}
        Err(error) => {
            report.regions.clear();
            report.fail(&markers::sites(kernel), &error);
        }
    }
    report.name_as_written(&written);
    report.finish(kernel);
    report
}
