use super::{Numbers, module};

module!("linear");

#[test]
fn matmul_naive() {
    let n = 29;
    let mut numbers = Numbers::new(1);
    let (a, b) = (numbers.doubles(n * n), numbers.doubles(n * n));
    let element = |i: usize| (0..n).fold(0f64, |sum, k| a[i / n * n + k].mul_add(b[k * n + i % n], sum));
    let c: Vec<f64> = (0..n * n).map(element).collect();
    case("matmul_naive", 0, 0).shape([4, 4], [8, 8]).input(&a).input(&b).output(&c).value(29).run();
}

#[test]
fn matmul_tiled() {
    let n = 41;
    let mut numbers = Numbers::new(2);
    let (a, b) = (numbers.floats(n * n), numbers.floats(n * n));
    let element = |i: usize| {
        // The last tile is filled up with zeros.
        let product = |k: usize| if k < n { (a[i / n * n + k], b[k * n + i % n]) } else { (0.0, 0.0) };
        (0..48).map(product).fold(0f32, |sum, (a, b)| a.mul_add(b, sum))
    };
    let c: Vec<f32> = (0..n * n).map(element).collect();
    case("matmul_tiled", 0, 0).shape([3, 3], [16, 16]).input(&a).input(&b).output(&c).value(41).run();
}

#[test]
fn transpose() {
    let (width, height) = (37, 50);
    let x = Numbers::new(3).ints(width * height, 1000);
    let expected: Vec<i32> = (0..width * height).map(|i| x[i % height * width + i / height]).collect();
    case("transpose", 0, 0).shape([3, 4], [16, 16]).input(&x).output(&expected).value(37).value(50).run();
}

#[test]
fn matvec() {
    let (rows, columns) = (13, 100);
    let mut numbers = Numbers::new(4);
    let (a, x) = (numbers.floats(rows * columns), numbers.floats(columns));
    let row = |row: &[f32]| {
        let lane = |lane: usize| (lane..columns).step_by(32).fold(0f32, |sum, k| row[k].mul_add(x[k], sum));
        let mut lanes: Vec<f32> = (0..32).map(lane).collect();
        for step in [16, 8, 4, 2, 1] {
            (0..step).for_each(|lane| lanes[lane] += lanes[lane + step]);
        }
        lanes[0]
    };
    let y: Vec<f32> = a.chunks(columns).map(row).collect();
    case("matvec", 4, 128).input(&a).input(&x).output(&y).value(13).value(100).run();
}

#[test]
fn spmv() {
    let mut numbers = Numbers::new(5);
    let lengths = numbers.words(90, 12);
    let starts: Vec<i32> = std::iter::once(0)
        .chain(lengths.iter().scan(0i32, |sum, length| {
            *sum += *length as i32;
            Some(*sum)
        }))
        .collect();
    let count = starts[90] as usize;
    let columns: Vec<i32> = numbers.words(count, 90).into_iter().map(u32::cast_signed).collect();
    let (values, x) = (numbers.doubles(count), numbers.doubles(90));
    let row = |row: usize| {
        let entries = starts[row] as usize..starts[row + 1] as usize;
        entries.fold(0f64, |sum, k| values[k].mul_add(x[columns[k] as usize], sum))
    };
    let y: Vec<f64> = (0..90).map(row).collect();
    case("spmv", 3, 32).input(&starts).input(&columns).input(&values).input(&x).output(&y).value(90).run();
}

/// The element of a picture; beyond its edge, the nearest.
fn near<T: Copy>(picture: &[T], width: usize, x: isize, y: isize) -> T {
    let height = picture.len() / width;
    picture[y.clamp(0, height as isize - 1) as usize * width + x.clamp(0, width as isize - 1) as usize]
}

#[test]
fn stencil() {
    let (width, height) = (75, 22);
    let picture = Numbers::new(6).floats(width * height);
    let element = |i: usize| {
        let (x, y) = ((i % width) as isize, (i / width) as isize);
        let at = |dx, dy| near(&picture, width, x + dx, y + dy);
        0.5 * at(0, 0) + 0.125 * (at(0, -1) + at(0, 1) + at(-1, 0) + at(1, 0))
    };
    let expected: Vec<f32> = (0..width * height).map(element).collect();
    case("stencil", 0, 0).shape([3, 3], [32, 8]).input(&picture).output(&expected).value(75).value(22).run();
}

#[test]
fn convolve() {
    const TAPS: [f32; 9] = [0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625];
    let (width, height) = (30, 21);
    let picture = Numbers::new(7).floats(width * height);
    let element = |i: usize| {
        let mut sum = 0f32;
        for (tap, weight) in TAPS.iter().enumerate() {
            let (x, y) = (i % width + tap % 3, i / width + tap / 3);
            if (1..=width).contains(&x) && (1..=height).contains(&y) {
                sum = picture[(y - 1) * width + x - 1].mul_add(*weight, sum);
            }
        }
        sum
    };
    let expected: Vec<f32> = (0..width * height).map(element).collect();
    case("convolve", 0, 0).shape([4, 3], [8, 8]).input(&picture).output(&expected).value(30).value(21).run();
}

#[test]
fn life() {
    let (width, height) = (24, 17);
    let cells: Vec<u8> = Numbers::new(8).words(width * height, 3).into_iter().map(|word| u8::from(word == 0)).collect();
    let element = |i: usize| {
        let at = |dx: usize, dy: usize| cells[(i / width + dy) % height * width + (i % width + dx) % width];
        let around = [0, 1, width - 1].into_iter().flat_map(|dx| [0, 1, height - 1].map(|dy| at(dx, dy)));
        let alive = around.sum::<u8>() - cells[i];
        u8::from(alive == 3 || alive == 2 && cells[i] == 1)
    };
    let expected: Vec<u8> = (0..width * height).map(element).collect();
    case("life", 4, 128).input(&cells).output(&expected).value(24).value(17).run();
}

#[test]
fn fft() {
    let signal = Numbers::new(9).floats(2 * 512);
    let roots: Vec<f32> = (0..128)
        .flat_map(|k| {
            let angle = -std::f64::consts::TAU * f64::from(k) / 256.0;
            [angle.cos() as f32, angle.sin() as f32]
        })
        .collect();
    let transform = |signal: &[f32]| {
        let complex = |list: &[f32], i: usize| (list[2 * i], list[2 * i + 1]);
        let mut data: Vec<(f32, f32)> = (0..=255u8).map(|i| complex(signal, i.reverse_bits().into())).collect();
        let mut half = 1;
        while half < 256 {
            for t in 0..128 {
                let (k, low) = (t % half, t / half * 2 * half + t % half);
                let (w, a, b) = (complex(&roots, k * (128 / half)), data[low], data[low + half]);
                let turned = (b.0 * w.0 - b.1 * w.1, b.0 * w.1 + b.1 * w.0);
                data[low] = (a.0 + turned.0, a.1 + turned.1);
                data[low + half] = (a.0 - turned.0, a.1 - turned.1);
            }
            half *= 2;
        }
        data.into_iter().flat_map(|(re, im)| [re, im]).collect::<Vec<_>>()
    };
    let expected: Vec<f32> = signal.chunks(512).flat_map(transform).collect();
    // A transform that is right to the last bit of the same steps could still be of something else: the first value is the sum.
    let sum: f64 = signal[..512].iter().step_by(2).map(|re| f64::from(*re)).sum();
    assert!((f64::from(expected[0]) - sum).abs() < 1.0);
    case("fft", 2, 128).input(&signal).input(&roots).output(&expected).run();
}
