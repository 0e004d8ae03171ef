//! Runs a launch: the grid, its blocks, their warps' turns, and the places where lanes and warps wait for each other.

pub(crate) mod barrier;
mod cluster_barrier;
pub(crate) mod cta;
pub(crate) mod env;
pub(crate) mod grid;
mod sync;
pub(crate) mod warp;
mod warp_turn;
pub(crate) mod worker;
