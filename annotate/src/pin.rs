//! Whether a marked branch may run on a copy of its loop's variable.
//!
//! nvcc likes to keep several induction variables for one loop (`i`, `4*i`, `a+4*i`), and each that the branch reads
//! would be context. A copy of the loop variable that passes through the marker as a read-write operand cuts these
//! chains: what the branch computes from it is computed in the branch. The copy is sound while the branch only reads
//! the variable; the copy is `const`, so that a write that this file cannot see is an error of nvcc and never a wrong
//! result.

use std::collections::{HashMap, HashSet};

use crate::brackets::Code;
use crate::lexer::{Line, TokenKind};
use crate::parser::introduces_lambda;
use crate::scopes;
use crate::tree::{CaseBody, NodeId, NodeKind, Tree};

const WRITES: [&str; 13] = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
/// Functions of the standard library, and operators, that do with a name what a copy cannot stand in for.
const TAKERS: [&str; 11] =
    ["addressof", "ref", "swap", "exchange", "move", "forward", "tie", "decltype", "typeof", "__typeof__", "__typeof"];

struct Macro<'s> {
    body: &'s str,
    has_parameters: bool,
}

/// What the whole file says about who may write to an argument.
pub(crate) struct Pins<'s, 'c> {
    code: &'c Code<'s>,
    tree: &'c Tree,
    macros: HashMap<&'s str, Macro<'s>>,
    /// Functions with a parameter that is a reference to something not `const`.
    takers: HashSet<&'s str>,
}

impl<'s, 'c> Pins<'s, 'c> {
    pub(crate) fn of(source: &'s str, lines: &[Line], code: &'c Code<'s>, tree: &'c Tree) -> Self {
        let define = |line| scopes::definition(source, line);
        let macros = lines
            .iter()
            .filter_map(define)
            .map(|(name, body)| (name, Macro { body, has_parameters: body.starts_with('(') }))
            .collect();
        Self { code, tree, macros, takers: reference_takers(code) }
    }

    /// The variable of loop `outer` that the marked branch of condition or case `inner` can have a copy of.
    ///
    /// `None` where the branch does not read it: the copy would only add to the context.
    pub(crate) fn variable(&self, outer: NodeId, inner: NodeId) -> Option<&'s str> {
        let then = match self.tree.nodes[inner].kind {
            NodeKind::If { then } => then,
            // Without braces around it there is no place for a copy that other cases do not see.
            NodeKind::Case { body: CaseBody { tokens: Some(tokens), closed: true } } => tokens,
            _ => return None,
        };
        self.copyable(outer, inner, then)
    }

    /// The variable of a loop that its own body can have a copy of.
    pub(crate) fn own_variable(&self, inner: NodeId, body: (usize, usize)) -> Option<&'s str> {
        self.copyable(inner, inner, body)
    }

    /// The variable of loop `outer`, if the tokens `then`, which lie in node `inner`, only read it.
    fn copyable(&self, outer: NodeId, inner: NodeId, then: (usize, usize)) -> Option<&'s str> {
        let NodeKind::For { open } = self.tree.nodes[outer].kind else { return None };
        let name = self.code.text(loop_variable(self.code, open)?);
        let redeclared = self.redeclared(name, self.code.mate(open), then.0);
        let label = self.tree.nodes[inner..]
            .iter()
            .take_while(|node| node.first <= then.1)
            .any(|node| node.kind == NodeKind::Label && node.first >= then.0);
        (!redeclared && !label && self.only_read(name, then)).then_some(name)
    }

    /// Whether another variable of this name is in scope at token `to`. Blocks that end before it hide what they declare.
    fn redeclared(&self, name: &str, from: usize, to: usize) -> bool {
        let mut i = from;
        while i < to {
            if self.code.text(i) == "{" && self.code.mate(i) < to {
                i = self.code.mate(i);
            } else if self.code.text(i) == name && i > 0 && self.code.is_name(i - 1) {
                return true;
            }
            i += 1;
        }
        false
    }

    fn only_read(&self, name: &str, (first, last): (usize, usize)) -> bool {
        let code = self.code;
        let mut used = false;
        for i in first..=last {
            let text = code.text(i);
            if text == "[" && captures(code, first, i) {
                return false;
            }
            if let Some(known) = self.macros.get(text) {
                let argument = known.has_parameters
                    && code.text(i + 1) == "("
                    && (i + 1..code.mate(i + 1)).any(|j| code.text(j) == name);
                if scopes::words(known.body).any(|word| word == name) || (argument && writes(known.body)) {
                    return false;
                }
            }
            if text == name && !matches!(code.before(i), "." | "->" | "::") {
                used = true;
                if self.written(i, first) {
                    return false;
                }
            }
        }
        used
    }

    /// Whether the use at `at` may write to the variable, as far as the text shows it.
    fn written(&self, at: usize, first: usize) -> bool {
        let code = self.code;
        let next = code.text(at + 1);
        if WRITES.contains(&next) || next == "." {
            return true;
        }
        match code.before(at) {
            "++" | "--" => true,
            "&" => !binary(code, at - 1),
            // `int &r = i`
            "=" | "{" if at >= 3 && code.is_name(at - 2) => matches!(code.text(at - 3), "&" | "&&"),
            "(" | "," if matches!(next, "," | ")") => self.passed_to_taker(at, first),
            _ => false,
        }
    }

    fn passed_to_taker(&self, at: usize, first: usize) -> bool {
        let code = self.code;
        let mut open = at - 1;
        while open > first && code.text(open) != "(" {
            match code.text(open) {
                ")" | "]" | "}" => open = code.mate(open).saturating_sub(1),
                ";" | "{" | "[" => return false,
                _ => open -= 1,
            }
        }
        let Some(mut callee) = open.checked_sub(1) else { return false };
        if code.text(callee) == ">" {
            // `f<int>(i)`
            while callee > first && code.text(callee) != "<" {
                callee -= 1;
            }
            callee = callee.saturating_sub(1);
        }
        let text = code.text(callee);
        // `asm("…" : "+r"(i))` writes to its operand.
        let output =
            code.kind(callee) == Some(TokenKind::Literal) && (text.starts_with("\"+") || text.starts_with("\"="));
        output || TAKERS.contains(&text) || self.takers.contains(text)
    }
}

/// The token of the single variable that the header at `open` declares by value.
fn loop_variable(code: &Code<'_>, open: usize) -> Option<usize> {
    let close = code.mate(open);
    let mut i = open + 1;
    while i < close && !matches!(code.text(i), "=" | "(" | "{" | ";") {
        i = match code.text(i) {
            "<" => code.behind_angles(i, close)?,
            "decltype" if code.text(i + 1) == "(" => code.mate(i + 1) + 1,
            "*" | "::" => i + 1,
            _ if code.is_name(i) => i + 1,
            _ => return None,
        };
    }
    let name = i.checked_sub(1)?;
    if name <= open + 1 || !code.is_name(name) || matches!(code.before(name), "::") {
        return None;
    }
    while i < close && code.text(i) != ";" {
        match code.text(i) {
            "," => return None,
            "(" | "[" | "{" => i = code.mate(i) + 1,
            _ => i += 1,
        }
    }
    (code.text(i) == ";" && i < close).then_some(name)
}

/// A lambda that captures something: by reference it may write, by value it would capture a `const`.
fn captures(code: &Code<'_>, first: usize, at: usize) -> bool {
    let inside = code.text(at + 1);
    inside != "]" && (introduces_lambda(code, first, at) || matches!(inside, "&" | "="))
}

/// Whether the `&` at `at` stands between two operands. Behind `)` it may also take an address after a cast.
fn binary(code: &Code<'_>, at: usize) -> bool {
    let Some(operand) = at.checked_sub(1) else { return false };
    let literal = matches!(code.kind(operand), Some(TokenKind::Number | TokenKind::Literal));
    literal || code.is_name(operand) || code.text(operand) == "]"
}

/// Whether the body of a macro writes to anything or takes an address.
fn writes(body: &str) -> bool {
    let compares = body.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", "").replace("&&", "");
    compares.contains(['=', '&'])
        || body.contains("++")
        || body.contains("--")
        || body.contains("<<=")
        || body.contains(">>=")
}

/// Names that the file declares with a reference parameter that is not `const`.
fn reference_takers<'s>(code: &Code<'s>) -> HashSet<&'s str> {
    let declares = |at: &usize| {
        *at >= 2
            && code.text(*at) == "("
            && code.is_name(at - 1)
            && (code.is_name(at - 2) || matches!(code.text(at - 2), ">" | "*" | "&"))
            && has_reference_parameter(code, *at)
    };
    (0..code.len()).filter(declares).map(|at| code.text(at - 1)).collect()
}

fn has_reference_parameter(code: &Code<'_>, open: usize) -> bool {
    let close = code.mate(open);
    let (mut constant, mut reference) = (false, false);
    for i in open + 1..=close {
        match code.text(i) {
            "const" => constant = true,
            "&" | "&&" => {
                let named = code.is_word(i + 1) || matches!(code.text(i + 1), "," | ")" | "..." | "=");
                reference |= named && (code.is_word(i - 1) || code.text(i - 1) == ">");
            }
            "," => {
                if reference && !constant {
                    return true;
                }
                (constant, reference) = (false, false);
            }
            _ => {}
        }
    }
    reference && !constant
}
