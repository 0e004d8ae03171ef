//! The calls that can be replaced by the body of their callee, and the reasons why others cannot.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use petgraph::algo::kosaraju_scc;
use petgraph::graphmap::DiGraphMap;
use ptx_parser::{
    Base, CallParts, Flow, Inst, Kernel, KernelKind, Memory, Module, Offset, Operand, Parameter, Reg, Space, StmtKind,
    Symbol,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::call_targets::taken;
use crate::detect::module_context::is_closed;

/// The functions of a module and what is known of them.
pub(super) struct Calls<'m> {
    module: &'m Module,
    library: &'m Module,
    /// The functions whose calls stay whatever they are, and why.
    kept: &'m Kept,
    /// For each function, the reason why it cannot be inlined; `None` if it can.
    refusals: RefCell<FxHashMap<String, Option<String>>>,
    /// The functions from which calls lead back to them.
    recursive: OnceCell<FxHashSet<&'m str>>,
    /// For each function, the number of statements of its body with the bodies of its callees in the places of the calls.
    lengths: RefCell<FxHashMap<&'m str, u64>>,
    /// The symbols of each body, by the address of the body.
    symbols: RefCell<FxHashMap<*const Kernel, Rc<Symbols>>>,
    /// The functions that a call by address may lead to, if all are known.
    addressed: Vec<&'m Kernel>,
}

/// Functions whose calls stay, and why.
pub(super) type Kept = FxHashMap<String, String>;

/// The most functions that a call by address is replaced by the bodies of.
const MOST_FUNCTIONS: usize = 32;

/// The functions whose bodies are put in the place of a call.
pub(super) enum Callees<'m> {
    /// The one that it names.
    Named(&'m Kernel),
    /// Those that the address in a register may lead to.
    At(Reg, Vec<&'m Kernel>),
}

impl<'m> Callees<'m> {
    fn all(&self) -> &[&'m Kernel] {
        match self {
            Callees::Named(callee) => std::slice::from_ref(callee),
            Callees::At(_, callees) => callees,
        }
    }
}

/// The symbols of a body, by the ways in which they are used.
#[derive(Default)]
struct Symbols {
    /// Those that are used for something else than to be loaded, stored, and passed to functions that can be inlined.
    used: FxHashSet<Symbol>,
    /// Those that are an argument or a result of a call.
    passed: FxHashMap<Symbol, Vec<Inst>>,
}

impl<'m> Calls<'m> {
    pub(super) fn of(module: &'m Module, library: &'m Module, kept: &'m Kept) -> Calls<'m> {
        let (refusals, recursive, lengths, symbols, addressed) = Default::default();
        Calls { module, library, kept, refusals, recursive, lengths, symbols, addressed }
    }

    /// The same, where calls by address in a kernel are replaced as well if all functions that they may lead to are known, and declared before the kernel
    /// that then names them.
    pub(super) fn by_address(self, kernel: &Kernel) -> Calls<'m> {
        if !is_closed(self.module) {
            return self;
        }
        let kernels = self.module.kernels();
        let own = kernels.iter().position(|other| other.name() == kernel.name()).unwrap_or(0);
        let is_declared = |name: &str| kernels.iter().take(own).any(|other| other.name() == name);
        let names = taken(self.module);
        let addressed: Option<Vec<&'m Kernel>> =
            names.into_iter().map(|name| self.function(name).filter(|_| is_declared(name))).collect();
        Calls { addressed: addressed.unwrap_or_default(), ..self }
    }

    /// Returns how many statements are written in the place of the calls of a kernel, told before any is.
    pub(super) fn length(&self, kernel: &Kernel) -> u64 {
        // Functions that call each other in a chain are as many as there are in the module: no recursion.
        let mut work: Vec<Option<&'m Kernel>> = vec![None];
        while let Some(&next) = work.last() {
            let callees = self.targets(next.unwrap_or(kernel));
            let unknown = |callee: &&&Kernel| !self.lengths.borrow().contains_key(callee.name());
            let before = work.len();
            work.extend(callees.iter().filter(unknown).copied().map(Some));
            if work.len() > before {
                continue;
            }
            work.pop();
            // Those are known here; another one would be too long.
            let known = |callee: &&Kernel| self.lengths.borrow().get(callee.name()).copied().unwrap_or(u64::MAX);
            let inner = callees.iter().map(known).fold(0, u64::saturating_add);
            let Some(next) = next else { return inner };
            let own = next.stmts().iter().filter(|stmt| stmt.kind != StmtKind::Close).count() as u64;
            self.lengths.borrow_mut().insert(next.name(), inner.saturating_add(own));
        }
        0
    }

    /// The functions whose bodies are put in the places of a body's calls.
    fn targets(&self, kernel: &Kernel) -> Vec<&'m Kernel> {
        let calls = kernel.insts().filter(|&inst| kernel.properties(inst).flow == Flow::Call);
        calls.filter_map(|call| self.callees(kernel, call).ok()).flat_map(|callees| callees.all().to_vec()).collect()
    }

    /// Returns what calls do with the symbols of a body.
    fn symbols(&self, kernel: &Kernel) -> Rc<Symbols> {
        let at: *const Kernel = kernel;
        if let Some(known) = self.symbols.borrow().get(&at) {
            return Rc::clone(known);
        }
        let mut symbols = Symbols::default();
        for inst in kernel.insts() {
            let mut mentioned: Vec<Symbol> = Vec::new();
            kernel.visit_symbols(inst, |symbol| mentioned.push(symbol));
            if kernel.properties(inst).flow == Flow::Call {
                let callees = self.led_to(kernel, inst);
                if callees.is_empty() || callees.iter().any(|callee| self.refusal(callee).is_some()) {
                    symbols.used.extend(mentioned);
                }
                let parts = kernel.call_parts(inst);
                for operand in parts.results.iter().chain(parts.arguments) {
                    if let Operand::Symbol(symbol, _) = operand {
                        symbols.passed.entry(*symbol).or_default().push(inst);
                    }
                }
            } else {
                symbols.used.extend(mentioned.into_iter().filter(|&symbol| !is_move_of(kernel, inst, symbol)));
            }
        }
        let symbols = Rc::new(symbols);
        self.symbols.borrow_mut().insert(at, Rc::clone(&symbols));
        symbols
    }

    /// Returns true if a variable is an argument or a result of a call that is replaced.
    pub(super) fn is_passed(&self, kernel: &Kernel, symbol: Symbol) -> bool {
        let symbols = self.symbols(kernel);
        symbols.passed.get(&symbol).is_some_and(|calls| calls.iter().any(|&call| self.callees(kernel, call).is_ok()))
    }

    /// The function of a name that has a body, here or in the library.
    fn function(&self, name: &str) -> Option<&'m Kernel> {
        let own = self.module.kernel(name).filter(|kernel| kernel.has_body());
        own.or_else(|| self.library.kernel(name)).filter(|kernel| kernel.kind() == KernelKind::Func)
    }

    /// The functions with bodies that a call leads to, or may lead to; none if they are not known.
    fn led_to(&self, kernel: &Kernel, call: Inst) -> Vec<&'m Kernel> {
        match kernel.callee_name(call) {
            Some(name) => self.function(name).into_iter().collect(),
            None => self.addressed.iter().copied().filter(|callee| is_passed_alike(kernel, call, callee)).collect(),
        }
    }

    /// The functions whose bodies can be put in the place of a call, or why none can.
    pub(super) fn callees(&self, kernel: &Kernel, call: Inst) -> Result<Callees<'m>, String> {
        if kernel.callee_name(call).is_some() {
            return self.target(kernel, call).map(Callees::Named);
        }
        let by_address = || "the function is called by its address".to_owned();
        let Some(&Operand::Reg(address)) = kernel.call_parts(call).callee else { return Err(by_address()) };
        let callees = self.led_to(kernel, call);
        if callees.is_empty() {
            return Err(by_address());
        }
        if callees.len() > MOST_FUNCTIONS {
            let count = callees.len();
            return Err(format!("the function is called by its address, which may be that of {count} functions"));
        }
        for callee in &callees {
            let refused = self.refusal(callee).map_or_else(|| self.fits(kernel, call, callee), Err);
            refused.map_err(|why| format!("the function is called by its address: {why}"))?;
        }
        Ok(Callees::At(address, callees))
    }

    /// The function whose body can be put in the place of a call by name, or why none can.
    pub(super) fn target(&self, kernel: &Kernel, call: Inst) -> Result<&'m Kernel, String> {
        let Some(name) = kernel.callee_name(call) else {
            return Err("the function is called by its address".to_owned());
        };
        let Some(callee) = self.function(name) else {
            return Err(format!("`{name}` has no body here"));
        };
        if let Some(why) = self.refusal(callee) {
            return Err(why);
        }
        self.fits(kernel, call, callee)?;
        Ok(callee)
    }

    /// Checks that the arguments and results of a call can be replaced.
    fn fits(&self, kernel: &Kernel, call: Inst, callee: &Kernel) -> Result<(), String> {
        let CallParts { results, arguments, .. } = kernel.call_parts(call);
        let name = callee.name();
        if results.len() != callee.results().len() || arguments.len() != callee.params().len() {
            return Err(format!("`{name}` has another number of parameters or results"));
        }
        let mut seen: Vec<Symbol> = Vec::new();
        let formals = callee.results().iter().chain(callee.params());
        for (formal, actual) in formals.zip(results.iter().chain(arguments)) {
            if formal.space == Space::Reg {
                continue;
            }
            let Operand::Symbol(symbol, Offset::ZERO) = *actual else {
                return Err(format!("`{name}` is given something else than a variable in `.param`"));
            };
            if seen.contains(&symbol) {
                return Err(format!("`{name}` is given one variable twice"));
            }
            seen.push(symbol);
            let bytes = bytes(kernel, symbol).unwrap_or(0);
            if bytes < formal.bytes() || formal.bytes() == 0 {
                return Err(format!("`{name}` is given a variable of another size"));
            }
            if !self.only_moved(kernel, symbol) {
                return Err(format!("what `{name}` is given is used by address, or by a call that stays"));
            }
        }
        Ok(())
    }

    /// Returns true if a parameter variable is only loaded, stored, and passed to functions that can be inlined.
    fn only_moved(&self, kernel: &Kernel, symbol: Symbol) -> bool {
        !self.symbols(kernel).used.contains(&symbol)
    }

    /// Returns the reason why a function cannot be inlined anywhere; `None` if it can.
    pub(super) fn refusal(&self, callee: &Kernel) -> Option<String> {
        if let Some(known) = self.refusals.borrow().get(callee.name()) {
            return known.clone();
        }
        let name = callee.name();
        let why = match self.kept.get(name) {
            Some(why) => Some(why.clone()),
            None if self.is_recursive(name) => Some(format!("`{name}` may call itself")),
            None => self.body_refusal(callee),
        };
        self.refusals.borrow_mut().insert(name.to_owned(), why.clone());
        why
    }

    fn body_refusal(&self, callee: &Kernel) -> Option<String> {
        let name = callee.name();
        let own = |space: Space| matches!(space, Space::Local | Space::Param | Space::Shared);
        if callee.variables().any(|(_, variable)| !own(variable.space)) || shares_in_scope(callee) {
            return Some(format!("`{name}` has memory that all of its calls share"));
        }
        if callee.variables().any(|(_, variable)| variable.count.is_none() || variable.init.is_some()) {
            return Some(format!("`{name}` has a variable without a size, or with a value"));
        }
        for inst in callee.insts() {
            if callee.opcode(inst).moves_stack() {
                return Some(format!("`{name}` takes memory from the stack"));
            }
            let by_register = |operand: &Operand| matches!(operand, Operand::Address(Base::Reg(_) | Base::Absolute, _));
            let in_param = callee.properties(inst).space == Some(Space::Param);
            if in_param && callee.operands(inst).iter().any(by_register) {
                return Some(format!("`{name}` takes the address of a parameter"));
            }
        }
        let formals = callee.params().iter().chain(callee.results()).filter(|formal| formal.space != Space::Reg);
        for formal in formals {
            let symbol = callee.parameter_symbol(formal);
            if symbol.is_some_and(|symbol| !self.only_moved(callee, symbol)) {
                return Some(format!("`{name}` uses a parameter by address, or passes it on to a call that stays"));
            }
        }
        let stores = |inst: Inst| {
            callee.properties(inst).memory == Memory::Write
                && callee
                    .params()
                    .iter()
                    .any(|formal| callee.parameter_symbol(formal).is_some_and(|symbol| mentions(callee, inst, symbol)))
        };
        callee.insts().any(stores).then(|| format!("`{name}` writes to its own parameter"))
    }

    /// Returns true if calls lead from a function back to it.
    fn is_recursive(&self, name: &str) -> bool {
        let recursive = || {
            let mut graph: DiGraphMap<&'m str, ()> = DiGraphMap::new();
            let functions = self.module.kernels().iter().filter_map(|kernel| self.function(kernel.name()));
            let functions = functions.filter(|function| !self.kept.contains_key(function.name()));
            for function in functions.chain(self.library.kernels()) {
                let calls = function.insts().filter(|&inst| function.properties(inst).flow == Flow::Call);
                for callee in calls.flat_map(|inst| self.led_to(function, inst)) {
                    graph.add_edge(function.name(), callee.name(), ());
                }
            }
            let parts = kosaraju_scc(&graph).into_iter();
            let goes_round = |part: &Vec<&'m str>| match *part.as_slice() {
                [function] => graph.contains_edge(function, function),
                _ => true,
            };
            parts.filter(goes_round).flatten().collect()
        };
        self.recursive.get_or_init(recursive).contains(name)
    }
}

/// Returns true if a declaration is one of shared memory.
pub(super) fn are_shared(kernel: &Kernel, symbols: &[Symbol]) -> bool {
    symbols.iter().any(|&symbol| kernel.variable(symbol).is_some_and(|variable| variable.space == Space::Shared))
}

/// Returns true if a function declares shared memory in an inner scope, behind which the name means nothing.
fn shares_in_scope(callee: &Kernel) -> bool {
    let mut depth = 0;
    callee.stmts().iter().any(|stmt| {
        match &stmt.kind {
            StmtKind::Open => depth += 1,
            StmtKind::Close => depth -= 1,
            StmtKind::Variables(symbols) => return depth > 0 && are_shared(callee, symbols),
            _ => {}
        }
        false
    })
}

/// Returns true if a function has as many parameters and results as a call has, of the same sizes.
fn is_passed_alike(kernel: &Kernel, call: Inst, callee: &Kernel) -> bool {
    let CallParts { results, arguments, .. } = kernel.call_parts(call);
    let fits = |formal: &Parameter, actual: &Operand| match *actual {
        Operand::Symbol(symbol, _) => formal.space != Space::Reg && bytes(kernel, symbol) == Some(formal.bytes()),
        _ => formal.space == Space::Reg,
    };
    let alike = |formals: &[Parameter], actuals: &[Operand]| {
        formals.len() == actuals.len() && formals.iter().zip(actuals).all(|(formal, actual)| fits(formal, actual))
    };
    alike(callee.results(), results) && alike(callee.params(), arguments)
}

/// Returns true if an instruction does no more with a parameter variable than to load or store it, or does not mention it.
fn is_move_of(kernel: &Kernel, inst: Inst, symbol: Symbol) -> bool {
    let properties = kernel.properties(inst);
    let moves = properties.space == Some(Space::Param) && matches!(properties.memory, Memory::Read | Memory::Write);
    let named = |operand: &&Operand| matches!(operand, Operand::Address(Base::Symbol(other), _) if *other == symbol);
    moves && kernel.operands(inst).iter().filter(named).count() == 1
}

/// The size of a parameter variable, or of a parameter of a function; `None` for what cannot be one.
pub(super) fn bytes(kernel: &Kernel, symbol: Symbol) -> Option<u64> {
    if let Some(variable) = kernel.variable(symbol) {
        return (variable.space == Space::Param).then(|| variable.bytes());
    }
    let name = kernel.symbol_name(symbol);
    let mut formals = kernel.params().iter().chain(kernel.results());
    let formal = formals.find(|formal| &*formal.name == name)?;
    (kernel.kind() == KernelKind::Func && formal.space != Space::Reg).then(|| formal.bytes())
}

/// Returns true if an instruction mentions a symbol.
fn mentions(kernel: &Kernel, inst: Inst, symbol: Symbol) -> bool {
    let mut found = false;
    kernel.visit_symbols(inst, |other| found |= other == symbol);
    found
}
