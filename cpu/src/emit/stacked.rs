//! Functions in which threads meet, and whose calls are not replaced by their bodies: those that call themselves, or are called by address.
//!
//! Their cuts are positions of the kernel that calls them. A thread that calls one makes a frame on its own stack (`runtime/stack.h`) and goes on at the entry; when it
//! returns, it goes on behind the call. Lanes that are deepest in calls run first, so that they meet the others of their warp when they return.

use std::fmt::Write as _;

use analysis::{Analyses, accesses_shared_state};
use cranelift_entity::EntityRef;
use ptx_parser::{Flow, Inst, Kernel, Memory, Parameter, Type};
use rustc_hash::FxHashSet;

use super::function::Functions;
use super::names::{ModuleNames, Names, Place, layout};
use super::segment::{Emitter, bytes_of};
use super::view::View;
use crate::Sync;
use crate::cuts::Cuts;
use crate::refusal::Refusal;

/// The alignment of what a frame has.
const ALIGN: u64 = 16;

/// The bytes in front of the results of a frame: `PXRW_FRAME_HEAD`.
const HEAD: u64 = 16;

/// The runtime behind calls of such functions.
pub(crate) const HEADER: &str = include_str!("../runtime/stack.h");

/// See the module.
pub(crate) struct StackedFunction<'a> {
    pub(crate) kernel: &'a Kernel,
    analyses: Analyses,
    names: Names,
    cuts: Cuts,
    /// The position of its entry.
    first: u32,
    pub(crate) frame: Frame,
}

/// The offsets of what a frame has.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    params: u64,
    /// The register variables with their types and places.
    registers: Vec<(String, &'static str, u64)>,
    local: u64,
    bytes: u64,
}

/// All such functions that some kernels reach.
#[derive(Default)]
pub(crate) struct Stacked<'a> {
    pub(crate) functions: Vec<StackedFunction<'a>>,
    names: FxHashSet<&'a str>,
    /// The number of their positions.
    pub(crate) positions: u32,
}

impl<'a> Stacked<'a> {
    /// Finds them among the functions that kernels reach.
    pub(crate) fn of(
        reached: &[&'a Kernel],
        functions: &Functions<'_>,
        module: &ModuleNames,
        sync: Sync,
    ) -> Stacked<'a> {
        let meets = |function: &Kernel, inst| sync != Sync::Basic && accesses_shared_state(function, inst);
        let waits = |function: &Kernel| {
            let analyses = Analyses::of(function);
            let reads = |inst| functions.may_read(function, inst);
            let meets = |inst| sync == Sync::Merging && meets(function, inst);
            Cuts::of(function, &analyses, meets, &reads, &|_| false).cuts.len() > 1
        };
        let names = reached.iter().filter(|one| waits(one)).map(|one| one.name()).collect();
        let mut stacked = Stacked { names, ..Stacked::default() };
        // Those that call one are found in further rounds.
        loop {
            let calls = |one: &&&'a Kernel| one.insts().any(|inst| stacked.is_called(one, inst));
            let found: Vec<&'a str> = reached.iter().filter(calls).map(|one| one.name()).collect();
            let before = stacked.names.len();
            stacked.names.extend(found);
            if stacked.names.len() == before {
                break;
            }
        }
        let mut first = 1;
        for kernel in stacked.in_order(reached) {
            let analyses = Analyses::of(kernel);
            let names = Names::of(kernel, module);
            let cuts = Cuts::of(
                kernel,
                &analyses,
                |inst| meets(kernel, inst),
                &|inst| functions.may_read(kernel, inst),
                &|inst| stacked.is_called(kernel, inst),
            );
            let frame = Frame::of(kernel, &names, &cuts);
            let count = cuts.cuts.len() as u32;
            stacked.functions.push(StackedFunction { kernel, analyses, names, cuts, first, frame });
            first += count;
        }
        stacked.positions = first - 1;
        stacked
    }

    /// The functions, each behind those that it calls as far as there is such an order.
    fn in_order(&self, reached: &[&'a Kernel]) -> Vec<&'a Kernel> {
        let mut ordered: Vec<&'a Kernel> = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut work: Vec<(&'a Kernel, bool)> =
            reached.iter().rev().filter(|one| self.has(one)).map(|&one| (one, false)).collect();
        while let Some((function, is_done)) = work.pop() {
            if is_done {
                ordered.push(function);
            } else if seen.insert(function.name()) {
                work.push((function, true));
                let called: Vec<&str> = function.insts().filter_map(|inst| function.callee_name(inst)).collect();
                work.extend(
                    reached.iter().filter(|one| called.contains(&one.name()) && self.has(one)).map(|&one| (one, false)),
                );
            }
        }
        ordered
    }

    /// Says of each other function that writes memory that lanes of a warp do not meet in it, where they do in kernels.
    pub(crate) fn notes(&self, reached: &[&'a Kernel], sync: Sync) -> Vec<String> {
        let writes = |one: &Kernel, inst| {
            accesses_shared_state(one, inst) && !matches!(one.properties(inst).memory, Memory::Read | Memory::Atomic)
        };
        let others = reached.iter().filter(|one| sync == Sync::Splitting && !self.has(one));
        let noted = others.filter(|one| one.insts().any(|inst| writes(one, inst)));
        let note = |name: &str| {
            format!(
                "{name}: lanes of a warp do not meet at its accesses to memory, because its calls cannot be replaced by its body; with `--sync merging` they do"
            )
        };
        noted.map(|one| note(one.name())).collect()
    }

    /// Returns true for one of them.
    pub(crate) fn has(&self, function: &Kernel) -> bool {
        self.names.contains(function.name())
    }

    /// Returns true for a call of one of them, or by an address, which may be that of one.
    pub(crate) fn is_called(&self, kernel: &Kernel, inst: Inst) -> bool {
        kernel.properties(inst).flow == Flow::Call
            && kernel.callee_name(inst).map_or(!self.names.is_empty(), |name| self.names.contains(name))
    }

    /// Returns what emits each of them.
    pub(crate) fn emitters(
        &'a self,
        module: &'a ModuleNames,
        functions: &'a Functions<'a>,
    ) -> impl Iterator<Item = (Emitter<'a>, &'a Cuts)> {
        self.functions.iter().map(move |one| {
            let emitter = Emitter {
                kernel: one.kernel,
                analyses: &one.analyses,
                names: &one.names,
                module,
                functions,
                cuts: Some(&one.cuts),
                stacked: self,
                first: one.first,
                frame: Some(&one.frame),
            };
            (emitter, &one.cuts)
        })
    }

    /// Returns the statements by which a thread calls one of them, or any function by its address, and goes on at `return_at`.
    ///
    /// # Errors
    /// Parameters that cannot be passed.
    pub(crate) fn call(&self, functions: &Functions<'_>, view: &View<'_>, return_at: u32) -> Result<String, Refusal> {
        let line = view.kernel.text_position(view.inst).map_or(0, |at| at.line);
        let parts = view.kernel.call_parts(view.inst);
        let (arguments, results) = functions.signature(view)?;
        let params = params_at(&results);
        let mut pass = format!("unsigned char *const passed = callee + {params}; (void)passed; ");
        for ((operand, parameter), offset) in parts.arguments.iter().zip(&arguments).zip(layout(&arguments).0) {
            pass += &functions.pass(view, operand, parameter, offset)?;
        }
        let enter = |entry: u32, bytes: u64, behind: &str| {
            format!(
                "{{ unsigned char *const callee = pxrw_enter(cta, warp, lane, {line}u, {entry}, {return_at}, {bytes}); if (callee != NULL) {{ {pass}{behind}}} }}"
            )
        };
        if let Some(name) = view.kernel.callee_name(view.inst) {
            let callee = self.functions.iter().find(|one| one.kernel.name() == name);
            let callee = callee.ok_or_else(|| view.refuse(format!("`{name}` has no frame")))?;
            return Ok(enter(callee.first, callee.frame.bytes, "") + "\n");
        }
        let address = parts.callee.ok_or_else(|| view.refuse("the callee is missing"))?;
        let mut text = format!("{{ const uint64_t address = {};\n", view.value(address, Type::B64)?);
        for one in self.functions.iter().filter(|one| fits(one.kernel, &arguments, &results)) {
            if let Place::Function(name) = view.function(one.kernel.name())? {
                let _ = writeln!(
                    text,
                    "if (address == (uint64_t)(uintptr_t){name}) {} else",
                    enter(one.first, one.frame.bytes, "")
                );
            }
        }
        // Any other one runs to its end, with the same frame.
        let bytes = (params + layout(&arguments).1).next_multiple_of(ALIGN);
        let run = format!(
            "if (((pxrw_function)(uintptr_t)address)(cta, warp, lane, tid, passed, callee + {HEAD})) pxrw_exit(cta, warp, lane); \
             else pxrw_return(cta, thread); "
        );
        let _ = writeln!(text, "{} }}", enter(return_at, bytes, &run));
        Ok(text)
    }
}

/// Returns the statements by which a thread takes the results of a function that it has returned from.
///
/// # Errors
/// A result that goes to no register or parameter.
pub(crate) fn resume(functions: &Functions<'_>, view: &View<'_>) -> Result<String, Refusal> {
    let (_, results) = functions.signature(view)?;
    let taken = functions.results(view, &results)?;
    if taken.is_empty() {
        return Ok(taken);
    }
    Ok(format!("{{ const unsigned char *const returned = pxrw_returned(cta, thread); {taken}}}\n"))
}

/// Returns true if a function has parameters and results of these sizes.
fn fits(function: &Kernel, arguments: &[Parameter], results: &[Parameter]) -> bool {
    layout(function.params()) == layout(arguments) && layout(function.results()) == layout(results)
}

/// The place of the parameters in a frame, behind the results.
fn params_at(results: &[Parameter]) -> u64 {
    HEAD + layout(results).1.next_multiple_of(ALIGN)
}

impl Frame {
    fn of(kernel: &Kernel, names: &Names, cuts: &Cuts) -> Frame {
        let params = params_at(kernel.results());
        let mut end = (params + layout(kernel.params()).1).next_multiple_of(ALIGN);
        let registers = super::segment::kept_variables(kernel, names, cuts)
            .into_iter()
            .map(|(name, ty)| {
                let at = end;
                end += bytes_of(ty);
                (name, ty, at)
            })
            .collect();
        let local = end.next_multiple_of(ALIGN);
        Frame { params, registers, local, bytes: (local + names.local_bytes).next_multiple_of(ALIGN) }
    }

    /// Declares what the code of a thread in the function mentions.
    pub(crate) fn declare(&self, code: &str) -> String {
        let words: FxHashSet<&str> = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
        let mut text = format!(
            "unsigned char *const frame = pxrw_frame_of(cta, thread), *const results = frame + {HEAD}, *const local = frame + {};\n\
             const unsigned char *const params = frame + {};\n(void)results;\n(void)local;\n(void)params;\n",
            self.local, self.params
        );
        for (name, ty, at) in &self.registers {
            if words.contains(format!("s_{name}").as_str()) {
                let _ = writeln!(text, "{ty} *const s_{name} = ({ty} *)(void *)(frame + {at});");
            }
        }
        text
    }
}

/// The position of a cut: those of a kernel are behind those of functions, but for its entry.
pub(crate) fn position(emitter: &Emitter<'_>, cut: crate::cuts::Cut) -> u32 {
    match (emitter.frame, cut.index() as u32) {
        (None, 0) => 0,
        (_, index) => emitter.first + index,
    }
}
