//! A program with its input, ready to be launched.

use crate::work::Work;

/// How a program's tasks become threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
    /// A grid-stride loop: any grid will do.
    Stride,
    /// A thread per task.
    One,
}

/// A program with its input.
pub(crate) struct Instance {
    /// The input in words.
    pub(crate) input: String,
    /// The number of tasks it has.
    pub(crate) tasks: u32,
    /// How they become threads.
    pub(crate) threads: Threads,
    /// What launches them.
    pub(crate) work: Box<dyn Work>,
}
