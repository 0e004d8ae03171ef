//! Mutated texts: what ptxas accepts is not refused, and what it refuses for its syntax is not accepted.
//!
//! `cargo run --release -p tests --example mutations -- 1000` tries as many as one likes.
use std::fs;

use tests::mutations::{Kind, Sample, Trial, Verdict, own_samples, run};
use tests::saved::toolkit;

/// How many mutations a test run tries.
const MUTATIONS: usize = 112;

#[test]
fn the_parser_and_the_assembler_agree_on_mutated_texts() {
    let toolkit = toolkit().unwrap();
    let sample = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        Sample::new(&name, fs::read_to_string(path).unwrap(), toolkit).unwrap()
    };
    let samples: Vec<Sample> = own_samples().unwrap().iter().map(sample).collect();
    let mut wrong = String::new();
    let table = run(&samples, Kind::ALL, (MUTATIONS, 1), toolkit, &mut |trial: &Trial| {
        if trial.verdict.is_wrong() {
            wrong += &format!("{trial}\n");
        }
    });
    let table = table.unwrap();
    assert!(wrong.is_empty(), "{wrong}{table}");
    let count = |verdict| table.count(|other| other == verdict);
    // Most mutations must be found by both, and at the right line, or the test would say nothing.
    assert_eq!(table.count(|_| true), MUTATIONS);
    assert!(count(Verdict::RightLine) * 2 > MUTATIONS, "{table}");
    assert!(count(Verdict::OtherLine) * 20 <= count(Verdict::RightLine), "{table}");
}
