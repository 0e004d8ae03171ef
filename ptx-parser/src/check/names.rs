//! A check that names are declared, and live in the state space that the instruction names.

use std::cell::{Cell, OnceCell};

use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{self, Calls};
use super::finding::Part;
use crate::entities::{Inst, Symbol};
use crate::kernel::{Kernel, KernelKind};
use crate::module::Module;
use crate::operand::{Base, Offset, Operand};
use crate::stmt::StmtKind;
use crate::suggest::nearest;
use crate::table::{Flow, Kind, Memory, Mnemonic};
use crate::types::{Space, Type};

/// A callback for a report: the part, the message, the help.
pub(super) type Report<'a> = &'a mut dyn FnMut(Part<'static>, String, Option<String>);

/// The meanings of the names of a module.
pub(super) struct Names<'m> {
    module: &'m Module,
    /// Variables of the module; those that are declared in several spaces have none.
    globals: FxHashMap<&'m str, Option<Space>>,
    calls: Calls<'m>,
    /// The parameters of the kernel that was entered last. `results` and `locals` are its results and variables.
    parameters: FxHashSet<&'m str>,
    results: FxHashSet<&'m str>,
    locals: FxHashMap<&'m str, Option<Space>>,
    /// The words outside of instructions, once somebody asks for them.
    mentioned: OnceCell<FxHashSet<&'m str>>,
    /// For how many more names a similar one is looked for.
    proposals: Cell<u32>,
}

impl<'m> Names<'m> {
    pub(super) fn of(module: &'m Module) -> Names<'m> {
        let mut globals = FxHashMap::default();
        for variable in module.variables() {
            add(&mut globals, &variable.name, variable.space);
        }
        Names {
            module,
            globals,
            calls: Calls::of(module),
            parameters: FxHashSet::default(),
            results: FxHashSet::default(),
            locals: FxHashMap::default(),
            mentioned: OnceCell::new(),
            proposals: Cell::new(100),
        }
    }

    /// Takes in the names of a kernel, with its place among the kernels of the text.
    pub(super) fn enter(&mut self, kernel: &'m Kernel, place: usize) {
        self.calls.enter(kernel, place);
        self.parameters = kernel.params().iter().map(|parameter| &*parameter.name).collect();
        self.results = kernel.results().iter().map(|parameter| &*parameter.name).collect();
        self.locals.clear();
        for (_, variable) in kernel.variables() {
            add(&mut self.locals, &variable.name, variable.space);
        }
    }

    /// Checks the names of an instruction.
    pub(super) fn check(&self, kernel: &Kernel, inst: Inst, report: Report<'_>) {
        let properties = kernel.properties(inst);
        if !properties.known {
            return;
        }
        for (index, operand) in kernel.operands(inst).iter().enumerate() {
            match *operand {
                Operand::Symbol(symbol, offset) => {
                    let callee = properties.flow == Flow::Call && calls::callee(kernel, inst) == Some(index);
                    // What is called must be a function, which is checked below.
                    if !callee || kernel.variable(symbol).is_some() {
                        self.declared(kernel, symbol, index, report);
                    }
                    self.own_parameter(kernel, symbol, index, report);
                    self.converted(kernel, inst, (symbol, index), report);
                    if offset == Offset::ZERO {
                        self.value(kernel, inst, (symbol, index), report);
                    }
                }
                Operand::Address(Base::Symbol(symbol), _) => {
                    self.declared(kernel, symbol, index, report);
                    if let Some(space) = properties.space {
                        self.space(kernel, inst, (symbol, index), space, report);
                    }
                }
                Operand::Tuple(list) | Operand::Bracket(list) | Operand::Vector(list) => {
                    for element in kernel.list(list) {
                        if let Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) = *element {
                            self.declared(kernel, symbol, index, report);
                        }
                    }
                }
                _ => {}
            }
        }
        if properties.flow == Flow::Call {
            self.calls.check(kernel, inst, report);
        }
    }

    fn is_known(&self, name: &str) -> bool {
        self.locals.contains_key(name)
            || self.parameters.contains(name)
            || self.results.contains(name)
            || self.globals.contains_key(name)
            || self.calls.has(name)
    }

    fn declared(&self, kernel: &Kernel, symbol: Symbol, index: usize, report: Report<'_>) {
        let name = kernel.symbol_name(symbol);
        if self.is_known(name) || self.is_mentioned(name) {
            return;
        }
        let left = self.proposals.get();
        self.proposals.set(left.saturating_sub(1));
        let known = self.locals.keys().chain(self.globals.keys()).chain(&self.parameters).copied();
        let near = if left > 0 { nearest(name, known.chain(self.calls.names())) } else { None };
        let help = near.map(|near| format!("did you mean `{near}`?"));
        report(Part::Operand(index), format!("`{name}` is not declared"), help);
    }

    /// Returns true if a name stands anywhere outside of instructions: directives that the module keeps as text (`.alias`,
    /// `.callprototype`, textures) declare names too. Asked only for names that are not known otherwise.
    fn is_mentioned(&self, name: &str) -> bool {
        self.mentioned.get_or_init(|| words_outside(self.module)).contains(name)
    }

    /// The space in which a name lives, if there is only one answer.
    fn space_of(&self, name: &str) -> Option<Space> {
        let local = self.locals.get(name);
        let global = self.globals.get(name);
        let parameter = self.parameters.contains(name) || self.results.contains(name);
        match (local, global, parameter) {
            (Some(space), None, false) | (None, Some(space), false) => *space,
            (None, None, true) => Some(Space::Param),
            _ => None,
        }
    }

    fn space(&self, kernel: &Kernel, inst: Inst, at: (Symbol, usize), accessed: Space, report: Report<'_>) {
        let (symbol, index) = at;
        let name = kernel.symbol_name(symbol);
        let opcode = kernel.opcode(inst);
        let Some(space) = self.space_of(name) else { return };
        let addressable = matches!(space, Space::Global | Space::Shared | Space::Local | Space::Const | Space::Param);
        let generic = accessed == Space::Generic && space != Space::Param;
        if addressable && accessed != space && !generic {
            let accessed = if accessed == Space::Generic { "generic".to_owned() } else { accessed.to_string() };
            let message = format!("`{name}` is in {space}, but `{opcode}` accesses {accessed} memory");
            report(Part::Operand(index), message, None);
        } else if space == Space::Param
            && kernel.properties(inst).memory == Memory::Write
            && kernel.kind() == KernelKind::Entry
            && self.parameters.contains(name)
            && !self.locals.contains_key(name)
        {
            report(Part::Operand(index), format!("`{name}` is a parameter of the kernel and cannot be written"), None);
        }
    }

    /// The address of a `.param` variable of a body, which has none: it is where a call puts an argument. Only calls name it, in lists.
    fn own_parameter(&self, kernel: &Kernel, symbol: Symbol, index: usize, report: Report<'_>) {
        if kernel.variable(symbol).is_some_and(|variable| variable.space == Space::Param) {
            let name = kernel.symbol_name(symbol);
            let message = format!("the address of `{name}` is taken, but a `.param` variable of a body has none");
            report(Part::Operand(index), message, Some("access it by `ld.param` and `st.param`".to_owned()));
        }
    }

    /// `cvta` names the space of the variable whose address it makes generic.
    fn converted(&self, kernel: &Kernel, inst: Inst, (symbol, index): (Symbol, usize), report: Report<'_>) {
        let opcode = kernel.opcode(inst);
        if opcode.mnemonic() != Mnemonic::Cvta {
            return;
        }
        let named = opcode.modifiers().iter().find_map(|modifier| modifier.space());
        let name = kernel.symbol_name(symbol);
        if let (Some(named), Some(space)) = (named, self.space_of(name))
            && named != space
        {
            report(
                Part::Operand(index),
                format!("`{name}` is in {space}, but `{opcode}` takes addresses in {named}"),
                None,
            );
        }
    }

    /// A variable where a value must stand: its address has to be moved into a register first. (With an offset it is a
    /// constant to the assembler.)
    fn value(&self, kernel: &Kernel, inst: Inst, at: (Symbol, usize), report: Report<'_>) {
        let (symbol, index) = at;
        let name = kernel.symbol_name(symbol);
        let variable = self.locals.contains_key(name) || self.globals.contains_key(name);
        let opcode = kernel.opcode(inst);
        let params = || opcode.signatures().iter().filter_map(|signature| signature.params.get(index));
        let plain = params().all(|param| match param.kind {
            Kind::Value | Kind::Predicate | Kind::Vector(_) => true,
            Kind::Move => param.ty.is_float() || param.ty == Type::Pred,
            _ => false,
        });
        let refused = params().next().is_some() && plain && params().all(|param| !param.marks.symbol);
        let text = kernel.text(kernel.inst(inst).span);
        let behind = text.rsplit(name).next().unwrap_or("").trim_start();
        if variable && refused && !self.calls.has(name) && !behind.starts_with(['+', '-', '[']) {
            let message = format!("operand {} of `{opcode}` is the variable `{name}`, but must be a value", index + 1);
            report(Part::Operand(index), message, Some("move its address into a register first".to_owned()));
        }
    }
}

/// The words of a module's text that stand in no instruction.
fn words_outside(module: &Module) -> FxHashSet<&str> {
    let source: &str = &module.source;
    let mut insts: Vec<(usize, usize)> = Vec::new();
    for kernel in &module.kernels {
        for stmt in &kernel.stmts {
            if let StmtKind::Inst(inst) = stmt.kind {
                let span = kernel.inst(inst).span;
                insts.push((span.start as usize, span.end as usize));
            }
        }
    }
    insts.push((source.len(), source.len()));
    insts.sort_unstable();
    let mut words = FxHashSet::default();
    let mut from = 0;
    for (start, end) in insts {
        let between = source.get(from..start).unwrap_or("");
        words.extend(between.split(|c: char| !(c.is_alphanumeric() || "_$%".contains(c))));
        from = from.max(end);
    }
    words
}

fn add<'m>(table: &mut FxHashMap<&'m str, Option<Space>>, name: &'m str, space: Space) {
    table.entry(name).and_modify(|known| *known = known.filter(|known| *known == space)).or_insert(Some(space));
}
