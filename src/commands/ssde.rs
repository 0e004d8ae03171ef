//! `pxrw ssde`: loops that deadlock because the lanes of a warp meet again, found and rewritten.

pub(super) mod verify;

use frontend::Compiled;
use ptx_parser::{Kernel, KernelKind, Module};
use ssde_ptx::{At, Done, Finding, Found, Lockstep, Refusal, SeenByCallers, Treated, find_among, treat_among};

use crate::Verdict;
use crate::arguments::{Ssde, SsdeEmit};
use crate::diagnostics::{Diagnostic, Place};
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit};
use crate::kernels::{self, demangle};
use crate::output;
use crate::reconvergence;
use crate::reports::ssde::{KernelEntry, LockstepEntry, LoopEntry, PlaceEntry, SsdeReport, WriteEntry};
use crate::target::assembled_for;

pub(crate) fn run(options: &Ssde) -> Result<Verdict, Failure> {
    if let Some(rewritten) = &options.verify {
        return verify::run(options, rewritten);
    }
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let input = Input::read(&options.input)?;
    let compiler = input.options(&options.compiler, &options.common.arch)?;
    if options.emit == SsdeEmit::Reconvergence && options.certificate.is_some() {
        let error = Diagnostic::error("nothing is rewritten, so that there is no certificate");
        return Err(error.help("`--emit reconvergence` and `--certificate` are two runs").into());
    }
    output::check(options.output.as_deref())?;
    output::check(options.certificate.as_deref())?;
    let source = Source { name: input.name.clone(), text: input.text().to_owned(), language: input.language };
    let Compiled { mut module, ptx, .. } = input.compile(&options.common.arch, &compiler, &mut toolkit)?;
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
    let files = kernels::files(&module);
    let original = module.clone();
    let looked_at: Vec<usize> = (0..module.kernels().len()).filter(|&index| meant(&module.kernels()[index])).collect();
    let seen = SeenByCallers::of(&module);
    let looked_at =
        looked_at.into_iter().map(|index| source.look_at(&mut module, &seen, index, &files, options.detect));
    let mut kernels = Vec::new();
    for kernel in looked_at {
        source.explanations(&kernel, options.detect).iter().for_each(Diagnostic::print);
        kernels.push(kernel);
    }
    let report = SsdeReport { kernels };
    if !options.detect {
        let (text, certificates) = match report.kernels.iter().any(|kernel| kernel.rewritten) {
            true => {
                let text = module.to_string();
                let certificates = verify::certified(&original, &text)?;
                toolkit.get()?.assemble(&text, assembled_for(&original, &options.common.arch), "the rewritten PTX")?;
                (text, certificates)
            }
            false => (ptx, verify::Certificates::default()),
        };
        output::write(options.output.as_deref(), text.as_bytes())?;
        if let Some(path) = &options.certificate {
            verify::write(path, &certificates)?;
        }
    }
    let shown = output::shown(options.common.report, &report, || report.text())?;
    // With the result on standard output, the report must not be mixed into it.
    match options.detect || options.output.is_some() {
        true => output::write(None, shown.as_bytes())?,
        false => output::stderr_text(&shown),
    }
    let found = if options.detect { report.loops() > 0 } else { !report.is_clean() };
    Ok(if found { Verdict::Found } else { Verdict::Done })
}

/// What is looked at, for messages.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) language: Language,
}

impl Source {
    /// Finds the loops of a kernel, and rewrites them if more is wanted than to detect them.
    pub(super) fn look_at(
        &self,
        module: &mut Module,
        seen: &SeenByCallers,
        index: usize,
        files: &[String],
        detect: bool,
    ) -> KernelEntry {
        let mangled = module.kernels()[index].name().to_owned();
        let function = module.kernels()[index].kind() == KernelKind::Func;
        let treated = if detect { None } else { treat_among(seen, module, &mangled) };
        let Treated { found, done } = treated.unwrap_or_else(|| {
            let found = find_among(seen, module, &module.kernels()[index]);
            Treated { found, done: Done::Clean }
        });
        let loops = self.loops(&found, files);
        let lockstep = self.lockstep(&found, files);
        let clean = found.findings.is_empty();
        // Without a place, it is said of the kernel as a whole.
        let calls_kept = found.kept.iter().find(|kept| kept.text.0 == 0).map(|kept| kept.why.clone());
        let (rewritten, inlined) = (matches!(done, Done::Rewritten { .. }), done == Done::Rewritten { inlined: true });
        let reason = match done {
            Done::Refused(refusal) => Some(self.reason(&refusal, files)),
            Done::Lockstep => lockstep
                .first()
                .map(|entry| format!("the loop around {} needs lanes that run in lockstep", entry.store.shown())),
            Done::Rewritten { .. } | Done::Clean => None,
        };
        let name = demangle(&mangled).unwrap_or(mangled);
        let recheck_clean = clean || rewritten;
        KernelEntry { name, function, calls_kept, loops, rewritten, recheck_clean, reason, inlined, lockstep }
    }

    /// What is to be said of a kernel: its loops, and those that need lockstep where that keeps others from being rewritten.
    pub(super) fn explanations(&self, kernel: &KernelEntry, detect: bool) -> Vec<Diagnostic> {
        let loops = kernel.loops.iter().map(|entry| self.explain(entry));
        let lockstep = kernel.lockstep.iter().filter(|_| detect || !kernel.loops.is_empty());
        loops.chain(lockstep.map(|entry| self.explain_lockstep(entry))).collect()
    }

    /// Why a kernel was refused, and where that is.
    fn reason(&self, refusal: &Refusal, files: &[String]) -> String {
        match refusal {
            Refusal::Together { at } => format!("{refusal} ({})", self.place(at, files).shown()),
            _ => refusal.to_string(),
        }
    }

    /// The loops that were found in a kernel, and where they are.
    pub(super) fn loops(&self, found: &Found, files: &[String]) -> Vec<LoopEntry> {
        found.findings.iter().map(|finding| self.entry(finding, files)).collect()
    }

    /// The loops of a kernel that need lockstep, and where they are.
    pub(super) fn lockstep(&self, found: &Found, files: &[String]) -> Vec<LockstepEntry> {
        let entry = |Lockstep { store, read, .. }: &Lockstep| LockstepEntry {
            store: self.place(store, files),
            read: self.place(read, files),
        };
        found.lockstep.iter().map(entry).collect()
    }

    fn entry(&self, finding: &Finding, files: &[String]) -> LoopEntry {
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
            safe_point: finding.meets_at.as_ref().map(place),
        }
    }

    /// An instruction in the source that the user has: CUDA by the compiler's word, where a function was called rather than in the
    /// header that it is from; PTX by its own lines.
    fn place(&self, at: &At, files: &[String]) -> PlaceEntry {
        let known = at.source.map(|loc| loc.inlined_at.map_or((loc.file, loc.line), |(file, line, _)| (file, line)));
        self.position(known, at.text.0, files)
    }

    /// A line of a file by its number, where the compiler says them, or of the PTX.
    pub(super) fn position(&self, known: Option<(u32, u32)>, ptx_line: u32, files: &[String]) -> PlaceEntry {
        let known = known.filter(|&(_, line)| line > 0 && self.language == Language::Cuda);
        let file = known.and_then(|(file, _)| files.get((file as usize).checked_sub(1)?).cloned());
        // nvcc writes the folder in which it ran before the name that it was given.
        let file = file.filter(|file| !file.ends_with(&self.name));
        PlaceEntry {
            file: file.unwrap_or_else(|| self.name.clone()),
            // A line of the PTX is none of the CUDA file that it was made from.
            line: known.map_or(if self.language == Language::Ptx { ptx_line } else { 0 }, |(_, line)| line),
            ptx_line,
        }
    }

    /// A place with the text of its line.
    pub(super) fn here(&self, place: &PlaceEntry) -> Place {
        let text = match place.file == self.name {
            true => self.text.clone(),
            false => std::fs::read_to_string(&place.file).unwrap_or_default(),
        };
        Place::in_text(&place.file, &text, place.line as usize, 0)
    }

    /// Says of a loop that it needs lockstep, and why that is a mistake.
    pub(super) fn explain_lockstep(&self, entry: &LockstepEntry) -> Diagnostic {
        let LockstepEntry { store, read } = entry;
        Diagnostic::warning(
            "this loop makes an atomic update of a store and a second read, which needs lanes that run in lockstep",
        )
        .at(self.here(store))
        .note(format!("{} reads again what is stored here; the lane whose value is still there has won", read.shown()))
        .note(
            "a lane that runs apart from the others undoes what another has added; chips since sm_70 let lanes do that",
        )
        .help(
            "use `atomicAdd` or another atomic; `pxrw ssde` leaves such a kernel alone, and `--kernel` chooses others",
        )
    }

    /// Says of a loop what it waits for and who cannot do it.
    pub(super) fn explain(&self, entry: &LoopEntry) -> Diagnostic {
        let mut diagnostic = Diagnostic::warning("this loop may wait for ever on a machine with a reconvergence stack");
        if let Some(read) = entry.reads.first() {
            diagnostic = diagnostic.at(self.here(read)).note("it waits for what is read here");
        }
        for write in entry.writes.iter().take(4) {
            let why = match (write.reachable, write.parallel) {
                (true, _) => "lanes that have left the loop wait for the others before it",
                _ => "it is on the other way of a branch, which has to wait until the loop is over",
            };
            diagnostic = diagnostic.note(format!("{} may free it, but {why}", write.at.shown()));
        }
        let more = entry.writes.len().saturating_sub(4);
        if more > 0 {
            diagnostic = diagnostic.note(format!("so may {more} more"));
        }
        diagnostic.help("`pxrw ssde FILE -o OUT` has its lanes meet where nobody is kept back")
    }
}
