//! Namespaces, classes and functions: which function a statement is in, and whether that runs on the GPU.

use crate::brackets::Code;
use crate::parser::{Parser, Step};
use crate::tree::NodeKind;

/// The meaning of the brace behind a declaration's head.
enum Brace {
    /// A namespace, a linkage specification or a class: more declarations.
    Scope,
    /// An initialiser or an enumeration, after which the declaration goes on.
    Value,
    Function {
        device: bool,
        constant: bool,
        name: Option<usize>,
        parameters: Option<usize>,
    },
}

impl Parser<'_, '_> {
    /// Reads the declarations from `at` to `end`.
    pub(crate) fn declarations(&mut self, at: usize, end: usize) -> Step {
        let mut head = at;
        let mut i = at;
        while i < end {
            match self.text(i) {
                ";" => head = i + 1,
                ":" if i == head + 1 && matches!(self.code.before(i), "public" | "private" | "protected") => {
                    head = i + 1;
                }
                "(" | "[" => {
                    let (open, close) = (i, self.code.mate(i));
                    i = match self.lambda(head, open, end) {
                        Some((body, device)) => self.body(body, NodeKind::lambda(device))?,
                        None => self.deeper(open, |p| p.expression(open + 1, close, false)).map(|_| close + 1)?,
                    };
                    continue;
                }
                "{" => {
                    i = self.declared(head, i, &mut head)?;
                    continue;
                }
                _ => {}
            }
            i += 1;
        }
        Ok(end)
    }

    /// Reads the brace at `open` that belongs to the declaration from `from`; `head` moves where a new one begins.
    fn declared(&mut self, from: usize, open: usize, head: &mut usize) -> Step {
        let close = self.code.mate(open);
        match self.classify(from, open) {
            Brace::Scope => {
                self.deeper(open, |p| p.declarations(open + 1, close))?;
                *head = close + 1;
            }
            Brace::Value => {
                self.deeper(open, |p| p.expression(open + 1, close, false))?;
            }
            Brace::Function { device, constant, name, parameters } => {
                self.body(open, NodeKind::Function { device, constant, name, parameters })?;
                *head = close + 1;
            }
        }
        Ok(close + 1)
    }

    fn classify(&self, from: usize, open: usize) -> Brace {
        let code = self.code;
        let mut i = behind_template_heads(code, from, open);
        let (mut class, mut initialiser, mut members) = (false, false, false);
        let mut parameters = None;
        let (mut device, mut constant, mut kernel) = (false, false, false);
        while i < open {
            match code.text(i) {
                "namespace" => return Brace::Scope,
                "extern" if i + 2 == open && code.text(i + 1).starts_with('"') => return Brace::Scope,
                "enum" if parameters.is_none() => return Brace::Value,
                "struct" | "class" | "union" if parameters.is_none() => class = true,
                "=" if code.before(i) != "operator" => initialiser = true,
                ":" => members |= parameters.is_some(),
                "(" => {
                    device |= places_on_device(code, i);
                    kernel |= makes_kernel(code, i);
                    if !belongs_to_attribute(code, i, class) {
                        parameters = parameters.or(Some(i));
                    }
                    i = code.mate(i);
                }
                "[" | "{" => i = code.mate(i),
                "constexpr" | "consteval" => constant = true,
                word => {
                    device |= names_device(word);
                    kernel |= word == "__global__";
                }
            }
            i += 1;
        }
        // `S() : a{1}, b{2} { … }`: the braces behind a name initialise it, the last ones are the body.
        let member = members && (code.is_name(open - 1) || code.text(open - 1) == ">");
        match parameters {
            Some(at) if !initialiser && !member => {
                let name = at.checked_sub(1).filter(|&at| code.is_word(at));
                Brace::Function { device, constant, name, parameters: kernel.then_some(at) }
            }
            None if class && !initialiser => Brace::Scope,
            _ => Brace::Value,
        }
    }
}

/// Returns true if `word` in a function's head says that the function runs on the GPU.
pub(crate) fn names_device(word: &str) -> bool {
    matches!(word, "__global__" | "__device__")
}

/// Returns true if the parenthesis at `open` belongs to an attribute by which a function runs on the GPU: what the macros of CUDA's headers expand to.
pub(crate) fn places_on_device(code: &Code<'_>, open: usize) -> bool {
    code.before(open) == "__attribute__"
        && (open..code.mate(open)).any(|i| matches!(code.text(i), "device" | "global" | "__device__" | "__global__"))
}

/// Returns true if the parenthesis at `open` belongs to an attribute by which a function is a kernel.
fn makes_kernel(code: &Code<'_>, open: usize) -> bool {
    code.before(open) == "__attribute__"
        && (open..code.mate(open)).any(|i| matches!(code.text(i), "global" | "__global__"))
}

/// Returns true if the parenthesis at `at` in a declaration's head is an attribute's and not a parameter list.
fn belongs_to_attribute(code: &Code<'_>, at: usize, class: bool) -> bool {
    let behind = code.mate(at) + 1;
    let named = code.is_name(behind) && !matches!(code.text(behind), "const" | "noexcept" | "override" | "final");
    // `struct MYLIB_ALIGN(16) Name {`
    (class && named)
        || matches!(code.before(at), "__attribute__" | "__declspec" | "decltype" | "__launch_bounds__")
        || matches!(code.before(at), "__align__" | "alignas" | "_Alignas")
}

/// The token behind `template <…>` (and the next one, for members of class templates).
fn behind_template_heads(code: &Code<'_>, from: usize, end: usize) -> usize {
    let mut i = from;
    while code.text(i) == "template" && code.text(i + 1) == "<" {
        match code.behind_angles(i + 1, end) {
            Some(next) => i = next,
            None => break,
        }
    }
    i
}
