//! The lookup of the register, label or symbol that a name stands for.
//!
//! Registers, variables and labels belong to the innermost `{ }` scope that declares them. A register must be declared
//! before it is used; a label may be used before, so that branches wait until their scope closes.
//!
//! One map holds what each name means where the reader stands; a scope remembers the meanings that its own declarations
//! hid and puts them back when it closes. Looking a name up then costs the same at any depth.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::capacity::Capacity;
use super::error_recovery::Fails;
use super::lexical::{Fail, broken, cut};
use super::registers::{Found, Registers};
use super::scope::{Done, Hidden, KnownOpcode, Labels, Meaning, Table, VariableFamilies, restore, several};
use crate::entities::{Inst, LocId, Marker, Reg, Symbol};
use crate::index::NameIndex;
use crate::kernel::{Kernel, KernelKind};
use crate::module::Module;
use crate::operand::Operand;
use crate::suggest::nearest;
use crate::tables::{HOME_NOWHERE, HOME_TOP, MarkerData, Name, RegData, RegFamily, Run, Span};
use crate::types::Type;

/// The depth to which scopes may be nested. `ptxas` 13 gives up below 3,000.
const MAX_DEPTH: usize = 4096;

#[derive(Default)]
pub(super) struct Scope<'a> {
    /// Variables that this scope declares, with what their names meant outside.
    pub(super) symbols: Hidden<'a, Symbol>,
    labels: Labels<'a>,
    /// The prefixes of the families of variables that it declares.
    pub(super) variable_families: Vec<&'a str>,
}

/// The kernel that is being read, with the names that are in scope.
pub(crate) struct Names<'a> {
    pub(crate) kernel: Kernel,
    /// The last `.loc`, which holds for the instructions that follow.
    pub(crate) loc: Option<LocId>,
    /// The statement that is being read, as registers remember it.
    pub(crate) home: u64,
    pub(crate) tables: Vec<Table>,
    /// The operands of the instruction that is being read, if one of them has elements.
    pub(crate) waiting: Vec<Operand>,
    /// The indirect branches, with where they stand.
    pub(crate) indirect: Vec<(Inst, &'a str)>,
    /// The errors in the text so far.
    pub(crate) fails: Fails,
    /// The pieces of this body that could not be read.
    pub(crate) skipped: Vec<&'a str>,
    /// The text that spans refer to; `None` where names are to be kept as text of their own (fragments).
    base: Option<&'a str>,
    /// The names of the kernel that a fragment extends.
    pub(super) outer: Option<&'a NameIndex>,
    scopes: Vec<Scope<'a>>,
    regs: Registers<'a>,
    /// The meanings of the names of variables at the place that is being read.
    pub(super) symbols: FxHashMap<&'a str, Meaning<Symbol>>,
    pub(super) variable_families: VariableFamilies<'a>,
    /// The number of variables that the families of the text have declared so far.
    pub(super) members: u32,
    /// True if registers without `%` in front were declared; else names without it need not be looked up.
    bare_regs: bool,
    pub(super) opcodes: FxHashMap<&'a str, KnownOpcode>,
    /// The bytes of an element of each variable of the module that was read so far.
    pub(super) elements: FxHashMap<&'a str, u32>,
    /// The registers that the module declares for all functions, as PTX 1.x allowed: names, families with their count.
    pub(super) module_regs: Vec<(&'a str, Option<u64>, Type, u8)>,
    /// The number of kernels that were read.
    pub(super) kernels: u32,
    capacity: Capacity,
}

impl<'a> Names<'a> {
    /// For the kernels of a text.
    pub(crate) fn of_module(base: &'a str, module: &Module) -> Names<'a> {
        let nothing = Kernel::empty(Arc::clone(&module.source), Arc::clone(&module.lines), "", KernelKind::Func);
        Names::start(nothing, Some(base), None)
    }

    /// Goes on with an existing kernel, for reading a fragment.
    pub(crate) fn resume(kernel: Kernel, outer: &'a NameIndex) -> Names<'a> {
        let mut names = Names::start(kernel, None, Some(outer));
        names.reset();
        names.bare_regs = true;
        names
    }

    fn start(kernel: Kernel, base: Option<&'a str>, outer: Option<&'a NameIndex>) -> Names<'a> {
        Names {
            kernel,
            loc: None,
            home: HOME_TOP,
            tables: Vec::new(),
            waiting: Vec::new(),
            indirect: Vec::new(),
            fails: Fails::default(),
            skipped: Vec::new(),
            base,
            outer,
            scopes: Vec::new(),
            regs: Registers::default(),
            symbols: FxHashMap::default(),
            variable_families: VariableFamilies::default(),
            members: 0,
            bare_regs: false,
            opcodes: FxHashMap::default(),
            elements: FxHashMap::default(),
            module_regs: Vec::new(),
            kernels: 0,
            capacity: Capacity::of(base.map_or(0, str::len)),
        }
    }

    /// Begins a kernel whose header was read. The maps of the kernel before are used again.
    pub(crate) fn begin(&mut self, kernel: Kernel, body: &str) {
        self.kernel = kernel;
        self.kernels += 1;
        self.reset();
        self.capacity.reserve(&mut self.kernel, body);
        for (name, count, ty, lanes) in self.module_regs.clone() {
            // Two of one name were reported where the second is declared.
            let _ = self.declare_regs(name, count, ty, lanes);
        }
    }

    fn reset(&mut self) {
        self.loc = None;
        self.home = HOME_TOP;
        self.tables.clear();
        self.indirect.clear();
        self.skipped.clear();
        self.scopes.clear();
        self.scopes.push(Scope::default());
        self.regs.clear(self.base.map_or(0, str::len));
        self.regs.open();
        self.symbols.clear();
        self.variable_families.clear();
        self.bare_regs = false;
    }

    /// The kernel that was read.
    pub(crate) fn end(&mut self) -> Kernel {
        self.capacity.learn(&self.kernel);
        let (source, lines) = (Arc::clone(&self.kernel.source), Arc::clone(&self.kernel.lines));
        std::mem::replace(&mut self.kernel, Kernel::empty(source, lines, "", KernelKind::Func))
    }

    pub(crate) fn is_fragment(&self) -> bool {
        self.outer.is_some()
    }

    /// Returns where a piece of the text stands in it; nothing for a fragment.
    #[inline]
    pub(crate) fn span(&self, text: &str) -> Span {
        match self.base {
            Some(base) => {
                let start = text.as_ptr() as usize - base.as_ptr() as usize;
                // The module parser refuses texts whose offsets do not fit.
                Span { start: start as u32, end: (start + text.len()) as u32 }
            }
            None => Span::default(),
        }
    }

    #[inline]
    pub(super) fn name(&self, text: &'a str) -> Name {
        if self.base.is_some() { Name::Source(self.span(text)) } else { Name::Made(Box::new(text.into())) }
    }

    /// Adds a marker, whose statement is the next one. Those of a fragment stand nowhere yet.
    pub(super) fn add_marker(&mut self, text: &'a str) -> Marker {
        // A text has fewer statements than bytes, of which there are less than 2^32.
        let index = (!self.is_fragment()).then_some(self.kernel.stmts.len() as u32);
        self.kernel.markers.push(MarkerData { text: self.name(text), index })
    }

    pub(super) fn scope(&mut self) -> Option<&mut Scope<'a>> {
        self.scopes.last_mut()
    }

    /// Returns where the next operand of an instruction goes.
    #[inline]
    pub(super) fn operands(&mut self) -> &mut Vec<Operand> {
        if self.waiting.is_empty() { &mut self.kernel.pool } else { &mut self.waiting }
    }

    /// The operands of an instruction, all of which were read; `start` is where they began.
    #[inline]
    pub(super) fn pooled(&mut self, start: usize) -> Run {
        let pool = &mut self.kernel.pool;
        let start = if self.waiting.is_empty() { start } else { pool.len() };
        pool.extend_from_slice(&self.waiting);
        // A text has fewer than 2^32 bytes and an operand at least one of them.
        Run { start: start as u32, count: (pool.len() - start) as u32 }
    }

    /// The labels of the innermost scope.
    pub(super) fn labels(&mut self) -> Option<&mut Labels<'a>> {
        self.scopes.last_mut().map(|scope| &mut scope.labels)
    }

    /// Returns how many scopes are open; the body of the kernel is the first.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub(crate) fn open(&mut self, at: &'a str) -> Done<()> {
        if self.scopes.len() >= MAX_DEPTH {
            let message = format!("scopes are nested more than {MAX_DEPTH} deep");
            return Err(broken(at, message, Some("`ptxas` refuses such a text as well")));
        }
        self.scopes.push(Scope::default());
        self.regs.open();
        Ok(())
    }

    /// Closes the innermost scope: branches to its labels find them, the others wait on in the scope around it.
    pub(crate) fn close(&mut self) {
        let Some(mut scope) = self.scopes.pop() else { return };
        self.close_labels(std::mem::take(&mut scope.labels));
        restore(&mut self.symbols, scope.symbols);
        self.close_families(&scope.variable_families);
        self.regs.close(self.scopes.len() + 1);
    }

    /// Leaves a body whose end is missing; its labels may be missing with it.
    pub(crate) fn leave(&mut self) {
        self.scopes.clear();
        self.tables.clear();
    }

    /// A register, or a family of `count`.
    pub(crate) fn declare_regs(&mut self, name: &'a str, count: Option<u64>, ty: Type, lanes: u8) -> Done<()> {
        match count {
            Some(count) => self.declare_family(name, count, ty, lanes),
            None => self.declare_reg(name, ty, lanes),
        }
    }

    pub(crate) fn declare_reg(&mut self, name: &'a str, ty: Type, lanes: u8) -> Done<()> {
        let depth = self.depth();
        let in_outer = depth == 1 && self.outer.is_some_and(|o| o.reg(name).is_some() || o.family_of(name).is_some());
        if in_outer || self.regs.is_declared(name, depth) {
            return Err(broken(name, format!("register `{name}` is declared twice"), Some("rename one of the two")));
        }
        self.bare_regs |= !name.starts_with('%');
        let reg = self.push_reg(name, ty, lanes, self.home);
        self.regs.bind(name, depth, reg);
        Ok(())
    }

    fn declare_family(&mut self, prefix: &'a str, count: u64, ty: Type, lanes: u8) -> Done<()> {
        let (depth, home) = (self.depth(), self.home);
        let outside = depth == 1 && self.outer.is_some_and(|outer| outer.has_family(prefix));
        if outside || !self.regs.declare_family(prefix, (depth, count, ty, lanes, home)) {
            let message = format!("registers `{prefix}<…>` are declared twice");
            return Err(broken(prefix, message, Some("declare them once, with the larger count")));
        }
        self.bare_regs |= !prefix.starts_with('%');
        let prefix = self.name(prefix);
        self.kernel.families.push(RegFamily { prefix, count, ty, lanes, home, outermost: depth == 1 });
        Ok(())
    }

    #[inline]
    fn push_reg(&mut self, name: &'a str, ty: Type, lanes: u8, home: u64) -> Reg {
        let name = self.name(name);
        self.kernel.regs.push(RegData { name, ty, lanes, home })
    }

    /// The register of a name, innermost scope first.
    #[inline]
    pub(crate) fn reg(&mut self, name: &'a str) -> Option<Reg> {
        if !self.bare_regs && !name.starts_with('%') {
            return None;
        }
        match self.regs.find(name) {
            Some(Found::Reg(reg)) => Some(reg),
            Some(Found::Member(family, number)) => self.new_member(name, family, number),
            None => self.outer_reg(name),
        }
    }

    /// The register whose name begins a text, and where the name ends; `None` where that takes a closer look.
    #[inline(always)]
    pub(super) fn quick_reg(&mut self, text: &'a str) -> Option<(usize, Reg)> {
        if !text.starts_with('%') {
            return None;
        }
        let (end, found) = self.regs.quick(text.as_bytes())?;
        let reg = match found {
            Found::Reg(reg) => reg,
            Found::Member(family, number) => self.new_member(cut(text, end).0, family, number)?,
        };
        Some((end, reg))
    }

    /// The register of a family's member that is mentioned for the first time.
    #[inline(never)]
    fn new_member(&mut self, name: &'a str, family: usize, number: u64) -> Option<Reg> {
        let data = self.regs.family(family)?;
        let reg = self.push_reg(name, data.ty, data.lanes, data.home);
        self.regs.made(family, number, reg);
        Some(reg)
    }

    /// A register of the kernel that a fragment extends.
    fn outer_reg(&mut self, name: &'a str) -> Option<Reg> {
        let outer = self.outer?;
        match outer.reg(name) {
            Some(reg) => reg,
            None => {
                let family = outer.family_of(name)?;
                let reg = self.push_reg(name, family.ty, family.lanes, family.home);
                self.regs.bind(name, 1, reg);
                Some(reg)
            }
        }
    }

    /// A register that the text mentions. One that is not declared is reported, once, and made up, so that reading can go on.
    pub(crate) fn reg_or_report(&mut self, name: &'a str) -> Reg {
        if let Some(reg) = self.reg(name) {
            return reg;
        }
        let fail = self.undeclared(name);
        self.fails.add(fail);
        let reg = self.push_reg(name, Type::B32, 1, HOME_NOWHERE);
        self.regs.bind(name, 1, reg);
        reg
    }

    /// The failure that a name stands for no register.
    fn undeclared(&self, name: &str) -> nom::Err<Fail> {
        if self.outer.is_some_and(|outer| outer.reg(name) == Some(None)) {
            return several(name, "register");
        }
        let message = format!("register `{name}` is not declared");
        let mut family = self.regs.families().filter_map(|family| {
            let number = name.strip_prefix(family.prefix)?;
            (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(family)
        });
        if let Some(family) = family.next() {
            let (prefix, count) = (family.prefix, family.count);
            return broken(name, message, Some(&format!("`{prefix}<{count}>` declares the numbers below {count}")));
        }
        match nearest(name, self.regs.names().filter(|other| other.starts_with('%') == name.starts_with('%'))) {
            Some(other) => broken(name, message, Some(&format!("there is a register `{other}`"))),
            None => broken(name, message, Some("declare it with `.reg` in this scope or one around it")),
        }
    }
}
