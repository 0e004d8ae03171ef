//! The command line as its users meet it: the real program is run, and its exit status, standard output and standard error are checked.
//!
//! It belongs to the root package, because only there cargo builds the program before the test and says where it is.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod annotate;
mod bench;
mod bench_gpu;
mod book;
mod builds;
mod ccc;
mod check;
mod colour;
mod compiler;
mod cpu;
mod fmt;
mod help;
mod inputs;
mod interrupted;
mod launchers;
mod lint;
mod nvcc;
mod nvcc_outputs;
mod nvcc_streams;
mod outputs;
mod program;
mod run;
mod run_arguments;
mod run_cooperative;
mod run_on_gpu;
mod run_orders;
mod run_reports;
mod run_structures;
mod signals;
mod ssde;
mod stack_selection;
mod toolkit;

#[path = "../../device/tests/fake_driver/mod.rs"]
mod fake_driver;

/// Has every nvcc that a test starts compile as C++14 unless the test says otherwise: the headers that it includes for C++17, its default, double its time.
#[ctor::ctor(unsafe)]
fn compile_as_cpp14() {
    // SAFETY: this runs before `main`, in the only thread of the process.
    unsafe { std::env::set_var("NVCC_PREPEND_FLAGS", "-std=c++14") }
}

/// Keeps kernels that tests compile for the CPU out of the user's cache.
#[ctor::ctor(unsafe)]
fn keep_no_compiled_kernels() {
    // SAFETY: as above.
    unsafe { std::env::set_var("PXRW_CACHE", "") }
}
