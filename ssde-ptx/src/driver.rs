//! A kernel of a module as a whole: its loops and those of the functions that it calls.
//!
//! [`detect`](crate::detect()) and [`eliminate`](crate::eliminate()) look at one body, for which a call may do anything. Here, what a kernel calls is
//! put in the place of the calls first (`inline`), so that a loop in one function and the write that frees it in another are seen together. The
//! text changes only if something is found.

use std::borrow::Cow;

use ptx_parser::{Kernel, KernelKind, Module, Operand, Position, StmtKind};
use rustc_hash::FxHashSet;

use crate::call_targets::called_from;
use crate::detect::Detection;
use crate::detect::finding::{Assumption, At, BothWays, Finding, Recursion};
use crate::detect::lockstep_updates::{Lockstep, lockstep_detected};
use crate::detect::module_context::{Context, is_closed, is_linked};
use crate::detect::recursion::recursions;
use crate::inline::{Inlined, KeptCall, Open, Shape, copied_alone, inlined, inlined_and};
use crate::rewrite::refusal::Refusal;
use crate::rewrite::{Outcome, eliminate_detected};

/// The results of the analysis of a kernel.
#[derive(Clone, Debug)]
pub struct Found {
    /// The loops. Where calls were replaced, blocks and instructions are those of [`Found::kernel`].
    pub findings: Vec<Finding>,
    /// The assumptions under which other loops are not among the findings.
    pub assumptions: Vec<Assumption>,
    /// The branches with barriers on both ways that lanes of one warp are assumed not to part at.
    pub both_ways: Vec<BothWays>,
    /// The calls by which a function that is looked at by itself is assumed not to wait for others.
    pub recursions: Vec<Recursion>,
    /// The loops that need the lanes of a warp to run in lockstep.
    pub lockstep: Vec<Lockstep>,
    /// The kernel that was examined: the original, or a copy in which calls are replaced by bodies and scopes with labels are open.
    pub kernel: Kernel,
    /// The number of calls that were replaced.
    pub inlined: usize,
    /// The number of scopes with labels that were opened.
    pub opened: usize,
    /// The calls that stay, and why.
    pub kept: Vec<KeptCall>,
}

/// The results for a kernel, with the action that was taken.
#[derive(Clone, Debug)]
pub struct Treated {
    /// The results of the analysis before the action.
    pub found: Found,
    /// The action.
    pub done: Done,
}

/// The action that was taken on a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Done {
    /// Nothing was found, nothing was changed.
    Clean,
    /// Nothing is found any more.
    Rewritten {
        /// True if calls were replaced by the bodies of what they call.
        inlined: bool,
    },
    /// The kernel is as it was: a loop in it needs lanes that run in lockstep, see [`Found::lockstep`].
    Lockstep,
    /// The kernel is as it was.
    Refused(Refusal),
}

/// The other modules that a module is linked with, which its text does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linked {
    /// No other module, as where nvcc compiles a source without `-rdc=true`.
    Alone,
    /// Others may be, and call what they see of this one.
    WithOthers,
}

/// The functions of a module of which nothing is said by themselves, because whatever calls them sees their bodies.
///
/// To know them, the calls of all kernels are replaced. A rewrite of a kernel does not change them: it adds no call, and what it replaces is
/// what is replaced here.
///
/// Functions that other modules may call are not among them, but
///
/// - where no other module is linked with this one ([`Linked::Alone`]): there, a function that nobody calls never runs;
/// - in a debug build, where the compiler has other modules see every function, linked with them or not. There, those are that some kernel of the module
///   calls; a call from another module is not looked at then.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeenByCallers {
    names: FxHashSet<String>,
    /// Nothing is assumed of lock-free loops.
    strict: bool,
}

impl SeenByCallers {
    /// Looks at all kernels of a module.
    #[must_use]
    pub fn of(module: &Module, linked: Linked) -> SeenByCallers {
        SeenByCallers::of_rewrite(module, module, linked)
    }

    /// Looks at all kernels of a module that `before` was rewritten to. A function whose calls were all replaced by its body is called by nobody any
    /// more; its callers had its body to look at before, and have it now.
    #[must_use]
    pub fn of_rewrite(before: &Module, module: &Module, linked: Linked) -> SeenByCallers {
        let is_shared = |function: &Kernel| linked == Linked::WithOthers && is_linked(function);
        let called = if before.is_debug() { called_from(before, entries(before)) } else { FxHashSet::default() };
        let functions = || {
            let functions = module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Func);
            let functions = functions.filter(|function| function.has_body());
            functions.filter(|function| !is_shared(function) || called.contains(function.name())).map(Kernel::name)
        };
        if functions().next().is_none() {
            return SeenByCallers::default();
        }
        let whole = |entry: &Kernel| inlined(module, entry).map_or_else(|_| entry.clone(), |result| result.kernel);
        let entries: Vec<Kernel> = entries(module).map(whole).collect();
        let mut named: FxHashSet<String> = called_from(module, &entries).into_iter().map(str::to_owned).collect();
        // Functions that are mentioned may be called elsewhere.
        if !is_closed(module) {
            let variables = module.variables().iter().flat_map(|variable| &variable.init);
            named.extend(variables.flat_map(|init| &init.addresses).map(|address| address.name.to_string()));
            for entry in &entries {
                let unread = copied_alone(entry);
                let operands =
                    entry.insts().filter(|inst| !unread.contains(inst)).flat_map(|inst| entry.operands(inst));
                named.extend(operands.filter_map(|operand| match operand {
                    Operand::Symbol(symbol, _) => Some(entry.symbol_name(*symbol).to_owned()),
                    _ => None,
                }));
            }
        }
        // What is called where it stands calls others there.
        let functions_of = |name: &String| module.kernel(name).filter(|function| function.kind() == KernelKind::Func);
        let below = called_from(module, named.iter().filter_map(functions_of));
        let is_seen = |name: &&str| !named.contains(*name) && !below.contains(name);
        SeenByCallers { names: functions().filter(is_seen).map(str::to_owned).collect(), strict: false }
    }

    /// The same for looking at kernels with or without assumptions ([`Assumption`]).
    #[must_use]
    pub fn strictly(self, strict: bool) -> SeenByCallers {
        SeenByCallers { strict, ..self }
    }

    /// Returns true if nothing is assumed.
    #[must_use]
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Returns what is asked of a module around a kernel.
    pub(crate) fn context(&self, module: &Module, kernel: &Kernel) -> Context {
        Context::of(module, kernel).strictly(self.strict)
    }

    /// Returns true if the callers of a function speak for it.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Returns what is known for one kernel alone, which has to be a function for anything to be asked.
    fn for_one(module: &Module, kernel: &Kernel) -> SeenByCallers {
        if kernel.kind() == KernelKind::Func {
            SeenByCallers::of(module, Linked::WithOthers)
        } else {
            SeenByCallers::default()
        }
    }
}

/// Finds the loops of a kernel, and of the functions that it calls, that may deadlock.
///
/// Of a function that is called only where its body is looked at in place, nothing is found: its callers say it. For several kernels of a module, [`find_among`]
/// takes less time.
#[must_use]
pub fn find(module: &Module, kernel: &Kernel) -> Found {
    find_among(&SeenByCallers::for_one(module, kernel), module, kernel)
}

/// As [`find`], with what is known of the functions of the module.
#[must_use]
pub fn find_among(seen: &SeenByCallers, module: &Module, kernel: &Kernel) -> Found {
    look_at(seen, module, kernel).0
}

/// Finds the loops of a kernel, and gives what is known of [`Found::kernel`] then; of a function that its callers speak for, nothing is.
fn look_at(seen: &SeenByCallers, module: &Module, kernel: &Kernel) -> (Found, Option<Detection>) {
    let of = |kept| {
        let detection = Detection::of(kernel, &seen.context(module, kernel));
        let lockstep = lockstep_detected(kernel, &detection);
        let (findings, assumptions) = (detection.findings(kernel), detection.assumptions(kernel));
        let both_ways = detection.both_ways(kernel, &|_| None);
        let recursions = match kernel.kind() {
            KernelKind::Func => recursions(module, kernel, |whole| seen.context(module, whole)),
            KernelKind::Entry => Vec::new(),
        };
        let kernel = kernel.clone();
        (
            Found { findings, assumptions, both_ways, recursions, lockstep, kernel, inlined: 0, opened: 0, kept },
            Some(detection),
        )
    };
    if kernel.kind() == KernelKind::Func {
        if seen.contains(kernel.name()) {
            let (findings, assumptions, both_ways, recursions, lockstep, kept) = Default::default();
            let kernel = kernel.clone();
            return (
                Found { findings, assumptions, both_ways, recursions, lockstep, kernel, inlined: 0, opened: 0, kept },
                None,
            );
        }
        return of(Vec::new());
    }
    match inlined(module, kernel) {
        Ok(result) if result.calls + result.opened > 0 => {
            let detection = Detection::of(&result.kernel, &seen.context(module, &result.kernel));
            // Instructions have their places in the text of the functions that they are from.
            let at = |at: &At| result.place(*at);
            let findings = detection.findings(&result.kernel).iter().map(|finding| finding.map(at)).collect();
            let assumptions = detection.assumptions(&result.kernel).iter().map(|assumed| assumed.map(at)).collect();
            let both_ways = detection.both_ways(&result.kernel, &|inst| result.positions.get(&inst).copied());
            let both_ways = both_ways.iter().map(|pair| pair.map(at)).collect();
            let lockstep = lockstep_detected(&result.kernel, &detection).iter().map(|found| found.map(at)).collect();
            // No kernel is called.
            let recursions = Vec::new();
            let Inlined { kernel, calls: inlined, opened, kept, .. } = result;
            (
                Found { findings, assumptions, both_ways, recursions, lockstep, inlined, opened, kept, kernel },
                Some(detection),
            )
        }
        Ok(result) => of(result.kept),
        Err(why) => of(vec![KeptCall { text: Position::UNKNOWN, why }]),
    }
}

/// Removes the SIMT-induced deadlocks of a kernel of a module. Calls are replaced only where that is needed for it; a kernel that is refused, or of
/// which nothing is found, is left as it was. `None` if the module has no kernel or function of the name with a body.
///
/// For several kernels of a module, [`treat_among`] takes less time.
pub fn treat(module: &mut Module, name: &str) -> Option<Treated> {
    let seen = SeenByCallers::for_one(
        module,
        module.kernels().iter().find(|kernel| kernel.name() == name && kernel.has_body())?,
    );
    treat_among(&seen, module, name)
}

/// As [`treat`], with what is known of the functions of the module, rewritten kernels in it or not.
pub fn treat_among(seen: &SeenByCallers, module: &mut Module, name: &str) -> Option<Treated> {
    let treated = treated(seen, module, name)?;
    // What goes round with the loops that are rewritten may look like a wait then; without assumptions it is rewritten with them.
    let again = matches!(treated.done, Done::Refused(_)) && !treated.found.assumptions.is_empty();
    let strictly = again.then(|| self::treated(&seen.clone().strictly(true), module, name)).flatten();
    Some(strictly.filter(|strictly| matches!(strictly.done, Done::Rewritten { .. })).unwrap_or(treated))
}

fn treated(seen: &SeenByCallers, module: &mut Module, name: &str) -> Option<Treated> {
    let kernel = module.kernels().iter().find(|kernel| kernel.name() == name && kernel.has_body())?;
    let (found, detection) = look_at(seen, module, kernel);
    let done = match detection.filter(|_| !found.findings.is_empty()) {
        None => Done::Clean,
        Some(_) if !found.lockstep.is_empty() => Done::Lockstep,
        Some(detection) => match rewrite(seen, module, kernel, &found, &detection) {
            Ok((rewritten, inlined)) => {
                let mut kernels = module.kernels_mut().iter_mut();
                *kernels.find(|kernel| kernel.name() == name && kernel.has_body())? = rewritten;
                Done::Rewritten { inlined }
            }
            Err(refusal) => Done::Refused(refusal),
        },
    };
    Some(Treated { found, done })
}

/// Rewrites a kernel in which something was found; `detection` is of [`Found::kernel`]. Gives the result, and whether calls are replaced in it.
fn rewrite(
    seen: &SeenByCallers,
    module: &Module,
    kernel: &Kernel,
    found: &Found,
    detection: &Detection,
) -> Result<(Kernel, bool), Refusal> {
    let is_another = found.inlined + found.opened > 0;
    let mut plain = kernel.clone();
    let context = seen.context(module, &found.kernel);
    let mut outcome = match is_another {
        true => {
            let context = seen.context(module, &plain);
            let detection = Detection::of(&plain, &context);
            eliminate_detected(&mut plain, &detection, &context)
        }
        false => eliminate_detected(&mut plain, detection, &context),
    };
    // Without the calls' bodies it may look clean although it is not.
    let frees = matches!(outcome, Outcome::Rewritten { .. });
    if frees && (found.inlined == 0 || find_among(seen, module, &plain).findings.is_empty()) {
        return Ok((plain, false));
    }
    let copies = found.both_ways.iter().find(|pair| pair.copies && seen.is_strict());
    if let Some(&BothWays { branch: at, .. }) = copies {
        return Err(Refusal::Copies { at });
    }
    if is_another {
        let mut whole = found.kernel.clone();
        outcome = eliminate_detected(&mut whole, detection, &context);
        if matches!(outcome, Outcome::Rewritten { .. }) {
            return Ok((whole, found.inlined > 0));
        }
    }
    // Where a label has to be put into a scope that had none, that is opened too.
    if matches!(outcome, Outcome::Refused(Refusal::Internal(_)))
        && let Ok(Inlined { mut kernel, .. }) = inlined_and(module, kernel, Open::All)
    {
        let detection = Detection::of(&kernel, &context);
        outcome = eliminate_detected(&mut kernel, &detection, &context);
        if matches!(outcome, Outcome::Rewritten { .. }) {
            return Ok((kernel, found.inlined > 0));
        }
    }
    match outcome {
        Outcome::Refused(refusal) => Err(refusal),
        // What was found then lies behind calls that stay.
        Outcome::Clean | Outcome::Rewritten { .. } => Err(Refusal::Call),
    }
}

/// Returns what a kernel of a module has to be compared with to see whether another one is a faithful rewrite of it: itself, or itself with its calls replaced
/// by bodies and its scopes with labels open if the other one has the calls, scopes and variables of that.
///
/// That this changes nothing is not for the checker to say; it is shown by running both.
#[must_use]
pub fn compared<'k>(module: &Module, kernel: &'k Kernel, after: &Kernel) -> Cow<'k, Kernel> {
    // A rewrite neither adds nor takes calls, scopes and variables.
    let shape = |kernel: &Kernel| {
        let calls = Shape::of(kernel).calls;
        let scopes = kernel.stmts().iter().filter(|stmt| stmt.kind == StmtKind::Open).count();
        let mut variables: Vec<String> = kernel.variables().map(|(_, variable)| variable.name.to_string()).collect();
        variables.sort_unstable();
        (calls, scopes, variables)
    };
    let is = shape(after);
    if is == shape(kernel) {
        return Cow::Borrowed(kernel);
    }
    let whole = |open: Open| {
        let inlined = inlined_and(module, kernel, open).ok()?.kernel;
        let mut whole = module.clone();
        *whole.kernels_mut().iter_mut().find(|other| other.name() == kernel.name())? = inlined;
        // As its text says it, without what is declared nowhere any more.
        Module::parse(&whole.to_string()).ok()?.kernel(kernel.name()).cloned()
    };
    let fits = |whole: &Kernel| shape(whole) == is;
    let found = whole(Open::Labelled).filter(fits).or_else(|| whole(Open::All).filter(fits));
    found.map_or(Cow::Borrowed(kernel), Cow::Owned)
}

fn entries(module: &Module) -> impl Iterator<Item = &Kernel> {
    module.kernels().iter().filter(|kernel| kernel.kind() == KernelKind::Entry && kernel.has_body())
}

/// The names of the functions with bodies that the calls which stay in a kernel lead to, by way of others too; a call by address may lead to all whose
/// addresses are taken.
#[must_use]
pub fn kept_functions(module: &Module, found: &Found) -> Vec<String> {
    let mut names: Vec<String> = called_from(module, [&found.kernel]).into_iter().map(str::to_owned).collect();
    names.sort_unstable();
    names
}
