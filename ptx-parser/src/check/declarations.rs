//! A check of a module's declarations: names that are declared twice, prototypes that differ, initial values that do not fit.

use rustc_hash::FxHashMap;

use super::declaration_kinds::{misplaced, mistyped};
use super::finding::{Finding, Level};
use crate::kernel::Kernel;
use crate::module::{ItemKind, Module};
use crate::stmt::{Origin, StmtKind};
use crate::syntax::lexical::{cut, past};
use crate::tables::Span;
use crate::types::{Space, Type};
use crate::variable::{Parameter, Variable};

/// So many findings are enough for anybody; finding the places of more would take long on a hostile text.
const ENOUGH: usize = 100;

/// The findings, in no order.
pub(super) fn declarations(module: &Module) -> Vec<Finding> {
    let mut check = Declarations { module, version: module.version(), findings: Vec::new() };
    check.head();
    check.module_registers();
    check.module_variables();
    check.initial_addresses();
    check.files();
    check.functions();
    for kernel in module.kernels() {
        check.parameters(kernel);
        check.parameter_kinds(kernel);
        check.performance_directives(kernel);
        check.body_names(kernel);
        check.body_variables(kernel);
    }
    check.limits();
    check.findings
}

/// The findings in the declarations of a module.
pub(super) struct Declarations<'m> {
    pub(super) module: &'m Module,
    pub(super) version: Option<(u32, u32)>,
    findings: Vec<Finding>,
}

impl<'m> Declarations<'m> {
    /// Reports at a place of the source; `None` for what an edit made.
    pub(super) fn error(&mut self, at: Option<usize>, message: String, help: Option<&str>) {
        self.report(Level::Error, at, message, help);
    }

    /// As [`Declarations::error`], of any level.
    pub(super) fn report(&mut self, level: Level, at: Option<usize>, message: String, help: Option<&str>) {
        let at = at.and_then(|at| u32::try_from(at).ok());
        let at = at.map(|at| self.module.lines.position(&self.module.source, at));
        self.findings.push(Finding::new(level, at, message, help.map(str::to_owned)));
    }

    pub(super) fn is_enough(&self) -> bool {
        self.findings.len() >= ENOUGH
    }

    fn module_variables(&mut self) {
        let module = self.module;
        let mut known: FxHashMap<&str, &Variable> = FxHashMap::default();
        for variable in module.variables() {
            if self.is_enough() {
                return;
            }
            // The member of a family stands in the text as the family: `x<4>`.
            let family = variable.name.trim_end_matches(|c: char| c.is_ascii_digit());
            let declared = |number| {
                let declared = places(module, &variable.name).nth(number);
                let declared = declared.or_else(|| places(module, family).nth(number));
                // Behind the initial value of another one a name does not look like a declaration.
                declared.or_else(|| words(&module.source, &variable.name).chain(words(&module.source, family)).last())
            };
            let wrong = misshapen(variable).or_else(|| misplaced(variable, self.version.unwrap_or_default()));
            if let Some(wrong) = wrong {
                self.error(declared(0), wrong, None);
            }
            match known.get(&*variable.name) {
                Some(before) if !before.external && !variable.external => {
                    let message = format!("`{}` is declared twice", variable.name);
                    self.error(declared(1), message, Some("rename one of the two"));
                }
                Some(before) if before.space != variable.space || before.ty.bytes() != variable.ty.bytes() => {
                    let message = format!("`{}` is declared again as something else", variable.name);
                    self.error(declared(1), message, None);
                }
                Some(_) => {}
                None => {
                    known.insert(&variable.name, variable);
                }
            }
        }
    }

    fn functions(&mut self) {
        let mut known: FxHashMap<&str, (&Kernel, bool)> = FxHashMap::default();
        for kernel in self.module.kernels() {
            let name = kernel.name();
            let Some((before, defined)) = known.get(name).copied() else {
                known.insert(name, (kernel, kernel.has_body()));
                continue;
            };
            let what = if before.kind() != kernel.kind() {
                Some("is declared as a kernel and as a function")
            } else if defined && kernel.has_body() {
                Some("is defined twice")
            } else if !alike(before.params(), kernel.params()) || !alike(before.results(), kernel.results()) {
                Some("is declared with other parameters before")
            } else {
                None
            };
            if let Some(what) = what.filter(|_| !self.is_enough()) {
                self.error(in_header(kernel, name), format!("`{name}` {what}"), None);
            }
            known.insert(name, (before, defined || kernel.has_body()));
        }
        for variable in self.module.variables() {
            if let Some((kernel, _)) = known.get(&*variable.name).filter(|_| !self.is_enough()) {
                let variable = places(self.module, &variable.name).next();
                // Whatever stands behind is wrong.
                let at = variable.max(in_header(kernel, kernel.name()));
                self.error(at, format!("`{}` is a variable and a function", kernel.name()), None);
            }
        }
    }

    fn parameters(&mut self, kernel: &Kernel) {
        let in_memory = kernel.results().iter().filter(|result| result.space == Space::Param).count();
        if kernel.results().len() > 1 && in_memory > 0 && !self.is_enough() {
            let message = format!("`{}` has more than one result in `.param`", kernel.name());
            let help = "return several values in registers, or one array";
            self.error(in_header(kernel, kernel.name()), message, Some(help));
        }
        let mut known = rustc_hash::FxHashSet::default();
        for parameter in kernel.results().iter().chain(kernel.params()) {
            if &*parameter.name != "_" && !known.insert(&*parameter.name) && !self.is_enough() {
                let message = format!("parameter `{}` is declared twice", parameter.name);
                self.error(in_header(kernel, &parameter.name), message, Some("rename one of the two"));
            }
        }
    }

    fn body_variables(&mut self, kernel: &Kernel) {
        for stmt in &kernel.stmts {
            let StmtKind::Variables(symbols) = &stmt.kind else { continue };
            for variable in symbols.iter().filter_map(|&symbol| kernel.variable(symbol)) {
                let external =
                    || variable.external.then(|| format!("`{}` is external, but stands in a body", variable.name));
                if let Some(wrong) = misshapen(variable).or_else(external).filter(|_| !self.is_enough()) {
                    let at = match stmt.origin {
                        Origin::Source(span) => last_word(kernel, span, &variable.name),
                        _ => None,
                    };
                    self.error(at, wrong, None);
                }
            }
        }
    }
}

/// Returns what is wrong with the type, the size or the initial value of a variable.
fn misshapen(variable: &Variable) -> Option<String> {
    let name = &variable.name;
    if let Some(wrong) = mistyped(name, variable.space, variable.ty, variable.lanes) {
        return Some(wrong);
    }
    match &variable.init {
        Some(init) if matches!(variable.ty, Type::F16 | Type::F16x2) && !init.bytes.is_empty() => {
            Some(format!("`{name}` is {}, which has no initial values; declare it as an integer", variable.ty))
        }
        Some(_) if variable.external => Some(format!("`{name}` is external and has an initial value")),
        Some(_) if !matches!(variable.space, Space::Global | Space::Const) => {
            Some(format!("`{name}` is in {} memory, which has no initial values", variable.space))
        }
        Some(init) if init.bytes.len() as u64 > variable.bytes() && variable.count.is_some() => {
            let size = u64::from(variable.ty.bytes().max(1));
            let (given, count) = (init.bytes.len() as u64 / size, variable.bytes() / size);
            Some(format!("`{name}` has {count} elements, but {given} initial values"))
        }
        None if variable.count.unwrap_or(0) == 0 && !variable.external && variable.space != Space::Param => {
            Some(format!("`{name}` has no size"))
        }
        _ => None,
    }
}

/// Returns true if two declarations have the same parameters but for their names.
fn alike(a: &[Parameter], b: &[Parameter]) -> bool {
    let shape =
        |parameter: &Parameter| (parameter.space, parameter.ty, parameter.count, parameter.dimensions, parameter.align);
    let same = |(a, b): (&Parameter, &Parameter)| shape(a) == shape(b);
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// Returns where the module's directives, other than functions, declare a name.
pub(super) fn places<'m>(module: &'m Module, name: &'m str) -> impl Iterator<Item = usize> + 'm {
    let directives = module.items.iter().filter(|item| matches!(item.kind, ItemKind::Directive));
    directives.flat_map(move |item| {
        let text = item.text(&module.source);
        let declares = move |&at: &usize| {
            let (before, behind) = (cut(text, at).0, past(text, at + name.len()).trim_start());
            let init = before.contains('=');
            !init && behind.starts_with(['[', '=', ';', ',', '<'])
        };
        words(text, name).filter(declares).map(move |at| item.span.start as usize + at)
    })
}

/// The last place of a name in the header of a kernel.
pub(super) fn in_header(kernel: &Kernel, name: &str) -> Option<usize> {
    last_word(kernel, kernel.header, name)
}

pub(super) fn last_word(kernel: &Kernel, span: Span, name: &str) -> Option<usize> {
    words(kernel.text(span), name).last().map(|at| span.start as usize + at)
}

/// Returns where a name stands in a text as a whole word.
pub(super) fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    // A percent sign begins a word wherever it stands: `.u64%a`.
    let joins = move |c: char| if name.starts_with('%') { c == '%' } else { is_word(c) };
    text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        !name.is_empty()
            && !cut(text, at).0.chars().next_back().is_some_and(joins)
            && !past(text, at + name.len()).chars().next().is_some_and(is_word)
    })
}
