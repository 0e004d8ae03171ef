//! Directives to the statements they mark, and the checks that need to know where these stand.

use std::collections::{HashMap, HashSet};

use crate::brackets::Code;
use crate::directives::Parsed;
use crate::error::Error;
use crate::lexer::Line;
use crate::lines::Lines;
use crate::statements::behind_label;
use crate::tree::{CaseBody, NodeId, NodeKind, Tree};
use crate::{Kind, Note};

/// A directive with its statement.
pub(crate) struct Placed {
    pub(crate) parsed: Parsed,
    /// The statement, or for `#CCC recursive` what is around it.
    pub(crate) node: NodeId,
    /// The statement's first token.
    pub(crate) first: usize,
    /// Byte ranges that go: the directive itself and the pragmas that it replaces.
    pub(crate) removed: Vec<(usize, usize)>,
    pub(crate) notes: Vec<Note>,
}

/// What placing looks at.
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
                    let (removed, notes) = (Vec::new(), Vec::new());
                    let mut one = Placed { parsed: parsed.clone(), node, first, removed, notes };
                    self.clear_the_way(&mut one);
                    placed.push(one);
                }
            }
        }
        placed
    }

    /// The loop around a statement, in the same function, that is among the `annotated` ones; else the function itself, if it is.
    pub(crate) fn enclosing_loop(&self, one: &Placed, annotated: &HashMap<NodeId, u32>) -> Option<NodeId> {
        let own = self.tree.nodes[one.node].first == one.first;
        let around = if own { self.tree.nodes[one.node].parent } else { Some(one.node) };
        self.tree
            .around(around)
            .take_while(|&id| !matches!(self.tree.nodes[id].kind, NodeKind::Function { .. }))
            .filter(|&id| match self.tree.nodes[id].kind {
                NodeKind::For { open } => one.first > self.code.mate(open),
                _ => false,
            })
            .find(|id| annotated.contains_key(id))
            .or_else(|| self.tree.function(Some(one.node)).filter(|id| annotated.contains_key(id)))
    }

    /// The statement of a directive and its first token.
    fn statement(&self, parsed: &Parsed) -> Result<(NodeId, usize), Error> {
        let at = parsed.at;
        let line = &self.lines[parsed.line];
        self.check_function(parsed, line.next)?;
        if let Kind::Grid { .. } = parsed.kind {
            let around = self.tree.innermost(line.next);
            let whole = around.filter(|&id| matches!(self.tree.nodes[id].kind, NodeKind::Function { .. }));
            return whole.map(|id| (id, self.tree.nodes[id].first)).ok_or(Error::GridInside { at });
        }
        let keyword = self.keyword(parsed.kind, line.next);
        if parsed.kind == Kind::Recursive {
            return self.call(parsed, keyword);
        }
        let found = self.tree.statement(keyword).map(|id| (id, &self.tree.nodes[id]));
        let (node, first, last, what) = match (parsed.kind, found) {
            (Kind::For { .. }, Some((id, node))) if matches!(node.kind, NodeKind::For { .. }) => {
                (id, node.first, node.last, "loop")
            }
            (Kind::While, Some((id, node)))
                if matches!(node.kind, NodeKind::For { .. } | NodeKind::While { .. } | NodeKind::Do { .. }) =>
            {
                (id, node.first, node.last, "loop")
            }
            (Kind::While, _) => return Err(Error::NoSteps { at, found: self.describe(keyword) }),
            (Kind::For { .. } | Kind::Grid { .. } | Kind::Recursive, _) => {
                return Err(Error::NoLoop { at, found: self.describe(keyword) });
            }
            (Kind::If, Some((id, node))) => match node.kind {
                NodeKind::If { then } => {
                    self.check_condition(parsed, keyword)?;
                    (id, then.0, then.1, "branch")
                }
                _ => return Err(Error::NoIf { at, found: self.describe(keyword) }),
            },
            (Kind::Case, Some((id, node))) => match node.kind {
                NodeKind::Case { body: CaseBody { tokens: Some((first, last)), .. } } => (id, first, last, "case"),
                NodeKind::Case { .. } => return Err(Error::EmptyCase { at }),
                _ => return Err(Error::NoCase { at, found: self.describe(keyword) }),
            },
            (Kind::Case, None) => return Err(Error::NoCase { at, found: self.describe(keyword) }),
            (Kind::If, None) if self.code.text(keyword) == "else" => return Err(Error::BeforeElse { at }),
            (Kind::If, None) => return Err(Error::NoIf { at, found: self.describe(keyword) }),
        };
        if self.code.group(keyword) != line.group {
            return Err(Error::SplitByConditional { at, what: "pair of directive and statement" });
        }
        if self.code.group(first) != self.code.group(last) {
            return Err(Error::SplitByConditional { at, what });
        }
        Ok((node, self.tree.nodes[node].first))
    }

    /// The statement with the call of a recursive function; no more is known of it than what is around it.
    fn call(&self, parsed: &Parsed, first: usize) -> Result<(NodeId, usize), Error> {
        let at = parsed.at;
        let around = self.tree.innermost(first).filter(|_| !matches!(self.code.text(first), "" | "}" | "{" | ";"));
        let node = around.ok_or_else(|| Error::NoCall { at, found: self.describe(first) })?;
        if self.code.group(first) != self.lines[parsed.line].group {
            return Err(Error::SplitByConditional { at, what: "pair of directive and statement" });
        }
        Ok((node, first))
    }

    /// The keyword that the directive is about, from the token below it: behind labels for a loop or a condition, and behind the `else`
    /// of a chain for the condition that goes on with it.
    fn keyword(&self, kind: Kind, next: usize) -> usize {
        if kind == Kind::Case {
            return next;
        }
        let mut keyword = next;
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

    fn check_function(&self, parsed: &Parsed, next: usize) -> Result<(), Error> {
        let at = parsed.at;
        let function = self.tree.function(self.tree.innermost(next)).map(|id| &self.tree.nodes[id].kind);
        match function {
            Some(NodeKind::Function { device: true, .. }) => Ok(()),
            Some(NodeKind::Function { name: Some(name), .. }) => {
                Err(Error::HostCode { at, function: format!("function `{}`", self.code.text(*name)) })
            }
            Some(_) => Err(Error::HostCode { at, function: "this function".into() }),
            None => Err(Error::OutsideFunction { at }),
        }
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

    /// What stands at token `at`, for a message.
    fn describe(&self, at: usize) -> String {
        match self.code.text(at) {
            "" => "the end of the file".into(),
            "}" => "the end of the block".into(),
            text if text.len() > 40 => "something else".into(),
            text => format!("`{text}`"),
        }
    }

    /// Marks the directive for removal and, for a loop, pragmas that would unroll it or now stand before a block.
    fn clear_the_way(&self, one: &mut Placed) {
        let line = &self.lines[one.parsed.line];
        one.removed.extend(one.parsed.ranges(self.lines));
        if !matches!(one.parsed.kind, Kind::For { .. } | Kind::While) {
            return;
        }
        let keyword = one.first;
        let from = self.lines.partition_point(|l| l.next < line.next);
        for pragma in self.lines[from..].iter().take_while(|l| l.next <= keyword) {
            let text = pragma.visible.trim_start().trim_start_matches('#').trim_start();
            if let Some(text) = text.strip_prefix("pragma").map(str::trim).filter(|t| unrolls(t)) {
                self.drop_pragma(one, (pragma.start, pragma.end), &format!("#pragma {text}"), text);
            }
        }
        let mut operator = line.next;
        while self.code.before(operator) == ")" {
            let name = self.code.mate(operator - 1).wrapping_sub(1);
            if self.code.text(name) != "_Pragma" {
                break;
            }
            operator = name;
        }
        for i in (operator..keyword).filter(|&i| self.code.text(i) == "_Pragma") {
            let text = self.code.text(i + 2).trim_matches('"').trim();
            if unrolls(text) {
                let range = (self.code.start(i), self.code.end(self.code.mate(i + 1)));
                self.drop_pragma(one, range, &format!("_Pragma(\"{text}\")"), text);
            }
        }
    }

    fn drop_pragma(&self, one: &mut Placed, range: (usize, usize), shown: &str, text: &str) {
        one.removed.push(range);
        if text != "unroll 1" && text != "nounroll" {
            let place = self.places.place(range.0, range.1);
            let message = format!("`{shown}` is left out: an annotated loop is not unrolled");
            one.notes.push(Note { line: place.line, column: place.column, message });
        }
    }
}

fn unrolls(pragma: &str) -> bool {
    let word = pragma.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    matches!(word, Some("unroll" | "nounroll"))
}
