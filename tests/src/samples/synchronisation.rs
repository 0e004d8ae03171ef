//! Threads that wait for each other, without a library and with libcu++.

use super::{Sample, Shape, blocks, by_block, by_tile, odd, one_each, running_sums, sample, sum};

fn warps(shape: Shape) -> i32 {
    shape.threads.div_ceil(32) as i32
}

/// A list of rounds, each from the end of its part to the beginning.
fn backwards(numbers: &[i32], part: usize, result: impl Fn(i32, usize, usize) -> i32) -> Vec<i32> {
    let round = |(round, numbers): (usize, &[i32])| {
        numbers.iter().rev().enumerate().map(|(at, &v)| result(v, round, at)).collect::<Vec<i32>>()
    };
    numbers.chunks(part).enumerate().flat_map(round).collect()
}

fn early_returns(block: &[i32]) -> Vec<i32> {
    let (mut values, mut words) = (block.to_vec(), vec![0; block.len()]);
    for round in 1..=5 {
        let stays = |t: &usize| t.is_multiple_of(7) || t % 7 >= round;
        (0..block.len()).filter(stays).for_each(|t| words[t] = values[t] + round as i32);
        let goes_on = |t: &usize| t.is_multiple_of(7) || t % 7 > round;
        (0..block.len()).filter(goes_on).for_each(|t| values[t] += words[block.len() - 1 - t]);
    }
    values
}

fn halves(block: &[i32]) -> Vec<i32> {
    let mut values = block.to_vec();
    for half in 0..2 {
        for _ in 0..3 + 4 * half {
            let before = values.clone();
            (0..64).for_each(|t| values[64 * half + t] += before[64 * half + (t + 1) % 64]);
        }
    }
    (0..128).map(|t| values[t].wrapping_add(values[(t + 64) % 128])).collect()
}

fn total(numbers: &[i32], _: Shape) -> Vec<i32> {
    vec![sum(numbers)]
}

pub(super) fn waits() -> Vec<Sample> {
    let any = [(2, 75, 140), (1, 256, 250), (3, 33, 99), (1, 1, 1)];
    vec![
        sample("early_return", &any, |numbers, shape| {
            let block =
                |block: &[i32]| (0..block.len()).map(|t| block[(t + 1) % block.len()] - block[t]).collect::<Vec<i32>>();
            numbers.chunks(shape.threads).flat_map(block).collect()
        }),
        sample("early_returns", &any, |numbers, shape| by_block(numbers, shape, early_returns)),
        sample("return_of_warps", &[(2, 144, 280), (1, 33, 30)], |numbers, shape| {
            by_block(numbers, shape, |block| {
                let stays = |t: usize| (t / 32).is_multiple_of(2);
                let all = (0..block.len()).filter(|&t| stays(t)).map(|t| block[t]).sum();
                (0..block.len()).map(|t| if stays(t) { all } else { 0 }).collect()
            })
        }),
        sample("two_buffers", &[(1, 64, 224), (1, 64, 32)], |numbers, _| {
            backwards(numbers, 32, |v, round, _| v * 3 + round as i32)
        }),
        sample("one_to_many", &[(1, 128, 480), (1, 128, 96)], |numbers, _| {
            backwards(numbers, 96, |v, _, at| v ^ (at / 32 + 1) as i32)
        }),
        sample("halves", &[(2, 128, 200), (1, 128, 128)], |numbers, shape| by_block(numbers, shape, halves)),
        sample("ring_of_warps", &[(1, 256, 0), (1, 96, 0), (1, 32, 0)], |numbers, _| {
            let mut out = numbers.to_vec();
            (32..out.len()).for_each(|t| out[t] += out[t / 32 * 32 - 1 - t % 32]);
            out
        })
        .given(one_each),
        sample("lock_of_warps", &[(3, 75, 0), (2, 256, 0)], |_, shape| vec![3 * shape.blocks as i32 * warps(shape)]),
        sample("lock_of_lanes", &[(2, 40, 70), (1, 32, 32)], total).deadlocks_on_stack(),
        sample("lock_in_loop", &[(2, 40, 70), (1, 32, 32)], total),
        sample("lock_by_ticket", &[(3, 75, 0), (2, 256, 0)], |_, shape| vec![shape.blocks as i32 * warps(shape)]),
        sample("two_locks", &[(2, 40, 70), (1, 33, 32)], |numbers, _| {
            let mut accounts = vec![0; 8];
            for (i, v) in numbers.iter().enumerate() {
                accounts[(v & 7) as usize] -= i as i32;
                accounts[(v >> 3 & 7) as usize] += i as i32;
            }
            accounts
        }),
        sample("chain_of_lanes", &[(1, 40, 0), (1, 96, 0)], |numbers, _| running_sums(numbers))
            .given(one_each)
            .deadlocks_on_stack(),
        sample("flag_in_warp", &[(1, 32, 0), (1, 7, 0)], |_, _| vec![7]).deadlocks_on_stack(),
        sample("barrier_of_grid", &[(6, 40, 6), (13, 33, 13)], |numbers, _| {
            let mut values = numbers.to_vec();
            for _ in 0..2 {
                values = (0..values.len()).map(|b| values[b] + values[(b + 1) % values.len()]).collect();
            }
            values
        }),
        sample("blocks_in_order", &[(6, 40, 6), (9, 1, 9)], |numbers, _| {
            let add = |before: &mut i32, v: &i32| {
                *before = *before * 3 + v;
                Some(*before)
            };
            numbers.iter().scan(0, add).collect()
        }),
        sample("queue", &[(2, 75, 100), (3, 33, 7)], |numbers, _| {
            let mut counts = vec![0; 17];
            for v in numbers {
                let mut v = (v & 15) + 1;
                while v > 0 {
                    counts[v as usize] += 1;
                    v /= 2;
                }
            }
            counts
        }),
        sample("parts_of_warp", &[(2, 96, 192), (1, 32, 32)], |numbers, shape| {
            by_tile(numbers, shape, 32, |warp, _| {
                let odds: i32 = warp.iter().filter(|v| odd(v)).sum();
                let even = warp.iter().filter(|v| !odd(v)).max().copied().unwrap_or(0);
                let first = |lane: usize| (0..32).find(|k| k % 4 == lane % 4 && odd(&warp[*k])).map_or(0, |k| warp[k]);
                let got = |lane: usize| if odd(&warp[lane]) { odds + first(lane) } else { even };
                (0..32).map(|lane| got(lane) + warp[lane ^ 1]).collect()
            })
        }),
    ]
}

pub(super) fn library() -> Vec<Sample> {
    let any = [(2, 75, 140), (1, 128, 100), (3, 33, 99)];
    vec![
        sample("atomic_refs", &any, |numbers, _| {
            let most = numbers.iter().copied().max().unwrap_or(0).max(0);
            let bits = numbers.iter().fold(0i32, |all, v| all | 1i32 << (v & 31));
            vec![sum(numbers), most, bits, numbers.iter().map(|v| 3 * v + 1).sum()]
        }),
        sample("atomic_flags", &[(2, 75, 0), (1, 256, 0)], |_, shape| {
            vec![(0..warps(shape)).fold(0, |sum, warp| sum * 3 + warp + 1); shape.blocks]
        }),
        sample("semaphore_of_warps", &[(2, 75, 0), (1, 256, 0)], |_, shape| vec![6 * warps(shape); shape.blocks]),
        sample("semaphore_of_lanes", &[(2, 40, 0), (1, 32, 0)], |_, shape| vec![shape.threads as i32; shape.blocks])
            .deadlocks_on_stack(),
        sample("semaphore_counting", &[(2, 75, 0), (1, 256, 0)], |_, shape| [3 * warps(shape), 1].repeat(shape.blocks)),
        sample("semaphore_hand_over", &[(1, 40, 9), (1, 64, 20)], |numbers, _| {
            numbers.iter().map(|v| v * 2 + 1).collect()
        }),
        sample("latch_all", &any, |numbers, shape| {
            blocks(numbers, shape).into_iter().flat_map(|block| block.into_iter().rev()).collect()
        }),
        sample("latch_of_warps", &[(2, 75, 140), (1, 256, 250)], |numbers, shape| {
            by_block(numbers, shape, |block| (0..32).map(|t| block[32..].iter().skip(t).step_by(32).sum()).collect())
        }),
        sample("barrier_rounds", &any, |numbers, shape| {
            by_block(numbers, shape, |block| {
                let (mut values, size) = (block.to_vec(), block.len());
                for round in 0..5 {
                    values = (0..size).map(|t| values[t] + 2 * values[(t + round + 1) % size]).collect();
                }
                values
            })
        }),
        sample("barrier_split", &any, |numbers, shape| {
            by_block(numbers, shape, |block| {
                let own = |t: usize| (0..t % 5).fold(block[t], |v, _| v * 3 + 1);
                (0..block.len()).map(|t| own(t) + block[(t + 1) % block.len()]).collect()
            })
        }),
        sample("barrier_roles", &[(1, 128, 320), (1, 128, 64)], |numbers, _| {
            backwards(numbers, 64, |v, round, _| v + round as i32)
        }),
        sample("barrier_drop", &[(2, 128, 0), (1, 75, 0)], |_, shape| {
            let thread = |t: usize| (1..=(t / 16) as i32).sum::<i32>();
            vec![(0..shape.threads).map(thread).sum(); shape.blocks]
        }),
        sample("barrier_completion", &[(2, 75, 0), (1, 128, 0)], |_, shape| vec![0o1234; one_each(shape)]),
        sample("copy_barrier", &[(2, 75, 400), (1, 64, 100)], |numbers, shape| {
            numbers.chunks(shape.threads).flat_map(|part| part.iter().rev().copied()).collect()
        }),
        sample("pipeline_block", &[(1, 48, 288), (1, 75, 300), (1, 128, 128)], |numbers, shape| {
            let part = |part: &[i32]| (0..part.len()).map(|t| part[(t + 1) % part.len()] * 2).collect::<Vec<i32>>();
            numbers.chunks(shape.threads).flat_map(part).collect()
        }),
        sample("pipeline_thread", &[(1, 48, 288), (1, 75, 300), (1, 128, 128)], |numbers, shape| {
            let thread = |t: usize| numbers.iter().skip(t).step_by(shape.threads).fold(0, |sum, v| sum * 5 + v);
            (0..shape.threads).map(thread).collect()
        }),
        sample("pipeline_roles", &[(1, 96, 320), (1, 128, 64)], |numbers, _| {
            backwards(numbers, 64, |v, round, _| v - round as i32)
        }),
    ]
}
