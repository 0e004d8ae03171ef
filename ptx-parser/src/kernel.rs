//! A kernel or device function: header, body, and the tables that its ids point into.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

use crate::entities::{Inst, Label, List, LocId, Marker, Opcode, Reg, Symbol};
use crate::opcode::OpcodeData;
use crate::operand::Operand;
use crate::position::{Lines, Position};
use crate::stmt::{Loc, Stmt, StmtKind};
use crate::table::Properties;
use crate::tables::{
    HOME_TOP, InstData, LabelData, MarkerData, Name, PerformanceDirective, RegData, RegFamily, Run, Span,
};
use crate::types::{Space, Type};
use crate::variable::{Parameter, Variable};

/// The kind of a function: it is launched or called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KernelKind {
    /// `.entry`: launched by the host.
    Entry,
    /// `.func`: called by other functions.
    Func,
}

/// A `.entry` or `.func` with its body.
///
/// The body is a list of statements in textual order ([`Kernel::stmts`]); control flow is what labels, branches and
/// falling through make of it (see the crate `analysis` for the graph). A kernel holds everything that its ids need,
/// so that it can be analysed, cloned and edited without its module.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub(crate) source: Arc<str>,
    pub(crate) lines: Arc<Lines>,
    pub(crate) name: Box<str>,
    pub(crate) kind: KernelKind,
    pub(crate) params: Vec<Parameter>,
    pub(crate) results: Vec<Parameter>,
    pub(crate) directives: Vec<PerformanceDirective>,
    pub(crate) regs: PrimaryMap<Reg, RegData>,
    pub(crate) labels: PrimaryMap<Label, LabelData>,
    pub(crate) symbols: PrimaryMap<Symbol, Name>,
    pub(crate) opcodes: PrimaryMap<Opcode, Arc<OpcodeData>>,
    pub(crate) insts: PrimaryMap<Inst, InstData>,
    pub(crate) lists: PrimaryMap<List, Run>,
    /// The operands of all instructions and the elements of all lists.
    pub(crate) pool: Vec<Operand>,
    pub(crate) variables: FxHashMap<Symbol, Variable>,
    /// The variables of the module that it was read from, by name.
    pub(crate) module_variables: Arc<FxHashMap<Box<str>, Variable>>,
    pub(crate) families: Vec<RegFamily>,
    pub(crate) branch_tables: FxHashMap<Symbol, Vec<Label>>,
    pub(crate) locs: PrimaryMap<LocId, Loc>,
    pub(crate) markers: PrimaryMap<Marker, MarkerData>,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) carry: Option<Reg>,
    /// From the first word of the header to the opening brace, exclusive.
    pub(crate) header: Span,
    /// From the opening brace to the closing one, inclusive; `None` for a prototype.
    pub(crate) body: Option<Span>,
    /// The text between the last statement and the closing brace.
    pub(crate) tail: Span,
    pub(crate) edits: crate::edit::state::Edits,
}

impl Kernel {
    /// A kernel without parameters and without a body.
    pub(crate) fn empty(source: Arc<str>, lines: Arc<Lines>, name: &str, kind: KernelKind) -> Kernel {
        Kernel {
            source,
            lines,
            name: name.into(),
            kind,
            params: Vec::new(),
            results: Vec::new(),
            directives: Vec::new(),
            regs: PrimaryMap::new(),
            labels: PrimaryMap::new(),
            symbols: PrimaryMap::new(),
            opcodes: PrimaryMap::new(),
            insts: PrimaryMap::new(),
            lists: PrimaryMap::new(),
            pool: Vec::new(),
            variables: FxHashMap::default(),
            module_variables: Arc::default(),
            families: Vec::new(),
            branch_tables: FxHashMap::default(),
            locs: PrimaryMap::new(),
            markers: PrimaryMap::new(),
            stmts: Vec::new(),
            carry: None,
            header: Span::default(),
            body: None,
            tail: Span::default(),
            edits: crate::edit::state::Edits::default(),
        }
    }

    /// The name, mangled as in the text.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether it is an entry or a function.
    #[must_use]
    pub fn kind(&self) -> KernelKind {
        self.kind
    }

    /// Returns true if there is a body; a prototype has none.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.body.is_some()
    }

    /// The parameters, in order.
    #[must_use]
    pub fn params(&self) -> &[Parameter] {
        &self.params
    }

    /// The results of a `.func`.
    #[must_use]
    pub fn results(&self) -> &[Parameter] {
        &self.results
    }

    /// The performance directives of the header, in order.
    #[must_use]
    pub fn directives(&self) -> &[PerformanceDirective] {
        &self.directives
    }

    /// The largest number of threads of a CTA that the kernel may be launched with, from `.maxntid` or `.reqntid`.
    #[must_use]
    pub fn max_threads(&self) -> Option<u32> {
        let bounds = self.directives.iter().filter(|d| matches!(&*d.name, "maxntid" | "reqntid"));
        bounds.map(|d| d.values.iter().fold(1u32, |product, &n| product.saturating_mul(n))).min()
    }

    /// The number of blocks of a cluster, from `.reqnctapercluster`.
    #[must_use]
    pub fn cluster_blocks(&self) -> Option<u32> {
        let size = self.directives.iter().find(|d| &*d.name == "reqnctapercluster")?;
        Some(size.values.iter().fold(1u32, |product, &n| product.saturating_mul(n)))
    }

    /// The statements in textual order.
    #[must_use]
    pub fn stmts(&self) -> &[Stmt] {
        &self.stmts
    }

    /// The instructions that have a place among the statements, in textual order.
    pub fn insts(&self) -> impl Iterator<Item = Inst> + '_ {
        self.stmts.iter().filter_map(|stmt| match stmt.kind {
            StmtKind::Inst(inst) => Some(inst),
            _ => None,
        })
    }

    /// An instruction.
    #[must_use]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// Returns how many instruction ids there are, placed or not: the size for a side table.
    #[must_use]
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// The opcode of an instruction.
    #[must_use]
    pub fn opcode(&self, inst: Inst) -> &OpcodeData {
        &self.opcodes[self.insts[inst].opcode]
    }

    /// Returns what the table says of an instruction's opcode.
    #[must_use]
    pub fn properties(&self, inst: Inst) -> &Properties {
        self.opcode(inst).properties()
    }

    /// Returns what an opcode id stands for.
    #[must_use]
    pub fn opcode_data(&self, opcode: Opcode) -> &OpcodeData {
        &self.opcodes[opcode]
    }

    /// A register's type and shape.
    #[must_use]
    pub fn reg(&self, reg: Reg) -> &RegData {
        &self.regs[reg]
    }

    /// All registers that the text mentions or declares one by one, those of inner scopes included.
    pub fn regs(&self) -> impl ExactSizeIterator<Item = Reg> + use<> {
        self.regs.keys()
    }

    /// The name of a register, with its `%`.
    #[must_use]
    pub fn reg_name(&self, reg: Reg) -> &str {
        self.resolve(&self.regs[reg].name)
    }

    /// The pseudo-register that stands for the carry flag, if any instruction uses it.
    #[must_use]
    pub fn carry_flag(&self) -> Option<Reg> {
        self.carry
    }

    /// All labels.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = Label> + use<> {
        self.labels.keys()
    }

    /// The name of a label.
    #[must_use]
    pub fn label_name(&self, label: Label) -> &str {
        self.resolve(&self.labels[label].name)
    }

    /// The name of a symbol.
    #[must_use]
    pub fn symbol_name(&self, symbol: Symbol) -> &str {
        self.resolve(&self.symbols[symbol])
    }

    /// The variable that a symbol names, if the body declares it.
    #[must_use]
    pub fn variable(&self, symbol: Symbol) -> Option<&Variable> {
        self.variables.get(&symbol)
    }

    /// The variable that a symbol names: one that the body declares, else one of the module that the kernel was read from.
    #[must_use]
    pub fn variable_in_scope(&self, symbol: Symbol) -> Option<&Variable> {
        self.variable(symbol).or_else(|| self.module_variables.get(self.symbol_name(symbol)))
    }

    /// The symbol of a parameter or result in `.param`. `None` if the body does not mention it.
    #[must_use]
    pub fn parameter_symbol(&self, parameter: &Parameter) -> Option<Symbol> {
        let is_it = |&symbol: &Symbol| self.symbol_name(symbol) == &*parameter.name && self.variable(symbol).is_none();
        self.symbols.keys().find(is_it)
    }

    /// The register of a parameter or result of a function that is in a register.
    #[must_use]
    pub fn parameter_reg(&self, parameter: &Parameter) -> Option<Reg> {
        let is_it = |reg: &Reg| self.regs[*reg].home == HOME_TOP && self.reg_name(*reg) == &*parameter.name;
        self.regs.keys().find(is_it)
    }

    /// The variables that the body declares, in no particular order.
    pub fn variables(&self) -> impl Iterator<Item = (Symbol, &Variable)> {
        self.variables.iter().map(|(symbol, variable)| (*symbol, variable))
    }

    /// The bytes that the body declares in a state space, each variable aligned, in textual order.
    #[must_use]
    pub fn declared_bytes(&self, space: Space) -> u64 {
        let mut declared: Vec<_> = self.variables().filter(|(_, v)| v.space == space).collect();
        declared.sort_by_key(|(symbol, _)| *symbol);
        declared.iter().fold(0u64, |end, (_, v)| {
            let aligned = end.checked_next_multiple_of(u64::from(v.align.max(1))).unwrap_or(u64::MAX);
            aligned.saturating_add(v.bytes())
        })
    }

    /// The elements of a vector, tuple or bracket.
    #[must_use]
    pub fn list(&self, list: List) -> &[Operand] {
        self.run(self.lists[list])
    }

    /// The operands of an instruction, results first as PTX writes them.
    #[must_use]
    pub fn operands(&self, inst: Inst) -> &[Operand] {
        self.run(self.insts[inst].operands)
    }

    /// The operands of a run. What makes runs puts their operands into the pool, from which nothing is removed.
    fn run(&self, run: Run) -> &[Operand] {
        &self.pool[run.indices()]
    }

    /// Makes a list of operands.
    pub(crate) fn push_list(&mut self, elements: &[Operand]) -> List {
        let run = self.push_operands(elements);
        self.lists.push(run)
    }

    /// Adds operands to the pool.
    pub(crate) fn push_operands(&mut self, operands: &[Operand]) -> Run {
        // A text has fewer than 2^32 bytes and an operand at least one of them.
        let run = Run { start: self.pool.len() as u32, count: operands.len() as u32 };
        self.pool.extend_from_slice(operands);
        run
    }

    /// The position in the user's source that an instruction comes from.
    #[must_use]
    pub fn loc(&self, inst: Inst) -> Option<Loc> {
        self.insts[inst].loc.expand().map(|position| self.locs[position])
    }

    /// The source position that a `.loc` statement gives.
    #[must_use]
    pub fn loc_of(&self, id: LocId) -> Loc {
        self.locs[id]
    }

    /// The position of an instruction in the PTX text; `None` for one made by an edit.
    #[must_use]
    pub fn text_position(&self, inst: Inst) -> Option<Position> {
        let data = &self.insts[inst];
        (data.span.end > data.span.start).then(|| self.lines.position(&self.source, data.span.start))
    }

    /// Makes the pseudo-register that stands for the carry flag, unless there is one.
    pub(crate) fn make_carry_flag(&mut self) {
        if self.carry.is_none() {
            let name = Name::Made(Box::new("CC".into()));
            self.carry = Some(self.regs.push(RegData { name, ty: Type::Pred, lanes: 1, home: HOME_TOP }));
        }
    }

    pub(crate) fn resolve<'a>(&'a self, name: &'a Name) -> &'a str {
        match name {
            Name::Source(span) => self.text(*span),
            Name::Made(name) => name,
        }
    }

    pub(crate) fn text(&self, span: Span) -> &str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}
