//! Reads and writes of the bytes of device memory.
//!
//! The host threads of a launch share global memory without a lock. This module is separate from
//! [`Memory`](super::Memory), which belongs to the host and is safe. The code here depends on raw pointers, and on
//! which threads access the same bytes at the same time.

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// A machine word of 1, 2, 4 or 8 bytes in device memory.
///
/// With one host thread (`solo`) accesses are plain. With several, every access is an atomic one of its width in relaxed
/// order, so that a kernel that races is not undefined behaviour here. Kernels that race with accesses of different widths
/// to the same bytes stay within what the processor defines.
pub(crate) trait Word: Copy + Default + PartialEq {
    /// # Safety
    /// `at` is valid for reads and aligned to the word; if another host thread may access it, `solo` is false.
    unsafe fn peek(at: *const u8, solo: bool) -> Self;
    /// # Safety
    /// As for [`Word::peek`], and valid for writes.
    unsafe fn poke(at: *mut u8, value: Self, solo: bool);
    /// Gives sixteen words, one behind the other, to whoever wants them. They are not returned, because then what both ways of
    /// reading have in common is an array that the compiler takes apart word by word.
    /// # Safety
    /// As for [`Word::peek`], for all sixteen.
    unsafe fn peek_all(at: *const u8, solo: bool, take: impl FnOnce(&[Self; 16]));
    /// Writes sixteen words one behind the other.
    /// # Safety
    /// As for [`Word::poke`], for all sixteen.
    unsafe fn poke_all(at: *mut u8, values: &[Self; 16], solo: bool);
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
            unsafe fn peek_all(at: *const u8, solo: bool, take: impl FnOnce(&[$ty; 16])) {
                if solo {
                    // SAFETY: promised by the caller; an array is aligned as its elements are.
                    return take(&unsafe { at.cast::<[$ty; 16]>().read() });
                }
                let mut values = [0; 16];
                // SAFETY: promised by the caller; the array has room for as many.
                if !unsafe { copy_shared(at, values.as_mut_ptr().cast(), size_of_val(&values)) } {
                    for (index, value) in values.iter_mut().enumerate() {
                        // SAFETY: promised by the caller.
                        *value = unsafe { <$ty>::peek(at.wrapping_add(index * size_of::<$ty>()), false) };
                    }
                }
                take(&values);
            }
            #[inline(always)]
            unsafe fn poke_all(at: *mut u8, values: &[$ty; 16], solo: bool) {
                if solo {
                    // SAFETY: promised by the caller; an array is aligned as its elements are.
                    return unsafe { at.cast::<[$ty; 16]>().write(*values) };
                }
                // SAFETY: promised by the caller; there are as many values.
                if !unsafe { copy_shared(values.as_ptr().cast(), at, size_of_val(values)) } {
                    for (index, value) in values.iter().enumerate() {
                        // SAFETY: promised by the caller.
                        unsafe { <$ty>::poke(at.wrapping_add(index * size_of::<$ty>()), *value, false) };
                    }
                }
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

/// Copies 16, 32, 64 or 128 bytes between memory that other host threads may access and memory of this one, by vectors; false, and
/// nothing is copied, if this host has none.
///
/// The compiler makes no vectors of atomic accesses, one word after the other takes several times as long, and a vector access
/// that it knows of would be a race. So it is not told: this does what as many relaxed accesses of a word each do, because the
/// processor takes an aligned word of a vector from the cache in one piece.
///
/// # Safety
/// Both are valid for as many bytes and do not overlap; whoever else accesses the shared one does so by atomics or by this function.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn copy_shared(from: *const u8, to: *mut u8, bytes: usize) -> bool {
    use std::arch::asm;
    if !is_x86_feature_detected!("avx") {
        return false;
    }
    // SAFETY: promised by the caller; the processor has these instructions.
    unsafe {
        match bytes {
            16 => asm!("vmovdqu xmm0, [{from}]", "vmovdqu [{to}], xmm0", from = in(reg) from, to = in(reg) to,
                out("ymm0") _, options(nostack, preserves_flags)),
            32 => asm!("vmovdqu ymm0, [{from}]", "vmovdqu [{to}], ymm0", from = in(reg) from, to = in(reg) to,
                out("ymm0") _, options(nostack, preserves_flags)),
            64 => asm!("vmovdqu ymm0, [{from}]", "vmovdqu ymm1, [{from} + 32]",
                "vmovdqu [{to}], ymm0", "vmovdqu [{to} + 32], ymm1", from = in(reg) from, to = in(reg) to,
                out("ymm0") _, out("ymm1") _, options(nostack, preserves_flags)),
            128 => asm!("vmovdqu ymm0, [{from}]", "vmovdqu ymm1, [{from} + 32]",
                "vmovdqu ymm2, [{from} + 64]", "vmovdqu ymm3, [{from} + 96]",
                "vmovdqu [{to}], ymm0", "vmovdqu [{to} + 32], ymm1",
                "vmovdqu [{to} + 64], ymm2", "vmovdqu [{to} + 96], ymm3", from = in(reg) from, to = in(reg) to,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, options(nostack, preserves_flags)),
            _ => return false,
        }
    }
    true
}

/// See the other one; here word after word must do.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) unsafe fn copy_shared(_: *const u8, _: *mut u8, _: usize) -> bool {
    false
}
