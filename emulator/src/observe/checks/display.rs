//! Findings of the checks in sentences.

use std::fmt;

use super::{Accessor, MemorySpace, Race, Spot, UninitialisedRead};

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
