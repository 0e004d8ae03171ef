//! From a parsed kernel to a [`Program`]: one pass over the statements of the kernel and, where it calls, of the
//! functions of the module.
//!
//! - Calls: most are expanded at their place ([`calls`]), the others are edges between blocks ([`frames`],
//!   [`indirect`], [`stack`]), so that machines know only blocks and branches. Functions without a body are the
//!   system's ([`system`]).
//! - What one instruction becomes is chosen in [`instructions`] and decided in one file per group: [`integer`],
//!   [`float`], [`half`], [`logic`], [`convert`], [`moves`], [`memory`], [`atomic`], [`asynchronous`], [`video`],
//!   [`warp`]. Control flow is in [`flow`], what is not run in [`refused`].
//! - Names and operands are in [`operands`], variables and parameters in [`places`], what a trace calls registers in
//!   [`names`].
//! - What comes of it is collected in [`blocks`] and made a program in [`finish`].

mod asynchronous;
mod atomic;
mod blocks;
mod calls;
mod constants;
mod convert;
mod current;
mod drafts;
mod finish;
mod float;
mod flow;
mod frames;
mod functions;
mod half;
mod indirect;
mod instructions;
mod integer;
mod logic;
mod memory;
mod moves;
mod names;
mod operands;
mod places;
mod refused;
mod repeated;
mod rows;
mod stack;
mod system;
mod variables;
mod video;
mod warp;

use std::sync::Arc;

use ptx_parser::{Inst, InstData, Kernel, KernelKind, Modifier, Module, OpcodeData, Operand, StmtKind, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::api::error::Error;
use crate::exec::op::Op;
use crate::program::Program;
use crate::program::code::End;
use crate::program::dataflow::Dataflow;
use crate::program::listing::{InstMeta, Named};
use crate::program::registers::Source;
use crate::program::storage::{Global, Param, SharedVariable};

use constants::Definitions;
use current::Target;
use drafts::Draft;
use functions::{Framed, Function, Site, StackRows};
use repeated::Repeated;
use variables::Place;

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

    fn has(&self, modifier: Modifier) -> bool {
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
    /// The instructions that read a clock.
    clocks: Vec<u32>,
    /// The kernel says how large its clusters are.
    explicit_cluster: bool,
    /// The kernel asks where the shared memory lies that is reserved.
    reserved_shared: bool,
    /// The kernel asks for what a cooperative launch has.
    cooperates: bool,
    lists: Vec<u32>,
    video: Vec<crate::program::video::Form>,
    rare: Vec<crate::program::tables::RareForm>,
    copies: Vec<crate::program::tables::Copy>,
    switches: Vec<Box<[u32]>>,
    repeated: Repeated,
    labels: Vec<(Box<str>, u32)>,
    rows: [u32; 3],
    constants: FxHashMap<(u32, Source), u32>,
    /// Their tagged rows.
    constant_rows: FxHashSet<u32>,
    /// Where the kernel's registers are written and read.
    definitions: Definitions,
    /// How many rows of each file there were before the instruction that is being decoded.
    rows_before: [u32; 3],
    /// The instruction that is being decoded needs no op.
    left_out: bool,
    consts32: Vec<(u32, Source)>,
    consts64: Vec<(u32, Source)>,
    const_preds: Vec<(u32, u32)>,
    functions: Vec<Function<'m>>,
    /// The first number of each `.sync` operation that moves values, by its function and its place there.
    synced: FxHashMap<(usize, Inst), u32>,
    module_places: FxHashMap<Box<str>, Place>,
    globals: Vec<Global>,
    shared_bytes: u64,
    shared: Vec<SharedVariable>,
    local_bytes: u64,
    stack_bytes: u32,
    /// The longest head, results and parameters of a frame.
    stack_reach: u64,
    /// Names of the functions being decoded, outermost first.
    stack: Vec<&'m str>,
    /// The function with frames whose code is being decoded, plus one; 0 for the kernel.
    host: usize,
    framed: Vec<Framed<'m>>,
    /// Whether functions call themselves, as far as that was asked.
    recursive: FxHashMap<&'m str, bool>,
    /// Functions whose address is taken.
    taken: Vec<&'m str>,
    sites: Vec<Site>,
    /// Where calls come back to, by number.
    landings: Vec<u32>,
    stack_rows: Option<StackRows>,
    /// Why instructions are not run, in the order of the code.
    refused: Vec<Error>,
    carry: Option<u32>,
    opcode_names: FxHashMap<&'m str, Arc<str>>,
    /// Where lanes go on whose guard kept them from the instruction that is being decoded.
    pending: Option<u32>,
    /// What the instruction that is being decoded accesses.
    target: Option<Target>,
    /// The rows that the instruction that is being decoded reads and writes.
    coming: (Vec<u32>, Vec<u32>),
    dataflow: Dataflow,
    /// What instructions call their registers, if anybody wants to know.
    named: Option<Vec<Named>>,
}

/// How many instructions a program may have once its calls are expanded.
const MAX_INSTRUCTIONS: usize = 4 << 20;

/// The size of a kernel's parameters is limited (PTX ISA, "Kernel Function Parameters").
const MAX_PARAMETER_BYTES: u64 = 32764;

impl Program {
    /// Decodes a kernel of a module.
    ///
    /// # Errors
    /// [`Error::NoKernel`], [`Error::Unsupported`] for the first instruction that cannot be run, [`Error::UnknownSymbol`].
    pub fn decode(module: &Module, kernel: &str) -> Result<Program, Error> {
        program(module, kernel, false)
    }

    /// Decodes a kernel so that a trace can show what its registers hold; takes more memory.
    ///
    /// # Errors
    /// As for [`Program::decode`].
    pub fn decode_with_names(module: &Module, kernel: &str) -> Result<Program, Error> {
        program(module, kernel, true)
    }
}

/// See [`Program::decode`].
fn program(module: &Module, name: &str, names: bool) -> Result<Program, Error> {
    let entries = || module.kernels().iter().filter(|k| k.kind() == KernelKind::Entry && k.has_body());
    let kernel = entries().find(|k| k.name() == name).ok_or_else(|| {
        let names: Vec<_> = entries().map(|k| format!("`{}`", k.name())).collect();
        Error::NoKernel { name: name.into(), known: if names.is_empty() { "none".into() } else { names.join(", ") } }
    })?;
    if let Some(blocks) = kernel.cluster_blocks().filter(|&blocks| blocks > 1) {
        let what = format!("the kernel asks for clusters of {blocks} blocks; only clusters of one block are modelled");
        return Err(Error::Shape { what });
    }
    let mut decoder = Decoder::new(module);
    decoder.explicit_cluster = kernel.cluster_blocks().is_some();
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
    decoder.definitions = Definitions::of(kernel);
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
            clocks: Vec::new(),
            explicit_cluster: false,
            reserved_shared: false,
            cooperates: false,
            lists: Vec::new(),
            video: Vec::new(),
            rare: Vec::new(),
            copies: Vec::new(),
            switches: Vec::new(),
            repeated: Repeated::default(),
            labels: Vec::new(),
            rows: [0; 3],
            constants: FxHashMap::default(),
            constant_rows: FxHashSet::default(),
            definitions: Definitions::default(),
            rows_before: [0; 3],
            left_out: false,
            consts32: Vec::new(),
            consts64: Vec::new(),
            const_preds: Vec::new(),
            functions: Vec::new(),
            synced: FxHashMap::default(),
            module_places: FxHashMap::default(),
            globals: Vec::new(),
            shared_bytes: 0,
            shared: Vec::new(),
            local_bytes: 0,
            stack_bytes: 0,
            stack_reach: 0,
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
            coming: Default::default(),
            dataflow: Dataflow::default(),
            named: None,
        }
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
}
