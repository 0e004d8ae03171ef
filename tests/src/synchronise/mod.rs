//! Random kernels whose threads wait for each other, as PTX text, which end on every machine that treats threads
//! fairly.
//!
//! They have spin locks (one, several, taken in order), tickets, turns, flags, chains of flags, counters that are
//! waited for, and barriers, in nested and unstructured control flow: divergent `if`s and loops around and in critical
//! sections, locks given back in the loop that takes them, which a reconvergence stack can run, or behind it, which it
//! often cannot; waits in nested loops, loops with several exits, loops that are entered in two places, switches, waits
//! through selects, predicates and all kinds of memory, locks that are taken by functions, shared memory under two names, values that a thread passes on,
//! reads that are weak, and loops that wait for nobody. Some have checks that trap, parts of warps that come together,
//! barriers that count threads, and functions that call themselves (`newer_constructs.rs`).
//!
//! # Why they end
//!
//! Give every place of the kernel a *position*: the iterations of the loops around it, then where its text was made; a
//! thread comes to places in ascending order of positions, and loops of work have a number of iterations that is known.
//! So a thread could only stay for ever at a place where it waits. What it waits for is one of these.
//!
//! - A signal of a thread that comes to an earlier position (`context::Context::who` says who does).
//! - A signal of a thread that comes to the same position and has a lower rank there: chains and turns. Nothing that
//!   signals stands in a critical section, so the same position is not nested in what the thread holds.
//! - A lock that belongs to this position alone, a ticket lock among them. Who holds it waits for nothing in the
//!   meantime but for signals of earlier positions, and for locks of inner positions and of banks.
//! - A lock of a bank. Who holds it waits for nothing but locks of higher banks; two locks of one bank are taken in
//!   ascending order, or the first is given back when the second is not to be had.
//! - What threads of the other block do at the end of the kernel who wait for nothing there, in half of the kernels of two blocks
//!   with an odd seed; in the other half, what a thread of the other block copies from such threads (`relay.rs`).
//! - In a loop that waits for nobody (`lock_free.rs`): nothing. Somebody fails there only where somebody else has succeeded.
//! - A barrier, to which all threads of the block come as often as each other, holding nothing: it waits for threads
//!   that have not come to this position yet, and so for nothing but earlier ones.
//!
//! Take the earliest position at which a thread waits for ever, and the thread of the lowest rank there. Nobody is held up
//! before, so signals of earlier positions come, also to those in critical sections. Who holds a lock of a bank waits at
//! most for a higher one, and the holder of the highest for none: locks of banks are given back. Who holds a lock of an
//! inner position that encloses no other goes on, therefore, and so does, from the inside out, everybody who holds one.
//! None of these, then, is what is waited for. A lock that others take again and again is not waited for for ever, since
//! each of them takes it a known number of times.
//!
//! # Why memory does not depend on the order
//!
//! What a lock protects is only added to, or combined by another operation whose order does not matter, with a number
//! that follows from what the thread has computed. That follows from its own number, the input, and what was sent along
//! with signals; in a turn the order is fixed. Everything else that is written belongs to one thread.
//!
//! Everything follows from a seed. [`check()`] runs a kernel on all machines.

mod calls;
mod check;
mod context;
mod control;
mod counting_spins;
mod cross_block;
mod kernel_builder;
mod lock_free;
mod locks;
mod memory;
mod newer_constructs;
mod relay;
mod signals;
mod spin;
mod ssde;
mod state_in_memory;
mod tamper;
mod unchanged_state;

use std::collections::BTreeSet;

pub use check::{OnStack, Treated, Treatment, Tried, check, leaves, results};

pub use ssde::{Dispatch, Ssde};
pub use tamper::{Tampered, tamper};

use crate::generate::Random;

/// The word that is 1 from the beginning: what threads wait for that need not wait.
const ALWAYS: u32 = 0;
/// The word that stays 0.
const NEVER: u32 = 1;
/// The first word that locks and flags may have.
const FIRST_FREE: u32 = 2;

/// A generated kernel and what it needs to run.
#[derive(Clone, Debug)]
pub struct Synchronised {
    /// A whole module with one kernel named `k`, which takes the addresses of `sync`, `data`, `plan` and `input`.
    pub ptx: String,
    /// The seed that it came from.
    pub seed: u64,
    /// Threads of a block, in one dimension.
    pub block: u32,
    /// Blocks.
    pub grid: u32,
    /// Locks, flags and counters, as they are before the launch.
    pub sync: Vec<u32>,
    /// The number of words of results; all are 0 before the launch. They are what must not depend on the order of
    /// threads.
    pub data_words: u32,
    /// Bytes of dynamic shared memory.
    pub dynamic_bytes: u32,
    /// The tables that the kernel reads: they name the threads that wait for each other.
    pub plan: Vec<u32>,
    /// Numbers that branches depend on.
    pub input: Vec<u32>,
    /// The constructs in it, in words.
    pub kinds: BTreeSet<&'static str>,
}

impl Synchronised {
    /// Returns what the buffers hold before the launch, in the order of the parameters; the second one is for the results.
    #[must_use]
    pub fn buffers(&self) -> [(&'static str, Vec<u32>); 4] {
        [
            ("sync", self.sync.clone()),
            ("data", vec![0; self.data_words as usize]),
            // A table of nobody still has an address.
            ("plan", [self.plan.as_slice(), &[0; 4]].concat()),
            ("input", self.input.clone()),
        ]
    }
}

/// Makes the kernel of a seed.
#[must_use]
pub fn kernel(seed: u64) -> Synchronised {
    let mut random = Random::new(seed ^ 0x10c4_ed5e);
    let block = *random.pick(&[2, 31, 32, 32, 33, 48, 64, 64, 96]);
    let grid = 1 + random.below(2);
    let input: Vec<u32> = (0..context::INPUT).map(|_| random.next() as u32).collect();
    let mut kernel = kernel_builder::Kernel::new(&mut random, block, grid, input.clone());
    // Each fourth kernel has what newer code has.
    kernel.newer = seed % 4 == 3;
    let end = match (grid, seed % 4) {
        (2, 1) => kernel_builder::End::Across,
        (2, 3) => kernel_builder::End::Relay,
        _ => kernel_builder::End::Plain,
    };
    let ptx = kernel.module(end);
    let mut sync = vec![0; kernel.sync_words as usize];
    sync[ALWAYS as usize] = 1;
    let (data_words, plan, kinds) = (kernel.data_words, kernel.plan_words, kernel.kinds);
    let dynamic_bytes = if kernel.two_views { 4 * kernel.shared_words } else { 0 };
    Synchronised { ptx, seed, block, grid, sync, data_words, dynamic_bytes, plan, input, kinds }
}
