//! From the representation back to text.
//!
//! What was not edited is copied from the source. An edited instruction keeps the blanks and comments that stood before
//! it; a new one gets a line of its own.

use std::fmt::{self, Write as _};

use crate::entities::{Inst, List, Reg};
use crate::kernel::{Kernel, Stmt, StmtKind};
use crate::module::{ItemKind, Module};
use crate::operand::{Base, Operand};
use crate::types::Type;

pub(crate) fn module(module: &Module, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let source = &module.source;
    for item in &module.items {
        let (start, end) = (item.span.start as usize, item.span.end as usize);
        match item.kind {
            ItemKind::Kernel(index) if module.kernels[index].is_edited() => {
                let kernel = &module.kernels[index];
                f.write_str(&source[start..kernel.header.start as usize])?;
                write!(f, "{kernel}")?;
            }
            _ => f.write_str(&source[start..end])?,
        }
    }
    f.write_str(&source[module.tail.start as usize..module.tail.end as usize])
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(body) = self.body else {
            let end = self.header.end as usize;
            f.write_str(self.text(self.header))?;
            return f.write_str(self.source.get(end..=end).unwrap_or(""));
        };
        if !self.is_edited() {
            f.write_str(self.text(self.header))?;
            return f.write_str(self.text(body));
        }
        let header = self.text(self.header);
        f.write_str(header.trim_end())?;
        for directive in &self.edits.directives {
            write!(f, "\n{directive}")?;
        }
        f.write_str("\n{")?;
        self.write_new_declarations(f)?;
        let mut after_marker = false;
        for stmt in &self.stmts {
            let text = self.stmt_text(stmt)?;
            if after_marker && !text.starts_with(['\n', '\r']) {
                f.write_char('\n')?;
            }
            f.write_str(&text)?;
            after_marker = matches!(stmt.kind, StmtKind::Marker(_));
        }
        let tail = self.text(self.tail);
        if after_marker && !tail.starts_with(['\n', '\r']) {
            f.write_char('\n')?;
        }
        write!(f, "{tail}}}")
    }
}

impl Kernel {
    fn write_new_declarations(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for &ty in Type::ALL {
            let names: Vec<&str> =
                self.edits.regs.iter().filter(|&&reg| self.regs[reg].ty == ty).map(|&reg| self.reg_name(reg)).collect();
            for chunk in names.chunks(8) {
                write!(f, "\n\t.reg {ty} \t{};", chunk.join(", "))?;
            }
        }
        for symbol in &self.edits.variables {
            let variable = &self.variables[symbol];
            let (space, align, name) = (variable.space, variable.align, &variable.name);
            write!(f, "\n\t{space} .align {align} {} {name}[{}];", variable.ty, variable.count.unwrap_or(0))?;
        }
        Ok(())
    }

    fn stmt_text(&self, stmt: &Stmt) -> Result<std::borrow::Cow<'_, str>, fmt::Error> {
        let edited = match stmt.kind {
            StmtKind::Inst(inst) => self.insts[inst].edited.then_some(inst),
            _ => None,
        };
        let mut text = String::new();
        match (stmt.span, edited) {
            (Some(span), None) => return Ok(self.text(span).into()),
            (Some(span), Some(inst)) => {
                // The statement's span begins with the blanks and comments before the instruction.
                let before = self.insts[inst].span.start.max(span.start);
                text.push_str(self.text(crate::kernel::Span { start: span.start, end: before }));
                self.write_inst(&mut text, inst)?;
            }
            (None, _) => match &stmt.kind {
                StmtKind::Inst(inst) => {
                    text.push_str("\n\t");
                    self.write_inst(&mut text, *inst)?;
                }
                StmtKind::Label(label) => write!(text, "\n\n{}:", self.label_name(*label))?,
                StmtKind::Marker(marker) => write!(text, "\n\t//{marker}\n")?,
                StmtKind::Open => text.push_str("\n\t{"),
                StmtKind::Close => text.push_str("\n\t}"),
                StmtKind::Loc(loc) => write!(text, "\n\t.loc\t{} {} {}", loc.file, loc.line, loc.column)?,
                StmtKind::Registers | StmtKind::Variables(_) | StmtKind::BranchTargets(..) | StmtKind::Directive => {}
            },
        }
        Ok(text.into())
    }

    /// Writes an instruction in canonical form: `@%p1 bra L;`.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_inst(&self, out: &mut impl fmt::Write, inst: Inst) -> fmt::Result {
        let data = &self.insts[inst];
        if let Some(guard) = data.guard {
            write!(out, "@{}{} ", if guard.negated { "!" } else { "" }, self.reg_name(guard.reg))?;
        }
        out.write_str(self.opcode(inst).text())?;
        for (index, operand) in data.operands.iter().enumerate() {
            out.write_str(if index == 0 { " " } else { ", " })?;
            self.write_operand(out, operand)?;
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

    fn write_operand(&self, out: &mut impl fmt::Write, operand: &Operand) -> fmt::Result {
        let sink_or = |reg: Option<Reg>| reg.map_or("_", |reg| self.reg_name(reg));
        match *operand {
            Operand::Reg(reg) => out.write_str(self.reg_name(reg)),
            Operand::Not(reg) => write!(out, "!{}", self.reg_name(reg)),
            Operand::Component(reg, component) => write!(out, "{}.{}", self.reg_name(reg), component.text()),
            Operand::Pair(first, second) => write!(out, "{}|{}", sink_or(first), sink_or(second)),
            Operand::Special(special) => write!(out, "{special}"),
            Operand::Int(value) => write!(out, "{value}"),
            Operand::Float32(bits) => write!(out, "0f{bits:08X}"),
            Operand::Float64(bits) => write!(out, "0d{bits:016X}"),
            Operand::Symbol(symbol, 0) => out.write_str(self.symbol_name(symbol)),
            Operand::Symbol(symbol, offset) => write!(out, "{}{offset:+}", self.symbol_name(symbol)),
            Operand::Label(label) => out.write_str(self.label_name(label)),
            Operand::Address(base, offset) => self.write_address(out, base, offset),
            Operand::Vector(list) => self.write_list(out, '{', list, '}'),
            Operand::Tuple(list) => self.write_list(out, '(', list, ')'),
            Operand::Bracket(list) => self.write_list(out, '[', list, ']'),
            Operand::Sink => out.write_char('_'),
        }
    }

    fn write_address(&self, out: &mut impl fmt::Write, base: Base, offset: i32) -> fmt::Result {
        let name = match base {
            Base::Reg(reg) => self.reg_name(reg),
            Base::Symbol(symbol) => self.symbol_name(symbol),
            Base::Absolute => return write!(out, "[{offset}]"),
        };
        if offset == 0 { write!(out, "[{name}]") } else { write!(out, "[{name}{offset:+}]") }
    }

    fn write_list(&self, out: &mut impl fmt::Write, open: char, list: List, close: char) -> fmt::Result {
        out.write_char(open)?;
        for (index, operand) in self.lists[list].iter().enumerate() {
            if index > 0 {
                out.write_str(", ")?;
            }
            self.write_operand(out, operand)?;
        }
        out.write_char(close)
    }
}
