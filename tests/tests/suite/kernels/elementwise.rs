use super::{Numbers, module};

module!("elementwise");

#[test]
fn saxpy() {
    let mut numbers = Numbers::new(1);
    let (x, y) = (numbers.floats(1000), numbers.floats(1000));
    let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 1.7f32.mul_add(*x, *y)).collect();
    case("saxpy", 4, 256).value(1.7f32).input(&x).changes(&y, &expected).value(1000).run();
}

#[test]
fn clamp_mix() {
    let x = Numbers::new(2).doubles(777);
    let expected: Vec<f64> = x
        .iter()
        .enumerate()
        .map(|(i, x)| {
            let v = x.clamp(-100.0, 250.0);
            if i % 3 != 0 { v * 0.5 + 1.0 } else { -v }
        })
        .collect();
    case("clamp_mix", 13, 64).input(&x).output(&expected).value(-100f64).value(250f64).value(777).run();
}

#[test]
fn horner() {
    let x = Numbers::new(3).doubles(500);
    let expected: Vec<f64> =
        x.iter().map(|x| (1..8).rev().fold(0.125f64, |sum, k| sum.mul_add(*x, 1.0 / f64::from(k)))).collect();
    case("horner", 4, 128).input(&x).output(&expected).value(500).run();
}

#[test]
fn mix64() {
    let x = Numbers::new(4).longs(900);
    let mix = |x: &u64| {
        let z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    case("mix64", 4, 256).input(&x).output(&x.iter().map(mix).collect::<Vec<_>>()).value(900).run();
}

#[test]
fn bits() {
    let x = Numbers::new(5).longs(300);
    let first = |at: u32, bits: u32| if at == bits { 0 } else { at + 1 };
    let expected: Vec<u32> = x
        .iter()
        .flat_map(|&v| {
            let w = v as u32;
            [
                w.count_ones(),
                v.count_ones(),
                w.leading_zeros(),
                v.leading_zeros(),
                w.reverse_bits(),
                first(w.trailing_zeros(), 32),
                first(v.trailing_zeros(), 64),
                (v.reverse_bits() >> 32) as u32,
            ]
        })
        .collect();
    case("bits", 2, 160).input(&x).output(&expected).value(300).run();
}

#[test]
fn quotients() {
    let mut numbers = Numbers::new(6);
    // No divisor is 0, and nothing overflows.
    let (a, b): (Vec<i64>, Vec<i64>) = (0..400)
        .map(|i| {
            let (x, y) = (numbers.next() >> (i % 60), numbers.next() >> (i % 61) | 1);
            (x.cast_signed(), y.cast_signed())
        })
        .unzip();
    let expected: Vec<i64> = a
        .iter()
        .zip(&b)
        .flat_map(|(&x, &y)| {
            let (p, q) = (x as i32, y as i32 | 1);
            [
                x.wrapping_div(y),
                x.wrapping_rem(y),
                (x.cast_unsigned() / y.cast_unsigned()).cast_signed(),
                (x.cast_unsigned() % y.cast_unsigned()).cast_signed(),
                i64::from(p.wrapping_div(q)),
                i64::from(p.wrapping_rem(q)),
                i64::from(p.cast_unsigned() / q.cast_unsigned()),
                i64::from(p.cast_unsigned() % q.cast_unsigned()),
            ]
        })
        .collect();
    case("quotients", 4, 128).input(&a).input(&b).output(&expected).value(400).run();
}

#[test]
fn conversions() {
    let mut x = Numbers::new(7).floats(200);
    x.extend([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3e9, -3e9, 1e20, -1e20, f32::MAX, f32::INFINITY, -0.0, 2147483520.0]);
    let mut out = Vec::new();
    let mut back = Vec::new();
    for &v in &x {
        let nearest = v.round_ties_even();
        let ints = [
            nearest as i32,
            v as i32,
            v.ceil() as i32,
            v.floor() as i32,
            (v as u32).cast_signed(),
            i32::from(v as i32 as i16),
        ];
        out.extend(ints);
        let parts = [nearest, v.floor(), v.ceil(), v.trunc()];
        back.extend([ints[1] as f32, ints[0].cast_unsigned() as f32, (f64::from(v) * 3.0) as f32]);
        back.push(parts[0] + parts[1] + parts[2] + parts[3]);
    }
    case("conversions", 1, 256).input(&x).output(&out).output(&back).value(x.len() as i32).run();
}

#[test]
fn halves() {
    let mut numbers = Numbers::new(8);
    let half = |numbers: &mut Numbers| half::f16::from_f32((numbers.next() >> 50) as f32 / 64.0 - 100.0);
    let a: Vec<half::f16> = (0..300).map(|_| half(&mut numbers)).collect();
    let b: Vec<half::f16> = (0..300).map(|_| half(&mut numbers)).collect();
    // The exact value of each fits a double, which is rounded once.
    let expected: Vec<u16> = a
        .iter()
        .zip(&b)
        .flat_map(|(a, b)| {
            let (x, y) = (a.to_f64(), b.to_f64());
            let sum = half::f16::from_f64(x + y);
            [sum, half::f16::from_f64(x * y), half::f16::from_f64(x * y + sum.to_f64())].map(half::f16::to_bits)
        })
        .collect();
    let bits = |values: &[half::f16]| values.iter().map(|value| value.to_bits()).collect::<Vec<u16>>();
    case("halves", 3, 128).input(&bits(&a)).input(&bits(&b)).output(&expected).value(300).run();
}

#[test]
fn mandelbrot() {
    let (width, height, limit) = (50usize, 37usize, 60);
    let steps = |x: usize, y: usize| {
        let (cr, ci) = (3.0 * x as f32 / width as f32 - 2.0, 2.0 * y as f32 / height as f32 - 1.0);
        let (mut zr, mut zi, mut steps) = (0f32, 0f32, 0);
        while steps < limit && zr * zr + zi * zi <= 4.0 {
            (zr, zi) = (zr * zr - zi * zi + cr, 2.0 * zr * zi + ci);
            steps += 1;
        }
        steps
    };
    let expected: Vec<i32> = (0..width * height).map(|i| steps(i % width, i / width)).collect();
    case("mandelbrot", 0, 0).shape([4, 5], [16, 8]).output(&expected).value(50).value(37).value(limit).run();
}

#[test]
fn collatz() {
    let steps = |start: u64| {
        let (mut v, mut steps) = (start, 0u32);
        while v != 1 {
            v = if v % 2 == 1 { 3 * v + 1 } else { v / 2 };
            steps += 1;
        }
        steps
    };
    let expected: Vec<u32> = (1..=700).map(steps).collect();
    case("collatz", 3, 256).output(&expected).value(700).run();
}

#[test]
fn roots() {
    let mut numbers = Numbers::new(9);
    let a: Vec<f64> = numbers.doubles(400).iter().map(|x| x.abs()).collect();
    let b = numbers.doubles(400);
    let wide: Vec<f64> = a.iter().zip(&b).flat_map(|(a, b)| [a.sqrt(), a / b, 1.0 / b]).collect();
    let narrow: Vec<f32> =
        a.iter().zip(&b).map(|(a, b)| (*a as f32, *b as f32)).flat_map(|(a, b)| [a.sqrt(), a / b, 1.0 / b]).collect();
    case("roots", 7, 64).input(&a).input(&b).output(&wide).output(&narrow).value(400).run();
}

/// A value that a double holds exactly, rounded up, down and towards zero to a float.
fn directed(exact: f64) -> [f32; 3] {
    let nearest = exact as f32;
    let back = f64::from(nearest);
    let (up, down) = match back.total_cmp(&exact) {
        std::cmp::Ordering::Less => (nearest.next_up(), nearest),
        std::cmp::Ordering::Greater => (nearest, nearest.next_down()),
        std::cmp::Ordering::Equal => (nearest, nearest),
    };
    [up, down, if exact < 0.0 { up } else { down }]
}

#[test]
fn rounding() {
    let mut numbers = Numbers::new(10);
    let (a, b) = (numbers.floats(300), numbers.floats(300));
    let expected: Vec<f32> = a
        .iter()
        .zip(&b)
        .flat_map(|(a, b)| {
            // Both fit a double: the exponents are close together.
            let ([au, ad, az], [mu, md, mz]) =
                (directed(f64::from(*a) + f64::from(*b)), directed(f64::from(*a) * f64::from(*b)));
            [au, ad, az, mu, md, mz, a + b, a * b]
        })
        .collect();
    case("rounding", 3, 128).input(&a).input(&b).output(&expected).value(300).run();
}

#[test]
fn wide() {
    let mut numbers = Numbers::new(11);
    let (a, b) = (numbers.longs(250), numbers.longs(250).into_iter().rev().collect::<Vec<_>>());
    let expected: Vec<u64> = a
        .iter()
        .zip(&b)
        .flat_map(|(&a, &b)| {
            let (x, y) = (u128::from(a) << 64 | u128::from(b), u128::from(b) << 64 | u128::from(!a));
            let (sum, difference, product) = (x.wrapping_add(y), x.wrapping_sub(y), x.wrapping_mul(y));
            let halves = |value: u128| [value as u64, (value >> 64) as u64];
            let [s0, s1] = halves(sum);
            let [d0, d1] = halves(difference);
            let [p0, p1] = halves(product);
            [s0, s1, d0, d1, p0, p1, ((u128::from(a) * u128::from(b)) >> 64) as u64]
        })
        .collect();
    case("wide", 1, 256).input(&a).input(&b).output(&expected).value(250).run();
}

#[test]
fn bytes() {
    let text: Vec<u8> = Numbers::new(12).words(512, 128).into_iter().map(|word| word as u8).collect();
    let expected: Vec<u8> =
        text.chunks(4).flat_map(|word| word.iter().rev().map(u8::to_ascii_uppercase).collect::<Vec<_>>()).collect();
    case("bytes", 2, 96).input(&text).output(&expected).value(512).run();
}

#[test]
fn permute() {
    let mut numbers = Numbers::new(13);
    let (a, b) = (numbers.words(200, u32::MAX), numbers.words(200, u32::MAX));
    let expected: Vec<u32> = (0..200u32)
        .flat_map(|i| {
            let (a, b) = (a[i as usize], b[i as usize]);
            let bytes: Vec<u8> = a.to_le_bytes().into_iter().chain(b.to_le_bytes()).collect();
            let both = u64::from(b) << 32 | u64::from(a);
            let by = i % 32;
            [
                u32::from_le_bytes([bytes[5], bytes[1], bytes[7], bytes[3]]),
                (both << by >> 32) as u32,
                (both >> by) as u32,
                (a & b) | (!a & i) ^ (b >> by),
            ]
        })
        .collect();
    case("permute", 1, 224).input(&a).input(&b).output(&expected).value(200).run();
}
