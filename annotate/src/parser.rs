//! The state of the parser, and expressions: only their lambdas and braces matter.
//!
//! The parser knows as much C++ as it takes to say where a statement ends and which function it is in, and goes on
//! somehow in text that is no C++: saying what is wrong with that is nvcc's job. Statements are in
//! [`crate::statements`], namespaces, classes and functions in [`crate::scopes`].

use crate::brackets::Code;
use crate::lexer::TokenKind;
use crate::scopes::{names_device, places_on_device};
use crate::tree::{Node, NodeId, NodeKind, Tree};

/// The depth to which statements and brackets may nest, so that no input exhausts the stack. Compilers stop at 256 brackets.
pub(crate) const DEPTH_LIMIT: usize = 256;

/// The token at which the nesting went past [`DEPTH_LIMIT`].
pub(crate) struct TooDeep(pub(crate) usize);

/// Index of the token behind what was read.
pub(crate) type Step = Result<usize, TooDeep>;

pub(crate) struct Parser<'s, 'c> {
    pub(crate) code: &'c Code<'s>,
    pub(crate) tree: Tree,
    pub(crate) parent: Option<NodeId>,
    depth: usize,
}

/// Reads a whole file.
pub(crate) fn parse(code: &Code<'_>) -> Result<Tree, TooDeep> {
    let mut parser = Parser { code, tree: Tree::default(), parent: None, depth: 0 };
    parser.declarations(0, code.len())?;
    Ok(parser.tree)
}

impl<'s> Parser<'s, '_> {
    pub(crate) fn text(&self, at: usize) -> &'s str {
        self.code.text(at)
    }

    /// Reads something one level deeper.
    pub(crate) fn deeper(&mut self, at: usize, read: impl FnOnce(&mut Self) -> Step) -> Step {
        if self.depth == DEPTH_LIMIT {
            return Err(TooDeep(at));
        }
        self.depth += 1;
        let step = read(self);
        self.depth -= 1;
        step
    }

    /// Adds a node whose end is not known yet.
    pub(crate) fn open(&mut self, kind: NodeKind, first: usize) -> NodeId {
        self.tree.add(Node { kind, first, last: first, parent: self.parent })
    }

    /// Reads what is inside node `id`, which ends where `read` does.
    pub(crate) fn inside(&mut self, id: NodeId, read: impl FnOnce(&mut Self) -> Step) -> Step {
        let outer = self.parent.replace(id);
        let step = read(self);
        self.parent = outer;
        let next = step?;
        self.tree.close(id, next);
        Ok(next)
    }

    /// Reads the function or lambda body whose brace is at `open`.
    pub(crate) fn body(&mut self, open: usize, kind: NodeKind) -> Step {
        let id = self.open(kind, open);
        self.deeper(open, |p| p.inside(id, |p| p.block(open)))
    }

    /// Reads an expression from `at`: up to `;` where `stop` asks for it, otherwise to `end`.
    pub(crate) fn expression(&mut self, at: usize, end: usize, stop: bool) -> Step {
        let mut i = at;
        while i < end {
            i = match self.text(i) {
                ";" if stop => return Ok(i + 1),
                "[" => match self.lambda(at, i, end) {
                    Some((open, device)) => self.body(open, NodeKind::lambda(device))?,
                    None => self.brackets(i)?,
                },
                // `FOREACH(i, n) { … }`: a macro that stands for a loop ends like one, without a semicolon.
                "(" if stop && i == at + 1 && self.code.is_name(at) && self.text(self.code.mate(i) + 1) == "{" => {
                    let open = self.code.mate(i) + 1;
                    self.brackets(i)?;
                    return self.deeper(open, |p| p.block(open));
                }
                "(" => self.brackets(i)?,
                "{" => self.brace(at, i)?,
                _ => i + 1,
            };
        }
        Ok(end.max(at))
    }

    /// Reads what is in the brackets at `open`.
    fn brackets(&mut self, open: usize) -> Step {
        let close = self.code.mate(open);
        self.deeper(open, |p| p.expression(open + 1, close, false))?;
        Ok(close + 1)
    }

    /// Reads a brace within an expression that began at `start`: a local class, a statement expression, or initialisers.
    fn brace(&mut self, start: usize, open: usize) -> Step {
        let close = self.code.mate(open);
        let class = (start..open).any(|i| matches!(self.text(i), "struct" | "class" | "union"));
        let assigned = self.code.before(open) == "=";
        if class && !assigned {
            self.deeper(open, |p| p.declarations(open + 1, close))?;
        } else if self.code.before(open) == "(" {
            self.deeper(open, |p| p.block(open))?;
        } else {
            self.deeper(open, |p| p.expression(open + 1, close, false))?;
        }
        Ok(close + 1)
    }

    /// The body of the lambda whose introducer is at `at`, and whether it runs on the GPU.
    pub(crate) fn lambda(&self, start: usize, at: usize, end: usize) -> Option<(usize, bool)> {
        let code = self.code;
        if !introduces_lambda(code, start, at) {
            return None;
        }
        let mut i = code.mate(at) + 1;
        if code.text(i) == "<" {
            i = code.behind_angles(i, end)?;
        }
        let (mut host, mut device) = (false, false);
        while i < end {
            match code.text(i) {
                "{" => {
                    let inherited = self.tree.function(self.parent).map(|id| self.tree.kind(id));
                    let inherited = matches!(inherited, Some(NodeKind::Function { device: true, .. }));
                    return Some((i, device || (inherited && !host)));
                }
                "(" => {
                    device |= places_on_device(code, i);
                    host |= code.before(i) == "__attribute__" && (i..code.mate(i)).any(|at| code.text(at) == "host");
                    i = code.mate(i);
                }
                "[" => i = code.mate(i),
                ";" | "," | ")" | "]" | "}" | "=" => return None,
                "__host__" => host = true,
                word => device |= names_device(word),
            }
            i += 1;
        }
        None
    }
}

/// Returns true if the `[` at `at`, in an expression that began at `start`, begins a lambda and not a subscript or attribute.
pub(crate) fn introduces_lambda(code: &Code<'_>, start: usize, at: usize) -> bool {
    if code.text(at) != "[" || code.text(at + 1) == "[" {
        return false;
    }
    if at <= start {
        return true;
    }
    let literal = matches!(code.kind(at - 1), Some(TokenKind::Number | TokenKind::Literal));
    let operand = literal || code.is_name(at - 1) || matches!(code.text(at - 1), ")" | "]" | "}" | ">");
    !operand && !matches!(code.text(at - 1), "delete" | "operator" | "[")
}
