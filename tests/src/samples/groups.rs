//! Cooperative groups.

use super::{Expected, Sample, blocks, by_tile, least, most, odd, one_each, running_sums, sample, sum};

/// The expected result of a tile whose number of threads is known at compile time.
macro_rules! tile {
    ($size:literal, $shapes:expr) => {
        sample(concat!("tile_sum_", $size), $shapes, |numbers, shape| {
            by_tile(numbers, shape, $size, |tile, _| vec![2 * sum(tile) + i32::from(sum(tile) == 0); tile.len()])
        })
    };
}

macro_rules! wide {
    ($size:literal, $shapes:expr) => {
        sample(concat!("wide_tile_", $size), $shapes, |numbers, shape| {
            by_tile(numbers, shape, $size, |tile, _| vec![sum(tile) ^ (most(tile) * 3); tile.len()])
        })
    };
}

/// The rank of a thread among those that are alike, and who is the first of them.
fn alike<T: PartialEq>(tile: &[i32], of: impl Fn(i32) -> T, at: usize) -> (usize, Vec<i32>) {
    let same = |&&v: &&i32| of(v) == of(tile[at]);
    (tile[..at].iter().filter(same).count(), tile.iter().filter(same).copied().collect())
}

pub(super) fn samples() -> Vec<Sample> {
    let warps = [(2, 96, 180), (1, 32, 32), (3, 64, 150)];
    let copied: Expected = |numbers, shape| {
        let part = |part: &[i32]| (0..part.len()).map(|t| part[(t + 5) % part.len()]).collect::<Vec<i32>>();
        numbers.chunks(shape.threads).flat_map(part).collect()
    };
    vec![
        tile!(1, &[(2, 33, 60), (1, 1, 1)]),
        tile!(2, &[(2, 34, 60), (1, 50, 50)]),
        tile!(4, &[(2, 36, 70), (1, 100, 99)]),
        tile!(8, &[(2, 40, 70), (1, 104, 100)]),
        tile!(16, &[(2, 48, 90), (1, 112, 111)]),
        tile!(32, &[(2, 96, 190), (1, 32, 5)]),
        sample("tile_reduce", &warps, |numbers, shape| {
            by_tile(numbers, shape, 32, |warp, _| {
                let one = |lane: usize| sum(warp) - most(&warp[lane / 8 * 8..lane / 8 * 8 + 8]) * 5 + (lane / 8) as i32;
                (0..32).map(one).collect()
            })
        }),
        sample("tile_scan", &[(2, 48, 90), (1, 112, 111)], |numbers, shape| {
            by_tile(numbers, shape, 16, |tile, _| {
                let one = |(at, all): (usize, i32)| (all - tile[at]) ^ (least(&tile[..=at]) * 3);
                running_sums(tile).into_iter().enumerate().map(one).collect()
            })
        }),
        sample("coalesced", &[(3, 75, 200), (2, 33, 60)], |numbers, _| {
            let odds = numbers.iter().filter(|v| odd(v)).count();
            vec![odds as i32, (numbers.len() - odds) as i32]
        }),
        sample("partition_two", &warps, |numbers, shape| {
            by_tile(numbers, shape, 32, |warp, _| {
                let one = |at| {
                    let (_, group) = alike(warp, |v| v & 1, at);
                    sum(&group) + group.len() as i32
                };
                (0..32).map(one).collect()
            })
        }),
        sample("partition_labels", &warps, |numbers, shape| {
            by_tile(numbers, shape, 32, |warp, _| {
                let one = |at| {
                    let (rank, group) = alike(warp, |v| v & 3, at);
                    group[0] * 100 + rank as i32
                };
                (0..32).map(one).collect()
            })
        }),
        sample("tile_votes", &[(2, 48, 90), (1, 112, 111)], |numbers, shape| {
            by_tile(numbers, shape, 16, |tile, _| {
                let odds = tile.iter().filter(|v| odd(v)).count() as i32;
                let all = i32::from(tile.iter().all(|&v| v > -900));
                let one = |at| odds * 10000 + alike(tile, |v| v & 3, at).1.len() as i32 * 10 + all;
                (0..16).map(one).collect()
            })
        }),
        sample("tile_shuffles", &[(2, 40, 70), (1, 104, 100)], |numbers, shape| {
            by_tile(numbers, shape, 8, |tile, _| {
                let up = |rank: usize| if rank >= 2 { tile[rank - 2] } else { 0 };
                let down = |rank: usize| if rank < 5 { tile[rank + 3] * 7 } else { 0 };
                (0..8).map(|rank| up(rank) + down(rank) - tile[rank * 3 % 8]).collect()
            })
        }),
        sample("group_copy", &[(2, 75, 400), (1, 33, 100), (3, 64, 192)], copied),
        sample("some_tiles", &[(2, 36, 70), (1, 100, 99)], |numbers, shape| {
            let tile = |tile: &[i32], index: usize| match index % 3 {
                0 => vec![sum(tile); 4],
                1 => vec![tile[3]; 4],
                _ => vec![0; 4],
            };
            by_tile(numbers, shape, 4, tile)
        }),
        // The block as a group of its own.
        sample("block_ranks", &[(2, 33, 66), (1, 100, 100)], |numbers, shape| {
            blocks(numbers, shape).into_iter().flat_map(|block| block.into_iter().rev()).collect()
        })
        .given(one_each),
    ]
}

/// Tiles of several warps, which keep what they share in memory that `%reserved_smem_offset` names.
pub(super) fn wide() -> Vec<Sample> {
    vec![
        wide!(64, &[(2, 128, 200), (1, 64, 60)]),
        wide!(128, &[(2, 256, 500), (1, 128, 100)]),
        wide!(256, &[(1, 512, 500), (2, 256, 300)]),
        wide!(512, &[(1, 1024, 1000), (2, 512, 600)]),
    ]
}
