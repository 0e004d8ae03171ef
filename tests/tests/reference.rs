//! The emulator against models that share no code with it. `cargo run --release -p tests --example reference` tries as many cases as one likes.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use tests::reference::barriers;

#[test]
fn barriers_end_as_an_exhaustive_search_says() {
    let mut checked = std::collections::BTreeMap::new();
    for seed in 0..400 {
        match barriers::check(seed) {
            Ok(what) => *checked.entry(format!("{what:?}")).or_insert(0) += 1,
            Err(what) => panic!("seed {seed}: {what}"),
        }
    }
    // A generator that makes nothing of a kind tests nothing of it.
    for kind in ["One", "Several", "Hangs", "Undefined"] {
        assert!(checked.get(kind).is_some_and(|&count| count > 5), "{checked:?}");
    }
}
