//! The reasons why a region is not rewritten, in words that tell the user what to do.

pub(crate) mod help;
pub(crate) mod text;

use thiserror::Error;

use crate::access_pair::AccessPair;
use crate::origin::Origin;
use crate::rank::{Balance, Rank};

/// The reason why a region is left as it was. Each variant that has a place points at the instruction in the way.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Refusal {
    /// The marked `if` is not in the loop that its directive names.
    #[error("the marked path is in no loop that is marked with `#CCC for`, nor in one that `#CCC grid` makes")]
    NoLoop,
    /// The compiler made straight-line code of the loop.
    #[error("the compiler leaves no loop: it unrolls the marked one completely, or its body is executed once at most")]
    Unrolled,
    /// There is a loop between the marked loop and the region.
    #[error("the marked path is in a loop inside the marked loop")]
    InnerLoop {
        /// The inner loop.
        at: Origin,
    },
    /// No branch leads into the region, or it is where the loop begins.
    #[error("no branch skips the marked path: it is taken in every iteration that comes here")]
    AlwaysTaken,
    /// The code behind the path in its iteration accesses what the path does, and cannot be a part of its task.
    #[error("{}", text::dependent(&accesses.path.to_string(), &accesses.rest.to_string()))]
    Dependent {
        /// The access of the path, and what depends on it.
        accesses: Box<AccessPair>,
    },
    /// A loop of the iteration, outside of the path, waits for it.
    #[error("{}", text::waits(&accesses.path.to_string(), &accesses.rest.to_string()))]
    Waits {
        /// The access of the path, and the read that decides whether the loop ends.
        accesses: Box<AccessPair>,
    },
    /// The code behind the path accesses the same object, perhaps the same bytes of it, and cannot be a part of its task.
    #[error("{}", text::same_object(&accesses.path.to_string(), &accesses.rest.to_string()))]
    SameObject {
        /// The access of the path, and the one behind it.
        accesses: Box<AccessPair>,
    },
    /// The code behind the path may access what the path does, and nothing may be assumed.
    #[error("{}", text::assumed(&accesses.path.to_string(), &accesses.rest.to_string()))]
    Assumed {
        /// The access of the path, and the one behind it.
        accesses: Box<AccessPair>,
    },
    /// All iterations of a thread access one place, and so depend on each other.
    #[error("{}", text::carried(&accesses.path.to_string(), &accesses.rest.to_string()))]
    Carried {
        /// The access of the path, and one of any iteration.
        accesses: Box<AccessPair>,
    },
    /// The loop stores to memory that the path accesses and that all iterations use.
    #[error("{}", text::repeated_accesses(&accesses.path.to_string(), &accesses.rest.to_string()))]
    Again {
        /// The access of the path, and one of any iteration.
        accesses: Box<AccessPair>,
    },
    /// Control enters the region elsewhere than at its begin.
    #[error("the marked path can be entered at a second place")]
    SecondEntry {
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// Control leaves the region elsewhere than at its end.
    #[error("the marked path leaves the loop (a `break`, `return` or `goto`)")]
    Leaves {
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// A loop of the region never ends, and cannot be treated as one that does.
    #[error("the marked path has a loop that never ends")]
    Endless {
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// Control leaves a loop that is run in steps elsewhere than at its end.
    #[error("a step leaves the marked loop (a `return` or `goto`, or a `break` of both loops)")]
    LeavesInStep {
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// A value computed in the region is used after it.
    #[error("a value that the marked path computes (register `{reg}`) is used after it")]
    LiveOut {
        /// The register.
        reg: String,
        /// The place where it is used.
        at: Origin,
    },
    /// A value computed in the region is used after it, and is none of the reductions that the directive names.
    #[error("register `{reg}`, which the marked path hands on, is no reduction: {what}")]
    NoReduction {
        /// The register.
        reg: String,
        /// The reason why it is none.
        what: String,
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// Lanes of a warp must execute an instruction of the region together.
    #[error("the marked path has `{opcode}`, which lanes must execute together")]
    Convergent {
        /// The opcode.
        opcode: String,
        /// The place of the instruction.
        at: Origin,
    },
    /// The region starts an asynchronous copy, or waits for one.
    #[error(
        "the marked path has `{opcode}`, which is part of an asynchronous copy: the thread that starts a copy must wait for it"
    )]
    Asynchronous {
        /// The opcode.
        opcode: String,
        /// The place of the instruction.
        at: Origin,
    },
    /// The loop outside the region, or what stands between its guard and it, has such an instruction, and the lanes part.
    #[error("`{opcode}` in or before the marked loop would wait for lanes that the rewritten loop keeps elsewhere")]
    ConvergentLoop {
        /// The opcode.
        opcode: String,
        /// The place of the instruction.
        at: Origin,
    },
    /// A function that is called there may have such an instruction.
    #[error("{callee} in or before the marked loop may wait for lanes that the rewritten loop keeps elsewhere")]
    CallOutside {
        /// The call in words, with the name of the function.
        callee: String,
        /// The place of the call.
        at: Origin,
    },
    /// The region uses memory that is private to a thread.
    #[error("{}", text::local(*alone))]
    Local {
        /// True if the region alone uses it.
        alone: bool,
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// An address of memory that is private to a thread is kept where the region may find it.
    #[error("{}", text::escaped(opcode, &escape.to_string()))]
    EscapedLocal {
        /// The opcode of the access.
        opcode: String,
        /// The instruction that stores or passes on the address.
        escape: Origin,
        /// The access.
        at: Origin,
    },
    /// The region calls a function that may synchronise or use its own thread's memory.
    #[error("the marked path calls `{callee}`, of which it is not known what it does")]
    Call {
        /// The function.
        callee: String,
        /// The place of the call.
        at: Origin,
    },
    /// The region calls a function that may be any.
    #[error("the marked path calls a function through a pointer, which may be any function")]
    CallByPointer {
        /// The place of the call.
        at: Origin,
    },
    /// The region has an opcode that the table does not describe.
    #[error("the marked path has `{opcode}`, whose effect is not known")]
    Unknown {
        /// The opcode.
        opcode: String,
        /// The place of the instruction.
        at: Origin,
    },
    /// The region reads or changes the state of the thread that runs it.
    #[error("the marked path has `{opcode}`, which acts on the thread that executes it")]
    ThreadState {
        /// The opcode.
        opcode: String,
        /// The place of the instruction.
        at: Origin,
    },
    /// The loop is reached by a part of a warp, and the other lanes do something else meanwhile.
    #[error("the marked loop is under divergent control flow: a branch before it differs between lanes ({cause})")]
    DivergentLoop {
        /// The cause of the divergence.
        cause: String,
        /// The branch.
        at: Origin,
    },
    /// The kernel is a function that was not inlined, whose callers may diverge.
    #[error(
        "the marked loop is in the function `{function}`, which was not inlined and may be called by a part of a warp"
    )]
    Function {
        /// Its name.
        function: String,
    },
    /// Control flow that the rewriter does not handle.
    #[error("the marked loop has {what}")]
    ControlFlow {
        /// The control flow that is not handled.
        what: String,
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// A register that the region reads or writes is of a kind that it cannot have a copy of.
    #[error("the marked path needs a copy of `{reg}`, which is a {ty}")]
    ContextType {
        /// The register.
        reg: String,
        /// Its type.
        ty: String,
    },
    /// The stack does not fit the shared memory.
    #[error("the stack needs {bytes} bytes of shared memory for CTAs of {block} threads; {left} bytes are left")]
    SharedMemory {
        /// Bytes of the stack.
        bytes: u64,
        /// Threads of the CTA.
        block: u32,
        /// Bytes that are left.
        left: u64,
    },
    /// Other paths of the loop are worth more, and with all of them fewer blocks fit a multiprocessor.
    #[error(
        "its stack of {bytes} bytes for CTAs of {block} threads would leave room for fewer blocks on a multiprocessor; \
         {left} bytes are left by costlier paths"
    )]
    Occupancy {
        /// Bytes of the stack.
        bytes: u64,
        /// Threads of the CTA.
        block: u32,
        /// Bytes that are left.
        left: u64,
        /// The worth of collecting the region.
        rank: Rank,
    },
    /// Other paths of the loop are worth more, and no more are wanted.
    #[error("{most} costlier paths of the loop are collected, and no more are wanted")]
    Most {
        /// The number of paths that are collected.
        most: usize,
        /// The worth of collecting the region.
        rank: Rank,
    },
    /// A profile, or the directive, says that collecting the path costs more than it saves.
    #[error(
        "collecting it costs {:.1} warp instructions in an iteration and saves {:.1}, by {}",
        balance.cost, balance.saved, rank.known
    )]
    NotWorth {
        /// The cost and the savings of collecting it.
        balance: Balance,
        /// The worth of collecting the region, to compare it with others.
        rank: Rank,
    },
    /// The PTX version lacks the instructions that the rewrite needs.
    #[error("PTX version {major}.{minor} has no `vote.sync`; 6.0 or newer is needed")]
    Version {
        /// Major version.
        major: u32,
        /// Minor version.
        minor: u32,
    },
    /// Threads of the module's target are not scheduled independently.
    #[error(
        "the PTX is for `sm_{chip}`: before sm_70, lanes must execute a `vote.sync` in convergence, which a collected loop does not ensure"
    )]
    Target {
        /// The number of the target.
        chip: u32,
    },
    /// The region lies in another region of the same loop that cannot have one in it.
    #[error("{}", text::nested(&outer.to_string()))]
    Nested {
        /// The other region's directive.
        outer: Origin,
    },
    /// The region lies in what another one's task was extended by, because that depends on the task.
    #[error("{}", text::in_task(&outer.to_string()))]
    InTask {
        /// The other region's directive.
        outer: Origin,
    },
    /// The tasks of two regions were extended to the same code.
    #[error("{}", text::shared_rest(&outer.to_string()))]
    SharedRest {
        /// The other region's directive.
        outer: Origin,
    },
    /// The directive marks a loop, but the compiler left none.
    #[error("the loop that is to be run in steps is no loop in the PTX")]
    NoSteps,
    /// The directive marks a recursion, but the compiler made no loop of it.
    #[error("the compiler made no loop of the recursion")]
    Recursion,
    /// The loop is the result of an earlier rewrite.
    #[error("the marked loop was rewritten already")]
    AlreadyRewritten,
    /// The threads of one block cannot do the work of others.
    #[error("the kernel cannot repeat its work for other blocks: {what}")]
    Grid {
        /// The reason why they cannot.
        what: String,
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// Blocks of which a thread does the work after others could find a register as those left it.
    #[error("the kernel cannot repeat its work for other blocks: register `{reg}` may be read before it is written")]
    GridRegister {
        /// The register.
        reg: String,
    },
    /// The PTX has debug information, which the rewritten kernel cannot be put into.
    #[error("the program is compiled with debug information (`-G`), which describes the code byte by byte")]
    DebugInformation,
    /// The compiler was told not to optimise, and what it leaves is in the way.
    #[error("{what}: without optimisations, the compiler inlines no function and keeps variables in local memory")]
    Unoptimised {
        /// The obstacle that the compiler left.
        what: String,
        /// The place of the instruction in the way.
        at: Origin,
    },
    /// The rewriter made something that it cannot read itself.
    #[error("the rewriter failed: {what}")]
    Internal {
        /// The message of the error.
        what: String,
    },
}

impl Refusal {
    /// The register that it names.
    pub(crate) fn register_mut(&mut self) -> Option<&mut String> {
        match self {
            Refusal::LiveOut { reg, .. }
            | Refusal::NoReduction { reg, .. }
            | Refusal::ContextType { reg, .. }
            | Refusal::GridRegister { reg } => Some(reg),
            _ => None,
        }
    }

    /// Returns the same for code that is not optimised, in which calls and local memory are in the way that the source is not the reason of.
    #[must_use]
    pub fn in_unoptimised_code(self) -> Refusal {
        use Refusal::*;
        match self {
            Local { at, .. } => Unoptimised { what: "the marked path uses local memory".to_owned(), at },
            Call { at, .. } | CallOutside { at, .. } | EscapedLocal { at, .. } => {
                Unoptimised { what: self.to_string(), at }
            }
            Function { .. } => Unoptimised { what: self.to_string(), at: Origin::default() },
            other => other,
        }
    }

    /// The place that the message is about, if it is another than the directive.
    #[must_use]
    pub fn place(&self) -> Option<Origin> {
        use Refusal::*;
        match self {
            InnerLoop { at }
            | SecondEntry { at }
            | Leaves { at }
            | LeavesInStep { at }
            | Endless { at }
            | CallByPointer { at } => Some(*at),
            LiveOut { at, .. }
            | Local { at, .. }
            | Unoptimised { at, .. }
            | NoReduction { at, .. }
            | Convergent { at, .. }
            | ConvergentLoop { at, .. }
            | CallOutside { at, .. }
            | Asynchronous { at, .. }
            | Call { at, .. }
            | EscapedLocal { at, .. }
            | Unknown { at, .. }
            | ThreadState { at, .. }
            | DivergentLoop { at, .. }
            | ControlFlow { at, .. }
            | Grid { at, .. } => Some(*at),
            Dependent { accesses }
            | Waits { accesses }
            | SameObject { accesses }
            | Assumed { accesses }
            | Carried { accesses }
            | Again { accesses } => Some(accesses.rest.at),
            NoLoop
            | Unrolled
            | AlwaysTaken
            | Function { .. }
            | ContextType { .. }
            | SharedMemory { .. }
            | Occupancy { .. }
            | Most { .. }
            | NotWorth { .. }
            | Version { .. }
            | Target { .. }
            | Nested { .. }
            | InTask { .. }
            | SharedRest { .. }
            | NoSteps
            | Recursion
            | AlreadyRewritten
            | GridRegister { .. }
            | DebugInformation
            | Internal { .. } => None,
        }
    }

    /// Returns true if the reason may be that marked loops are not unrolled, so that it may be gone if they are as the source says. A loop that is not there
    /// does not come back, and no branch does.
    #[must_use]
    pub fn is_about_shape(&self) -> bool {
        use Refusal::*;
        match self {
            InnerLoop { .. }
            | SecondEntry { .. }
            | Local { .. }
            | EscapedLocal { .. }
            | ControlFlow { .. }
            | SharedMemory { .. }
            | NoSteps
            | Recursion
            | Nested { .. }
            | InTask { .. }
            | SharedRest { .. } => true,
            NoLoop
            | Unrolled
            | AlwaysTaken
            | Leaves { .. }
            | Dependent { .. }
            | Waits { .. }
            | SameObject { .. }
            | Assumed { .. }
            | Carried { .. }
            | Again { .. }
            | LeavesInStep { .. }
            | Endless { .. }
            | CallOutside { .. }
            | Asynchronous { .. }
            | CallByPointer { .. }
            | DebugInformation
            | Unoptimised { .. }
            | LiveOut { .. }
            | NoReduction { .. }
            | Convergent { .. }
            | ConvergentLoop { .. }
            | Call { .. }
            | Unknown { .. }
            | ThreadState { .. }
            | DivergentLoop { .. }
            | Function { .. }
            | ContextType { .. }
            | Occupancy { .. }
            | Most { .. }
            | NotWorth { .. }
            | Version { .. }
            | Target { .. }
            | AlreadyRewritten
            | Grid { .. }
            | GridRegister { .. }
            | Internal { .. } => false,
        }
    }

    /// Returns the same in the words for a region that is run in steps, if it is one.
    pub(crate) fn in_region(self, steps: bool) -> Refusal {
        match self {
            Refusal::Leaves { at } if steps => Refusal::LeavesInStep { at },
            other => other,
        }
    }

    /// Returns true if the region only makes way for others, with `limit` bytes of shared memory for all.
    pub(crate) fn is_for_others(&self, limit: u64) -> bool {
        match self {
            Refusal::SharedMemory { bytes, .. } => *bytes <= limit,
            Refusal::Occupancy { .. } | Refusal::Most { .. } => true,
            _ => false,
        }
    }

    /// Returns what a region is worth that could be collected but is left out.
    #[must_use]
    pub fn rank(&self) -> Option<Rank> {
        match self {
            Refusal::Occupancy { rank, .. } | Refusal::Most { rank, .. } | Refusal::NotWorth { rank, .. } => {
                Some(*rank)
            }
            _ => None,
        }
    }
}
