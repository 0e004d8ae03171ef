use super::{Numbers, module};

module!("sync");

#[test]
fn histogram() {
    let x: Vec<u8> = Numbers::new(1).words(3000, 256).into_iter().map(|word| word as u8).collect();
    let mut bins = vec![0u32; 256];
    x.iter().for_each(|byte| bins[usize::from(*byte)] += 1);
    case("histogram", 5, 96).input(&x).output(&bins).value(3000).run();
}

#[test]
fn ticket_lock() {
    // The second word depends on who came when; the first does not.
    let count = |words: &[u32]| match words[0] {
        60 => Ok(()),
        other => Err(format!("{other} turns and not 60")),
    };
    case("ticket_lock", 12, 32).changes(&[0u32, 0], &[60, 60]).holds(&[0u32, 0], count).value(5).run();
}

#[test]
fn atomics() {
    let x = Numbers::new(2).ints(500, 1 << 20);
    let bits = |fold: fn(u32, (usize, &i32)) -> u32, start: u32| x.iter().enumerate().fold(start, fold);
    let sum = x.iter().fold(0i32, |sum, v| sum.wrapping_add(*v)).cast_unsigned();
    let words = [
        sum,
        sum.wrapping_neg(),
        x.iter().copied().max().unwrap().cast_unsigned(),
        x.iter().copied().min().unwrap().cast_unsigned(),
        500 % 10,
        // From 0 to 9, and down from there.
        (0..500).fold(0, |old, _| if old == 0 { 9 } else { old - 1 }),
        bits(|all, (i, _)| all & !(1 << (i % 32)), u32::MAX),
        bits(|all, (_, v)| all | 1 << (v & 31), 0),
    ];
    let wide = |v: i32| i64::from(v).cast_unsigned();
    let longs = [
        x.iter().fold(0u64, |sum, v| sum.wrapping_add(wide(*v).wrapping_mul(0x1_0000_0001))),
        x.iter().map(|v| wide(*v) << 20).max().unwrap(),
        x.iter().enumerate().fold(0, |all, (i, v)| all ^ (wide(*v) << 32 | i as u64)),
    ];
    // These sums are exact in any order.
    let floats = [x.iter().map(|v| (v % 64) as f32).sum::<f32>()];
    let doubles = [x.iter().map(|v| f64::from(*v)).sum::<f64>()];
    let before = [0u32, 0, 1 << 31, i32::MAX.cast_unsigned(), 0, 0, u32::MAX, 0];
    let launch = case("atomics", 4, 128).changes(&before, &words).output(&longs).output(&floats).output(&doubles);
    launch.input(&x).value(500).run();
}

#[test]
fn hand_over() {
    let x = Numbers::new(3).ints(6 * 32, 1000);
    let expected: Vec<i32> =
        x.chunks(32).flat_map(|round| round.iter().rev().map(|v| v * 2 + 1).collect::<Vec<_>>()).collect();
    case("hand_over", 1, 64).input(&x).output(&expected).value(6).run();
}

#[test]
fn ring() {
    let visits: Vec<u32> = (0..7).map(|block| (0..4).map(|round| round * 7 + block).sum()).collect();
    case("ring", 7, 32).changes(&[0u32], &[28]).output(&visits).value(4).dependent().run();
}

#[test]
fn pointers() {
    let mut numbers = Numbers::new(4);
    let (a, b) = (numbers.ints(100, 1000), numbers.ints(100, 1000));
    let expected: Vec<i32> = (0..100).map(|i| [a[i] + b[i], a[i] - b[i], a[i] * b[i]][i % 3]).collect();
    case("pointers", 2, 64).input(&a).input(&b).output(&expected).value(100).run();
}

#[test]
fn virtuals() {
    let expected: Vec<i32> = (0..90).map(|i| if (i * 5 % 3) & 1 == 0 { i * i } else { 3 * (i + 7) + 1 }).collect();
    case("virtuals", 3, 32).output(&expected).value(90).run();
}

#[test]
fn lists() {
    let sum = |i: i32| (0..=i % 6).rev().fold(0, |sum, k| sum * 2 + i + k);
    case("lists", 2, 64).output(&(0..100).map(sum).collect::<Vec<_>>()).value(6).value(100).run();
}

#[test]
fn chain() {
    let expected: Vec<i32> = (0..32).map(|lane| lane * (lane + 1) / 2).collect();
    case("chain", 1, 32).output(&expected).run();
}

#[test]
fn print() {
    let line = |i: i32| {
        let word = if i % 2 == 1 { "odd" } else { "even" };
        format!("{i}: {:5.2}|{:<4x}|{word}|{}%", f64::from(i) * 1.5, i * 17, char::from(b'a' + i as u8))
    };
    case("print", 2, 8).value(13).prints((0..13).map(line)).run();
}
