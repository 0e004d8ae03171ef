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
//! - `driver.rs`: a kernel with the functions that it calls; most callers want this. It uses the rest in this order:
//! - `call_targets.rs`: which functions a kernel may call. `inline/`: calls replaced by bodies. `moves.rs`: loads and stores as moves between registers, for the inliner and for detection.
//! - `detect/`: finds the loops; the head of `detect/mod.rs` lists its steps.
//! - `rewrite/`: leads lanes to the points where they meet. `section.rs`: which loops share a switch. `gates.rs`: the order in which lanes pass a section. `order_dependence.rs`: whether one order is enough; `backoff.rs`:
//!   how lanes draw another order otherwise. `emit.rs`: the code. `dispatch.rs`: one dispatch for all loops, if sections fail. `refusal.rs`: why a kernel stays as it is.
//! - `verify/`: the checker, which derives from the two texts that each thread does what it did, and does not know the rewriter. `certificate/`: its result, as data.
//! - `delayed_points.rs`: reconvergence points for a machine that can delay them.
//!
//! # What keeps false findings away
//!
//! - Whole warps that leave a loop in the same iteration, by the result of a vote for example: nobody waits for anybody.
//! - Loops that read nothing but weakly, and so cannot learn of what others do meanwhile, unless they spin (`detect/spin_loops.rs`).
//! - Lock-free loops: a lane alone leaves them, and who stays has changed nothing (`detect/lock_free/`). Where that is not proved, a lane that is seen to move on alone is
//!   assumed to leave (`detect/lock_free/progress/`), and the assumption is part of what was found ([`Assumption`]).
//! - Places that cannot be the same: other variables, other state spaces, other constant offsets of one pointer.
//! - Loads through the read-only path, which promise that nobody writes there.
//! - What stands behind a barrier of the CTA or of the whole warp, and branches that no warp parts at.
//! - Loops and writes that one lane of a warp alone comes to, always the same one (`detect/single_lane.rs`).
//! - What CTAs pass on to the next one, or the one before, in a chain (`detect/cta_chain.rs`).

mod call_targets;
mod certificate;
mod delayed_points;
mod detect;
mod driver;
mod inline;
mod moves;
mod rewrite;
mod verify;

pub use certificate::{
    AddedRegister, BlockMatch, BlockRef, Certificate, Constant, EdgeRef, Fairness, Kept, LedEdge, Others,
    RewrittenLoop, Rounds, Unchanged,
};
pub use delayed_points::{Meeting, NoMeeting, meetings, meetings_among};
pub use detect::detect;
pub use detect::finding::{Assumption, At, BothWays, Finding, Recursion, SafePoint, Write};
pub use detect::lockstep_updates::{Lockstep, lockstep};
pub use driver::{
    Done, Found, Linked, SeenByCallers, Treated, compared, find, find_among, kept_functions, treat, treat_among,
};
pub use inline::{Inlined, KeptCall, inline_calls, inlined, why_called};
pub use rewrite::refusal::Refusal;
pub use rewrite::{Outcome, dispatch, eliminate};
pub use verify::{Decision, Mismatch, Part, ProgramPoint, Reason, certify, same_outside, verify};
