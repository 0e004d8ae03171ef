//! Calls: which way each one goes.
//!
//! A function that is called by name and cannot come to call itself is expanded at its place: its body is decoded once
//! more, with its parameters bound to the caller's, so that lanes meet in it as if it had been written there. That is
//! done here. A function that may call itself, or that is called by address, is decoded once and has frames
//! ([`super::frames`], [`super::indirect`]); one without a body is the system's ([`super::system`]).

use ptx_parser::{CallParts, Flow, Kernel, KernelKind, Offset, Operand, Space, StmtKind, Type};
use rustc_hash::FxHashMap;

use super::frames::Callee;
use super::rows::Width;
use super::variables::Location;
use super::{Decoder, Frame, View};
use crate::api::error::Error;
use crate::exec::integer::Move;
use crate::exec::op::{Op, pick};
use crate::exec::rows::Map1;
use crate::program::listing::InstId;
use crate::program::registers::untagged;

/// The greatest nesting depth of calls that are expanded in place.
const MAX_CALL_DEPTH: usize = 128;

impl<'m> Decoder<'m> {
    /// Decodes a call.
    pub(super) fn call(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        let kernel = view.frame.kernel;
        let CallParts { results, callee, arguments } = kernel.call_parts(view.inst);
        let Some(name) = kernel.callee_name(view.inst) else {
            if !matches!(callee, Some(Operand::Reg(_))) {
                return Err(self.unsupported(view, "what is called must be a function or a register"));
            }
            let address = self.any_source(view, usize::from(!results.is_empty()), Type::U64)?;
            return self.framed_call(view, Callee::Address(address), results, arguments);
        };
        let callee = match self.module.kernel(name) {
            Some(callee) if callee.has_body() && callee.kind() == KernelKind::Func => callee,
            _ => return self.system_call(view, name, results, arguments),
        };
        if results.len() != callee.results().len() || arguments.len() != callee.params().len() {
            return Err(self.unsupported(view, format!("`{name}` has another number of parameters or results")));
        }
        if self.is_recursive(name) {
            let framed = self.frames.number(&mut self.drafts, callee);
            return self.framed_call(view, Callee::Framed(framed), results, arguments);
        }
        if self.functions.stack.len() >= MAX_CALL_DEPTH {
            return Err(self.unsupported(view, format!("calls are nested more than {MAX_CALL_DEPTH} deep")));
        }
        self.expand(view, callee, results, arguments)
    }

    /// Returns true if calls by name lead from a function back to itself.
    pub(super) fn is_recursive(&mut self, name: &'m str) -> bool {
        if let Some(&known) = self.functions.recursive.get(name) {
            return known;
        }
        let mut work = self.callees(name);
        let mut seen = work.clone();
        let mut found = false;
        while let Some(next) = work.pop() {
            found |= next == name;
            for callee in self.callees(next) {
                if !seen.contains(&callee) {
                    seen.push(callee);
                    work.push(callee);
                }
            }
        }
        self.functions.recursive.insert(name, found);
        found
    }

    /// The functions that one calls by name.
    pub(super) fn callees(&self, name: &str) -> Vec<&'m str> {
        let Some(kernel) = self.module.kernel(name) else { return Vec::new() };
        let mut names: Vec<&'m str> = Vec::new();
        for stmt in kernel.stmts() {
            let StmtKind::Inst(inst) = stmt.kind else { continue };
            if kernel.properties(inst).flow != Flow::Call {
                continue;
            }
            names.extend(kernel.callee_name(inst));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The body of a function at the place of its call.
    fn expand(
        &mut self,
        view: &View<'_, 'm>,
        callee: &'m Kernel,
        results: &[Operand],
        arguments: &[Operand],
    ) -> Result<(), Error> {
        let id = self.behind_guard(view);
        let around = self.current.pending.take();
        let function = self.functions.number(callee.name());
        let inner =
            Frame { kernel: callee, function, labels: FxHashMap::default(), params: FxHashMap::default(), back: None };
        let mut params: FxHashMap<&'m str, Location> = FxHashMap::default();
        for (formal, actual) in callee.params().iter().zip(arguments) {
            if formal.space == Space::Reg {
                let from = self.value(view, actual, formal.ty)?;
                // A parameter that the body never mentions has no register.
                if let Some(to) = self.formal_register(&inner, &formal.name) {
                    self.copy(view, id, to, from)?;
                }
            } else {
                params.insert(&formal.name, self.actual_place(view, actual)?);
            }
        }
        for (formal, actual) in callee.results().iter().zip(results) {
            if formal.space != Space::Reg {
                params.insert(&formal.name, self.actual_place(view, actual)?);
            }
        }
        let back = self.drafts.new_block();
        self.body(callee, params, Some(back))?;
        self.drafts.start(back);
        for (formal, actual) in callee.results().iter().zip(results) {
            if formal.space == Space::Reg
                && let Some(from) = self.formal_register(&inner, &formal.name)
            {
                let to = self.value(view, actual, formal.ty)?;
                self.copy(view, id, to, from)?;
            }
        }
        if let Some(around) = around {
            self.drafts.start(around);
        }
        Ok(())
    }

    /// The row of a parameter or result that is a register of the function; `None` if the body never mentions it.
    pub(super) fn formal_register(&mut self, inner: &Frame<'m>, name: &str) -> Option<u32> {
        let callee: &Kernel = inner.kernel;
        let bare = name.trim_start_matches('%');
        let reg = callee.regs().find(|&reg| callee.reg_name(reg).trim_start_matches('%') == bare)?;
        Some(self.row(inner, reg))
    }

    /// The place of an argument that is a parameter variable.
    pub(super) fn actual_place(&mut self, view: &View<'_, 'm>, actual: &Operand) -> Result<Location, Error> {
        match *actual {
            Operand::Symbol(symbol, Offset::ZERO) => self.place(view, symbol),
            _ => Err(self.unsupported(view, "only variables in .param can be passed to a .param parameter")),
        }
    }

    /// A move that is part of a call and not counted.
    fn copy(&mut self, view: &View<'_, 'm>, id: InstId, to: u32, from: u32) -> Result<(), Error> {
        let run = match (Width::of_row(to), Width::of_row(from)) {
            (Width::W32, Width::W32) => pick::<Map1<Move<u32>>>(),
            (Width::W64, Width::W64) => pick::<Map1<Move<u64>>>(),
            _ => return Err(self.unsupported(view, "an argument has another width than its parameter")),
        };
        let op = Op { d: untagged(to), a: untagged(from), id, ..self.op(run) };
        self.drafts.push(op);
        Ok(())
    }
}
