//! Tests that are files: golden rewrites, waits and samples.
#![allow(missing_docs)]

mod current;
mod golden;
mod samples;
mod waits;

fn main() {
    let trials = [golden::trials(), current::trials(), samples::trials(), waits::trials()];
    ::golden::run_trials(trials.into_iter().flatten().collect());
}
