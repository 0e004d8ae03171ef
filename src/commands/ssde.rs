//! `pxrw ssde`: loops that deadlock because the lanes of a warp meet again, found and rewritten.

pub(super) mod verify;

use frontend::Compiled;
use ptx_parser::{Kernel, KernelKind, Loc, Module, Position};
use ssde_ptx::{
    Assumption, At, BothWays, Done, Finding, Found, KeptCall, Linked, Lockstep, NoMeeting, Recursion, Refusal,
    SeenByCallers, Treated, find_among, kept_functions, treat_among, why_called,
};

use crate::Verdict;
use crate::arguments::{Ssde, SsdeEmit};
use crate::diagnostics::{Diagnostic, Place, Severity};
use crate::failure::Failure;
use crate::input::{Input, Language, LazyToolkit};
use crate::kernels::{self, shown_name, with_shown_names};
use crate::output;
use crate::reconvergence;
use crate::reports::ssde::{BothWaysEntry, KernelEntry, LoopEntry, PlaceEntry, RecursionEntry, SsdeReport, sentences};
use crate::target::assembled_for;

/// The most lines that are named of those that may free a loop.
const MOST_WRITES: usize = 4;

/// The advice where loops are found and nothing was tried against them yet.
pub(super) const ADVICE: &str =
    "`pxrw ssde FILE -o OUT` rewrites it: its lanes reconverge where no lane blocks another";

/// The title where lanes of both ways of a branch wait for each other at barriers.
const PARTED: &str =
    "lanes of a warp that diverge here may wait for each other for ever on a machine with a reconvergence stack";

/// The title where a function may call itself until another lane frees it.
const CALLS_ITSELF: &str = "this function may call itself for ever on a machine with a reconvergence stack";

pub(crate) fn run(options: &Ssde) -> Result<Verdict, Failure> {
    if let Some(rewritten) = &options.verify {
        return verify::run(options, rewritten);
    }
    let mut toolkit = LazyToolkit::new(options.common.cuda_path.as_ref());
    let input = Input::read(&options.input)?;
    let compiler = input.options(&options.compiler, &options.common.arch)?;
    if options.emit == SsdeEmit::Reconvergence && options.certificate.is_some() {
        let error = Diagnostic::error("nothing is rewritten, so there is no certificate");
        return Err(error.help("`--emit reconvergence` and `--certificate` are two runs").into());
    }
    output::check(options.output.as_deref())?;
    output::check_apart(options.output.as_deref(), &options.input)?;
    output::check_apart(options.certificate.as_deref(), &options.input)?;
    output::check(options.certificate.as_deref())?;
    let source = Source { name: input.name.clone(), text: input.text().to_owned(), language: input.language };
    let Compiled { mut module, ptx, may_be_linked, .. } =
        input.compile(&options.common.arch, &compiler, &mut toolkit)?;
    let linked = linked(may_be_linked);
    let named = options.kernel.as_deref().map(|kernel| kernels::names(&module, kernel, &source.name)).transpose()?;
    let meant = |kernel: &Kernel| match &named {
        Some(names) => names.iter().any(|name| name == kernel.name()),
        None => kernel.has_body(),
    };
    if options.emit == SsdeEmit::Reconvergence {
        let seen = SeenByCallers::of(&module, linked).strictly(options.strict);
        let kernels = module.kernels().iter().filter(|kernel| meant(kernel));
        let points: Result<Vec<_>, _> =
            kernels.map(|kernel| reconvergence::Entry::of(&seen, &module, kernel)).collect();
        return match points {
            Ok(points) => {
                output::write(options.output.as_deref(), output::json(&points)?.as_bytes())?;
                Ok(Verdict::Done)
            }
            Err(loop_) => {
                source.explain_no_meeting(&loop_, &kernels::files(&module)).print();
                Ok(Verdict::Found)
            }
        };
    }
    let files = kernels::files(&module);
    let original = module.clone();
    let all = module.kernels().iter().enumerate();
    let mut looked_at: Vec<usize> = all.filter(|(_, kernel)| meant(kernel)).map(|(index, _)| index).collect();
    let seen = SeenByCallers::of(&module, linked).strictly(options.strict);
    let mut kernels: Vec<KernelEntry> = Vec::new();
    while let Some(&index) = looked_at.get(kernels.len())
        && let Some(kernel) = source.look_at(&mut module, &seen, index, &files, options.detect)
    {
        source.explanations(&kernel, options.detect).iter().for_each(Diagnostic::print);
        // A kernel that is named hangs where a function does that it calls.
        let calls = |other: &Kernel| named.is_some() && kernel.calls.contains(&shown_name(other.name()));
        let called = module.kernels().iter().enumerate().filter(|(_, other)| calls(other)).map(|(other, _)| other);
        let called: Vec<usize> = called.filter(|other| !looked_at.contains(other)).collect();
        looked_at.extend(called);
        kernels.push(kernel);
    }
    let report = SsdeReport::of(kernels);
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
    let found = if options.detect { report.found() > 0 } else { !report.is_clean() };
    Ok(if found { Verdict::Found } else { Verdict::Done })
}

/// Translates what the compiler's command line says of linking.
pub(super) fn linked(may_be_linked: bool) -> Linked {
    if may_be_linked { Linked::WithOthers } else { Linked::Alone }
}

/// The input that is analysed, for messages.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) language: Language,
}

impl Source {
    /// Finds the loops of the kernel of an index, and rewrites them if more is wanted than to detect them. `None` if there is no such kernel.
    pub(super) fn look_at(
        &self,
        module: &mut Module,
        seen: &SeenByCallers,
        index: usize,
        files: &[String],
        detect: bool,
    ) -> Option<KernelEntry> {
        let kernel = module.kernels().get(index)?;
        let (mangled, function) = (kernel.name().to_owned(), kernel.kind() == KernelKind::Func);
        let treated = if detect { None } else { treat_among(seen, module, &mangled) };
        let Treated { found, done } = match treated {
            Some(treated) => treated,
            None => Treated { found: find_among(seen, module, module.kernels().get(index)?), done: Done::Clean },
        };
        let loops = self.loops(&found, files);
        let lockstep = self.lockstep(&found, files);
        let assumptions = self.assumptions(&found, files);
        let both_ways = self.both_ways(&found, files, !seen.is_strict());
        let recursions = self.recursions(&found, files, !seen.is_strict());
        // What no rewrite removes.
        let stays = match (both_ways.is_empty(), recursions.is_empty()) {
            _ if !seen.is_strict() => None,
            (false, _) => Some("barriers on the two sides of a branch are not moved"),
            (true, false) => Some("recursive calls are not rewritten as a loop"),
            (true, true) => None,
        };
        let clean = found.findings.is_empty() && stays.is_none();
        // Without a place, it is said of the kernel as a whole.
        let calls_kept = found.kept.iter().find(|kept| !kept.text.is_known()).map(|kept| kept.why.clone());
        let (rewritten, inlined) = (matches!(done, Done::Rewritten { .. }), done == Done::Rewritten { inlined: true });
        let reason = match done {
            Done::Refused(refusal) => Some(self.reason(&refusal, module, &found, files)),
            Done::Lockstep => lockstep
                .first()
                .map(|entry| format!("the loop around {} needs lanes that run in lockstep", entry.store.shown())),
            Done::Clean if !detect => stays.map(str::to_owned),
            Done::Rewritten { .. } | Done::Clean => None,
        };
        let calls = kept_functions(module, &found).iter().map(|name| shown_name(name)).collect();
        let name = shown_name(&mangled);
        let recheck_clean = (clean || rewritten) && stays.is_none();
        Some(KernelEntry {
            name,
            function,
            calls_kept,
            calls,
            found_in_calls: Vec::new(),
            loops,
            assumptions,
            both_ways,
            recursions,
            rewritten,
            recheck_clean,
            reason,
            inlined,
            lockstep,
        })
    }

    /// Returns what is to be said of a kernel: its loops, those that need lockstep where that keeps others from being rewritten, and what is assumed of others.
    pub(super) fn explanations(&self, kernel: &KernelEntry, detect: bool) -> Vec<Diagnostic> {
        let loops = self.explain_loops(&kernel.loops).into_iter();
        let loops = loops.map(|diagnostic| if detect { diagnostic.help(ADVICE) } else { diagnostic });
        let lockstep = kernel.lockstep.iter().filter(|_| detect || !kernel.loops.is_empty());
        let assumptions = self.explain_assumptions(&kernel.assumptions);
        let both_ways = kernel.both_ways.iter().map(|entry| self.explain_both_ways(entry));
        let recursions = kernel.recursions.iter().map(|entry| self.explain_recursion(entry));
        let lockstep = lockstep.map(|entry| self.explain_lockstep(entry));
        loops.chain(lockstep).chain(assumptions).chain(both_ways).chain(recursions).collect()
    }

    /// Returns the reason why a kernel was refused, with its place.
    pub(super) fn reason(&self, refusal: &Refusal, module: &Module, found: &Found, files: &[String]) -> String {
        // The first call that stays by itself.
        let call = found.kept.iter().find(|kept| kept.text.is_known());
        match (refusal, call) {
            (Refusal::Call, Some(KeptCall { text, why })) => {
                let place = PlaceEntry { ptx_line: text.line, ..self.position(None, text.line, files) };
                format!("{refusal} ({} stays a call: {})", place.shown(), with_shown_names(why))
            }
            (Refusal::Call, None) if found.kernel.kind() == KernelKind::Func => {
                match why_called(module, &found.kernel) {
                    Some(why) => {
                        let name = shown_name(found.kernel.name());
                        let why = with_shown_names(&why.replace(&format!("`{}`", found.kernel.name()), "it"));
                        format!(
                            "`{name}` is not inlined: {why}; so the write that frees the loop may be behind its calls"
                        )
                    }
                    None => refusal.to_string(),
                }
            }
            _ => self.refused(refusal, files),
        }
    }

    fn refused(&self, refusal: &Refusal, files: &[String]) -> String {
        match refusal {
            Refusal::Together { at } | Refusal::Copies { at } => {
                format!("{refusal} ({})", self.place(at, files).shown())
            }
            _ => refusal.to_string(),
        }
    }

    /// The loops that were found in a kernel, and where they are.
    pub(super) fn loops(&self, found: &Found, files: &[String]) -> Vec<LoopEntry> {
        found.findings.iter().map(|finding| self.entry(finding, files)).collect()
    }

    /// The loops of a kernel that need lockstep, and where they are.
    pub(super) fn lockstep(&self, found: &Found, files: &[String]) -> Vec<Lockstep<PlaceEntry>> {
        found.lockstep.iter().map(|found| found.map(|at| self.place(at, files))).collect()
    }

    /// Returns what is assumed of other loops of a kernel, and where they are.
    pub(super) fn assumptions(&self, found: &Found, files: &[String]) -> Vec<Assumption<PlaceEntry>> {
        let nowhere = || PlaceEntry { file: self.name.clone(), line: 0, ptx_line: 0 };
        let entry = |assumption: &Assumption| {
            let mut placed = assumption.map(|at| self.place(at, files));
            placed.at.get_or_insert_with(nowhere);
            placed
        };
        found.assumptions.iter().map(entry).collect()
    }

    /// The branches of a kernel with barriers on both ways, and where they are.
    pub(super) fn both_ways(&self, found: &Found, files: &[String], assumed: bool) -> Vec<BothWaysEntry> {
        let entry = |branch: &BothWays| BothWaysEntry { found: branch.map(|at| self.place(at, files)), assumed };
        found.both_ways.iter().map(entry).collect()
    }

    /// The calls by which a function may wait for others, and where they are.
    pub(super) fn recursions(&self, found: &Found, files: &[String], assumed: bool) -> Vec<RecursionEntry> {
        let entry = |call: &Recursion| RecursionEntry { found: call.map(|at| self.place(at, files)), assumed };
        found.recursions.iter().map(entry).collect()
    }

    fn entry(&self, finding: &Finding, files: &[String]) -> LoopEntry {
        let found = finding.map(|at| self.place(at, files));
        let first = found.at.as_ref().or(found.reads.first());
        LoopEntry {
            file: first.map(|place| place.file.clone()).unwrap_or_default(),
            line: first.map_or(0, |place| place.line),
            finding: true,
            found,
        }
    }

    /// An instruction in the source that the user has: CUDA by the compiler's word, where a function was called rather than in the
    /// header that it is from; PTX by its own lines.
    pub(super) fn place(&self, at: &At, files: &[String]) -> PlaceEntry {
        let line = |loc: Loc| loc.inlined_at.map_or((loc.file, loc.line), |(file, line, _)| (file, line));
        let place = self.position(at.source.map(line), at.text.line, files);
        let called =
            at.called.filter(|_| place.file != self.name || (self.language == Language::Cuda && place.line == 0));
        match called.map(|loc| self.position(Some(line(loc)), at.text.line, files)) {
            Some(called) if called.file == self.name && called.line > 0 => called,
            _ => place,
        }
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
        let position = Position::of_line(place.line);
        match place.file == self.name {
            true => Place::in_text(&place.file, &self.text, position),
            false => Place::read(&place.file, position),
        }
    }

    /// Says of a loop that it needs lockstep, and why that is a mistake.
    pub(super) fn explain_lockstep(&self, entry: &Lockstep<PlaceEntry>) -> Diagnostic {
        let Lockstep { store, read, .. } = entry;
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

    /// Says what is assumed of loops that are not among those that may wait for ever: once of all of which the same is assumed.
    pub(super) fn explain_assumptions(&self, entries: &[Assumption<PlaceEntry>]) -> Vec<Diagnostic> {
        let mut said: Vec<(Option<String>, Vec<String>)> = Vec::new();
        let is_new = |entry: &&Assumption<PlaceEntry>| {
            let says = (entry.at.as_ref().map(PlaceEntry::shown), sentences(entry));
            let is_new = !said.contains(&says);
            said.extend(is_new.then_some(says));
            is_new
        };
        entries.iter().filter(is_new).map(|entry| self.explain_assumption(entry)).collect()
    }

    fn explain_assumption(&self, entry: &Assumption<PlaceEntry>) -> Diagnostic {
        let note = Diagnostic::remark(match entry.raced.is_empty() {
            true => "assumes that this loop does not wait: a lane that runs alone makes progress in each iteration",
            false => {
                "assumes that this loop does not wait: it searches by plain reads, and does not see what other lanes write meanwhile"
            }
        });
        let note = match &entry.at {
            Some(at) => note.at(self.here(at)),
            None => note,
        };
        let note = sentences(entry).into_iter().fold(note, Diagnostic::note);
        note.help("`--strict` assumes nothing")
    }

    /// Says of a branch with barriers on both ways what is assumed of it, or what may happen.
    pub(super) fn explain_both_ways(&self, entry: &BothWaysEntry) -> Diagnostic {
        let [one, other] = entry.found.barriers.each_ref().map(PlaceEntry::shown);
        let title = match entry.assumed {
            true => "assumes that all lanes of a warp take the same side of this branch",
            false => PARTED,
        };
        let severity = if entry.assumed { Severity::Note } else { Severity::Warning };
        let diagnostic = Diagnostic { severity, ..Diagnostic::error(title) }.at(self.here(&entry.found.branch));
        let barriers = match one == other {
            true => format!("lanes on both sides of the branch wait for each other at {one}"),
            false => format!("lanes on one side of the branch wait at {one} for lanes on the other side at {other}"),
        };
        let diagnostic = diagnostic
            .note(format!("{barriers}; on a reconvergence stack, one side waits until the other side has ended"));
        if entry.found.copies {
            let diagnostic = diagnostic.note(
                "if `pxrw ssde` inlines the function, each side has its own copy of the instruction, and lanes do not meet at two copies",
            );
            return diagnostic.help("call the function behind the branch, where all lanes execute it");
        }
        diagnostic
            .help("put the barrier behind the branch, where all lanes execute it; `pxrw ssde` does not move barriers")
    }

    /// Says of a function that calls itself what is assumed of it, or what may happen.
    pub(super) fn explain_recursion(&self, entry: &RecursionEntry) -> Diagnostic {
        let title = match entry.assumed {
            true => {
                "assumes that no lane calls this function again and again until another lane writes what is read here"
            }
            false => CALLS_ITSELF,
        };
        let severity = if entry.assumed { Severity::Note } else { Severity::Warning };
        let diagnostic = Diagnostic { severity, ..Diagnostic::error(title) }.at(self.here(&entry.found.read));
        let call = entry.found.call.shown();
        let diagnostic = diagnostic.note(format!(
            "{call} leads back to the function; on a reconvergence stack, lanes of the warp that have returned wait for those that call"
        ));
        diagnostic.help(
            "if it waits for another lane, write a loop instead; `pxrw ssde` does not rewrite recursion as a loop",
        )
    }

    /// Says of a loop that no points let it end.
    fn explain_no_meeting(&self, NoMeeting { at, function }: &NoMeeting, files: &[String]) -> Diagnostic {
        let why = match function {
            Some(name) => format!(
                "it is in `{}`, whose calls stay, and its lanes may have to meet behind a return",
                shown_name(name)
            ),
            None => "a branch of it has no line in the PTX".to_owned(),
        };
        let error = Diagnostic::error("no reconvergence points let this loop end without a timeout").note(why);
        let error = match at {
            Some(at) => error.at(self.here(&self.place(at, files))),
            None => error,
        };
        error.help(
            "nothing was written; `pxrw run --machine aware` has a timeout unless `--aware-timeout never` is given",
        )
    }

    /// Says of loops what they wait for and who cannot do it: once of all that the compiler has made of one line.
    pub(super) fn explain_loops(&self, entries: &[LoopEntry]) -> Vec<Diagnostic> {
        let read = |entry: &LoopEntry| entry.found.reads.first().filter(|read| read.line > 0).map(PlaceEntry::shown);
        let mut lines: Vec<(&LoopEntry, Vec<&LoopEntry>)> = Vec::new();
        for entry in entries {
            let alike = |(first, _): &&mut (&LoopEntry, Vec<&LoopEntry>)| {
                read(entry).is_some() && read(first) == read(entry) && first.found.weak == entry.found.weak
            };
            match lines.iter_mut().find(alike) {
                Some((_, others)) => others.push(entry),
                None => lines.push((entry, Vec::new())),
            }
        }
        lines.iter().map(|(first, others)| self.explain(first, others)).collect()
    }

    /// Says of the loops that are made of one line what they wait for.
    fn explain(&self, first: &LoopEntry, others: &[&LoopEntry]) -> Diagnostic {
        let mut diagnostic = Diagnostic::warning("this loop may wait for ever on a machine with a reconvergence stack");
        if let Some(read) = first.found.reads.first() {
            diagnostic = diagnostic.at(self.here(read)).note("it waits for what is read here");
        }
        if !others.is_empty() {
            diagnostic = diagnostic.note(format!("the PTX has {} such loops from this line", 1 + others.len()));
        }
        let mut notes: Vec<String> = Vec::new();
        for write in std::iter::once(&first).chain(others).flat_map(|entry| &entry.found.writes) {
            let why = match (write.reachable, write.parallel) {
                (true, _) => "lanes that have left the loop wait for the others before they execute it",
                _ => "it is on the other side of a branch, which does not execute until the loop ends",
            };
            let note = format!("{} may free it, but {why}", write.at.shown());
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        let more = notes.len().saturating_sub(MOST_WRITES);
        notes.truncate(MOST_WRITES);
        diagnostic = notes.into_iter().fold(diagnostic, Diagnostic::note);
        if first.found.weak {
            diagnostic = diagnostic.note(
                "its reads are weak: the hardware repeats them, but the PTX ISA does not promise it, and a compiler may read only once; \
                 use `volatile` or `ld.relaxed`",
            );
        }
        if more > 0 {
            let lines = if more == 1 { "line" } else { "lines" };
            diagnostic = diagnostic.note(format!("so may {more} more {lines}"));
        }
        diagnostic
    }
}
