//! Kernels of 100,000 instructions and of unusual shape are analysed without deep recursion and in reasonable time.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::time::{Duration, Instant};

use analysis::Analyses;
use ptx_parser::Module;

/// Runs all analyses of a body; fails if that takes many times as long as it does on an ordinary machine.
fn analyse(name: &str, body: &str) -> Analyses {
    let registers =
        "  .reg .b32 %r<9>;\n  .reg .pred %p<9>;\n  mov.u32 %r1, %tid.x;\n  mov.u32 %r2, 0;\n  mov.u32 %r3, 0;\n";
    let head = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n";
    let module = Module::parse(&format!("{head}{registers}{body}  ret;\n}}\n")).unwrap();
    let start = Instant::now();
    let all = Analyses::of(&module.kernels()[0]);
    let took = start.elapsed();
    println!("{name}: {} instructions, {} blocks: {took:?}", module.kernels()[0].inst_count(), all.cfg.block_count());
    assert!(took < Duration::from_secs(60), "{name} took {took:?}");
    all
}

fn repeat(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

const TEST: &str = "  setp.lt.u32 %p1, %r2, %r1;\n";

#[test]
fn many_ifs_in_a_row() {
    let part = |i| format!("{TEST}  @%p1 bra J{i};\n  add.u32 %r3, %r3, 1;\nJ{i}:\n  add.u32 %r2, %r2, %r3;\n");
    let all = analyse("ifs in a row", &repeat(25_000, part));
    assert_eq!(all.cfg.blocks().filter(|&block| all.divergence.is_whole_warp(block)).count(), 25_001);
}

#[test]
fn many_divergent_loops_in_a_row() {
    let part = |i| {
        format!("  mov.u32 %r2, 0;\nL{i}:\n  add.u32 %r2, %r2, 1;\n{TEST}  @%p1 bra L{i};\n  add.u32 %r3, %r3, %r2;\n")
    };
    let all = analyse("loops in a row", &repeat(20_000, part));
    assert!(all.loops.iter().all(|id| all.divergence.is_left_apart(id)));
}

#[test]
fn many_early_returns() {
    let part = |_| format!("  add.u32 %r2, %r2, 1;\n{TEST}  @%p1 ret;\n");
    let all = analyse("early returns", &repeat(33_000, part));
    assert_eq!(all.cfg.blocks().filter(|&block| all.divergence.is_whole_warp(block)).count(), 1);
}

#[test]
fn deeply_nested_ifs() {
    let open = |i| format!("  add.u32 %r2, %r2, 1;\n{TEST}  @%p1 bra J{i};\n");
    let close = |i: usize| format!("J{}:\n  add.u32 %r3, %r3, 1;\n", 1_999 - i);
    let all = analyse("nested ifs", &(repeat(2_000, open) + &repeat(2_000, close)));
    assert!(!all.divergence.block_is_divergent(all.cfg.entry()));
}

#[test]
fn deeply_nested_loops() {
    let open = |i| format!("L{i}:\n  add.u32 %r2, %r2, 1;\n");
    let close = |i: usize| format!("  setp.lt.u32 %p1, %r2, 9;\n  @%p1 bra L{};\n", 499 - i);
    let all = analyse("nested loops", &(repeat(500, open) + &repeat(500, close)));
    assert_eq!(all.loops.iter().map(|id| all.loops.depth(id)).max(), Some(500));
}

#[test]
fn one_long_block() {
    let all = analyse("one block", &repeat(100_000, |i| format!("  add.u32 %r{}, %r2, {i};\n", 3 + i % 4)));
    assert_eq!(all.cfg.block_count(), 1);
}

#[test]
fn a_chain_longer_than_any_call_stack() {
    let all = analyse("chain", &repeat(100_000, |i| format!("  bra B{i};\nB{i}:\n")));
    assert_eq!(all.cfg.reverse_postorder().len(), 100_001);
}
