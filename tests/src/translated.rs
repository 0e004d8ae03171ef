//! Random kernels as native code: the same launch as on the emulator, and the same memory afterwards.

use cpu::{Build, Ending, Launch, Object, Options, Sync};
use emulator::{Machine, Memory, Outcome, Program};
use ptx_parser::Module;

use crate::generate::Generated;
use crate::lockstep::WarpSynchronous;
use crate::synchronise::{Synchronised, results};

/// A kernel that is launched on the CPU, with buffers of words.
#[derive(Debug)]
pub struct Native {
    object: Object,
    symbol: String,
    param_bytes: u64,
}

impl Native {
    /// Translates, compiles and loads the kernel `k` of a module.
    ///
    /// # Errors
    /// A refusal, or what the compiler says.
    pub fn of(module: &Module, sync: Sync) -> Result<Native, String> {
        let options = Options { sync };
        let translation = cpu::translate(module, Some(&["k"]), &options).map_err(|refusals| {
            let lines =
                refusals.iter().map(|refusal| format!("line {:?}: {refusal}", refusal.position.map(|at| at.line)));
            lines.collect::<Vec<_>>().join("\n")
        })?;
        let built = Build::default().object(&translation.source).map_err(|error| error.to_string())?;
        // SAFETY: the object is that of a translation.
        let object = unsafe { Object::load(&built.object, None) }.map_err(|error| error.to_string())?;
        let kernel = translation.kernels.first().ok_or("no kernel is translated")?;
        Ok(Native { object, symbol: kernel.symbol.clone(), param_bytes: kernel.param_bytes })
    }

    /// Launches it with the addresses of buffers and, behind them, words.
    ///
    /// # Errors
    /// A launch that does not finish.
    pub fn run(&self, launch: &Launch, buffers: &mut [Vec<u32>], words: &[u32]) -> Result<(), String> {
        let mut parameters: Vec<u8> =
            buffers.iter_mut().flat_map(|buffer| (buffer.as_mut_ptr() as u64).to_le_bytes()).collect();
        parameters.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        if parameters.len() as u64 != self.param_bytes {
            return Err(format!("{} bytes of parameters, and the kernel takes {}", parameters.len(), self.param_bytes));
        }
        // SAFETY: the parameters are addresses of buffers that a generated kernel stays within; the emulator has checked that.
        let ending =
            unsafe { self.object.launch(&self.symbol, launch, &parameters) }.map_err(|error| error.to_string())?;
        if ending == Ending::Finished { Ok(()) } else { Err(format!("{ending:?}")) }
    }
}

/// Compares two runs, buffer by buffer.
fn same(expected: &[Vec<u32>], found: &[Vec<u32>], what: &str) -> Result<(), String> {
    for (number, (expected, found)) in expected.iter().zip(found).enumerate() {
        if let Some(at) = expected.iter().zip(found).position(|(a, b)| a != b) {
            let word = |buffer: &[u32]| buffer.get(at).copied().unwrap_or_default();
            return Err(format!(
                "{what}: word {at} of buffer {number} is {:#x} and not {:#x}",
                word(found),
                word(expected)
            ));
        }
    }
    Ok(())
}

/// The words of buffers: those that are expected, and those that were found.
pub type Both = ([Vec<u32>; 2], [Vec<u32>; 2]);

/// Runs the kernel `k` of a module with one block on the emulator's `stack` machine and natively, and returns what both leave in the buffers.
///
/// # Errors
/// What does not run.
pub fn both(module: &Module, block: u32, before: [Vec<u32>; 2], sync: Sync) -> Result<Both, String> {
    let expected = emulated(module, [block, 1, 1], &before)?;
    Ok((expected, native(module, [block, 1, 1], before, sync)?))
}

/// Runs the kernel `k` of a module with one block on the emulator's `stack` machine, and returns what it leaves in the buffers.
fn emulated(module: &Module, block: [u32; 3], before: &[Vec<u32>; 2]) -> Result<[Vec<u32>; 2], String> {
    let program = Program::decode(module, "k").map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let pointers = before.each_ref().map(|words| memory.alloc_from(words, "buffer"));
    let mut launch = pointers.into_iter().fold(emulator::Launch::new(1, 1), |launch, pointer| launch.arg(pointer));
    launch.block = block;
    let report = emulator::run(&program, &mut memory, &launch.on(Machine::Stack)).map_err(|error| error.to_string())?;
    if report.outcome != Outcome::Finished {
        return Err(report.outcome.to_string());
    }
    let read =
        |(pointer, words): (_, &Vec<u32>)| memory.read::<u32>(pointer, words.len()).map_err(|error| error.to_string());
    let ([first, second], [one, other]) = (pointers, before);
    Ok([read((first, one))?, read((second, other))?])
}

/// Runs the kernel `k` of a module with one block natively, and returns what it leaves in the buffers.
fn native(module: &Module, block: [u32; 3], before: [Vec<u32>; 2], sync: Sync) -> Result<[Vec<u32>; 2], String> {
    let mut buffers = before;
    let shape = Launch { grid: [1; 3], block, host_threads: 1, ..Launch::default() };
    Native::of(module, sync)?.run(&shape, &mut buffers, &[])?;
    Ok(buffers)
}

/// Runs a random kernel that relies on lockstep natively in some treatments, and compares it with the emulator's `stack` machine.
///
/// # Errors
/// What does not run, or the difference.
pub fn check_lockstep(kernel: &WarpSynchronous, treatments: &[Sync]) -> Result<(), String> {
    let module = Module::parse(&kernel.ptx).map_err(|error| format!("generated text: {error}"))?;
    let expected = emulated(&module, kernel.block, &kernel.before)?;
    for &sync in treatments {
        same(&expected, &native(&module, kernel.block, kernel.before.clone(), sync)?, sync.name())?;
    }
    Ok(())
}

/// Runs a random kernel natively in some treatments, and compares it with the emulator's `stack` machine.
///
/// # Errors
/// What does not run, or the difference.
pub fn check(generated: &Generated, treatments: &[Sync]) -> Result<(), String> {
    let module = Module::parse(&generated.ptx).map_err(|error| format!("generated text: {error}"))?;
    let expected = crate::differential::run(generated, &module, Machine::Stack)?;
    for &sync in treatments {
        let native = Native::of(&module, sync)?;
        let shape =
            Launch { grid: [generated.grid, 1, 1], block: generated.block, host_threads: 2, ..Launch::default() };
        let mut buffers = generated.buffers().map(|(_, words)| words);
        native.run(&shape, &mut buffers, &[generated.n, generated.salt])?;
        same(&expected.buffers, buffers.get(1..).unwrap_or_default(), sync.name())?;
    }
    Ok(())
}

/// Runs a random kernel with locks, flags and barriers natively in some treatments, and compares its results with those on the emulator's `its` machine.
///
/// # Errors
/// What does not run, or the difference.
pub fn check_synchronised(kernel: &Synchronised, treatments: &[Sync]) -> Result<(), String> {
    let module = Module::parse(&kernel.ptx).map_err(|error| format!("generated text: {error}"))?;
    let expected = results(kernel, &module, Machine::Its)?;
    for &sync in treatments {
        let native = Native::of(&module, sync)?;
        let shape = Launch {
            grid: [kernel.grid, 1, 1],
            block: [kernel.block, 1, 1],
            dynamic_shared_bytes: kernel.dynamic_bytes,
            host_threads: 2,
            ..Launch::default()
        };
        let mut buffers = kernel.buffers().map(|(_, words)| words);
        native.run(&shape, &mut buffers, &[])?;
        let found = buffers.get(1).cloned().unwrap_or_default();
        same(std::slice::from_ref(&expected), &[found], sync.name())?;
    }
    Ok(())
}
