//! The emulator against models that share no code with it. `cargo run --release -p tests --example reference` tries as many cases as one likes.
use std::collections::BTreeMap;

use tests::reference::{barriers, floats, warp};

#[test]
fn barriers_end_as_an_exhaustive_search_says() {
    let mut checked: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..400 {
        let what = barriers::check(seed).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        *checked.entry(format!("{what:?}")).or_default() += 1;
    }
    // A generator that makes nothing of a kind tests nothing of it.
    for kind in ["One", "Several", "Hangs", "Undefined"] {
        assert!(checked.get(kind).is_some_and(|&count| count > 5), "{checked:?}");
    }
}

#[test]
fn arithmetic_agrees_with_exact_rational_numbers() {
    for seed in 0..3000 {
        floats::check(seed).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
    }
}

#[test]
fn warp_operations_do_what_threads_of_their_own_do() {
    // Where the emulator once was wrong: all wait while it is watched, lanes end first and then go on, lanes name different members.
    let found = [1159, 3899, 4795, 14698, 20531];
    let mut checked: BTreeMap<String, u32> = BTreeMap::new();
    let mut met_by_calls = 0;
    for seed in (0..600).chain(found) {
        let what = warp::check(seed).unwrap_or_else(|difference| panic!("seed {seed}: {difference}"));
        *checked.entry(format!("{what:?}")).or_default() += 1;
        let calls = warp::Kernel::of(seed).ptx().contains("call (");
        met_by_calls += u32::from(calls && matches!(what, warp::Checked::Same | warp::Checked::NotOnStack));
    }
    assert!(met_by_calls > 20, "in only {met_by_calls} kernels, lanes met in a function");
    for (kind, least) in [("Same", 200), ("NotOnStack", 100), ("Undefined", 50), ("Hangs", 2)] {
        assert!(checked.get(kind).is_some_and(|&count| count > least), "{checked:?}");
    }
}
