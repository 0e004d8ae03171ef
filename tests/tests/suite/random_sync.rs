//! Random kernels whose threads wait for each other: they end on every fair machine with one memory, on the stack many
//! deadlock, and ptxas takes them.
//!
//! `cargo run --release -p tests --example random_sync -- 10000` tries as many as one likes.
use std::collections::{BTreeMap, BTreeSet};

use emulator::{Branch, Reconvergence};
use ptx_parser::Module;
use rayon::prelude::*;
use tests::saved::toolkit;
use tests::synchronise::{Dispatch, OnStack, Ssde, Synchronised, Treatment, check, kernel};

/// How many seeds a test run tries; every third one also with one dispatch for all loops.
const SEEDS: u64 = 200;

#[test]
fn they_end_on_fair_machines() {
    let mut finished = 0;
    let mut constructs: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    let tried = (0..SEEDS).into_par_iter().map(|seed| {
        let kernel = kernel(seed);
        let treatments: &[&dyn Treatment] = if seed % 3 == 1 { &[&Ssde, &Dispatch] } else { &[&Ssde] };
        match check(&kernel, treatments) {
            Ok(tried) => (kernel, tried.on_stack == OnStack::Finished),
            Err(what) => panic!("seed {seed}: {what}\n{}", kernel.ptx),
        }
    });
    for (kernel, ends) in tried.collect::<Vec<_>>() {
        finished += u64::from(ends);
        for kind in kernel.kinds {
            constructs.entry(kind).or_default()[usize::from(ends)] += 1;
        }
    }
    assert!(finished * 3 > SEEDS && (SEEDS - finished) * 3 > SEEDS, "{finished} of {SEEDS} end on the stack");
    // Every construct is in kernels of both kinds, or its presence would say how a kernel ends. Of some, such as those that give a lock back behind a loop, few end, so that none of these
    // may be among so few; nor may one among fewer than ten.
    assert_eq!(constructs.len(), 77, "{constructs:?}");
    assert!(constructs.values().all(|counts| counts[0] > 0), "{constructs:?}");
    let seldom = [
        "release behind the loop",
        "spin in a function",
        "spin of a whole warp",
        "spin that the end of the kernel is an exit of",
    ];
    constructs.retain(|kind, counts| !seldom.contains(kind) && counts[0] + counts[1] >= 10);
    assert!(constructs.len() > 60, "{constructs:?}");
    assert!(constructs.values().all(|counts| counts[1] > 0), "{constructs:?}");
}

#[test]
fn the_same_seed_gives_the_same_kernel() {
    for seed in 0..20 {
        assert_eq!(kernel(seed).ptx, kernel(seed).ptx);
    }
}

#[test]
fn ptxas_takes_every_construct() {
    let toolkit = toolkit().unwrap();
    let mut constructs = BTreeSet::new();
    let mut kernels = Vec::new();
    for kernel in (0..400).map(kernel) {
        if !kernel.kinds.is_subset(&constructs) {
            constructs.extend(&kernel.kinds);
            kernels.push(kernel);
        }
    }
    assert!(constructs.len() >= 70, "{} constructs", constructs.len());
    kernels.par_iter().for_each(|kernel| {
        let mut rewritten = Module::parse(&kernel.ptx).unwrap();
        Ssde.rewrite(&mut rewritten).unwrap();
        for text in [&kernel.ptx, &rewritten.to_string()] {
            if let Err(error) = toolkit.assemble(text, "sm_90", "random.ptx") {
                panic!("seed {}: {error}\n{text}", kernel.seed);
            }
        }
    });
}

/// A kernel of one's own, of 64 threads: `%rd1` is the address of flags and locks, `%rd2` that of results, `%r1` the
/// thread's number.
fn own(body: &str) -> Synchronised {
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 sync, .param .u64 data, .param .u64 plan, .param .u64 input)\n{{\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<20>;\n\
         ld.param.u64 %rd1, [sync];\nld.param.u64 %rd2, [data];\nmov.u32 %r1, %tid.x;\n{body}}}\n"
    );
    let (sync, plan, input) = (vec![0; 4], Vec::new(), Vec::new());
    Synchronised {
        ptx,
        seed: 0,
        block: 64,
        grid: 1,
        sync,
        data_words: 1,
        dynamic_bytes: 0,
        plan,
        input,
        kinds: BTreeSet::new(),
    }
}

#[test]
fn locks_in_opposite_orders_are_noticed() {
    let two_locks = |first: &str, second: &str| {
        own(&format!(
            "and.b32 %r2, %r1, 1;
             mul.wide.u32 %rd3, %r2, 4;
             add.s64 %rd4, %rd1, %rd3;
             xor.b32 %r3, %r2, 1;
             mul.wide.u32 %rd5, %r3, 4;
             add.s64 %rd6, %rd1, %rd5;
             mov.u32 %r9, 0;
             AGAIN:
             A: atom.global.cas.b32 %r4, [{first}], 0, 1;
             setp.ne.u32 %p1, %r4, 0;
             @%p1 bra A;
             B: atom.global.cas.b32 %r4, [{second}], 0, 1;
             setp.ne.u32 %p1, %r4, 0;
             @%p1 bra B;
             red.global.add.u32 [%rd2], 1;
             atom.global.exch.b32 %r4, [{second}], 0;
             atom.global.exch.b32 %r4, [{first}], 0;
             add.u32 %r9, %r9, 1;
             setp.lt.u32 %p1, %r9, 20;
             @%p1 bra AGAIN;
             ret;\n"
        ))
    };
    assert_eq!(check(&two_locks("%rd1", "%rd1+4"), &[]).unwrap().on_stack, OnStack::Deadlock);
    // Odd threads take the second one first.
    let what = check(&two_locks("%rd4", "%rd6"), &[]).unwrap_err();
    assert!(what.starts_with("mimd with seed") && what.contains("repeat"), "{what}");
}

#[test]
fn a_result_that_depends_on_the_order_is_noticed() {
    let last_one_wins = "LOOP: add.u32 %r2, %r2, 1;
        setp.lt.u32 %p1, %r2, %r1;
        @%p1 bra LOOP;
        st.global.u32 [%rd2], %r1;
        ret;\n";
    let what = check(&own(&format!("mov.u32 %r2, 0;\n{last_one_wins}")), &[]).unwrap_err();
    assert!(what.contains("word 0 of the results"), "{what}");
}

/// Says of every kernel the same, and changes nothing or every register's name.
struct Blind {
    detects: bool,
    renames: bool,
}

impl Treatment for Blind {
    fn name(&self) -> &'static str {
        "blind"
    }

    fn detects(&self, module: &Module) -> bool {
        self.detects && !module.to_string().contains("%again")
    }

    fn rewrite(&self, module: &mut Module) -> Result<(), String> {
        if self.renames {
            *module = Module::parse(&module.to_string().replace("%r", "%again")).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}

#[test]
fn a_treatment_is_held_to_what_it_says() {
    let deadlocks = own("A: atom.global.cas.b32 %r4, [%rd1], 0, 1;
         setp.ne.u32 %p1, %r4, 0;
         @%p1 bra A;
         atom.global.exch.b32 %r4, [%rd1], 0;
         ret;\n");
    let ends = own("red.global.add.u32 [%rd2], 1;\nret;\n");
    let said = |kernel: &Synchronised, detects, renames| match check(kernel, &[&Blind { detects, renames }]) {
        Ok(tried) => format!("{:?}", tried.treated),
        Err(what) => what.lines().next().unwrap().to_owned(),
    };
    assert_eq!(said(&deadlocks, false, false), "blind: what does not end on the stack was not detected");
    assert_eq!(said(&deadlocks, true, false), "blind: something is detected after the rewrite");
    assert!(said(&deadlocks, true, true).starts_with("blind: stack with seed 0: SIMT-induced deadlock"));
    assert_eq!(said(&ends, false, true), "blind: nothing was detected, or it was refused, and the text changed");
    assert_eq!(said(&ends, false, false), "[Clean]");
    assert_eq!(said(&ends, true, true), "[Rewritten]");
}

/// Detects nothing, and has the lanes of the loop at `A` meet at a label.
struct Points(&'static str);

impl Treatment for Points {
    fn name(&self) -> &'static str {
        "points"
    }

    fn detects(&self, _: &Module) -> bool {
        false
    }

    fn rewrite(&self, _: &mut Module) -> Result<(), String> {
        Ok(())
    }

    fn safe_points(&self, _: &Module) -> Option<Vec<Reconvergence>> {
        Some(vec![Reconvergence { branch: Branch::Label("A".into()), point: Some(self.0.into()) }])
    }
}

#[test]
fn safe_points_are_tried() {
    let kernel = own("A: atom.global.cas.b32 %r4, [%rd1], 0, 1;
         setp.ne.u32 %p1, %r4, 0;
         @%p1 bra A;
         EARLY: atom.global.exch.b32 %r4, [%rd1], 0;
         mov.u32 %r5, 0;
         LATE: ret;\n");
    let what = check(&kernel, &[&Points("EARLY")]).unwrap_err();
    assert!(what.starts_with("points: aware with safe points, fifo: SIMT-induced deadlock"), "{what}");
    let what = check(&kernel, &[&Points("LATE")]).unwrap_err();
    assert_eq!(what, "points: what does not end on the stack was not detected");
}
