//! Rewritten random kernels that are tampered with: the checker of `ssde-ptx` accepts none of them that does anything else.
use analysis::Cfg;
use emulator::Machine;
use ptx_parser::Module;
use rayon::prelude::*;
use ssde_ptx::certify;
use tests::generate::Random;
use tests::synchronise::{Ssde, Tampered, Treatment, kernel, leaves, results, tamper};

/// How many seeds are tried, and how often each kernel that is rewritten is tampered with.
const SEEDS: u64 = 250;
const TIMES: usize = 40;

/// Whether a thread may come to the line that was tampered with; lines of the text are those of the module.
fn is_come_to(module: &Module, line: u32) -> bool {
    let kernel = &module.kernels()[0];
    let cfg = Cfg::of(kernel);
    let mut insts = cfg.blocks().filter(|&block| cfg.is_reachable(block)).flat_map(|block| cfg.insts(block));
    insts.any(|&inst| kernel.text_position(inst).is_some_and(|at| at.line == line))
}

/// The line that a description names.
fn line(tampered: &Tampered) -> u32 {
    tampered.what.trim_start_matches("line ").split(':').next().unwrap().parse().unwrap()
}

/// Kernels that were rewritten, rewrites that were tampered with, and those of them that the checker accepted.
#[derive(Clone, Copy, Default)]
struct Count {
    kernels: usize,
    tried: usize,
    accepted: usize,
}

impl Count {
    fn and(self, other: Count) -> Count {
        Count {
            kernels: self.kernels + other.kernels,
            tried: self.tried + other.tried,
            accepted: self.accepted + other.accepted,
        }
    }
}

/// Rewrites the kernel of a seed, tampers with it many times, and fails where the checker accepts what does something else.
fn tampered_with(seed: u64) -> Count {
    let mut count = Count::default();
    let kernel = kernel(seed);
    let before = Module::parse(&kernel.ptx).unwrap();
    let mut after = before.clone();
    if Ssde.rewrite(&mut after).is_err() || !after.kernels()[0].is_edited() {
        return count;
    }
    count.kernels = 1;
    let text = after.to_string();
    let whole = Module::parse(&text).unwrap();
    let expected = results(&kernel, &before, Machine::Mimd).unwrap();
    let mut random = Random::new(seed);
    for tampered in (0..TIMES).filter_map(|_| tamper(&text, "%ssde", &mut random)) {
        count.tried += 1;
        let other = Module::parse(&tampered.text).unwrap();
        if certify(&before.kernels()[0], &other.kernels()[0]).is_err() {
            continue;
        }
        // What is accepted must be the same after all. Of what memory and registers see, nothing may be missing, more or changed,
        // unless nobody comes to it. Of what only finds the way, there are many that lead to the same places: a number that is only
        // compared with 0, a branch to where another branch leads, a register that is set again before anybody asks. The launch
        // shows that they do.
        count.accepted += 1;
        let Tampered { what, seen, .. } = &tampered;
        assert!(!seen || !is_come_to(&whole, line(&tampered)), "seed {seed}: {what}\n{text}");
        if let Err(found) = leaves(&kernel, &other, &expected) {
            panic!("seed {seed}: accepted, but {found}: {what}\n{text}");
        }
    }
    count
}

#[test]
fn what_is_tampered_with_is_noticed() {
    let counts = (0..SEEDS).into_par_iter().map(tampered_with);
    let Count { kernels, tried, accepted } = counts.reduce(Count::default, Count::and);
    eprintln!("{kernels} kernels, tampered with {tried} times; {accepted} of them led to the same places");
    assert!(kernels >= 10 && tried > 20 * kernels && accepted * 4 < tried, "{kernels} {tried} {accepted}");
}
