//! Functions with frames: those that may call themselves or are called by address.
//!
//! Such a function is decoded once, after the code that calls it, and its calls are edges of the graph: the caller
//! makes a frame (`exec/frame.rs`) and goes to the function's first block, and its last block sends each lane to where
//! its frame says. Which registers a frame saves, and so how long it is, is filled in once all functions are decoded.
//!
//! Where lanes meet: a call is a place where lanes part, as a branch is, and its meeting point is the landing block
//! that belongs to it alone. Lanes that recurse to different depths therefore wait, on a stack of reconvergence points,
//! at the landing of the outermost call that parted them, whatever they do below, as on hardware. The graph of
//! postdominators takes a call for a step to the block behind it.

use ptx_parser::{Offset, Operand, Space, Type};
use rustc_hash::FxHashMap;

use super::functions::{Framed, FramedId, formal_bytes, layout};
use super::variables::Location;
use super::{Decoder, Frame, View};
use crate::api::error::Error;
use crate::exec::frame::{Enter, FrameCopy, FrameSizes, Invoke, Leave, REGISTER};
use crate::exec::op::{NONE, Op, pick};
use crate::exec::payload::Payload;
use crate::program::code::End;
use crate::program::registers::{TAG64, untagged};

/// The target of a call with a frame.
pub(super) enum Callee {
    /// To a function with frames, by its number.
    Framed(FramedId),
    /// To the address in this row.
    Address(u32),
}

impl<'m> Decoder<'m> {
    /// A call that makes a frame, passes the arguments in it, and takes the results out of it once the lanes have
    /// landed.
    pub(super) fn framed_call(
        &mut self,
        view: &View<'_, 'm>,
        callee: Callee,
        results: &'m [Operand],
        arguments: &'m [Operand],
    ) -> Result<(), Error> {
        let rows = self.stack_rows();
        let id = self.behind_guard(view);
        let around = self.current.pending.take();
        let mut sizes = (Vec::new(), Vec::new());
        for (list, sizes) in [(results, &mut sizes.0), (arguments, &mut sizes.1)] {
            for operand in list {
                sizes.push(self.actual_bytes(view, operand));
            }
        }
        let (offsets, end) = layout(sizes.0.iter().chain(&sizes.1).copied());
        self.frames.reach = self.frames.reach.max(end);
        let (of_results, of_arguments) = offsets.split_at(results.len());
        let into = self.entries(view, arguments, &sizes.1, of_arguments)?;
        let from = self.entries(view, results, &sizes.0, of_results)?;
        let (land, after) = (self.drafts.new_block(), self.drafts.new_block());
        let number = self.frames.add_landing(land);
        let list = self.list(&into);
        let invoke = Op {
            d: list,
            a: into.len() as u32 / 4,
            b: rows.sp,
            c: rows.fp,
            e: number,
            id,
            imm: end,
            ..self.op(pick::<Invoke>())
        };
        self.drafts.push(invoke);
        let (index, table) = match callee {
            Callee::Framed(id) => {
                let entry = self.frames.list[id].entry;
                (NONE, self.drafts.add_switch(Box::new([entry])))
            }
            Callee::Address(address) => self.dispatch(id, address, sizes),
        };
        self.drafts.end(End::Call { index, table, land, after });
        self.drafts.start(land);
        self.drafts.start(after);
        if !from.is_empty() {
            let list = self.list(&from);
            let op = Op { d: list, a: from.len() as u32 / 4, b: rows.sp, id, ..self.op(pick::<FrameCopy>()) };
            self.drafts.push(op);
        }
        if let Some(around) = around {
            self.drafts.start(around);
        }
        Ok(())
    }

    /// Entries of a transfer between the operands of a call and its frame.
    fn entries(
        &mut self,
        view: &View<'_, 'm>,
        operands: &[Operand],
        sizes: &[u64],
        offsets: &[u32],
    ) -> Result<Vec<u32>, Error> {
        let mut list = Vec::new();
        for ((operand, &bytes), &offset) in operands.iter().zip(sizes).zip(offsets) {
            if matches!(operand, Operand::Sink) {
                continue;
            }
            let bytes = bytes.min(1 << 20) as u32;
            let entry = match *operand {
                Operand::Symbol(symbol, Offset::ZERO) => match self.place(view, symbol)? {
                    Location::Local(at) => [NONE, at as u32, offset, bytes],
                    Location::Frame(at) => {
                        let fp = self.stack_rows().fp;
                        [fp | TAG64, at as u32, offset, bytes]
                    }
                    _ => return Err(self.unsupported(view, "only variables in .param can be passed by memory")),
                },
                _ => {
                    let row = self.value(view, operand, Type::B64)?;
                    [row, 0, offset, 8 | REGISTER]
                }
            };
            list.extend(entry);
        }
        Ok(list)
    }

    /// The bytes that an argument or result takes in a frame.
    pub(super) fn actual_bytes(&self, view: &View<'_, 'm>, operand: &Operand) -> u64 {
        let kernel = view.frame.kernel;
        let Operand::Symbol(symbol, _) = *operand else { return 8 };
        if let Some(variable) = kernel.variable(symbol) {
            return variable.bytes();
        }
        let name = kernel.symbol_name(symbol);
        let formal = kernel.params().iter().chain(kernel.results()).find(|formal| &*formal.name == name);
        formal.map_or(8, formal_bytes)
    }

    /// Decodes the functions with frames that have been met, and those that calls by address may mean, until there are
    /// no more.
    pub(super) fn functions_with_frames(&mut self) -> Result<(), Error> {
        let mut done = 0;
        loop {
            self.find_targets();
            let Some(next) = self.frames.list.keys().nth(done) else { break };
            self.function_with_frame(next)?;
            done += 1;
        }
        for framed in self.frames.list.keys() {
            self.finish_frame(framed);
        }
        self.finish_sites();
        if let Some(rows) = self.frames.rows {
            self.drafts.switches[rows.landings] = std::mem::take(&mut self.frames.landings).into();
        }
        Ok(())
    }

    fn function_with_frame(&mut self, id: FramedId) -> Result<(), Error> {
        let rows = self.stack_rows();
        let Framed { kernel, entry, last, .. } = self.frames.list[id];
        self.functions.host = Some(id);
        let function = self.functions.number(kernel.name());
        let inner = Frame { kernel, function, labels: FxHashMap::default(), params: FxHashMap::default(), back: None };
        let formals = || kernel.results().iter().chain(kernel.params());
        let (offsets, _) = layout(formals().map(formal_bytes));
        let mut params: FxHashMap<&'m str, Location> = FxHashMap::default();
        let (mut into, mut out) = (Vec::new(), Vec::new());
        for (position, (formal, &offset)) in formals().zip(&offsets).enumerate() {
            if formal.space != Space::Reg {
                params.insert(&formal.name, Location::Frame(offset.into()));
            } else if let Some(row) = self.formal_register(&inner, &formal.name) {
                let list = if position < kernel.results().len() { &mut out } else { &mut into };
                list.extend([row, 0, offset, 8 | REGISTER]);
            }
        }
        let inst = self.drafts.insts.next_key();
        self.drafts.start(entry);
        let enter = Op { b: rows.sp, c: rows.fp, id: inst, ..self.op(pick::<Enter>()) };
        let enter = self.drafts.push(enter);
        let copy = |d: &mut Self, list: &[u32], inwards: bool| {
            let (start, count) = (d.list(list), list.len() as u32 / 4);
            let op = Op { d: start, a: count, b: rows.fp, id: inst, ..d.form::<FrameCopy>(inwards) };
            d.drafts.push(op);
        };
        if !into.is_empty() {
            copy(self, &into, false);
        }
        self.body(kernel, params, Some(last))?;
        self.drafts.start(last);
        if !out.is_empty() {
            copy(self, &out, true);
        }
        let leave = Op { b: rows.sp, c: rows.fp, id: inst, ..self.op(pick::<Leave>()) };
        let leave = self.drafts.push(leave);
        self.frames.list[id].ops = Some([enter, leave]);
        self.drafts.end(End::Return { index: untagged(rows.place), table: rows.landings });
        Ok(())
    }

    /// Once the function's registers are known: which are saved, and how long its frame is.
    fn finish_frame(&mut self, id: FramedId) {
        let Some(rows) = self.frames.rows else { return };
        let framed = &self.frames.list[id];
        let name = framed.kernel.name();
        // Only what can be entered again while it runs overwrites what it still needs.
        let again = self.functions.recursive.get(name).copied().unwrap_or(false) || !self.frames.sites.is_empty();
        let mut saved = if again { self.functions.rows_of(id) } else { Vec::new() };
        let start = framed.bytes.next_multiple_of(16);
        let bytes = (start + 8 * saved.len() as u64).next_multiple_of(16);
        let size = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX);
        let sizes = FrameSizes { parameters: size(framed.parameters), whole: size(bytes) };
        let ops = framed.ops;
        let count = saved.len() as u32;
        saved.push(rows.place);
        let list = self.list(&saved);
        for op in ops.into_iter().flatten() {
            let op = &mut self.drafts.ops[op];
            (op.d, op.a, op.e) = (list, count, start as u32);
            op.imm = sizes.pack();
        }
    }
}
