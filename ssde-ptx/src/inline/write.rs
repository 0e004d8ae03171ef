//! The text of a body with calls replaced by bodies.

use ptx_parser::{Base, Flow, Inst, Kernel, Operand, Position, Reg, Space, Stmt, StmtKind, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

use super::calls::{Callees, Calls, are_shared};
use super::name_scopes::{Declared, Meaning, Scope, meaning, registers, replaced};
use super::parameter_storage::{Form, Store};
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

/// A text, with the places that its instructions come from.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    /// The position of each instruction.
    pub(super) positions: Vec<Position>,
}

impl Written {
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Instructions, one to a line, that stand for the one of the original at a line and column.
    pub(super) fn insts(&mut self, at: Position, text: &str) {
        self.positions.extend(text.lines().filter(|line| !line.trim_start().starts_with('.')).map(|_| at));
        self.text.push_str(text);
        if !text.ends_with('\n') && !text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// Shared memory of functions, which a kernel has once for all calls of each.
#[derive(Clone, Debug)]
pub(super) struct SharedMemory {
    /// The prefix of its names.
    prefix: String,
    /// The names that the kernel has already.
    known: FxHashSet<String>,
    /// The declarations that it needs, which stand before everything else.
    pub(super) declarations: String,
    /// The functions that have such memory among those that were put in the place of calls.
    pub(super) functions: BTreeSet<String>,
}

impl SharedMemory {
    pub(super) fn of(kernel: &Kernel, prefix: &str) -> SharedMemory {
        let known = kernel.variables().map(|(_, variable)| variable.name.to_string()).collect();
        let (declarations, functions) = Default::default();
        SharedMemory { prefix: prefix.to_owned(), known, declarations, functions }
    }

    /// Gives the variables of a declaration of a function, which is its statement of a number, their names in the kernel.
    fn declare(&mut self, function: &Kernel, (number, symbols): (usize, &[Symbol]), text: &str, scope: &mut Scope) {
        self.functions.insert(function.name().to_owned());
        let (mut own, mut is_new) = (Scope::default(), false);
        for &symbol in symbols {
            let name = function.symbol_name(symbol);
            let now = format!("{}{number}_{}_{name}", self.prefix, function.name());
            is_new |= self.known.insert(now.clone());
            own.names.insert(name.to_owned(), Meaning::Name(now));
        }
        let own = [own];
        if is_new {
            self.declarations += &(replaced(text, &own) + "\n");
        }
        scope.names.extend(own.into_iter().flat_map(|own| own.names));
    }
}

/// Writes bodies. It runs twice: once to see what is done with parameters, and once more when that is known.
pub(super) struct Writer<'m> {
    pub(super) calls: &'m Calls<'m>,
    /// The lines and columns of what was put into the kernel before.
    positions: &'m FxHashMap<Inst, Position>,
    open: Open,
    /// A text that no name of the module has.
    pub(super) mark: String,
    pub(super) shared: SharedMemory,
    scopes: u32,
    pub(super) stores: Vec<Store>,
    pub(super) forms: Vec<Form>,
    pub(super) inlined: usize,
    /// Scopes of the kernel with labels.
    pub(super) opened: usize,
    pub(super) kept: Vec<KeptCall>,
    statements: u64,
    /// Registers of the kernel whose names mean others in inner scopes, and what they are called in what is written.
    pub(super) aliases: Vec<(Reg, String)>,
    /// The registers that the kernel declares, in all of its scopes.
    pub(super) declared: Vec<Declared>,
    /// The `.loc` that is in force.
    pub(super) loc: String,
}

impl<'m> Writer<'m> {
    pub(super) fn new(
        calls: &'m Calls<'m>,
        positions: &'m FxHashMap<Inst, Position>,
        mark: String,
        shared: SharedMemory,
        open: Open,
    ) -> Writer<'m> {
        let (stores, forms, kept) = (Vec::new(), Vec::new(), Vec::new());
        Writer {
            calls,
            positions,
            open,
            mark,
            shared,
            scopes: 0,
            stores,
            forms,
            inlined: 0,
            opened: 0,
            kept,
            statements: 0,
            aliases: Vec::new(),
            declared: Vec::new(),
            loc: String::new(),
        }
    }

    /// The line and column of an instruction in the PTX; 0 if it was not read from text.
    pub(super) fn at(&self, kernel: &Kernel, inst: Inst) -> Position {
        // Functions are as they were read.
        kernel.text_position(inst).or_else(|| self.positions.get(&inst).copied()).unwrap_or_default()
    }

    /// Returns what ends the names of a new scope.
    pub(super) fn tag(&mut self) -> String {
        self.scopes += 1;
        format!("{}{}_", self.mark, self.scopes - 1)
    }

    fn store(&mut self, bytes: u64, align: u32) -> usize {
        let name = format!("param{}{}", self.mark, self.stores.len());
        self.stores.push(Store::new(name, bytes, align));
        self.stores.len() - 1
    }

    fn declaration(&self, store: usize) -> String {
        self.stores[store].declaration(self.forms.get(store).unwrap_or(&Form::Local))
    }

    /// Has the registers of an instruction of the kernel that `several` declarations may mean called something that is clear.
    pub(super) fn alias(&mut self, kernel: &Kernel, inst: Inst, scopes: &mut [Scope], several: impl Fn(&str) -> bool) {
        let Some((outermost, inner)) = scopes.split_first_mut() else { return };
        for reg in kernel.reads(inst).into_iter().chain(kernel.defs(inst)) {
            let name = kernel.reg_name(reg);
            if Some(reg) != kernel.carry_flag() && meaning(inner, name).is_none() && several(name) {
                if self.aliases.iter().all(|(known, _)| *known != reg) {
                    self.aliases.push((reg, format!("%other{}{}", self.mark, self.aliases.len())));
                }
                let alias = self.aliases.iter().find(|(known, _)| *known == reg).map(|(_, alias)| alias.clone());
                outermost.names.extend(alias.map(|alias| (name.to_owned(), Meaning::Name(alias))));
            }
        }
    }

    /// Returns true if a variable is an argument or a result of a call that is replaced.
    pub(super) fn is_passed(&self, kernel: &Kernel, symbol: Symbol) -> bool {
        kernel.variable(symbol).is_some_and(|variable| variable.space == Space::Param)
            && self.calls.is_passed(kernel, symbol)
    }

    /// The statements of a scope from `first` on, up to what closes it; names of the scope get a tag, but in the outermost scope of the kernel.
    /// Gives the index behind the scope.
    pub(super) fn scope(
        &mut self,
        kernel: &Kernel,
        first: usize,
        scopes: &mut Vec<Scope>,
        behind: &str,
        out: &mut Written,
    ) -> Result<usize, String> {
        let tag = self.tag();
        let end = end_of_scope(kernel, first);
        // Of what the scope declares itself, labels are known before they stand there.
        let mut scope = Scope::default();
        let mut depth = 0;
        for stmt in &kernel.stmts()[first..end] {
            match &stmt.kind {
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth -= 1,
                StmtKind::Label(label) if depth == 0 => {
                    let name = kernel.label_name(*label);
                    scope.names.insert(name.to_owned(), Meaning::Name(format!("{name}{tag}")));
                }
                StmtKind::BranchTargets(symbol, _) if depth == 0 => {
                    let name = kernel.symbol_name(*symbol);
                    scope.names.insert(name.to_owned(), Meaning::Name(format!("{name}{tag}")));
                }
                StmtKind::Directive if depth == 0 => {
                    let text = kernel.bare_text(stmt);
                    if let Some((name, _)) = text.split_once(':').filter(|(name, _)| !name.trim().contains([' ', '"']))
                    {
                        scope.names.insert(name.trim().to_owned(), Meaning::Name(format!("{}{tag}", name.trim())));
                    }
                }
                _ => {}
            }
        }
        scopes.push(scope);
        let mut index = first;
        while index < end {
            index = self.stmt(kernel, index, scopes, (&tag, behind), out)?;
        }
        scopes.pop();
        Ok(end + 1)
    }

    /// One statement, or a whole scope; gives the index behind it.
    pub(super) fn stmt(
        &mut self,
        kernel: &Kernel,
        index: usize,
        scopes: &mut Vec<Scope>,
        (tag, behind): (&str, &str),
        out: &mut Written,
    ) -> Result<usize, String> {
        self.statements += 1;
        if self.statements > MOST {
            return Err(too_long(self.statements));
        }
        let stmt = &kernel.stmts()[index];
        let text = kernel.bare_text(stmt);
        match &stmt.kind {
            StmtKind::Inst(inst) => self.inst(kernel, *inst, scopes, behind, out)?,
            StmtKind::Label(label) => out.line(&format!("{}:", replaced(kernel.label_name(*label), scopes))),
            StmtKind::Marker(_) => out.line(&text),
            // The name of a function stands there as a label of a debug section.
            StmtKind::Loc(_) => {
                out.line(&text);
                self.loc = text;
            }
            StmtKind::Directive | StmtKind::BranchTargets(..) => out.line(&replaced(&text, scopes)),
            StmtKind::Registers => {
                if let Some(scope) = scopes.last_mut() {
                    for declared in registers(&text) {
                        let now = format!("{}{tag}", declared.name);
                        match declared.count {
                            Some(_) => scope.families.push((declared, now)),
                            None => _ = scope.names.insert(declared.name, Meaning::Name(now)),
                        }
                    }
                }
                out.line(&replaced(&text, scopes));
            }
            StmtKind::Variables(symbols) if !behind.is_empty() && are_shared(kernel, symbols) => {
                not_a_family(&text)?;
                if let Some(scope) = scopes.last_mut() {
                    self.shared.declare(kernel, (index, symbols), &text, scope);
                }
            }
            StmtKind::Variables(symbols) => self.variables(kernel, symbols, &text, scopes, tag, out)?,
            StmtKind::Open => {
                // A scope without labels, from which nothing else is taken, stays one: around the call of a function without a body.
                let plain = self.is_plain(kernel, index + 1);
                if plain {
                    out.line("{");
                }
                let next = self.scope(kernel, index + 1, scopes, behind, out)?;
                if plain {
                    out.line("}");
                }
                return Ok(next);
            }
            StmtKind::Close => {}
        }
        Ok(index + 1)
    }

    /// Returns true if a scope stays: it has no calls that are replaced, and nothing else opens it.
    fn is_plain(&self, kernel: &Kernel, first: usize) -> bool {
        let inside = &kernel.stmts()[first..end_of_scope(kernel, first)];
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

    fn variables(
        &mut self,
        kernel: &Kernel,
        symbols: &[Symbol],
        text: &str,
        scopes: &mut [Scope],
        tag: &str,
        out: &mut Written,
    ) -> Result<(), String> {
        let passed: Vec<_> = symbols.iter().filter(|&&symbol| self.is_passed(kernel, symbol)).collect();
        if !passed.is_empty() && passed.len() < symbols.len() {
            return Err("a declaration has variables that calls are given, and others".to_owned());
        }
        for &symbol in symbols {
            let (name, Some(variable)) = (kernel.symbol_name(symbol).to_owned(), kernel.variable(symbol)) else {
                continue;
            };
            let meaning = if passed.is_empty() {
                Meaning::Name(format!("{name}{tag}"))
            } else {
                let store = self.store(variable.bytes(), variable.align);
                out.text.push_str(&self.declaration(store));
                Meaning::Store(store)
            };
            if let Some(scope) = scopes.last_mut() {
                scope.names.insert(name, meaning);
            }
        }
        if passed.is_empty() {
            not_a_family(text)?;
            out.line(&replaced(text, scopes));
        }
        Ok(())
    }

    fn inst(
        &mut self,
        kernel: &Kernel,
        inst: Inst,
        scopes: &mut [Scope],
        behind: &str,
        out: &mut Written,
    ) -> Result<(), String> {
        if behind.is_empty() {
            let declared = std::mem::take(&mut self.declared);
            self.alias(kernel, inst, scopes, |name| {
                declared.iter().filter(|declaration| declaration.has(name)).count() > 1
            });
            self.declared = declared;
        }
        let opcode = kernel.opcode(inst);
        let guard = kernel.inst(inst).guard.map_or(String::new(), |guard| {
            let sign = if guard.negated { "!" } else { "" };
            format!("@{sign}{} ", replaced(kernel.reg_name(guard.reg), scopes))
        });
        let flow = kernel.properties(inst).flow;
        if flow == Flow::Return && !behind.is_empty() {
            out.insts(self.at(kernel, inst), &format!("{guard}bra {behind};"));
            return Ok(());
        }
        let store = self.store_of(kernel, inst, scopes);
        if flow == Flow::Call {
            match self.calls.callees(kernel, inst) {
                Ok(Callees::Named(callee)) => return self.call(kernel, inst, callee, scopes, &guard, out),
                Ok(Callees::At(address, callees)) => {
                    return self.call_at(kernel, inst, (address, &callees), scopes, &guard, out);
                }
                Err(_) if store.is_some() => return Err("a parameter is passed on to a call that stays".to_owned()),
                Err(why) => self.kept.push(KeptCall { text: self.at(kernel, inst), why }),
            }
        }
        let text = kernel.inst_text(inst);
        let operands = text.find(opcode.text()).map_or("", |at| &text[at + opcode.text().len()..]);
        let Some(store) = store else {
            out.insts(self.at(kernel, inst), &format!("{guard}{}{}", opcode.text(), replaced(operands, scopes)));
            return Ok(());
        };
        self.stores[store].add(kernel, inst);
        match self.forms.get(store).unwrap_or(&Form::Local) {
            Form::Registers(slots) => {
                let moves = self.stores[store].moves(slots, kernel, inst, &guard, |text| replaced(text, scopes));
                out.insts(self.at(kernel, inst), &moves);
            }
            Form::Local => {
                let words = opcode.text().split('.').map(|word| if word.starts_with("param") { "local" } else { word });
                let opcode = words.collect::<Vec<_>>().join(".");
                let named = with_store(kernel, inst, operands, scopes, &self.stores[store].name);
                out.insts(self.at(kernel, inst), &format!("{guard}{opcode}{named}"));
            }
        }
        Ok(())
    }

    /// The parameter variable that an instruction mentions.
    pub(super) fn store_of(&self, kernel: &Kernel, inst: Inst, scopes: &[Scope]) -> Option<usize> {
        let mut operands: Vec<Operand> = kernel.operands(inst).to_vec();
        while let Some(operand) = operands.pop() {
            operands.extend(operand.list().into_iter().flat_map(|list| kernel.list(list)));
            let (Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _)) = operand else {
                continue;
            };
            if let Some(Meaning::Store(store)) = meaning(scopes, kernel.symbol_name(symbol)) {
                return Some(store);
            }
        }
        None
    }
}

fn not_a_family(declaration: &str) -> Result<(), String> {
    if declaration.contains('<') { Err("a family of variables is declared".to_owned()) } else { Ok(()) }
}

/// Returns the reason why calls stay if the bodies in their places have so many statements.
pub(super) fn too_long(statements: u64) -> String {
    let count = if statements == u64::MAX { "2^64 or more".to_owned() } else { statements.to_string() };
    format!(
        "the functions that it calls are too long: {count} statements in the places of the calls, and {MOST} are looked at"
    )
}

/// Returns where the scope ends whose first statement has an index: at what closes it, or behind the last statement.
pub(super) fn end_of_scope(kernel: &Kernel, first: usize) -> usize {
    let mut depth = 0u32;
    for (index, stmt) in kernel.stmts().iter().enumerate().skip(first) {
        match stmt.kind {
            StmtKind::Open => depth += 1,
            StmtKind::Close if depth == 0 => return index,
            StmtKind::Close => depth -= 1,
            _ => {}
        }
    }
    kernel.stmts().len()
}

/// Operands with the name of a parameter variable replaced by that of its memory.
fn with_store(kernel: &Kernel, inst: Inst, operands: &str, scopes: &[Scope], name: &str) -> String {
    let mut own = Scope::default();
    for operand in kernel.operands(inst) {
        if let Operand::Address(Base::Symbol(symbol), _) = *operand {
            own.names.insert(kernel.symbol_name(symbol).to_owned(), Meaning::Name(name.to_owned()));
        }
    }
    let renamed = |word: &str| replaced(word, scopes);
    // The store's name has no meaning in the other scopes.
    replaced(&renamed(operands), &[own])
}
