//! `pxrw ssde`: loops that deadlock because the lanes of a warp meet again, found and rewritten.

use ptx_parser::Kernel;
use ssde_ptx::{At, Finding, Outcome, detect, eliminate};

use crate::Verdict;
use crate::arguments::{Ssde, SsdeEmit};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::{Compiled, Input, Language, LazyToolkit};
use crate::kernels::{self, demangle};
use crate::output;
use crate::reconvergence;
use crate::reports::ssde::{KernelEntry, LoopEntry, PlaceEntry, SsdeReport, WriteEntry};

pub(crate) fn run(options: &Ssde) -> Result<Verdict, Failure> {
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let input = Input::read(&options.input)?;
    let source = Source { name: input.name.clone(), text: input.text().to_owned(), language: input.language };
    let Compiled { mut module, ptx, .. } = input.compile(&options.common.arch, &mut toolkit)?;
    let named = options.kernel.as_deref().map(|kernel| kernels::names(&module, kernel, &source.name)).transpose()?;
    let meant = |kernel: &Kernel| match &named {
        Some(names) => names.iter().any(|name| name == kernel.name()),
        None => kernel.has_body(),
    };
    if options.emit == SsdeEmit::Reconvergence {
        let kernels = module.kernels().iter().filter(|kernel| meant(kernel));
        let points: Vec<reconvergence::Entry> = kernels.map(reconvergence::Entry::of).collect();
        output::write(options.output.as_deref(), output::json(&points)?.as_bytes())?;
        return Ok(Verdict::Done);
    }
    let files: Vec<String> = (1..).map_while(|index| module.file(index).map(str::to_owned)).collect();
    let looked_at = module.kernels_mut().iter_mut().filter(|kernel| meant(kernel));
    let report = SsdeReport { kernels: looked_at.map(|kernel| source.look_at(kernel, &files, options)).collect() };
    if !options.detect {
        let text = match report.kernels.iter().any(|kernel| kernel.rewritten) {
            true => {
                let text = module.to_string();
                toolkit.get()?.assemble(&text, &options.common.arch, "the rewritten PTX")?;
                text
            }
            false => ptx,
        };
        output::write(options.output.as_deref(), text.as_bytes())?;
    }
    let shown = output::shown(options.common.report, &report, || report.text())?;
    // With the result on standard output, the report must not be mixed into it.
    match options.detect || options.output.is_some() {
        true => output::write(None, shown.as_bytes())?,
        false => eprint!("{shown}"),
    }
    let found = if options.detect { report.loops() > 0 } else { !report.is_clean() };
    Ok(if found { Verdict::Found } else { Verdict::Done })
}

/// What is looked at, for messages.
struct Source {
    name: String,
    text: String,
    language: Language,
}

impl Source {
    /// Finds and explains the loops of a kernel, and rewrites them if that is wanted.
    fn look_at(&self, kernel: &mut Kernel, files: &[String], options: &Ssde) -> KernelEntry {
        let findings = detect(kernel);
        let loops: Vec<LoopEntry> = findings.iter().map(|finding| self.entry(kernel, finding, files)).collect();
        for entry in &loops {
            self.explain(entry);
        }
        let name = demangle(kernel.name()).unwrap_or_else(|| kernel.name().to_owned());
        let clean = findings.is_empty();
        let (rewritten, reason) = match options.detect || clean {
            true => (false, None),
            false => match eliminate(kernel) {
                Outcome::Refused(refusal) => (false, Some(refusal.to_string())),
                Outcome::Rewritten { .. } => (true, None),
                Outcome::Clean => (false, None),
            },
        };
        KernelEntry { name, loops, rewritten, recheck_clean: clean || rewritten, reason }
    }

    fn entry(&self, kernel: &Kernel, finding: &Finding, files: &[String]) -> LoopEntry {
        let place = |at: &At| self.place(at, files);
        let first = finding.at.as_ref().or(finding.reads.first()).map(place);
        let writes = finding.writes.iter().map(|write| WriteEntry {
            at: place(&write.at),
            reachable: write.reachable,
            parallel: write.parallel,
        });
        LoopEntry {
            file: first.as_ref().map(|place| place.file.clone()).unwrap_or_default(),
            line: first.map_or(0, |place| place.line),
            finding: true,
            reads: finding.reads.iter().map(place).collect(),
            writes: writes.collect(),
            safe_point: finding.meets_at(kernel).as_ref().map(place),
        }
    }

    /// An instruction in the source that the user has: CUDA by the compiler's word, where a function was called rather than in the
    /// header that it is from; PTX by its own lines.
    fn place(&self, at: &At, files: &[String]) -> PlaceEntry {
        let known = at.source.filter(|loc| loc.line > 0 && self.language == Language::Cuda);
        let known = known.map(|loc| loc.inlined_at.map_or((loc.file, loc.line), |(file, line, _)| (file, line)));
        let file = known.and_then(|(file, _)| files.get((file as usize).checked_sub(1)?).cloned());
        // nvcc writes the folder in which it ran before the name that it was given.
        let file = file.filter(|file| !file.ends_with(&self.name));
        PlaceEntry {
            file: file.unwrap_or_else(|| self.name.clone()),
            line: known.map_or(at.text.0, |(_, line)| line),
            ptx_line: at.text.0,
        }
    }

    /// Says of a loop what it waits for and who cannot do it.
    fn explain(&self, entry: &LoopEntry) {
        let here = |place: &PlaceEntry| {
            let text = if place.file == self.name {
                self.text.clone()
            } else {
                std::fs::read_to_string(&place.file).unwrap_or_default()
            };
            Place::in_text(&place.file, &text, place.line as usize, 0)
        };
        let mut diagnostic = Diagnostic::warning("this loop may wait for ever on a machine with a reconvergence stack");
        if let Some(read) = entry.reads.first() {
            diagnostic = diagnostic.at(here(read)).note("it waits for what is read here");
        }
        for write in entry.writes.iter().take(4) {
            let why = match (write.reachable, write.parallel) {
                (true, _) => "lanes that have left the loop wait for the others before it",
                _ => "it is on the other way of a branch, which has to wait until the loop is over",
            };
            diagnostic = diagnostic.note(format!("{}:{} may free it, but {why}", write.at.file, write.at.line));
        }
        let more = entry.writes.len().saturating_sub(4);
        if more > 0 {
            diagnostic = diagnostic.note(format!("so may {more} more"));
        }
        diagnostic.help("`pxrw ssde FILE -o OUT` has its lanes meet where nobody is kept back").print();
    }
}
