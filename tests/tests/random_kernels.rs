//! Random kernels: original and rewritten leave the same memory on every machine, and ptxas takes what the rewriter makes.
//!
//! `cargo run --release -p tests --example random_kernels -- 10000` tries as many as one likes.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use tests::differential::{Verdict, check};
use tests::generate::kernel;

/// How many seeds a test run tries.
const SEEDS: u64 = 400;

#[test]
fn rewritten_kernels_leave_the_same_memory() {
    let (mut refused, mut several, mut folds) = (0, 0, 0);
    let (mut plain, mut compressed) = (0, 0);
    for seed in 0..SEEDS {
        let generated = kernel(seed);
        match check(&generated) {
            Ok(Verdict::Agrees { rewritten, reduced, plain: without, compressed: with, .. }) => {
                folds += reduced;
                several += u64::from(rewritten > 1);
                plain += without;
                compressed += with;
            }
            Ok(Verdict::Refused(_)) => refused += 1,
            Err(what) => panic!("seed {seed}: {what}\n{}", generated.ptx),
        }
    }
    // Most kernels must be rewritten, or the test would say nothing.
    assert!(refused * 5 < SEEDS, "{refused} of {SEEDS} kernels were refused");
    assert!(several * 4 > SEEDS, "only {several} of {SEEDS} kernels had several regions collected");
    assert!(folds > 100, "only {folds} accumulators were reduced in {SEEDS} kernels");
    // So must most contexts be compressed.
    assert!(compressed * 10 < plain * 9, "contexts of {plain} bytes are {compressed} bytes when compressed");
}

#[test]
fn the_same_seed_gives_the_same_kernel() {
    for seed in 0..20 {
        assert_eq!(kernel(seed).ptx, kernel(seed).ptx);
    }
}
