//! Tests that are files: golden rewrites, waits and samples.
#![allow(missing_docs)]

mod golden;
mod samples;
mod saved_ptx;
mod waits;

fn main() {
    let trials = [golden::trials(), saved_ptx::trials(), samples::trials(), waits::trials()];
    ::golden::run_trials(trials.into_iter().flatten().collect());
}
