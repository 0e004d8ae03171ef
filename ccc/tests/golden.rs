//! Rewrites of the golden tests (`tests/golden`), by the PTX that was saved beside the sources, and runs original and rewritten kernels on the emulator.
//!
//! Needs no CUDA. `cargo test -p ccc --test golden -- bfs` runs those whose names contain `bfs`; with `PXRW_BLESS=1` what comes out is written as
//! what is expected.
#![allow(missing_docs)]

fn main() {
    tests::golden::run(&["ccc", "refused", "kernels"], tests::golden::check);
}
