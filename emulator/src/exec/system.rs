//! System services for kernels: output of `printf`, failed assertions, and the heap. The host threads of a launch share
//! them.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::api::error::Site;
use crate::api::launch::Launch;
use crate::memory::access::Kind;
use crate::memory::heap::{BadFree, HEAP_ADDRESS, HEAP_END, Heap};
use crate::memory::written_bytes::Bits;
use crate::program::listing::{InstId, Listing};

/// See the module.
pub(crate) struct System<'a> {
    listing: &'a Listing,
    heap_bytes: u64,
    output_bytes: usize,
    output: Mutex<Output>,
    heap: Mutex<Heap>,
    /// The text of the assertion that failed first.
    assertion: Mutex<Option<String>>,
}

/// The output of kernels: the newest records, as many as the buffer holds.
#[derive(Default)]
struct Output {
    records: VecDeque<(usize, String)>,
    bytes: usize,
    lost: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> System<'a> {
    pub(crate) fn new(listing: &'a Listing, launch: &Launch, heap: Heap) -> System<'a> {
        System {
            listing,
            heap_bytes: launch.heap_bytes,
            output_bytes: launch.output_bytes,
            output: Mutex::default(),
            heap: Mutex::new(heap),
            assertion: Mutex::default(),
        }
    }

    /// The heap as it is now.
    pub(crate) fn heap(&self) -> Heap {
        lock(&self.heap).clone()
    }

    /// Everything printed and still held, how many records were lost, and the heap.
    pub(crate) fn finish(self) -> (String, u64, Heap) {
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        let text = output.records.into_iter().map(|(_, text)| text).collect();
        (text, output.lost, self.heap.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds a record that takes so many bytes of the buffer; the oldest ones make room.
    pub(crate) fn print(&self, bytes: usize, text: String) {
        let mut output = lock(&self.output);
        output.bytes += bytes;
        output.records.push_back((bytes, text));
        while output.bytes > self.output_bytes {
            let Some((bytes, _)) = output.records.pop_front() else { break };
            output.bytes -= bytes;
            output.lost += 1;
        }
    }

    /// Records a failed assertion.
    pub(crate) fn fail(&self, text: String) {
        lock(&self.assertion).get_or_insert(text);
    }

    fn site(&self, instruction: InstId) -> Site {
        self.listing.insts.get(instruction).map(|inst| self.listing.site(inst)).unwrap_or_default()
    }

    /// Returns how many bytes a lane writes by an instruction; `None` of one that writes nothing.
    pub(crate) fn bytes_written(&self, instruction: InstId) -> Option<u64> {
        let access = self.listing.insts.get(instruction)?.access?;
        matches!(access.kind, Kind::Write | Kind::Update).then_some(access.bytes.into())
    }

    pub(crate) fn allocate(&self, bytes: u64, instruction: InstId) -> u64 {
        lock(&self.heap).allocate(bytes, self.heap_bytes, self.site(instruction))
    }

    pub(crate) fn free(&self, address: u64, instruction: InstId) -> Result<(), BadFree> {
        lock(&self.heap).free(address, self.site(instruction))
    }

    /// The host address of bytes on the heap.
    pub(crate) fn host(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        if address < HEAP_ADDRESS {
            return None;
        }
        lock(&self.heap).host(address, bytes)
    }

    /// The chunk of the heap in use that an address lies in: its serial number, its address, and its size in bytes.
    pub(crate) fn in_use(&self, address: u64) -> Option<(u64, u64, u64)> {
        if !(HEAP_ADDRESS..HEAP_END).contains(&address) {
            return None;
        }
        lock(&self.heap).in_use(address)
    }

    /// Returns which bytes of that chunk were written before this launch.
    pub(crate) fn written(&self, address: u64) -> Bits {
        lock(&self.heap).written(address)
    }

    /// Returns true if an address lies in a chunk of the heap that was given back.
    pub(crate) fn is_freed(&self, address: u64) -> bool {
        address >= HEAP_ADDRESS && lock(&self.heap).is_freed(address)
    }

    /// Returns what is known of an address on the heap.
    pub(crate) fn describe(&self, address: u64) -> Option<(String, u64, u64)> {
        lock(&self.heap).describe(address)
    }

    /// The text of the assertion that failed.
    pub(crate) fn assertion(&self) -> Option<String> {
        lock(&self.assertion).clone()
    }
}
