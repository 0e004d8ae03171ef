//! A decoded kernel: blocks of compact instructions with their operands resolved to rows.
//!
//! [`Program::decode`] does everything that can be done before a launch: it follows calls into the functions of the module, assigns
//! every register and constant a row, picks the function of each instruction, and finds where lanes reconverge. What it
//! cannot run it refuses by name and line.

pub(crate) mod code;
pub(crate) mod dataflow;
pub(crate) mod graph;
pub(crate) mod launch_fit;
pub(crate) mod listing;
pub(crate) mod registers;
pub(crate) mod storage;
pub(crate) mod tables;
pub(crate) mod video;

use crate::api::error::{Error, Site};
use crate::exec::op::Op;
use crate::memory::{Memory, Pointer};

use cranelift_entity::{EntityRef, PrimaryMap};

use code::{Block, BlockId, Code, OpId};
use dataflow::Dataflow;
use listing::{InstMeta, Listing};
use registers::Registers;
use storage::{Global, Storage};
use tables::Tables;

/// A kernel, ready to be launched any number of times.
#[derive(Clone)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) code: Code,
    pub(crate) ops: PrimaryMap<OpId, Op>,
    pub(crate) listing: Listing,
    pub(crate) tables: Tables,
    pub(crate) registers: Registers,
    pub(crate) storage: Storage,
    /// The rows that instructions read and write.
    pub(crate) dataflow: Dataflow,
    /// Slots for what accesses of one block share; see `exec/address_pattern.rs`.
    pub(crate) slots: u32,
    /// It asks for the workspace that the blocks of a cooperative launch share.
    pub(crate) cooperates: bool,
    pub(crate) max_threads: Option<u32>,
}

impl Program {
    /// The kernel's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The sizes in bytes of the kernel's parameters, in order.
    pub fn parameter_bytes(&self) -> impl Iterator<Item = u64> {
        self.storage.params.iter().map(|param| param.bytes)
    }

    /// Static shared memory per block in bytes.
    #[must_use]
    pub fn shared_bytes(&self) -> u32 {
        self.storage.shared_bytes
    }

    /// Local memory per thread in bytes.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.storage.local_bytes
    }

    /// Allocates and initialises the module variables that the kernel uses and that the memory does not hold yet; a launch does
    /// so by itself. Afterwards [`Memory::symbol`] finds them.
    ///
    /// # Errors
    /// [`Error::VariableMemory`] for a variable that the host has no memory for. Those before it are allocated.
    pub fn load(&self, memory: &mut Memory) -> Result<(), Error> {
        let fresh: Vec<&Global> = self.storage.globals.values().filter(|g| memory.symbol(&g.name).is_none()).collect();
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
            let mut bytes = global.init.bytes.clone();
            bytes.resize(given, 0);
            for address in &global.init.addresses {
                let function = self.storage.functions.iter().find(|(name, _)| *name == address.name).map(|(_, at)| *at);
                let base = function.or_else(|| memory.symbol(&address.name).map(Pointer::address));
                let value: u64 = base.map_or(0, |base| address.value(base));
                let length = (address.bytes as usize).min(8);
                if let Some(slot) = bytes.get_mut(address.at..address.at + length) {
                    slot.iter_mut().zip(value.to_le_bytes()).for_each(|(byte, of_value)| *byte = of_value);
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
        self.storage.globals.values().map(|global| (&*global.name, global.bytes))
    }

    /// The first instruction whose result depends on which lanes of a warp happen to run together: `activemask`, and `vote` and `shfl` without `.sync`.
    #[must_use]
    pub fn asks_who_is_together(&self) -> Option<(Site, &str)> {
        let found = self.listing.insts.values().find(|inst| inst.asks_who_is_together)?;
        Some((self.listing.site(found), &found.opcode))
    }

    /// The first instruction of a block of code, or its last one. One with a guard is in the block before, with its branch.
    fn block_inst(&self, block: BlockId, last: bool) -> Option<&InstMeta> {
        let block = self.code.blocks.get(block)?;
        let id = if last { block.insts().next_back() } else { block.insts().next() };
        id.or_else(|| block.insts.start.previous()).and_then(|id| self.listing.insts.get(id))
    }

    /// The ops of a block. The decoder gives every block a range of those that it has made.
    #[inline(always)]
    pub(crate) fn ops_of(&self, block: &Block) -> &[Op] {
        &self.ops.as_values_slice()[block.ops.start.index()..block.ops.end.index()]
    }

    /// The opcode of the instruction that ends a block of code.
    pub(crate) fn last_opcode(&self, block: BlockId) -> &str {
        self.block_inst(block, true).map_or("", |inst| &*inst.opcode)
    }

    /// Returns where a block of code begins; that of its last instruction if `last`.
    pub(crate) fn block_site(&self, block: BlockId, last: bool) -> Site {
        self.block_inst(block, last).map(|inst| self.listing.site(inst)).unwrap_or_default()
    }
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("name", &self.name)
            .field("blocks", &self.code.blocks.len())
            .field("instructions", &self.listing.insts.len())
            .finish()
    }
}
