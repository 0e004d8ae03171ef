//! Graphs in compressed sparse row form: the input of the graph benchmarks.
//!
//! [`Graph`] is what the kernels see: `offsets[v]..offsets[v + 1]` are the positions in `edges` of the vertices that
//! `v` points to. Kernels take all three as 32-bit `int`s, so a graph holds at most 2^31 - 1 vertices and edges.
//! [`read()`] takes one from a file, [`rmat()`] makes one up, and [`bfs_levels`] is the reference that kernels are
//! compared with.

mod csr;
mod dimacs;
mod edge_list;
mod levels;
mod lines;
pub(crate) mod random;
mod read;
mod rmat;

pub use csr::{Graph, LIMIT};
pub use levels::bfs_levels;
pub use read::read;
pub use rmat::{Rmat, rmat};
