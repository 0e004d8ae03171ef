//! The layout of context stacks in shared memory.
//!
//! Each context value has an array of its own, as wide as the value, so that the lanes of a warp touch consecutive words and no banks
//! conflict. The arrays of a warp have a slot per lane and stand together: the stack never holds more than 31 contexts, because 32 would have been
//! a full warp.

use ptx_parser::Type;

/// The number of threads of the largest CTA that any chip runs.
pub const LARGEST_CTA: u32 = 1024;

/// The number of lanes of a warp.
pub const WARP: u32 = 32;

/// The slot of one context value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Field {
    /// Bytes of one slot: 1, 2, 4, 8 or 16.
    pub(crate) width: u32,
    /// Offset in bytes of the array from the start.
    pub(crate) offset: u64,
}

/// Arrays that stand one behind the other: those of a region's stack, for one warp.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Layout {
    /// One per context value, in the order in which the types were given.
    pub(crate) fields: Vec<Field>,
    /// Bytes of all arrays.
    pub(crate) bytes: u64,
    /// Alignment in bytes.
    pub(crate) align: u32,
    /// Bytes of one context.
    pub(crate) context_bytes: u32,
}

/// Bytes that a value of a type takes on the stack: a predicate takes one.
pub(crate) fn width(ty: Type) -> u32 {
    ty.bytes()
}

impl Layout {
    /// Lays arrays of so many slots out, in whole warps, widest first, so that each is aligned.
    pub(crate) fn of(types: &[Type], slots: u32) -> Layout {
        let slots = u64::from(slots.next_multiple_of(WARP));
        let mut fields: Vec<Field> = types.iter().map(|&ty| Field { width: width(ty), offset: 0 }).collect();
        let mut order: Vec<&mut Field> = fields.iter_mut().collect();
        order.sort_by_key(|field| std::cmp::Reverse(field.width));
        let mut bytes = 0;
        for field in order {
            field.offset = bytes;
            bytes += slots * u64::from(field.width);
        }
        let align = fields.iter().map(|field| field.width).max().unwrap_or(1).max(4);
        let context_bytes = fields.iter().map(|field| field.width).sum();
        Layout { fields, bytes, align, context_bytes }
    }

    /// Bytes of a stack for all warps of CTAs of up to `threads` threads.
    pub(crate) fn for_all(&self, threads: u32) -> u64 {
        self.bytes * u64::from(threads.div_ceil(WARP))
    }

    /// The same arrays behind other stacks of that many bytes. The stacks of a warp stand one behind the other; each is a
    /// multiple of 32 bytes, so that the next is aligned.
    pub(crate) fn behind(mut self, bytes: u64) -> Layout {
        self.fields.iter_mut().for_each(|field| field.offset += bytes);
        self
    }
}

/// The source of the largest CTA size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockSize {
    /// `.maxntid` or `.reqntid` of the kernel.
    Kernel(u32),
    /// The directive or the caller; the rewritten kernel gets a `.maxntid`.
    Given(u32),
    /// Nobody said; the largest that there is.
    Assumed,
}

impl BlockSize {
    pub(crate) fn threads(self) -> u32 {
        match self {
            BlockSize::Kernel(threads) | BlockSize::Given(threads) => threads,
            BlockSize::Assumed => LARGEST_CTA,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widest_first_so_that_every_array_is_aligned() {
        let layout = Layout::of(&[Type::Pred, Type::B64, Type::F32, Type::B16], 33);
        let offsets: Vec<u64> = layout.fields.iter().map(|field| field.offset).collect();
        assert_eq!(offsets, [64 * 14, 0, 64 * 8, 64 * 12]);
        assert_eq!((layout.bytes, layout.align, layout.context_bytes), (64 * 15, 8, 15));
    }
}
