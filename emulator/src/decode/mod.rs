//! From a parsed kernel to a [`Program`]: one pass over the statements of the kernel and, where it calls, of the
//! functions of the module.
//!
//! - Calls: most are expanded at their place ([`calls`]), the others are edges between blocks ([`frames`],
//!   [`indirect`], [`stack`]), so that machines know only blocks and branches. Functions without a body are the
//!   system's ([`system`]).
//! - What one instruction becomes is chosen in [`instructions`] and decided in one file per group: [`integer`],
//!   [`float`], [`half`], [`logic`], [`convert`], [`moves`], [`memory`], [`atomic`], [`asynchronous`], [`video`],
//!   [`warp`]. Control flow is in [`flow`], what is not run in [`refusals`].
//! - Operands are in [`operands`], variables and parameters in [`variable_allocation`].
//! - [`blocks`] puts into the current block what an instruction becomes, and [`finish`] makes the program.
//!
//! The state of all that has one struct per kind, in files that do not know the [`Decoder`]: the instruction that is being
//! decoded ([`current_inst`]), the blocks that are being made ([`draft_blocks`], [`address_reuse`]), rows ([`rows`]), constants ([`constants`]),
//! variables ([`variables`]), functions and frames ([`functions`]), names ([`names`]), and the side tables
//! ([`Tables`]).

mod address_reuse;
mod asynchronous;
mod atomic;
mod blocks;
mod calls;
mod constants;
mod convert;
mod current_inst;
mod draft_blocks;
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
mod refusals;
mod rows;
mod stack;
mod system;
mod variable_allocation;
mod variables;
mod video;
mod warp;

use ptx_parser::{Inst, InstData, Kernel, KernelKind, Modifier, Module, OpcodeData, Operand, StmtKind, Type};
use rustc_hash::FxHashMap;

use crate::api::error::Error;
use crate::program::Program;
use crate::program::code::{BlockId, End};
use crate::program::storage::Param;
use crate::program::tables::Tables;

use constants::{Constants, Definitions};
use current_inst::Current;
use draft_blocks::Drafts;
use functions::{Frames, FunctionId, Functions};
use names::Names;
use rows::Rows;
use variables::{Location, Variables};

/// One use of a function: the kernel itself, or the body of a call.
struct Frame<'m> {
    kernel: &'m Kernel,
    /// Number of the function, by which its registers and variables are known.
    function: FunctionId,
    labels: FxHashMap<ptx_parser::Label, BlockId>,
    /// Parameters by name.
    params: FxHashMap<&'m str, Location>,
    /// The block that `ret` branches to; `None` in the kernel itself.
    back: Option<BlockId>,
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

    /// Returns true if one of some modifiers is there.
    fn has_any(&self, modifiers: &[Modifier]) -> bool {
        self.opcode.has_any(modifiers)
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

/// The program that is being made, one field for each kind of state.
struct Decoder<'m> {
    module: &'m Module,
    /// The kernel says how large its clusters are.
    explicit_cluster: bool,
    /// The kernel asks where the shared memory lies that is reserved.
    reserved_shared: bool,
    /// The kernel asks for what a cooperative launch has.
    cooperates: bool,
    /// The statements that write and read the kernel's registers.
    definitions: Definitions,
    current: Current,
    drafts: Drafts,
    names: Names<'m>,
    rows: Rows,
    constants: Constants,
    variables: Variables,
    functions: Functions<'m>,
    frames: Frames<'m>,
    tables: Tables,
    /// The errors for instructions that are not run, in the order of the code.
    refused: Vec<Error>,
}

/// The most instructions that a program may have once its calls are expanded.
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
    decoder.names.named = names.then(Vec::new);
    let mut params = FxHashMap::default();
    let mut table = Vec::new();
    let mut end = 0u64;
    for param in kernel.params() {
        let offset = end.checked_next_multiple_of(u64::from(param.align.max(1))).unwrap_or(end);
        end = offset.saturating_add(param.bytes());
        params.insert(&*param.name, Location::Param(offset));
        table.push(Param { name: param.name.clone(), offset, bytes: param.bytes() });
    }
    if end > MAX_PARAMETER_BYTES {
        return Err(Error::Shape { what: format!("the parameters take {end} bytes; at most {MAX_PARAMETER_BYTES}") });
    }
    decoder.reserve_stack(kernel);
    decoder.drafts.new_block();
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
            explicit_cluster: false,
            reserved_shared: false,
            cooperates: false,
            definitions: Definitions::default(),
            current: Current::default(),
            drafts: Drafts::default(),
            names: Names::default(),
            rows: Rows::default(),
            constants: Constants::default(),
            variables: Variables::default(),
            functions: Functions::default(),
            frames: Frames::default(),
            tables: Tables::default(),
            refused: Vec::new(),
        }
    }

    /// Decodes the body of a kernel or function.
    fn body(
        &mut self,
        kernel: &'m Kernel,
        params: FxHashMap<&'m str, Location>,
        back: Option<BlockId>,
    ) -> Result<(), Error> {
        let function = self.functions.number(kernel.name());
        self.functions.stack.push(kernel.name());
        let mut frame = Frame { kernel, function, labels: FxHashMap::default(), params, back };
        for stmt in kernel.stmts() {
            match &stmt.kind {
                StmtKind::Label(label) => {
                    let block = self.label(&mut frame, *label);
                    self.drafts.start(block);
                    self.drafts.labels.push((kernel.label_name(*label).into(), block));
                }
                StmtKind::Inst(inst) => {
                    if self.drafts.ended() {
                        // Nothing jumps here: the code is dead, but it is decoded, so that it is refused like any other.
                        let dead = self.drafts.new_block();
                        self.drafts.start(dead);
                    }
                    if let Err(error) = self.instruction(&mut frame, *inst) {
                        self.refuse(error)?;
                    }
                }
                _ => {}
            }
        }
        self.drafts.end(frame.back.map_or(End::Exit, End::Jump));
        self.functions.stack.pop();
        Ok(())
    }

    fn label(&mut self, frame: &mut Frame<'m>, label: ptx_parser::Label) -> BlockId {
        match frame.labels.get(&label) {
            Some(&block) => block,
            None => {
                let block = self.drafts.new_block();
                frame.labels.insert(label, block);
                block
            }
        }
    }
}
