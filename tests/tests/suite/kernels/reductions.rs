use super::{Numbers, module};

module!("reductions");

#[test]
fn reduce_tree() {
    let x = Numbers::new(1).floats(1000);
    let mut padded = x.clone();
    padded.resize(1024, 0.0);
    let tree = |block: &[f32]| {
        let mut part = block.to_vec();
        let mut half = 128;
        while half > 0 {
            (0..half).for_each(|t| part[t] += part[t + half]);
            half /= 2;
        }
        part[0]
    };
    let expected: Vec<f32> = padded.chunks(256).map(tree).collect();
    case("reduce_tree", 4, 256).input(&x).output(&expected).value(1000).run();
}

#[test]
fn reduce_shuffle() {
    let x = Numbers::new(2).ints(500, 1_000_000);
    let expected: Vec<i32> = x.chunks(32).map(|warp| warp.iter().fold(0i32, |sum, v| sum.wrapping_add(*v))).collect();
    case("reduce_shuffle", 4, 128).input(&x).output(&expected).value(500).run();
}

/// What lane 0 has after adding the lanes above, 16, 8, 4, 2 and 1 further; beyond the last lane is the lane's own value.
fn down(mut lanes: Vec<f64>) -> f64 {
    for step in [16, 8, 4, 2, 1] {
        let before = lanes.clone();
        (0..32).for_each(|lane| lanes[lane] += *before.get(lane + step).unwrap_or(&before[lane]));
    }
    lanes[0]
}

#[test]
fn reduce_down() {
    let x = Numbers::new(3).doubles(700);
    let mut padded = x.clone();
    padded.resize(768, 0.0);
    let block = |block: &[f64]| {
        let mut warps: Vec<f64> = block.chunks(32).map(|warp| down(warp.to_vec())).collect();
        warps.resize(32, 0.0);
        down(warps)
    };
    let expected: Vec<f64> = padded.chunks(192).map(block).collect();
    case("reduce_down", 4, 192).input(&x).output(&expected).value(700).run();
}

#[test]
fn reduce_atomic() {
    let x = Numbers::new(4).words(1000, u32::MAX);
    let fold = |start: u32, f: fn(u32, u32) -> u32| x.iter().fold(start, |a, b| f(a, *b));
    let expected = [
        fold(0, u32::wrapping_add),
        fold(0, u32::max),
        fold(u32::MAX, u32::min),
        fold(0, |a, b| a ^ b),
        fold(0, |a, b| a | b),
        fold(u32::MAX, |a, b| a & b),
    ];
    let before = [0, 0, u32::MAX, 0, 0, u32::MAX];
    case("reduce_atomic", 3, 96).input(&x).changes(&before, &expected).value(1000).run();
}

#[test]
fn arg_min() {
    let x = Numbers::new(5).words(900, 5000);
    let best = x.iter().enumerate().map(|(i, v)| u64::from(*v) << 32 | i as u64).min().unwrap();
    case("arg_min", 4, 256).input(&x).changes(&[u64::MAX], &[best]).value(900).run();
}

#[test]
fn count_ballot() {
    let x = Numbers::new(6).ints(470, 100);
    let mut expected = [0u32; 3];
    for warp in 0..16 {
        let holds = |lane: usize| x.get(32 * warp + lane).is_some_and(|v| *v < 40);
        let count = (0..32).filter(|lane| holds(*lane)).count() as u32;
        expected[0] += count;
        expected[1] += u32::from(count == 32);
        expected[2] += u32::from(count > 0);
    }
    case("count_ballot", 4, 128).input(&x).output(&expected).value(40).value(470).run();
}

#[test]
fn reduce_redux() {
    let x = Numbers::new(7).ints(256, i32::MAX / 2);
    let expected: Vec<i32> = x
        .chunks(32)
        .flat_map(|warp| {
            let sum = warp.iter().fold(0i32, |sum, v| sum.wrapping_add(*v));
            [sum, *warp.iter().min().unwrap(), warp.iter().fold(0, |bits, v| bits ^ v)]
        })
        .collect();
    case("reduce_redux", 2, 128).input(&x).output(&expected).run();
}

#[test]
fn reduce_halves() {
    let x = Numbers::new(8).ints(96, 1000);
    let half = |(index, half): (usize, &[i32])| {
        let value = if index % 2 == 0 { half.iter().sum::<i32>() } else { *half.iter().max().unwrap() };
        vec![value; 16]
    };
    let expected: Vec<i32> = x.chunks(16).enumerate().flat_map(half).collect();
    case("reduce_halves", 1, 96).input(&x).output(&expected).run();
}

#[test]
fn groups() {
    let mut x = Numbers::new(9).ints(192, 3);
    x[64..96].fill(7);
    let mut leaders = Vec::new();
    let mut sizes = Vec::new();
    for warp in x.chunks(32) {
        for key in warp {
            let same: Vec<usize> = (0..32).filter(|lane| warp[*lane] == *key).collect();
            leaders.push(same[0] as u32);
            sizes.push(same.len() as u32 + if same.len() == 32 { 132 } else { 0 });
        }
    }
    case("groups", 3, 64).input(&x).output(&leaders).output(&sizes).run();
}

#[test]
fn last_block() {
    let x = Numbers::new(10).words(1300, 1000);
    let partial: Vec<u32> = x.chunks(128).map(|block| block.iter().sum()).collect();
    let sum = x.iter().sum::<u32>();
    let blocks = partial.len() as u32;
    case("last_block", blocks, 128).input(&x).output(&partial).output(&[0u32]).output(&[sum]).value(1300).run();
}

#[test]
fn barrier_votes() {
    let mut x = Numbers::new(11).ints(320, 50);
    x[80..160].fill(3);
    x[160..240].fill(-3);
    let expected: Vec<i32> = x
        .chunks(80)
        .flat_map(|block| {
            let count = block.iter().filter(|v| **v > 0).count() as i32;
            [count, i32::from(count == 80), i32::from(count > 0)]
        })
        .collect();
    case("barrier_votes", 4, 80).input(&x).output(&expected).run();
}
