//! The outcome of a launch. A deadlock, divergence at a barrier or an invalid access is an outcome and not an error.
//! Such an outcome names the lines and lanes involved.

use std::fmt;

use super::error::Site;
use crate::memory::space::MemorySpace;

/// Lanes of one warp of one block, and where they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanesAt {
    /// The place of the lanes in the program.
    pub site: Site,
    /// Linear block index.
    pub block: u64,
    /// Warp in the block.
    pub warp: u32,
    /// One bit per lane.
    pub lanes: u32,
}

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No allocation, variable or window holds all of it.
    OutOfBounds,
    /// The address is not a multiple of the access size.
    Misaligned,
    /// `trap` was executed.
    Trap,
    /// `brkpt` was executed, which suspends a kernel for good where there is no debugger.
    Breakpoint,
    /// A call found no room on the stack of its thread.
    StackOverflow,
    /// A call by an address that is no function which fits it.
    NoFunction,
    /// An `assert` failed.
    Assertion,
    /// The allocation was given back to the heap before.
    UseAfterFree,
    /// `free` of what was given back before.
    DoubleFree,
    /// `free` of an address at which no allocation begins.
    BadFree,
}

/// An access that could not be made, a `trap`, or a `brkpt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of the fault.
    pub kind: FaultKind,
    /// The instruction.
    pub site: Site,
    /// Its opcode.
    pub opcode: String,
    /// The address in global memory; in shared and local memory the offset from its beginning.
    pub address: u64,
    /// The size of the access in bytes.
    pub bytes: u32,
    /// Block index in three dimensions.
    pub block: [u32; 3],
    /// Thread index in three dimensions.
    pub thread: [u32; 3],
    /// Lane in the warp.
    pub lane: u32,
    /// The state space; of a generic address, the one that it points into. `None` for a trap.
    pub space: Option<MemorySpace>,
    /// The allocation of global memory that was accessed after it was given back, else the nearest one: name, start, size in bytes. In
    /// shared memory the nearest variable, in local memory, which is one piece, that piece.
    pub nearest: Option<(String, u64, u64)>,
    /// Further facts: the text of a failed assertion, where heap memory was allocated and freed, or the size of
    /// the shared memory of the block.
    pub note: Option<String>,
    /// `nearest` was given back.
    pub freed: bool,
}

/// The outcome of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All threads ended.
    Finished,
    /// Lanes of a warp loop for ever, waiting for lanes of the same warp that wait for them to reconverge.
    SimtDeadlock {
        /// The lanes that loop.
        running: Vec<LanesAt>,
        /// The lanes that wait at a reconvergence point.
        waiting: Vec<LanesAt>,
    },
    /// All threads that can run repeat themselves, and no memory changes.
    Livelock {
        /// The threads that loop.
        running: Vec<LanesAt>,
        /// The threads that wait at barriers and reconvergence points meanwhile.
        waiting: Vec<LanesAt>,
    },
    /// A barrier or `.sync` operation waits for lanes that will not come.
    BarrierDivergence {
        /// Those who wait.
        waiting: Vec<LanesAt>,
        /// Those who are waited for, where they are.
        missing: Vec<LanesAt>,
    },
    /// Resident blocks wait for others that have found no room to start. Continued on a copy of the memory, with blocks that had not
    /// started beside them, they got on.
    Starvation {
        /// The threads that loop.
        running: Vec<LanesAt>,
        /// Blocks that never started.
        waiting_blocks: u64,
        /// The number of resident blocks with which they made progress; `None` if it would have taken too long to find
        /// out whether they do.
        needs: Option<u64>,
    },
    /// The step budget was used up.
    Budget {
        /// Threads that were running then.
        running: Vec<LanesAt>,
    },
    /// Somebody asked the launch to end ([`Monitor::interrupt`](crate::Monitor::interrupt)).
    Interrupted {
        /// Threads that were running then.
        running: Vec<LanesAt>,
    },
    /// An access that cannot be made, or a trap.
    Fault(Box<Fault>),
}

impl Outcome {
    /// The outcome's name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Finished => "finished",
            Outcome::SimtDeadlock { .. } => "simt-deadlock",
            Outcome::Livelock { .. } => "livelock",
            Outcome::BarrierDivergence { .. } => "barrier-divergence",
            Outcome::Starvation { .. } => "starvation",
            Outcome::Budget { .. } => "budget",
            Outcome::Interrupted { .. } => "interrupted",
            Outcome::Fault(_) => "fault",
        }
    }

    /// The place that the outcome is about; none for a finished launch.
    #[must_use]
    pub fn site(&self) -> Option<&Site> {
        match self {
            Outcome::Finished => None,
            Outcome::SimtDeadlock { running, .. }
            | Outcome::Livelock { running, .. }
            | Outcome::Starvation { running, .. }
            | Outcome::Interrupted { running }
            | Outcome::Budget { running } => running.first().map(|place| &place.site),
            Outcome::BarrierDivergence { waiting, .. } => waiting.first().map(|place| &place.site),
            Outcome::Fault(fault) => Some(&fault.site),
        }
    }
}

impl fmt::Display for LanesAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} warp {} lanes 0x{:08x} at {}", self.block, self.warp, self.lanes, self.site)
    }
}

fn places(f: &mut fmt::Formatter<'_>, label: &str, places: &[LanesAt]) -> fmt::Result {
    places.iter().take(8).try_for_each(|place| write!(f, "\n  {label}: {place}"))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Finished => f.write_str("finished"),
            Outcome::SimtDeadlock { running, waiting } => {
                f.write_str("SIMT-induced deadlock: lanes loop for ever while lanes of their warp wait for them")?;
                places(f, "loops", running)?;
                places(f, "waits", waiting)
            }
            Outcome::Livelock { running, waiting } => {
                f.write_str("livelock: all running threads repeat themselves and no memory changes")?;
                places(f, "loops", running)?;
                places(f, "waits", waiting)
            }
            Outcome::BarrierDivergence { waiting, missing } => {
                f.write_str("a barrier or `.sync` operation waits for lanes that do not come")?;
                if missing.is_empty() {
                    f.write_str(": all lanes that have not ended wait there, and it counts on more")?;
                }
                places(f, "waits", waiting)?;
                places(f, "missing", missing)
            }
            Outcome::Starvation { running, waiting_blocks, needs } => {
                write!(f, "starvation: resident blocks wait while {waiting_blocks} blocks found no room to start")?;
                if let Some(resident) = needs {
                    write!(f, ": with {resident} resident blocks they get on")?;
                }
                places(f, "loops", running)
            }
            Outcome::Budget { running } => {
                f.write_str("the step budget was used up")?;
                places(f, "running", running)
            }
            Outcome::Interrupted { running } => {
                f.write_str("the launch was interrupted")?;
                places(f, "running", running)
            }
            Outcome::Fault(fault) => fault.fmt(f),
        }
    }
}

/// Addresses below this one are called null: no allocation is so low.
const NULL_PAGE: u64 = 1 << 16;

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [bx, by, bz] = self.block;
        let [tx, ty, tz] = self.thread;
        let who = format!("block ({bx},{by},{bz}) thread ({tx},{ty},{tz})");
        match self.kind {
            FaultKind::Trap => {
                write!(f, "{}: {who} executed `trap`", self.site)?;
                return self.note.as_ref().map_or(Ok(()), |note| write!(f, "; {note}"));
            }
            FaultKind::Breakpoint => {
                return write!(f, "{}: {who} executed `brkpt`, and there is no debugger to go on from it", self.site);
            }
            FaultKind::Assertion => {
                return write!(f, "{}: {who}: {}", self.site, self.note.as_deref().unwrap_or("an assertion failed"));
            }
            FaultKind::StackOverflow => {
                let line = "calls are nested too deep: the stack overflowed";
                return write!(f, "{}: {line}, in {who} at `{}`", self.site, self.opcode);
            }
            FaultKind::NoFunction => {
                return write!(f, "{}: {who} calls 0x{:x}, which is no function that fits", self.site, self.address);
            }
            FaultKind::DoubleFree | FaultKind::BadFree => {
                let why = if self.kind == FaultKind::DoubleFree { "twice" } else { "where no allocation begins" };
                write!(f, "{}: {who} gives 0x{:x} back {why}", self.site, self.address)?;
                return self.note.as_ref().map_or(Ok(()), |note| write!(f, "; {note}"));
            }
            FaultKind::UseAfterFree => {
                write!(f, "{}: access of {} bytes at 0x{:x}", self.site, self.bytes, self.address)?;
                write!(f, " of freed memory by {who}, `{}`", self.opcode)?;
                return self.note.as_ref().map_or(Ok(()), |note| write!(f, "; {note}"));
            }
            FaultKind::OutOfBounds => write!(f, "{}: out-of-bounds", self.site)?,
            FaultKind::Misaligned => write!(f, "{}: misaligned", self.site)?,
        }
        write!(f, " access of {} bytes at 0x{:x} by {who}, `{}`", self.bytes, self.address, self.opcode)?;
        if self.address < NULL_PAGE && !matches!(self.space, Some(MemorySpace::Shared | MemorySpace::Local)) {
            return f.write_str("; that is a null pointer, or an index from one");
        }
        let shared = self.note.as_deref().filter(|_| self.space == Some(MemorySpace::Shared));
        let Some((name, start, bytes)) = &self.nearest else {
            return shared.map_or(Ok(()), |note| write!(f, "; {note}"));
        };
        let place = match (self.address.checked_sub(*start), self.freed) {
            (Some(offset), true) => {
                return write!(f, "; that is byte {offset} of `{name}` ({bytes} bytes), which was freed before");
            }
            (Some(offset), _) if offset >= *bytes => format!("{} bytes behind the end", offset - bytes),
            (Some(offset), _) => format!("at byte {offset}"),
            (None, _) => format!("{} bytes before the beginning", start - self.address),
        };
        match self.space {
            Some(MemorySpace::Shared) => {
                write!(f, "; that is {place} of `{name}`, {bytes} bytes from byte {start} on")?;
                shared.map_or(Ok(()), |note| write!(f, "; {note}"))
            }
            Some(MemorySpace::Local) => write!(f, "; that is {place} of {name}, {bytes} bytes"),
            _ => write!(f, "; that is {place} of the nearest allocation, `{name}`, {bytes} bytes at 0x{start:x}"),
        }
    }
}
