//! Rules of the PTX ISA that a kernel breaks while it runs. Most hardware goes on all the same, and so does the launch; the report names the rule, the
//! place, and who broke it.

use std::fmt;

use super::error::Site;
use serde::{Serialize, Serializer};

/// A rule of the PTX ISA that a kernel has broken. Each names the section that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Lanes execute a `.sync` operation and are not among the members that they name (`vote.sync`, `shfl.sync`, `bar.warp.sync`).
    NotMember {
        /// The mask that they give.
        members: u32,
    },
    /// The member mask of a `.sync` operation is 0.
    NoMembers,
    /// Lanes read a value from lanes that do not take part in the shuffle: that are not named, have ended or are elsewhere (`shfl`, `shfl.sync`).
    Source {
        /// The lanes that are read from.
        from: u32,
    },
    /// A block has sixteen barriers, 0 to 15 (`bar`, `barrier`).
    BarrierNumber {
        /// The number given.
        number: u32,
    },
    /// A barrier's count of threads is a multiple of 32 and not 0 (`bar`, `barrier`).
    BarrierCount {
        /// The count given.
        count: u32,
    },
    /// All arrivals at one barrier name the same count of threads (`bar`, `barrier`).
    BarrierCounts {
        /// The count of those who came before.
        before: u32,
        /// The count given.
        count: u32,
    },
    /// `bar.red` is not mixed with `bar.sync` or `bar.arrive` at one barrier (`bar`, `barrier`).
    BarrierKinds,
    /// A warp comes to a barrier once before it opens (`bar`, `barrier`).
    BarrierTwice {
        /// The barrier.
        number: u32,
    },
    /// All lanes of a warp execute the same aligned barrier (`bar`, `barrier.aligned`).
    BarrierDivergence,
    /// All lanes of a warp that have not ended execute an aligned barrier: none goes on to what is behind it while others wait there (`bar`, `barrier.aligned`).
    BarrierPassed,
    /// The index of an indirect branch is within its list of targets (`brx.idx`).
    BranchIndex {
        /// The index.
        index: u32,
        /// The length of the list.
        targets: u32,
    },
    /// A thread waits at the barrier of its cluster once it has arrived there (`barrier.cluster`).
    ClusterWaitFirst,
    /// A thread that has arrived at the barrier of its cluster waits there before it arrives again (`barrier.cluster`).
    ClusterArriveTwice,
    /// Constant variables are read-only (State Spaces).
    ConstantWritten,
    /// The parameters of a kernel are read-only (State Spaces).
    ParameterWritten,
}

impl Rule {
    /// Returns true if a kernel that breaks the rule may be right all the same on the hardware there is: a value that lanes get from nobody may be used
    /// by nobody; and lanes that pass by a barrier may be such that return early, whose last steps the compiler has joined with code behind the barrier.
    #[must_use]
    pub fn may_be_harmless(&self) -> bool {
        matches!(self, Rule::Source { .. } | Rule::BarrierPassed)
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::NotMember { members } => {
                write!(f, "lanes that the member mask 0x{members:08x} does not name execute it")
            }
            Rule::NoMembers => f.write_str("the member mask is 0"),
            Rule::Source { from } => write!(f, "lanes read from lanes 0x{from:08x}, which do not take part"),
            Rule::BarrierNumber { number } => write!(f, "barrier {number}: a block has 0 to 15"),
            Rule::BarrierCount { count } => {
                write!(f, "a barrier for {count} threads, which is no multiple of 32 above 0")
            }
            Rule::BarrierCounts { before, count } => {
                write!(f, "a barrier for {count} threads, where others came to it as one for {before}")
            }
            Rule::BarrierKinds => f.write_str("a reduction and another kind of arrival meet at one barrier"),
            Rule::BarrierTwice { number } => write!(f, "the warp comes to barrier {number} again before it has opened"),
            Rule::BarrierDivergence => f.write_str("lanes of one warp are at different aligned barriers"),
            Rule::BarrierPassed => f.write_str("lanes pass by an aligned barrier at which others of their warp wait"),
            Rule::BranchIndex { index, targets } => {
                write!(f, "index {index} of an indirect branch with {targets} targets")
            }
            Rule::ClusterWaitFirst => f.write_str("lanes wait at the cluster's barrier without having arrived there"),
            Rule::ClusterArriveTwice => {
                f.write_str("lanes arrive at the cluster's barrier again before they have waited there")
            }
            Rule::ConstantWritten => f.write_str("a write to constant memory, which kernels may only read"),
            Rule::ParameterWritten => f.write_str("a write to the kernel's parameters, which it may only read"),
        }
    }
}

/// The first breach of a rule, and the number of breaches by that instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Undefined {
    /// The rule.
    #[serde(rename = "what")]
    pub rule: Rule,
    /// The instruction.
    #[serde(flatten)]
    pub site: Site,
    /// Its opcode.
    pub opcode: String,
    /// Linear block index.
    pub block: u64,
    /// Warp in the block.
    pub warp: u32,
    /// The lanes that broke it, one bit each.
    pub lanes: u32,
    /// The number of times that the instruction broke the rule, counted per warp. Writes to read-only memory are
    /// counted per lane.
    pub count: u64,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Undefined { rule, site, opcode, block, warp, lanes, .. } = self;
        write!(f, "{site}: `{opcode}`: {rule}: block {block} warp {warp} lanes 0x{lanes:08x}")
    }
}
