//! Kernels as native code, beside the emulator. `cargo run --release -p tests --example translated -- COUNT` runs as many random kernels as one likes, and
//! `--example translated_forms -- FILE…` all forms of instructions.
use std::collections::BTreeMap;

use cpu::Sync;
use ptx_parser::Module;
use rayon::prelude::*;
use tests::translated_forms::Tried;
use tests::{generate, lockstep, synchronise, translated, translated_forms};

/// Each seed is a kernel of both kinds, in one treatment of implicit synchronisation.
const SEEDS: u64 = 24;

#[test]
fn random_kernels_leave_the_same_memory() {
    let treatment = |seed: u64| Sync::ALL[seed as usize % Sync::ALL.len()];
    each_seed(|seed| {
        let plain = generate::kernel(seed);
        translated::check(&plain, &[treatment(seed)]).map_err(|what| format!("{what}\n{}", plain.ptx))
    });
    each_seed(|seed| {
        let waits = synchronise::kernel(seed);
        let checked = translated::check_synchronised(&waits, &[treatment(seed + 1)]);
        checked.map_err(|what| format!("synchronised: {what}\n{}", waits.ptx))
    });
}

/// Checks something of each seed. What a panic says on a thread of rayon is lost, so that the failures are collected.
fn each_seed(check: impl Fn(u64) -> Result<(), String> + std::marker::Sync) {
    let failure = |seed: u64| check(seed).err().map(|what| format!("seed {seed}: {what}"));
    let wrong: Vec<String> = (0..SEEDS).into_par_iter().filter_map(failure).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Seeds of kernels with locks that hung once: spins in functions, waits whose state is a result of a call, cycles that are entered at two places.
#[test]
fn waits_that_were_missed_once_end() {
    for seed in [9, 21, 23, 28, 102] {
        let waits = synchronise::kernel(seed);
        translated::check_synchronised(&waits, &[Sync::Basic]).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
    }
}

#[test]
fn every_form_that_computes_has_the_emulators_bits() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in ["arithmetic", "comparison", "conversion", "integer", "logic", "movement", "video"] {
        let path = format!("{}/../ptx-parser/tests/data/forms/accepted/{name}.txt", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let mut by_target: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for form in lines.filter_map(|line| line.split_once(' ')) {
            by_target.entry(form.0).or_default().push(form);
        }
        for forms in by_target.values().flat_map(|forms| forms.chunks(300)) {
            for (&(target, form), tried) in forms.iter().zip(translated_forms::check(forms, 1).unwrap()) {
                // Addresses of shared and local memory are those of the host.
                let is_address = ["cvta", "getctarank", "mapa"].iter().any(|word| form.starts_with(word));
                let kind = match tried {
                    Tried::Other => "other",
                    Tried::NotEmulated => "not emulated",
                    Tried::Refused(reason) => panic!("{target} {form}: {reason}"),
                    Tried::Ran(Err(what)) if !is_address => panic!("{target} {form}: {what}"),
                    Tried::Ran(_) => "same",
                };
                *counts.entry(kind).or_default() += 1;
            }
        }
    }
    assert!(counts.get("same").is_some_and(|&count| count > 1500), "{counts:?}");
    assert!(counts.get("not emulated").is_some_and(|&count| count < 30), "{counts:?}");
}

/// What lanes of a warp leave that execute in lockstep: the text of a kernel of two buffers, which both have a word for each of 64 threads and one more.
const LOCKSTEP: &[(&str, &str)] = &[
    // Section III of the paper: each lane adds the element of its neighbour, and the sums are copied.
    (
        "neighbours",
        "ld.volatile.global.u32 %r1, [%rd3]; ld.volatile.global.u32 %r2, [%rd3+4]; add.u32 %r1, %r1, %r2;
         st.volatile.global.u32 [%rd3], %r1; ld.volatile.global.u32 %r3, [%rd3+4]; st.volatile.global.u32 [%rd4+4], %r3;",
    ),
    // The lower levels of a reduction, without a barrier.
    (
        "reduction",
        "and.b32 %r1, %r0, 31; setp.ge.u32 %p1, %r1, 16; @%p1 bra DONE;
         ld.volatile.global.u32 %r2, [%rd3]; ld.volatile.global.u32 %r3, [%rd3+64]; add.u32 %r2, %r2, %r3; st.volatile.global.u32 [%rd3], %r2;
         ld.volatile.global.u32 %r2, [%rd3]; ld.volatile.global.u32 %r3, [%rd3+32]; add.u32 %r2, %r2, %r3; st.volatile.global.u32 [%rd3], %r2;
         ld.volatile.global.u32 %r2, [%rd3]; ld.volatile.global.u32 %r3, [%rd3+16]; add.u32 %r2, %r2, %r3; st.volatile.global.u32 [%rd3], %r2;
         DONE:",
    ),
    // Section VI: lanes go round a loop for different numbers of times, and read what their neighbours have written.
    (
        "different trip counts",
        "and.b32 %r1, %r0, 3;
         AGAIN: ld.volatile.global.u32 %r2, [%rd3+4]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%rd3], %r2;
         setp.ne.u32 %p1, %r1, 0; sub.u32 %r1, %r1, 1; @%p1 bra AGAIN;
         ld.volatile.global.u32 %r3, [%rd3+4]; st.volatile.global.u32 [%rd4], %r3;",
    ),
];

#[test]
fn lanes_in_lockstep_leave_the_same_memory() {
    let mut wrong = Vec::new();
    for &(name, body) in LOCKSTEP {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u64 b)\n{{\n\
             .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n\
             ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd5, %r0, 4;\n\
             add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;\n{body}\nret;\n}}\n"
        );
        let module = Module::parse(&text).unwrap();
        let before = [(0..80).map(|word| word * word + 3).collect::<Vec<u32>>(), vec![0; 80]];
        for &sync in Sync::ALL {
            let (expected, found) = translated::both(&module, 64, before.clone(), sync).unwrap();
            match sync {
                // In some, each lane comes too late or too early for what its neighbour does.
                Sync::Basic => wrong.extend((expected != found).then_some(name)),
                _ => assert_eq!(expected, found, "{name}, {}", sync.name()),
            }
        }
    }
    assert_eq!(wrong, ["neighbours", "reduction", "different trip counts"]);
}

/// Each seed is a kernel whose lanes rely on lockstep. The other treatment is run, too, for some of them.
#[test]
fn random_kernels_in_lockstep_leave_the_same_memory() {
    each_seed(|seed| {
        let kernel = lockstep::kernel(seed);
        let treatments: &[Sync] = if seed % 4 == 0 { &[Sync::Splitting, Sync::Merging] } else { &[Sync::Splitting] };
        translated::check_lockstep(&kernel, treatments).map_err(|what| format!("{what}\n{}", kernel.ptx))
    });
}

/// The compiler of C once took what a function wrote to its caller's local memory for dead, because the address was made from that of its own.
#[test]
fn a_function_writes_to_local_memory_of_its_caller() {
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n\
        .func add(.param .b64 at, .param .b32 by)\n{\n.reg .b64 %rd<4>; .reg .b32 %r<4>; .local .align 4 .b8 own[16];\n\
        ld.param.u64 %rd1, [at]; cvta.to.local.u64 %rd2, %rd1; ld.param.u32 %r1, [by]; st.local.u32 [own+4], %r1;\n\
        ld.local.u32 %r2, [%rd2+4]; ld.local.u32 %r3, [own+4]; add.u32 %r2, %r2, %r3; st.local.u32 [%rd2+4], %r2; ret;\n}\n\
        .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .b64 %rd<8>; .reg .b32 %r<4>; .local .align 8 .b8 filler[24]; .local .align 4 .b8 v[16];\n\
        ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd1, %rd1, %rd2;\n\
        st.local.u32 [v+4], 100; mov.u64 %rd3, v; cvta.local.u64 %rd3, %rd3;\n\
        {\n.param .b64 at; .param .b32 by;\nst.param.b64 [at], %rd3; st.param.b32 [by], %r1; call add, (at, by);\n}\n\
        ld.local.u32 %r2, [v+4]; st.global.u32 [%rd1], %r2; ret;\n}\n";
    let module = Module::parse(text).unwrap();
    for &sync in Sync::ALL {
        let (expected, found) = translated::both(&module, 64, [vec![0; 64], vec![0; 4]], sync).unwrap();
        assert_eq!(expected, found, "{}", sync.name());
        assert_eq!(found[0][5], 105);
    }
}
