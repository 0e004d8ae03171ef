use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Numbers, module};

module!("graphs");

/// A graph in compressed rows: where each vertex's edges start, and where they lead, in order.
fn graph(seed: u64, vertices: usize, edges: usize, both_ways: bool) -> (Vec<i32>, Vec<i32>) {
    let mut numbers = Numbers::new(seed);
    let mut rows = vec![BTreeSet::new(); vertices];
    for _ in 0..edges {
        let (a, b) = (numbers.next() as usize % vertices, numbers.next() as usize % vertices);
        if a != b {
            rows[a].insert(b as i32);
            if both_ways {
                rows[b].insert(a as i32);
            }
        }
    }
    let mut starts = vec![0];
    let mut list = Vec::new();
    for row in rows {
        list.extend(row);
        starts.push(list.len() as i32);
    }
    (starts, list)
}

fn row<'a>(starts: &[i32], edges: &'a [i32], vertex: usize) -> &'a [i32] {
    &edges[starts[vertex] as usize..starts[vertex + 1] as usize]
}

#[test]
fn bfs_level() {
    let (starts, edges) = graph(1, 300, 900, false);
    let mut levels = vec![-1; 300];
    levels[5] = 0;
    for level in 0..3 {
        let mut next = levels.clone();
        let mut changed = 0;
        for v in (0..300).filter(|v| levels[*v] == level) {
            for &w in row(&starts, &edges, v).iter().filter(|w| levels[**w as usize] < 0) {
                next[w as usize] = level + 1;
                changed = 1;
            }
        }
        // The levels are read while others write them, and all who change something write the same flag: races that every text
        // book accepts, because all writers write the same. The first level has one writer.
        let races: &[&str] = if level == 0 { &["`argument 2`"] } else { &["`argument 2`", "`argument 3`"] };
        let step = case("bfs_level", 3, 128).input(&starts).input(&edges).changes(&levels, &next).finds(races);
        step.output(&[changed]).value(level).value(300).run();
        levels = next;
    }
}

#[test]
fn relax() {
    let (starts, edges) = graph(2, 100, 400, false);
    let weights = Numbers::new(3).words(edges.len(), 50);
    let mut distance = vec![u32::MAX; 100];
    distance[0] = 0;
    let before = distance.clone();
    let mut queue = VecDeque::from([0]);
    while let Some(v) = queue.pop_front() {
        for e in starts[v] as usize..starts[v + 1] as usize {
            let (w, far) = (edges[e] as usize, distance[v] + weights[e]);
            if far < distance[w] {
                distance[w] = far;
                queue.push_back(w);
            }
        }
    }
    // Distances are read plainly while others lower them by atomics; what is read late is read again in the next round.
    let relax = case("relax", 1, 128).finds(&["graphs.cu:20 (", "graphs.cu:21 ("]);
    relax.input(&starts).input(&edges).input(&weights).changes(&before, &distance).value(100).run();
}

#[test]
fn insert() {
    let keys: Vec<u32> = Numbers::new(4).words(700, 300).into_iter().map(|word| word + 1).collect();
    let mut counts = BTreeMap::new();
    keys.iter().for_each(|key| *counts.entry(*key).or_insert(0u32) += 1);
    // Which key is where depends on who came first; each is there once, and its slot was counted as often as it was inserted.
    let distinct: Vec<u32> = counts.keys().copied().collect();
    let mut times: Vec<u32> = counts.values().copied().collect();
    times.sort_unstable();
    let is = |wanted: Vec<u32>| {
        move |table: &[u32]| {
            let mut there: Vec<u32> = table.iter().copied().filter(|value| *value != 0).collect();
            there.sort_unstable();
            if there == wanted { Ok(()) } else { Err(format!("{there:?} and not {wanted:?}")) }
        }
    };
    let table = case("insert", 6, 128).input(&keys).holds(&[0u32; 512], is(distinct)).holds(&[0u32; 512], is(times));
    table.value(512).value(700).run();
}

#[test]
fn components() {
    let mut numbers = Numbers::new(5);
    let ends =
        |numbers: &mut Numbers| -> Vec<i32> { numbers.words(130, 200).into_iter().map(u32::cast_signed).collect() };
    let (from, to) = (ends(&mut numbers), ends(&mut numbers));
    let before: Vec<i32> = (0..200).collect();
    let mut labels = before.clone();
    for _ in 0..200 {
        for (&a, &b) in from.iter().zip(&to) {
            let least = labels[a as usize].min(labels[b as usize]);
            (labels[a as usize], labels[b as usize]) = (least, least);
        }
    }
    // As in `relax`: each of two plain reads with each of two atomics.
    let components =
        case("components", 1, 64).finds(&["graphs.cu:41 (", "graphs.cu:42 (", "graphs.cu:41 (", "graphs.cu:42 ("]);
    components.input(&from).input(&to).changes(&before, &labels).value(130).value(200).run();
}

#[test]
fn page_rank() {
    let (starts, sources) = graph(6, 120, 600, false);
    let mut degrees = vec![0; 120];
    sources.iter().for_each(|source| degrees[*source as usize] += 1);
    let rank = Numbers::new(7).doubles(120);
    let next = |v: usize| {
        let parts = row(&starts, &sources, v).iter().map(|w| rank[*w as usize] / f64::from(degrees[*w as usize]));
        0.15 / 120.0 + 0.85 * parts.fold(0.0, |sum, part| sum + part)
    };
    let expected: Vec<f64> = (0..120).map(next).collect();
    let launch = case("page_rank", 2, 64).input(&starts).input(&sources).input(&degrees).input(&rank);
    launch.output(&expected).value(120).run();
}

#[test]
fn triangles() {
    let (starts, edges) = graph(8, 60, 350, true);
    let joined = |a: usize, b: usize| row(&starts, &edges, a).contains(&(b as i32));
    let mut count = 0u64;
    for a in 0..60 {
        for b in a + 1..60 {
            count += (b + 1..60).filter(|c| joined(a, b) && joined(b, *c) && joined(a, *c)).count() as u64;
        }
    }
    assert!(count > 50);
    case("triangles", 2, 32).input(&starts).input(&edges).output(&[count]).value(60).run();
}

#[test]
fn walk() {
    let mut numbers = Numbers::new(9);
    // Each node leads to one with a smaller number, or ends the list.
    let nodes: Vec<i32> = (0..400)
        .flat_map(|i| {
            let next = numbers.next() as i32 & 0xffff;
            [(numbers.next() & 0xff) as i32, if i == 0 { -1 } else { next % i - i32::from(next % 9 == 0) }]
        })
        .collect();
    let heads: Vec<i32> = (0..150).map(|i| 399 - i).collect();
    let sum = |head: &i32| {
        let (mut at, mut sum) = (*head, 0i32);
        while at >= 0 {
            sum = sum.wrapping_mul(3).wrapping_add(nodes[2 * at as usize]);
            at = nodes[2 * at as usize + 1];
        }
        sum
    };
    let expected: Vec<i32> = heads.iter().map(sum).collect();
    case("walk", 2, 96).input(&nodes).input(&heads).output(&expected).value(150).run();
}
