//! Breadth-first search, the running example of the CCC paper (Figure 1): `examples/bfs.cu` as it stands against the same
//! kernel rewritten.
//!
//! One launch visits one level of the graph. [`run_suite`] compiles and rewrites the kernel, [`compare()`] runs both on
//! every device, [`search`] is the loop on the host that runs one of them.

mod compare;
mod host;
mod report;
mod suite;

pub use compare::compare;
pub use host::{Level, Task, search};
pub use report::{GraphSummary, Row, SuiteReport};
pub(crate) use suite::task;
pub use suite::{BfsOptions, SOURCE, Suite, run_suite};
