//! Addresses in the shared memory of a cluster's blocks (PTX ISA, `mapa`, `getctarank`).
//!
//! A cluster is one block here, so that the own shared memory is all that there is. What `mapa` makes of another rank is an address beyond it, and an access
//! to that a fault.

use super::rows::{fn1, fn2};

/// The bit at which the rank of a block begins in an address of shared memory.
const RANK: u32 = 24;

fn2! {
    /// `mapa.u32`.
    MapAddress32(u32, u32) -> u32 = |address, rank| address.wrapping_add(rank << RANK);
    /// `mapa.u64`.
    MapAddress64(u64, u32) -> u64 = |address, rank| address.wrapping_add(u64::from(rank << RANK));
}

fn1! {
    /// `getctarank.u32`.
    BlockRank32(u32) -> u32 = |address| address >> RANK;
    /// `getctarank.u64`.
    BlockRank64(u64) -> u32 = |address| address as u32 >> RANK;
}
