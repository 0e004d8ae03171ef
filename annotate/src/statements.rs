//! Statements: where each loop, condition and label begins and ends.

use crate::parser::{Parser, Step};
use crate::tree::{CaseBody, NodeKind};

impl Parser<'_, '_> {
    /// Reads the block whose brace is at `open`.
    pub(crate) fn block(&mut self, open: usize) -> Step {
        let close = self.code.mate(open);
        let mut i = open + 1;
        while i < close {
            // A statement takes at least one token, so that the loop ends whatever the text is.
            i = self.statement(i, close)?.max(i + 1);
        }
        Ok(close + 1)
    }

    /// Reads one statement from `at`, at most up to `end`.
    pub(crate) fn statement(&mut self, at: usize, end: usize) -> Step {
        self.deeper(at, |p| p.statement_here(at, end))
    }

    fn statement_here(&mut self, at: usize, end: usize) -> Step {
        let i = self.behind_labels(at, end);
        if i >= end {
            return Ok(end);
        }
        let parenthesised = self.text(i + 1) == "(";
        match self.text(i) {
            "{" => self.block(i),
            "if" => self.conditional(i, end),
            "for" if parenthesised => {
                let id = self.open(NodeKind::For { open: i + 1 }, i);
                self.inside(id, |p| p.headed(i + 1, end))
            }
            "while" if parenthesised => {
                let id = self.open(NodeKind::While { open: i + 1 }, i);
                self.inside(id, |p| p.headed(i + 1, end))
            }
            "switch" if parenthesised => self.headed(i + 1, end),
            "do" => {
                let id = self.open(NodeKind::Do { behind: i + 1 }, i);
                self.inside(id, |p| {
                    let behind = p.statement(i + 1, end)?;
                    p.tree.set_kind(id, NodeKind::Do { behind });
                    p.expression(behind.min(end), end, true)
                })
            }
            "try" => {
                let mut next = self.statement(i + 1, end)?;
                while next < end && self.text(next) == "catch" && self.text(next + 1) == "(" {
                    next = self.headed(next + 1, end)?;
                }
                Ok(next)
            }
            ";" => Ok(i + 1),
            _ => self.expression(i, end, true),
        }
    }

    /// Reads a header in parentheses and the statement that it governs.
    fn headed(&mut self, open: usize, end: usize) -> Step {
        let close = self.code.mate(open);
        self.expression(open + 1, close, false)?;
        self.statement(close + 1, end)
    }

    /// Reads an `if` and its `else` branches. A chain of `else if` is read in a loop, because generated code has long ones.
    fn conditional(&mut self, at: usize, end: usize) -> Step {
        let outer = self.parent;
        let mut chain = Vec::new();
        let mut keyword = at;
        let next = loop {
            let mut open = keyword + 1;
            while open < end && matches!(self.text(open), "constexpr" | "consteval" | "!" | "not") {
                open += 1;
            }
            if !matches!(self.text(open), "(" | "{") || open >= end {
                break self.expression(keyword + 1, end, true);
            }
            let id = self.open(NodeKind::If { then: (keyword, keyword) }, keyword);
            chain.push(id);
            self.parent = Some(id);
            let mut then = open;
            if self.text(open) == "(" {
                let close = self.code.mate(open);
                if let Err(deep) = self.expression(open + 1, close, false) {
                    break Err(deep);
                }
                then = close + 1;
            }
            let behind = match self.statement(then, end) {
                Ok(behind) => behind,
                Err(deep) => break Err(deep),
            };
            self.tree.set_kind(id, NodeKind::If { then: (then, behind.max(then + 1) - 1) });
            if self.text(behind) != "else" || behind >= end {
                break Ok(behind);
            }
            if self.text(behind + 1) != "if" {
                break self.statement(behind + 1, end);
            }
            keyword = behind + 1;
        };
        self.parent = outer;
        let next = next?;
        for id in chain {
            self.tree.close(id, next);
        }
        Ok(next)
    }

    /// The token behind labels, attributes and `_Pragma`s, and behind an `else` that belongs to nothing.
    fn behind_labels(&mut self, at: usize, end: usize) -> usize {
        let mut i = at;
        let mut cases = Vec::new();
        while i < end {
            let next = behind_label(self.code, i, end);
            if next == i && self.text(i) != "else" {
                break;
            }
            if next > i && matches!(self.text(i), "case" | "default") {
                let unknown = CaseBody { tokens: None, closed: false };
                cases.push(self.open(NodeKind::Case { body: unknown }, i));
            } else if self.text(i + 1) == ":" && self.code.is_name(i) {
                self.open(NodeKind::Label, i);
            }
            i = next.max(i + 1);
        }
        if !cases.is_empty() {
            let body = self.case_body(i, end);
            cases.into_iter().for_each(|id| self.tree.set_kind(id, NodeKind::Case { body }));
        }
        i
    }

    /// The statements from `first` on that belong to the case whose label stands before them, in a `switch` that ends at `end`.
    fn case_body(&self, first: usize, end: usize) -> CaseBody {
        let mut i = first;
        while i < end {
            // Behind anything else, such as a condition, a label or `else`, it may belong to another statement.
            let begins = i == first || matches!(self.text(i - 1), ";" | "}");
            match self.text(i) {
                "(" | "{" => i = self.code.mate(i),
                "[" if begins && self.text(i + 1) == "[" && self.text(i + 2) == "fallthrough" => break,
                "[" => i = self.code.mate(i),
                "break" if begins => break,
                "case" | "default" if begins => break,
                // `switch (x) case 1: …` without braces: whose label that is takes a compiler to say.
                "case" => return CaseBody { tokens: None, closed: false },
                _ => {}
            }
            i += 1;
        }
        let behind = i.min(end);
        if behind <= first {
            return CaseBody { tokens: None, closed: false };
        }
        let last = behind - 1;
        let block = self.text(first) == "{" && self.code.mate(first) == last;
        let inner_break = last >= first + 3
            && (self.text(last - 2), self.text(last - 1)) == ("break", ";")
            && matches!(self.text(last - 3), ";" | "}" | "{");
        if block && inner_break {
            // `{ …; break; }`: the path ends before the `break`, so that every way through it comes to its end.
            let tokens = Some((first + 1, last - 3)).filter(|(first, last)| first <= last);
            return CaseBody { tokens, closed: true };
        }
        let final_break = self.text(behind) == "break" && behind + 2 >= end;
        CaseBody { tokens: Some((first, last)), closed: block || behind == end || final_break }
    }
}

/// The token behind the label, attribute or `_Pragma` at `at`; `at` itself where there is none.
pub(crate) fn behind_label(code: &crate::brackets::Code<'_>, at: usize, end: usize) -> usize {
    match code.text(at) {
        "case" => {
            let mut i = at + 1;
            while i < end && !matches!(code.text(i), ":" | ";" | "}") {
                i = if matches!(code.text(i), "(" | "[" | "{") { code.mate(i) + 1 } else { i + 1 };
            }
            if code.text(i) == ":" && i < end { i + 1 } else { at }
        }
        "[" if code.text(at + 1) == "[" => code.mate(at) + 1,
        "_Pragma" if code.text(at + 1) == "(" => code.mate(at + 1) + 1,
        _ if code.is_name(at) && code.text(at + 1) == ":" && at + 1 < end => at + 2,
        _ => at,
    }
}
