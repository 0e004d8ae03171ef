//! Tries instruction forms natively and on the emulator: `cargo run --release -p tests --example translated_forms -- FILE… [SEED]`, where files list forms as in
//! `ptx-parser/tests/data/forms/accepted`.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use tests::translated_forms::{Tried, check};

fn main() {
    let (files, seeds): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.parse::<u64>().is_err());
    let seed = seeds.first().and_then(|word| word.parse().ok()).unwrap_or(1);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let mut by_target: BTreeMap<&str, Vec<(&str, &str)>> = BTreeMap::new();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for form in lines.filter_map(|line| line.split_once(' ')) {
            by_target.entry(form.0).or_default().push(form);
        }
        for forms in by_target.values() {
            for forms in forms.chunks(200) {
                for (&(_, form), tried) in forms.iter().zip(check(forms, seed).expect("its own text parses")) {
                    let kind = match &tried {
                        Tried::Other => "other",
                        Tried::NotEmulated => "not emulated",
                        Tried::Refused(reason) => {
                            println!("refused: {form} {reason}");
                            "refused"
                        }
                        Tried::Ran(Err(what)) => {
                            println!("differs: {form} {what}");
                            "differs"
                        }
                        Tried::Ran(Ok(())) => "same",
                    };
                    *counts.entry(kind).or_default() += 1;
                }
            }
        }
    }
    println!("{counts:?}");
}
