//! Which register, label or symbol a name stands for.
//!
//! Registers and labels belong to the innermost `{ }` scope that declares them. A register must be declared before it
//! is used; a label may be used before, so that branches wait until their scope closes.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::lexical::{Fail, broken};
use crate::entities::{Inst, Label, Opcode, Reg, Symbol};
use crate::kernel::{Kernel, LabelData, Name, RegData, Span};
use crate::opcode::OpcodeData;
use crate::operand::Operand;
use crate::types::Type;

/// A declaration `%r<28>`: 28 registers `%r0` to `%r27`, each made when it is first mentioned.
struct Family<'a> {
    prefix: &'a str,
    count: u64,
    ty: Type,
    lanes: u8,
}

#[derive(Default)]
struct Scope<'a> {
    regs: FxHashMap<&'a str, Reg>,
    families: Vec<Family<'a>>,
    labels: FxHashMap<&'a str, Label>,
    variables: FxHashMap<&'a str, Symbol>,
    waiting: Vec<Waiting<'a>>,
}

/// A mention of a label whose scope is still open.
struct Waiting<'a> {
    name: &'a str,
    /// The text from the mention on, for messages.
    at: &'a str,
    user: User,
}

enum User {
    Operand(Inst, usize),
    Table(usize, usize),
}

/// The names of a kernel, copied out of it so that they can be looked up while it is being extended.
pub(crate) struct Known {
    regs: Vec<(Box<str>, Reg)>,
    labels: Vec<(Box<str>, Label)>,
    symbols: Vec<(Box<str>, Symbol)>,
    opcodes: Vec<(Box<str>, Opcode)>,
}

impl Known {
    pub(crate) fn of(kernel: &Kernel) -> Known {
        Known {
            regs: kernel.regs.keys().map(|reg| (kernel.reg_name(reg).into(), reg)).collect(),
            labels: kernel.labels.keys().map(|label| (kernel.label_name(label).into(), label)).collect(),
            symbols: kernel.symbols.keys().map(|symbol| (kernel.symbol_name(symbol).into(), symbol)).collect(),
            opcodes: kernel.opcodes.iter().map(|(opcode, data)| (data.text().into(), opcode)).collect(),
        }
    }
}

/// The kernel that is being read, with the names that are in scope.
pub(crate) struct Names<'a> {
    pub(crate) kernel: Kernel,
    /// The text that spans refer to; `None` where names are to be kept as text of their own (fragments).
    base: Option<&'a str>,
    /// The position that the last `.loc` gave, counted from 1; 0 before the first.
    pub(crate) loc: u32,
    scopes: Vec<Scope<'a>>,
    symbols: FxHashMap<&'a str, Symbol>,
    opcodes: FxHashMap<&'a str, Opcode>,
    /// Label lists of `.branchtargets`, as statement index and labels, filled in when their scope closes.
    pub(crate) tables: Vec<(usize, Vec<Option<Label>>)>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(kernel: Kernel, base: Option<&'a str>) -> Names<'a> {
        Names {
            kernel,
            base,
            loc: 0,
            scopes: vec![Scope::default()],
            symbols: FxHashMap::default(),
            opcodes: FxHashMap::default(),
            tables: Vec::new(),
        }
    }

    /// Goes on with an existing kernel, for reading a fragment. A register name that several scopes declare is left out,
    /// since it would be ambiguous.
    pub(crate) fn resume(kernel: Kernel, known: &'a Known) -> Names<'a> {
        let mut names = Names::new(kernel, None);
        let scope = &mut names.scopes[0];
        let mut ambiguous = Vec::new();
        for (name, reg) in &known.regs {
            if scope.regs.insert(name, *reg).is_some() {
                ambiguous.push(name);
            }
        }
        for name in ambiguous {
            scope.regs.remove(&**name);
        }
        scope.labels.extend(known.labels.iter().map(|(name, label)| (&**name, *label)));
        names.symbols.extend(known.symbols.iter().map(|(name, symbol)| (&**name, *symbol)));
        names.opcodes.extend(known.opcodes.iter().map(|(name, opcode)| (&**name, *opcode)));
        names
    }

    pub(crate) fn span(&self, text: &'a str) -> Span {
        match self.base {
            Some(base) => {
                let start = text.as_ptr() as usize - base.as_ptr() as usize;
                // The module parser refuses texts whose offsets do not fit.
                Span { start: start as u32, end: (start + text.len()) as u32 }
            }
            None => Span::default(),
        }
    }

    fn name(&self, text: &'a str) -> Name {
        if self.base.is_some() { Name::Source(self.span(text)) } else { Name::Made(text.into()) }
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(crate) fn depth(&self) -> usize {
        self.scopes.len()
    }

    pub(crate) fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes the innermost scope: branches to its labels find them, the others wait on in the scope around it.
    pub(crate) fn close(&mut self) -> Result<(), nom::Err<Fail>> {
        let Some(scope) = self.scopes.pop() else { return Ok(()) };
        for waiting in scope.waiting {
            match scope.labels.get(waiting.name) {
                Some(&label) => match waiting.user {
                    User::Operand(inst, index) => self.kernel.insts[inst].operands[index] = Operand::Label(label),
                    User::Table(table, index) => self.tables[table].1[index] = Some(label),
                },
                None => match self.scopes.last_mut() {
                    Some(parent) => parent.waiting.push(waiting),
                    None => {
                        let message = format!("no label `{}` is defined here", waiting.name);
                        return Err(broken(
                            waiting.at,
                            message,
                            Some("a branch reaches labels of its own function only"),
                        ));
                    }
                },
            }
        }
        Ok(())
    }

    pub(crate) fn declare_reg(&mut self, name: &'a str, ty: Type, lanes: u8) -> Result<(), nom::Err<Fail>> {
        let data = RegData { name: self.name(name), ty, lanes };
        let reg = self.kernel.regs.push(data);
        match self.scope().regs.insert(name, reg) {
            None => Ok(()),
            Some(_) => Err(broken(name, format!("register `{name}` is declared twice"), None)),
        }
    }

    pub(crate) fn declare_family(&mut self, prefix: &'a str, count: u64, ty: Type, lanes: u8) {
        self.scope().families.push(Family { prefix, count, ty, lanes });
    }

    /// The register of a name, innermost scope first.
    pub(crate) fn reg(&mut self, name: &'a str) -> Option<Reg> {
        for index in (0..self.scopes.len()).rev() {
            if let Some(&reg) = self.scopes[index].regs.get(name) {
                return Some(reg);
            }
            if self.scopes[index].families.is_empty() {
                continue;
            }
            let Some((ty, lanes)) = self.scopes[index].families.iter().find_map(|family| family.member(name)) else {
                continue;
            };
            let data = RegData { name: self.name(name), ty, lanes };
            let reg = self.kernel.regs.push(data);
            self.scopes[index].regs.insert(name, reg);
            return Some(reg);
        }
        None
    }

    /// A variable that the innermost scope declares; it hides one of the same name outside.
    pub(crate) fn declare_variable(&mut self, name: &'a str) -> Result<Symbol, nom::Err<Fail>> {
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        match self.scope().variables.insert(name, symbol) {
            None => Ok(symbol),
            Some(_) => Err(broken(name, format!("variable `{name}` is declared twice"), None)),
        }
    }

    /// The variable of a name, innermost scope first, or else a name of the module.
    pub(crate) fn symbol(&mut self, name: &'a str) -> Symbol {
        if let Some(&symbol) = self.scopes.iter().rev().find_map(|scope| scope.variables.get(name)) {
            return symbol;
        }
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let text = self.name(name);
        let symbol = self.kernel.symbols.push(text);
        self.symbols.insert(name, symbol);
        symbol
    }

    pub(crate) fn opcode(&mut self, text: &'a str) -> Opcode {
        if let Some(&opcode) = self.opcodes.get(text) {
            return opcode;
        }
        let opcode = self.kernel.opcodes.push(OpcodeData::new(text));
        self.opcodes.insert(text, opcode);
        opcode
    }

    pub(crate) fn define_label(&mut self, name: &'a str) -> Result<Label, nom::Err<Fail>> {
        if self.scope().labels.contains_key(name) {
            if self.base.is_none() {
                // A fragment defines a label that was made for it.
                return Ok(self.scope().labels[name]);
            }
            return Err(broken(name, format!("label `{name}` is defined twice"), Some("rename one of the two")));
        }
        let data = LabelData { name: self.name(name) };
        let label = self.kernel.labels.push(data);
        self.scope().labels.insert(name, label);
        Ok(label)
    }

    pub(crate) fn await_label(&mut self, name: &'a str, inst: Inst, index: usize) {
        self.scope().waiting.push(Waiting { name, at: name, user: User::Operand(inst, index) });
    }

    /// A `.branchtargets` list that stands at statement `stmt`.
    pub(crate) fn await_table(&mut self, stmt: usize, labels: SmallVec<[&'a str; 4]>) {
        let table = self.tables.len();
        self.tables.push((stmt, vec![None; labels.len()]));
        for (index, name) in labels.into_iter().enumerate() {
            self.scope().waiting.push(Waiting { name, at: name, user: User::Table(table, index) });
        }
    }
}

impl Family<'_> {
    /// Whether a name is one of the family's, and then its type and number of components.
    fn member(&self, name: &str) -> Option<(Type, u8)> {
        let digits = name.strip_prefix(self.prefix)?;
        let canonical = digits == "0" || !digits.starts_with('0');
        let number: u64 = digits.parse().ok().filter(|_| canonical && !digits.starts_with('+'))?;
        (number < self.count).then_some((self.ty, self.lanes))
    }
}
