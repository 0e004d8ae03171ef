//! Kernel arguments as the user writes them: `i32:7`, `f32[1024]=iota>y.npy`, `levels.npy`, `{i32:7, f32[1024]=0}`.
//!
//! An argument goes through three steps, and only the last one touches a device:
//!
//! 1. [`grammar`] reads its text; nothing but the grammar matters.
//! 2. [`read`] opens the files that are named (of a `.npy` file that a buffer is filled from, only the header), and checks every argument
//!    against its parameter, and against what is known of the parameter's type in C++ ([`signature`]).
//! 3. [`upload`] allocates the buffers and fills them, a piece at a time; [`save`] writes those that were asked for.
//!
//! Whatever is wrong is found in the first two, for all arguments at once, before anything has run.

mod accesses;
mod aliases;
mod check;
mod cpp_types;
mod element;
mod fill;
mod grammar;
mod npy;
mod number;
mod problem;
mod signature;
mod structure;
mod value;

use std::path::PathBuf;

use device::{Argument, Buffer, Device};
use ptx_parser::Kernel;

use crate::diagnostics::{Diagnostic, Severity};
use crate::failure::Failure;
use crate::output;
use check::Target;
pub(crate) use fill::available_memory;
use signature::{Contradiction, Signature};
pub(crate) use value::LaunchArgument;
use value::{BufferValue, Structure, Value};

/// An argument on a device.
pub(crate) struct Uploaded {
    pub(crate) argument: Argument,
    /// In the order of [`LaunchArgument::buffers`].
    buffers: Vec<Buffer>,
}

/// The knowledge of a kernel beside its PTX.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Its name as C++ writes it, if it was mangled.
    pub(crate) demangled: Option<&'a str>,
    /// The source, if it is CUDA.
    pub(crate) source: Option<&'a str>,
}

/// Reads all arguments of a launch and checks them against the kernel's parameters, and the buffers against the bytes that are available. Prints
/// warnings about what may be meant otherwise.
pub(crate) fn read(
    texts: &[String],
    kernel: &Kernel,
    known: Known<'_>,
    available: Option<u64>,
) -> Result<Vec<LaunchArgument>, Failure> {
    let shown = known.demangled.unwrap_or(kernel.name());
    let signature = Signature::of(kernel, known.demangled, known.source);
    let mut problems: Vec<Diagnostic> = check::count(texts.len(), kernel, shown).into_iter().collect();
    let mut arguments = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let position = index + 1;
        let which = format!("parameter {position} of `{shown}`");
        let declared = signature.declared(index);
        let target = kernel.params().get(index).map(|parameter| Target { parameter, which: &which, declared });
        let value = grammar::parse(text).and_then(|written| check::open(written, target)).and_then(|value| {
            if let Some(assumed) = target.map(|target| check::fits(&value, target)).transpose()?.flatten() {
                Diagnostic { severity: Severity::Warning, ..assumed.about(position, text) }.print();
            }
            if let (Some(target), Value::Structure(structure)) = (target, &value) {
                let problem = structure.contradicts(&accesses::floats_loaded(kernel, target.parameter), &which);
                problem.into_iter().for_each(|problem| {
                    Diagnostic { severity: Severity::Warning, ..problem.about(position, text) }.print();
                });
            }
            match signature.contradiction(index, &value, text, &which) {
                Some(Contradiction::Certain(problem)) => return Err(problem),
                Some(Contradiction::Likely(problem)) => {
                    Diagnostic { severity: Severity::Warning, ..problem.about(position, text) }.print();
                }
                None => {}
            }
            Ok(value)
        });
        match value {
            Ok(value) => arguments.push(LaunchArgument { position, text: text.clone(), value }),
            Err(problem) => problems.push(problem.about(position, text)),
        }
    }
    problems.extend(check::together(&arguments, available));
    if problems.is_empty() { Ok(arguments) } else { Err(problems.into()) }
}

/// Allocates and fills the buffers.
pub(crate) fn upload(arguments: &[LaunchArgument], device: &mut dyn Device) -> Result<Vec<Uploaded>, Failure> {
    let uploaded = arguments.iter().map(|argument| {
        let mut allocate = |value: &BufferValue, text: &str| {
            let buffer = fill::allocate(device, value, &argument.label(text, value));
            buffer.map_err(|problem| Failure::from(problem.about(argument.position, &argument.text)))
        };
        Ok(match &argument.value {
            Value::Scalar { ty, bits } => {
                Uploaded { argument: Argument::Scalar { ty: *ty, bits: *bits }, buffers: Vec::new() }
            }
            Value::Buffer(value) => {
                let buffer = allocate(value, &argument.text)?;
                Uploaded { argument: Argument::Buffer(buffer), buffers: vec![buffer] }
            }
            Value::Structure(Structure { bytes, buffers, .. }) => {
                let each = buffers.iter().map(|(offset, text, value)| Ok((*offset, allocate(value, text)?)));
                let addresses = each.collect::<Result<Vec<_>, Failure>>()?;
                let buffers = addresses.iter().map(|(_, buffer)| *buffer).collect();
                Uploaded { argument: Argument::Bytes { bytes: bytes.clone(), addresses }, buffers }
            }
        })
    });
    uploaded.collect()
}

/// Writes the buffers that were asked for to their files. Says which were written and what kept the others from it.
pub(crate) fn save(
    arguments: &[LaunchArgument],
    uploaded: &[Uploaded],
    device: &dyn Device,
) -> (Vec<PathBuf>, Vec<Diagnostic>) {
    let (mut written, mut problems) = (Vec::new(), Vec::new());
    let each = arguments.iter().zip(uploaded).flat_map(|(argument, uploaded)| {
        argument.buffers().zip(&uploaded.buffers).map(move |(value, buffer)| (argument, value, *buffer))
    });
    for (argument, value, buffer) in each {
        let Some(path) = &value.save else { continue };
        let bytes = fill::contents(device, value, buffer);
        let bytes = bytes.map_err(|problem| problem.about(argument.position, &argument.text).into());
        match bytes.and_then(|bytes| output::write(Some(path), &bytes)) {
            Ok(()) => written.push(path.clone()),
            Err(Failure { diagnostics }) => problems.extend(diagnostics),
        }
    }
    (written, problems)
}
