//! Whether names mean what the ids say.
//!
//! Operands hold ids, but the text that is printed holds names. An edit that puts a register of an outer scope into an inner one
//! that has a register of the same name, or that moves an instruction out of the scope of its registers, would print a text with
//! another meaning. This walks the statements with the declarations that are in scope and finds such places.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entities::{Label, Reg, Symbol};
use crate::index::splits;
use crate::kernel::{HOME_TOP, Kernel, RegFamily};
use crate::operand::{Base, Operand};
use crate::stmt::StmtKind;

struct Walk<'a> {
    kernel: &'a Kernel,
    /// For each register declaration in scope, how deep its scope is.
    homes: FxHashMap<u64, usize>,
    /// For each open scope, the declarations and variables that end with it.
    open: Vec<(Vec<u64>, Vec<Symbol>)>,
    /// Registers by name, of the names that several have.
    twins: FxHashMap<&'a str, Vec<Reg>>,
    /// Register families of inner scopes by prefix: they hide names outside.
    families: FxHashMap<&'a str, Vec<&'a RegFamily>>,
    /// The variables in scope of each name, innermost last.
    variables: FxHashMap<&'a str, Vec<Symbol>>,
    /// For each label, the scope that defines it: a number in the order in which scopes open.
    labels: FxHashMap<Label, usize>,
    label_twins: FxHashMap<&'a str, Vec<Label>>,
    /// The numbers of the open scopes.
    scopes: Vec<usize>,
}

impl Kernel {
    pub(crate) fn verify_scopes(&self) -> Result<(), String> {
        let mut walk = Walk {
            kernel: self,
            homes: FxHashMap::from_iter([(HOME_TOP, 0)]),
            open: vec![Default::default()],
            twins: twins(self.regs.keys().filter(|&reg| Some(reg) != self.carry), |reg| self.reg_name(reg)),
            families: FxHashMap::default(),
            variables: FxHashMap::default(),
            labels: label_scopes(self),
            label_twins: twins(self.labels.keys(), |label| self.label_name(label)),
            scopes: vec![0],
        };
        for family in self.families.iter().filter(|family| !family.outermost) {
            walk.families.entry(self.resolve(&family.prefix)).or_default().push(family);
        }
        for &symbol in &self.edits.variables {
            walk.variables.entry(self.symbol_name(symbol)).or_default().push(symbol);
        }
        walk.statements()
    }
}

/// The ids of each name that more than one has.
fn twins<'a, T: Copy>(ids: impl Iterator<Item = T>, name: impl Fn(T) -> &'a str) -> FxHashMap<&'a str, Vec<T>> {
    let mut all: FxHashMap<&str, Vec<T>> = FxHashMap::default();
    ids.for_each(|id| all.entry(name(id)).or_default().push(id));
    all.retain(|_, list| list.len() > 1);
    all
}

fn label_scopes(kernel: &Kernel) -> FxHashMap<Label, usize> {
    let mut labels = FxHashMap::default();
    let (mut open, mut next) = (vec![0], 1);
    for stmt in &kernel.stmts {
        match stmt.kind {
            StmtKind::Open => {
                open.push(next);
                next += 1;
            }
            StmtKind::Close => {
                open.pop();
            }
            StmtKind::Label(label) => {
                labels.insert(label, open.last().copied().unwrap_or(0));
            }
            _ => {}
        }
    }
    labels
}

impl<'a> Walk<'a> {
    fn statements(&mut self) -> Result<(), String> {
        let mut next = 1;
        for stmt in &self.kernel.stmts {
            match &stmt.kind {
                StmtKind::Open => {
                    self.open.push(Default::default());
                    self.scopes.push(next);
                    next += 1;
                }
                StmtKind::Close => self.close(),
                StmtKind::Registers => {
                    let home = stmt.origin.home();
                    if self.homes.insert(home, self.open.len()).is_none()
                        && let Some((homes, _)) = self.open.last_mut()
                    {
                        homes.push(home);
                    }
                }
                StmtKind::Variables(symbols) => self.declare(symbols),
                StmtKind::BranchTargets(_, labels) => labels.iter().try_for_each(|&label| self.label(label))?,
                StmtKind::Inst(inst) => {
                    let at = |what: String| format!("{what}: `{}`", self.kernel.inst_text(*inst));
                    self.inst(*inst).map_err(at)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn declare(&mut self, symbols: &[Symbol]) {
        for &symbol in symbols {
            self.variables.entry(self.kernel.symbol_name(symbol)).or_default().push(symbol);
            if let Some((_, open)) = self.open.last_mut() {
                open.push(symbol);
            }
        }
    }

    fn close(&mut self) {
        let (homes, symbols) = self.open.pop().unwrap_or_default();
        self.scopes.pop();
        for home in homes {
            self.homes.remove(&home);
        }
        for symbol in symbols {
            if let Some(list) = self.variables.get_mut(self.kernel.symbol_name(symbol)) {
                list.pop();
            }
        }
    }

    fn inst(&self, inst: crate::Inst) -> Result<(), String> {
        let mut seen = FxHashSet::default();
        let mut outcome = Ok(());
        self.kernel.visit(inst, |reg, _| {
            if outcome.is_ok() && seen.insert(reg) {
                outcome = self.reg(reg);
            }
        });
        self.kernel.visit_operands(inst, |operand| {
            if outcome.is_ok() {
                outcome = match *operand {
                    Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) => self.symbol(symbol),
                    Operand::Label(label) => self.label(label),
                    _ => Ok(()),
                };
            }
        });
        outcome
    }

    fn reg(&self, reg: Reg) -> Result<(), String> {
        if Some(reg) == self.kernel.carry {
            return Ok(());
        }
        let (data, name) = (&self.kernel.regs[reg], self.kernel.reg_name(reg));
        let Some(&depth) = self.homes.get(&data.home) else {
            return Err(format!("register `{name}` is used outside of the scope that declares it"));
        };
        let hides = |home: u64| home != data.home && self.homes.get(&home).is_some_and(|&inner| inner >= depth);
        let twin = self.twins.get(name).into_iter().flatten().any(|twin| hides(self.kernel.regs[*twin].home));
        let member = !self.families.is_empty()
            && splits(name).any(|(prefix, number)| {
                let families = self.families.get(prefix).into_iter().flatten();
                families.into_iter().any(|family| number < family.count && hides(family.home))
            });
        if twin || member {
            return Err(format!("register `{name}` is hidden by another one of its name"));
        }
        Ok(())
    }

    fn symbol(&self, symbol: Symbol) -> Result<(), String> {
        let name = self.kernel.symbol_name(symbol);
        let innermost = self.variables.get(name).and_then(|list| list.last()).copied();
        match self.kernel.variables.contains_key(&symbol) {
            true if innermost == Some(symbol) => Ok(()),
            true => Err(format!("variable `{name}` is used outside of its scope, or hidden")),
            false if innermost.is_none() => Ok(()),
            false => Err(format!("`{name}` of the module is hidden by a variable")),
        }
    }

    fn label(&self, label: Label) -> Result<(), String> {
        let name = self.kernel.label_name(label);
        let depth = |label: &Label| self.scopes.binary_search(self.labels.get(label)?).ok();
        let Some(own) = depth(&label) else {
            return Err(format!("label `{name}` cannot be reached from here"));
        };
        let twins = self.label_twins.get(name).into_iter().flatten();
        if twins.filter(|twin| **twin != label).any(|twin| depth(twin).is_some_and(|inner| inner >= own)) {
            return Err(format!("label `{name}` is hidden by another one of its name"));
        }
        Ok(())
    }
}
