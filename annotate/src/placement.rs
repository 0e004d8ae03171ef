//! Directives to the statements they mark, and the checks that need to know where these stand.

use std::collections::{HashMap, HashSet};

use crate::Kind;
use crate::brackets::Code;
use crate::directives::Parsed;
use crate::error::Error;
use crate::lexer::{Line, LineKind, looks_like_directive};
use crate::lines::Lines;
use crate::statements::behind_label;
use crate::tree::{CaseBody, NodeId, NodeKind, Tree};

/// A directive with its statement.
pub(crate) struct Placed {
    pub(crate) parsed: Parsed,
    /// The statement, or for `#CCC recursive` what is around it.
    pub(crate) node: NodeId,
    /// The statement's first token.
    pub(crate) first: usize,
    /// The bytes of pragmas that say how the loop is unrolled.
    pub(crate) unrolling: Vec<(usize, usize)>,
}

/// The input for the placing of directives.
pub(crate) struct Site<'a, 's> {
    pub(crate) code: &'a Code<'s>,
    pub(crate) tree: &'a Tree,
    pub(crate) lines: &'a [Line],
    pub(crate) places: &'a Lines<'s>,
}

impl Site<'_, '_> {
    /// Finds the statement of each directive. `errors` gets one entry for each that has none, or none that can be marked.
    pub(crate) fn place(&self, directives: &[Parsed], errors: &mut Vec<Error>) -> Vec<Placed> {
        let mut placed: Vec<Placed> = Vec::new();
        let mut marked: HashSet<usize> = HashSet::new();
        for parsed in directives {
            match self.statement(parsed) {
                Err(error) => errors.push(error),
                Ok((_, first)) if !marked.insert(first) => {
                    let target_line = self.places.line(self.code.start(first));
                    errors.push(Error::Repeated { at: parsed.at, target_line });
                }
                Ok((node, first)) => {
                    let repeats = matches!(parsed.kind, Kind::For { .. } | Kind::While);
                    let unrolling = if repeats { self.unrolling(first) } else { Vec::new() };
                    placed.push(Placed { parsed: parsed.clone(), node, first, unrolling });
                }
            }
        }
        placed
    }

    /// The loop around a statement, in the same function, that is among the `annotated` ones; else the function itself, if it is.
    pub(crate) fn enclosing_loop(&self, one: &Placed, annotated: &HashMap<NodeId, u32>) -> Option<NodeId> {
        let node = self.tree.node(one.node);
        let around = if node.first == one.first { node.parent } else { Some(one.node) };
        self.tree
            .around(around)
            .take_while(|&id| !matches!(self.tree.kind(id), NodeKind::Function { .. }))
            .filter(|&id| match *self.tree.kind(id) {
                NodeKind::For { open } => one.first > self.code.mate(open),
                _ => false,
            })
            .find(|id| annotated.contains_key(id))
            .or_else(|| self.tree.function(Some(one.node)).filter(|id| annotated.contains_key(id)))
    }

    /// The statement of a directive and its first token.
    fn statement(&self, parsed: &Parsed) -> Result<(NodeId, usize), Error> {
        let at = parsed.at;
        if let Kind::Grid { .. } = parsed.kind {
            let around = self.tree.innermost(parsed.next);
            let whole = around.filter(|&id| matches!(self.tree.kind(id), NodeKind::Function { .. }));
            return whole.map(|id| (id, self.tree.node(id).first)).ok_or(Error::GridInside { at });
        }
        let keyword = self.keyword(parsed.kind, parsed.next);
        if parsed.kind == Kind::Recursive {
            return self.call(parsed, keyword);
        }
        let found = self.tree.statement(keyword).map(|id| (id, self.tree.node(id)));
        let (node, _) = match (parsed.kind, found) {
            (Kind::For { .. }, Some((id, node))) if matches!(node.kind, NodeKind::For { .. }) => (id, node),
            (Kind::While, Some((id, node)))
                if matches!(node.kind, NodeKind::For { .. } | NodeKind::While { .. } | NodeKind::Do { .. }) =>
            {
                (id, node)
            }
            (Kind::While, _) => return Err(Error::NoSteps { at, found: self.describe(keyword) }),
            (Kind::For { .. } | Kind::Grid { .. } | Kind::Recursive, _) => {
                return Err(Error::NoLoop { at, found: self.describe(keyword) });
            }
            (Kind::If, Some((id, node))) => match node.kind {
                NodeKind::If { then: (first, last) } => {
                    self.check_condition(parsed, keyword)?;
                    let empty = matches!((self.code.text(first), last - first), (";", 0) | ("{", 1));
                    if empty && self.code.text(last + 1) == "else" {
                        return Err(Error::EmptyIf { at });
                    }
                    (id, node)
                }
                _ => return Err(Error::NoIf { at, found: self.describe(keyword) }),
            },
            (Kind::Case, Some((id, node))) => match node.kind {
                NodeKind::Case { body: CaseBody { tokens: Some(_), .. } } => (id, node),
                NodeKind::Case { .. } => return Err(Error::EmptyCase { at }),
                _ => return Err(Error::NoCase { at, found: self.describe(keyword) }),
            },
            (Kind::Case, None) => return Err(Error::NoCase { at, found: self.describe(keyword) }),
            (Kind::If, None) if self.code.text(keyword) == "else" => return Err(Error::BeforeElse { at }),
            (Kind::If, None) => return Err(Error::NoIf { at, found: self.describe(keyword) }),
        };
        Ok((node, self.tree.node(node).first))
    }

    /// The statement with the call of a recursive function; no more is known of it than what is around it.
    fn call(&self, parsed: &Parsed, first: usize) -> Result<(NodeId, usize), Error> {
        let at = parsed.at;
        let around = self.tree.innermost(first).filter(|_| !matches!(self.code.text(first), "" | "}" | "{" | ";"));
        let node = around.ok_or_else(|| Error::NoCall { at, found: self.describe(first) })?;
        if !self.calls(first) {
            return Err(Error::NoCall { at, found: "a statement without a call".to_owned() });
        }
        Ok((node, first))
    }

    /// The last token of the statement that begins at token `first`.
    pub(crate) fn statement_end(&self, first: usize) -> usize {
        if let Some(id) = self.tree.statement(first) {
            return self.tree.node(id).last;
        }
        let mut at = first;
        while at < self.code.len() && !matches!(self.code.text(at), ";" | "}") {
            at = self.code.mate(at).max(at) + 1;
        }
        at.min(self.code.len().saturating_sub(1))
    }

    /// Returns true if a function is called in the statement that begins at token `first`.
    fn calls(&self, first: usize) -> bool {
        let called = |at: usize| self.code.is_name(at) || matches!(self.code.text(at), ">" | ")" | "]");
        (first + 1..=self.statement_end(first)).any(|at| self.code.text(at) == "(" && called(at - 1))
    }

    /// The keyword that the directive is about, from the token below it: behind labels for a loop or a condition, and behind the `else`
    /// of a chain for the condition that goes on with it.
    fn keyword(&self, kind: Kind, next: usize) -> usize {
        let mut keyword = next;
        if kind == Kind::Case {
            while self.code.text(keyword) == "[" && self.code.text(keyword + 1) == "[" {
                keyword = self.code.mate(keyword) + 1;
            }
            return keyword;
        }
        loop {
            let behind = behind_label(self.code, keyword, self.code.len());
            if behind == keyword {
                break;
            }
            keyword = behind;
        }
        let word = |offset: usize| self.code.text(keyword + offset);
        match (kind, word(0), word(1), word(2)) {
            (Kind::If, "else", "if", _) => keyword + 1,
            (Kind::If, "}", "else", "if") => keyword + 2,
            _ => keyword,
        }
    }

    /// The function around a directive.
    pub(crate) fn function(&self, parsed: &Parsed) -> Option<NodeId> {
        self.tree.function(self.tree.innermost(parsed.next))
    }

    /// The function around a directive, as in "function `main`", if nothing says that it runs on the GPU.
    pub(crate) fn host_function(&self, parsed: &Parsed) -> Option<String> {
        match self.function(parsed).map(|id| self.tree.kind(id))? {
            NodeKind::Function { device: false, name: Some(name), .. } => Some(format!("`{}`", self.code.text(*name))),
            NodeKind::Function { device: false, name: None, .. } => Some("its function".into()),
            _ => None,
        }
    }

    /// Returns true if a directive stands in a function that the compiler may evaluate.
    pub(crate) fn may_be_constant(&self, parsed: &Parsed) -> bool {
        let function = self.function(parsed).map(|id| self.tree.kind(id));
        matches!(function, Some(NodeKind::Function { constant: true, .. }))
    }

    fn check_condition(&self, parsed: &Parsed, keyword: usize) -> Result<(), Error> {
        let mut next = keyword + 1;
        while matches!(self.code.text(next), "!" | "not") {
            next += 1;
        }
        match self.code.text(next) {
            word @ ("constexpr" | "consteval") => Err(Error::CompileTimeIf { at: parsed.at, keyword: word.to_owned() }),
            _ => Ok(()),
        }
    }

    /// Names the token `at`, for a message about a directive that wants something else.
    fn describe(&self, at: usize) -> String {
        match self.code.text(at) {
            // It would have been taken in the statements of a function.
            text @ ("for" | "while" | "do" | "if" | "case" | "default")
                if self.tree.statement(at).is_none() && self.code.text(at + 1) != "constexpr" =>
            {
                format!("a `{text}` that is in the statements of no function")
            }
            "" => "the end of the file".into(),
            "}" => "the end of the block".into(),
            text if text.len() > 40 => "something else".into(),
            text => format!("`{text}`"),
        }
    }

    /// The bytes of the pragmas above a statement by which the user says how a loop is unrolled.
    fn unrolling(&self, first: usize) -> Vec<(usize, usize)> {
        let above = self.above(first).iter().filter(|line| unrolls(&line.visible));
        above.map(|line| (line.start, line.end)).collect()
    }

    /// The preprocessor lines between a token and the one before it.
    fn above(&self, token: usize) -> &[Line] {
        let from = self.lines.partition_point(|line| line.next < token);
        let to = self.lines.partition_point(|line| line.next <= token);
        self.lines.get(from..to).unwrap_or_default()
    }

    /// The byte at which text stands in front of a token, and in front of the pragmas that are about the statement that it begins.
    pub(crate) fn front(&self, token: usize) -> usize {
        let pragma = self
            .above(token)
            .iter()
            .any(|line| line.kind == LineKind::Preprocessor && !looks_like_directive(line.visible.trim_start()));
        if pragma && token > 0 { self.code.end(token - 1) } else { self.code.start(token) }
    }
}

/// Returns true if a preprocessor line says how a loop is unrolled.
fn unrolls(line: &str) -> bool {
    let pragma = line.trim_start().trim_start_matches('#').trim_start().strip_prefix("pragma").map(str::trim_start);
    let word = pragma.and_then(|text| text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next());
    matches!(word, Some("unroll" | "nounroll"))
}
