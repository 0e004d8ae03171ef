//! The heap of the device, from which kernels allocate by `malloc` and to which they give back by `free` (CUDA C++ Programming Guide,
//! "Dynamic Global Memory Allocation").
//!
//! Chunks are taken one behind the other, with a gap behind each, and given out again only when the end of the heap is reached: so
//! that an access to a chunk that was given back is noticed, and can be named by the line that allocated it.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::written_bytes::{Bits, Written};
use crate::api::error::Site;

/// The beginning of the heap, which is below all other global memory.
pub(crate) const HEAP_ADDRESS: u64 = 0x7e00_0000_0000;
/// The lowest address at which all other global memory may begin.
pub(crate) const HEAP_END: u64 = 0x7f00_0000_0000;
/// Every chunk begins at a multiple of this, and so much at least lies between two.
const ALIGNMENT: u64 = 16;

/// A chunk, allocated or given back.
#[derive(Debug, Clone)]
struct Chunk {
    /// Counts allocations, so that another chunk at the same place is known for another one.
    serial: u64,
    bytes: u64,
    /// The bytes that a kernel has written, as far as launches were checked.
    written: Written,
    allocated: Site,
    freed: Option<Site>,
}

/// The reason why a chunk cannot be given back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BadFree {
    /// It was given back before.
    Again,
    /// No chunk begins there.
    Unknown,
}

/// See the module.
#[derive(Debug, Default, Clone)]
pub(crate) struct Heap {
    words: Vec<u64>,
    /// By offset.
    chunks: BTreeMap<u64, Chunk>,
    next: u64,
    /// Allocations so far.
    serials: u64,
}

impl Heap {
    /// Bytes of the heap; nothing before the first allocation.
    fn bytes(&self) -> u64 {
        8 * self.words.len() as u64
    }

    /// Allocates; 0 if there is no room. The first allocation makes the heap, of `capacity` bytes.
    pub(crate) fn allocate(&mut self, bytes: u64, capacity: u64, site: Site) -> u64 {
        if self.words.is_empty() {
            self.words = vec![0; usize::try_from(capacity / 8).unwrap_or(0)];
        }
        let Some(room) = bytes.max(1).checked_next_multiple_of(ALIGNMENT).and_then(|n| n.checked_add(ALIGNMENT)) else {
            return 0;
        };
        let Some(at) = self.room(room) else { return 0 };
        self.serials += 1;
        let written = Written::default();
        self.chunks.insert(at, Chunk { serial: self.serials, bytes, written, allocated: site, freed: None });
        HEAP_ADDRESS + at
    }

    /// Room for so many bytes: behind everything, else the first gap between chunks that are in use.
    fn room(&mut self, bytes: u64) -> Option<u64> {
        if self.bytes().checked_sub(self.next)? >= bytes {
            let at = self.next;
            self.next += bytes;
            return Some(at);
        }
        let mut start = 0;
        for (&at, chunk) in self.chunks.iter().filter(|(_, chunk)| chunk.freed.is_none()) {
            if at - start >= bytes {
                break;
            }
            start = at + chunk.bytes.max(1).next_multiple_of(ALIGNMENT) + ALIGNMENT;
        }
        let end = self.chunks.range(start..).find(|(_, c)| c.freed.is_none()).map_or(self.bytes(), |(&at, _)| at);
        if end.checked_sub(start)? < bytes {
            return None;
        }
        // What was given back there is forgotten.
        self.chunks.retain(|&at, chunk| chunk.freed.is_none() || at < start || at >= start + bytes);
        Some(start)
    }

    /// Gives a chunk back.
    pub(crate) fn free(&mut self, address: u64, site: Site) -> Result<(), BadFree> {
        match self.chunks.get_mut(&address.wrapping_sub(HEAP_ADDRESS)) {
            Some(chunk) if chunk.freed.is_some() => Err(BadFree::Again),
            Some(chunk) => {
                chunk.freed = Some(site);
                Ok(())
            }
            None => Err(BadFree::Unknown),
        }
    }

    fn chunk(&self, address: u64) -> Option<(u64, &Chunk)> {
        let offset = address.checked_sub(HEAP_ADDRESS)?;
        self.chunks.range(..=offset).next_back().map(|(&at, chunk)| (at, chunk))
    }

    /// The host address of bytes that lie in one chunk in use.
    pub(crate) fn host(&mut self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address.checked_sub(HEAP_ADDRESS)?;
        let (at, chunk) = self.chunk(address)?;
        if chunk.freed.is_some() || offset.checked_add(bytes)? > at + chunk.bytes {
            return None;
        }
        Some(self.words.as_mut_ptr().cast::<u8>().wrapping_add(offset as usize))
    }

    /// The chunk in use that an address lies in: its serial number, its address, and its size in bytes.
    pub(crate) fn in_use(&self, address: u64) -> Option<(u64, u64, u64)> {
        let (at, chunk) = self.chunk(address).filter(|(_, chunk)| chunk.freed.is_none())?;
        Some((chunk.serial, HEAP_ADDRESS + at, chunk.bytes))
    }

    /// Returns which bytes of the chunk that an address lies in were written before this launch.
    pub(crate) fn written(&self, address: u64) -> Bits {
        self.chunk(address).map_or(Bits::new(0), |(_, chunk)| chunk.written.bits(chunk.bytes))
    }

    /// Sets the bytes that have been written now, by serial number, of chunks that a checked launch accessed.
    pub(crate) fn set_written(&mut self, now: &FxHashMap<u64, Bits>) {
        for chunk in self.chunks.values_mut() {
            if let Some(bits) = now.get(&chunk.serial) {
                chunk.written = bits.ranges();
            }
        }
    }

    /// Nobody saw what a launch wrote.
    pub(crate) fn assume_written(&mut self) {
        self.chunks.values_mut().for_each(|chunk| chunk.written.add(0..chunk.bytes));
    }

    /// Returns true if an address lies in a chunk that was given back.
    pub(crate) fn is_freed(&self, address: u64) -> bool {
        let within = |(at, chunk): (u64, &Chunk)| address - HEAP_ADDRESS < at + chunk.bytes && chunk.freed.is_some();
        self.chunk(address).is_some_and(within)
    }

    /// Returns what is known of the chunk at or below an address: where it was allocated and freed, its start and size.
    pub(crate) fn describe(&self, address: u64) -> Option<(String, u64, u64)> {
        let (at, chunk) = self.chunk(address).filter(|_| address < HEAP_ADDRESS + self.bytes())?;
        let text = match &chunk.freed {
            Some(freed) => format!("allocated at {}, freed at {freed}", chunk.allocated),
            None => format!("allocated at {}", chunk.allocated),
        };
        Some((text, HEAP_ADDRESS + at, chunk.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_reused_only_when_the_heap_is_full() {
        let mut heap = Heap::default();
        let site = Site::default;
        let [a, b] = [heap.allocate(100, 512, site()), heap.allocate(100, 512, site())];
        assert_eq!((a, b), (HEAP_ADDRESS, HEAP_ADDRESS + 128));
        assert_eq!(heap.free(a, site()), Ok(()));
        assert_eq!(heap.free(a, site()), Err(BadFree::Again));
        assert_eq!(heap.free(a + 16, site()), Err(BadFree::Unknown));
        assert!(heap.is_freed(a + 99) && heap.host(a, 4).is_none() && heap.host(b, 100).is_some());
        assert!(heap.host(b, 101).is_none());
        let [c, d] = [heap.allocate(100, 512, site()), heap.allocate(100, 512, site())];
        assert_eq!((c, d), (HEAP_ADDRESS + 256, HEAP_ADDRESS + 384));
        assert_eq!(heap.allocate(100, 512, site()), a);
        assert_eq!(heap.allocate(1, 512, site()), 0);
        assert!(heap.host(a, 4).is_some());
    }
}
