//! Errors that prevent a kernel from being run. A failure while it runs is an [`Outcome`](crate::Outcome).

use std::fmt;

use serde::Serialize;
use thiserror::Error;

/// A place in a program: the line of the PTX text, and the line of the user's source where `.loc` says one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Site {
    /// Line of the PTX text, from 1; 0 for an instruction that an edit made.
    pub ptx_line: u32,
    /// Name of the source file, if known.
    pub file: Option<std::sync::Arc<str>>,
    /// Line of the source file, from 1; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) if self.line > 0 => write!(f, "{file}:{} (PTX line {})", self.line, self.ptx_line),
            _ => write!(f, "PTX line {}", self.ptx_line),
        }
    }
}

/// A program that cannot be decoded, or a launch that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The module has no kernel of that name.
    #[error("the module has no kernel `{name}`; it has {known}")]
    NoKernel {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The emulator does not run this instruction.
    #[error("{site}: the emulator does not run `{opcode}`: {reason}")]
    Unsupported {
        /// The place of the instruction.
        site: Site,
        /// The opcode as written.
        opcode: String,
        /// The reason: the detail that is not supported.
        reason: String,
    },
    /// Several instructions that the emulator does not run, or names that are declared nowhere, in the order of the code.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Several(Vec<Error>),
    /// A name that is declared nowhere.
    #[error("{site}: `{name}` is declared nowhere in the module")]
    UnknownSymbol {
        /// The place at which it is used.
        site: Site,
        /// The name.
        name: String,
    },
    /// The launch has the wrong number of arguments.
    #[error("the kernel takes {expected} arguments, the launch has {given}")]
    ArgumentCount {
        /// Parameters of the kernel.
        expected: usize,
        /// Arguments of the launch.
        given: usize,
    },
    /// An argument has the wrong size.
    #[error("argument {index} (`{name}`) has {given} bytes, the kernel's parameter has {expected}")]
    ArgumentSize {
        /// Counted from 0.
        index: usize,
        /// The parameter's name.
        name: String,
        /// Bytes of the parameter.
        expected: u64,
        /// Bytes of the argument.
        given: u64,
    },
    /// A grid or block that no device launches.
    #[error("{what}")]
    Shape {
        /// The text that says what is wrong with it and what is allowed.
        what: String,
    },
    /// A label that the program does not have.
    #[error("the kernel has no label `{label}`; it has {known}")]
    NoLabel {
        /// The label asked for.
        label: String,
        /// The labels there are.
        known: String,
    },
    /// A reconvergence point that the `aware` machine cannot have.
    #[error("{what}")]
    Reconvergence {
        /// The text that says what is wrong with it.
        what: String,
    },
    /// A module variable that the host has no memory for.
    #[error("no memory for the {bytes} bytes of variable `{name}`")]
    VariableMemory {
        /// The variable.
        name: String,
        /// Its size in bytes.
        bytes: u64,
    },
    /// A host access outside of every allocation.
    #[error("no allocation holds {bytes} bytes at 0x{address:x}")]
    NoAllocation {
        /// The device address.
        address: u64,
        /// The size of the access.
        bytes: u64,
    },
}
