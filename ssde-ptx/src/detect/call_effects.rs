//! The functions of a module whose calls stay: which of them do nothing that a lane could wait for.
//!
//! Such a call may do anything, but where all that it may lead to is known and does nothing that a lane could wait for. A function is *quiet* if it
//!
//! - writes no memory but its own thread's, so that no loop waits for what it does;
//! - reads memory that others write weakly alone, has no barrier and no exchange, so that no lane waits in it: what a weak read sees of a write that
//!   nothing orders before it is a data race, and no loop in it spins on one all the same (`spin_loops.rs`);
//! - has no fence, and calls only quiet functions, and those of CUDA's library that do nothing of the kind.
//!
//! A function that calls itself until a weak read gives something else waits for nobody: the stack is finite, and the kernel ends.
//!
//! What `malloc` gives nobody else has. But a lane that goes on once it has got something may wait for others to give theirs back: both access what is free.
//!
//! A call by address may lead to each function whose address is taken. All of them are known only in a module that no other one is linked with: one that
//! neither defines nor declares functions for others. What the host passes as an address is one of this module as well. In a debug build, the compiler has other
//! modules see every function, linked with them or not; there, a function that is declared and not defined says that others are.

use analysis::Analyses;
use ptx_parser::{Flow, Kernel, KernelKind, Memory, Module, Ordering, Space};
use rustc_hash::FxHashMap;

use crate::call_targets::taken;
use crate::detect::alias::place;
use crate::detect::exit_slice::Controls;
use crate::detect::loops::cycles;
use crate::detect::module_context::{Context, HARMLESS, is_closed};
use crate::detect::nested_loops::Nested;
use crate::detect::spin_loops::waits;

/// A function by itself.
struct Alone<'m> {
    function: &'m Kernel,
    facts: Analyses,
    quiet: bool,
    reads: bool,
    calls: Vec<&'m str>,
    calls_by_address: bool,
}

impl Context {
    /// Looks at a module, and at its functions if a kernel calls any that has a body, or calls by address.
    pub(crate) fn of(module: &Module, kernel: &Kernel) -> Context {
        let has_match = has_match(module);
        let calls = kernel.insts().filter(|&inst| kernel.properties(inst).flow == Flow::Call);
        let has_body = |name: &str| module.kernel(name).is_some_and(Kernel::has_body);
        if !calls.into_iter().any(|call| kernel.callee_name(call).is_none_or(has_body)) {
            return Context { has_match, ..Context::default() };
        }
        let functions = module.kernels().iter().filter(|function| function.kind() == KernelKind::Func);
        let functions = functions.filter(|function| function.has_body());
        let alone: FxHashMap<&str, Alone<'_>> =
            functions.map(|function| (function.name(), Alone::of(function))).collect();
        let taken = taken(module);
        let mut result = Context {
            quiet: alone
                .iter()
                .filter(|(_, function)| function.quiet)
                .map(|(name, function)| ((*name).to_owned(), function.reads))
                .collect(),
            by_address: Some(false).filter(|_| is_closed(module)),
            has_match,
            strict: false,
        };
        result.close(&alone, &taken);
        // What waits calls nothing that is known only because it waits for nobody.
        let waits = |name: &str| alone.get(name).is_none_or(|function| function.waits(&result));
        let waiting: Vec<String> = result.quiet.keys().filter(|name| waits(name)).cloned().collect();
        waiting.iter().for_each(|name| _ = result.quiet.remove(name));
        result.close(&alone, &taken);
        result
    }

    /// Propagates along calls until nothing changes. A function that calls one that is not quiet is not quiet either. A function that calls
    /// one that reads, reads as well.
    fn close(&mut self, alone: &FxHashMap<&str, Alone<'_>>, taken: &[&str]) {
        loop {
            let result = &*self;
            let known = |name: &&str| result.quiet.get(*name).copied();
            let by_address = result.by_address.and_then(|_| all(taken.iter().map(known)));
            let quiet: FxHashMap<String, bool> = result
                .quiet
                .iter()
                .filter_map(|(name, &reads)| {
                    let function = &alone[name.as_str()];
                    let calls = function
                        .calls
                        .iter()
                        .map(|name| if HARMLESS.contains(name) { Some(false) } else { known(name) });
                    let by_address = function.calls_by_address.then_some(by_address);
                    Some((name.clone(), reads | all(calls.chain(by_address))?))
                })
                .collect();
            let next = Context { quiet, by_address, has_match: self.has_match, strict: self.strict };
            if next == *self {
                return;
            }
            *self = next;
        }
    }
}

/// Returns true if a module may have `activemask` (PTX 6.2) and `match.any.sync` (sm_70).
fn has_match(module: &Module) -> bool {
    let number = |word: &str| -> Option<u32> {
        let digits = word.strip_prefix("sm_")?;
        digits.trim_end_matches(|letter: char| letter.is_ascii_alphabetic()).parse().ok()
    };
    let target = module.target().first().and_then(|word| number(word));
    module.version().is_some_and(|version| version >= (6, 2)) && target.is_some_and(|target| target >= 70)
}

/// Returns whether one of some functions reads, if all are quiet.
fn all(mut functions: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    functions.try_fold(false, |reads, function| Some(reads | function?))
}

impl<'m> Alone<'m> {
    fn of(function: &'m Kernel) -> Alone<'m> {
        let (calls, calls_by_address) = (Vec::new(), false);
        let mut alone =
            Alone { function, facts: Analyses::of(function), quiet: true, reads: false, calls, calls_by_address };
        for inst in function.insts() {
            let properties = function.properties(inst);
            if properties.flow == Flow::Call {
                match function.callee_name(inst) {
                    Some(name) => alone.calls.push(name),
                    None => alone.calls_by_address = true,
                }
                continue;
            }
            let own = matches!(properties.space, Some(Space::Local | Space::Param | Space::Const));
            let seen = || !own && !place(&alone.facts, function, inst).is_own();
            alone.quiet &= !properties.convergent;
            match properties.memory {
                Memory::None => {}
                Memory::Read if !seen() => {}
                Memory::Read => {
                    alone.quiet &= properties.ordering == Ordering::Weak;
                    alone.reads |= !function.opcode(inst).is_noncoherent();
                }
                Memory::Write => alone.quiet &= !seen(),
                Memory::Atomic | Memory::Fence | Memory::Unknown => alone.quiet = false,
            }
        }
        alone
    }

    /// Returns true if a lane may wait in a loop of it.
    fn waits(&self, context: &Context) -> bool {
        let cycles = cycles(&self.facts);
        let controls = Controls::of(&self.facts, cycles.values().all(|cycle| cycle.natural().is_some()));
        let nested = Nested::of(&self.facts, cycles);
        waits(&self.facts, self.function, context, &controls, nested.all()).iter().any(|waits| !waits.searches)
    }
}
