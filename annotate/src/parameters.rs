//! The parameters of a kernel, which PTX numbers: their names, and which of them are `__restrict__` pointers. PTX keeps neither.

use crate::brackets::Code;

/// A parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter<'s> {
    pub(crate) name: &'s str,
    /// It is a pointer that is declared `__restrict__`.
    pub(crate) restricted: bool,
}

/// Returns the parameters of the list that the parenthesis at `open` begins. It ends at a pack, which can be any number of parameters, and at one
/// without a name.
pub(crate) fn parameters<'s>(code: &Code<'s>, open: usize) -> Vec<Parameter<'s>> {
    let close = code.mate(open);
    let mut found = Vec::new();
    let mut first = open + 1;
    while first < close {
        let last = end(code, first, close);
        let Some(parameter) = parameter(code, first, last) else { break };
        found.push(parameter);
        first = last + 1;
    }
    found
}

/// The token behind a parameter: a comma, or the end of the list.
fn end(code: &Code<'_>, first: usize, close: usize) -> usize {
    let mut at = first;
    while at < close {
        match code.text(at) {
            "," => return at,
            "(" | "[" | "{" => at = code.mate(at),
            "<" => at = code.behind_angles(at, close).map_or(at, |behind| behind - 1),
            _ => {}
        }
        at += 1;
    }
    close
}

fn parameter<'s>(code: &Code<'s>, first: usize, last: usize) -> Option<Parameter<'s>> {
    let mut name = None;
    let (mut pointer, mut restricted) = (false, false);
    let mut at = first;
    while at < last {
        match code.text(at) {
            "..." => return None,
            "=" => break,
            "*" => (pointer, restricted) = (true, false),
            "__restrict__" | "__restrict" => restricted = pointer,
            // A pointer to an array or a function, which holds the name; another one is an attribute.
            "(" if name.is_none() && matches!(code.text(at + 1), "*" | "&") => {
                let inner = at + 1..code.mate(at);
                restricted = inner.clone().any(|i| matches!(code.text(i), "__restrict__" | "__restrict"));
                name = inner.rev().find(|&i| code.is_name(i) && !code.text(i).starts_with("__restrict"));
                at = code.mate(at);
            }
            "(" | "[" | "{" => at = code.mate(at),
            "<" => at = code.behind_angles(at, last)? - 1,
            _ if at > first && code.is_name(at) => name = Some(at),
            _ => {}
        }
        at += 1;
    }
    name.map(|at| Parameter { name: code.text(at), restricted })
}
