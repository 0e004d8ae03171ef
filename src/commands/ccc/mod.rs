//! `pxrw ccc`: from annotated CUDA, or marked PTX, to PTX in which marked paths run with full warps.

mod report;

use annotate::Directive;
use ccc::{Hoist, KernelReport, Options, Profile, Status};
use emulator::Chip;
use ptx_parser::Module;

use crate::Verdict;
use crate::arguments::{Ccc, Emit};
use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::input::Language;
use crate::input::{Compiled, Input, LazyToolkit};
use crate::kernels;
use crate::output;
use crate::profile;
use crate::reports::ccc::CccReport;
use crate::target::assembled_for;
use report::Facts;
use toolkit::{Cubin, Toolkit};

pub(crate) fn run(options: &Ccc) -> Result<Verdict, Failure> {
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let input = Input::read(&options.input)?;
    let (name, text, language) = (input.name.clone(), input.text().to_owned(), input.language);
    let compiled = input.compile(&options.common.arch, &mut toolkit)?;
    let original = compiled.module.clone();
    let arch = assembled_for(&original, &options.common.arch);
    let before = toolkit.get()?.assemble(&compiled.ptx, arch, &name)?;
    let Compiled { mut module, directives, .. } = compiled;
    let kernels = options.kernel.as_deref().map(|kernel| kernels::names(&original, kernel, &name)).transpose()?;
    // Where one kernel or path is asked for, nothing is said of the directives of others.
    let some = kernels.is_some() || !options.path.is_empty();
    let directives = if some { Vec::new() } else { directives };
    let profiles = if options.profile.is_empty() {
        Vec::new()
    } else {
        let digest = profile::digest(&original);
        options.profile.iter().map(|path| profile::read(path, &digest)).collect::<Result<_, _>>()?
    };
    let rewriter = rewriter(options, kernels, profiles, &before);
    let reports = ccc::rewrite_module(&mut module, &rewriter);
    if let Some(line) = options.path.iter().find(|line| !paths(&reports).any(|path| path == **line)) {
        return Err(no_path(
            *line,
            &ccc::rewrite_module(&mut original.clone(), &Options { lines: None, ..rewriter }),
            &name,
        ));
    }
    let ptx = module.to_string();
    let after = toolkit.get()?.assemble(&ptx, arch, "the rewritten PTX");
    let after = after.map_err(|error| defect(error.into(), &ptx))?;
    match options.emit {
        Emit::Ptx => output::write(options.output.as_deref(), ptx.as_bytes())?,
        Emit::Cubin => output::write(options.output.as_deref(), &after.bytes)?,
    }
    let context =
        Facts { name: &name, text: &text, homes: &[], language, original: &original, before: &before, after: &after };
    let report = context.report(&options.common.arch, &reports, &directives);
    let shown = output::shown(options.common.report, &report, || {
        context.explanations(&reports, &directives).iter().for_each(Diagnostic::print);
        if report.kernels.is_empty() {
            context.nothing_marked().print();
        }
        report.text()
    })?;
    // With the result on standard output, the report must not be mixed into it.
    match options.output {
        Some(_) => output::write(None, shown.as_bytes())?,
        None => output::stderr_text(&shown),
    }
    Ok(if report.is_complete() { Verdict::Done } else { Verdict::Found })
}

/// The PTX that nvcc made of a source on its way through a build, with its marked paths collected; what there is to report, and to say. `None` where no
/// path could be collected.
///
/// # Errors
/// ptxas does not accept the PTX, before or after.
pub(super) fn collected(
    module: &Module,
    (name, text): (&str, &str),
    (directives, homes): (&[Directive], &[(u32, String)]),
    toolkit: &Toolkit,
    flags: &[&str],
) -> Result<(Option<Module>, CccReport, Vec<Diagnostic>), Failure> {
    let arch = module.target().first().map_or_else(String::new, |word| word.to_string());
    let before = toolkit.assemble_with(&module.to_string(), &arch, name, flags)?;
    let mut result = module.clone();
    let reports = ccc::rewrite_module(&mut result, &measured(&arch, &before));
    let ptx = result.to_string();
    let after = toolkit.assemble_with(&ptx, &arch, "the rewritten PTX", flags);
    let after = after.map_err(|error| defect(error.into(), &ptx))?;
    let context =
        Facts { name, text, homes, language: Language::Cuda, original: module, before: &before, after: &after };
    let (report, said) = (context.report(&arch, &reports, directives), context.explanations(&reports, directives));
    let changed = reports.iter().any(|report| {
        let grid = report.grid.as_ref().is_some_and(|grid| grid.status == Status::Rewritten);
        grid || report.regions.iter().any(|region| region.status == Status::Rewritten)
    });
    Ok((changed.then_some(result), report, said))
}

/// What the rewriter is told of an architecture, and of what ptxas made of the kernels.
fn measured(arch: &str, before: &Cubin) -> Options {
    let defaults = Options::default();
    Options {
        multiprocessor: Chip::from_name(arch).map_or(defaults.multiprocessor, |chip| chip.multiprocessor()),
        registers: before.resources.iter().map(|kernel| (kernel.name.clone(), kernel.registers)).collect(),
        ..defaults
    }
}

/// What the rewriter is told: what the command line says, and what ptxas made of the kernels `before`.
fn rewriter(options: &Ccc, kernels: Option<Vec<String>>, profiles: Vec<Profile>, before: &Cubin) -> Options {
    Options {
        block: options.block,
        kernels,
        compress: !options.no_compress,
        recompute: options.recompute,
        hoist: match (options.no_hoist_loads, options.hoist_loads) {
            (true, _) => Hoist::Never,
            (_, true) => Hoist::WhereNeighbours,
            _ => Hoist::WhereFree,
        },
        split: !options.no_split,
        most_registers: options.registers,
        lines: (!options.path.is_empty()).then(|| options.path.clone()),
        most: options.most,
        keep_occupancy: !options.lower_occupancy,
        all: options.all,
        profiles,
        ..measured(&options.common.arch, before)
    }
}

/// The lines of the marked paths that reports speak of.
fn paths(reports: &[KernelReport]) -> impl Iterator<Item = u32> {
    reports.iter().flat_map(|report| &report.regions).map(|region| region.line)
}

/// There is no path at a line that was asked for; `all` are the reports on all paths that there are.
fn no_path(line: u32, all: &[KernelReport], file: &str) -> Failure {
    let mut lines: Vec<u32> = paths(all).collect();
    lines.sort_unstable();
    lines.dedup();
    let diagnostic = Diagnostic::error(format!("{file} has no marked path at line {line}"));
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    match lines.join(", ").as_str() {
        "" => diagnostic.help("mark one with a directive, `#CCC if` above a condition").into(),
        lines => diagnostic.help(format!("there are paths at these lines: {lines}")).into(),
    }
}

/// ptxas refuses what the rewriter made: keep it, so that the defect can be reported.
fn defect(mut failure: Failure, ptx: &str) -> Failure {
    let kept = tempfile::Builder::new().prefix("pxrw-defect-").suffix(".ptx").tempfile().ok();
    let path = kept
        .and_then(|file| std::fs::write(file.path(), ptx).ok().and_then(|()| file.keep().ok()))
        .map(|(_, path)| path);
    let mut diagnostic =
        Diagnostic::error("ptxas does not accept the rewritten PTX; this is a defect of pxrw, please report it");
    if let Some(path) = path {
        diagnostic = diagnostic.note(format!("the rewritten PTX was kept in {}", path.display()));
    }
    failure.diagnostics.push(diagnostic);
    failure
}
