//! Prints the C text of a PTX file: `cargo run -p pxrw-cpu --example translate -- FILE [basic|merging|splitting]`.
#![allow(clippy::unwrap_used, clippy::panic)]

use cpu::{Options, Sync, translate};
use ptx_parser::Module;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("a PTX file");
    let sync = match arguments.next().as_deref() {
        Some("basic") => Sync::Basic,
        Some("merging") => Sync::Merging,
        _ => Sync::Splitting,
    };
    let module = Module::parse(&std::fs::read_to_string(file).unwrap()).unwrap_or_else(|errors| panic!("{errors}"));
    match translate(&module, None, &Options { sync }) {
        Ok(translation) => print!("{}", translation.source),
        Err(refusals) => {
            for refusal in refusals {
                let line = refusal.position.map_or(0, |at| at.line);
                eprintln!("line {line}: {refusal}");
            }
            std::process::exit(1);
        }
    }
}
