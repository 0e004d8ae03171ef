//! Which register, label or symbol a name stands for.
//!
//! Registers, variables and labels belong to the innermost `{ }` scope that declares them. A register must be declared
//! before it is used; a label may be used before, so that branches wait until their scope closes.
//!
//! One map holds what each name means where the reader stands; a scope remembers the meanings that its own declarations
//! hid and puts them back when it closes. Looking a name up then costs the same at any depth.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::labels::{Labels, Table};
use super::lexical::{Fail, broken};
use crate::entities::{Opcode, Reg, Symbol};
use crate::index::{NameIndex, splits};
use crate::kernel::{HOME_TOP, Kernel, Name, RegData, RegFamily, Span};
use crate::opcode::OpcodeData;
use crate::types::Type;

/// How deep scopes may be nested. `ptxas` 13 gives up below 3,000.
const MAX_DEPTH: usize = 4096;

/// The result of a step that reads no text itself.
pub(super) type Done<T> = Result<T, nom::Err<Fail>>;

/// What a name means, and how deep the scope is that says so.
#[derive(Clone, Copy)]
struct Meaning<T> {
    depth: usize,
    id: T,
}

/// A declaration `%r<28>`: 28 registers `%r0` to `%r27`, each made when it is first mentioned.
#[derive(Clone, Copy)]
struct Family {
    depth: usize,
    count: u64,
    ty: Type,
    lanes: u8,
    home: u64,
}

#[derive(Default)]
struct Scope<'a> {
    /// Names of registers that this scope declares, with what they meant outside.
    regs: Vec<(&'a str, Option<Meaning<Reg>>)>,
    /// The same for variables.
    symbols: Vec<(&'a str, Option<Meaning<Symbol>>)>,
    /// Prefixes of the families that this scope declares.
    families: Vec<&'a str>,
    /// How deep the innermost family was before those.
    family_outside: usize,
    labels: Labels<'a>,
}

/// The kernel that is being read, with the names that are in scope.
pub(crate) struct Names<'a> {
    pub(crate) kernel: Kernel,
    /// How many `.loc` positions have been read: the last one holds for the instructions that follow.
    pub(crate) loc: u32,
    /// Which statement is being read, as registers remember it.
    pub(crate) home: u64,
    pub(crate) tables: Vec<Table>,
    /// The text that spans refer to; `None` where names are to be kept as text of their own (fragments).
    base: Option<&'a str>,
    /// The names of the kernel that a fragment extends.
    pub(super) outer: Option<&'a NameIndex>,
    scopes: Vec<Scope<'a>>,
    /// What names mean here.
    regs: FxHashMap<&'a str, Meaning<Reg>>,
    symbols: FxHashMap<&'a str, Meaning<Symbol>>,
    /// The families of a prefix that are in scope, innermost last.
    families: FxHashMap<&'a str, Vec<Family>>,
    /// How deep the innermost family is.
    deepest_family: usize,
    /// Whether registers without `%` in front were declared; else names without it need not be looked up.
    bare_regs: bool,
    opcodes: FxHashMap<&'a str, Opcode>,
    /// The opcodes of the kernels before this one.
    cache: Opcodes<'a>,
}

/// The opcodes of a text, each looked up in the table once.
pub(crate) type Opcodes<'a> = FxHashMap<&'a str, Arc<OpcodeData>>;

impl<'a> Names<'a> {
    /// Reads the kernel whose header was read from `base`.
    pub(crate) fn new(kernel: Kernel, base: &'a str, cache: Opcodes<'a>) -> Names<'a> {
        Names { cache, ..Names::start(kernel, Some(base), None) }
    }

    /// Goes on with an existing kernel, for reading a fragment.
    pub(crate) fn resume(kernel: Kernel, outer: &'a NameIndex) -> Names<'a> {
        Names::start(kernel, None, Some(outer))
    }

    fn start(kernel: Kernel, base: Option<&'a str>, outer: Option<&'a NameIndex>) -> Names<'a> {
        Names {
            kernel,
            loc: 0,
            home: HOME_TOP,
            tables: Vec::new(),
            base,
            outer,
            scopes: vec![Scope::default()],
            regs: FxHashMap::default(),
            symbols: FxHashMap::default(),
            families: FxHashMap::default(),
            deepest_family: 0,
            bare_regs: outer.is_some(),
            opcodes: FxHashMap::default(),
            cache: FxHashMap::default(),
        }
    }

    pub(crate) fn finish(self) -> (Kernel, Opcodes<'a>) {
        (self.kernel, self.cache)
    }

    pub(crate) fn is_fragment(&self) -> bool {
        self.outer.is_some()
    }

    /// Where a piece of the text stands in it; nothing for a fragment.
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

    pub(super) fn name(&self, text: &'a str) -> Name {
        if self.base.is_some() { Name::Source(self.span(text)) } else { Name::Made(text.into()) }
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    /// The labels of the innermost scope.
    pub(super) fn labels(&mut self) -> Option<&mut Labels<'a>> {
        self.scopes.last_mut().map(|scope| &mut scope.labels)
    }

    /// How many scopes are open; the body of the kernel is the first.
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub(crate) fn open(&mut self, at: &'a str) -> Done<()> {
        if self.scopes.len() >= MAX_DEPTH {
            let message = format!("scopes are nested more than {MAX_DEPTH} deep");
            return Err(broken(at, message, Some("`ptxas` refuses such a text as well")));
        }
        self.scopes.push(Scope::default());
        Ok(())
    }

    /// Closes the innermost scope: branches to its labels find them, the others wait on in the scope around it.
    pub(crate) fn close(&mut self) -> Done<()> {
        let Some(mut scope) = self.scopes.pop() else { return Ok(()) };
        self.close_labels(std::mem::take(&mut scope.labels))?;
        restore(&mut self.regs, scope.regs);
        restore(&mut self.symbols, scope.symbols);
        for prefix in &scope.families {
            if let Some(families) = self.families.get_mut(prefix) {
                families.pop();
            }
        }
        if !scope.families.is_empty() {
            self.deepest_family = scope.family_outside;
        }
        Ok(())
    }

    fn bind_reg(&mut self, name: &'a str, depth: usize, data: RegData) -> Reg {
        let reg = self.kernel.regs.push(data);
        let before = self.regs.insert(name, Meaning { depth, id: reg });
        if depth > 1 {
            self.scopes[depth - 1].regs.push((name, before));
        }
        reg
    }

    pub(crate) fn declare_reg(&mut self, name: &'a str, ty: Type, lanes: u8) -> Done<()> {
        let depth = self.depth();
        let in_family = self.family(name, depth - 1).is_some();
        let in_outer = depth == 1 && self.outer.is_some_and(|o| o.reg(name).is_some() || o.family_of(name).is_some());
        if in_family || in_outer || self.regs.get(name).is_some_and(|meaning| meaning.depth == depth) {
            return Err(broken(name, format!("register `{name}` is declared twice"), Some("rename one of the two")));
        }
        self.bare_regs |= !name.starts_with('%');
        let data = RegData { name: self.name(name), ty, lanes, home: self.home };
        self.bind_reg(name, depth, data);
        Ok(())
    }

    pub(crate) fn declare_family(&mut self, prefix: &'a str, count: u64, ty: Type, lanes: u8) -> Done<()> {
        let (depth, home) = (self.depth(), self.home);
        let twice = self.families.get(prefix).and_then(|list| list.last()).is_some_and(|last| last.depth == depth);
        if twice || (depth == 1 && self.outer.is_some_and(|outer| outer.has_family(prefix))) {
            let message = format!("registers `{prefix}<…>` are declared twice");
            return Err(broken(prefix, message, Some("declare them once, with the larger count")));
        }
        self.bare_regs |= !prefix.starts_with('%');
        if self.deepest_family < depth {
            self.scope().family_outside = self.deepest_family;
            self.deepest_family = depth;
        }
        self.families.entry(prefix).or_default().push(Family { depth, count, ty, lanes, home });
        self.scope().families.push(prefix);
        let prefix = self.name(prefix);
        self.kernel.families.push(RegFamily { prefix, count, ty, lanes, home, outermost: depth == 1 });
        Ok(())
    }

    /// The innermost family, deeper than `floor`, to which a name belongs.
    fn family(&self, name: &str, floor: usize) -> Option<Family> {
        let mut found: Option<Family> = None;
        for (prefix, number) in splits(name) {
            let floor = found.map_or(floor, |family| family.depth);
            let inner = self.families.get(prefix).into_iter().flatten().rev().take_while(|family| family.depth > floor);
            found = inner.into_iter().find(|family| number < family.count).copied().or(found);
        }
        found
    }

    /// The register of a name, innermost scope first.
    pub(crate) fn reg(&mut self, name: &'a str) -> Option<Reg> {
        if !self.bare_regs && !name.starts_with('%') {
            return None;
        }
        let meaning = self.regs.get(name).copied();
        let depth = meaning.map_or(0, |meaning| meaning.depth);
        if depth < self.deepest_family
            && let Some(family) = self.family(name, depth)
        {
            let data = RegData { name: self.name(name), ty: family.ty, lanes: family.lanes, home: family.home };
            return Some(self.bind_reg(name, family.depth, data));
        }
        meaning.map(|meaning| meaning.id).or_else(|| self.outer_reg(name))
    }

    /// A register of the kernel that a fragment extends.
    fn outer_reg(&mut self, name: &'a str) -> Option<Reg> {
        let outer = self.outer?;
        match outer.reg(name) {
            Some(reg) => reg,
            None => {
                let family = outer.family_of(name)?;
                let data = RegData { name: self.name(name), ty: family.ty, lanes: family.lanes, home: family.home };
                Some(self.bind_reg(name, 1, data))
            }
        }
    }

    /// The failure that a name stands for no register.
    pub(crate) fn undeclared(&self, name: &str) -> nom::Err<Fail> {
        if self.outer.is_some_and(|outer| outer.reg(name) == Some(None)) {
            return several(name, "register");
        }
        broken(
            name,
            format!("register `{name}` is not declared"),
            Some("declare it with `.reg` in this scope or one around it"),
        )
    }

    /// A variable that the innermost scope declares; it hides one of the same name outside.
    pub(crate) fn declare_variable(&mut self, name: &'a str) -> Done<Symbol> {
        let depth = self.depth();
        if self.symbols.get(name).is_some_and(|meaning| meaning.depth == depth) {
            return Err(broken(name, format!("`{name}` is declared twice"), Some("rename one of the two")));
        }
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        let before = self.symbols.insert(name, Meaning { depth, id: symbol });
        self.scope().symbols.push((name, before));
        Ok(symbol)
    }

    /// The name of a `.branchtargets` list. One that was mentioned before is that of the mention.
    pub(crate) fn declare_table(&mut self, name: &'a str) -> Done<Symbol> {
        match self.symbols.get(name) {
            Some(meaning) if meaning.depth == 0 => Ok(meaning.id),
            _ => self.declare_variable(name),
        }
    }

    /// The variable of a name, innermost scope first, or else a name of the module.
    pub(crate) fn symbol(&mut self, name: &'a str) -> Done<Symbol> {
        if let Some(meaning) = self.symbols.get(name) {
            return Ok(meaning.id);
        }
        match self.outer.and_then(|outer| outer.symbol(name)) {
            Some(Some(symbol)) => return Ok(symbol),
            Some(None) => return Err(several(name, "variable")),
            None => {}
        }
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        // Names of the module are outside of all scopes.
        self.symbols.insert(name, Meaning { depth: 0, id: symbol });
        Ok(symbol)
    }

    pub(crate) fn opcode(&mut self, text: &'a str) -> Opcode {
        if let Some(&opcode) = self.opcodes.get(text) {
            return opcode;
        }
        let known = self.outer.and_then(|outer| outer.opcode(text));
        let opcode = known.unwrap_or_else(|| {
            let data = self.cache.entry(text).or_insert_with(|| Arc::new(OpcodeData::new(text)));
            self.kernel.opcodes.push(Arc::clone(data))
        });
        self.opcodes.insert(text, opcode);
        opcode
    }
}

pub(super) fn several(name: &str, what: &str) -> nom::Err<Fail> {
    broken(name, format!("several scopes have a {what} `{name}`"), Some("the name alone does not say which is meant"))
}

/// Puts back what names meant before a scope.
fn restore<'a, T>(now: &mut FxHashMap<&'a str, Meaning<T>>, before: Vec<(&'a str, Option<Meaning<T>>)>) {
    for (name, meaning) in before.into_iter().rev() {
        match meaning {
            Some(meaning) => now.insert(name, meaning),
            None => now.remove(name),
        };
    }
}
