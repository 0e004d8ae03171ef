//! `pxrw lint`: all that the analyses find in files, explained, with nothing rewritten.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use analysis::{Analyses, LaneDependences};
use ccc::Status;
use frontend::Compiled;
use ptx_parser::{Inst, Kernel, KernelKind, Module};
use ssde_ptx::{At, Done, Found, SeenByCallers, find_among, treat_among};

use super::ssde::{ADVICE, Source, linked};
use crate::Verdict;
use crate::arguments::Lint;
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::{Input, LazyToolkit};
use crate::inputs::files;
use crate::kernels::{self, shown_name};
use crate::output;
use crate::reports::lint::{
    DirectiveEntry, FileEntry, ImplicitEntry, KeptEntry, KernelEntry, LintReport, UnreadableEntry,
};
use crate::reports::ssde::PlaceEntry;
use crate::target::number;

/// The first architecture on which each lane has a program counter of its own.
const INDEPENDENT: u32 = 70;

pub(crate) fn run(options: &Lint) -> Result<Verdict, Failure> {
    let Lint { inputs, common, compiler } = options;
    let mut toolkit = LazyToolkit::new(common.cuda_path.as_ref());
    let nvcc = compiler.for_nvcc(&common.arch)?;
    let inputs = files(inputs);
    let is_ptx = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "ptx");
    if let [Ok(first), ..] = inputs.as_slice()
        && inputs.iter().flatten().all(is_ptx)
    {
        compiler.check_unused(&first.display().to_string())?;
    }
    let mut report = LintReport::default();
    // One file that cannot be read does not keep what is said of the others back.
    for input in inputs {
        let name = input.as_ref().map_or_else(|_| None, |path| Some(path.display().to_string()));
        match input.and_then(|path| lint(&path, &common.arch, &nvcc, &mut toolkit)) {
            Ok(entry) => report.files.push(entry),
            Err(Failure { diagnostics }) => {
                diagnostics.iter().for_each(Diagnostic::print);
                let errors = diagnostics.into_iter().map(|diagnostic| diagnostic.title).collect();
                report.unreadable.push(UnreadableEntry { file: name, errors });
            }
        }
    }
    let shown = output::shown(common.report, &report, || report.text())?;
    output::write(None, shown.as_bytes())?;
    Ok(match report.unreadable.is_empty() {
        false => Verdict::Unreadable,
        true if report.found() > 0 => Verdict::Found,
        true => Verdict::Done,
    })
}

/// Looks at a file, and says what is found as it is found.
fn lint(path: &Path, arch: &str, nvcc: &[OsString], toolkit: &mut LazyToolkit) -> Result<FileEntry, Failure> {
    let input = Input::read(path)?;
    let source = Source { name: input.name.clone(), text: input.text().to_owned(), language: input.language };
    let compiled = input.compile(arch, nvcc, toolkit)?;
    let module = &compiled.module;
    let names = kernels::files(module);
    let seen = SeenByCallers::of(module, linked(compiled.may_be_linked));
    let mut kernels = Vec::new();
    for kernel in module.kernels().iter().filter(|kernel| kernel.has_body()) {
        let found = find_among(&seen, module, kernel);
        let entry = KernelEntry {
            name: shown_name(kernel.name()),
            function: kernel.kind() == KernelKind::Func,
            loops: source.loops(&found, &names),
            assumptions: source.assumptions(&found, &names),
            both_ways: source.both_ways(&found, &names, true),
            recursions: source.recursions(&found, &names, true),
            refused: refused(&source, &seen, module, kernel.name(), &found, &names),
            lockstep: source.lockstep(&found, &names),
            implicit: implicit(&source, kernel, &names),
            calls_kept: found
                .kept
                .iter()
                .map(|kept| KeptEntry { ptx_line: kept.text.line, why: kept.why.clone() })
                .collect(),
        };
        // A kernel of which no call is looked into, rather than one call.
        for kept in found.kept.iter().filter(|kept| !kept.text.is_known()) {
            let place = Place::file(&source.name);
            Diagnostic::warning(format!("the calls of `{}` are not analysed: {}", entry.name, kept.why))
                .at(place)
                .note("each of them may do anything, so loops around them are assumed to wait")
                .print();
        }
        let help = match &entry.refused {
            Some(why) => format!("`pxrw ssde` would leave the kernel as it is: {why}"),
            None => ADVICE.to_owned(),
        };
        source.explain_loops(&entry.loops).into_iter().for_each(|loops| loops.help(help.as_str()).print());
        source.explain_assumptions(&entry.assumptions).into_iter().for_each(|note| {
            note.help("`pxrw ssde --strict` assumes nothing").print();
        });
        entry.both_ways.iter().for_each(|entry| source.explain_both_ways(entry).print());
        entry.recursions.iter().for_each(|entry| source.explain_recursion(entry).print());
        entry.lockstep.iter().for_each(|entry| source.explain_lockstep(entry).print());
        entry.implicit.iter().for_each(|entry| explain_implicit(&source, entry).print());
        kernels.push(entry);
    }
    let (directives, assumptions) = directives(&source, &compiled);
    let target = module.target().first().map_or_else(String::new, |word| word.to_string());
    let every_chip = number(&target).is_some_and(|number| number < INDEPENDENT);
    let entry = FileEntry { file: source.name, target, every_chip, kernels, directives, assumptions };
    if entry.waits() > 0 {
        explain_target(&entry);
    }
    Ok(entry)
}

/// Finds the accesses of a kernel that are right only where the lanes of a warp run in lockstep: one for each line and the line that it depends on.
fn implicit(source: &Source, kernel: &Kernel, files: &[String]) -> Vec<ImplicitEntry> {
    let analyses = Analyses::of(kernel);
    let dependences = LaneDependences::of(kernel, &analyses);
    let place = |inst: Inst| source.place(&At::of(kernel, inst), files);
    let mut found: Vec<ImplicitEntry> = Vec::new();
    for one in dependences.relying_on_lockstep(kernel, &analyses) {
        let entry = ImplicitEntry {
            at: place(one.sink),
            first: place(one.source),
            kind: one.kind.name(),
            lanes: one.lanes.text(),
        };
        let shown = |entry: &ImplicitEntry| (entry.at.shown(), entry.first.shown(), entry.kind);
        if !found.iter().any(|other| shown(other) == shown(&entry)) {
            found.push(entry);
        }
    }
    // What a lane reads from another one matters most; the rest is said of lines of which that is not said.
    let reading: Vec<String> =
        found.iter().filter(|entry| entry.kind == "flow").map(|entry| entry.at.shown()).collect();
    found.retain(|entry| entry.kind == "flow" || !reading.contains(&entry.at.shown()));
    found
}

/// Says of an access that it relies on lockstep.
fn explain_implicit(source: &Source, entry: &ImplicitEntry) -> Diagnostic {
    let ImplicitEntry { at, first, kind, lanes } = entry;
    let other = match *lanes {
        ">" | ">=" => "a higher lane",
        "<" | "<=" => "a lower lane",
        _ => "another lane",
    };
    let (title, note) = match *kind {
        "flow" => (
            format!("this reads what {other} of the warp stores, and only lockstep makes it come after that"),
            format!("the store is at {}, and no barrier lies between", first.shown()),
        ),
        _ => (
            format!("this overwrites what {other} of the warp reads, and only lockstep makes it come after that"),
            format!("the load is at {}, and no barrier lies between", first.shown()),
        ),
    };
    Diagnostic::warning(title)
        .at(source.here(at))
        .note(note)
        .note("chips since sm_70 need not run the lanes of a warp together; `volatile` does not make them")
        .help("put `__syncwarp()` between the two, outside of branches that lanes take apart")
}

/// Returns the reason why a kernel with findings would not be rewritten; `None` if it would be, or if nothing is found.
fn refused(
    source: &Source,
    seen: &SeenByCallers,
    module: &Module,
    name: &str,
    found: &Found,
    files: &[String],
) -> Option<String> {
    if found.findings.is_empty() {
        return None;
    }
    match treat_among(seen, &mut module.clone(), name)?.done {
        Done::Refused(refusal) => Some(source.reason(&refusal, module, found, files)),
        Done::Clean | Done::Rewritten { .. } | Done::Lockstep => None,
    }
}

/// The regions marked by directives that cannot be collected, and what is assumed of those that can. That is decided without anything being written or
/// assembled.
fn directives(source: &Source, compiled: &Compiled) -> (Vec<DirectiveEntry>, Vec<DirectiveEntry>) {
    let rewritten = compiled.rewrite(&ccc::Options::default());
    let statuses = rewritten.reports.iter().flat_map(|report| {
        let grid = report.kernel.grid.as_ref().map(|grid| (&report.files, &grid.status, None, grid.line));
        let regions = report.kernel.regions.iter().filter(|region| !region.copy_is_collected);
        grid.into_iter().chain(regions.map(|region| (&report.files, &region.status, region.file_index, region.line)))
    });
    let mut entries = Vec::new();
    for (files, status, file, line) in statuses {
        let Status::Refused(refusal) = status else { continue };
        let at =
            source.position(file.map(|file| (file, line)), refusal.place().map_or(0, |place| place.ptx.line), files);
        let (message, help) = (format!("this path cannot be collected: {refusal}"), refusal.help());
        Diagnostic::warning(message.as_str()).at(source.here(&at)).help(help).print();
        entries.push(DirectiveEntry { at, message, help: help.to_owned() });
    }
    let mut assumed = Vec::new();
    for report in &rewritten.reports {
        for assumption in report.kernel.regions.iter().flat_map(|region| &region.accesses) {
            let position = |at: ccc::Origin| {
                source.position(
                    at.file.filter(|_| at.source.line > 0).map(|file| (file, at.source.line)),
                    at.ptx.line,
                    &report.files,
                )
            };
            let (path, at) = (position(assumption.path.at), position(assumption.rest.at));
            let of_path = format!("{} at {}", assumption.path.text(), path.shown());
            let message = format!("collecting the path {}", assumption.assumption(&of_path, &assumption.rest.text()));
            let help = "say so with `independent` behind the directive, or with `__restrict__` pointers";
            let entry = DirectiveEntry { at, message, help: help.to_owned() };
            if !assumed.contains(&entry) {
                let note = Diagnostic::remark(entry.message.as_str());
                note.at(source.here(&entry.at)).help(help).print();
                assumed.push(entry);
            }
        }
    }
    let unreached =
        compiled.unreached(&rewritten).into_iter().filter(|_| rewritten.problems.is_empty()).map(|unreached| {
            let (message, help) = (unreached.message(), unreached.help());
            let at = PlaceEntry {
                file: unreached.file,
                line: u32::try_from(unreached.line).unwrap_or(u32::MAX),
                ptx_line: 0,
            };
            DirectiveEntry { at, message, help }
        });
    let problems = rewritten.problems.iter().map(|problem| {
        let at = PlaceEntry { file: source.name.clone(), line: 0, ptx_line: 0 };
        DirectiveEntry { at, message: format!("directives are not carried out: {problem}"), help: String::new() }
    });
    for entry in unreached.chain(problems) {
        Diagnostic::warning(entry.message.as_str()).at(source.here(&entry.at)).help(entry.help.as_str()).print();
        entries.push(entry);
    }
    (entries, assumed)
}

/// Says where loops that wait hang: the target decides it, not the chip.
fn explain_target(entry: &FileEntry) {
    let FileEntry { file, target, every_chip, .. } = entry;
    let place = Place::file(file);
    let (title, note, help) = match every_chip {
        true => (
            format!("the target is {target}, for which such loops hang on every chip"),
            "for targets before sm_70, ptxas writes no YIELD, so that lanes which wait are not left for others on newer chips either",
            "compile for sm_70 or later, or have `pxrw ssde` rewrite it",
        ),
        false => (
            format!("the target is {target}, for which lanes are scheduled independently"),
            "such loops end there, but lanes that wait take turns with those they wait for; on a reconvergence stack they hang",
            "`pxrw ssde` rewrites it: its lanes reconverge where no lane blocks another",
        ),
    };
    Diagnostic::remark(title).at(place).note(note).help(help).print();
}
