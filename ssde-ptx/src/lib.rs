//! SIMT-induced deadlocks: ElTantawy and Aamodt, "MIMD Synchronization on SIMT Architectures", MICRO 2016.
//!
//! A machine with a reconvergence stack lets the lanes of a warp that leave a loop wait for those that do not, and runs one way of a branch to its
//! end before the other. If what the lanes in the loop wait for is behind that point, or on the other way, they wait for ever:
//!
//! ```text
//! LOOP:  atom.cas old, [lock], 0, 1
//!        @old != 0 bra LOOP            one lane has the lock and waits here for the others,
//!        …                             who wait for
//!        st.release [lock], 0          this
//! ```
//!
//! [`detect()`] finds loops of which that cannot be excluded (Algorithm 1), and the points where their lanes may meet instead (Algorithm 2);
//! [`eliminate()`] leads the lanes that go round such a loop to that point first (Algorithm 3). It assumes what the paper does: the kernel ends under every fair schedule of its threads, and barriers stand where all threads of the CTA
//! come together.
//!
//! # The parts
//!
//! Detection:
//!
//! - `cycle.rs`: loops, also irreducible ones, and where the lanes that leave them reconverge. `nested.rs`: loops that lanes wait in together with a loop around them.
//! - `slice.rs`: what the exit of a loop depends on. `meeting.rs`: which branches select the value that a register has where control flow joins. `moves.rs`: loads and stores that are moves between registers.
//! - `learning.rs`: whether a loop can see what other threads write. `accesses.rs`: accesses that other threads can see. `memory.rs`: which of them may be to the same place. `own_memory/`: the kernel with
//!   the local memory of a thread in registers.
//! - `waiting.rs`: the writes that a loop waits for. `relay.rs`: the writes that these wait for. `lock_free/`: loops that wait for no other thread. `alone.rs`, `chain.rs`: waits that a single lane, or a
//!   chain of CTAs, cannot block.
//! - `blocked.rs`: writes that cannot be executed while a lane is in the loop. `safe.rs`: where its lanes can reconverge. `reach.rs`: reachability, for both.
//! - `both_ways.rs`, `recursion.rs`: waits that are not loops. `lockstep.rs`: atomic updates that need lanes in lockstep.
//! - `context.rs`: facts of the module: what calls that stay may do, and what the target has.
//!
//! Rewriting:
//!
//! - `treat.rs`: a kernel with the functions that it calls; most callers want this. `inline/`: calls replaced by bodies. `refusal.rs`: why a kernel stays as it is.
//! - `eliminate.rs`: the rewrite. `section.rs`: which loops share a switch. `gates.rs`: the order in which lanes pass a section. `silent.rs`: whether one order is enough. `turn.rs`: how lanes draw another
//!   order otherwise. `write.rs`: the text. `dispatch.rs`: one dispatch for all loops, if sections fail.
//! - `delayed.rs`: reconvergence points for a machine that can delay them.
//!
//! Checking:
//!
//! - `verify/`: the checker, which derives from the two texts that each thread does what it did, and does not know the rewriter. `certificate/`: its result, as data.
//!
//! # What keeps false findings away
//!
//! - Whole warps that leave a loop in the same iteration, by the result of a vote for example: nobody waits for anybody.
//! - Loops that read nothing but weakly, and so cannot learn of what others do meanwhile, unless they spin (`learning.rs`).
//! - Lock-free loops: a lane alone leaves them, and who stays has changed nothing (`lock_free/`). Where that is not proved, a lane that is seen to move on alone is
//!   assumed to leave (`lock_free/moving.rs`), and the assumption is part of what was found ([`Assumption`]).
//! - Places that cannot be the same: other variables, other state spaces, other constant offsets of one pointer.
//! - Loads through the read-only path, which promise that nobody writes there.
//! - What stands behind a barrier of the CTA or of the whole warp, and branches that no warp parts at.
//! - Loops and writes that one lane of a warp alone comes to, always the same one (`alone.rs`).
//! - What CTAs pass on to the next one, or the one before, in a chain (`chain.rs`).

mod accesses;
mod alone;
mod blocked;
mod both_ways;
mod certificate;
mod chain;
mod context;
mod cycle;
mod delayed;
mod detect;
mod dispatch;
mod eliminate;
mod gates;
mod inline;
mod learning;
mod lock_free;
mod lockstep;
mod meeting;
mod memory;
mod moves;
mod nested;
mod own_memory;
mod reach;
mod recursion;
mod refusal;
mod relay;
mod safe;
mod section;
mod silent;
mod slice;
mod treat;
mod turn;
mod verify;
mod waiting;
mod write;

pub use certificate::{
    AddedRegister, BlockMatch, BlockRef, Certificate, Constant, EdgeRef, Fairness, Kept, LedEdge, Others,
    RewrittenLoop, Rounds, Unchanged,
};
pub use delayed::{Meeting, NoMeeting, meetings, meetings_among};
pub use detect::{Assumption, At, BothWays, Finding, Recursion, SafePoint, Write, detect};
pub use eliminate::{Outcome, dispatch, eliminate};
pub use inline::{Inlined, KeptCall, inline_calls, inlined, why_called};
pub use lockstep::{Lockstep, lockstep};
pub use refusal::Refusal;
pub use treat::{
    Done, Found, Linked, SeenByCallers, Treated, compared, find, find_among, kept_functions, treat, treat_among,
};
pub use verify::{Decision, Mismatch, Part, Place, Reason, certify, same_outside, verify};
