use super::{Numbers, module};

module!("sorting");

fn sorted<T: Ord + Clone>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort();
    values
}

#[test]
fn bitonic() {
    let x = Numbers::new(1).words(768, u32::MAX);
    case("bitonic", 3, 256).changes(&x, &x.chunks(256).flat_map(sorted).collect::<Vec<_>>()).run();
}

#[test]
fn odd_even() {
    let x = Numbers::new(2).ints(150, 1000);
    case("odd_even", 1, 75).changes(&x, &sorted(&x)).value(150).run();
}

#[test]
fn radix() {
    let x = Numbers::new(3).words(256, u32::MAX);
    case("radix", 1, 256).changes(&x, &sorted(&x)).run();
}

#[test]
fn rank_sort() {
    let mut x = Numbers::new(4).floats(200);
    x[17] = x[3];
    let mut expected = x.clone();
    expected.sort_by(f32::total_cmp);
    case("rank_sort", 2, 128).input(&x).output(&expected).value(200).run();
}

#[test]
fn merge() {
    let mut numbers = Numbers::new(5);
    let (a, b) = (sorted(&numbers.ints(150, 90)), sorted(&numbers.ints(233, 90)));
    let both = sorted(&[a.as_slice(), b.as_slice()].concat());
    case("merge", 4, 96).input(&a).input(&b).output(&both).value(150).value(233).run();
}

#[test]
fn insertion() {
    let x = Numbers::new(6).ints(8 * 70, 1000);
    case("insertion", 3, 32).changes(&x, &x.chunks(8).flat_map(sorted).collect::<Vec<_>>()).value(560).run();
}

#[test]
fn quicksort() {
    let x = Numbers::new(7).ints(40 * 33, 500);
    let row = |(index, row): (usize, &[i32])| {
        let (sorting, rest) = row.split_at(40 - index % 5);
        [sorted(sorting), rest.to_vec()].concat()
    };
    let expected: Vec<i32> = x.chunks(40).enumerate().flat_map(row).collect();
    case("quicksort", 2, 32).changes(&x, &expected).value(40).value(33).run();
}
