//! A check that names mean what the ids say.
//!
//! Operands hold ids, but the text that is printed holds names. An edit that puts a register of an outer scope into an inner one
//! that has a register of the same name, or that moves an instruction out of the scope of its registers, would print a text with
//! another meaning. This walks the statements with the declarations that are in scope and finds such places.
//!
//! Only names that several declarations share are kept by name, each with the declarations that are in scope, innermost last; so
//! the walk costs no more than reading the text did.

use cranelift_entity::PrimaryMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::entities::{Label, Reg, Symbol};
use crate::index::splits;
use crate::kernel::Kernel;
use crate::operand::{Base, Operand};
use crate::stmt::StmtKind;
use crate::tables::{HOME_TOP, RegFamily};
use crate::verify_names::{Hiding, ScopeId, bare_families, clashing, hiding, label_scopes, shared_names};

/// The declarations in scope of each name, innermost last.
type Live<'a, T> = FxHashMap<&'a str, Vec<T>>;

struct Walk<'a> {
    kernel: &'a Kernel,
    /// The register declarations in scope.
    homes: FxHashSet<u64>,
    /// The names and families that may hide others, by the statement that declares them: registers whose name several have, families of
    /// inner scopes.
    hiding: FxHashMap<u64, Hiding<'a>>,
    /// The declarations in scope of names that several registers have.
    twins: Live<'a, u64>,
    /// The families of inner scopes that are in scope, by prefix.
    families: Live<'a, &'a RegFamily>,
    /// All families that are in scope, by prefix.
    declared: Live<'a, &'a RegFamily>,
    /// The variables in scope.
    variables: Live<'a, Symbol>,
    /// The labels of each scope whose name several have.
    labels_of: PrimaryMap<ScopeId, Vec<Label>>,
    label_twins: Live<'a, Label>,
    /// The registers of each name that symbols or labels have as well.
    clashing: FxHashMap<&'a str, Vec<u64>>,
    /// The families without `%` in front, whose members may be called as symbols or labels are, by prefix.
    bare_families: FxHashMap<&'a str, Vec<&'a RegFamily>>,
    /// The meanings of the names of branch target lists, each with the depth of its declaration, innermost last. The first mention of a
    /// list may stand before the list. The name then means it outside of all scopes, at depth 0.
    tables: FxHashMap<&'a str, Vec<(Symbol, usize)>>,
    /// The lists that stand before, which no first mention can mean.
    past_tables: FxHashSet<Symbol>,
    /// The labels that can be reached.
    labels: FxHashSet<Label>,
    /// All labels of each scope.
    all_labels_of: PrimaryMap<ScopeId, Vec<Label>>,
    open: Vec<Scope>,
}

/// Something is declared a second time in one scope.
fn twice(name: &str) -> String {
    format!("`{name}` is declared twice in one scope")
}

/// The declarations that end with an open scope.
struct Scope {
    id: ScopeId,
    homes: Vec<u64>,
    symbols: Vec<Symbol>,
    /// Names of lists, or of variables that share one.
    tables: Vec<Symbol>,
}

impl Kernel {
    pub(crate) fn verify_scopes(&self) -> Result<(), String> {
        let mut walk = Walk {
            kernel: self,
            homes: FxHashSet::default(),
            hiding: hiding(self),
            twins: FxHashMap::default(),
            families: FxHashMap::default(),
            declared: FxHashMap::default(),
            variables: FxHashMap::default(),
            clashing: clashing(self),
            bare_families: bare_families(self),
            tables: self.branch_tables.keys().map(|&symbol| (self.symbol_name(symbol), Vec::new())).collect(),
            past_tables: FxHashSet::default(),
            labels_of: PrimaryMap::new(),
            label_twins: FxHashMap::default(),
            labels: FxHashSet::default(),
            all_labels_of: label_scopes(self),
            open: Vec::new(),
        };
        let shared = shared_names(self.labels.keys(), |label| self.label_name(label));
        let twins = |labels: &Vec<Label>| {
            labels.iter().copied().filter(|label| shared.contains(self.label_name(*label))).collect()
        };
        walk.labels_of = walk.all_labels_of.values().map(twins).collect();
        let mut scopes = walk.all_labels_of.keys();
        scopes.next().map_or(Ok(()), |body| walk.open(body))?;
        walk.declare_registers(HOME_TOP)?;
        walk.declare_variables(&self.edits.variables)?;
        walk.statements(scopes)
    }
}

impl<'a> Walk<'a> {
    /// Walks over the statements, which open these scopes.
    fn statements(&mut self, mut scopes: impl Iterator<Item = ScopeId>) -> Result<(), String> {
        for stmt in &self.kernel.stmts {
            match &stmt.kind {
                StmtKind::Open => scopes.next().map_or(Ok(()), |scope| self.open(scope))?,
                StmtKind::Close => self.close(),
                StmtKind::Registers => self.declare_registers(stmt.origin.home())?,
                StmtKind::Variables(symbols) => self.declare_variables(symbols)?,
                StmtKind::BranchTargets(symbol, labels) => {
                    self.declare_table(*symbol)?;
                    labels.iter().try_for_each(|&label| self.label(label))?;
                }
                StmtKind::Inst(inst) => {
                    let at = |what: String| format!("{what}: `{}`", self.kernel.inst_text(*inst));
                    self.inst(*inst).map_err(at)?;
                }
                StmtKind::Label(_) | StmtKind::Loc(_) | StmtKind::Marker(_) | StmtKind::Directive => {}
            }
        }
        Ok(())
    }

    fn open(&mut self, id: ScopeId) -> Result<(), String> {
        self.open.push(Scope { id, homes: Vec::new(), symbols: Vec::new(), tables: Vec::new() });
        self.labels.extend(&self.all_labels_of[id]);
        let mut own = FxHashSet::default();
        for &label in &self.labels_of[id] {
            let name = self.kernel.label_name(label);
            if !own.insert(name) {
                return Err(twice(name));
            }
            self.label_twins.entry(name).or_default().push(label);
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(scope) = self.open.pop() else { return };
        for label in &self.all_labels_of[scope.id] {
            self.labels.remove(label);
        }
        for &label in &self.labels_of[scope.id] {
            pop(&mut self.label_twins, self.kernel.label_name(label));
        }
        for home in scope.homes {
            self.homes.remove(&home);
            let Some(hiding) = self.hiding.get(&home) else { continue };
            hiding.names.iter().for_each(|name| pop(&mut self.twins, name));
            let prefixes = hiding.families.iter().map(|family| self.kernel.resolve(&family.prefix));
            prefixes.for_each(|prefix| pop(&mut self.families, prefix));
            let prefixes = hiding.all_families.iter().map(|family| self.kernel.resolve(&family.prefix));
            prefixes.for_each(|prefix| pop(&mut self.declared, prefix));
        }
        for symbol in scope.symbols {
            pop(&mut self.variables, self.kernel.symbol_name(symbol));
        }
        for symbol in scope.tables {
            self.tables.entry(self.kernel.symbol_name(symbol)).and_modify(|meanings| _ = meanings.pop());
        }
    }

    fn declare_registers(&mut self, home: u64) -> Result<(), String> {
        if !self.homes.insert(home) {
            return Ok(());
        }
        let Some(Scope { homes: scope, .. }) = self.open.last_mut() else {
            return Err("a scope is closed that was not opened".to_owned());
        };
        if let Some(hiding) = self.hiding.get(&home) {
            for name in &hiding.single {
                let is_member = |(prefix, number): (&str, u64)| {
                    let last = self.declared.get(prefix).and_then(|families| families.last());
                    last.is_some_and(|family| number < family.count && scope.contains(&family.home))
                };
                if splits(name).any(is_member) {
                    return Err(twice(name));
                }
            }
            for &family in &hiding.all_families {
                self.declared.entry(self.kernel.resolve(&family.prefix)).or_default().push(family);
            }
            for &name in &hiding.names {
                let twins = self.twins.entry(name).or_default();
                if twins.last().is_some_and(|twin| scope.contains(twin)) {
                    return Err(twice(name));
                }
                twins.push(home);
            }
            for &family in &hiding.families {
                let prefix = self.kernel.resolve(&family.prefix);
                let families = self.families.entry(prefix).or_default();
                if families.last().is_some_and(|twin| scope.contains(&twin.home)) {
                    return Err(twice(&format!("{prefix}<…>")));
                }
                families.push(family);
            }
        }
        scope.push(home);
        Ok(())
    }

    fn declare_variables(&mut self, symbols: &[Symbol]) -> Result<(), String> {
        let depth = self.open.len();
        for &symbol in symbols {
            let name = self.kernel.symbol_name(symbol);
            let variables = self.variables.entry(name).or_default();
            if let Some(scope) = self.open.last_mut() {
                if variables.last().is_some_and(|twin| scope.symbols.contains(twin)) {
                    return Err(twice(name));
                }
                scope.symbols.push(symbol);
                if let Some(meanings) = self.tables.get_mut(name) {
                    scope.tables.push(symbol);
                    meanings.push((symbol, depth));
                }
            }
            variables.push(symbol);
        }
        Ok(())
    }

    /// A list belongs to its scope, or, if it was mentioned before, to the whole body.
    fn declare_table(&mut self, symbol: Symbol) -> Result<(), String> {
        let name = self.kernel.symbol_name(symbol);
        let (meanings, depth) = (self.tables.entry(name).or_default(), self.open.len());
        self.past_tables.insert(symbol);
        match meanings.last() {
            // It was mentioned before.
            Some((meaning, 0)) if *meaning == symbol => return Ok(()),
            Some((_, 0)) => return Err(format!("`{name}` is mentioned before the list of this name")),
            Some((_, other)) if *other == depth => return Err(twice(name)),
            _ => meanings.push((symbol, depth)),
        }
        if let Some(scope) = self.open.last_mut() {
            scope.tables.push(symbol);
        }
        Ok(())
    }

    fn inst(&mut self, inst: crate::Inst) -> Result<(), String> {
        let mut outcome = Ok(());
        let kernel = self.kernel;
        kernel.visit(inst, |reg, _| {
            if outcome.is_ok() {
                outcome = self.reg(reg);
            }
        });
        kernel.visit_operands(inst, |operand| {
            if outcome.is_ok() {
                outcome = match *operand {
                    Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) => self.symbol(symbol),
                    Operand::Label(label) if self.is_register(kernel.label_name(label)) => {
                        Err(format!("label `{}` is hidden by a register", kernel.label_name(label)))
                    }
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
        let (home, name) = (self.kernel.regs[reg].home, self.kernel.reg_name(reg));
        if !self.homes.contains(&home) {
            return Err(format!("register `{name}` is used outside of the scope that declares it"));
        }
        let twin = self.twins.get(name).and_then(|homes| homes.last()).is_some_and(|&innermost| innermost != home);
        if twin || self.in_inner_family(name, home) {
            return Err(format!("register `{name}` is hidden by another one of its name"));
        }
        Ok(())
    }

    /// Returns true if a family deeper than the declaration of a register has a member of its name.
    fn in_inner_family(&self, name: &str, home: u64) -> bool {
        if self.families.is_empty() {
            return false;
        }
        splits(name).any(|(prefix, number)| {
            let families = self.families.get(prefix).into_iter().flatten().rev();
            let inner = families.take_while(|family| family.home != home);
            let mut hiding = inner.filter(|family| number < family.count);
            hiding.any(|family| self.is_deeper(family.home, home))
        })
    }

    /// Returns true if a declaration in scope belongs to a deeper scope than another one.
    fn is_deeper(&self, inner: u64, outer: u64) -> bool {
        let scopes = self.open.iter().rev();
        let nearest = scopes.map(|scope| &scope.homes).find(|homes| homes.contains(&inner) || homes.contains(&outer));
        nearest.is_some_and(|homes| !homes.contains(&outer))
    }

    /// Returns true if a register that is in scope has a name.
    fn is_register(&self, name: &str) -> bool {
        if self.clashing.get(name).is_some_and(|homes| homes.iter().any(|home| self.homes.contains(home))) {
            return true;
        }
        !self.bare_families.is_empty()
            && splits(name).any(|(prefix, number)| {
                let mut families = self.bare_families.get(prefix).into_iter().flatten();
                families.any(|family| number < family.count && self.homes.contains(&family.home))
            })
    }

    fn symbol(&mut self, symbol: Symbol) -> Result<(), String> {
        let name = self.kernel.symbol_name(symbol);
        if self.is_register(name) {
            return Err(format!("`{name}` is hidden by a register"));
        }
        if let Some(meanings) = self.tables.get_mut(name) {
            match meanings.last() {
                None if !self.past_tables.contains(&symbol) => meanings.push((symbol, 0)),
                Some((meaning, _)) if *meaning == symbol => {}
                _ => return Err(format!("the list `{name}` is used outside of its scope, or hidden")),
            }
        }
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
        if !self.labels.contains(&label) {
            return Err(format!("label `{name}` cannot be reached from here"));
        }
        if self.label_twins.get(name).and_then(|list| list.last()).is_some_and(|innermost| *innermost != label) {
            return Err(format!("label `{name}` is hidden by another one of its name"));
        }
        Ok(())
    }
}

fn pop<T>(live: &mut Live<'_, T>, name: &str) {
    if let Some(list) = live.get_mut(name) {
        list.pop();
        if list.is_empty() {
            live.remove(name);
        }
    }
}
