//! The 32 lanes of a warp: rows of a register side by side, and the lanes of a mask.

/// 32 lanes of a 32-bit register.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row32(pub(crate) [u32; 32]);

/// 32 lanes of a 64-bit register.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row64(pub(crate) [u64; 32]);

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes(mask: u32) -> Lanes {
    Lanes(mask)
}

/// See [`lanes`]. An iterator and not a function that takes a closure: closures are compiled without the processor
/// features of the handler that they stand in.
pub(crate) struct Lanes(u32);

impl Iterator for Lanes {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}
