//! The canonical form of a module: every text that says the same, in one layout.
//!
//! One statement per line, tabs in front (one more in each scope), labels at the margin, one blank where tokens need one, integers in decimal,
//! floats as their bits, parameters and debug entries one per line, lists wrapped at 100 columns, at most one empty line in a row.
//! Comments stay where they stand, in a line of their own or behind a statement.
//!
//! Instructions are printed from their parts. Declarations and directives are laid out as tokens, so that nothing is lost that the
//! representation does not hold.

use std::mem::swap;

use super::line::{Lines, broken_by_line_feeds};
use super::tokens::{Kind, Token, tokens};
use crate::kernel::Kernel;
use crate::module::{ItemKind, Module};
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::syntax::lexical::past;
use crate::syntax::literal::{Number, number};
use crate::syntax::section::is_entry;

impl Module {
    /// The module in canonical layout. It reads as the same module, and its canonical form is itself.
    ///
    /// `ptxas` makes the same machine code of it: all sections of the cubin are the same byte for byte, except, with `-lineinfo` or `-g`,
    /// `.nv_debug_ptx_txt`, which holds the names and the text of the PTX, and `.nv_debug_line_sass`, which leads from machine instructions
    /// to lines of the PTX, with their relocations (`.rela…`) and copies (`.nv.merc…`). `.debug_line` leads to lines of the user's source and stays.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut lines = Lines::default();
        for item in &self.items {
            match self.kernel_of(item) {
                Some(kernel) => {
                    let lead = unmarked(super::lead(self, item));
                    let list: Vec<_> = tokens(lead).collect();
                    between(&mut lines, &list);
                    // The blanks in front of the header are not part of it.
                    let blanks = lead.trim_start().is_empty() || lead.ends_with(char::is_whitespace);
                    let breaks = past(lead, lead.trim_end().len()).matches('\n').count();
                    lines.next(if blanks { breaks } else { 1 });
                    kernel.lay_out(&mut lines);
                }
                None => lay_out_item(&mut lines, item.kind(), item.text(&self.source)),
            }
        }
        let tail = self.source.get(self.tail.start as usize..self.tail.end as usize).unwrap_or("");
        between(&mut lines, &tokens(tail).filter(Token::is_comment).collect::<Vec<_>>());
        lines.next(1);
        lines.out
    }
}

/// The tokens of a text, commas and semicolons in front of the comments that stand before them: `a // the first` and a comma in the next
/// line become `a, // the first`.
fn settled(text: &str) -> Vec<Token<'_>> {
    let mut list: Vec<_> = tokens(text).collect();
    for index in 1..list.len() {
        for at in (1..=index).rev() {
            match list.get_mut(at - 1..=at) {
                Some([before, mark]) if (mark.is(",") || mark.is(";")) && before.is_comment() => swap(before, mark),
                _ => break,
            }
        }
    }
    list
}

/// Comments between two items. One that stands behind the first item on its line stays there.
fn between(lines: &mut Lines, comments: &[Token<'_>]) {
    for comment in comments {
        match comment.breaks {
            0 => lines.comment_behind(comment),
            _ => lines.comment(comment),
        }
    }
}

/// Comments in front of a statement. The first begins a line unless it stays `behind` what is there; others stay on the line on which
/// they stand.
fn in_front(lines: &mut Lines, comments: &[Token<'_>], behind: bool) {
    for (index, comment) in comments.iter().enumerate() {
        match comment.breaks == 0 && (index > 0 || behind) {
            true => lines.comment_behind(comment),
            false => lines.comment(comment),
        }
    }
}

/// A text without the byte order mark, which is no token of the language.
fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn lay_out_item(lines: &mut Lines, kind: &ItemKind, text: &str) {
    let text = unmarked(text);
    let list = settled(text);
    let start = list.iter().take_while(|token| token.is_comment()).count();
    let (comments, rest) = list.split_at_checked(start).unwrap_or((&list, &[]));
    between(lines, comments);
    let Some(first) = rest.first() else { return };
    lines.next(first.breaks);
    let word = first.text;
    let has_lines = |token: &Token<'_>| token.is_comment() && token.text.contains('\n');
    match kind {
        ItemKind::Version(major, minor) => lines.write(&format!(".version {major}.{minor}")),
        _ if word == ".section" && !list.iter().any(has_lines) => section(lines, &with_dots(text, rest)),
        // What nobody lays out stays: sections with comments of several lines, and `@@DWARF` lines of old compilers, which nobody reads.
        _ if word == ".section" || past(text, first.at).starts_with("@@") => {
            lines.write(&broken_by_line_feeds(past(text, first.at).trim_end()));
        }
        _ => return lines.tokens(rest),
    }
    if !matches!(kind, ItemKind::Version(..)) {
        return;
    }
    rest.iter().filter(|token| token.is_comment()).for_each(|comment| lines.comment_behind(comment));
}

/// The tokens of a debug section, a name that has dots inside as one. clang writes such names of OpenCL's local variables.
fn with_dots<'t>(text: &'t str, list: &[Token<'t>]) -> Vec<Token<'t>> {
    let mut out: Vec<Token<'t>> = Vec::with_capacity(list.len());
    for token in list {
        match out.last_mut() {
            Some(name)
                if (name.kind, token.kind) == (Kind::Word, Kind::Dotted)
                    && name.at + name.text.len() == token.at
                    && !begins_entry(token) =>
            {
                name.text = text.get(name.at..token.at + token.text.len()).unwrap_or(name.text);
            }
            _ => out.push(*token),
        }
    }
    out
}

fn begins_entry(token: &Token<'_>) -> bool {
    token.text.strip_prefix('.').is_some_and(is_entry)
}

/// A debug section: one entry per line.
fn section(lines: &mut Lines, list: &[Token<'_>]) {
    let Some(open) = list.iter().position(|token| token.is("{")) else { return lines.tokens(list) };
    let close = list.iter().rposition(|token| token.is("}")).unwrap_or(list.len());
    lines.tokens(list.get(..open).unwrap_or(&[]));
    lines.next(1);
    lines.write("{");
    lines.depth += 1;
    let inside = list.get(open + 1..close).unwrap_or(&[]);
    let begins = |index: usize| {
        let Some(token) = inside.get(index) else { return true };
        let is_label = token.kind == Kind::Word && inside.get(index + 1).is_some_and(|next| next.is(":"));
        begins_entry(token) || is_label || (token.is_comment() && token.breaks > 0)
    };
    let mut start = 0;
    for end in (1..=inside.len()).filter(|&end| begins(end)) {
        let entry = inside.get(start..end).unwrap_or(&[]);
        lines.next(entry.first().map_or(1, |token| token.breaks.max(1)));
        lines.tokens(entry);
        start = end;
    }
    lines.depth -= 1;
    lines.next(1);
    lines.tokens(list.get(close..).unwrap_or(&[]));
}

impl Kernel {
    fn lay_out(&self, lines: &mut Lines) {
        let header = settled(self.header_text());
        lay_out_header(lines, &header);
        for directive in &self.edits.directives {
            lines.next(1);
            lines.write(directive);
        }
        if self.body.is_none() {
            return lines.write(";");
        }
        lines.next(1);
        lines.write("{");
        lines.depth = 1;
        let mut declarations = String::new();
        // Writing to a string does not fail.
        let _ = self.write_new_declarations(&mut declarations);
        for line in declarations.lines().filter(|line| !line.is_empty()) {
            lines.next(1);
            lines.tokens(&tokens(line).collect::<Vec<_>>());
        }
        for (index, stmt) in self.stmts.iter().enumerate() {
            self.lay_out_stmt(lines, stmt, index == 0);
        }
        // Comments in front of the closing brace.
        in_front(lines, &tokens(self.text(self.tail)).collect::<Vec<_>>(), false);
        lines.depth = 0;
        lines.next(1);
        lines.write("}");
    }

    fn lay_out_stmt(&self, lines: &mut Lines, stmt: &Stmt, first: bool) {
        let text = self.own_text(stmt);
        let list: Vec<_> = match &stmt.kind {
            // The marker is a comment itself.
            StmtKind::Marker(_) => tokens(&text).take_while(|token| !token.text.starts_with("//#")).collect(),
            _ => settled(&text),
        };
        let start = list.iter().position(|token| !token.is_comment()).unwrap_or(list.len());
        let (comments, rest) = list.split_at_checked(start).unwrap_or((&list, &[]));
        // Behind the opening brace of the body.
        let behind =
            first && comments.first().is_some_and(|comment| comment.breaks == 0 && comment.kind == Kind::LineComment);
        in_front(lines, comments, behind);
        if stmt.kind == StmtKind::Close {
            lines.depth = lines.depth.saturating_sub(1).max(1);
        }
        let made = matches!(stmt.origin, Origin::Made) && matches!(stmt.kind, StmtKind::Label(_));
        let breaks = match &stmt.kind {
            StmtKind::Marker(_) => breaks_before_marker(&text),
            _ => rest.first().map_or(1, |token| token.breaks),
        };
        lines.next(breaks.max(1 + usize::from(made)));
        match &stmt.kind {
            StmtKind::Inst(inst) => {
                let mut text = String::new();
                // Writing to a string does not fail.
                let zeros = if self.insts[*inst].edited { Vec::new() } else { zero_offsets(rest) };
                let _ = self.write_inst_with(&mut text, *inst, |operand| zeros.contains(&operand));
                lines.write(&text);
            }
            StmtKind::Label(label) => {
                let depth = std::mem::take(&mut lines.depth);
                lines.write(self.label_name(*label));
                lines.write(":");
                lines.depth = depth;
            }
            StmtKind::Marker(marker) => {
                let text = format!("//{}", self.marker_text(*marker));
                let comment = Token { kind: Kind::LineComment, text: &text, at: 0, breaks: 0 };
                lines.comment(&comment);
            }
            StmtKind::Open => {
                lines.write("{");
                lines.depth += 1;
            }
            StmtKind::Close => lines.write("}"),
            _ => return lines.tokens(rest),
        }
        rest.iter().filter(|token| token.is_comment()).for_each(|comment| lines.comment_behind(comment));
    }
}

fn breaks_before_marker(text: &str) -> usize {
    tokens(text).find(|token| token.text.starts_with("//#")).map_or(1, |token| token.breaks)
}

/// The operands that have an offset of 0: `[%rd1+0]`. It says nothing, but `ptxas -g` adds it, and takes other registers then.
fn zero_offsets(list: &[Token<'_>]) -> Vec<usize> {
    let (mut zeros, mut operand, mut depth) = (Vec::new(), 0, 0);
    for (token, next) in list.iter().zip(list.iter().skip(1)) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            "," if depth == 0 => operand += 1,
            "+" if next.kind == Kind::Number && matches!(number(next.text), Ok((_, Number::Signed(0)))) => {
                zeros.push(operand);
            }
            _ => {}
        }
    }
    zeros
}

/// The header of a kernel or function: parameters and performance directives one per line.
fn lay_out_header(lines: &mut Lines, list: &[Token<'_>]) {
    let name = function_name(list);
    let mut start = 0;
    let mut depth = 0;
    for (index, token) in list.iter().enumerate() {
        depth += i32::from(token.is("("));
        depth -= i32::from(token.is(")"));
        let params = index > name && depth == 1 && (token.is("(") || token.is(","));
        let close = index > name && depth == 0 && token.is(")") && lines.depth == 1;
        let directive = index > name && depth == 0 && token.kind == Kind::Dotted;
        if directive || close {
            lines.tokens(list.get(start..index).unwrap_or(&[]));
            start = index;
            lines.depth = 0;
            lines.next(1);
        }
        // The list of parameters is the parenthesis right behind the name.
        let opens = token.is("(") && list.iter().take(index).rposition(|token| !token.is_comment()) == Some(name);
        let is_empty = list.get(index + 1).is_some_and(|next| next.is(")"));
        if (opens && !is_empty) || (params && lines.depth == 1) {
            // A comment behind the comma is about the parameter in front of it.
            let end = index
                + 1
                + list.iter().skip(index + 1).take_while(|next| next.is_comment() && next.breaks == 0).count();
            lines.tokens(list.get(start..end).unwrap_or(&[]));
            start = end;
            lines.depth = 1;
            lines.next(1);
        }
    }
    lines.tokens(list.get(start..).unwrap_or(&[]));
    lines.depth = 0;
}

/// Returns where the name of a kernel or function stands in its header: behind the results, or right behind `.entry` or `.func`.
fn function_name(list: &[Token<'_>]) -> usize {
    let mut depth = 0;
    let kind = list.iter().position(|token| matches!(token.text, ".entry" | ".func")).unwrap_or(0);
    let behind = list.iter().enumerate().skip(kind + 1).find(|(_, token)| {
        depth += i32::from(token.is("(")) - i32::from(token.is(")"));
        depth == 0 && token.kind == Kind::Word
    });
    behind.map_or(list.len(), |(index, _)| index)
}
