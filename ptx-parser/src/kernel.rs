//! A kernel or device function: header, body, and the tables that its ids point into.

use std::sync::Arc;

use cranelift_entity::PrimaryMap;
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::entities::{Inst, Label, List, Opcode, Position, Reg, Symbol};
use crate::error::Lines;
use crate::opcode::OpcodeData;
use crate::operand::Operand;
use crate::stmt::{Loc, Stmt};
use crate::table::Properties;
use crate::types::{Space, Type};
use crate::variable::{Parameter, Variable};

/// A half-open range of bytes of the source text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Span {
    /// First byte.
    pub(crate) start: u32,
    /// One past the last byte.
    pub(crate) end: u32,
}

/// Neighbours in the pool of operands of a kernel: those of an instruction, or the elements of a vector, tuple or bracket.
/// One pool for all of them spares an allocation per instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Run {
    /// Index of the first.
    pub(crate) start: u32,
    /// How many.
    pub(crate) count: u32,
}

impl Run {
    /// As indices of the pool.
    pub(crate) fn indices(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.count as usize
    }
}

/// A name: from the source text, or made by an edit.
#[derive(Clone, Debug)]
pub(crate) enum Name {
    Source(Span),
    /// Boxed twice, so that the others, which nearly all are, stay small.
    Made(Box<Box<str>>),
}

/// What the kernel knows of a register.
#[derive(Clone, Debug)]
pub struct RegData {
    pub(crate) name: Name,
    /// The declared type.
    pub ty: Type,
    /// For a vector register (`.reg .v4 .f32 %v;`), its number of components; else 1.
    pub lanes: u8,
    /// The statement that declares it, see `Origin::home`.
    pub(crate) home: u64,
}

/// The home of a register that is declared at the top of the body or in the header.
pub(crate) const HOME_TOP: u64 = u64::MAX;

/// The home of a register that is mentioned and declared nowhere: only in a text with errors, so that the others are found too.
pub(crate) const HOME_NOWHERE: u64 = u64::MAX - 1;

/// A declaration `%r<28>`. Its members are made when the text mentions them; the others have no id.
#[derive(Clone, Debug)]
pub(crate) struct RegFamily {
    pub(crate) prefix: Name,
    pub(crate) count: u64,
    pub(crate) ty: Type,
    pub(crate) lanes: u8,
    pub(crate) home: u64,
    pub(crate) outermost: bool,
}

/// What the kernel knows of a label.
#[derive(Clone, Debug)]
pub(crate) struct LabelData {
    pub(crate) name: Name,
}

/// The guard `@%p` or `@!%p` of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate.
    pub reg: Reg,
    /// Whether the instruction runs where the predicate is false.
    pub negated: bool,
}

/// An instruction: guard, opcode, operands.
#[derive(Clone, Debug)]
pub struct InstData {
    /// The condition under which it runs.
    pub guard: Option<Guard>,
    /// Mnemonic and modifiers.
    pub opcode: Opcode,
    /// Where its operands are, see [`Kernel::operands`].
    pub(crate) operands: Run,
    pub(crate) span: Span,
    pub(crate) loc: PackedOption<Position>,
    /// Made or changed by an edit: printed from its parts and not from the source.
    pub(crate) edited: bool,
}

/// Whether it can be launched.
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
    pub(crate) locs: PrimaryMap<Position, Loc>,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) carry: Option<Reg>,
    /// From the first word of the header to the opening brace, exclusive.
    pub(crate) header: Span,
    /// From the opening brace to the closing one, inclusive; `None` for a prototype.
    pub(crate) body: Option<Span>,
    /// What stands between the last statement and the closing brace.
    pub(crate) tail: Span,
    pub(crate) edits: crate::edit::Edits,
}

/// A performance-tuning directive of a kernel header (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerformanceDirective {
    /// The word without its dot: `maxntid`, `reqntid`, `minnctapersm`, `maxnreg`, …
    pub name: Box<str>,
    /// Its integer arguments.
    pub values: SmallVec<[u32; 3]>,
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
            stmts: Vec::new(),
            carry: None,
            header: Span::default(),
            body: None,
            tail: Span::default(),
            edits: crate::edit::Edits::default(),
        }
    }

    /// The name, mangled as in the text.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is an entry or a function.
    #[must_use]
    pub fn kind(&self) -> KernelKind {
        self.kind
    }

    /// Whether there is a body; a prototype has none.
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

    /// An instruction.
    #[must_use]
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// How many instruction ids there are, placed or not: the size for a side table.
    #[must_use]
    pub fn inst_count(&self) -> usize {
        self.insts.len()
    }

    /// The opcode of an instruction.
    #[must_use]
    pub fn opcode(&self, inst: Inst) -> &OpcodeData {
        &self.opcodes[self.insts[inst].opcode]
    }

    /// What the table says of an instruction's opcode.
    #[must_use]
    pub fn properties(&self, inst: Inst) -> &Properties {
        self.opcode(inst).properties()
    }

    /// What an opcode id stands for.
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
        &self.pool[self.lists[list].indices()]
    }

    /// The operands of an instruction, results first as PTX writes them.
    #[must_use]
    pub fn operands(&self, inst: Inst) -> &[Operand] {
        &self.pool[self.insts[inst].operands.indices()]
    }

    /// Makes a list of operands.
    pub(crate) fn push_list(&mut self, elements: &[Operand]) -> List {
        // A text has fewer than 2^32 bytes and an operand at least one of them.
        let run = Run { start: self.pool.len() as u32, count: elements.len() as u32 };
        self.pool.extend_from_slice(elements);
        self.lists.push(run)
    }

    /// The position in the user's source that an instruction comes from.
    #[must_use]
    pub fn loc(&self, inst: Inst) -> Option<Loc> {
        self.insts[inst].loc.expand().map(|position| self.locs[position])
    }

    /// The source position that a `.loc` statement gives.
    #[must_use]
    pub fn position(&self, position: Position) -> Loc {
        self.locs[position]
    }

    /// The line and column, counted from 1, of an instruction in the PTX text; `None` for one made by an edit.
    #[must_use]
    pub fn text_position(&self, inst: Inst) -> Option<(u32, u32)> {
        let data = &self.insts[inst];
        (data.span.end > data.span.start).then(|| self.lines.position(&self.source, data.span.start))
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
