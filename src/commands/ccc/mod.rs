//! `pxrw ccc`: from annotated CUDA, or marked PTX, to PTX in which marked paths run with full warps.

mod report;

use ccc::{Hoist, Options, Profile};
use emulator::Chip;
use frontend::{Compiled, Report, Rewritten};
use ptx_parser::Module;

use crate::Verdict;
use crate::arguments::{Ccc, Emit};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit};
use crate::kernels;
use crate::output;
use crate::profile;
use crate::reports::ccc::CccReport;
use crate::target::assembled_for;
use report::Facts;
pub(super) use report::unreached_at;
use toolkit::{Cubin, Toolkit};

pub(crate) fn run(options: &Ccc) -> Result<Verdict, Failure> {
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let input = Input::read(&options.input)?;
    let (name, text, language) = (input.name.clone(), input.text().to_owned(), input.language);
    let compiler = input.options(&options.compiler, &options.common.arch)?;
    // What is wrong with these is said before a compiler is fetched.
    options.profile.iter().try_for_each(|path| profile::read(path, None).map(drop))?;
    output::check(options.output.as_deref())?;
    output::check_apart(options.output.as_deref(), &options.input)?;
    let for_ptxas = options.compiler.for_ptxas();
    let for_ptxas: Vec<&str> = for_ptxas.iter().map(String::as_str).collect();
    let compiled = input.compile(&options.common.arch, &compiler, &mut toolkit)?;
    let arch = assembled_for(&compiled.module, &options.common.arch);
    let before = toolkit.get()?.assemble_with(&compiled.ptx, arch, &name, &for_ptxas)?;
    let kernels = options.kernel.as_deref();
    let kernels = kernels.map(|kernel| kernels::names(&compiled.module, kernel, &name)).transpose()?;
    let profiles = if options.profile.is_empty() {
        Vec::new()
    } else {
        let marked = compiled.marked_module().map_err(|problem| Failure::from(not_marked(&name, &problem)))?;
        let digest = profile::digest(marked);
        options.profile.iter().map(|path| profile::read(path, Some(&digest))).collect::<Result<_, _>>()?
    };
    // Where one kernel or path is asked for, nothing is said of the directives of others.
    let some = kernels.is_some() || !options.path.is_empty();
    let rewriter = rewriter(options, kernels, profiles, &before);
    let rewritten = compiled.rewrite(&rewriter);
    if let Some(line) = options.path.iter().find(|line| !paths(&rewritten).any(|path| path == **line)) {
        return Err(no_path(*line, &compiled.rewrite(&Options { lines: None, ..rewriter }), &name));
    }
    let ptx = rewritten.module.to_string();
    let after = toolkit.get()?.assemble_with(&ptx, arch, "the rewritten PTX", &for_ptxas);
    let after = after.map_err(|error| defect(error.into(), &ptx))?;
    match options.emit {
        Emit::Ptx => output::write(options.output.as_deref(), ptx.as_bytes())?,
        Emit::Cubin => output::write(options.output.as_deref(), &after.bytes)?,
    }
    let context = Facts {
        name: &name,
        text: &text,
        language,
        compiled: &compiled,
        rewritten: &rewritten,
        before: &before,
        after: &after,
        every_directive: !some,
    };
    let report = context.report(&options.common.arch);
    let shown = output::shown(options.common.report, &report, || {
        context.explanations().iter().for_each(Diagnostic::print);
        context.left_out().iter().for_each(Diagnostic::print);
        if report.kernels.is_empty() && rewritten.problems.is_empty() {
            context.nothing_marked().print();
        }
        report.text()
    })?;
    // With the result on standard output, the report must not be mixed into it.
    match options.output {
        Some(_) => output::write(None, shown.as_bytes())?,
        None => output::stderr_text(&shown),
    }
    let complete = report.is_complete() && rewritten.problems.is_empty();
    Ok(if complete { Verdict::Done } else { Verdict::Found })
}

/// The requirements of a build on a rewrite.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// More options for ptxas.
    pub(super) options: &'a [&'a str],
    /// True if what the kernels take is to be found out, before and after.
    pub(super) reported: bool,
    /// True if nobody has ptxas look at the rewritten PTX later.
    pub(super) checked: bool,
    /// True if nothing may be assumed of the memory that paths access.
    pub(super) strict: bool,
}

/// The PTX that nvcc made of a source on its way through a build, with its marked paths collected; what there is to report, and to say. `None` where no
/// path could be collected. Nothing is said of directives that this compilation does not read: one for another architecture may.
///
/// # Errors
/// ptxas does not accept the PTX, before or after.
pub(super) fn collected(
    compiled: &Compiled,
    (name, text): (&str, &str),
    toolkit: &Toolkit,
    wanted: Wanted<'_>,
) -> Result<(Option<Module>, CccReport, Vec<Diagnostic>), Failure> {
    let arch = compiled.module.target().first().map_or_else(String::new, |word| word.to_string());
    let options = |before: &Cubin| Options { strict: wanted.strict, ..measured(&arch, before) };
    let (mut before, mut rewritten) = (Cubin::default(), compiled.rewrite(&options(&Cubin::default())));
    // Nobody waits for ptxas where it makes no difference.
    if wanted.reported || rewritten.reports.iter().any(Report::depends_on_registers) {
        // What is wrong with it, the build's own ptxas says.
        before = toolkit
            .assemble_with(&of_interest(&compiled.module, &rewritten), &arch, name, wanted.options)
            .map_err(|_| not_marked(name, "ptxas does not accept the compiler's PTX"))?;
        rewritten = compiled.rewrite(&options(&before));
    }
    let changed = rewritten.reports.iter().any(Report::is_rewritten);
    let after = if changed && (wanted.reported || wanted.checked) {
        let ptx = of_interest(&rewritten.module, &rewritten);
        let after = toolkit.assemble_with(&ptx, &arch, "the rewritten PTX", wanted.options);
        Some(after.map_err(|error| defect(error.into(), &ptx))?)
    } else {
        None
    };
    let context = Facts {
        name,
        text,
        language: Language::Cuda,
        compiled,
        rewritten: &rewritten,
        before: &before,
        after: after.as_ref().unwrap_or(&before),
        every_directive: true,
    };
    let (report, mut said) = (context.report(&arch), context.explanations());
    said.extend(context.assumed());
    Ok((changed.then_some(rewritten.module), report, said))
}

/// The part of a module that there are reports on: ptxas takes its time for each kernel, and the build has it look at all of them later.
fn of_interest(module: &Module, rewritten: &Rewritten) -> String {
    let mut part = module.clone();
    part.retain_kernels(|name| rewritten.reports.iter().any(|report| report.kernel.name == name));
    part.to_string()
}

/// The compiler does not take the markers.
fn not_marked(name: &str, problem: &str) -> Diagnostic {
    let place = Place::file(name);
    Diagnostic::error(format!("directives are not carried out: {problem}")).at(place)
}

/// Returns what the rewriter is told of an architecture, and of what ptxas made of the kernels.
fn measured(arch: &str, before: &Cubin) -> Options {
    let defaults = Options::default();
    Options {
        multiprocessor: Chip::from_name(arch).map_or(defaults.multiprocessor, |chip| chip.multiprocessor()),
        registers: before.resources.iter().map(|kernel| (kernel.name.clone(), kernel.registers)).collect(),
        keep_occupancy: true,
        ..defaults
    }
}

/// Returns what the rewriter is told: what the command line says, and what ptxas made of the kernels `before`.
fn rewriter(options: &Ccc, kernels: Option<Vec<String>>, profiles: Vec<Profile>, before: &Cubin) -> Options {
    Options {
        block: options.block,
        dynamic_shared: options.shared.into(),
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
        most: options.most.map(|most| most as usize),
        keep_occupancy: !options.lower_occupancy,
        all: options.all,
        strict: options.strict,
        profiles,
        ..measured(&options.common.arch, before)
    }
}

/// The lines of the marked paths that reports speak of.
fn paths(rewritten: &Rewritten) -> impl Iterator<Item = u32> {
    rewritten.reports.iter().flat_map(|report| &report.kernel.regions).map(|region| region.line)
}

/// There is no path at a line that was asked for; `all` is what becomes of all paths that there are.
fn no_path(line: u32, all: &Rewritten, file: &str) -> Failure {
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
pub(super) fn defect(mut failure: Failure, ptx: &str) -> Failure {
    let kept = tempfile::Builder::new().prefix("pxrw-defect-").suffix(".ptx").tempfile_in(std::env::temp_dir()).ok();
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
