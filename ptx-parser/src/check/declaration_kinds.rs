//! Declarations of a kind that there is not: types and vectors that no register or variable has, parameters that a kernel cannot have,
//! directives that contradict each other. The rules are those of `ptxas` 13.0.

use rustc_hash::FxHashSet;

use super::declarations::{Declarations, in_header, last_word};
use crate::kernel::{Kernel, KernelKind};
use crate::module::ItemKind;
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::syntax::declaration::{lead, registers};
use crate::syntax::lexical::{blanks, dotted};
use crate::types::{Space, Type};
use crate::variable::Variable;

/// The most bits of a vector.
const VECTOR_BITS: u32 = 128;

/// Returns what is wrong with the type of a register or variable.
pub(super) fn mistyped(name: &str, space: Space, ty: Type, lanes: u8) -> Option<String> {
    let in_memory = space != Space::Reg;
    if !ty.is_declarable() {
        return Some(format!("`{name}` is {ty}, which is a type of instructions, but not of registers or variables"));
    }
    if ty == Type::Pred && (in_memory || lanes > 1) {
        let what = if in_memory { "a predicate must be a register" } else { "predicates make no vector" };
        return Some(format!("`{name}` is {ty}, but {what}"));
    }
    let bits = ty.bits() * u32::from(lanes);
    if lanes > 1 && (bits > VECTOR_BITS || lanes > 4) {
        return Some(format!(
            "`{name}` is a vector of {lanes} {ty}; a vector has 2 or 4 elements and {VECTOR_BITS} bits at most"
        ));
    }
    None
}

/// Words of the language that look like names.
const RESERVED: [&str; 3] = ["_", "%", "WARP_SZ"];

/// Returns what is wrong with a variable of the module, in a PTX version.
pub(super) fn misplaced(variable: &Variable, version: (u32, u32)) -> Option<String> {
    let (name, space) = (&variable.name, variable.space);
    match space {
        Space::Param => Some(format!("`{name}` is in {space}, but stands outside of every function")),
        Space::Local if version >= (3, 0) => {
            Some(format!("`{name}` is in {space}, but stands outside of every function"))
        }
        Space::Tex if version >= (1, 5) => Some(format!("`{name}` is in {space}, which is gone from PTX 1.5 on")),
        _ => None,
    }
}

impl Declarations<'_> {
    /// Registers of the module, which PTX has had before version 3.0 only.
    pub(super) fn module_registers(&mut self) {
        if self.version.is_none_or(|version| version < (3, 0)) {
            return;
        }
        for item in self.module.items.iter().filter(|item| matches!(item.kind(), ItemKind::Directive)) {
            let text = item.text(&self.module.source);
            let names = declared_registers(text);
            if let Some((name, ..)) = names.first().filter(|_| !self.is_enough()) {
                let at = name.as_ptr() as usize - text.as_ptr() as usize;
                let message = format!("register `{name}` stands outside of every function");
                let help = "declare it in each function that uses it";
                self.error((item.span.end > 0).then_some(item.span.start as usize + at), message, Some(help));
            }
        }
    }

    /// Registers of a kernel; and names in its outermost scope that parameters have.
    pub(super) fn body_names(&mut self, kernel: &Kernel) {
        let params = kernel.results().iter().chain(kernel.params());
        let params = params.filter(|parameter| parameter.space == Space::Param).map(|parameter| &*parameter.name);
        let params: FxHashSet<&str> = params.collect();
        // The members of a family `p<3>` are `p0` to `p2`.
        let members = params.iter().map(|name| name.trim_end_matches(|c: char| c.is_ascii_digit()));
        let members: FxHashSet<&str> = members.collect();
        let mut depth = 0;
        for stmt in &kernel.stmts {
            if self.is_enough() {
                return;
            }
            let mut names: Vec<String> = Vec::new();
            match &stmt.kind {
                StmtKind::Open => depth += 1,
                StmtKind::Close => depth -= 1,
                StmtKind::Registers => {
                    for (name, count, ty, lanes) in declared_registers(&kernel.own_text(stmt)) {
                        if let Some(wrong) = mistyped(name, Space::Reg, ty, lanes) {
                            self.error(place(kernel, stmt, name), wrong, None);
                        }
                        let member = |parameter: &str, count: u64| {
                            parameter.strip_prefix(name).is_some_and(|number| {
                                number.parse().is_ok_and(|n: u64| n < count && n.to_string() == number)
                            })
                        };
                        match count {
                            None => names.push(name.to_owned()),
                            Some(count) if members.contains(name.trim_end_matches(|c: char| c.is_ascii_digit())) => {
                                let same = params.iter().filter(|parameter| member(parameter, count));
                                names.extend(same.map(|parameter| (*parameter).to_owned()));
                            }
                            Some(_) if RESERVED.contains(&name) => names.push(name.to_owned()),
                            Some(_) => {}
                        }
                    }
                }
                StmtKind::Variables(symbols) => {
                    names.extend(symbols.iter().map(|&symbol| kernel.symbol_name(symbol).to_owned()));
                }
                StmtKind::Label(label) => names.push(kernel.label_name(*label).to_owned()),
                _ => {}
            }
            for name in names.iter().filter(|name| RESERVED.contains(&name.as_str())) {
                let message = format!("`{name}` is a word of the language and no name");
                self.error(place(kernel, stmt, name), message, None);
            }
            names.retain(|name| depth == 0 && params.contains(name.as_str()));
            for name in names {
                let family = name.trim_end_matches(|c: char| c.is_ascii_digit());
                let at = place(kernel, stmt, &name).or_else(|| place(kernel, stmt, family));
                let message = format!("`{name}` is a parameter of `{}` and is declared again", kernel.name());
                self.error(at, message, Some("rename one of the two"));
            }
        }
    }

    /// The kinds of the parameters and results of a kernel or function.
    pub(super) fn parameter_kinds(&mut self, kernel: &Kernel) {
        let entry = kernel.kind() == KernelKind::Entry;
        for parameter in kernel.results().iter().chain(kernel.params()) {
            let (name, ty, space) = (&parameter.name, parameter.ty, parameter.space);
            let scalar = parameter.dimensions == 0;
            let wrong = match () {
                () if entry && space == Space::Reg => {
                    Some(format!("`{name}` is in {space}, but parameters of a kernel are in .param"))
                }
                () if space == Space::Param && scalar && (parameter.count > 1 || ty == Type::F16x2) => {
                    Some(format!("`{name}` is a vector, which no parameter in .param can be"))
                }
                () if entry && parameter.count == 0 => {
                    Some(format!("`{name}` is a parameter of a kernel without a size"))
                }
                () => mistyped(name, space, ty, 1),
            };
            if let Some(wrong) = wrong.filter(|_| !self.is_enough()) {
                let help = wrong.contains("vector").then_some("declare an array");
                self.error(in_header(kernel, name), wrong, help);
            }
        }
    }

    /// The performance directives of a kernel or function.
    pub(super) fn performance_directives(&mut self, kernel: &Kernel) {
        const EXCLUSIVE: [(&str, &str); 2] = [("maxntid", "reqntid"), ("reqnctapercluster", "maxclusterrank")];
        let entry = kernel.kind() == KernelKind::Entry;
        let has = |name: &str| kernel.directives().iter().any(|directive| &*directive.name == name);
        for directive in kernel.directives() {
            let name = &*directive.name;
            let of_functions = matches!(name, "noreturn" | "abi_preserve" | "abi_preserve_control");
            let of_kernels =
                crate::syntax::header::DIRECTIVES.iter().any(|(known, ..)| *known == name) && !of_functions;
            let positive = matches!(name, "maxntid" | "reqntid" | "minnctapersm" | "maxnreg");
            let other = EXCLUSIVE.iter().find(|(_, second)| *second == name).map(|(first, _)| *first);
            let wrong = match other.filter(|other| has(other)) {
                _ if entry && of_functions => {
                    Some(format!("`.{name}` stands only behind functions that are no kernels"))
                }
                _ if !entry && of_kernels => Some(format!("`.{name}` stands only behind kernels")),
                Some(other) => Some(format!("`.{name}` contradicts `.{other}`; only one of them can be given")),
                None if positive && directive.values.contains(&0) => {
                    Some(format!("`.{name}` takes numbers above 0 only"))
                }
                None if name == "maxnctapersm" && self.version.is_some_and(|version| version >= (2, 1)) => {
                    Some(format!("`.{name}` is gone from PTX 2.1 on"))
                }
                None if name == "blocksareclusters" && !(has("reqntid") && has("reqnctapercluster")) => {
                    Some(format!("`.{name}` needs `.reqntid` and `.reqnctapercluster`"))
                }
                None => None,
            };
            if let Some(wrong) = wrong.filter(|_| !self.is_enough()) {
                self.error(in_header(kernel, name), wrong, None);
            }
        }
    }
}

/// The registers that a declaration names: the name, its count if it is a family, the type and the length of vectors. None if it is no
/// declaration of registers.
fn declared_registers(text: &str) -> Vec<(&str, Option<u64>, Type, u8)> {
    let mut list = Vec::new();
    let rest = lead(blanks(text)).map_or(text, |(rest, _)| rest);
    if let Ok((rest, "reg")) = dotted(blanks(rest)) {
        // What cannot be read was reported.
        let _ = registers(rest, |name, count, ty, lanes| {
            list.push((name, count, ty, lanes));
            Ok(())
        });
    }
    list
}

/// Returns where a name stands in a statement of the source.
fn place(kernel: &Kernel, stmt: &Stmt, name: &str) -> Option<usize> {
    match stmt.origin {
        Origin::Source(span) => last_word(kernel, span, name),
        _ => None,
    }
}
