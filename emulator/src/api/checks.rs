//! The checks that a launch may ask for, and what they find.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use std::fmt;

use super::error::Site;
use super::rule::Undefined;
use crate::memory::space::MemorySpace;

/// The checks that a launch makes. By default it makes none: checks of memory multiply its run time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Reads of bytes that nobody has written.
    pub uninitialised: bool,
    /// Accesses by different threads that nothing orders.
    pub races: bool,
    /// Broken rules of barriers, operations of a warp and indirect branches; see [`Rule`](crate::Rule). Costs little.
    pub undefined: bool,
}

impl Checks {
    /// Returns true if accesses to memory are checked, for which a launch runs on one host thread.
    #[must_use]
    pub fn of_memory(self) -> bool {
        self.uninitialised || self.races
    }
}

/// The place in memory of a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Spot {
    /// The state space.
    pub space: MemorySpace,
    /// In global memory the device address, else the offset in the space.
    pub address: u64,
    /// In global memory the allocation's name, the offset in it, and its size in bytes; in shared memory those of the variable.
    #[serde(flatten, serialize_with = "allocation")]
    pub allocation: Option<(String, u64, u64)>,
}

/// Serialises an allocation as keys of its own.
fn allocation<S: Serializer>(known: &Option<(String, u64, u64)>, serializer: S) -> Result<S::Ok, S::Error> {
    let known = known.as_ref();
    let mut keys = serializer.serialize_struct("Allocation", 3)?;
    keys.serialize_field("allocation", &known.map(|(name, ..)| name))?;
    keys.serialize_field("offset", &known.map(|(_, offset, _)| offset))?;
    keys.serialize_field("allocation_bytes", &known.map(|(.., bytes)| bytes))?;
    keys.end()
}

/// A thread at an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Accessor {
    /// The instruction.
    #[serde(flatten)]
    pub site: Site,
    /// Its opcode.
    pub opcode: String,
    /// Block index in three dimensions.
    pub block: [u32; 3],
    /// Thread index in three dimensions.
    pub thread: [u32; 3],
    /// True if it writes.
    pub writes: bool,
}

/// A read of bytes that nobody has written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UninitialisedRead {
    /// The first reader.
    pub reader: Accessor,
    /// The place in memory.
    #[serde(rename = "at")]
    pub spot: Spot,
    /// The size of the access in bytes.
    pub bytes: u32,
    /// The number of reads of the instruction, counted per lane, that were of such bytes.
    pub count: u64,
}

/// Two accesses to the same memory that nothing orders, at least one of which writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Race {
    /// The place in memory at which the race was first seen.
    #[serde(rename = "at")]
    pub spot: Spot,
    /// The access that came first.
    pub first: Accessor,
    /// The access that came second.
    pub second: Accessor,
    /// The number of times that the two instructions raced, counted per lane.
    pub count: u64,
}

/// The findings of a launch's checks. `None` is a check that was not made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// One entry per instruction.
    pub uninitialised: Option<Vec<UninitialisedRead>>,
    /// One entry per pair of instructions, the first 256 of them.
    pub races: Option<Vec<Race>>,
    /// One entry per instruction and rule, in the order of the code.
    pub undefined: Option<Vec<Undefined>>,
}

impl Findings {
    /// Returns true if nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Findings { uninitialised, races, undefined } = self;
        uninitialised.as_ref().is_none_or(Vec::is_empty)
            && races.as_ref().is_none_or(Vec::is_empty)
            && undefined.as_ref().is_none_or(Vec::is_empty)
    }
}

impl fmt::Display for Spot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.allocation, self.space) {
            (Some((name, offset, bytes)), MemorySpace::Shared) => {
                write!(f, "byte {offset} of `{name}` ({bytes} bytes in shared memory)")
            }
            (Some((name, offset, bytes)), _) => write!(f, "byte {offset} of `{name}` ({bytes} bytes)"),
            (None, MemorySpace::Global) => write!(f, "address 0x{:x}", self.address),
            (None, space) => write!(f, "byte {} of {} memory", self.address, space.name()),
        }
    }
}

impl fmt::Display for Accessor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        let verb = if self.writes { "writes" } else { "reads" };
        write!(f, "block ({bx},{by},{bz}) thread ({tx},{ty},{tz}) {verb} at {} (`{}`)", self.site, self.opcode)
    }
}

impl fmt::Display for UninitialisedRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accessor { site, opcode, block: [bx, by, bz], thread: [tx, ty, tz], .. } = &self.reader;
        write!(f, "{site}: read of uninitialised memory, {} bytes at {}", self.bytes, self.spot)?;
        write!(f, " by block ({bx},{by},{bz}) thread ({tx},{ty},{tz}), `{opcode}`")?;
        times(f, self.count)
    }
}

impl fmt::Display for Race {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: race on {}", self.second.site, self.spot)?;
        times(f, self.count)?;
        write!(f, "\n  first: {}\n  then: {}", self.first, self.second)
    }
}

fn times(f: &mut fmt::Formatter<'_>, count: u64) -> fmt::Result {
    if count > 1 { write!(f, "; {count} times") } else { Ok(()) }
}
