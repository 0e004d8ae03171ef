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
//! - `cycle.rs`: loops, irreducible ones too, and where the lanes that leave them meet. `nested.rs`: loops that lanes wait in together with one around them.
//! - `slice.rs`: what the exit of a loop depends on. `meeting.rs`: which branches decide what a register is where ways meet. `learning.rs`: where a loop can learn of others. `accesses.rs`: what reads and writes what others see.
//!   `memory.rs`: what may be the same place.
//! - `waiting.rs`: which writes a loop depends on. `relay.rs`: what those depend on in loops. `lock_free/`: loops that wait for nobody. `blocked.rs`: what cannot be executed while a lane is in the loop. `safe.rs`: where
//!   its lanes may meet. `reach.rs`: what leads to what, for both.
//! - `eliminate.rs`: the rewrite. `section.rs`: which loops go round together. `gates.rs`: in which order
//!   lanes pass through that. `silent.rs`: where one order does. `turn.rs`: how lanes draw another one elsewhere. `write.rs`: the text. `dispatch.rs`: one dispatch for all loops, where that does not do.
//! - `context.rs`: what is asked of the module: what calls do that stay, and what the target has.
//! - `delayed.rs`: the same points for a machine that can delay reconvergence.
//! - `certificate/`: what a rewrite did, as data. `verify/`: the checker, which derives it from the two texts and knows nothing of the rewrite.
//! - `inline`: calls replaced by bodies. `treat.rs`: a kernel with the functions that it calls, which is what most callers want.
//! - `lockstep.rs`: atomic updates that need lanes in lockstep, which no rewrite makes right.
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
