//! From a parsed kernel to a [`Program`]: one pass over the statements of the kernel and, where it calls, of the
//! functions of the module.
//!
//! Most calls are expanded at their place, the others are edges between blocks ([`calls`]), so that machines know only blocks and branches.
//! What one instruction becomes is decided in
//! one file per group: [`integer`], [`float`], [`logic`], [`convert`], [`moves`], [`memory`], [`warp`]; control flow is
//! in [`flow`], names and operands in [`operands`].

mod asynchronous;
mod atomic;
mod calls;
mod convert;
mod finish;
mod float;
mod flow;
mod half;
mod integer;
mod logic;
mod memory;
mod moves;
mod names;
mod operands;
mod places;
mod refused;
mod system;
mod video;
mod warp;

use std::ops::Range;
use std::sync::Arc;

use ptx_parser::{Flow, Inst, InstData, Kernel, KernelKind, Module, OpcodeData, Operand, StmtKind, Symbol, Type};
use rustc_hash::FxHashMap;

use crate::error::{Error, Site};
use crate::exec::scalar::{TAG_PRED, TAG64, untagged};
use crate::exec::{Handler, NONE, Op};
use crate::graph;
use crate::program::{End, Global, InstMeta, Param, Program, Source};
use crate::trace::Named;

use places::Place;

/// A block that is being made.
struct Draft {
    ops: Range<u32>,
    insts: Range<u32>,
    weight: u32,
    end: Option<End>,
    accesses: Vec<graph::RowAccess>,
}

/// One use of a function: the kernel itself, or the body of a call.
struct Frame<'m> {
    kernel: &'m Kernel,
    /// Number of the function, by which its registers and variables are known.
    function: usize,
    labels: FxHashMap<ptx_parser::Label, u32>,
    /// Parameters by name.
    params: FxHashMap<&'m str, Place>,
    /// Where `ret` goes; `None` in the kernel itself.
    back: Option<u32>,
}

/// A function that has been met.
#[derive(Default)]
struct Function<'m> {
    name: &'m str,
    /// The function with frames that it is part of; 0 for the kernel. See [`calls`].
    host: usize,
    /// Rows of its registers: the first one, and how many.
    rows: FxHashMap<ptx_parser::Reg, (u32, u32)>,
    /// Places of its variables.
    places: FxHashMap<Symbol, Place>,
}

/// An instruction with what belongs to it.
struct View<'a, 'm> {
    frame: &'a Frame<'m>,
    inst: Inst,
    data: &'m InstData,
    opcode: &'m OpcodeData,
}

impl<'m> View<'_, 'm> {
    fn operands(&self) -> &'m [Operand] {
        self.frame.kernel.operands(self.inst)
    }

    fn operand(&self, index: usize) -> Option<&'m Operand> {
        self.operands().get(index)
    }

    fn has(&self, modifier: &str) -> bool {
        self.opcode.has(modifier)
    }

    /// The last type of the opcode: that of the operands.
    fn ty(&self) -> Type {
        self.opcode.types().last().copied().unwrap_or(Type::B32)
    }

    /// The first type of the opcode: that of the result.
    fn first_ty(&self) -> Type {
        self.opcode.types().first().copied().unwrap_or(Type::B32)
    }
}

/// The program that is being made.
struct Decoder<'m> {
    module: &'m Module,
    drafts: Vec<Draft>,
    current: usize,
    ops: Vec<Op>,
    insts: Vec<InstMeta>,
    lists: Vec<u32>,
    video: Vec<crate::exec::video::Form>,
    rare: Vec<crate::exec::atomic_rare::RareForm>,
    copies: Vec<crate::exec::copy_async::Copy>,
    switches: Vec<Box<[u32]>>,
    labels: Vec<(Box<str>, u32)>,
    rows: [u32; 3],
    constants: FxHashMap<(u32, Source), u32>,
    consts32: Vec<(u32, Source)>,
    consts64: Vec<(u32, Source)>,
    const_preds: Vec<(u32, u32)>,
    functions: Vec<Function<'m>>,
    module_places: FxHashMap<Box<str>, Place>,
    globals: Vec<Global>,
    shared_bytes: u64,
    local_bytes: u64,
    stack_bytes: u32,
    /// Names of the functions being decoded, outermost first.
    stack: Vec<&'m str>,
    /// The function with frames whose code is being decoded, plus one; 0 for the kernel.
    host: usize,
    framed: Vec<calls::Framed<'m>>,
    /// Whether functions call themselves, as far as that was asked.
    recursive: FxHashMap<&'m str, bool>,
    /// Functions whose address is taken.
    taken: Vec<&'m str>,
    sites: Vec<calls::Site>,
    /// Where calls come back to, by number.
    landings: Vec<u32>,
    stack_rows: Option<calls::StackRows>,
    /// Why instructions are not run, in the order of the code.
    refused: Vec<Error>,
    carry: Option<u32>,
    opcode_names: FxHashMap<&'m str, Arc<str>>,
    /// Where lanes go on whose guard kept them from the instruction that is being decoded.
    pending: Option<u32>,
    /// What the instruction that is being decoded accesses.
    target: Option<memory::Target>,
    /// What instructions call their registers, if anybody wants to know.
    named: Option<Vec<Named>>,
}

/// How many instructions a program may have once its calls are expanded.
const MAX_INSTRUCTIONS: usize = 4 << 20;

/// The size of a kernel's parameters is limited (PTX ISA, "Kernel Function Parameters").
const MAX_PARAMETER_BYTES: u64 = 32764;

/// See [`Program::decode`].
pub(crate) fn program(module: &Module, name: &str, names: bool) -> Result<Program, Error> {
    let entries = || module.kernels().iter().filter(|k| k.kind() == KernelKind::Entry && k.has_body());
    let kernel = entries().find(|k| k.name() == name).ok_or_else(|| {
        let names: Vec<_> = entries().map(|k| format!("`{}`", k.name())).collect();
        Error::NoKernel { name: name.into(), known: if names.is_empty() { "none".into() } else { names.join(", ") } }
    })?;
    let mut decoder = Decoder::new(module);
    decoder.named = names.then(Vec::new);
    let mut params = FxHashMap::default();
    let mut table = Vec::new();
    let mut end = 0u64;
    for param in kernel.params() {
        let offset = end.checked_next_multiple_of(u64::from(param.align.max(1))).unwrap_or(end);
        end = offset.saturating_add(param.bytes());
        params.insert(&*param.name, Place::Param(offset));
        table.push(Param { name: param.name.clone(), offset, bytes: param.bytes() });
    }
    if end > MAX_PARAMETER_BYTES {
        return Err(Error::Shape { what: format!("the parameters take {end} bytes; at most {MAX_PARAMETER_BYTES}") });
    }
    decoder.reserve_stack(kernel);
    decoder.new_block();
    decoder.body(kernel, params, None)?;
    decoder.functions_with_frames()?;
    decoder.refusals()?;
    decoder.finish(kernel, table, end)
}

impl<'m> Decoder<'m> {
    fn new(module: &'m Module) -> Decoder<'m> {
        Decoder {
            module,
            drafts: Vec::new(),
            current: 0,
            ops: Vec::new(),
            insts: Vec::new(),
            lists: Vec::new(),
            video: Vec::new(),
            rare: Vec::new(),
            copies: Vec::new(),
            switches: Vec::new(),
            labels: Vec::new(),
            rows: [0; 3],
            constants: FxHashMap::default(),
            consts32: Vec::new(),
            consts64: Vec::new(),
            const_preds: Vec::new(),
            functions: Vec::new(),
            module_places: FxHashMap::default(),
            globals: Vec::new(),
            shared_bytes: 0,
            local_bytes: 0,
            stack_bytes: 0,
            stack: Vec::new(),
            host: 0,
            framed: Vec::new(),
            recursive: FxHashMap::default(),
            taken: Vec::new(),
            sites: Vec::new(),
            landings: Vec::new(),
            stack_rows: None,
            refused: Vec::new(),
            carry: None,
            opcode_names: FxHashMap::default(),
            pending: None,
            target: None,
            named: None,
        }
    }

    fn new_block(&mut self) -> u32 {
        self.drafts.push(Draft { ops: 0..0, insts: 0..0, weight: 1, end: None, accesses: Vec::new() });
        (self.drafts.len() - 1) as u32
    }

    /// What follows belongs to this block; the current one, if it has no end yet, runs into it.
    fn start(&mut self, block: u32) {
        self.end(End::Jump(block));
        self.current = block as usize;
        let (ops, insts) = (self.ops.len() as u32, self.insts.len() as u32);
        let draft = &mut self.drafts[block as usize];
        (draft.ops, draft.insts) = (ops..ops, insts..insts);
    }

    /// Ends the current block, unless it has ended.
    fn end(&mut self, end: End) {
        let draft = &mut self.drafts[self.current];
        if draft.end.is_none() {
            draft.end = Some(end);
        }
    }

    fn ended(&self) -> bool {
        self.drafts[self.current].end.is_some()
    }

    /// Decodes the body of a kernel or function.
    fn body(&mut self, kernel: &'m Kernel, params: FxHashMap<&'m str, Place>, back: Option<u32>) -> Result<(), Error> {
        let function = self.function(kernel.name());
        self.stack.push(kernel.name());
        let mut frame = Frame { kernel, function, labels: FxHashMap::default(), params, back };
        for stmt in kernel.stmts() {
            match &stmt.kind {
                StmtKind::Label(label) => {
                    let block = self.label(&mut frame, *label);
                    self.start(block);
                    self.labels.push((kernel.label_name(*label).into(), block));
                }
                StmtKind::Inst(inst) => {
                    if self.ended() {
                        // Nothing jumps here: the code is dead, but it is decoded, so that it is refused like any other.
                        let dead = self.new_block();
                        self.start(dead);
                    }
                    if let Err(error) = self.instruction(&mut frame, *inst) {
                        self.refuse(error)?;
                    }
                }
                _ => {}
            }
        }
        self.end(frame.back.map_or(End::Exit, End::Jump));
        self.stack.pop();
        Ok(())
    }

    /// Remembers why an instruction is not run and goes on to find the others. An error that is about the whole program, or one too many,
    /// ends decoding.
    fn refuse(&mut self, error: Error) -> Result<(), Error> {
        const MOST: usize = 64;
        let one = matches!(error, Error::Unsupported { .. } | Error::UnknownSymbol { .. });
        if !one || self.insts.len() >= MAX_INSTRUCTIONS {
            return Err(error);
        }
        self.pending = None;
        // The same instruction may be refused in every expansion of its function.
        if !self.refused.contains(&error) {
            self.refused.push(error);
        }
        if self.refused.len() < MOST { Ok(()) } else { self.refusals() }
    }

    /// All that was refused, as one error.
    fn refusals(&mut self) -> Result<(), Error> {
        let mut list = std::mem::take(&mut self.refused);
        match list.len() {
            0 => Ok(()),
            1 => Err(list.remove(0)),
            _ => Err(Error::Several(list)),
        }
    }

    fn label(&mut self, frame: &mut Frame<'m>, label: ptx_parser::Label) -> u32 {
        match frame.labels.get(&label) {
            Some(&block) => block,
            None => {
                let block = self.new_block();
                frame.labels.insert(label, block);
                block
            }
        }
    }

    fn instruction(&mut self, frame: &mut Frame<'m>, inst: Inst) -> Result<(), Error> {
        let kernel = frame.kernel;
        let opcode = kernel.opcode(inst);
        if self.insts.len() >= MAX_INSTRUCTIONS {
            let view = View { frame, inst, data: kernel.inst(inst), opcode };
            return Err(
                self.unsupported(&view, "with its calls expanded the kernel has more than 4 million instructions")
            );
        }
        if let Some(reason) = refused::reason(opcode.mnemonic()) {
            let view = View { frame, inst, data: kernel.inst(inst), opcode };
            return Err(self.unsupported(&view, reason));
        }
        self.note_accesses(frame, inst);
        if opcode.properties().flow != Flow::Next {
            return self.control(frame, inst);
        }
        let view = View { frame, inst, data: kernel.inst(inst), opcode };
        if ["bar", "barrier"].contains(&opcode.mnemonic())
            || (opcode.has("sync") && opcode.properties().convergent && opcode.mnemonic() != "setmaxnreg")
        {
            return self.together(&view);
        }
        let op = self.operation(&view)?;
        self.emit(&view, op);
        Ok(())
    }

    /// What an instruction without control flow becomes.
    fn operation(&mut self, view: &View<'_, 'm>) -> Result<Op, Error> {
        let ty = view.ty();
        let operands = view.operands().len();
        if let Some(sources) = sources(view.opcode.mnemonic())
            && operands != sources + 1
            // Of singles there may be three.
            && !(operands == 4 && ty == Type::F32 && matches!(view.opcode.mnemonic(), "min" | "max"))
        {
            return Err(self.unsupported(view, format!("it has {operands} operands and not {}", sources + 1)));
        }
        match view.opcode.mnemonic() {
            "add" | "sub" | "mul" | "mad" | "div" | "abs" | "neg" | "min" | "max" | "fma" if ty.is_float() => {
                float::decode(self, view)
            }
            "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "copysign" | "testp" => {
                float::decode(self, view)
            }
            "and" | "or" | "xor" | "not" | "setp" | "set" | "selp" | "slct" | "lop3" | "cnot" | "shl" | "shr"
            | "shf" => logic::decode(self, view),
            "cvt" => convert::decode(self, view),
            "mov" | "cvta" | "isspacep" => moves::decode(self, view),
            "alloca" | "stacksave" | "stackrestore" => calls::stack(self, view),
            "ld" | "ldu" | "st" | "atom" | "red" | "membar" | "fence" | "prefetch" | "prefetchu" | "nanosleep"
            | "discard" | "applypriority" | "pmevent" | "createpolicy" | "griddepcontrol" | "setmaxnreg" | "brkpt" => {
                memory::decode(self, view)
            }
            "mbarrier" => asynchronous::mbarrier(self, view),
            "cp" => asynchronous::copy(self, view),
            "vote" | "shfl" | "match" | "activemask" => warp::decode(self, view),
            mnemonic if video::is_video(mnemonic) => video::decode(self, view),
            _ => integer::decode(self, view),
        }
    }

    /// An op without operands.
    fn op(&self, run: Handler) -> Op {
        Op { run, d: NONE, a: NONE, b: NONE, c: NONE, e: NONE, guard: NONE, id: 0, imm: 0 }
    }

    /// Adds an instruction's op to the current block.
    fn emit(&mut self, view: &View<'_, 'm>, mut op: Op) {
        op.guard = self.guard(view);
        op.id = self.meta(view, op.guard != NONE);
        let target = self.target.take();
        self.insts[op.id as usize].access = memory::access(target, view);
        let properties = view.opcode.properties();
        if properties.volatile {
            self.drafts[self.current].weight = 64;
        }
        self.ops.push(op);
        self.drafts[self.current].ops.end = self.ops.len() as u32;
    }

    /// The guard's code: the predicate row times two, plus one if negated.
    fn guard(&mut self, view: &View<'_, 'm>) -> u32 {
        match view.data.guard {
            Some(guard) => untagged(self.row(view.frame, guard.reg)) << 1 | u32::from(guard.negated),
            None => NONE,
        }
    }

    /// Records an instruction in the current block and returns its number.
    fn meta(&mut self, view: &View<'_, 'm>, guarded: bool) -> u32 {
        let id = self.insts.len() as u32;
        let (site, file) = self.position(view.frame, view.inst);
        let text = view.opcode.text();
        let opcode = self.opcode_names.entry(text).or_insert_with(|| text.into()).clone();
        let properties = view.opcode.properties();
        self.insts.push(InstMeta {
            ptx_line: site.ptx_line,
            file,
            line: site.line,
            class: properties.class,
            repeats: properties.repeats,
            guarded,
            opcode,
            access: None,
        });
        self.note_names(view, id);
        self.drafts[self.current].insts.end = self.insts.len() as u32;
        id
    }

    fn position(&self, frame: &Frame<'m>, inst: Inst) -> (Site, u32) {
        let ptx_line = frame.kernel.text_position(inst).map_or(0, |(line, _)| line);
        let loc = frame.kernel.loc(inst);
        let (file, line) = loc.map_or((0, 0), |loc| (loc.file, loc.line));
        let name = self.module.file(file).filter(|_| line > 0).map(Arc::from);
        (Site { ptx_line, file: name, line }, file)
    }

    fn unsupported(&self, view: &View<'_, 'm>, reason: impl Into<String>) -> Error {
        let (site, _) = self.position(view.frame, view.inst);
        Error::Unsupported { site, opcode: view.opcode.text().into(), reason: reason.into() }
    }

    /// Remembers which rows an instruction reads and surely writes, for the registers that must start as zero.
    fn note_accesses(&mut self, frame: &Frame<'m>, inst: Inst) {
        let kernel = frame.kernel;
        for reg in kernel.uses(inst) {
            self.note(frame, reg, false);
        }
        if kernel.inst(inst).guard.is_none() {
            for reg in kernel.defs(inst) {
                self.note(frame, reg, true);
            }
        }
    }

    fn note(&mut self, frame: &Frame<'m>, reg: ptx_parser::Reg, write: bool) {
        if frame.kernel.carry_flag() == Some(reg) {
            let carry = self.carry_row() | TAG_PRED;
            let number = self.row_number(carry);
            self.drafts[self.current].accesses.push((number, write));
            return;
        }
        let row = self.row(frame, reg);
        for part in 0..self.parts(frame, reg) {
            let number = self.row_number(row + part);
            self.drafts[self.current].accesses.push((number, write));
        }
    }

    /// A number for a tagged row over all three files.
    fn row_number(&self, row: u32) -> u32 {
        untagged(row) * 3 + row / TAG64
    }
}

/// How many sources a computing instruction has behind its result; `None` where that varies or is checked elsewhere.
fn sources(mnemonic: &str) -> Option<usize> {
    Some(match mnemonic {
        "abs" | "neg" | "not" | "cnot" | "popc" | "clz" | "brev" | "bfind" | "mov" | "cvta" | "isspacep" | "sqrt"
        | "rcp" | "rsqrt" | "sin" | "cos" | "ex2" | "lg2" | "tanh" | "testp" => 1,
        "add" | "sub" | "mul" | "div" | "rem" | "min" | "max" | "and" | "or" | "xor" | "shl" | "shr" | "addc"
        | "subc" | "mul24" | "szext" | "bmsk" | "copysign" => 2,
        "mad" | "fma" | "sad" | "madc" | "mad24" | "bfe" | "shf" | "prmt" | "fns" | "dp4a" | "dp2a" | "selp"
        | "slct" => 3,
        "bfi" => 4,
        _ => return None,
    })
}
