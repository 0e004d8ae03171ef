//! A decoded kernel: blocks of compact instructions with their operands resolved to rows.
//!
//! [`Program::decode`] does everything that can be done before a launch: it follows calls into the functions of the module, assigns
//! every register and constant a row, picks the function of each instruction, and finds where lanes reconverge. What it
//! cannot run it refuses by name and line.

pub(crate) mod dataflow;
pub(crate) mod graph;

use std::ops::Range;
use std::sync::Arc;

use ptx_parser::{Class, Initial, Module, Special};

use crate::api::error::{Error, Site};
use crate::exec::Op;
use crate::memory::access::Access;
use crate::memory::{Memory, Pointer};
use crate::observe::trace::Named;
use dataflow::Dataflow;

/// No block: where lanes reconverge that never meet again before they end.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// A kernel, ready to be launched any number of times.
#[derive(Clone)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) blocks: Vec<Block>,
    pub(crate) ops: Vec<Op>,
    pub(crate) insts: Vec<InstMeta>,
    pub(crate) lists: Vec<u32>,
    pub(crate) video: Vec<crate::exec::video::Form>,
    pub(crate) rare: Vec<crate::exec::atomic_rare::RareForm>,
    pub(crate) copies: Vec<crate::exec::copy_async::Copy>,
    pub(crate) switches: Vec<Box<[u32]>>,
    /// Per block, whether a barrier or `.sync` operation may follow or be in it.
    pub(crate) meets: Vec<bool>,
    pub(crate) files: Vec<(u32, Arc<str>)>,
    /// The blocks that labels begin; those of a function once for every call.
    pub(crate) labels: Vec<(Box<str>, u32)>,
    pub(crate) params: Vec<Param>,
    pub(crate) param_bytes: u64,
    /// Slots for what accesses of one block share; see `exec/pattern.rs`.
    pub(crate) slots: u32,
    /// Rows of each file, registers and constants alike.
    pub(crate) rows32: u32,
    pub(crate) rows64: u32,
    pub(crate) preds: u32,
    /// The rows that hold constants.
    pub(crate) consts32: Vec<(u32, Source)>,
    pub(crate) consts64: Vec<(u32, Source)>,
    pub(crate) const_preds: Vec<(u32, u32)>,
    /// Registers that may be read before they are written, and therefore start as zero in every block.
    pub(crate) zero32: Vec<u32>,
    pub(crate) zero64: Vec<u32>,
    pub(crate) zero_preds: Vec<u32>,
    /// It asks where the shared memory lies that the system reserves.
    pub(crate) reserved_shared: bool,
    /// It asks for the workspace that the blocks of a cooperative launch share.
    pub(crate) cooperates: bool,
    /// Static shared memory per block in bytes.
    pub(crate) shared_bytes: u32,
    /// What lies in shared memory.
    pub(crate) shared: Vec<SharedVariable>,
    /// Local memory per thread in bytes, the stack included.
    pub(crate) local_bytes: u32,
    /// Bytes of that which are the stack, at its beginning: not cleared between blocks.
    pub(crate) stack_bytes: u32,
    /// What of it is in use; `None` if nothing keeps track of that.
    pub(crate) stack: Option<StackInUse>,
    /// The addresses of functions by name, as far as globals hold them.
    pub(crate) functions: Vec<(Box<str>, u64)>,
    pub(crate) globals: Vec<Global>,
    pub(crate) max_threads: Option<u32>,
    /// What instructions call their registers, by instruction; empty unless the kernel was decoded for a trace with values.
    pub(crate) named: Vec<Named>,
    /// The rows that instructions read and write.
    pub(crate) dataflow: Dataflow,
}

/// A parameter of the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: Box<str>,
    pub(crate) offset: u64,
    pub(crate) bytes: u64,
}

/// A module variable in global or constant memory.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    pub(crate) name: Box<str>,
    pub(crate) bytes: u64,
    /// In `.const`.
    pub(crate) constant: bool,
    pub(crate) init: Initial,
}

/// How much of its stack a lane uses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StackInUse {
    /// The 64-bit row of where the stack ends.
    pub(crate) end: u32,
    /// The number of bytes behind that end in which a call that is being made, or one that has just returned, may have its arguments or results.
    pub(crate) reach: u64,
    /// The most that there are, as [`Program::stack_bytes`] says.
    pub(crate) bytes: u32,
}

/// A variable in shared memory.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    pub(crate) name: Box<str>,
    /// Offset in the block's shared memory.
    pub(crate) start: u64,
    /// Its size; `None` for an array without one, which has whatever the launch adds.
    pub(crate) bytes: Option<u64>,
}

/// What a constant row holds, known at the launch at the latest.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Source {
    /// The same bits in all lanes.
    Bits(u64),
    /// The address of a module variable, by number, plus an offset.
    Global(u32, i64),
    /// Bytes of the parameter block: offset, size, whether the sign is extended.
    Param(u64, u32, bool),
    /// A special register that stays the same while a block runs.
    Special(Special),
}

/// A decoded instruction's position, cost and name.
#[derive(Clone, Debug)]
pub(crate) struct InstMeta {
    pub(crate) ptx_line: u32,
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) class: Class,
    pub(crate) repeats: u8,
    /// True if lanes are counted apart because it has a guard.
    pub(crate) guarded: bool,
    pub(crate) opcode: Arc<str>,
    /// What it does to memory.
    pub(crate) access: Option<Access>,
}

/// Straight-line code with one end.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) ops: Range<u32>,
    /// The instructions, that of the end included.
    pub(crate) insts: Range<u32>,
    /// What running it costs a warp's turn.
    pub(crate) weight: u32,
    pub(crate) end: End,
}

/// What `bar` and `barrier` do besides waiting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BarrierKind {
    /// `bar.sync`
    Sync,
    /// `bar.arrive`
    Arrive,
    /// `bar.red.and`, `.or`, `.popc`: predicate operand, result (a predicate or, for `popc`, a 32-bit row).
    And(u32, u32),
    /// See `And`.
    Or(u32, u32),
    /// See `And`.
    Popc(u32, u32),
    /// `barrier.cluster.arrive`
    ClusterArrive,
    /// `barrier.cluster.wait`
    ClusterWait,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// To one block.
    Jump(u32),
    /// Where the predicate (row times two, plus one if negated) holds to `taken`, else to `next`; lanes meet at `meet`.
    Branch { pred: u32, taken: u32, next: u32, meet: u32, inst: u32 },
    /// By the 32-bit row `index` to an entry of switch `table`.
    Switch { index: u32, table: u32, meet: u32 },
    /// All lanes end.
    Exit,
    /// Lanes whose predicate holds end.
    ExitIf { pred: u32, next: u32, inst: u32 },
    /// The launch ends: `trap`, `brkpt`.
    Trap,
    /// A call: the lanes go to entries of switch `table`, by the 32-bit row `index` or all to its first; they meet again at `land`
    /// and go on at `after`.
    Call { index: u32, table: u32, land: u32, after: u32 },
    /// Back from a call: by the 32-bit row `index` to an entry of switch `table`.
    Return { index: u32, table: u32 },
    /// A barrier of the block: 32-bit rows of its number and of its thread count, if given.
    Barrier { kind: BarrierKind, id: u32, count: Option<u32>, next: u32, aligned: bool, inst: u32 },
    /// An operation that waits for the lanes of the 32-bit row `members`: `op` is run then, if there is any. Lanes meet at blocks with
    /// one number `meets`; those of an instruction that was decoded for several calls have one.
    Sync { op: Option<u32>, members: u32, next: u32, inst: u32, meets: u32 },
}

impl Program {
    /// Decodes a kernel of a module.
    ///
    /// # Errors
    /// [`Error::NoKernel`], [`Error::Unsupported`] for the first instruction that cannot be run, [`Error::UnknownSymbol`].
    pub fn decode(module: &Module, kernel: &str) -> Result<Program, Error> {
        crate::decode::program(module, kernel, false)
    }

    /// Decodes a kernel so that a trace can show what its registers hold; takes more memory.
    ///
    /// # Errors
    /// As for [`Program::decode`].
    pub fn decode_with_names(module: &Module, kernel: &str) -> Result<Program, Error> {
        crate::decode::program(module, kernel, true)
    }

    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sizes in bytes of the kernel's parameters, in order.
    pub fn parameter_bytes(&self) -> impl Iterator<Item = u64> {
        self.params.iter().map(|param| param.bytes)
    }

    /// Static shared memory per block in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.shared_bytes
    }

    /// Local memory per thread in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.local_bytes
    }

    /// Returns true if a block does more than compute or jump: accesses memory, meets others, calls.
    pub(crate) fn acts(&self, block: u32) -> bool {
        let Block { insts, end, .. } = &self.blocks[block as usize];
        let meets = matches!(end, End::Barrier { .. } | End::Sync { .. } | End::Call { .. });
        meets || self.insts[insts.start as usize..insts.end as usize].iter().any(|inst| inst.access.is_some())
    }

    /// Allocates and initialises the module variables that the kernel uses and that the memory does not hold yet; a launch does
    /// so by itself. Afterwards [`Memory::symbol`] finds them.
    ///
    /// # Errors
    /// [`Error::VariableMemory`] for a variable that the host has no memory for. Those before it are allocated.
    pub fn load(&self, memory: &mut Memory) -> Result<(), Error> {
        let fresh: Vec<&Global> = self.globals.iter().filter(|g| memory.symbol(&g.name).is_none()).collect();
        for global in &fresh {
            let allocated = memory.try_alloc(global.bytes, &global.name);
            let pointer = allocated
                .ok_or_else(|| Error::VariableMemory { name: global.name.to_string(), bytes: global.bytes })?;
            if global.constant {
                memory.mark_constant(pointer);
            }
        }
        // Initial values may be addresses of variables that come later, so all are allocated first.
        for global in fresh {
            // Behind its initial values a variable is zero, as it was allocated. A list may be longer than its array; what is
            // beyond has no place.
            let addresses = global.init.addresses.iter().map(|address| address.at + (address.bytes as usize).min(8));
            let given = addresses.fold(global.init.bytes.len(), usize::max).min(global.bytes as usize);
            let mut bytes = global.init.bytes[..global.init.bytes.len().min(given)].to_vec();
            bytes.resize(given, 0);
            for address in &global.init.addresses {
                let function = self.functions.iter().find(|(name, _)| *name == address.name).map(|(_, at)| *at);
                let base = function.or_else(|| memory.symbol(&address.name).map(Pointer::address));
                let value: u64 = base.map_or(0, |base| address.value(base));
                let length = (address.bytes as usize).min(8);
                if let Some(slot) = bytes.get_mut(address.at..address.at + length) {
                    slot.copy_from_slice(&value.to_le_bytes()[..length]);
                }
            }
            if let Some(pointer) = memory.symbol(&global.name) {
                memory.initialise(pointer)?;
                memory.write(pointer, &bytes)?;
            }
        }
        Ok(())
    }

    /// The module variables that the kernel uses, in global and constant memory: the name and the size in bytes of each.
    pub fn variables(&self) -> impl Iterator<Item = (&str, u64)> {
        self.globals.iter().map(|global| (&*global.name, global.bytes))
    }

    /// The shared variable that an offset lies in or is nearest to: name, start, size in bytes. `dynamic` bytes are added by the launch.
    pub(crate) fn nearest_shared(&self, offset: u64, dynamic: u32) -> Option<(&str, u64, u64)> {
        let all = self.shared.iter().map(|v| (&*v.name, v.start, v.bytes.unwrap_or(u64::from(dynamic))));
        all.min_by_key(|&(_, start, bytes)| {
            // The last byte is one of it, and the one behind it is not.
            if offset < start { start - offset } else { (offset - start).saturating_add(1).saturating_sub(bytes) }
        })
    }

    /// The first instruction whose result depends on which lanes of a warp happen to run together: `activemask`, and `vote` and `shfl` without `.sync`.
    #[must_use]
    pub fn asks_who_is_together(&self) -> Option<(Site, &str)> {
        let asks = |opcode: &str| {
            let mnemonic = opcode.split('.').next().unwrap_or_default();
            mnemonic == "activemask" || (matches!(mnemonic, "vote" | "shfl") && !opcode.contains(".sync"))
        };
        let found = self.insts.iter().find(|inst| asks(&inst.opcode))?;
        Some((self.site(found), &found.opcode))
    }

    pub(crate) fn file(&self, index: u32) -> Option<&str> {
        self.files.iter().find(|(number, _)| *number == index).map(|(_, name)| &**name)
    }

    /// Returns where an instruction comes from.
    pub(crate) fn site(&self, inst: &InstMeta) -> Site {
        let file = self.files.iter().find(|(number, _)| *number == inst.file).map(|(_, name)| name.clone());
        Site { ptx_line: inst.ptx_line, file: file.filter(|_| inst.line > 0), line: inst.line }
    }

    /// The first instruction of a block of code, or its last one. One with a guard is in the block before, with its branch.
    fn block_inst(&self, block: u32, last: bool) -> Option<&InstMeta> {
        let insts = self.blocks.get(block as usize).map(|b| b.insts.clone()).unwrap_or_default();
        let mut candidates = insts.clone();
        let id = if last { candidates.last() } else { candidates.next() };
        id.or_else(|| insts.start.checked_sub(1)).and_then(|id| self.insts.get(id as usize))
    }

    /// The opcode of the instruction that ends a block of code.
    pub(crate) fn last_opcode(&self, block: u32) -> &str {
        self.block_inst(block, true).map_or("", |inst| &*inst.opcode)
    }

    /// Returns where a block of code begins; that of its last instruction if `last`.
    pub(crate) fn block_site(&self, block: u32, last: bool) -> Site {
        self.block_inst(block, last).map(|inst| self.site(inst)).unwrap_or_default()
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .field("blocks", &self.blocks.len())
            .field("instructions", &self.insts.len())
            .finish()
    }
}
