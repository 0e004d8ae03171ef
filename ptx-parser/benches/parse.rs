//! How fast texts are read and printed, in MB/s: `cargo bench -p ptx-parser`.
//!
//! The input is the samples of the tests one behind the other, over and over, about 20 MB. Each figure is the best of five runs, which
//! is the one that other programs disturbed least.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use ptx_parser::{Module, StmtKind};

const SIZE: usize = 20_000_000;
const RUNS: usize = 5;

/// The samples in order, repeated until they have `SIZE` bytes.
fn input() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let samples: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).unwrap() + "\n").collect();
    let mut text = String::with_capacity(SIZE + (1 << 20));
    while text.len() < SIZE {
        samples.iter().for_each(|sample| text.push_str(sample));
    }
    text
}

fn report(what: &str, bytes: usize, mut run: impl FnMut()) {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{what:<28} {:>8.1} MB/s", bytes as f64 / 1e6 / best);
}

fn main() {
    let text = input();
    let module = Module::parse(&text).unwrap();
    let insts = module.kernels().iter().flat_map(|kernel| kernel.stmts());
    let insts = insts.filter(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).count();
    println!("{:.1} MB, {} kernels, {insts} instructions", text.len() as f64 / 1e6, module.kernels().len());
    report("parse", text.len(), || drop(black_box(Module::parse(black_box(&text)).unwrap())));
    report("print, nothing edited", text.len(), || drop(black_box(module.to_string())));
    let mut edited = module.clone();
    for kernel in edited.kernels_mut() {
        kernel.new_reg("extra", ptx_parser::Type::B32);
    }
    report("print, a register each", text.len(), || drop(black_box(edited.to_string())));
    let mut canonical = String::new();
    report("print every instruction", text.len(), || {
        canonical.clear();
        for kernel in module.kernels() {
            for stmt in kernel.stmts() {
                if let StmtKind::Inst(inst) = stmt.kind {
                    kernel.write_inst(&mut canonical, inst).unwrap();
                    canonical.write_char('\n').unwrap();
                }
            }
        }
        black_box(&canonical);
    });
}
