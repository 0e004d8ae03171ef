//! Kernels as native code, beside the emulator. `cargo run --release -p tests --example translated -- COUNT` runs as many random kernels as one likes, and
//! `--example translated_forms -- FILE…` all forms of instructions.
use std::collections::BTreeMap;

use cpu::Sync;
use rayon::prelude::*;
use tests::translated_forms::Tried;
use tests::{generate, synchronise, translated, translated_forms};

/// Each seed is a kernel of both kinds, in one treatment of implicit synchronisation.
const SEEDS: u64 = 36;

#[test]
fn random_kernels_leave_the_same_memory() {
    let treatment = |seed: u64| Sync::ALL[seed as usize % Sync::ALL.len()];
    (0..SEEDS).into_par_iter().for_each(|seed| {
        let plain = generate::kernel(seed);
        translated::check(&plain, &[treatment(seed)])
            .unwrap_or_else(|what| panic!("seed {seed}: {what}\n{}", plain.ptx));
        let waits = synchronise::kernel(seed);
        translated::check_synchronised(&waits, &[treatment(seed + 1)])
            .unwrap_or_else(|what| panic!("seed {seed}, synchronised: {what}\n{}", waits.ptx));
    });
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
                let is_address = form.starts_with("cvta");
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
