//! Calls.
//!
//! A function that is called by name and cannot come to call itself is expanded at its place: its body is decoded once more, with its
//! parameters bound to the caller's, so that lanes meet in it as if it had been written there. A function that may call itself, or
//! that is called by address, is decoded once, and its calls are edges of the graph: the caller makes a frame (`exec/frame.rs`) and goes to the
//! function's first block, and its last block sends each lane to where its frame says.
//!
//! Where lanes meet: a call is a place where lanes part, as a branch is, and its meeting point is the landing block that belongs to it
//! alone. Lanes that recurse to different depths therefore wait, on a stack of reconvergence points, at the landing of the outermost
//! call that parted them, whatever they do below, as on hardware. The graph of postdominators takes a call for a step to the block behind it.

use ptx_parser::{Flow, Inst, Kernel, KernelKind, Operand, Space, StmtKind, Type};
use rustc_hash::FxHashMap;

use super::operands::Width;
use super::places::Place;
use super::{Decoder, Frame, View};
use crate::error::Error;
use crate::exec::frame::{
    Alloca, Dispatch, Enter, FRAME_HEAD, FrameCopy, Invoke, Leave, REGISTER, STACK_BYTES, StackRestore,
};
use crate::exec::integer::Move;
use crate::exec::moves::Rebase;
use crate::exec::rows::Map1;
use crate::exec::scalar::{TAG64, untagged};
use crate::exec::{NONE, Op, pick};
use crate::memory::CODE_WINDOW;
use crate::program::End;

/// How deep calls may be nested that are expanded in place.
const MAX_CALL_DEPTH: usize = 128;

/// A function with frames.
pub(super) struct Framed<'m> {
    pub(super) kernel: &'m Kernel,
    entry: u32,
    /// The block that returns.
    last: u32,
    /// The ops that take and give back the frame.
    enter: usize,
    leave: usize,
    /// Bytes of head, results, parameters and variables.
    pub(super) bytes: u64,
    /// Bytes of head, results and parameters.
    parameters: u64,
}

/// A call by address, whose targets are known when everything else is.
pub(super) struct Site {
    /// Its table of switches.
    table: u32,
    dispatch: usize,
    /// The sizes of results and arguments.
    sizes: (Vec<u64>, Vec<u64>),
}

/// The rows that functions with frames need.
#[derive(Clone, Copy)]
pub(super) struct StackRows {
    pub(super) sp: u32,
    pub(super) fp: u32,
    place: u32,
    /// The table of landing blocks.
    pub(super) landings: u32,
}

/// Where a call goes.
enum Callee {
    Framed(usize),
    Address(u32),
}

/// What a call names: results, the callee, arguments.
struct Parts<'m> {
    results: &'m [Operand],
    callee: Option<&'m Operand>,
    arguments: &'m [Operand],
}

fn parts<'m>(kernel: &'m Kernel, inst: Inst) -> Parts<'m> {
    let operands = kernel.operands(inst);
    let (results, rest): (&[Operand], _) = match operands.first() {
        Some(Operand::Tuple(list)) => (kernel.list(*list), &operands[1..]),
        _ => (&[], operands),
    };
    let arguments: &[Operand] = match rest.get(1) {
        Some(Operand::Tuple(list)) => kernel.list(*list),
        _ => &[],
    };
    Parts { results, callee: rest.first(), arguments }
}

/// Frame offsets of results and parameters of these sizes, and where they end.
fn layout(sizes: impl Iterator<Item = u64>) -> (Vec<u32>, u64) {
    let mut end = u64::from(FRAME_HEAD);
    let offsets = sizes.map(|bytes| {
        let at = end;
        end = end.saturating_add(bytes).saturating_add(15) & !15;
        at.min(u64::from(u32::MAX)) as u32
    });
    (offsets.collect(), end)
}

/// The bytes that a formal parameter takes in a frame.
fn formal_bytes(formal: &ptx_parser::Parameter) -> u64 {
    if formal.space == Space::Reg { 8 } else { formal.bytes() }
}

impl<'m> Decoder<'m> {
    /// Decodes a call.
    pub(super) fn call(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        let kernel = view.frame.kernel;
        let Parts { results, callee, arguments } = parts(kernel, view.inst);
        let name = match callee {
            Some(&Operand::Symbol(symbol, 0)) if kernel.variable(symbol).is_none() => kernel.symbol_name(symbol),
            Some(Operand::Reg(_)) => {
                let address = self.any_source(view, usize::from(!results.is_empty()), Type::U64)?;
                return self.framed_call(view, Callee::Address(address), results, arguments);
            }
            _ => return Err(self.unsupported(view, "what is called must be a function or a register")),
        };
        let callee = match self.module.kernel(name) {
            Some(callee) if callee.has_body() && callee.kind() == KernelKind::Func => callee,
            _ => return self.system_call(view, name, results, arguments),
        };
        if results.len() != callee.results().len() || arguments.len() != callee.params().len() {
            return Err(self.unsupported(view, format!("`{name}` has another number of parameters or results")));
        }
        if self.is_recursive(name) {
            let framed = self.framed(callee);
            return self.framed_call(view, Callee::Framed(framed), results, arguments);
        }
        if self.stack.len() >= MAX_CALL_DEPTH {
            return Err(self.unsupported(view, format!("calls are nested more than {MAX_CALL_DEPTH} deep")));
        }
        self.expand(view, callee, results, arguments)
    }

    /// Whether calls by name lead from a function back to itself.
    fn is_recursive(&mut self, name: &'m str) -> bool {
        if let Some(&known) = self.recursive.get(name) {
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
        self.recursive.insert(name, found);
        found
    }

    /// The functions that one calls by name.
    fn callees(&self, name: &str) -> Vec<&'m str> {
        let Some(kernel) = self.module.kernel(name) else { return Vec::new() };
        let mut names: Vec<&'m str> = Vec::new();
        for stmt in kernel.stmts() {
            let StmtKind::Inst(inst) = stmt.kind else { continue };
            if kernel.properties(inst).flow != Flow::Call {
                continue;
            }
            if let Some(&Operand::Symbol(symbol, 0)) = parts(kernel, inst).callee {
                names.push(kernel.symbol_name(symbol));
            }
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
        let around = self.pending.take();
        let function = self.function(callee.name());
        let inner =
            Frame { kernel: callee, function, labels: FxHashMap::default(), params: FxHashMap::default(), back: None };
        let mut params: FxHashMap<&'m str, Place> = FxHashMap::default();
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
        let back = self.new_block();
        self.body(callee, params, Some(back))?;
        self.start(back);
        for (formal, actual) in callee.results().iter().zip(results) {
            if formal.space == Space::Reg
                && let Some(from) = self.formal_register(&inner, &formal.name)
            {
                let to = self.value(view, actual, formal.ty)?;
                self.copy(view, id, to, from)?;
            }
        }
        if let Some(around) = around {
            self.start(around);
        }
        Ok(())
    }

    /// Puts the stack at the beginning of local memory if anything that the kernel calls by name needs one.
    pub(super) fn reserve_stack(&mut self, kernel: &'m Kernel) {
        let mut names = self.callees(kernel.name());
        let mut next = 0;
        while let Some(&name) = names.get(next) {
            let more: Vec<&'m str> = self.callees(name).into_iter().filter(|name| !names.contains(name)).collect();
            names.extend(more);
            next += 1;
        }
        let uses = |kernel: &Kernel| {
            kernel.stmts().iter().any(|stmt| match stmt.kind {
                StmtKind::Inst(inst) if kernel.properties(inst).flow == Flow::Call => {
                    matches!(parts(kernel, inst).callee, Some(Operand::Reg(_)))
                }
                StmtKind::Inst(inst) => {
                    matches!(kernel.opcode(inst).mnemonic(), "alloca" | "stacksave" | "stackrestore")
                }
                _ => false,
            })
        };
        let module = self.module;
        let bodies = std::iter::once(kernel).chain(names.iter().filter_map(|name| module.kernel(name)));
        if bodies.into_iter().any(uses) || names.iter().any(|name| self.is_recursive(name)) {
            self.stack_bytes = STACK_BYTES;
            self.local_bytes = u64::from(STACK_BYTES);
        }
    }

    /// The rows of the stack, made when the first call with a frame is met.
    pub(super) fn stack_rows(&mut self) -> StackRows {
        if let Some(rows) = self.stack_rows {
            return rows;
        }
        self.switches.push(Box::default());
        let rows = StackRows {
            sp: untagged(self.new_row(Width::W64)),
            fp: untagged(self.new_row(Width::W64)),
            place: self.new_row(Width::W32),
            landings: self.switches.len() as u32 - 1,
        };
        self.stack_rows = Some(rows);
        rows
    }

    /// The number of a function with frames, whose body is decoded later.
    fn framed(&mut self, callee: &'m Kernel) -> usize {
        if let Some(index) = self.framed.iter().position(|framed| framed.kernel.name() == callee.name()) {
            return index;
        }
        let sizes = callee.results().iter().chain(callee.params()).map(formal_bytes);
        let (_, parameters) = layout(sizes);
        let (entry, last) = (self.new_block(), self.new_block());
        self.framed.push(Framed { kernel: callee, entry, last, enter: 0, leave: 0, bytes: parameters, parameters });
        self.framed.len() - 1
    }

    fn framed_call(
        &mut self,
        view: &View<'_, 'm>,
        callee: Callee,
        results: &'m [Operand],
        arguments: &'m [Operand],
    ) -> Result<(), Error> {
        let rows = self.stack_rows();
        let id = self.behind_guard(view);
        let around = self.pending.take();
        let mut sizes = (Vec::new(), Vec::new());
        for (list, sizes) in [(results, &mut sizes.0), (arguments, &mut sizes.1)] {
            for operand in list {
                sizes.push(self.actual_bytes(view, operand));
            }
        }
        let (offsets, end) = layout(sizes.0.iter().chain(&sizes.1).copied());
        let into = self.entries(view, arguments, &sizes.1, &offsets[results.len()..])?;
        let from = self.entries(view, results, &sizes.0, &offsets)?;
        let (land, after) = (self.new_block(), self.new_block());
        let number = self.landings.len() as u32;
        self.landings.push(land);
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
        self.push(invoke);
        let (index, table) = match callee {
            Callee::Framed(index) => {
                self.switches.push(Box::new([self.framed[index].entry]));
                (NONE, self.switches.len() as u32 - 1)
            }
            Callee::Address(address) => {
                let index = untagged(self.new_row(Width::W32));
                let op = Op { a: address, d: index, id, ..self.op(pick::<Dispatch>()) };
                self.push(op);
                self.switches.push(Box::default());
                let table = self.switches.len() as u32 - 1;
                self.sites.push(Site { table, dispatch: self.ops.len() - 1, sizes });
                (index, table)
            }
        };
        self.end(End::Call { index, table, land, after });
        self.start(land);
        self.start(after);
        if !from.is_empty() {
            let list = self.list(&from);
            let op = Op { d: list, a: from.len() as u32 / 4, b: rows.sp, id, ..self.op(pick::<FrameCopy>()) };
            self.push(op);
        }
        if let Some(around) = around {
            self.start(around);
        }
        Ok(())
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
                Operand::Symbol(symbol, 0) => match self.place(view, symbol)? {
                    Place::Local(at) => [NONE, at as u32, offset, bytes],
                    Place::Frame(at) => {
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

    /// Adds an op that belongs to the instruction being decoded and is not counted.
    pub(super) fn push(&mut self, op: Op) {
        self.ops.push(op);
        self.drafts[self.current].ops.end = self.ops.len() as u32;
    }

    /// Decodes the functions with frames that have been met, and those that calls by address may mean, until there are no more.
    pub(super) fn functions_with_frames(&mut self) -> Result<(), Error> {
        let mut next = 0;
        loop {
            self.find_targets();
            if next >= self.framed.len() {
                break;
            }
            self.function_with_frame(next)?;
            next += 1;
        }
        for index in 0..self.framed.len() {
            self.finish_frame(index);
        }
        self.finish_sites();
        if let Some(rows) = self.stack_rows {
            self.switches[rows.landings as usize] = std::mem::take(&mut self.landings).into();
        }
        Ok(())
    }

    /// The functions whose address is taken and that fit a call by address.
    fn find_targets(&mut self) {
        for site in 0..self.sites.len() {
            for target in self.targets(site) {
                self.framed(target);
            }
        }
    }

    fn targets(&self, site: usize) -> Vec<&'m Kernel> {
        let class = |bytes: u64| bytes.div_ceil(16);
        let fits = |formals: &[ptx_parser::Parameter], sizes: &[u64]| {
            formals.len() == sizes.len()
                && formals.iter().zip(sizes).all(|(formal, &bytes)| class(formal_bytes(formal)) == class(bytes))
        };
        let (results, arguments) = &self.sites[site].sizes;
        let taken = self.taken.iter().filter_map(|name| self.module.kernel(name));
        taken
            .filter(|f| f.has_body() && f.kind() == KernelKind::Func)
            .filter(|f| fits(f.results(), results) && fits(f.params(), arguments))
            .collect()
    }

    fn function_with_frame(&mut self, index: usize) -> Result<(), Error> {
        let rows = self.stack_rows();
        let Framed { kernel, entry, last, .. } = self.framed[index];
        self.host = index + 1;
        let function = self.function(kernel.name());
        let inner = Frame { kernel, function, labels: FxHashMap::default(), params: FxHashMap::default(), back: None };
        let formals = || kernel.results().iter().chain(kernel.params());
        let (offsets, _) = layout(formals().map(formal_bytes));
        let mut params: FxHashMap<&'m str, Place> = FxHashMap::default();
        let (mut into, mut out) = (Vec::new(), Vec::new());
        for (position, (formal, &offset)) in formals().zip(&offsets).enumerate() {
            if formal.space != Space::Reg {
                params.insert(&formal.name, Place::Frame(offset.into()));
            } else if let Some(row) = self.formal_register(&inner, &formal.name) {
                let list = if position < kernel.results().len() { &mut out } else { &mut into };
                list.extend([row, 0, offset, 8 | REGISTER]);
            }
        }
        let id = self.insts.len() as u32;
        self.start(entry);
        self.framed[index].enter = self.ops.len();
        let enter = Op { b: rows.sp, c: rows.fp, id, ..self.op(pick::<Enter>()) };
        self.push(enter);
        let copy = |d: &mut Self, list: &[u32], inwards: u64| {
            let (start, count) = (d.list(list), list.len() as u32 / 4);
            let op = Op { d: start, a: count, b: rows.fp, imm: inwards, id, ..d.op(pick::<FrameCopy>()) };
            d.push(op);
        };
        if !into.is_empty() {
            copy(self, &into, 0);
        }
        self.body(kernel, params, Some(last))?;
        self.start(last);
        if !out.is_empty() {
            copy(self, &out, 1);
        }
        self.framed[index].leave = self.ops.len();
        let leave = Op { b: rows.sp, c: rows.fp, id, ..self.op(pick::<Leave>()) };
        self.push(leave);
        self.end(End::Return { index: untagged(rows.place), table: rows.landings });
        Ok(())
    }

    /// Once the function's registers are known: which are saved, and how long its frame is.
    fn finish_frame(&mut self, index: usize) {
        let Some(rows) = self.stack_rows else { return };
        let framed = &self.framed[index];
        let name = framed.kernel.name();
        // Only what can be entered again while it runs overwrites what it still needs.
        let again = self.recursive.get(name).copied().unwrap_or(false) || !self.sites.is_empty();
        let mut saved: Vec<u32> = Vec::new();
        if again {
            for function in self.functions.iter().filter(|function| function.host == index + 1) {
                saved.extend(function.rows.values().flat_map(|&(row, parts)| row..row + parts));
            }
            saved.sort_unstable();
        }
        let start = framed.bytes.next_multiple_of(16);
        let bytes = (start + 8 * saved.len() as u64).next_multiple_of(16).min(u64::from(u32::MAX));
        let (enter, leave, parameters) = (framed.enter, framed.leave, framed.parameters);
        let count = saved.len() as u32;
        saved.push(rows.place);
        let list = self.list(&saved);
        for op in [enter, leave] {
            let op = &mut self.ops[op];
            (op.d, op.a, op.e) = (list, count, start as u32);
            op.imm = parameters << 32 | bytes;
        }
    }

    fn finish_sites(&mut self) {
        for site in 0..self.sites.len() {
            let targets = self.targets(site);
            let entry = |name: &str| self.framed.iter().find(|f| f.kernel.name() == name).map_or(0, |f| f.entry);
            let entries: Vec<u32> = targets.iter().map(|target| entry(target.name())).collect();
            let numbers: Vec<u32> = targets.iter().filter_map(|target| self.function_number(target.name())).collect();
            let start = self.list(&numbers);
            let Site { table, dispatch, .. } = self.sites[site];
            self.switches[table as usize] = entries.into();
            let op = &mut self.ops[dispatch];
            (op.imm, op.e) = (u64::from(start), numbers.len() as u32);
        }
    }

    /// The number of a function or kernel, from 1, by which its address is told.
    fn function_number(&self, name: &str) -> Option<u32> {
        self.module.kernels().iter().position(|kernel| kernel.name() == name).map(|position| position as u32 + 1)
    }

    /// The address of a function or kernel; a call by address may mean it from now on.
    pub(super) fn function_address(&mut self, name: &str) -> Option<u64> {
        let number = self.function_number(name)?;
        let kernel = self.module.kernels().get(number as usize - 1)?;
        if !self.taken.contains(&kernel.name()) {
            self.taken.push(kernel.name());
        }
        Some(CODE_WINDOW + 16 * u64::from(number))
    }

    /// The row of a parameter or result that is a register of the function; `None` if the body never mentions it.
    fn formal_register(&mut self, inner: &Frame<'m>, name: &str) -> Option<u32> {
        let callee: &Kernel = inner.kernel;
        let bare = name.trim_start_matches('%');
        let reg = callee.regs().find(|&reg| callee.reg_name(reg).trim_start_matches('%') == bare)?;
        Some(self.row(inner, reg))
    }

    /// The place of an argument that is a parameter variable.
    pub(super) fn actual_place(&mut self, view: &View<'_, 'm>, actual: &Operand) -> Result<Place, Error> {
        match *actual {
            Operand::Symbol(symbol, 0) => self.place(view, symbol),
            _ => Err(self.unsupported(view, "only variables in .param can be passed to a .param parameter")),
        }
    }

    /// A move that is part of a call and not counted.
    fn copy(&mut self, view: &View<'_, 'm>, id: u32, to: u32, from: u32) -> Result<(), Error> {
        let run = match (Width::of_row(to), Width::of_row(from)) {
            (Width::W32, Width::W32) => pick::<Map1<Move<u32>>>(),
            (Width::W64, Width::W64) => pick::<Map1<Move<u64>>>(),
            _ => return Err(self.unsupported(view, "an argument has another width than its parameter")),
        };
        let op = Op { d: untagged(to), a: untagged(from), id, ..self.op(run) };
        self.push(op);
        Ok(())
    }
}

/// `alloca`, `stacksave`, `stackrestore`.
pub(super) fn stack<'m>(d: &mut Decoder<'m>, view: &View<'_, 'm>) -> Result<Op, Error> {
    let sp = d.stack_rows().sp;
    let ty = view.ty();
    match view.opcode.mnemonic() {
        "alloca" => {
            let mut op = d.op(pick::<Alloca>());
            op.d = d.any_result(view, 0)?;
            op.a = d.any_source(view, 1, ty)?;
            op.b = sp;
            op.imm = match view.operand(2) {
                Some(&Operand::Int(align)) => u64::try_from(align).unwrap_or(16).clamp(16, 4096),
                _ => 16,
            };
            Ok(op)
        }
        "stacksave" => {
            let mut op = d.op(pick::<Rebase>());
            (op.d, op.a) = (d.any_result(view, 0)?, sp | TAG64);
            Ok(op)
        }
        _ => {
            let mut op = d.op(pick::<StackRestore>());
            (op.a, op.b) = (d.any_source(view, 0, ty)?, sp);
            Ok(op)
        }
    }
}
