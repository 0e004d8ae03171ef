//! Sums and scans.

use std::collections::BTreeSet;

use super::{Sample, blocks, by_block, by_tile, least, most, odd, running_sums, sample, sum};

pub(super) fn samples() -> Vec<Sample> {
    // Any size; whole warps; a power of two.
    let any = [(3, 75, 200), (2, 256, 500), (1, 1, 1), (4, 33, 100)];
    let warps = [(3, 96, 250), (2, 256, 512), (1, 32, 7)];
    let power = [(3, 64, 170), (2, 256, 500), (1, 32, 31)];
    let block_sums = |numbers: &[i32], shape| by_block(numbers, shape, |block| vec![sum(block)]);
    let total = |numbers: &[i32], _| vec![sum(numbers)];
    let up_to_each = |numbers: &[i32], _| running_sums(numbers);
    vec![
        sample("reduce_tree", &any, block_sums),
        sample("reduce_interleaved", &any, block_sums),
        sample("reduce_shuffle", &warps, block_sums),
        sample("reduce_warp_synchronous", &power, block_sums),
        sample("reduce_redux", &any, block_sums),
        sample("reduce_last_block", &[(5, 64, 300), (9, 32, 280)], total),
        sample(
            "reduce_aggregated",
            &any,
            |numbers, _| vec![numbers.iter().filter(|number| odd(number)).count() as i32],
        ),
        sample("reduce_grid_stride", &[(3, 64, 1000), (2, 96, 777)], total),
        sample("reduce_extremes", &any, |numbers, shape| {
            by_block(numbers, shape, |block| vec![least(block), most(block)])
        }),
        sample("reduce_predicates", &any, |numbers, shape| {
            by_block(numbers, shape, |block| {
                let count = block.iter().filter(|number| odd(number)).count() as i32;
                let (all, any) = (block.iter().all(|&v| v >= 0), block.iter().any(|v| v % 7 == 0));
                vec![count, i32::from(all), i32::from(any)]
            })
        }),
        sample("reduce_distinct", &any, |numbers, shape| {
            let distinct = |warp: &[i32]| warp.iter().map(|v| v & 7).collect::<BTreeSet<i32>>().len() as i32;
            by_tile(numbers, shape, 32, |warp, _| vec![distinct(warp); warp.len()])
        }),
        sample("scan_hillis", &any, |numbers, shape| by_block(numbers, shape, running_sums)),
        sample("scan_blelloch", &power, |numbers, shape| {
            by_block(numbers, shape, |block| running_sums(block).iter().zip(block).map(|(sum, v)| sum - v).collect())
        }),
        sample("scan_warp", &warps, |numbers, shape| by_tile(numbers, shape, 32, |warp, _| running_sums(warp))),
        sample("scan_block", &warps, |numbers, shape| by_block(numbers, shape, running_sums)),
        sample("scan_look_back", &[(7, 64, 400), (12, 32, 370), (3, 96, 288)], up_to_each),
        sample("scan_look_back_warp", &[(7, 64, 400), (40, 32, 1270), (3, 96, 288)], up_to_each),
        sample("compact", &warps, |numbers, shape| {
            by_block(numbers, shape, |block| {
                let mut kept: Vec<i32> = block.iter().copied().filter(odd).collect();
                kept.resize(shape.threads, 0);
                kept
            })
        }),
        sample("scan_segments", &any, |numbers, shape| {
            let segments = |block: Vec<i32>| {
                let add = |sum: &mut i32, v: i32| {
                    *sum = if v % 5 == 0 { v } else { *sum + v };
                    Some(*sum)
                };
                block.into_iter().scan(0, add).collect::<Vec<i32>>()
            };
            blocks(numbers, shape).into_iter().flat_map(segments).collect()
        }),
    ]
}
