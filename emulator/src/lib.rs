//! Runs PTX under a chosen SIMT machine and counts what warps did.
//!
//! [`Program::decode`] takes a kernel out of a parsed module, [`run`] launches it on a [`Memory`], and the [`Report`]
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
//! `decode` turns a kernel into blocks of instructions whose operands are rows of 32 lanes and whose functions, from `exec`, are
//! picked once. `grid` hands blocks of threads to host threads, as many at a time as are resident (`env` is what they share); `cta` gives the
//! warps of one block their turns, `turn` is such a turn, `barrier` and `sync` are where lanes wait. `machines` decide which
//! lanes of a warp run next and where they reconverge, and own nothing else. `system` is what kernels ask for beyond memory: `printf`,
//! `assert`, `malloc` (`heap`). What a launch shows of itself while it runs goes through `observe`: to the checks of memory (`checks`) and to
//! a trace. `counts` and the time `model` are made of what was counted. `progress` notices when nothing gets on any more, `trial` finds
//! out what would have helped, and `verdict` says what it is.

mod barrier;
mod checks;
mod chip;
mod cluster_barrier;
mod counts;
mod cta;
mod dataflow;
mod decode;
mod draw;
mod env;
mod error;
mod exec;
mod graph;
mod grid;
mod heap;
mod launch;
mod machines;
mod memory;
mod model;
mod monitor;
mod observe;
mod outcome;
mod pace;
mod program;
mod progress;
mod slice;
mod sync;
mod system;
mod touched;
mod trace;
mod trial;
mod turn;
mod undefined;
mod verdict;
mod warp;
mod worker;

pub use checks::access::MemorySpace;
pub use checks::{Accessor, Checks, Findings, Race, Spot, UninitialisedRead};
pub use chip::{Chip, class_name};
pub use counts::{BlockCounts, ClassCounts, Counts, LineCounts, Traffic};
pub use error::{Error, Site};
pub use grid::{NEEDS_COOPERATION, run};
pub use launch::{
    Arg, Aware, Branch, Launch, Machine, Occupancy, Order, Reconvergence, Report, SHARED_WITHOUT_OPT_IN, Scheduling,
};
pub use memory::{Element, Memory, Pointer};
pub use model::{Bound, Model};
pub use monitor::Monitor;
pub use outcome::{Fault, FaultKind, Outcome, Place};
pub use program::Program;
pub use trace::Trace;
pub use undefined::{Rule, Undefined};

/// The example of the README is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
