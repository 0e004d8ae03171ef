//! Global memory: allocations with names, at device addresses that never touch.
//!
//! Between two allocations lies a gap that belongs to nobody, so that an access beyond an end is noticed whatever its
//! distance up to the gap's size, and the fault can name the allocation it missed.

pub(crate) mod access;
pub(crate) mod heap;
pub(crate) mod raw_access;
pub(crate) mod regions;
pub(crate) mod space;
pub(crate) mod written_bytes;

use crate::api::error::Error;
use heap::{HEAP_END, Heap};
use written_bytes::{Bits, Written};

use regions::{Region, Regions};
use space::PARAM_ADDRESS;

/// The address of the first allocation.
const FIRST_ADDRESS: u64 = HEAP_END;
/// Bytes between two allocations, at least.
const GAP: u64 = 1 << 16;
/// The most allocations that are remembered after they were given back.
const MOST_FREED: usize = 4096;
/// Every allocation begins at a multiple of this, as `cudaMalloc` promises.
const ALIGNMENT: u64 = 512;

/// An address in global memory, as kernels see it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pointer(u64);

impl Pointer {
    /// The 64-bit device address.
    #[must_use]
    pub fn address(self) -> u64 {
        self.0
    }

    /// The pointer of a device address.
    #[must_use]
    pub fn from_address(address: u64) -> Pointer {
        Pointer(address)
    }

    /// The address `bytes` further on.
    #[must_use]
    pub fn offset(self, bytes: u64) -> Pointer {
        Pointer(self.0.wrapping_add(bytes))
    }
}

/// A number that global memory can hold.
pub trait Element: Copy {
    /// Its size in bytes.
    const BYTES: usize;
    /// Writes values one behind the other, the least significant byte of each first; no further than `bytes` go.
    fn put_all(values: &[Self], bytes: &mut [u8]);
    /// Reads as many values as there are bytes for.
    fn get_all(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! elements {
    ($($ty:ident),*) => { $(
        impl Element for $ty {
            const BYTES: usize = size_of::<$ty>();
            // Arrays of a known length instead of slices, so that the compiler makes one copy of the whole.
            fn put_all(values: &[$ty], bytes: &mut [u8]) {
                let (places, _) = bytes.as_chunks_mut::<{ size_of::<$ty>() }>();
                for (place, value) in places.iter_mut().zip(values) {
                    *place = value.to_le_bytes();
                }
            }
            fn get_all(bytes: &[u8]) -> Vec<$ty> {
                let (values, _) = bytes.as_chunks::<{ size_of::<$ty>() }>();
                values.iter().map(|value| $ty::from_le_bytes(*value)).collect()
            }
        }
    )* };
}

elements!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// One allocation. The words make the host address a multiple of 8.
#[derive(Debug, Clone)]
struct Allocation {
    name: String,
    start: u64,
    bytes: u64,
    words: Vec<u64>,
    /// The bytes that the host or a kernel has written.
    written: Written,
    /// It holds a variable in `.const`.
    constant: bool,
}

/// The global memory of a device. It lives on between launches; kernels' module variables are allocated in it by name.
#[derive(Debug, Default, Clone)]
pub struct Memory {
    /// Sorted by address.
    allocations: Vec<Allocation>,
    next: u64,
    /// The memory that kernels allocate by `malloc`. It outlives launches.
    heap: Heap,
    /// The allocations that were given back last: name, start, size in bytes.
    freed: Vec<(String, u64, u64)>,
}

impl Memory {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Memory {
        Memory::default()
    }

    /// Allocates zeroed bytes, which count as uninitialised until somebody writes them ([`Memory::initialise`]). The name appears
    /// in messages about accesses near the allocation.
    pub fn alloc(&mut self, bytes: u64, name: &str) -> Pointer {
        let start = self.next.max(FIRST_ADDRESS);
        let words = usize::try_from(bytes.div_ceil(8)).unwrap_or(usize::MAX);
        let (written, constant) = (Written::default(), false);
        self.allocations.push(Allocation { name: name.into(), start, bytes, words: vec![0; words], written, constant });
        self.next = (start + bytes + GAP).next_multiple_of(ALIGNMENT);
        Pointer(start)
    }

    /// Says that an allocation holds a variable that kernels may only read.
    pub(crate) fn mark_constant(&mut self, pointer: Pointer) {
        self.allocations.iter_mut().filter(|a| a.start == pointer.0).for_each(|a| a.constant = true);
    }

    /// Allocates as [`Memory::alloc`] does, if the host has that much memory.
    pub(crate) fn try_alloc(&mut self, bytes: u64, name: &str) -> Option<Pointer> {
        let words = usize::try_from(bytes.div_ceil(8)).ok()?;
        // Zeroed memory can only be asked for in a way that ends the process, so that it is tried out first.
        Vec::<u64>::new().try_reserve_exact(words).ok()?;
        Some(self.alloc(bytes, name))
    }

    /// Allocates and fills a buffer.
    pub fn alloc_from<T: Element>(&mut self, values: &[T], name: &str) -> Pointer {
        let pointer = self.alloc((values.len() * T::BYTES) as u64, name);
        if let Some(allocation) = self.allocations.last_mut() {
            T::put_all(values, allocation.bytes_mut());
            allocation.written.add(0..allocation.bytes);
        }
        pointer
    }

    /// Gives an allocation back; later accesses to it are faults.
    ///
    /// # Errors
    /// If no allocation begins at the address.
    pub fn free(&mut self, pointer: Pointer) -> Result<(), Error> {
        let found = self.allocations.iter().position(|a| a.start == pointer.0);
        let index = found.ok_or(Error::NoAllocation { address: pointer.0, bytes: 0 })?;
        let Allocation { name, start, bytes, .. } = self.allocations.remove(index);
        if self.freed.len() >= MOST_FREED {
            self.freed.remove(0);
        }
        self.freed.push((name, start, bytes));
        Ok(())
    }

    /// Copies values to the device.
    ///
    /// # Errors
    /// If the range is not within one allocation.
    pub fn write<T: Element>(&mut self, pointer: Pointer, values: &[T]) -> Result<(), Error> {
        T::put_all(values, self.range_mut(pointer, values.len() * T::BYTES)?);
        self.note_written(pointer, (values.len() * T::BYTES) as u64);
        Ok(())
    }

    /// Says that the zeros of an allocation are what the host wants to be there.
    ///
    /// # Errors
    /// If no allocation begins at the address.
    pub fn initialise(&mut self, pointer: Pointer) -> Result<(), Error> {
        let found = self.allocations.iter().find(|a| a.start == pointer.0).map(|a| a.bytes);
        let bytes = found.ok_or(Error::NoAllocation { address: pointer.0, bytes: 0 })?;
        self.note_written(pointer, bytes);
        Ok(())
    }

    fn note_written(&mut self, pointer: Pointer, bytes: u64) {
        let after = self.allocations.partition_point(|a| a.start <= pointer.0);
        if let Some(allocation) = after.checked_sub(1).and_then(|index| self.allocations.get_mut(index)) {
            let from = pointer.0 - allocation.start;
            allocation.written.add(from..from + bytes);
        }
    }

    /// Per allocation, in order of address, which bytes have been written.
    pub(crate) fn written(&self) -> Vec<(u64, Bits)> {
        self.allocations.iter().map(|a| (a.start, a.written.bits(a.bytes))).collect()
    }

    /// Sets the bytes that have been written now, in the form that [`Memory::written`] returns.
    pub(crate) fn set_written(&mut self, now: &[(u64, Bits)]) {
        for (allocation, (start, bits)) in self.allocations.iter_mut().zip(now) {
            debug_assert_eq!(allocation.start, *start);
            allocation.written = bits.ranges();
        }
    }

    /// Nobody saw what a launch wrote.
    pub(crate) fn assume_written(&mut self) {
        self.allocations.iter_mut().for_each(|a| a.written.add(0..a.bytes));
        self.heap.assume_written();
    }

    /// The heap as the last launch has left it.
    pub(crate) fn heap(&mut self) -> &mut Heap {
        &mut self.heap
    }

    /// The allocation that an address was in before it was given back: name, start, size in bytes.
    #[must_use]
    pub fn freed(&self, address: u64) -> Option<(&str, Pointer, u64)> {
        // Addresses are never used again, so that at most one fits.
        let found = self.freed.iter().find(|(_, start, bytes)| address.wrapping_sub(*start) < *bytes)?;
        Some((&found.0, Pointer(found.1), found.2))
    }

    /// Copies values from the device.
    ///
    /// # Errors
    /// If the range is not within one allocation.
    pub fn read<T: Element>(&self, pointer: Pointer, count: usize) -> Result<Vec<T>, Error> {
        let bytes = count * T::BYTES;
        let missing = Error::NoAllocation { address: pointer.0, bytes: bytes as u64 };
        let allocation = self.find(pointer.0).ok_or(missing.clone())?;
        let from = (pointer.0 - allocation.start) as usize;
        let slice = allocation.bytes().get(from..from + bytes).ok_or(missing)?;
        Ok(T::get_all(slice))
    }

    /// The allocation of a name: a buffer, or a module's variable after a launch or [`Program::load`](crate::Program::load).
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<Pointer> {
        self.allocations.iter().find(|a| a.name == name).map(|a| Pointer(a.start))
    }

    /// The name, start and size of the allocation that an address lies in or is nearest to.
    #[must_use]
    pub fn nearest(&self, address: u64) -> Option<(&str, Pointer, u64)> {
        let after = self.allocations.partition_point(|a| a.start <= address);
        let below = after.checked_sub(1).and_then(|i| self.allocations.get(i));
        let above = self.allocations.get(after);
        let distance = |a: &&Allocation| {
            if address < a.start { a.start - address } else { (address - a.start).saturating_sub(a.bytes) }
        };
        let nearest = below.into_iter().chain(above).min_by_key(distance)?;
        Some((&nearest.name, Pointer(nearest.start), nearest.bytes))
    }

    fn find(&self, address: u64) -> Option<&Allocation> {
        let after = self.allocations.partition_point(|a| a.start <= address);
        self.allocations.get(after.checked_sub(1)?)
    }

    fn range_mut(&mut self, pointer: Pointer, bytes: usize) -> Result<&mut [u8], Error> {
        let missing = Error::NoAllocation { address: pointer.0, bytes: bytes as u64 };
        let after = self.allocations.partition_point(|a| a.start <= pointer.0);
        let index = after.checked_sub(1).ok_or(missing.clone())?;
        let allocation = self.allocations.get_mut(index).ok_or(missing.clone())?;
        let from = (pointer.0 - allocation.start) as usize;
        allocation.bytes_mut().get_mut(from..from + bytes).ok_or(missing)
    }

    /// The heap, for a launch to work on.
    pub(crate) fn take_heap(&mut self) -> Heap {
        std::mem::take(&mut self.heap)
    }

    /// The heap as a launch has left it.
    pub(crate) fn give_heap(&mut self, heap: Heap) {
        self.heap = heap;
    }

    /// Returns what a launch sees of the memory, and the parameters beside it.
    pub(crate) fn regions(&mut self, params: &mut [u64], param_bytes: u64) -> Regions {
        let mut regions: Vec<Region> = self
            .allocations
            .iter_mut()
            .map(|a| Region { start: a.start, bytes: a.bytes, host: a.words.as_mut_ptr().cast() })
            .collect();
        regions.push(Region { start: PARAM_ADDRESS, bytes: param_bytes, host: params.as_mut_ptr().cast() });
        let constants = self.allocations.iter().filter(|a| a.constant).map(|a| a.start).collect();
        Regions::new(regions, constants)
    }
}

impl Allocation {
    fn bytes(&self) -> &[u8] {
        // SAFETY: words are initialised and outlive the slice; any bytes are valid u8s; the length is within them.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), self.bytes as usize) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the slice borrows the allocation mutably.
        unsafe { std::slice::from_raw_parts_mut(self.words.as_mut_ptr().cast(), self.bytes as usize) }
    }
}
