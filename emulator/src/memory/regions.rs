//! What a launch sees of global memory: ranges of addresses, and how the bytes behind them are read and written.
//!
//! The host threads of a launch share this memory without a lock. It is apart from [`Memory`](super::Memory) because
//! that belongs to the host and is safe, while here everything rests on raw pointers and on who accesses what at the
//! same time.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A range of device addresses and the host memory behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) host: *mut u8,
}

// SAFETY: a region is only an address; what may be done through it is said at `peek` and `poke`.
unsafe impl Send for Region {}
// SAFETY: as above.
unsafe impl Sync for Region {}

impl Region {
    /// A region that holds nothing.
    pub(crate) const EMPTY: Region = Region { start: 0, bytes: 0, host: std::ptr::null_mut() };

    /// The host address of `bytes` bytes at a device address, if they lie in the region.
    #[inline(always)]
    pub(crate) fn host(&self, address: u64, bytes: u64) -> Option<*mut u8> {
        let offset = address.wrapping_sub(self.start);
        if offset < self.bytes && bytes <= self.bytes - offset {
            Some(self.host.wrapping_add(offset as usize))
        } else {
            None
        }
    }
}

/// All regions of a launch, sorted by address; the parameters come last.
#[derive(Debug)]
pub(crate) struct Regions(Vec<Region>);

impl Regions {
    /// Allocations in order of address, and the parameters behind them.
    pub(super) fn new(regions: Vec<Region>) -> Regions {
        Regions(regions)
    }

    /// The region that holds an address.
    pub(crate) fn find(&self, address: u64) -> Option<&Region> {
        let within = |r: &&Region| address.wrapping_sub(r.start) < r.bytes;
        let after = match self.0.split_last() {
            Some((params, allocations)) => {
                if within(&params) {
                    return Some(params);
                }
                allocations.partition_point(|r| r.start <= address)
            }
            None => 0,
        };
        self.0.get(after.checked_sub(1)?).filter(within)
    }
}

/// A machine word of 1, 2, 4 or 8 bytes in device memory.
///
/// Global memory is shared by the host threads of a launch. With one host thread (`solo`) accesses are plain. With
/// several, every access is an atomic one of its width in relaxed order, so that a kernel that races is not undefined
/// behaviour here: a relaxed access costs no more than a plain one, except that it is not turned into vector code.
/// Kernels that race with accesses of different widths to the same bytes stay within what the processor defines.
pub(crate) trait Word: Copy + Default + PartialEq {
    /// # Safety
    /// `at` is valid for reads and aligned to the word; if another host thread may access it, `solo` is false.
    unsafe fn peek(at: *const u8, solo: bool) -> Self;
    /// # Safety
    /// As for [`Word::peek`], and valid for writes.
    unsafe fn poke(at: *mut u8, value: Self, solo: bool);
    /// Replaces the value by `update` of it in one step and returns the old one.
    /// # Safety
    /// As for [`Word::poke`].
    unsafe fn modify(at: *mut u8, solo: bool, update: impl FnMut(Self) -> Self) -> Self;
}

macro_rules! words {
    ($($ty:ident, $atomic:ident;)*) => { $(
        impl Word for $ty {
            #[inline(always)]
            unsafe fn peek(at: *const u8, solo: bool) -> $ty {
                let at = at.cast::<$ty>().cast_mut();
                // SAFETY: promised by the caller.
                unsafe { if solo { at.read() } else { $atomic::from_ptr(at).load(Ordering::Relaxed) } }
            }
            #[inline(always)]
            unsafe fn poke(at: *mut u8, value: $ty, solo: bool) {
                let at = at.cast::<$ty>();
                // SAFETY: promised by the caller.
                unsafe { if solo { at.write(value) } else { $atomic::from_ptr(at).store(value, Ordering::Relaxed) } }
            }
            #[inline(always)]
            unsafe fn modify(at: *mut u8, solo: bool, mut update: impl FnMut($ty) -> $ty) -> $ty {
                let at = at.cast::<$ty>();
                if solo {
                    // SAFETY: promised by the caller.
                    let old = unsafe { at.read() };
                    // SAFETY: promised by the caller.
                    unsafe { at.write(update(old)) };
                    return old;
                }
                // SAFETY: promised by the caller.
                let cell = unsafe { $atomic::from_ptr(at) };
                let mut old = cell.load(Ordering::SeqCst);
                loop {
                    match cell.compare_exchange_weak(old, update(old), Ordering::SeqCst, Ordering::SeqCst) {
                        Ok(_) => return old,
                        Err(now) => old = now,
                    }
                }
            }
        }
    )* };
}

words! {
    u8, AtomicU8;
    u16, AtomicU16;
    u32, AtomicU32;
    u64, AtomicU64;
}
