use super::{Numbers, module};

module!("numeric");

#[test]
fn nbody() {
    let bodies = Numbers::new(1).floats(4 * 100);
    let force = |me: &[f32]| {
        let mut sum = [0f32; 3];
        for other in bodies.chunks(4) {
            let [dx, dy, dz] = [0, 1, 2].map(|axis| other[axis] - me[axis]);
            let distance = (dx * dx + dy * dy + dz * dz + 0.01).sqrt();
            let scale = other[3] / (distance * distance * distance);
            for (sum, d) in sum.iter_mut().zip([dx, dy, dz]) {
                *sum += d * scale;
            }
        }
        [sum[0], sum[1], sum[2], me[3]]
    };
    let expected: Vec<f32> = bodies.chunks(4).flat_map(force).collect();
    case("nbody", 2, 64).input(&bodies).output(&expected).value(100).run();
}

#[test]
fn monte_carlo() {
    let hits = |i: u64| {
        let mut state = i.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        let mut hits = 0u32;
        for _ in 0..50 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let (x, y) = (state & 0xffff_ffff, state >> 32);
            hits += u32::from(((x * x) >> 32) + ((y * y) >> 32) < 1 << 32);
        }
        hits
    };
    case("monte_carlo", 4, 64).output(&(0..256).map(hits).collect::<Vec<_>>()).value(50).run();
}

#[test]
fn gcds() {
    let mut numbers = Numbers::new(2);
    let (a, b) = (numbers.longs(200), numbers.longs(200).into_iter().rev().collect::<Vec<_>>());
    let gcd = |(mut a, mut b): (u64, u64)| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let expected: Vec<u64> = a.iter().copied().zip(b.iter().copied()).map(gcd).collect();
    case("gcds", 2, 128).input(&a).input(&b).output(&expected).value(200).run();
}

#[test]
fn primes() {
    let mut sieve = vec![1u8; 1000];
    sieve[..2].fill(0);
    for i in 2..1000 {
        (2 * i..1000).step_by(i).for_each(|multiple| sieve[multiple] = 0);
    }
    case("primes", 4, 256).output(&sieve).value(1000).run();
}

#[test]
fn levenshtein() {
    let mut numbers = Numbers::new(3);
    let words: Vec<u8> = (0..64 * 2)
        .flat_map(|_| {
            let length = numbers.next() as usize % 17;
            let letters = numbers.words(16, 3);
            (0..16).map(move |i| if i < length { b'a' + letters[i] as u8 } else { 0 })
        })
        .collect();
    let trimmed = |word: &[u8]| word.iter().copied().take_while(|letter| *letter != 0).collect::<Vec<_>>();
    fn distance(a: &[u8], b: &[u8]) -> i32 {
        // Row by row over the whole table.
        let mut table = vec![vec![0i32; b.len() + 1]; a.len() + 1];
        for y in 0..=a.len() {
            for x in 0..=b.len() {
                table[y][x] = match (y, x) {
                    (0, x) => x as i32,
                    (y, 0) => y as i32,
                    _ => {
                        let change = table[y - 1][x - 1] + i32::from(a[y - 1] != b[x - 1]);
                        change.min(table[y - 1][x] + 1).min(table[y][x - 1] + 1)
                    }
                };
            }
        }
        table[a.len()][b.len()]
    }
    let pair = |pair: &[u8]| distance(&trimmed(&pair[..16]), &trimmed(&pair[16..]));
    let expected: Vec<i32> = words.chunks(32).map(pair).collect();
    case("levenshtein", 2, 48).input(&words).output(&expected).value(64).run();
}

#[test]
fn crc32() {
    let data: Vec<u8> = Numbers::new(4).words(23 * 60, 256).into_iter().map(|word| word as u8).collect();
    let crc = |message: &[u8]| {
        let mut crc = u32::MAX;
        for byte in message {
            crc ^= u32::from(*byte);
            (0..8).for_each(|_| crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 });
        }
        !crc
    };
    assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    case("crc32", 1, 64).input(&data).output(&data.chunks(23).map(crc).collect::<Vec<_>>()).value(23).value(60).run();
}

/// The first 64 fractional bits of a root of a prime number, from which SHA-256 takes its constants.
fn root_bits(prime: u32, root: u32) -> u32 {
    // The largest integer whose power is at most the prime times 2^(32 root).
    let target = u128::from(prime) << (32 * root);
    let mut value = 0u128;
    for bit in (0..40).rev() {
        let larger = value | 1 << bit;
        if larger.checked_pow(root).is_some_and(|power| power <= target) {
            value = larger;
        }
    }
    value as u32
}

#[test]
fn sha256() {
    let primes: Vec<u32> = (2..400).filter(|n| (2..*n).all(|d| n % d != 0)).take(64).collect();
    let hash = |message: u32| {
        let mut w = [0u32; 64];
        (w[0], w[1], w[15]) = (message, 0x8000_0000, 32);
        for k in 16..64 {
            let s0 = w[k - 15].rotate_right(7) ^ w[k - 15].rotate_right(18) ^ w[k - 15] >> 3;
            let s1 = w[k - 2].rotate_right(17) ^ w[k - 2].rotate_right(19) ^ w[k - 2] >> 10;
            w[k] = w[k - 16].wrapping_add(s0).wrapping_add(w[k - 7]).wrapping_add(s1);
        }
        let start: [u32; 8] = std::array::from_fn(|k| root_bits(primes[k], 2));
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = start;
        for k in 0..64 {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let t1 = h
                .wrapping_add(s1)
                .wrapping_add(e & f ^ !e & g)
                .wrapping_add(root_bits(primes[k], 3))
                .wrapping_add(w[k]);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add(a & b ^ a & c ^ b & c);
            (a, b, c, d, e, f, g, h) = (t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g);
        }
        let end = [a, b, c, d, e, f, g, h];
        std::array::from_fn::<u32, 8, _>(|k| start[k].wrapping_add(end[k]))
    };
    case("sha256", 2, 40).output(&(0..70).flat_map(hash).collect::<Vec<_>>()).value(70).run();
}

#[test]
fn fibonacci() {
    const NUMBERS: [u32; 13] = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144];
    let expected: Vec<u32> = (0..70).map(|i| NUMBERS[i % 13]).collect();
    case("fibonacci", 2, 40).output(&expected).value(70).run();
}

#[test]
fn queens() {
    // Solutions with the first queen in each column of a board of six and of seven.
    case("queens", 1, 32).output(&[0, 1, 1, 1, 1, 0]).value(6).run();
    case("queens", 1, 32).output(&[4, 7, 6, 6, 6, 7, 4]).value(7).run();
}

#[test]
fn parity() {
    let expected: Vec<u32> = (0..60).map(|i| if i % 23 % 2 == 0 { 2 } else { i % 17 % 2 }).collect();
    case("parity", 1, 64).output(&expected).value(60).run();
}

#[test]
fn interpret() {
    let code = Numbers::new(5).ints(60 * 20, 400);
    let result = |code: &[i32]| {
        let (mut stack, mut top) = ([0i32; 8], 0i32);
        let at = |top: i32| (top & 7) as usize;
        for &op in code {
            let last = at(top - 1);
            match op & 7 {
                0 => {
                    stack[at(top)] = op >> 3;
                    top += 1;
                }
                4 => {
                    stack[at(top)] = stack[last];
                    top += 1;
                }
                operator @ 1..=3 => {
                    top -= 1;
                    let (b, a) = (stack[at(top)], &mut stack[at(top - 1)]);
                    *a = [a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b)][operator as usize - 1];
                }
                5 => stack[last] = stack[last].wrapping_neg(),
                6 => stack[last] ^= op >> 3,
                _ => stack[last] >>= 1,
            }
        }
        stack[at(top - 1)]
    };
    let expected: Vec<i32> = code.chunks(20).map(result).collect();
    case("interpret", 2, 32).input(&code).output(&expected).value(20).value(60).run();
}
