//! Which kernels of given files the emulator decodes, and what keeps it from the rest.
//!
//! `cargo run --release -p pxrw-emulator --example coverage -- FILE…` reads PTX files, or lists of instruction forms (`.txt`, as in
//! `ptx-parser/tests/data/forms/accepted`), and prints the refusals with the number of kernels and files that have them.
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use emulator::{Error, Program};
use ptx_parser::{KernelKind, Module};

/// What a form list's instructions may name.
const DECLARATIONS: &str = "
.reg .pred %p<128>; .reg .b16 %h<128>; .reg .b32 %r<128>; .reg .f32 %f<128>; .reg .b64 %rd<128>; .reg .f64 %fd<128>;
.reg .b128 %rq<128>;";

#[derive(Default)]
struct Tally {
    kernels: usize,
    files: BTreeSet<String>,
    example: String,
}

fn main() {
    let mut refused: BTreeMap<String, Tally> = BTreeMap::new();
    let (mut kernels, mut decoded) = (0usize, 0usize);
    for path in std::env::args().skip(1) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let texts: Vec<String> = if path.ends_with(".txt") { forms(&text) } else { vec![text] };
        for text in texts {
            let Ok(module) = Module::parse(&text) else { continue };
            for kernel in module.kernels().iter().filter(|k| k.kind() == KernelKind::Entry && k.has_body()) {
                kernels += 1;
                match Program::decode(&module, kernel.name()) {
                    Ok(_) => decoded += 1,
                    Err(error) => {
                        let tally = refused.entry(category(&error)).or_default();
                        tally.kernels += 1;
                        tally.files.insert(path.clone());
                        if tally.example.is_empty() {
                            tally.example = format!("{path}: {error}");
                        }
                    }
                }
            }
        }
    }
    // All at once: a reader that only wants the head may close the pipe.
    let mut out = String::new();
    out += &format!("{decoded} of {kernels} kernels decode\n");
    let mut list: Vec<_> = refused.into_iter().collect();
    list.sort_by_key(|(_, tally)| std::cmp::Reverse((tally.files.len(), tally.kernels)));
    for (category, tally) in list {
        out += &format!(
            "{:6} files {:6} kernels  {category}\n        {}\n",
            tally.files.len(),
            tally.kernels,
            tally.example
        );
    }
    let _ = std::io::Write::write_all(&mut std::io::stdout(), out.as_bytes());
}

/// A module per form.
fn forms(text: &str) -> Vec<String> {
    let forms = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '));
    let module = |(target, form): (&str, &str)| {
        format!(
            ".version 9.0\n.target {target}\n.address_size 64\n.global .align 16 .b8 gbl[64];\n\
             .func (.param .b32 x) fn0(.param .b32 y) {{ ret; }}\n\
             .entry k() {{\n{DECLARATIONS}\n.shared .align 16 .b8 smem[64];\n{form}\nL: ret;\n}}\n"
        )
    };
    forms.map(module).collect()
}

fn category(error: &Error) -> String {
    match error {
        Error::Unsupported { opcode, reason, .. } => format!("{opcode}: {reason}"),
        Error::Several(list) => list.first().map(category).unwrap_or_default(),
        error => error.to_string(),
    }
}
