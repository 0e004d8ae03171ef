//! CUDA kernels of every kind on every machine, against plain Rust: integers and IEEE operations to the last bit.
//!
//! The kernels are in `tests/kernels`, made by nvcc without contraction of products and sums, so that a float is what the text
//! says. A reference does what the kernel must come to; where it adds up floats, in the same order.
mod elementwise;
mod graphs;
mod linear;
mod numeric;
mod reductions;
mod scans;
mod sorting;
mod sync;

use std::path::Path;

use ptx_parser::Module;
use tests::saved::Build;

/// The module of one of the CUDA files.
fn compile(name: &str) -> Module {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels").join(name).with_extension("cu");
    Build::new(&path, "sm_90", &["-fmad=false"]).module().unwrap()
}

/// Declares the module that the tests of a file share.
macro_rules! module {
    ($name:literal) => {
        static MODULE: std::sync::LazyLock<ptx_parser::Module> = std::sync::LazyLock::new(|| super::compile($name));

        fn case(kernel: &'static str, blocks: u32, threads: u32) -> tests::cases::Case<'static> {
            tests::cases::Case::new(&MODULE, kernel, blocks, threads)
        }
    };
}
pub(crate) use module;

/// Numbers that look random: a multiplicative generator, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn new(seed: u64) -> Numbers {
        Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn words(&mut self, count: usize, below: u32) -> Vec<u32> {
        (0..count).map(|_| (self.next() >> 32) as u32 % below).collect()
    }

    fn ints(&mut self, count: usize, below: i32) -> Vec<i32> {
        (0..count).map(|_| (self.next() >> 33) as i32 % (2 * below) - below).collect()
    }

    /// Numbers of all sizes, the edges among them.
    fn longs(&mut self, count: usize) -> Vec<u64> {
        let edges = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1, 0xffff_ffff_0000_0000];
        let mut any = || {
            let value = self.next();
            value >> (value & 63)
        };
        (0..count).map(|index| edges.get(index).copied().unwrap_or_else(&mut any)).collect()
    }

    fn floats(&mut self, count: usize) -> Vec<f32> {
        (0..count)
            .map(|_| ((self.next() >> 40) as f32 / 1e4 - 800.0) * if self.0 & 3 == 0 { 1e-6 } else { 1.0 })
            .collect()
    }

    fn doubles(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| (self.next() >> 11) as f64 / 1e13 - 400.0).collect()
    }
}

#[test]
fn kernels_of_independent_threads_can_do_the_work_of_other_blocks() {
    let files = ["elementwise", "graphs", "linear", "numeric", "reductions", "scans", "sorting", "sync"];
    let (mut all, mut repeated) = (0, 0);
    for module in files.map(compile) {
        for kernel in module.kernels().iter().filter(|kernel| kernel.kind() == ptx_parser::KernelKind::Entry) {
            all += 1;
            repeated += usize::from(tests::cases::repeated(&module, kernel.name()).is_some());
        }
    }
    // The others have barriers, warp operations, shared memory or calls.
    assert!(repeated >= 30, "only {repeated} of {all}");
}
