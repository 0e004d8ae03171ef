//! Buffers in the memory of this process.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::NonNull;

/// The alignment of a buffer in bytes, that of `cudaMalloc`.
const ALIGNMENT: usize = 256;

/// Bytes at an address that stays the same. Only compiled kernels access them beside the functions of this type.
#[derive(Debug)]
pub(super) struct HostMemory {
    start: NonNull<u8>,
    layout: Layout,
    bytes: usize,
}

impl HostMemory {
    /// Allocates zeros; `None` if the host does not have as much memory.
    pub(super) fn zeroed(bytes: u64) -> Option<HostMemory> {
        let bytes = usize::try_from(bytes).ok()?;
        // Also an empty buffer has an address of its own.
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(HostMemory { start, layout, bytes })
    }

    /// Returns the address of the first byte.
    pub(super) fn address(&self) -> u64 {
        self.start.as_ptr().expose_provenance() as u64
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    /// Returns the place of `length` bytes from `offset` on, if they are within.
    fn place(&self, offset: u64, length: usize) -> Option<*mut u8> {
        let offset = usize::try_from(offset).ok()?;
        let end = offset.checked_add(length)?;
        // SAFETY: the offset is within the allocation, or one behind its end.
        (end <= self.bytes).then(|| unsafe { self.start.as_ptr().add(offset) })
    }

    /// Writes bytes from an offset on. Returns false, and writes nothing, if they do not fit.
    pub(super) fn write(&mut self, offset: u64, data: &[u8]) -> bool {
        let Some(place) = self.place(offset, data.len()) else { return false };
        // SAFETY: the place has so many bytes. `data` is not in them, as no reference to them is ever made.
        unsafe { place.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
        true
    }

    /// Reads bytes from an offset on. Returns false, and reads nothing, if there are not as many.
    pub(super) fn read(&self, offset: u64, data: &mut [u8]) -> bool {
        let Some(place) = self.place(offset, data.len()) else { return false };
        // SAFETY: the place has so many bytes, all of them initialised. `data` is not in them, as no reference to them is ever made.
        unsafe { place.copy_to_nonoverlapping(data.as_mut_ptr(), data.len()) };
        true
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout, and nobody has freed it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_stay_within() {
        let mut memory = HostMemory::zeroed(8).unwrap();
        assert_eq!((memory.address() % 256, memory.bytes()), (0, 8));
        assert!(memory.write(3, &[1, 2, 3]) && memory.write(8, &[]));
        let mut bytes = [9; 8];
        assert!(memory.read(0, &mut bytes));
        assert_eq!(bytes, [0, 0, 0, 1, 2, 3, 0, 0]);
        assert!(!memory.write(6, &[1, 2, 3]) && !memory.read(1, &mut bytes) && !memory.read(u64::MAX, &mut bytes));
        assert!(!memory.write(9, &[]));
        assert!(HostMemory::zeroed(u64::MAX).is_none());
    }

    #[test]
    fn empty_buffers_have_addresses_of_their_own() {
        let (one, other) = (HostMemory::zeroed(0).unwrap(), HostMemory::zeroed(0).unwrap());
        assert_ne!(one.address(), other.address());
    }
}
