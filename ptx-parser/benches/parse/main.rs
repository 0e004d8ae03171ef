//! Measures the time and the memory that it takes to read, type and print texts: `cargo bench -p pxrw-ptx`.
//!
//! Four shapes of PTX, each repeated to 4 MB, which is a large file. Beside them a bare tokenizer over the same text, and `ptxas -O0` over one copy of the
//! samples (the time that it takes to start is measured with an empty module and left out), if there is one on `PATH`. Each figure
//! is the best of thirty runs, which is the one that other programs disturbed least; all figures of a line come from one run.
//!
//! The samples are denser than what compilers write for real programs: short names, few comments, 41 bytes per instruction where 635 files
//! of real projects by nvcc -O3 have 48. `cargo bench -p pxrw-ptx -- FOLDER…` measures the PTX
//! files of folders instead, each file by itself, and prints the sums.
#![allow(clippy::unwrap_used, missing_docs)]

mod folders;
mod peak;
mod shapes;
mod tokens;

use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use ptx_parser::{Module, StmtKind};

use crate::shapes::{SHAPES, Shape};

#[global_allocator]
static ALLOCATOR: peak::Counting = peak::Counting;

const SIZE: usize = 4_000_000;
const RUNS: usize = 30;

/// The best time in seconds.
fn best(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best
}

fn main() {
    // Cargo passes `--bench`.
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).filter(|path| path.is_dir()).collect();
    if !folders.is_empty() {
        return folders::measure(&folders);
    }
    println!(
        "{:<20} {:>6} {:>10} {:>10} {:>10} {:>12} {:>10} {:>12} {:>10}",
        "MB/s", "MB", "parse", "typed", "print", "tokenizer", "typed/tok", "peak MiB/MB", "ptxas -O0"
    );
    for shape in &SHAPES {
        let text = shape.text(SIZE);
        let speed = |seconds: f64| text.len() as f64 / 1e6 / seconds;
        let parse = speed(best(|| drop(black_box(Module::parse(black_box(&text)).unwrap()))));
        let typed = speed(best(|| _ = black_box(typed(black_box(&text)))));
        let module = Module::parse(&text).unwrap();
        let print = speed(best(|| drop(black_box(module.to_string()))));
        drop(module);
        let tokenizer = speed(best(|| drop(black_box(tokens::tokenize(black_box(&text))))));
        assert!(tokens::bytes(&tokens::tokenize(&text)) * 4 > text.len(), "most of a text is words");
        let peak =
            peak::of(|| drop(Module::parse(&text).unwrap())) as f64 / f64::from(1 << 20) / (text.len() as f64 / 1e6);
        let ptxas = ptxas(shape).map_or("no ptxas".to_owned(), |speed| format!("{speed:.1}"));
        println!(
            "{:<20} {:>6.1} {parse:>10.1} {typed:>10.1} {print:>10.1} {tokenizer:>12.1} {:>10.2} {peak:>12.2} {ptxas:>10}",
            shape.name,
            text.len() as f64 / 1e6,
            typed / tokenizer,
        );
    }
}

/// Reads a text and holds every instruction against the grammar table: how many are known.
fn typed(text: &str) -> usize {
    let module = Module::parse(text).unwrap();
    let of_kernel = |kernel: &ptx_parser::Kernel| {
        let known = |kind: &StmtKind| matches!(kind, StmtKind::Inst(inst) if kernel.typing(*inst).is_known() && kernel.operands_fit(*inst));
        kernel.stmts().iter().filter(|stmt| known(&stmt.kind)).count()
    };
    module.kernels().iter().map(of_kernel).sum()
}

/// What `ptxas -O0` reads per second, in MB, its start left out.
fn ptxas(shape: &Shape) -> Option<f64> {
    let folder = tempfile::tempdir().unwrap();
    let time = |text: &str| {
        let path = folder.path().join("input.ptx");
        std::fs::write(&path, text).unwrap();
        let target = text.lines().find_map(|line| line.strip_prefix(".target ")).unwrap_or("sm_90");
        let arch = target.split(',').next().unwrap_or(target).trim().to_owned();
        let run = || {
            let mut command = Command::new("ptxas");
            command.arg("-O0").arg(format!("-arch={arch}")).arg(&path).arg("-o").arg(folder.path().join("output"));
            command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        run().then(|| best(|| _ = run()))
    };
    let start = time(".version 9.0\n.target sm_90\n.address_size 64\n")?;
    let (mut bytes, mut seconds) = (0, 0.0);
    for sample in shape.once() {
        bytes += sample.len();
        seconds += (time(&sample)? - start).max(1e-6);
    }
    Some(bytes as f64 / 1e6 / seconds)
}
