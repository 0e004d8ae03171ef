//! The names that the declarations of a kernel may hide, gathered before the walk of `verify_scopes`. Only names that several declarations
//! share have to be looked at there.

use cranelift_entity::{PrimaryMap, entity_impl};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::entities::Label;
use crate::index::splits;
use crate::kernel::Kernel;
use crate::stmt::StmtKind;
use crate::tables::RegFamily;

/// The names and families that a declaration of registers may hide.
#[derive(Default)]
pub(crate) struct Hiding<'a> {
    pub(crate) names: Vec<&'a str>,
    pub(crate) families: Vec<&'a RegFamily>,
    /// The families of all scopes, the outermost included.
    pub(crate) all_families: Vec<&'a RegFamily>,
    /// Registers that are declared by themselves although some family has a member of their name.
    pub(crate) single: Vec<&'a str>,
}

/// The names that more than one id has.
pub(crate) fn shared_names<'a, T>(ids: impl Iterator<Item = T>, name: impl Fn(T) -> &'a str) -> FxHashSet<&'a str> {
    let mut seen = FxHashSet::default();
    ids.map(name).filter(|name| !seen.insert(*name)).collect()
}

/// The declarations of registers whose names symbols or labels have as well.
pub(crate) fn clashing(kernel: &Kernel) -> FxHashMap<&str, Vec<u64>> {
    let mut bare: FxHashMap<&str, Vec<u64>> = FxHashMap::default();
    for reg in kernel.regs.keys().filter(|&reg| Some(reg) != kernel.carry && !kernel.reg_name(reg).starts_with('%')) {
        bare.entry(kernel.reg_name(reg)).or_default().push(kernel.regs[reg].home);
    }
    if !bare.is_empty() {
        let symbols = kernel.symbols.keys().map(|symbol| kernel.symbol_name(symbol));
        let others: FxHashSet<&str> =
            symbols.chain(kernel.labels.keys().map(|label| kernel.label_name(label))).collect();
        bare.retain(|name, _| others.contains(name));
    }
    bare
}

pub(crate) fn bare_families(kernel: &Kernel) -> FxHashMap<&str, Vec<&RegFamily>> {
    let mut bare: FxHashMap<&str, Vec<&RegFamily>> = FxHashMap::default();
    for family in &kernel.families {
        let prefix = kernel.resolve(&family.prefix);
        if !prefix.starts_with('%') {
            bare.entry(prefix).or_default().push(family);
        }
    }
    bare
}

/// Returns what each declaration of registers may hide.
pub(crate) fn hiding(kernel: &Kernel) -> FxHashMap<u64, Hiding<'_>> {
    let named = || kernel.regs.keys().filter(|&reg| Some(reg) != kernel.carry);
    let shared = shared_names(named(), |reg| kernel.reg_name(reg));
    let mut hiding: FxHashMap<u64, Hiding<'_>> = FxHashMap::default();
    for reg in named().filter(|reg| shared.contains(kernel.reg_name(*reg))) {
        hiding.entry(kernel.regs[reg].home).or_default().names.push(kernel.reg_name(reg));
    }
    // The largest count of each prefix, and the count of the prefix in each declaration.
    let mut largest: FxHashMap<&str, u64> = FxHashMap::default();
    let mut own: FxHashMap<(u64, &str), u64> = FxHashMap::default();
    for family in &kernel.families {
        let prefix = kernel.resolve(&family.prefix);
        let entry = hiding.entry(family.home).or_default();
        entry.all_families.push(family);
        if !family.outermost {
            entry.families.push(family);
        }
        let count = largest.entry(prefix).or_default();
        *count = family.count.max(*count);
        own.insert((family.home, prefix), family.count);
    }
    for reg in named() {
        let (name, home) = (kernel.reg_name(reg), kernel.regs[reg].home);
        let below = |count: Option<&u64>, number| count.is_some_and(|&count| number < count);
        let covered = splits(name).any(|(prefix, number)| below(largest.get(prefix), number));
        if covered && !splits(name).any(|(prefix, number)| below(own.get(&(home, prefix)), number)) {
            hiding.entry(home).or_default().single.push(name);
        }
    }
    hiding
}

/// A scope. They open in the order of the ids; the body is the first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct ScopeId(u32);
entity_impl!(ScopeId, "scope");

/// The labels of each scope.
pub(crate) fn label_scopes(kernel: &Kernel) -> PrimaryMap<ScopeId, Vec<Label>> {
    let mut scopes = PrimaryMap::new();
    let body = scopes.push(Vec::new());
    let mut open = vec![body];
    for stmt in &kernel.stmts {
        match stmt.kind {
            StmtKind::Open => open.push(scopes.push(Vec::new())),
            StmtKind::Close => {
                open.pop();
            }
            StmtKind::Label(label) => {
                scopes[open.last().copied().unwrap_or(body)].push(label);
            }
            _ => {}
        }
    }
    scopes
}
