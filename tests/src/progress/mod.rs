//! Small programs whose end depends on who runs when, all of them up to a size, and a search through all their runs.
//!
//! Each lane of one warp has a thread of a few steps, as in the litmus tests for the progress of GPU threads (Sorensen, Salvador, Raval, Evrard, Wickerson, Martonosi,
//! Donaldson: "Specifying and Testing GPU Workgroup Progress Models", OOPSLA 2021). A step reads, exchanges or
//! stores a word and may branch on what it read. Lanes find their thread by their number.
//!
//! - `program.rs`: programs, and all of a shape. `text.rs`: their PTX.
//! - `attempt.rs`: random loops that look as if they waited for nobody.
//! - `code.rs`: PTX as a list of simple operations, with reconvergence points. `interleave.rs`: all interleavings of lanes. `stack.rs`: all runs of a
//!   reconvergence stack. None of this uses the emulator, `analysis` or `ssde-ptx`.
//! - `check.rs`: what `ssde-ptx` makes of a program, held against the search, and run on all machines.

mod attempt;
mod check;
mod code;
mod interleave;
mod program;
mod stack;
mod text;

pub use attempt::{Attempt, attempt};
pub use check::{Count, Rewrite, Tried, try_program, try_text};
pub use code::Code;
pub use interleave::{Ends, ends};
pub use program::{Action, Branch, Program, Shape, Step, Thread, programs};
pub use stack::hangs_on_stack;
