//! Collects marked paths, in the way of marking of which most can be collected, and puts the rewritten kernels in their places in the plain PTX.

use std::collections::{BTreeMap, BTreeSet};

use annotate::{Directive, Kind, Marking};
use ccc::{KernelReport, Options, Refusal, Status, Unmarked};
use ptx_parser::{Module, Space, SpliceError};

use crate::Compiled;
use crate::directives::{Located, Unreached, Why};
use crate::marked::Origin;

/// The result of rewriting a translation unit.
#[derive(Debug)]
pub struct Rewritten {
    /// The module; equal to the plain one where nothing is rewritten.
    pub module: Module,
    /// The reports on kernels with marked paths, in the order of the marked text.
    pub reports: Vec<Report>,
    /// The reasons why nothing could be collected: the compiler takes no markers, or a kernel does not fit into the module.
    pub problems: Vec<String>,
    /// The numbers of the directives that reached a kernel, whatever became of them there.
    reached: BTreeSet<u32>,
    /// The loops of which the compiler takes no markers, with what it says.
    not_taken: BTreeMap<u32, String>,
}

/// The result for one kernel.
#[derive(Debug)]
pub struct Report {
    /// The rewriter's report.
    pub kernel: KernelReport,
    /// The way in which the reported text was marked; `None` if the PTX had markers already.
    pub marking: Option<Marking>,
    /// The files that the report's indices mean.
    pub files: Vec<String>,
}

impl Report {
    /// Returns true if what ptxas says of the kernel may change what is collected: paths were left out so that as many blocks are resident.
    #[must_use]
    pub fn depends_on_registers(&self) -> bool {
        let occupancy = |status: &Status| matches!(status, Status::LeftOut(Refusal::Occupancy { .. }));
        self.kernel.regions.iter().any(|region| occupancy(&region.status))
    }

    /// Returns true if anything of the kernel was rewritten.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.kernel.is_rewritten()
    }
}

/// A kernel as one way of marking leaves it.
struct Attempt {
    report: KernelReport,
    marking: Marking,
    /// Index among the modules that were rewritten.
    module: usize,
}

impl Compiled {
    /// The directives of which no marker reached a kernel, the loops in which nothing is marked, and the directives that the compiler does not read.
    #[must_use]
    pub fn unreached(&self, rewritten: &Rewritten) -> Vec<Unreached> {
        let marks_a_path =
            |directive: &Directive| !matches!(directive.kind, Kind::For { .. }) || directive.loop_id.is_some();
        let has_a_path = |id: u32| self.directives.iter().any(|other| other.directive.loop_id == Some(id));
        let why = |directive: &Directive| match rewritten.not_taken.get(&directive.id) {
            Some(said) => Some(Why::NotTaken { said: said.clone(), has_reduce: !directive.reduce.is_empty() }),
            None if directive.loop_id.is_some_and(|id| rewritten.not_taken.contains_key(&id)) => None,
            None if marks_a_path(directive) => {
                let gone = !rewritten.reached.contains(&directive.id);
                gone.then(|| Why::Gone { host_function: directive.host_function.clone() })
            }
            None => (!has_a_path(directive.id)).then_some(Why::Alone),
        };
        // A header that is included several times has its directives several times.
        let reached = |one: &Located| {
            let same = |other: &&Located| (&other.file, other.directive.line) == (&one.file, one.directive.line);
            self.directives.iter().filter(same).any(|other| rewritten.reached.contains(&other.directive.id))
        };
        let missed = self.directives.iter().filter(|one| !reached(one));
        let missed = missed.filter_map(|Located { file, directive }| {
            Some(Unreached::new(file, directive.target_line, why(directive)?))
        });
        missed.chain(self.unread.iter().cloned()).collect()
    }

    /// Collects the marked paths. Kernels of which nothing can be collected, or of which that does not pay, stay as the compiler makes them.
    #[must_use]
    pub fn rewrite(&self, options: &Options) -> Rewritten {
        if matches!(self.origin, Origin::Ptx) {
            return self.rewrite_in_place(options);
        }
        let mut problems = Vec::new();
        let mut modules: Vec<Module> = Vec::new();
        let mut attempts: Vec<Attempt> = Vec::new();
        let mut reached = BTreeSet::new();
        let mut not_taken = BTreeMap::new();
        let unmarked = Unmarked::of(&self.module);
        for (index, marked) in self.marked.iter().enumerate() {
            // Each further way costs a compilation. Where the first leaves nothing of the paths, no other one does.
            let may_be_better = |attempt: &Attempt| {
                modules.get(attempt.module).is_some_and(|module| self.may_be_better(&attempt.report, module))
            };
            if !modules.is_empty() && !attempts.iter().any(may_be_better) {
                break;
            }
            let mut module = match marked.module(&self.origin, &self.directives, &self.ptx) {
                Ok(taken) => {
                    not_taken.extend(taken.not_taken.clone());
                    taken.module.clone()
                }
                Err(problem) => {
                    problems.push(problem.to_owned());
                    continue;
                }
            };
            // A profile counts the lines of what was marked in the first way.
            let profiles = if index == 0 { options.profiles.clone() } else { Vec::new() };
            let options = Options { profiles, unmarked: unmarked.clone(), ..options.clone() };
            for report in ccc::rewrite_module(&mut module, &options) {
                reached.extend(ids(&report));
                let attempt = Attempt { report, marking: marked.marking, module: modules.len() };
                match attempts.iter_mut().find(|other| other.report.name == attempt.report.name) {
                    None => attempts.push(attempt),
                    Some(before) if attempt.is_better_than(before) => *before = attempt,
                    Some(_) => {}
                }
            }
            modules.push(module);
        }
        // One way that worked is enough.
        if !modules.is_empty() {
            problems.clear();
        }
        let mut rewritten = Rewritten { reached, not_taken, ..self.joined(&modules, attempts, problems) };
        // What is saved was optimised.
        let unoptimised = matches!(&self.origin, Origin::Compiler(job) if job.steps.are_unoptimised());
        for report in &mut rewritten.reports {
            self.blame_options(&mut report.kernel, unoptimised);
        }
        rewritten
    }

    /// Returns true if something may be refused because of the way in which a kernel was marked.
    fn may_be_better(&self, report: &KernelReport, marked: &Module) -> bool {
        let local =
            |module: &Module| module.kernel(&report.name).map_or(0, |kernel| kernel.declared_bytes(Space::Local));
        report.refusals().any(|refusal| match refusal {
            // An array whose index is known once loops are unrolled is none.
            Refusal::Local { .. } => local(marked) > local(&self.module),
            refusal => refusal.is_about_shape(),
        })
    }

    /// Says of refusals that the compiler's options are why: debug information is in the way of any rewrite, and where nothing is optimised, calls and local
    /// memory are not the source's.
    fn blame_options(&self, report: &mut KernelReport, unoptimised: bool) {
        let blamed = |refusal: &Refusal| match (self.module.is_debug(), unoptimised) {
            (true, _) => Refusal::DebugInformation,
            (false, true) => refusal.clone().in_unoptimised_code(),
            (false, false) => refusal.clone(),
        };
        let grid = report.grid.iter_mut().map(|grid| &mut grid.status);
        for status in grid.chain(report.regions.iter_mut().map(|region| &mut region.status)) {
            if let Status::Refused(refusal) = status {
                *refusal = blamed(refusal);
            }
        }
    }

    /// Puts the rewritten kernels of some modules in their places.
    fn joined(&self, modules: &[Module], mut attempts: Vec<Attempt>, problems: Vec<String>) -> Rewritten {
        let mut module = self.module.clone();
        for (index, from) in modules.iter().enumerate() {
            let taken = |attempt: &&mut Attempt| attempt.module == index && attempt.report.is_rewritten();
            let mut rewritten: Vec<&mut Attempt> = attempts.iter_mut().filter(taken).collect();
            if rewritten.is_empty() {
                continue;
            }
            let names: Vec<&str> = rewritten.iter().map(|attempt| attempt.report.name.as_str()).collect();
            let names = module.splice_closure(from, &names);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            if let Err(error) = module.splice(from, &names) {
                let refusal = match error {
                    SpliceError::DebugInformation { .. } => Refusal::DebugInformation,
                    error => {
                        let what = format!("the rewritten kernel does not fit into the compiler's PTX: {error}");
                        Refusal::Internal { what }
                    }
                };
                rewritten.iter_mut().for_each(|attempt| undo(&mut attempt.report, &refusal));
            }
        }
        let files: BTreeMap<usize, Vec<String>> = modules.iter().map(files).enumerate().collect();
        // What is marked may declare more than what runs without the rewrite.
        let plain = |name: &str| self.module.kernel(name).map_or(0, |kernel| kernel.declared_bytes(Space::Shared));
        let reports = attempts.into_iter().map(|attempt| Report {
            kernel: KernelReport { shared_bytes_before: plain(&attempt.report.name), ..attempt.report },
            marking: Some(attempt.marking),
            files: files.get(&attempt.module).cloned().unwrap_or_default(),
        });
        Rewritten { module, reports: reports.collect(), problems, reached: BTreeSet::new(), not_taken: BTreeMap::new() }
    }

    /// The same for a module that has its markers.
    fn rewrite_in_place(&self, options: &Options) -> Rewritten {
        let mut module = self.module.clone();
        let reports = ccc::rewrite_module(&mut module, options);
        let files = files(&self.module);
        let reports = reports.into_iter().map(|kernel| Report { kernel, marking: None, files: files.clone() });
        Rewritten {
            module,
            reports: reports.collect(),
            problems: Vec::new(),
            reached: BTreeSet::new(),
            not_taken: BTreeMap::new(),
        }
    }
}

impl Attempt {
    /// Returns true if more of the kernel is collected than another way of marking leaves. Where nothing is, a reason that only the other way of marking makes
    /// is none: a loop that is not unrolled has its arrays in local memory.
    fn is_better_than(&self, before: &Attempt) -> bool {
        let (now, then) = (collected(&self.report), collected(&before.report));
        let (mine, theirs) = (ids(&self.report), ids(&before.report));
        let false_reason = in_local_memory(&before.report) && !in_local_memory(&self.report);
        now > then || (now == 0 && then == 0 && false_reason && theirs.is_subset(&mine))
    }
}

/// The numbers of the directives that a report is about.
fn ids(report: &KernelReport) -> BTreeSet<u32> {
    report.grid.iter().map(|grid| grid.id).chain(report.regions.iter().map(|region| region.id)).collect()
}

/// Returns true if local memory is why something is not collected.
fn in_local_memory(report: &KernelReport) -> bool {
    report.regions.iter().any(|region| matches!(region.status, Status::Refused(Refusal::Local { .. })))
}

/// The number of directives of which something is collected.
fn collected(report: &KernelReport) -> usize {
    let grid = report.grid.iter().filter(|grid| grid.status == Status::Rewritten).count();
    let rewritten = report.regions.iter().filter(|region| region.status == Status::Rewritten);
    let ids: BTreeSet<u32> = rewritten.map(|region| region.id).collect();
    grid + ids.len()
}

/// Takes back what a report says of rewritten regions.
fn undo(report: &mut KernelReport, refusal: &Refusal) {
    for region in report.regions.iter_mut().filter(|region| region.status == Status::Rewritten) {
        region.refuse(refusal.clone());
    }
    for grid in report.grid.iter_mut().filter(|grid| grid.status == Status::Rewritten) {
        grid.status = Status::Refused(refusal.clone());
    }
    report.regions.iter_mut().for_each(|region| region.copy_is_collected = false);
}

/// The files that the line numbers of a module are of, in their order.
fn files(module: &Module) -> Vec<String> {
    (1..).map_while(|index| module.file(index).map(str::to_owned)).collect()
}
