//! Random kernels: original and rewritten leave the same memory on every machine, and ptxas takes what the rewriter makes.
//!
//! `cargo run --release -p tests --example random_kernels -- 10000` tries as many as one likes.
use rayon::prelude::*;
use tests::differential::{Verdict, check, rewritten_text};
use tests::generate::{LocalUse, kernel};
use tests::saved::toolkit;

/// How many seeds a test run tries.
const SEEDS: u64 = 480;

/// Seeds that tell when a path in another one is collected from what that one's lane does not have, when a path stays left out that made way
/// for one that turned out to be impossible, and when the block where all ways meet, or the one where a region ends, is merged into the one
/// where lanes part, and lanes that come to it otherwise are lost.
const TELLING: [u64; 5] = [694, 992, 9_002_637, 88_093, 88_106];

#[test]
fn rewritten_kernels_leave_the_same_memory() {
    let (mut refused, mut several, mut folds, mut splits, mut steps, mut nested) = (0, 0, 0, 0, 0, 0);
    let (mut plain, mut compressed) = (0, 0);
    // Paths that are refused for an address of local memory that was stored, by what kernels do with local memory.
    let mut escaped = [0; 3];
    let seeds: Vec<u64> = (0..SEEDS).chain(TELLING).collect();
    let checked = seeds.into_par_iter().map(|seed| {
        let generated = kernel(seed);
        let verdict = check(&generated);
        (seed, generated, verdict)
    });
    for (seed, generated, verdict) in checked.collect::<Vec<_>>() {
        let reasons = match &verdict {
            Ok(Verdict::Agrees { refused, .. }) => refused.as_slice(),
            Ok(Verdict::Refused(reason)) => std::slice::from_ref(reason),
            Err(_) => &[],
        };
        if let Some(usage) = generated.local {
            escaped[usage as usize] += reasons.iter().filter(|reason| reason.contains("local memory")).count();
        }
        match verdict {
            Ok(Verdict::Agrees { rewritten, refused, reduced, shared, plain: without, compressed: with, .. }) => {
                folds += reduced;
                splits += shared;
                several += u64::from(rewritten > 1);
                steps += u64::from(refused.is_empty() && generated.ptx.contains("step_end"));
                nested += u64::from(refused.is_empty() && has_nested(&generated.ptx));
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
    assert!(splits > 30, "the tasks of only {splits} regions were shared in {SEEDS} kernels");
    assert!(steps * 5 > SEEDS, "only {steps} of {SEEDS} kernels had all their loops run in steps");
    assert!(nested * 20 > SEEDS, "only {nested} of {SEEDS} kernels had paths in paths collected");
    let [kept, stored, read] = [LocalUse::Kept, LocalUse::Stored, LocalUse::Read].map(|usage| escaped[usage as usize]);
    assert!(read > 10, "only {read} paths that read through a stored address of local memory were refused");
    assert_eq!((kept, stored), (0, 0), "paths that use addresses of buffers alone were refused");
    // So must most contexts be compressed.
    assert!(compressed * 10 < plain * 9, "contexts of {plain} bytes are {compressed} bytes when compressed");
}

/// Whether a marked path begins before another one has ended.
fn has_nested(ptx: &str) -> bool {
    let mut open = 0;
    ptx.lines().filter_map(|line| line.trim().strip_prefix("//#CCC ")).any(|marker| {
        match marker.split(' ').next() {
            Some("if_begin" | "step_begin" | "recursive_begin") => open += 1,
            Some("if_end" | "step_end") => open -= 1,
            _ => {}
        }
        open > 1
    })
}

/// Their source positions too: every fourth kernel has some.
#[test]
fn ptxas_takes_what_the_rewriter_makes() {
    let toolkit = toolkit().unwrap();
    let assembled = (0..60_u64).into_par_iter().map(|seed| {
        let generated = kernel(seed);
        if !generated.ptx.contains("inlined_at") {
            return 0;
        }
        let Some(text) = rewritten_text(&generated).unwrap() else { return 0 };
        toolkit.assemble(&generated.ptx, "sm_90", "the generated kernel").unwrap();
        if let Err(error) = toolkit.assemble(&text, "sm_90", "the rewritten kernel") {
            panic!("seed {seed}: {error}\n{text}");
        }
        1
    });
    let assembled: u32 = assembled.sum();
    assert!(assembled > 8, "only {assembled} kernels were assembled");
}

#[test]
fn the_same_seed_gives_the_same_kernel() {
    for seed in 0..20 {
        assert_eq!(kernel(seed).ptx, kernel(seed).ptx);
    }
}

/// Paths in which two instructions write a register together, or that have a loop that never ends.
#[test]
fn paths_with_complementary_guards_and_endless_loops_are_collected() {
    let mut collected = [0; 2];
    for seed in (0..SEEDS).filter(|seed| matches!(seed % 9, 4 | 7)) {
        let generated = kernel(seed);
        let verdict = rewritten_text(&generated);
        collected[usize::from(seed % 9 == 7)] += u32::from(verdict.unwrap().is_some());
    }
    // Of 53 each; some are refused for other reasons.
    assert!(collected[0] > 44 && collected[1] > 48, "{collected:?}");
}
