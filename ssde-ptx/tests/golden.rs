//! Rewrites of the golden tests (`tests/golden/ssde`), by the PTX that was saved beside the sources; see `ccc/tests/golden.rs`.
#![allow(missing_docs)]

fn main() {
    tests::golden::run(&["ssde"], tests::golden::check);
}
