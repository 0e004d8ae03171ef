//! A body with calls replaced by bodies: its statements are copied, and what binds arguments and leads back is built.

use cranelift_entity::{EntityRef, PrimaryMap};
use ptx_parser::{Code, Error, Flow, Guard, Inst, Kernel, Position, Space, Stmt, StmtKind, Symbol};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

use super::body::Body;
use super::calls::{Callees, Calls, are_shared};
use super::parameter_storage::{Form, Place, Store, StoreId, moves};
use super::{Open, has_labels};

/// The most statements that may be written: functions that call each other in a chain, twice each, double from one to the next.
pub(super) const MOST: u64 = 200_000;

/// A call that stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeptCall {
    /// Its position in the PTX; unknown if it was not read from text.
    pub text: Position,
    /// The reason.
    pub why: String,
}

/// Shared memory of functions, which a kernel has once for all calls of each.
#[derive(Clone, Debug)]
pub(super) struct SharedMemory {
    /// The prefix of its names.
    prefix: String,
    /// The variables that the kernel has already, by name.
    known: FxHashMap<String, Symbol>,
    /// The declarations that it needs, which stand before everything else.
    pub(super) declarations: Vec<Stmt>,
    /// The functions that have such memory among those that were put in the place of calls.
    pub(super) functions: BTreeSet<String>,
}

impl SharedMemory {
    pub(super) fn of(kernel: &Kernel, prefix: &str) -> SharedMemory {
        let known = kernel.variables().map(|(symbol, variable)| (variable.name.to_string(), symbol)).collect();
        let (declarations, functions) = Default::default();
        SharedMemory { prefix: prefix.to_owned(), known, declarations, functions }
    }

    /// Has the variables of a declaration of a function, which is its statement of an index, mean those of the kernel.
    fn declare(
        &mut self,
        into: &mut Kernel,
        body: &mut Body<'_>,
        (number, stmt): (usize, &Stmt),
        symbols: &[Symbol],
    ) -> Result<(), Error> {
        let function = body.kernel;
        self.functions.insert(function.name().to_owned());
        let now = |name: &str| format!("{}{number}_{}_{name}", self.prefix, function.name());
        let known = |&symbol: &Symbol| self.known.get(&now(function.symbol_name(symbol))).map(|&to| (symbol, to));
        let of_kernel: Vec<(Symbol, Symbol)> = symbols.iter().filter_map(known).collect();
        if of_kernel.len() == symbols.len() {
            of_kernel.into_iter().for_each(|(own, to)| body.copier.set_symbol(own, to));
            return Ok(());
        }
        let declaration = body.copier.copy_variables(into, stmt, now)?;
        if let StmtKind::Variables(made) = &declaration.kind {
            self.known.extend(made.iter().map(|&symbol| (into.symbol_name(symbol).to_owned(), symbol)));
        }
        self.declarations.push(declaration);
        Ok(())
    }
}

/// Writes bodies. It runs twice: once to see what is done with parameters, and once more when that is known.
pub(super) struct Writer<'m> {
    pub(super) calls: &'m Calls<'m>,
    /// The kernel that gets the statements.
    pub(super) into: Kernel,
    /// The positions of what was put into the kernel before.
    before: &'m FxHashMap<Inst, Position>,
    /// The positions of what is put there now.
    pub(super) positions: FxHashMap<Inst, Position>,
    open: Open,
    /// A text that no name of the module has.
    mark: String,
    pub(super) shared: SharedMemory,
    scopes: u32,
    pub(super) stores: PrimaryMap<StoreId, Store>,
    /// The forms in which parameter variables are kept, once they are known.
    pub(super) forms: PrimaryMap<StoreId, Form>,
    pub(super) inlined: usize,
    /// Scopes of the kernel with labels.
    pub(super) opened: usize,
    pub(super) kept: Vec<KeptCall>,
    statements: u64,
    /// The `.loc` that is in force.
    pub(super) loc: Option<Stmt>,
}

impl<'m> Writer<'m> {
    pub(super) fn new(
        calls: &'m Calls<'m>,
        into: Kernel,
        before: &'m FxHashMap<Inst, Position>,
        mark: &str,
        shared: SharedMemory,
        open: Open,
    ) -> Writer<'m> {
        let (positions, stores, forms, kept) = Default::default();
        let (scopes, inlined, opened, statements, loc) = (0, 0, 0, 0, None);
        let mark = mark.to_owned();
        Writer {
            calls,
            into,
            before,
            positions,
            open,
            mark,
            shared,
            scopes,
            stores,
            forms,
            inlined,
            opened,
            kept,
            statements,
            loc,
        }
    }

    /// The position of an instruction in the PTX; unknown if it was not read from text.
    pub(super) fn at(&self, kernel: &Kernel, inst: Inst) -> Position {
        // Functions are as they were read.
        kernel.text_position(inst).or_else(|| self.before.get(&inst).copied()).unwrap_or_default()
    }

    /// Returns what ends the names of a new scope.
    pub(super) fn tag(&mut self) -> String {
        self.scopes += 1;
        format!("{}{}_", self.mark, self.scopes - 1)
    }

    /// Makes statements that stand for the instruction of the original at a position.
    pub(super) fn build(&mut self, at: Position, code: Code, out: &mut Vec<Stmt>) -> Result<(), String> {
        for stmt in self.into.build(code).map_err(told)? {
            self.push(at, stmt, out);
        }
        Ok(())
    }

    fn push(&mut self, at: Position, stmt: Stmt, out: &mut Vec<Stmt>) {
        if let StmtKind::Inst(inst) = stmt.kind {
            self.positions.insert(inst, at);
        }
        out.push(stmt);
    }

    /// Has a parameter variable of a body be kept in a store.
    pub(super) fn keep(&self, body: &mut Body<'_>, symbol: Symbol, store: StoreId) {
        body.stores.insert(symbol, store);
        if let Place::Local(array) = self.stores[store].place {
            body.copier.set_symbol(symbol, array);
        }
    }

    /// Returns true if a variable is an argument or a result of a call that is replaced.
    pub(super) fn is_passed(&self, kernel: &Kernel, symbol: Symbol) -> bool {
        kernel.variable(symbol).is_some_and(|variable| variable.space == Space::Param)
            && self.calls.is_passed(kernel, symbol)
    }

    /// The statements of a scope from `first` on, up to what closes it; names of the scope get a tag, but in the outermost scope of the kernel.
    /// Gives the index behind the scope.
    pub(super) fn scope(&mut self, body: &mut Body<'_>, first: usize, out: &mut Vec<Stmt>) -> Result<usize, String> {
        let (tag, inside) = (self.tag(), scope(body.kernel, first));
        let end = first + inside.len();
        body.copier.open_scope(&mut self.into, first..end, &tag);
        let mut index = first;
        while let Some(stmt) = inside.get(index - first) {
            index = self.stmt(body, (index, stmt), out)?;
        }
        body.copier.close_scope();
        Ok(end + 1)
    }

    /// One statement, or a whole scope; gives the index behind it.
    pub(super) fn stmt(
        &mut self,
        body: &mut Body<'_>,
        (index, stmt): (usize, &Stmt),
        out: &mut Vec<Stmt>,
    ) -> Result<usize, String> {
        self.statements += 1;
        if self.statements > MOST {
            return Err(too_long(self.statements));
        }
        match &stmt.kind {
            StmtKind::Inst(inst) => self.inst(body, *inst, out)?,
            StmtKind::Variables(symbols) if body.back.is_some() && are_shared(body.kernel, symbols) => {
                self.shared.declare(&mut self.into, body, (index, stmt), symbols).map_err(told)?;
            }
            StmtKind::Variables(symbols) => self.variables(body, stmt, symbols, out)?,
            StmtKind::Open => {
                // A scope without labels, from which nothing else is taken, stays one: around the call of a function without a body.
                let plain = self.is_plain(body.kernel, index + 1);
                if plain {
                    self.copy(body, stmt, out)?;
                }
                let next = self.scope(body, index + 1, out)?;
                if plain && let Some(close) = body.kernel.stmts().get(next - 1) {
                    self.copy(body, close, out)?;
                }
                return Ok(next);
            }
            StmtKind::Close => {}
            StmtKind::Loc(_) => {
                self.copy(body, stmt, out)?;
                self.loc = out.last().cloned();
            }
            StmtKind::Label(_)
            | StmtKind::Marker(_)
            | StmtKind::Registers
            | StmtKind::BranchTargets(..)
            | StmtKind::Directive => self.copy(body, stmt, out)?,
        }
        Ok(index + 1)
    }

    /// Copies a statement.
    fn copy(&mut self, body: &mut Body<'_>, stmt: &Stmt, out: &mut Vec<Stmt>) -> Result<(), String> {
        let copy = body.copier.copy(&mut self.into, stmt).map_err(told)?;
        out.push(copy);
        Ok(())
    }

    /// Returns true if a scope stays: it has no calls that are replaced, and nothing else opens it.
    fn is_plain(&self, kernel: &Kernel, first: usize) -> bool {
        let inside = scope(kernel, first);
        let replaced = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Inst(inst) if self.is_replaced(kernel, inst));
        !inside.iter().any(replaced) && !self.opens(kernel, inside)
    }

    /// Returns true if a scope with these statements is opened although it has no calls that are replaced.
    pub(super) fn opens(&self, kernel: &Kernel, inside: &[Stmt]) -> bool {
        let stays = |stmt: &Stmt| match stmt.kind {
            StmtKind::Inst(inst) => kernel.properties(inst).flow == Flow::Call && !self.is_replaced(kernel, inst),
            _ => false,
        };
        has_labels(inside) || (self.open == Open::All && !inside.iter().any(stays))
    }

    /// Returns true if an instruction is a call that is replaced.
    pub(super) fn is_replaced(&self, kernel: &Kernel, inst: Inst) -> bool {
        kernel.properties(inst).flow == Flow::Call && self.calls.callees(kernel, inst).is_ok()
    }

    /// Remembers of a call why it stays.
    pub(super) fn keeps(&mut self, kernel: &Kernel, inst: Inst) {
        if kernel.properties(inst).flow == Flow::Call
            && let Err(why) = self.calls.callees(kernel, inst)
        {
            self.kept.push(KeptCall { text: self.at(kernel, inst), why });
        }
    }

    /// A declaration of variables: of such that calls are given, or of others.
    fn variables(
        &mut self,
        body: &mut Body<'_>,
        stmt: &Stmt,
        symbols: &[Symbol],
        out: &mut Vec<Stmt>,
    ) -> Result<(), String> {
        let passed = symbols.iter().filter(|&&symbol| self.is_passed(body.kernel, symbol)).count();
        if passed == 0 {
            return self.copy(body, stmt, out);
        }
        if passed < symbols.len() {
            return Err("a declaration has variables that calls are given, and others".to_owned());
        }
        for &symbol in symbols {
            let Some(variable) = body.kernel.variable(symbol) else { continue };
            let id = self.stores.next_key();
            let name = format!("param{}{}", self.mark, id.index());
            let form = self.forms.get(id).unwrap_or(&Form::Local);
            let (store, declarations) = Store::declare(&mut self.into, &name, (variable.bytes(), variable.align), form);
            out.extend(declarations);
            self.stores.push(store);
            self.keep(body, symbol, id);
        }
        Ok(())
    }

    fn inst(&mut self, body: &mut Body<'_>, inst: Inst, out: &mut Vec<Stmt>) -> Result<(), String> {
        let (kernel, at) = (body.kernel, self.at(body.kernel, inst));
        let guard = body.copier.guard(&mut self.into, kernel.inst(inst).guard).map_err(told)?;
        let flow = kernel.properties(inst).flow;
        if let Some(back) = body.back.filter(|_| flow == Flow::Return) {
            let mut code = Code::new();
            code.guarded(guard).bra(back);
            return self.build(at, code, out);
        }
        let store = self.store_of(body, inst);
        if flow == Flow::Call {
            match self.calls.callees(kernel, inst) {
                Ok(Callees::Named(callee)) => return self.call(body, inst, callee, guard, out),
                Ok(Callees::At(address, callees)) => return self.call_at(body, inst, (address, &callees), guard, out),
                Err(_) if store.is_some() => return Err("a parameter is passed on to a call that stays".to_owned()),
                Err(why) => self.kept.push(KeptCall { text: at, why }),
            }
        }
        match store {
            Some(store) => self.access(body, inst, store, guard, out),
            None => {
                let copy = body.copier.copy_inst(&mut self.into, inst).map_err(told)?;
                self.push(at, copy, out);
                Ok(())
            }
        }
    }

    /// An access to a parameter variable that is kept elsewhere.
    fn access(
        &mut self,
        body: &mut Body<'_>,
        inst: Inst,
        store: StoreId,
        guard: Option<Guard>,
        out: &mut Vec<Stmt>,
    ) -> Result<(), String> {
        let at = self.at(body.kernel, inst);
        self.stores[store].add(body.kernel, inst);
        match &self.stores[store].place {
            Place::Registers(slots) => {
                let code = moves(&mut self.into, body, inst, (guard, slots)).map_err(told)?;
                self.build(at, code, out)
            }
            Place::Local(_) => {
                let spaces = (Space::Param, Space::Local);
                let access = body.copier.copy_access(&mut self.into, inst, spaces).map_err(told)?;
                self.push(at, access, out);
                Ok(())
            }
        }
    }

    /// The parameter variable that an instruction mentions.
    pub(super) fn store_of(&self, body: &Body<'_>, inst: Inst) -> Option<StoreId> {
        let mut store = None;
        body.kernel.visit_symbols(inst, |symbol| store = store.or_else(|| body.stores.get(&symbol).copied()));
        store
    }
}

/// Returns what an error says.
pub(super) fn told(error: Error) -> String {
    error.to_string()
}

/// Returns the reason why calls stay if the bodies in their places have so many statements.
pub(super) fn too_long(statements: u64) -> String {
    let count = if statements == u64::MAX { "2^64 or more".to_owned() } else { statements.to_string() };
    format!(
        "the functions that it calls are too long: {count} statements in the places of the calls, and {MOST} are looked at"
    )
}

/// The statements of the scope whose first one has an index, up to what closes it, or all that follow.
pub(super) fn scope(kernel: &Kernel, first: usize) -> &[Stmt] {
    let behind = kernel.stmts().get(first..).unwrap_or_default();
    let mut depth = 0u32;
    let closes = |stmt: &Stmt| {
        match stmt.kind {
            StmtKind::Open => depth += 1,
            StmtKind::Close if depth == 0 => return true,
            StmtKind::Close => depth -= 1,
            _ => {}
        }
        false
    };
    let length = behind.iter().position(closes).unwrap_or(behind.len());
    behind.split_at(length).0
}
