//! Tries random kernels on a GPU of this machine: `random_on_gpu ccc|ssde COUNT [FIRST_SEED] [SECONDS]`.
//!
//! Each kernel runs as it is and rewritten, and both must leave what the emulator (`its`) says: with `ccc`, the kernels of
//! `random_kernels`; with `ssde`, those of `random_sync`, whose threads wait for each other. Left out are kernels of which the ISA promises
//! nothing on a GPU: those that wait by weak reads, which the driver's compiler may take out of the loop, and those that read by
//! `ld.global.nc` what they write. Prints every seed that fails. A launch that does not end loses the GPU to the process, which says where to
//! go on and ends with status 3. No more seeds are tried after SECONDS.
#![allow(missing_docs)]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use device::{Argument, Buffer, Device, Gpu, GpuOptions, LaunchConfig, OutcomeKind};
use emulator::Machine;
use ptx_parser::Module;
use tests::differential::{rewritten_text, run};
use tests::generate::Generated;
use tests::synchronise::{Ssde, Synchronised, Treatment, results};

/// After so long a launch hangs.
const TIMEOUT: Duration = Duration::from_secs(10);
/// So many seeds share one context; its modules stay loaded.
const SEEDS_OF_A_CONTEXT: u64 = 64;

/// A launch on any device, and which of its buffers count.
struct Trial {
    /// The kernel as it is, and rewritten where that changes it.
    texts: Vec<(&'static str, String)>,
    config: LaunchConfig,
    /// What each buffer holds before the launch.
    buffers: Vec<Vec<u32>>,
    scalars: Vec<u32>,
    /// What buffers hold after it: each one's number and words.
    expected: Vec<(usize, Vec<u32>)>,
}

fn of_ccc(seed: u64) -> Result<Option<Trial>, String> {
    let generated: Generated = tests::generate::kernel(seed);
    if generated.ptx.contains("ld.global.nc") {
        return Ok(None);
    }
    let module = Module::parse(&generated.ptx).map_err(|error| error.to_string())?;
    let ran = run(&generated, &module, Machine::Its)?;
    let buffers = generated.buffers().map(|(_, words)| words).to_vec();
    let config = LaunchConfig { block: generated.block, ..LaunchConfig::linear(generated.grid, 1) };
    let rewritten = rewritten_text(&generated)?.map(|text| ("rewritten", text));
    let texts = [("as it is", generated.ptx.clone())].into_iter().chain(rewritten).collect();
    let scalars = vec![generated.n, generated.salt];
    Ok(Some(Trial { texts, config, buffers, scalars, expected: (1..).zip(ran.buffers).collect() }))
}

fn of_ssde(seed: u64) -> Result<Option<Trial>, String> {
    let kernel: Synchronised = tests::synchronise::kernel(seed);
    if kernel.kinds.contains("spin on a weak read") {
        return Ok(None);
    }
    let mut module = Module::parse(&kernel.ptx).map_err(|error| error.to_string())?;
    let expected = results(&kernel, &module, Machine::Its)?;
    let buffers = kernel.buffers().map(|(_, words)| words).to_vec();
    let config =
        LaunchConfig { dynamic_shared: kernel.dynamic_bytes, ..LaunchConfig::linear(kernel.grid, kernel.block) };
    let rewritten = Ssde.detects(&module) && Ssde.rewrite(&mut module).is_ok();
    let rewritten = rewritten.then(|| ("rewritten", module.to_string()));
    let texts = [("as it is", kernel.ptx)].into_iter().chain(rewritten).collect();
    Ok(Some(Trial { texts, config, buffers, scalars: Vec::new(), expected: vec![(1, expected)] }))
}

/// How one text of a trial ended.
enum Ended {
    AsExpected,
    Otherwise(String),
    /// The GPU is lost to this process.
    Lost(String),
}

fn on_gpu(gpu: &mut Gpu, trial: &Trial, text: &str) -> Result<Ended, device::Error> {
    let kernel = gpu.load(text, "k")?;
    let mut buffers: Vec<Buffer> = Vec::new();
    for words in &trial.buffers {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        // A buffer of no words still has an address.
        let buffer = gpu.alloc(bytes.len().max(4) as u64, "words")?;
        gpu.upload(buffer, 0, &bytes)?;
        buffers.push(buffer);
    }
    let arguments: Vec<Argument> = (buffers.iter().copied().map(Argument::from))
        .chain(trial.scalars.iter().copied().map(Argument::from))
        .collect();
    let report = gpu.launch(kernel, &trial.config, &arguments)?;
    if report.outcome != OutcomeKind::Finished {
        return Ok(Ended::Lost(report.message.unwrap_or_else(|| format!("{:?}", report.outcome))));
    }
    let mut ended = Ended::AsExpected;
    for (number, expected) in &trial.expected {
        let mut bytes = vec![0; 4 * expected.len()];
        gpu.download(buffers[*number], 0, &mut bytes)?;
        let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        if let Some((at, (word, expected))) = words.zip(expected).enumerate().find(|(_, (word, of))| word != *of) {
            ended = Ended::Otherwise(format!("buffer {number} word {at} is {word:#x}, not {expected:#x}"));
            break;
        }
    }
    for buffer in buffers {
        gpu.free(buffer)?;
    }
    Ok(ended)
}

fn open() -> Result<Gpu, device::Error> {
    Gpu::open(&GpuOptions { timeout: Some(TIMEOUT), ..GpuOptions::default() })
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| arguments.get(at).and_then(|word| word.parse::<u64>().ok());
    let trial: fn(u64) -> Result<Option<Trial>, String> = match arguments.first().map(String::as_str) {
        Some("ccc") => of_ccc,
        Some("ssde") => of_ssde,
        _ => return usage(),
    };
    let Some(count) = number(1) else { return usage() };
    let first = number(2).unwrap_or(0);
    let ends = number(3).map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let (mut tried, mut rewritten, mut failures) = (0_u64, 0_u64, 0_u64);
    let mut gpu = None;
    for seed in first..first.saturating_add(count) {
        if ends.is_some_and(|ends| Instant::now() >= ends) {
            break;
        }
        if seed % SEEDS_OF_A_CONTEXT == 0 {
            // The old context goes before the new one comes.
            drop(gpu.take());
        }
        let Some(trial) = trial(seed).transpose() else { continue };
        tried += 1;
        let trial = match trial {
            Ok(trial) => trial,
            Err(what) => {
                println!("seed {seed}: on the emulator: {what}");
                failures += 1;
                continue;
            }
        };
        rewritten += u64::from(trial.texts.len() > 1);
        for (which, text) in &trial.texts {
            let opened = match gpu.take() {
                Some(gpu) => Ok(gpu),
                None => open(),
            };
            let ended = opened.and_then(|opened| on_gpu(gpu.insert(opened), &trial, text));
            match ended {
                Ok(Ended::AsExpected) => {}
                Ok(Ended::Otherwise(what)) => {
                    println!("seed {seed}, {which}: {what}");
                    failures += 1;
                }
                Ok(Ended::Lost(what)) => {
                    println!("seed {seed}, {which}: {what}");
                    println!("{tried} kernels, {rewritten} rewritten, {} failed; go on at {}", failures + 1, seed + 1);
                    device::exit_now(3);
                }
                Err(error) => {
                    println!("seed {seed}, {which}: {error}");
                    failures += 1;
                }
            }
        }
    }
    println!("{tried} kernels, {rewritten} rewritten, {failures} failed");
    ExitCode::from(u8::from(failures > 0))
}

fn usage() -> ExitCode {
    eprintln!("usage: random_on_gpu ccc|ssde COUNT [FIRST_SEED] [SECONDS]");
    ExitCode::from(2)
}
