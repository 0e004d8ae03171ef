//! Kernel arguments as the user writes them: `i32:7`, `f32[1024]=iota>y.npy`, `levels.npy`.
//!
//! An argument goes through three steps, and only the last one touches a device:
//!
//! 1. [`written`] reads its text; nothing but the grammar matters.
//! 2. [`read`] opens the `.npy` files that are named (their header only), and checks every argument against its parameter.
//! 3. [`upload`] allocates the buffers and fills them, a piece at a time; [`save`] writes those that were asked for.
//!
//! Whatever is wrong is found in the first two, for all arguments at once, before anything has run.

mod check;
mod fill;
mod npy;
mod number;
mod written;

use std::path::{Path, PathBuf};

use device::{Argument, Buffer, Device};
use ptx_parser::{Kernel, Type};

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;
use crate::output;
pub(crate) use fill::available_memory;
use npy::Npy;

/// What is wrong with an argument, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    what: String,
    help: String,
}

impl Problem {
    fn new(what: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem { what: what.into(), help: help.into() }
    }

    /// The message about the argument that stands at `position`, counted from 1.
    fn about(self, position: usize, text: &str) -> Diagnostic {
        Diagnostic::error(format!("argument {position} (`{text}`): {}", self.what)).help(self.help)
    }
}

/// An argument that fits its parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LaunchArgument {
    /// Counted from 1.
    position: usize,
    /// As the user wrote it.
    text: String,
    value: Value,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Scalar { ty: Type, bits: u64 },
    Buffer(BufferValue),
}

/// A buffer: `count` values of a type, and where they come from and go to.
#[derive(Clone, Debug, PartialEq)]
struct BufferValue {
    ty: Type,
    count: u64,
    fill: Fill,
    save: Option<PathBuf>,
}

/// The values of a buffer before the launch.
#[derive(Clone, Debug, PartialEq)]
enum Fill {
    /// The same bits everywhere.
    Number(u64),
    /// 0, 1, 2, …
    Iota,
    /// Random numbers of a seed.
    Random(u64),
    /// The values of a file.
    File(Npy),
    /// Nothing was written there; it reads as zeros.
    Nothing,
}

impl BufferValue {
    /// Checked when the argument was read.
    fn bytes(&self) -> u64 {
        self.count.saturating_mul(u64::from(self.ty.bytes()))
    }
}

impl LaunchArgument {
    /// Where the buffer goes after the launch, if anywhere.
    pub(crate) fn save_path(&self) -> Option<&Path> {
        match &self.value {
            Value::Buffer(buffer) => buffer.save.as_deref(),
            Value::Scalar { .. } => None,
        }
    }

    /// The argument's text without the file that it is written to.
    fn label(&self) -> String {
        let text =
            self.save_path().and_then(|_| self.text.rsplit_once('>')).map_or(self.text.as_str(), |(text, _)| text);
        format!("{text} (argument {})", self.position)
    }
}

/// An argument on a device.
pub(crate) struct Uploaded {
    pub(crate) argument: Argument,
    buffer: Option<Buffer>,
}

/// Reads all arguments of a launch and checks them against the kernel's parameters, and the buffers against the bytes that are available.
pub(crate) fn read(
    texts: &[String],
    kernel: &Kernel,
    shown: &str,
    available: Option<u64>,
) -> Result<Vec<LaunchArgument>, Failure> {
    let mut problems: Vec<Diagnostic> = check::count(texts.len(), kernel, shown).into_iter().collect();
    let mut arguments = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        let position = index + 1;
        let value = written::parse(text).and_then(check::open).and_then(|value| {
            kernel.params().get(index).map_or(Ok(()), |parameter| check::fits(&value, parameter, position, shown))?;
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
    let uploaded = arguments.iter().map(|argument| match &argument.value {
        Value::Scalar { ty, bits } => {
            Ok(Uploaded { argument: Argument::Scalar { ty: *ty, bits: *bits }, buffer: None })
        }
        Value::Buffer(value) => {
            let buffer = fill::allocate(device, value, &argument.label())
                .map_err(|problem| problem.about(argument.position, &argument.text))?;
            Ok(Uploaded { argument: Argument::Buffer(buffer), buffer: Some(buffer) })
        }
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
    for (argument, uploaded) in arguments.iter().zip(uploaded) {
        let (Value::Buffer(value), Some(buffer)) = (&argument.value, uploaded.buffer) else { continue };
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
