//! The check for uninitialised memory: which bytes have been written, and the reads of others.

use rustc_hash::FxHashMap;

use super::clock::Thread;
use crate::exec::system::System;
use crate::memory::Memory;
use crate::memory::access::Kind;
use crate::memory::space::MemorySpace;
use crate::memory::written_bytes::Bits;
use crate::program::Program;
use crate::program::listing::InstId;

/// The bytes that have been written in the memories of a block.
struct Private {
    shared: Bits,
    /// Per thread, as far as it has accessed its local memory.
    local: FxHashMap<u32, Bits>,
}

/// The first read by an instruction of bytes that nobody has written, and how many there were.
pub(super) struct Unwritten {
    pub(super) thread: Thread,
    pub(super) space: MemorySpace,
    pub(super) address: u64,
    pub(super) inst: InstId,
    pub(super) bytes: u32,
    pub(super) count: u64,
}

/// See the module.
pub(super) struct Shadow {
    /// The allocations: start, and what has been written. Sorted by address.
    global: Vec<(u64, Bits)>,
    /// The chunks of the heap that have been accessed, by their serial numbers.
    heap: FxHashMap<u64, Bits>,
    blocks: FxHashMap<u64, Private>,
    found: Vec<Unwritten>,
    /// The index in `found` of each instruction.
    by_inst: FxHashMap<InstId, usize>,
    shared_bytes: u32,
    local_bytes: u32,
    /// The beginning of local memory, which frames of calls come and go in: all of it counts as written.
    stack_bytes: u32,
}

impl Shadow {
    /// Returns what is known before a launch whose blocks have so many bytes of shared memory.
    pub(super) fn new(memory: &Memory, program: &Program, shared_bytes: u32) -> Shadow {
        Shadow {
            global: memory.written(),
            heap: FxHashMap::default(),
            blocks: FxHashMap::default(),
            found: Vec::new(),
            by_inst: FxHashMap::default(),
            shared_bytes,
            local_bytes: program.storage.local_bytes,
            stack_bytes: program.storage.stack_bytes,
        }
    }

    fn bits(
        &mut self,
        system: &System<'_>,
        thread: Thread,
        space: MemorySpace,
        address: u64,
    ) -> Option<(&mut Bits, u64)> {
        if space == MemorySpace::Global {
            if let Some((serial, start, _)) = system.in_use(address) {
                let bits = self.heap.entry(serial).or_insert_with(|| system.written(address));
                return Some((bits, address - start));
            }
            let index = self.global.partition_point(|(start, _)| *start <= address).checked_sub(1)?;
            let (start, bits) = self.global.get_mut(index)?;
            return Some((bits, address - *start));
        }
        let (shared, local) = (u64::from(self.shared_bytes), u64::from(self.local_bytes));
        let stack = u64::from(self.stack_bytes);
        let private = || Private { shared: Bits::new(shared), local: FxHashMap::default() };
        let block = self.blocks.entry(thread.block).or_insert_with(private);
        let bits = match space {
            MemorySpace::Shared => &mut block.shared,
            _ => block.local.entry(thread.index).or_insert_with(|| {
                let mut bits = Bits::new(local);
                bits.set(0, stack);
                bits
            }),
        };
        Some((bits, address))
    }

    /// A lane reads bytes, writes them, or does both.
    pub(super) fn access(
        &mut self,
        system: &System<'_>,
        (thread, inst): (Thread, InstId),
        kind: Kind,
        (space, address, bytes): (MemorySpace, u64, u64),
    ) {
        let Some((bits, at)) = self.bits(system, thread, space, address) else { return };
        let known = kind == Kind::Write || bits.has(at, bytes);
        if kind != Kind::Read {
            bits.set(at, bytes);
        }
        if known {
            return;
        }
        match self.by_inst.get(&inst).and_then(|&index| self.found.get_mut(index)) {
            Some(known) => known.count += 1,
            None => {
                self.by_inst.insert(inst, self.found.len());
                let bytes = bytes.min(u64::from(u32::MAX)) as u32;
                self.found.push(Unwritten { thread, space, address, inst, bytes, count: 1 });
            }
        }
    }

    /// A block has ended, and its memories with it.
    pub(super) fn leave(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    /// Returns what was found. The memory learns what has been written.
    pub(super) fn finish(self, memory: &mut Memory) -> Vec<Unwritten> {
        memory.set_written(&self.global);
        memory.heap().set_written(&self.heap);
        self.found
    }
}
