//! Sorting, transposition, products, stencils and histograms.

use super::{Expected, Sample, Shape, by_block, by_tile, one_each, sample};

fn sorted(numbers: &[i32]) -> Vec<i32> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers
}

/// Returns what is at a place, or 0 beyond the ends.
fn at(numbers: &[i32], index: usize, by: isize) -> i32 {
    index.checked_add_signed(by).and_then(|index| numbers.get(index)).copied().unwrap_or(0)
}

fn histogram(numbers: &[i32], _: Shape) -> Vec<i32> {
    let mut bins = vec![0; 64];
    numbers.iter().for_each(|v| bins[(v & 63) as usize] += 1);
    bins
}

pub(super) fn samples() -> Vec<Sample> {
    let any = [(3, 75, 225), (1, 128, 128), (2, 33, 66)];
    let warps = [(3, 96, 288), (1, 32, 32)];
    let power = [(3, 64, 192), (1, 256, 256), (2, 16, 32)];
    let sorts = |name, shapes: &[_]| sample(name, shapes, |numbers, shape| by_block(numbers, shape, sorted));
    let sorts_warps: Expected = |numbers, shape| by_tile(numbers, shape, 32, |warp, _| sorted(warp));
    vec![
        sorts("sort_bitonic", &power),
        sorts("sort_odd_even", &any),
        sorts("sort_radix", &any),
        sample("sort_match", &warps, sorts_warps),
        sample("sort_bitonic_shuffle", &warps, sorts_warps),
        sorts("sort_rank", &any),
        sorts("sort_merge", &any),
        sample("transpose_tiled", &[(9, 256, 45), (3, 256, 3)], |numbers, Shape { n, .. }| {
            (0..37 * n).map(|index| numbers[index % n * 37 + index / n]).collect()
        })
        .given(|shape| 37 * shape.n),
        sample("transpose_shuffle", &[(2, 96, 0), (1, 32, 0)], |numbers, _| {
            let warp = |warp: &[i32]| (0..128).map(|w| warp[w % 4 * 32 + w / 4]).collect::<Vec<i32>>();
            numbers.chunks(128).flat_map(warp).collect()
        })
        .given(|shape| 4 * one_each(shape)),
        sample("product_tiled", &[(9, 64, 19), (1, 64, 5), (4, 64, 16)], |numbers, Shape { n, .. }| {
            let element = |i: usize| (0..n).map(|k| numbers[i / n * n + k] * numbers[n * n + k * n + i % n]).sum();
            (0..n * n).map(element).collect()
        })
        .given(|shape| 2 * shape.n * shape.n),
        sample("stencil_line", &[(3, 75, 200), (2, 128, 256), (7, 33, 230)], |numbers, _| {
            (0..numbers.len()).map(|i| (-3..=3).map(|by| at(numbers, i, by)).sum()).collect()
        }),
        sample("stencil_rounds", &any, |numbers, shape| {
            by_block(numbers, shape, |block| {
                let (mut words, size) = (block.to_vec(), block.len());
                for _ in 0..9 {
                    let next = |t: usize| words[(t + size - 1) % size] - 2 * words[t] + words[(t + 1) % size];
                    words = (0..size).map(next).collect();
                }
                words
            })
        }),
        sample("stencil_shuffle", &[(3, 96, 250), (1, 32, 31)], |numbers, _| {
            (0..numbers.len()).map(|i| at(numbers, i, -1) + 3 * numbers[i] + at(numbers, i, 1)).collect()
        }),
        sample("histogram_shared", &[(3, 75, 1000), (2, 33, 100)], histogram),
        sample("histogram_warps", &[(3, 96, 1000), (2, 64, 100)], histogram),
        sample("histogram_labels", &[(9, 75, 600), (2, 33, 50)], histogram),
    ]
}
