//! The properties of an opcode, from the table.

use super::availability::Needs;
use super::comparison::Comparison;
use super::logic::Logic;
use crate::types::Space;

/// The control flow behind an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To a label (`bra`), or to the next instruction where the guard is false.
    Branch,
    /// To one of a list of labels (`brx.idx`).
    IndirectBranch,
    /// Into a function and back (`call`).
    Call,
    /// Back to the caller, or out of the kernel (`ret`).
    Return,
    /// The thread ends (`exit`).
    Exit,
    /// The whole grid is aborted (`trap`).
    Trap,
}

/// The effect of an instruction on memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Nothing.
    None,
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It reads and writes as one step: an atomic or a reduction.
    Atomic,
    /// It orders other accesses.
    Fence,
    /// It may do anything: a call, an asynchronous copy, or an opcode that the table does not list.
    Unknown,
}

/// The memory ordering of an access (PTX ISA, "Memory Consistency Model").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ordering {
    /// `.weak`, or nothing said of a load or store.
    Weak,
    /// `.volatile`
    Volatile,
    /// `.relaxed`, or nothing said of an atomic.
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcquireRelease,
    /// `.sc`, and `membar`.
    Sequential,
    /// `.mmio`
    Mmio,
}

/// The threads with which an access or a fence synchronises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// Those of the CTA.
    Cta,
    /// Those of the cluster.
    Cluster,
    /// Those of the device.
    Gpu,
    /// Those of all devices, and the host.
    System,
}

/// The class that decides how many lanes per cycle a multiprocessor takes (CUDA Programming Guide, "Throughput of
/// Native Arithmetic Instructions").
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Class {
    /// 16-bit float add, multiply, multiply-add.
    Half,
    /// 32-bit float add, multiply, multiply-add.
    Single,
    /// 64-bit float add, multiply, multiply-add.
    Double,
    /// Reciprocal, square root, logarithm, exponential, sine, cosine in hardware.
    Transcendental,
    /// A 32- or 64-bit float division or square root with IEEE rounding, or an integer division: a sequence.
    Division,
    /// Integer add, subtract, logic, select, move.
    Integer,
    /// Compare, minimum, maximum.
    Compare,
    /// Integer multiply and multiply-add.
    Multiply,
    /// Shift.
    Shift,
    /// Count, find, reverse bits; bit-field extract and insert.
    Bits,
    /// Warp shuffle.
    Shuffle,
    /// Warp vote, match, warp-wide reduction.
    Vote,
    /// Conversion that involves no 64-bit type.
    Convert,
    /// Conversion from or to a 64-bit type, other than between integers.
    ConvertWide,
    /// Load, store, atomic.
    Memory,
    /// Branch, call, return.
    Control,
    /// Barrier, fence, and whatever else waits.
    Barrier,
    /// Reading a special register.
    Special,
    /// Anything else.
    Other,
}

/// The operator of a reduction. All are associative and commutative, for integers; for floats, but for rounding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `*`, of which integers keep the low half.
    Multiply,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
}

impl Operator {
    /// Returns the mnemonic of the instruction that combines two registers.
    pub(crate) fn mnemonic(self) -> &'static str {
        match self {
            Operator::Add => "add",
            Operator::Multiply => "mul",
            Operator::Min => "min",
            Operator::Max => "max",
            Operator::And => "and",
            Operator::Or => "or",
            Operator::Xor => "xor",
        }
    }
}

/// The kind of number that an operator takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Number {
    /// An integer where the sign makes no difference.
    Integer,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// Bits.
    Bits,
    /// A float.
    Float,
}

/// The step of an instruction from a running value to the next one. The value is in one operand; the next one is in operand 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Running {
    /// Operand 1, as it is.
    Copy,
    /// Operand 1 or operand 2, as it is.
    Choice,
    /// One operand combined with what the others make.
    Fold {
        /// By which operator.
        operator: Operator,
        /// The kind of numbers that it combines.
        number: Number,
        /// True if subnormal floats that go in or come out are zeros (`.ftz`).
        flushes: bool,
        /// The operands that the running value may stand in.
        operands: [u8; 2],
    },
}

/// The result of an instruction as a linear function of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linear {
    /// Operand 1.
    Same,
    /// Operand 1 plus operand 2.
    Sum,
    /// Operand 1 minus operand 2.
    Difference,
    /// Operand 1 times operand 2.
    Product,
    /// Operand 1 times operand 2, plus operand 3.
    ProductSum,
    /// Operand 1 times 2 to the power of operand 2.
    Shifted,
}

/// The properties of an opcode, from the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Properties {
    /// True if the table lists the mnemonic. If not, every other field is the worst case.
    pub known: bool,
    /// One letter per operand, the last one repeated for those beyond: `w` written, `r` read, `x` read and written. An
    /// address operand is `r`: what it reads is its base register.
    pub roles: &'static str,
    /// The effect on memory.
    pub memory: Memory,
    /// The state space of the access; `Generic` where the opcode names none.
    pub space: Option<Space>,
    /// True if the access is `.volatile`, or of any other kind that may not be repeated, dropped or moved.
    pub volatile: bool,
    /// The memory ordering of the access or fence.
    pub ordering: Ordering,
    /// With which threads it synchronises; `None` where it does not.
    pub scope: Option<Scope>,
    /// True if lanes execute it together: barriers, votes, shuffles, matrix instructions.
    pub convergent: bool,
    /// The threads that must all have come before any of them goes on, unless an operand says how many: those of the CTA for `bar.sync`.
    pub waits_for: Option<Scope>,
    /// True if it waits for lanes of the warp, which its last operand names by a mask: `bar.warp.sync`, votes, shuffles with `.sync`.
    pub waits_for_named: bool,
    /// True if every lane that the member mask names gets the same result, as from a vote over the warp.
    pub same_in_warp: bool,
    /// The control flow behind it.
    pub flow: Flow,
    /// True if it acts on something other than registers and memory (time, traps, caches, asynchronous groups).
    pub side_effect: bool,
    /// True if the result, given equal inputs, can differ between lanes or between two executions.
    pub varying: bool,
    /// The throughput class.
    pub class: Class,
    /// The number of machine operations of that class it takes: 2 for 64-bit integer arithmetic.
    pub repeats: u8,
    /// True if it reads the carry flag.
    pub carry_in: bool,
    /// True if it writes the carry flag.
    pub carry_out: bool,
    /// True if `ptxas` may fuse it with another instruction into one that rounds once: a float addition or multiplication that names no
    /// rounding (PTX ISA, "add", "mul"). A copy of it elsewhere may then have another last bit.
    pub fusible: bool,
    /// The step that it computes for a running value; `None` if it does anything else.
    pub running: Option<Running>,
    /// The result as a linear function of its operands; `None` if it is not linear in them.
    pub linear: Option<Linear>,
    /// The comparison of whole numbers that it makes; `None` if it does anything else.
    pub comparison: Option<Comparison>,
    /// The connective of predicates that it computes; `None` if it does anything else.
    pub logic: Option<Logic>,
    /// The least PTX version and target that have it.
    pub needs: Needs,
}

impl Properties {
    /// The worst case, for opcodes that the table does not list.
    pub const UNKNOWN: Properties = Properties {
        known: false,
        roles: "x*",
        memory: Memory::Unknown,
        space: None,
        volatile: true,
        ordering: Ordering::Sequential,
        scope: Some(Scope::System),
        convergent: true,
        waits_for: None,
        waits_for_named: false,
        same_in_warp: false,
        flow: Flow::Next,
        side_effect: true,
        varying: true,
        class: Class::Other,
        repeats: 1,
        carry_in: true,
        carry_out: true,
        fusible: true,
        running: None,
        linear: None,
        comparison: None,
        logic: None,
        needs: Needs::NOTHING,
    };

    /// Returns true if the instruction only computes registers from registers, so that it may be repeated, dropped or moved.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        self.known
            && self.memory == Memory::None
            && !self.convergent
            && self.flow == Flow::Next
            && !self.side_effect
            && !self.varying
    }

    /// Returns true if the instruction ends a basic block.
    #[must_use]
    pub fn is_terminator(&self) -> bool {
        !matches!(self.flow, Flow::Next | Flow::Call)
    }

    /// The role letter of operand `index`.
    #[must_use]
    pub fn role(&self, index: usize) -> char {
        let roles = self.roles.as_bytes();
        let last = roles.iter().rev().find(|&&byte| byte != b'*').copied().unwrap_or(b'r');
        char::from(roles.get(index).copied().filter(|&byte| byte != b'*').unwrap_or(last))
    }
}
