//! x
#![allow(missing_docs, clippy::all)]
use tests::differential::{Verdict, check};
use tests::generate::kernel;
fn main() {
    let want = std::env::args().nth(1).unwrap();
    let from: u64 = std::env::args().nth(2).and_then(|x| x.parse().ok()).unwrap_or(0);
    for seed in from..from + 3000 {
        let k = kernel(seed);
        if let Ok(Verdict::Agrees { refused, .. }) = check(&k) {
            if let Some(r) = refused.iter().find(|r| r.contains(&want)) { println!("seed {seed} {:?} {r}\n{}", k.shape, k.ptx); return; }
        }
    }
}
