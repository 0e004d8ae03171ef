//! The names that every instruction of a body can mention, so that small edits need no walk over the kernel.
//!
//! These are the names declared at the outermost level, in front of everything else, that nothing else shares. For all other names,
//! `verify_scopes` decides, which looks at the whole kernel.

use rustc_hash::{FxHashMap, FxHashSet};

use super::state::Visible;
use crate::entities::{Inst, Reg};
use crate::index::splits;
use crate::kernel::Kernel;
use crate::operand::{Base, Operand};
use crate::stmt::StmtKind;
use crate::tables::HOME_TOP;

impl Visible {
    pub(super) fn of(kernel: &Kernel) -> Visible {
        let mut visible = Visible { seen: kernel.regs.len(), ..Visible::default() };
        let (mut homes, mut variables) = (FxHashSet::default(), FxHashSet::default());
        homes.insert(HOME_TOP);
        variables.extend(kernel.edits.variables.iter().copied());
        let mut labels = Vec::new();
        let (mut depth, mut leading) = (0u32, true);
        for stmt in &kernel.stmts {
            match &stmt.kind {
                StmtKind::Registers if leading => _ = homes.insert(stmt.origin.home()),
                StmtKind::Variables(list) if leading => variables.extend(list.iter().copied()),
                StmtKind::Label(label) if depth == 0 => labels.push(*label),
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth = depth.saturating_sub(1),
                StmtKind::Inst(inst) => _ = visible.placed.insert(*inst),
                _ => {}
            }
            leading &= !matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Open | StmtKind::BranchTargets(..));
        }
        let names = Shared::of(kernel);
        for reg in kernel.regs.keys().filter(|&reg| homes.contains(&kernel.regs[reg].home)) {
            if Some(reg) != kernel.carry && names.is_only_reg(kernel, reg) {
                visible.regs.insert(reg);
            }
        }
        for symbol in kernel.symbols.keys() {
            let outermost = !kernel.variables.contains_key(&symbol) || variables.contains(&symbol);
            let is_table = kernel.branch_tables.contains_key(&symbol);
            if outermost && !is_table && names.is_only(&names.symbols, kernel.symbol_name(symbol)) {
                visible.symbols.insert(symbol);
            }
        }
        for label in labels {
            if names.is_only(&names.labels, kernel.label_name(label)) {
                visible.labels.insert(label);
            }
        }
        visible
    }

    /// Returns true if an instruction stands in the body.
    pub(super) fn is_placed(&self, inst: Inst) -> bool {
        self.placed.contains(inst)
    }

    pub(super) fn reg(&self, kernel: &Kernel, reg: Reg) -> bool {
        let made = || reg.as_u32() as usize >= self.seen && kernel.regs[reg].home == HOME_TOP;
        self.regs.contains(reg) || made()
    }

    /// Returns true if all names that an operand mentions itself mean the same everywhere.
    pub(super) fn operand(&self, kernel: &Kernel, operand: &Operand) -> bool {
        match *operand {
            Operand::Reg(r)
            | Operand::Not(r)
            | Operand::Component(r, _)
            | Operand::Selected(r, _)
            | Operand::Sum(r, _)
            | Operand::VectorPair(_, Some(r))
            | Operand::Address(Base::Reg(r), _) => self.reg(kernel, r),
            Operand::Pair(first, second) => {
                first.expand().into_iter().chain(second.expand()).all(|reg| self.reg(kernel, reg))
            }
            Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) => self.symbols.contains(symbol),
            Operand::Label(label) => self.labels.contains(label),
            _ => true,
        }
    }
}

/// The number of things that have each name.
struct Shared<'a> {
    regs: FxHashMap<&'a str, u32>,
    symbols: FxHashMap<&'a str, u32>,
    labels: FxHashMap<&'a str, u32>,
    /// Count and home of the families of each prefix.
    families: FxHashMap<&'a str, Vec<(u64, u64)>>,
}

impl<'a> Shared<'a> {
    fn of(kernel: &'a Kernel) -> Shared<'a> {
        let mut families: FxHashMap<&str, Vec<(u64, u64)>> = FxHashMap::default();
        for family in &kernel.families {
            families.entry(kernel.resolve(&family.prefix)).or_default().push((family.count, family.home));
        }
        Shared {
            regs: counted(kernel.regs.keys().map(|reg| kernel.reg_name(reg))),
            symbols: counted(kernel.symbols.keys().map(|symbol| kernel.symbol_name(symbol))),
            labels: counted(kernel.labels.keys().map(|label| kernel.label_name(label))),
            families,
        }
    }

    /// Returns true if a register is the only one that its name can mean.
    fn is_only_reg(&self, kernel: &Kernel, reg: Reg) -> bool {
        let (name, home) = (kernel.reg_name(reg), kernel.regs[reg].home);
        self.regs.get(name) == Some(&1) && !self.in_family(name, |other| other != home)
    }

    /// Returns true if a name is that of one symbol or label, and of no register.
    fn is_only(&self, names: &FxHashMap<&str, u32>, name: &str) -> bool {
        names.get(name) == Some(&1) && !self.regs.contains_key(name) && !self.in_family(name, |_| true)
    }

    fn in_family(&self, name: &str, home: impl Fn(u64) -> bool) -> bool {
        splits(name).any(|(prefix, number)| {
            let families = self.families.get(prefix).into_iter().flatten();
            families.into_iter().any(|(count, other)| number < *count && home(*other))
        })
    }
}

fn counted<'a>(names: impl Iterator<Item = &'a str>) -> FxHashMap<&'a str, u32> {
    let mut counts = FxHashMap::default();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    counts
}
