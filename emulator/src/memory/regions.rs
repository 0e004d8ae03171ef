//! The global memory of a launch: ranges of addresses and the host memory behind them. The code that reads and writes
//! it is in `raw_access.rs`.

use crate::api::rule::Rule;

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
pub(crate) struct Regions {
    all: Vec<Region>,
    /// The starts of the regions that hold constant variables, sorted.
    constants: Vec<u64>,
}

impl Regions {
    /// Allocations in order of address, and the parameters behind them.
    pub(super) fn new(all: Vec<Region>, constants: Vec<u64>) -> Regions {
        Regions { all, constants }
    }

    /// The rule that a write to the region breaks (PTX ISA, "State Spaces": `.const` and `.param` of a kernel are read-only).
    pub(crate) fn forbids_writing(&self, region: &Region) -> Option<Rule> {
        if self.all.last().is_some_and(|params| params.start == region.start) {
            return Some(Rule::ParameterWritten);
        }
        self.constants.binary_search(&region.start).is_ok().then_some(Rule::ConstantWritten)
    }

    /// The region that holds an address.
    pub(crate) fn find(&self, address: u64) -> Option<&Region> {
        let within = |r: &&Region| address.wrapping_sub(r.start) < r.bytes;
        let after = match self.all.split_last() {
            Some((params, allocations)) => {
                if within(&params) {
                    return Some(params);
                }
                allocations.partition_point(|r| r.start <= address)
            }
            None => 0,
        };
        self.all.get(after.checked_sub(1)?).filter(within)
    }
}
