use super::{Numbers, module};

module!("scans");

fn sums(values: &[i32]) -> Vec<i32> {
    values
        .iter()
        .scan(0i32, |sum, v| {
            *sum = sum.wrapping_add(*v);
            Some(*sum)
        })
        .collect()
}

#[test]
fn hillis_steele() {
    let x = Numbers::new(1).ints(600, 1_000_000);
    let expected: Vec<i32> = x.chunks(200).flat_map(sums).collect();
    case("hillis_steele", 3, 200).input(&x).output(&expected).run();
}

#[test]
fn blelloch() {
    let x = Numbers::new(2).ints(256, 1_000_000);
    let expected: Vec<i32> = std::iter::once(0).chain(sums(&x)).take(256).collect();
    case("blelloch", 1, 128).shared(1024).input(&x).output(&expected).value(256).run();
}

#[test]
fn warp_scan() {
    let x: Vec<i64> = Numbers::new(3).longs(192).into_iter().map(u64::cast_signed).collect();
    let scan = |warp: &[i64]| {
        let step = |sum: &mut i64, v: &i64| {
            *sum = sum.wrapping_add(*v);
            Some(*sum)
        };
        warp.iter().scan(0, step).collect::<Vec<_>>()
    };
    case("warp_scan", 2, 96).input(&x).output(&x.chunks(32).flat_map(scan).collect::<Vec<_>>()).run();
}

#[test]
fn compact() {
    let x = Numbers::new(4).words(1000, 1000);
    let mut expected: Vec<u32> = x.iter().copied().filter(|v| v % 2 == 1).collect();
    let count = expected.len() as u32;
    expected.resize(1000, 0);
    case("compact", 1, 256).input(&x).output(&expected).output(&[count]).value(1000).run();
}
