//! Runs PTX under a chosen SIMT machine and counts what warps did.
//!
//! [`Program::decode`] takes a kernel out of a parsed module, [`run`](fn@run) launches it on a [`Memory`], and the [`Report`]
//! says how it ended and what it cost: warp instructions, active lanes, warp execution efficiency, modelled issue
//! cycles, memory sectors, bank conflicts, per kernel and per line.
//!
//! ```
//! use emulator::{Launch, Memory, Outcome, Program, run};
//!
//! let text = "
//! .version 9.0
//! .target sm_90
//! .address_size 64
//! .entry twice(.param .u64 data) {
//!   .reg .b32 %r<3>;
//!   .reg .b64 %rd<4>;
//!   ld.param.u64 %rd1, [data];
//!   mov.u32 %r1, %tid.x;
//!   mul.wide.u32 %rd2, %r1, 4;
//!   add.s64 %rd3, %rd1, %rd2;
//!   ld.global.u32 %r2, [%rd3];
//!   add.u32 %r2, %r2, %r2;
//!   st.global.u32 [%rd3], %r2;
//!   ret;
//! }";
//! let module = ptx_parser::Module::parse(text)?;
//! let program = Program::decode(&module, "twice")?;
//! let mut memory = Memory::new();
//! let data = memory.alloc_from(&[1u32, 2, 3, 4], "data");
//! let report = run(&program, &mut memory, &Launch::new(1, 4).arg(data))?;
//! assert_eq!(report.outcome, Outcome::Finished);
//! assert_eq!(memory.read::<u32>(data, 4)?, [2, 4, 6, 8]);
//! assert_eq!(report.counts.warp_instructions, 8);
//! assert_eq!(report.counts.warp_execution_efficiency(), 4.0 / 32.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is built
//!
//! One folder per stage:
//!
//! - `api`: the words in which a launch is asked for and answered: options, chip, checks, rules, outcome, report.
//! - `memory`: global memory, the heap, and what an access is.
//! - `program`: a decoded kernel, in parts that know nothing of each other: blocks and their graph, the listing of its instructions, its
//!   registers, its memory, and the side tables of its ops.
//! - `stats`: counts, and the time model that is computed from them.
//! - `exec`: what each instruction computes, for all lanes of a warp at once. `op` is an op and the state that it runs on; of a program that
//!   state has the side tables alone. `system` is what kernels ask for beyond memory: `printf`, `assert`, `malloc`.
//! - `decode`: turns a kernel into a program whose operands are rows of 32 lanes, and picks the function of each instruction once.
//! - `machines`: decide which lanes of a warp run next and where they reconverge, and own nothing else.
//! - `observe`: shows what happens to the checks of memory and to a trace, if the launch asks for them.
//! - `run`: `grid` hands blocks of threads to host threads, as many at a time as are resident (`env` is what they share); `cta` gives the warps of
//!   one block their turns, `warp_turn` is such a turn, `barrier` and `sync` are where lanes wait.
//! - `verdict`: `progress` notices that no warp makes progress, `trial` finds out which machine would have helped, and `mod` names the result.

mod api;
mod decode;
mod exec;
mod machines;
mod memory;
mod observe;
mod program;
mod run;
mod stats;
mod verdict;

pub use api::checks::{Accessor, Checks, Findings, Race, Spot, UninitialisedRead};
pub use api::chip::{Chip, class_name};
pub use api::error::{Error, Site};
pub use api::launch::Launch;
pub use api::monitor::Monitor;
pub use api::options::{Arg, Aware, Branch, Machine, Occupancy, Order, Reconvergence};
pub use api::outcome::{Fault, FaultKind, LanesAt, Outcome};
pub use api::report::Report;
pub use api::rule::{Rule, Undefined};
pub use api::trace::Trace;
pub use memory::space::MemorySpace;
pub use memory::{Element, Memory, Pointer};
pub use program::Program;
pub use program::launch_fit::SHARED_WITHOUT_OPT_IN;
pub use run::grid::{NEEDS_COOPERATION, run};
pub use stats::counts::{BlockCounts, ClassCounts, Counts, LineCounts};
pub use stats::model::{Bound, Model};
pub use stats::scheduling::Scheduling;
pub use stats::traffic::Traffic;

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
