//! A check that calls have the results and arguments that the callee declares (PTX ISA, "call").
//!
//! The callee is a function. For a call through a register, it is what the prototype or the list of targets behind the arguments names. The
//! rules are those of the assembler. A scalar takes registers and literals as an instruction of its type would, and a `.param` variable of
//! a type that fits. An array takes a `.param` array of its size. All are aligned alike.

use std::cell::Cell;

use rustc_hash::{FxHashMap, FxHashSet};

use super::finding::Part;
use super::names::Report;
use super::operand_messages::found;
use crate::entities::Inst;
use crate::kernel::{Kernel, KernelKind};
use crate::module::{ItemKind, Module};
use crate::operand::{Offset, Operand};
use crate::stmt::{Origin, StmtKind};
use crate::suggest::nearest;
use crate::syntax::declaration::parameters;
use crate::syntax::lexical::{accept, blanks, dotted, word};
use crate::table::{Flow, Width, is_untyped, type_fits};
use crate::types::{Space, Type};
use crate::variable::{Parameter, Variable};

/// The functions and kernels that can be called.
pub(super) struct Calls<'m> {
    /// The functions and kernels, each with the place of its first declaration among them.
    functions: FxHashMap<&'m str, (usize, &'m Kernel)>,
    /// The words of `.alias` directives, which give functions further names.
    aliases: FxHashSet<&'m str>,
    /// For how many more names a similar one is looked for.
    proposals: Cell<u32>,
    /// The place of the kernel that was entered last. `indirect` has its prototypes and lists of targets (those of a name that is declared
    /// twice are left out).
    place: usize,
    indirect: FxHashMap<&'m str, Option<Indirect<'m>>>,
}

/// The meaning of a label in front of a directive.
enum Indirect<'m> {
    Prototype(Callee<'m>),
    Targets(Vec<&'m str>),
}

/// The parameters and results of a callee.
struct Callee<'m> {
    name: &'m str,
    results: Vec<Parameter>,
    params: Vec<Parameter>,
}

impl<'m> Calls<'m> {
    pub(super) fn of(module: &'m Module) -> Calls<'m> {
        let mut functions: FxHashMap<&str, (usize, &Kernel)> = FxHashMap::default();
        for (place, kernel) in module.kernels.iter().enumerate() {
            functions.entry(kernel.name()).or_insert((place, kernel)).1 = kernel;
        }
        let directives = module.items.iter().filter(|item| matches!(item.kind(), ItemKind::Directive));
        let aliases = directives.filter_map(|item| {
            let (rest, word) = dotted(blanks(item.text(&module.source))).ok()?;
            (word == "alias").then_some(rest)
        });
        let aliases = aliases.flat_map(|list| list.split([',', ';']).map(str::trim)).collect();
        Calls { functions, aliases, proposals: Cell::new(100), place: 0, indirect: FxHashMap::default() }
    }

    /// Returns true if a function has a name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// The names of all functions.
    pub(super) fn names(&self) -> impl Iterator<Item = &'m str> {
        self.functions.keys().copied()
    }

    /// Takes in what a kernel declares for its calls. The kernels are entered in their order.
    pub(super) fn enter(&mut self, kernel: &'m Kernel, place: usize) {
        self.place = place;
        self.indirect.clear();
        if !kernel.opcodes.values().any(|opcode| opcode.properties().flow == Flow::Call) {
            return;
        }
        for stmt in kernel.stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Directive)) {
            let text = match &stmt.origin {
                Origin::Source(span) => kernel.text(*span),
                Origin::Text(own) => &own.text,
                Origin::Made => continue,
            };
            if let Some((name, indirect)) = indirect(text) {
                let twice = self.indirect.contains_key(name);
                self.indirect.insert(name, (!twice).then_some(indirect));
            }
        }
    }

    /// Reports a callee that no function has as its name, if it is no alias of one either.
    fn undeclared(&self, name: &str, at: usize, report: Report<'_>) {
        if !self.aliases.contains(name) {
            let left = self.proposals.get();
            self.proposals.set(left.saturating_sub(1));
            let near = if left > 0 { nearest(name, self.names()) } else { None };
            let help = near.map(|near| format!("did you mean `{near}`?"));
            report(Part::Operand(at), format!("`{name}` is not declared"), help);
        }
    }

    /// Checks a call.
    pub(super) fn check(&self, kernel: &Kernel, inst: Inst, report: Report<'_>) {
        let operands = kernel.operands(inst);
        let Some(at) = callee(kernel, inst) else { return };
        let call = Call { kernel, at };
        let Some(&operand) = operands.get(at) else { return };
        match operand {
            Operand::Symbol(symbol, _) if !kernel.variables.contains_key(&symbol) => {
                let Some(&(place, function)) = self.functions.get(kernel.symbol_name(symbol)) else {
                    self.undeclared(kernel.symbol_name(symbol), at, report);
                    return;
                };
                let name = function.name();
                if function.kind() == KernelKind::Entry {
                    report(Part::Operand(at), format!("`{name}` is a kernel and cannot be called"), None);
                } else if place > self.place {
                    let help = "write its declaration, without a body, in front of this function".to_owned();
                    report(Part::Operand(at), format!("`{name}` is declared behind this call"), Some(help));
                } else {
                    call.against(operands, &Callee::of(function), report);
                }
            }
            Operand::Reg(_) => {
                let Some(Operand::Symbol(symbol, _)) = operands.last() else {
                    let help = "put a `.callprototype` in front, and its label behind the arguments".to_owned();
                    report(Part::Operand(at), "this call does not say what it calls".to_owned(), Some(help));
                    return;
                };
                match self.indirect.get(kernel.symbol_name(*symbol)) {
                    Some(Some(Indirect::Prototype(callee))) => {
                        call.against(operands, callee, report);
                    }
                    Some(Some(Indirect::Targets(names))) => {
                        let functions = names.iter().filter_map(|name| self.functions.get(name));
                        let mut functions = functions.map(|(_, function)| Callee::of(function));
                        functions.all(|callee| call.against(operands, &callee, report));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The place of the callee among the operands of a call.
pub(super) fn callee(kernel: &Kernel, inst: Inst) -> Option<usize> {
    let is_callee = |operand: &Operand| matches!(operand, Operand::Symbol(..) | Operand::Reg(_));
    kernel.operands(inst).iter().position(is_callee).filter(|&index| index <= 1)
}

/// Reads `name: .callprototype …;` or `name: .calltargets …;`.
fn indirect(text: &str) -> Option<(&str, Indirect<'_>)> {
    let (rest, name) = word(blanks(text)).ok()?;
    let (rest, directive) = dotted(blanks(accept(rest, ':')?)).ok()?;
    match directive {
        "callprototype" => {
            let list = |text| accept(text, '(').map_or(Ok((text, Vec::new())), parameters).ok();
            let (after, results) = list(rest)?;
            let (after, _) = word(blanks(after)).ok()?;
            let (_, params) = list(after)?;
            let plain = |list: Vec<(&str, Parameter)>| list.into_iter().map(|(_, parameter)| parameter).collect();
            let callee = Callee { name, results: plain(results), params: plain(params) };
            Some((name, Indirect::Prototype(callee)))
        }
        "calltargets" => Some((name, Indirect::Targets(rest.split([',', ';']).map(str::trim).collect()))),
        _ => None,
    }
}

impl<'m> Callee<'m> {
    fn of(function: &'m Kernel) -> Callee<'m> {
        Callee { name: function.name(), results: function.results().to_vec(), params: function.params().to_vec() }
    }
}

/// A call that is held against a callee.
struct Call<'k> {
    kernel: &'k Kernel,
    /// The index of the operand that is the callee.
    at: usize,
}

impl Call<'_> {
    /// Reports the first thing that does not fit; whether nothing was reported.
    fn against(&self, operands: &[Operand], callee: &Callee<'_>, report: Report<'_>) -> bool {
        let list = |operand: Option<&Operand>| match operand {
            Some(Operand::Tuple(list)) => self.kernel.list(*list),
            _ => &[],
        };
        let results = if self.at == 1 { list(operands.first()) } else { &[] };
        let arguments = list(operands.get(self.at + 1));
        let (takes, gives) = (callee.params.len(), callee.results.len());
        // An array without a size is all that a variadic function takes beyond what it names, be it nothing.
        let variadic = usize::from(callee.params.last().is_some_and(|last| last.count == 0));
        if results.len() != gives || !(takes - variadic..=takes).contains(&arguments.len()) {
            let (given, declared) = (signature(arguments.len(), results.len()), signature(takes, gives));
            let message = format!("`{}` is called with {given}, but is declared with {declared}", callee.name);
            report(Part::Operand(self.at), message, None);
            return false;
        }
        let of_results = results.iter().zip(&callee.results).enumerate().map(|(at, pair)| ("result", 0, at, pair));
        let of_arguments =
            arguments.iter().zip(&callee.params).enumerate().map(|(at, pair)| ("argument", self.at + 1, at, pair));
        for (what, part, at, (operand, parameter)) in of_results.chain(of_arguments) {
            if !self.takes(parameter, operand, what == "result") {
                let given = self.given(operand);
                let array = parameter.dimensions > 0;
                let declared = shape(parameter.ty, (parameter.count, array), parameter.align);
                let message = format!("{what} {} is {given}, but `{}` declares {declared}", at + 1, callee.name);
                report(Part::Operand(part), message, None);
                return false;
            }
        }
        true
    }

    /// Returns true if an operand may stand for a parameter or a result.
    fn takes(&self, parameter: &Parameter, operand: &Operand, result: bool) -> bool {
        let scalar = parameter.count == 1;
        let halves = parameter.ty == Type::F16x2;
        let ty = type_of_bits(parameter.ty);
        let float = matches!(operand, Operand::Float32(_) | Operand::Float64(_));
        match *operand {
            Operand::Sink => result,
            Operand::Reg(reg) if self.kernel.reg(reg).lanes > 1 => {
                let data = self.kernel.reg(reg);
                parameter.count == u64::from(data.lanes) && type_fits(ty, data.ty, Width::Exact)
            }
            Operand::Reg(reg) => {
                let natural = parameter.space == Space::Reg || parameter.align == ty.bytes();
                scalar && natural && type_fits(ty, self.kernel.reg(reg).ty, Width::Exact)
            }
            Operand::Int(_) => scalar && !result && !halves && !ty.is_float() && ty != Type::Pred,
            _ if float => scalar && !halves && (ty.is_float() || is_untyped(ty)),
            Operand::Symbol(symbol, Offset::ZERO) => match self.kernel.variable(symbol) {
                Some(variable) => takes_variable(parameter, variable),
                None => false,
            },
            _ => false,
        }
    }

    /// Returns what stands there.
    fn given(&self, operand: &Operand) -> String {
        let Operand::Symbol(symbol, _) = *operand else { return found(self.kernel, operand) };
        let name = self.kernel.symbol_name(symbol);
        let own = || self.kernel.params().iter().chain(self.kernel.results());
        match self.kernel.variable(symbol) {
            Some(variable) if variable.space == Space::Param => {
                let size = (variable.count.unwrap_or(0), variable.dimensions > 0);
                let shape = shape(variable.ty, size, variable.align);
                format!("`{name}`, which is {shape}")
            }
            Some(variable) => format!("`{name}`, which is in {}", variable.space),
            None if own().any(|parameter| &*parameter.name == name) => {
                format!("`{name}`, which is a parameter of the caller")
            }
            None => format!("the name `{name}`"),
        }
    }
}

/// Returns true if a variable may stand for a parameter or a result: both are scalars, or both arrays of as many bytes.
fn takes_variable(parameter: &Parameter, variable: &Variable) -> bool {
    if variable.space != Space::Param || variable.align != parameter.align {
        return false;
    }
    match (parameter.dimensions, variable.dimensions) {
        (0, 0) => {
            let one = parameter.count == 1 && variable.count == Some(1);
            one && type_fits(type_of_bits(parameter.ty), type_of_bits(variable.ty), Width::Exact)
        }
        (1, 1) => {
            // Untyped elements go with all; others only with their own type, and those of two halves with nothing.
            let (wanted, own) = (parameter.ty, variable.ty);
            let alike = wanted == own && wanted != Type::F16x2;
            let untyped = is_untyped(wanted) && own != Type::F16x2 || is_untyped(own) && wanted != Type::F16x2;
            (alike || untyped) && (parameter.count == 0 || parameter.bytes() == variable.bytes())
        }
        _ => false,
    }
}

/// A register or variable of two halves counts as 32 bits.
fn type_of_bits(ty: Type) -> Type {
    if ty == Type::F16x2 { Type::B32 } else { ty }
}

/// `.b32`, `.b32[1]`, `.b8[16] aligned to 8`. The size is a count, and whether it stands in brackets.
fn shape(ty: Type, (count, array): (u64, bool), align: u32) -> String {
    let size = match count {
        0 => "[]".to_owned(),
        1 if !array => String::new(),
        count => format!("[{count}]"),
    };
    let natural = count == 1 && align == ty.bytes();
    let aligned = if natural { String::new() } else { format!(" aligned to {align}") };
    format!("{ty}{size}{aligned}")
}

fn signature(arguments: usize, results: usize) -> String {
    let plural = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    format!("{} and {}", plural(arguments, "argument"), plural(results, "result"))
}
