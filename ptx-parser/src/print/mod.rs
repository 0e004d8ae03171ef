//! From the representation back to text.
//!
//! What was not edited is copied from the source. An edited instruction keeps the blanks and comments that stood before
//! it; a new one gets a line of its own.

mod canonical;
mod line;
pub(crate) mod tokens;

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use crate::entities::{Inst, List, Reg};
use crate::kernel::Kernel;
use crate::module::{Item, ItemKind, Module};
use crate::operand::{Base, Offset, Operand};
use crate::stmt::{Origin, Stmt, StmtKind};
use crate::syntax::lexical::{cut, past};
use crate::tables::Span;
use crate::types::Type;
use crate::variable::Variable;

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.iter().try_for_each(|item| write_item(self, item, f))?;
        f.write_str(self.source.get(self.tail.start as usize..self.tail.end as usize).unwrap_or(""))
    }
}

/// Writes an item as the print of its module has it.
pub(crate) fn write_item(module: &Module, item: &Item, out: &mut impl fmt::Write) -> fmt::Result {
    match (&item.kind, module.kernel_of(item)) {
        (ItemKind::Made(_), Some(kernel)) => {
            out.write_str(item.text(&module.source))?;
            write!(out, "{kernel}")
        }
        (_, Some(kernel)) if kernel.is_edited() => {
            out.write_str(lead(module, item))?;
            write!(out, "{kernel}")
        }
        _ => out.write_str(item.text(&module.source)),
    }
}

/// The blanks and comments before the header of a kernel or function.
pub(crate) fn lead<'m>(module: &'m Module, item: &'m Item) -> &'m str {
    match (&item.kind, module.kernel_of(item)) {
        (ItemKind::Made(made), _) => &made.text,
        (_, Some(kernel)) => module.source.get(item.span.start as usize..kernel.header.start as usize).unwrap_or(""),
        (_, None) => "",
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.header_text();
        if !self.is_edited() {
            f.write_str(header)?;
            return match self.body {
                Some(body) => f.write_str(self.text(body)),
                None => f.write_char(';'),
            };
        }
        f.write_str(header.trim_end())?;
        for directive in &self.edits.directives {
            write!(f, "\n{directive}")?;
        }
        if self.body.is_none() {
            return f.write_str("\n;");
        }
        f.write_str("\n{")?;
        self.write_new_declarations(f)?;
        let mut separator = Separator::default();
        for stmt in &self.stmts {
            let text = self.stmt_text(stmt)?;
            separator.write(f, &text)?;
            separator.open |= matches!(stmt.kind, StmtKind::Marker(_) | StmtKind::Loc(_));
        }
        separator.write(f, self.text(self.tail))?;
        separator.write(f, "}")
    }
}

/// The declaration of an array that an edit made.
pub(crate) fn array_text(variable: &Variable) -> String {
    let (space, align, name) = (variable.space, variable.align, &variable.name);
    format!("{space} .align {align} {} {name}[{}];", variable.ty, variable.count.unwrap_or(1))
}

/// Keeps statements that were not neighbours in the source from running into each other.
#[derive(Default)]
struct Separator {
    /// True if the text written last may continue into what follows on the same line: its last line has a line comment or a marker.
    open: bool,
}

impl Separator {
    fn write(&mut self, f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
        if text.is_empty() {
            return Ok(());
        }
        if self.open && !text.starts_with(['\n', '\r']) {
            f.write_char('\n')?;
        }
        // A string may hold the slashes as well; a line break too many does no harm then.
        self.open = text.rsplit('\n').next().is_some_and(|line| line.contains("//") || line.contains('#'));
        f.write_str(text)
    }
}

impl Kernel {
    fn write_new_declarations(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let shapes = Type::ALL.iter().flat_map(|&ty| [1u8, 2, 4, 8].map(|lanes| (ty, lanes)));
        for (ty, lanes) in shapes {
            let made = self.edits.regs.iter().map(|&reg| (&self.regs[reg], self.reg_name(reg)));
            let names: Vec<&str> =
                made.filter(|(data, _)| data.ty == ty && data.lanes == lanes).map(|(_, name)| name).collect();
            let vector = if lanes > 1 { format!(".v{lanes} ") } else { String::new() };
            for chunk in names.chunks(8) {
                write!(f, "\n\t.reg {vector}{ty} \t{};", chunk.join(", "))?;
            }
        }
        for variable in self.edits.variables.iter().filter_map(|symbol| self.variables.get(symbol)) {
            write!(f, "\n\t{}", array_text(variable))?;
        }
        Ok(())
    }

    /// The text of a statement where it has one: in the source, with the blanks and comments before it, or of its own.
    pub(crate) fn own_text(&self, stmt: &Stmt) -> Cow<'_, str> {
        match &stmt.origin {
            Origin::Source(span) => self.text(*span).into(),
            Origin::Text(own) => own.text.to_string().into(),
            Origin::Made => "".into(),
        }
    }

    /// Returns what a statement says as text, without comments and with one blank between tokens: for comparing what has no parts, such as
    /// declarations and directives. Empty for one that an edit made of parts.
    #[must_use]
    pub fn stmt_tokens(&self, stmt: &Stmt) -> String {
        tokens::bare(&self.own_text(stmt))
    }

    /// Returns what the header says, in the same form, with the directives that edits added.
    #[must_use]
    pub fn header_tokens(&self) -> String {
        let added = self.edits.directives.iter().map(String::as_str);
        tokens::bare(&std::iter::once(self.header_text()).chain(added).collect::<Vec<_>>().join("\n"))
    }

    /// Returns what a statement says, without comments and with one blank between words, for a copy of it that stands elsewhere. An instruction is in
    /// its canonical form.
    #[must_use]
    pub fn bare_text(&self, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Inst(inst) => self.inst_text(*inst),
            StmtKind::Label(label) => format!("{}:", self.label_name(*label)),
            StmtKind::Marker(marker) => format!("//{}", self.marker_text(*marker)),
            StmtKind::Open => "{".to_owned(),
            StmtKind::Close => "}".to_owned(),
            _ => self.stmt_tokens(stmt),
        }
    }

    /// The header as it is printed, without directives that edits added.
    pub(crate) fn header_text(&self) -> &str {
        self.edits.header.as_deref().unwrap_or_else(|| self.text(self.header))
    }

    fn stmt_text<'a>(&'a self, stmt: &'a Stmt) -> Result<Cow<'a, str>, fmt::Error> {
        let mut text = String::new();
        match (&stmt.origin, &stmt.kind) {
            (Origin::Source(span), StmtKind::Inst(inst)) if self.insts[*inst].edited => {
                self.write_edited(&mut text, *span, *inst)?;
            }
            (Origin::Source(span), _) => return Ok(self.text(*span).into()),
            // A text of the source in which an edit replaced a name has its blanks in front.
            (Origin::Text(own), _) if own.text.starts_with([' ', '\t', '\n', '\r', '/']) => {
                return Ok((&*own.text).into());
            }
            (Origin::Text(own), _) => write!(text, "\n\t{}", own.text)?,
            (Origin::Made, StmtKind::Inst(inst)) => {
                text.push_str("\n\t");
                self.write_inst(&mut text, *inst)?;
            }
            (Origin::Made, StmtKind::Label(label)) => write!(text, "\n\n{}:", self.label_name(*label))?,
            (Origin::Made, StmtKind::Marker(marker)) => write!(text, "\n\t//{}", self.marker_text(*marker))?,
            (Origin::Made, StmtKind::Open) => text.push_str("\n\t{"),
            (Origin::Made, StmtKind::Close) => text.push_str("\n\t}"),
            // Fragments keep the text of all others.
            (Origin::Made, _) => {}
        }
        Ok(text.into())
    }

    /// An instruction of the source that an edit changed: what stands around it stays, and comments between its operands
    /// move behind it.
    fn write_edited(&self, text: &mut String, stmt: Span, inst: Inst) -> fmt::Result {
        let span = self.insts[inst].span;
        text.push_str(self.text(Span { start: stmt.start, end: span.start.max(stmt.start) }));
        self.write_inst(text, inst)?;
        let inside = self.text(span);
        for token in tokens::tokens(inside).filter(tokens::Token::is_comment) {
            let rest = past(inside, token.at);
            let comment = match token.kind {
                tokens::Kind::LineComment => cut(rest, rest.find('\n').map_or(rest.len(), |end| end + 1)).0,
                _ => token.text,
            };
            match comment.strip_prefix("//#") {
                Some(marker) => write!(text, " {}{marker}", line::UNMARKED)?,
                None => write!(text, " {comment}")?,
            }
        }
        text.push_str(self.text(Span { start: span.end, end: stmt.end.max(span.end) }));
        Ok(())
    }

    /// Writes an instruction in canonical form: `@%p1 bra L;`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_inst(&self, out: &mut impl fmt::Write, inst: Inst) -> fmt::Result {
        self.write_inst_with(out, inst, |_| false)
    }

    /// As [`Kernel::write_inst`]; `zeros` says of each operand whether an offset of 0 is written.
    fn write_inst_with(&self, out: &mut impl fmt::Write, inst: Inst, zeros: impl Fn(usize) -> bool) -> fmt::Result {
        let data = &self.insts[inst];
        if let Some(guard) = data.guard {
            write!(out, "@{}{} ", if guard.negated { "!" } else { "" }, self.reg_name(guard.reg))?;
        }
        out.write_str(self.opcode(inst).text())?;
        for (index, operand) in self.operands(inst).iter().enumerate() {
            out.write_str(if index == 0 { " " } else { ", " })?;
            self.write_operand(out, operand, zeros(index))?;
        }
        out.write_char(';')
    }

    /// The canonical text of an instruction.
    #[must_use]
    pub fn inst_text(&self, inst: Inst) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write_inst(&mut text, inst);
        text
    }

    fn write_operand(&self, out: &mut impl fmt::Write, operand: &Operand, zero: bool) -> fmt::Result {
        let sink_or = |reg: Option<Reg>| reg.map_or("_", |reg| self.reg_name(reg));
        match *operand {
            Operand::Reg(reg) => out.write_str(self.reg_name(reg)),
            Operand::Not(reg) => write!(out, "!{}", self.reg_name(reg)),
            Operand::Component(reg, component) => write!(out, "{}.{}", self.reg_name(reg), component.text()),
            Operand::Selected(reg, selector) => {
                out.write_str(if selector.negated { "-" } else { "" })?;
                out.write_str(self.reg_name(reg))?;
                selector.part.map_or(Ok(()), |part| write!(out, "{part}"))
            }
            Operand::Sum(reg, offset) => write!(out, "{}+{offset}", self.reg_name(reg)),
            Operand::Pair(first, second) => write!(out, "{}|{}", sink_or(first.expand()), sink_or(second.expand())),
            Operand::Special(special) => write!(out, "{special}"),
            Operand::Int(value) => write!(out, "{value}"),
            Operand::Float32(bits) => write!(out, "0f{bits:08X}"),
            Operand::Float64(bits) => write!(out, "0d{bits:016X}"),
            Operand::Symbol(symbol, Offset::ZERO) if !zero => out.write_str(self.symbol_name(symbol)),
            Operand::Symbol(symbol, offset) => write!(out, "{}+{offset}", self.symbol_name(symbol)),
            Operand::Label(label) => out.write_str(self.label_name(label)),
            Operand::Address(base, offset) => {
                out.write_char('[')?;
                self.write_base(out, base, offset, zero)?;
                out.write_char(']')
            }
            Operand::Vector(list) => self.write_list(out, '{', list, '}'),
            Operand::VectorPair(list, resident) => {
                self.write_list(out, '{', list, '}')?;
                write!(out, "|{}", sink_or(resident))
            }
            Operand::Tuple(list) => self.write_list(out, '(', list, ')'),
            Operand::Bracket(list) => self.write_list(out, '[', list, ']'),
            Operand::Sink => out.write_char('_'),
        }
    }

    /// `base+4` or `base+-4`, without brackets.
    fn write_base(&self, out: &mut impl fmt::Write, base: Base, offset: Offset, zero: bool) -> fmt::Result {
        let name = match base {
            Base::Reg(reg) => self.reg_name(reg),
            Base::Symbol(symbol) => self.symbol_name(symbol),
            Base::Absolute => return write!(out, "{offset}"),
        };
        // `ptxas` reads a negative offset behind a plus sign only.
        if offset == Offset::ZERO && !zero { out.write_str(name) } else { write!(out, "{name}+{offset}") }
    }

    fn write_list(&self, out: &mut impl fmt::Write, open: char, list: List, close: char) -> fmt::Result {
        out.write_char(open)?;
        for (index, operand) in self.list(list).iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            match operand {
                // In a bracket, `rd1+16` has no brackets of its own.
                Operand::Address(base, offset) => self.write_base(out, *base, *offset, false)?,
                operand => self.write_operand(out, operand, false)?,
            }
        }
        out.write_char(close)
    }
}
