//! Calls replaced by the bodies of what they call, so that a loop's synchronisation can be seen and led across them.
//!
//! ```text
//! before                                after
//! {                                     .reg .b64 %param_i0x0_0;
//! .param .b64 lock;                     mov.b64 %param_i0x0_0, %rd1;
//! st.param.b64 [lock], %rd1;            mov.b64 %rd0_i0x2_, %param_i0x0_0;
//! call take, (lock);                    LOOP_i0x2_:
//! }                                     …                         what was the body
//!                                       @%p0_i0x2_ bra LOOP_i0x2_;
//!                                       $behind_i0x1_:            `ret` leads here
//! ```
//!
//! - Everything that the function declares gets a name of its own for each call, so that nothing of one call is seen by another; `{ }` scopes
//!   go, because a branch from behind the kernel must reach each label. A scope around a call that stays, stays as well.
//! - So do scopes with labels in a kernel that calls nobody: inline assembly that waits in a loop often has one.
//! - A parameter variable becomes registers, one for each value that is stored in it, or an array in local memory (`parameter_storage.rs`). Caller and
//!   function share it: the function writes to none of its parameters, and no variable is passed twice to one call.
//! - A call by address is replaced where the address is one function's, once what passes it is in its place (`indirect_calls.rs`); and where all functions are known
//!   that it may lead to, by all of their bodies: each is executed where the address is its own (`callee_body.rs`).
//! - Shared memory that a function declares is the same in all of its calls: the kernel has it once, if none of these calls stays.
//! - What cannot be replaced stays a call: recursion, other calls by address, functions without a body, `alloca`, global memory that a function declares,
//!   parameters that are used by address (`calls.rs`).
//! - Atomics that the compiler calls without optimisation, and `ptxas` expands, have bodies of their own (`library.rs`).
//!
//! A thread does in the result what it did before, in the same order: a call binds names and goes to the body, a return goes behind the call.
//! Lanes that part in the body meet behind it at the latest, because all of its ways but the ends of the thread lead there.

mod body;
mod callee_body;
mod calls;
mod indirect_calls;
mod library;
mod parameter_storage;
mod write;

use ptx_parser::{Flow, Inst, Kernel, KernelKind, Loc, LocId, Module, Patch, Position, Stmt, StmtKind};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::ops::Range;

pub(crate) use indirect_calls::copied_alone;
pub use write::KeptCall;

use crate::call_targets::{called_from, is_by_address};
use crate::detect::finding::At;
use body::Body;
use calls::{Calls, Kept};
use write::{SharedMemory, Writer, scope, told};

/// A kernel in which calls were replaced.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The kernel; as it was if there were no such calls.
    pub kernel: Kernel,
    /// The number of calls that were replaced, those in replaced bodies included.
    pub calls: usize,
    /// The number of scopes with labels that were opened, so that all of the kernel can branch there.
    pub opened: usize,
    /// The calls that stay.
    pub kept: Vec<KeptCall>,
    /// The positions of instructions that came from functions.
    pub(crate) positions: FxHashMap<Inst, Position>,
    /// The source locations in the kernel of the calls that they replace, if the compiler tells them.
    pub(crate) origins: FxHashMap<Inst, Loc>,
    /// The prefix of the names that the kernel has for shared memory of functions; the same in all rounds.
    shared: String,
    /// The functions with shared memory of their own among those whose calls were replaced. The kernel has that memory now.
    sharing: BTreeSet<String>,
}

impl Inlined {
    /// The position of an instruction in the PTX, that of a function that it came from included.
    #[must_use]
    pub fn text_position(&self, inst: Inst) -> Option<Position> {
        self.kernel.text_position(inst).or_else(|| self.positions.get(&inst).copied()).filter(|at| at.is_known())
    }

    /// An instruction with its place in the text of the function that it is from.
    pub(crate) fn place(&self, at: At) -> At {
        let called = self.origins.get(&at.inst).copied();
        At { text: self.text_position(at.inst).unwrap_or(at.text), called, ..at }
    }
}

/// Replaces the calls of a kernel by the bodies of what they call, wherever that is possible, and opens scopes with labels.
///
/// # Errors
/// Why nothing can be replaced in this kernel; calls that are only kept are in [`Inlined::kept`].
pub fn inlined(module: &Module, kernel: &Kernel) -> Result<Inlined, String> {
    inlined_and(module, kernel, Open::Labelled)
}

/// As [`inlined`], but calls of one function stay, so that those that it calls itself by can be replaced.
pub(crate) fn inlined_but(module: &Module, kernel: &Kernel, kept: &str) -> Result<Inlined, String> {
    let why = format!("`{kept}` may call itself");
    replaced(module, kernel, Open::Labelled, Kept::from_iter([(kept.to_owned(), why)]))
}

/// Returns the reason why the calls of a function are not replaced by its body. Returns `None` if they are replaced wherever their
/// arguments allow it.
#[must_use]
pub fn why_called(module: &Module, function: &Kernel) -> Option<String> {
    let library = library::module().ok()?;
    Calls::of(module, &library, &Kept::default()).refusal(function)
}

/// The scopes that are opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Open {
    /// Those with labels, which something outside may have to branch to.
    Labelled,
    /// All but those around calls that stay, for labels to be put there.
    All,
}

/// As [`inlined`], with a choice of the scopes that are opened.
pub(crate) fn inlined_and(module: &Module, kernel: &Kernel, open: Open) -> Result<Inlined, String> {
    replaced(module, kernel, open, Kept::default())
}

/// The same, where the calls of some functions stay; so do those of others with shared memory of their own if one of them does.
fn replaced(module: &Module, kernel: &Kernel, open: Open, mut kept: Kept) -> Result<Inlined, String> {
    loop {
        let result = replaced_but(module, kernel, open, &kept)?;
        if result.sharing.is_empty() {
            return Ok(result);
        }
        let called = called_from(module, [&result.kernel]);
        let both: Vec<&String> = result.sharing.iter().filter(|name| called.contains(name.as_str())).collect();
        if both.is_empty() {
            return Ok(result);
        }
        let why = |name: &&String| format!("`{name}` has memory that all of its calls share, and one of them stays");
        kept.extend(both.iter().map(|name| ((*name).clone(), why(name))));
    }
}

fn replaced_but(module: &Module, kernel: &Kernel, open: Open, kept: &Kept) -> Result<Inlined, String> {
    let (positions, origins, shared, sharing) = Default::default();
    let mut result =
        Inlined { kernel: kernel.clone(), calls: 0, opened: 0, kept: Vec::new(), positions, origins, shared, sharing };
    let shape = Shape::of(kernel);
    let scopes = if open == Open::All { shape.scopes } else { shape.labelled };
    if shape.calls + scopes == 0 {
        return Ok(result);
    }
    let library = library::module().map_err(|error| format!("a defect of this program: {error}"))?;
    let names = names(module);
    let mut from = From { module, library: &library, kept, by_address: false };
    result.replace(from, &names, open)?;
    // What a function is given it may call, and what that is given.
    while let Some(kernel) = indirect_calls::named(module, &library, kept, &result.kernel) {
        let before = result.clone();
        result.kernel = kernel;
        if result.replace(from, &names, open).is_err() {
            return Ok(before);
        }
    }
    from.by_address = true;
    if !result.kernel.insts().any(|inst| is_by_address(&result.kernel, inst)) {
        return Ok(result);
    }
    let before = result.clone();
    Ok(result.replace(from, &names, open).map_or(before, |()| result))
}

/// Returns what a kernel of a module may mention, as text. The bodies of its other kernels are not part of it: what was rewritten there changes nothing here.
fn names(module: &Module) -> String {
    let functions = module.kernels().iter().map(|kernel| match kernel.kind() {
        KernelKind::Func => kernel.to_string(),
        KernelKind::Entry => kernel.name().to_owned(),
    });
    functions.chain(module.variables().iter().map(|variable| variable.name.to_string())).collect::<Vec<_>>().join(" ")
}

/// The sources of the bodies that replace calls.
#[derive(Clone, Copy)]
struct From<'m> {
    module: &'m Module,
    library: &'m Module,
    /// The functions whose calls stay.
    kept: &'m Kept,
    /// Calls by address are replaced as well.
    by_address: bool,
}

impl<'m> From<'m> {
    fn calls(self, kernel: &Kernel) -> Calls<'m> {
        let calls = Calls::of(self.module, self.library, self.kept);
        if self.by_address { calls.by_address(kernel) } else { calls }
    }
}

impl Inlined {
    /// Replaces the calls that can be replaced, and opens scopes. No name that is added is part of `names`, nor of the kernel.
    fn replace(&mut self, from: From<'_>, names: &str, open: Open) -> Result<(), String> {
        let kernel = self.kernel.clone();
        let calls = from.calls(&kernel);
        let length = calls.length(&kernel);
        if length > write::MOST {
            return Err(write::too_long(length));
        }
        let own = kernel.to_string();
        let is_new = |mark: &String| !names.contains(mark) && !own.contains(mark);
        let mark = (0..).map(|number| format!("_i{number}x")).find(is_new).unwrap_or_default();
        if self.shared.is_empty() {
            self.shared = format!("$shared{mark}");
        }
        let shared = SharedMemory::of(&kernel, &self.shared);
        let mut first = Writer::new(&calls, kernel.clone(), &self.positions, &mark, shared.clone(), open);
        pieces(&mut first, &kernel)?;
        let mut second = Writer::new(&calls, kernel.clone(), &self.positions, &mark, shared, open);
        second.forms = first.stores.values().map(parameter_storage::Store::form).collect();
        let pieces = pieces(&mut second, &kernel)?;
        let Writer { into, positions, inlined, opened, kept, shared, .. } = second;
        let origins = origins(&self.origins, &kernel, &pieces);
        self.kernel = put(into, pieces, shared.declarations)?;
        self.sharing.extend(shared.functions);
        self.origins.extend(origins);
        self.positions.extend(positions);
        (self.calls, self.opened, self.kept) = (self.calls + inlined, self.opened + opened, kept);
        Ok(())
    }
}

/// The numbers of calls and scopes that can be replaced in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shape {
    /// Calls.
    pub(crate) calls: usize,
    /// Outermost scopes.
    pub(crate) scopes: usize,
    /// Those of them with labels.
    pub(crate) labelled: usize,
}

impl Shape {
    pub(crate) fn of(kernel: &Kernel) -> Shape {
        let calls = kernel.insts().filter(|&inst| kernel.properties(inst).flow == Flow::Call).count();
        let (mut scopes, mut labelled, mut index) = (0, 0, 0);
        while let Some(stmt) = kernel.stmts().get(index) {
            index += 1;
            if stmt.kind == StmtKind::Open {
                let inside = scope(kernel, index);
                scopes += 1;
                labelled += usize::from(has_labels(inside));
                index += inside.len();
            }
        }
        Shape { calls, scopes, labelled }
    }
}

/// Returns true if there are labels among some statements.
fn has_labels(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Label(_)))
}

/// Replaces the calls of a kernel of a module, and says how many there were.
///
/// # Errors
/// As [`inlined`]; the module is then as it was.
pub fn inline_calls(module: &mut Module, kernel: &str) -> Result<usize, String> {
    let named = |other: &Kernel| other.name() == kernel && other.has_body();
    let Some(found) = module.kernels().iter().find(|other| named(other)) else {
        return Err(format!("the module has no kernel `{kernel}` with a body"));
    };
    let Inlined { kernel: replaced, calls, .. } = inlined(module, found)?;
    if calls > 0
        && let Some(found) = module.kernels_mut().iter_mut().find(|other| named(other))
    {
        *found = replaced;
    }
    Ok(calls)
}

/// Statements in the place of others.
struct Piece {
    range: Range<usize>,
    /// The `.loc` that is in force before it.
    loc: Option<Loc>,
    stmts: Vec<Stmt>,
}

/// The statements of a kernel that are written anew: calls, scopes around them, and what is done with variables that they are given.
fn pieces(writer: &mut Writer<'_>, kernel: &Kernel) -> Result<Vec<Piece>, String> {
    let mut body = Body::of_kernel(kernel);
    let mut pieces = Vec::new();
    let mut index = 0;
    while let Some(stmt) = kernel.stmts().get(index) {
        let end = match &stmt.kind {
            StmtKind::Loc(_) => {
                writer.loc = Some(stmt.clone());
                None
            }
            StmtKind::Inst(inst) => {
                let concerned = writer.is_replaced(kernel, *inst) || writer.store_of(&body, *inst).is_some();
                if !concerned {
                    writer.keeps(kernel, *inst);
                }
                concerned.then_some(index + 1)
            }
            StmtKind::Open => {
                // The statement itself neither labels nor calls.
                let inside = scope(kernel, index + 1);
                let end = index + 1 + inside.len();
                let replaced = inside.iter().any(|stmt| match stmt.kind {
                    StmtKind::Inst(inst) => writer.is_replaced(kernel, inst) || writer.store_of(&body, inst).is_some(),
                    _ => false,
                });
                let opens = writer.opens(kernel, inside);
                writer.opened += usize::from(opens);
                if !replaced && !opens {
                    for stmt in inside {
                        if let StmtKind::Inst(inst) = stmt.kind {
                            writer.keeps(kernel, inst);
                        }
                    }
                    index = end + 1;
                    continue;
                }
                Some(end + 1)
            }
            StmtKind::Variables(symbols) => symbols.iter().any(|&s| writer.is_passed(kernel, s)).then_some(index + 1),
            _ => None,
        };
        let begin = index;
        let Some(end) = end else {
            index += 1;
            continue;
        };
        let (position, mut stmts) = (position(writer.loc.as_ref()), Vec::new());
        index = writer.stmt(&mut body, (index, stmt), &mut stmts)?;
        writer.into.place_locs(&stmts, position);
        pieces.push(Piece { range: begin..end, loc: position.map(|position| writer.into.loc_of(position)), stmts });
    }
    Ok(pieces)
}

/// The position that a `.loc` gives.
fn position(loc: Option<&Stmt>) -> Option<LocId> {
    match loc?.kind {
        StmtKind::Loc(position) => Some(position),
        _ => None,
    }
}

/// The source locations of the calls that pieces stand for; `known` are those that are replaced.
fn origins(known: &FxHashMap<Inst, Loc>, kernel: &Kernel, pieces: &[Piece]) -> Vec<(Inst, Loc)> {
    let mut origins = Vec::new();
    for Piece { range, loc, stmts } in pieces {
        let mut replaced = placed(kernel.stmts().iter().take(range.end).skip(range.start))
            .filter_map(|inst| known.get(&inst).copied());
        if let Some(origin) = replaced.next().or(*loc) {
            origins.extend(placed(stmts).map(|inst| (inst, origin)));
        }
    }
    origins
}

/// The instructions among statements.
fn placed<'s>(stmts: impl IntoIterator<Item = &'s Stmt>) -> impl Iterator<Item = Inst> {
    stmts.into_iter().filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { Some(inst) } else { None })
}

/// Puts pieces in their places, and declarations before everything else.
fn put(mut kernel: Kernel, pieces: Vec<Piece>, declarations: Vec<Stmt>) -> Result<Kernel, String> {
    let mut patch = Patch::new();
    if !declarations.is_empty() {
        patch.insert_before(0, declarations);
    }
    for Piece { range, stmts, .. } in pieces {
        patch.replace(range, stmts);
    }
    kernel.apply(patch).map_err(told)?;
    Ok(kernel)
}
