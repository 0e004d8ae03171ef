//! Rewrites the kernels of PTX files and prints their certificates as JSON: `certify FILE…`.
#![allow(missing_docs)]

use std::process::ExitCode;

use ptx_parser::Module;
use ssde_ptx::{certify, eliminate};

fn main() -> ExitCode {
    let mut status = ExitCode::SUCCESS;
    for file in std::env::args().skip(1) {
        if let Err(what) = shown(&file) {
            eprintln!("{file}: {what}");
            status = ExitCode::FAILURE;
        }
    }
    status
}

fn shown(file: &str) -> Result<(), Box<dyn std::error::Error>> {
    let before = Module::parse(&std::fs::read_to_string(file)?)?;
    let mut after = before.clone();
    for kernel in after.kernels_mut().iter_mut().filter(|kernel| kernel.has_body()) {
        eliminate(kernel);
    }
    let after = Module::parse(&after.to_string())?;
    for (before, after) in before.kernels().iter().zip(after.kernels()).filter(|(before, _)| before.has_body()) {
        println!("{}", serde_json::to_string_pretty(&certify(before, after)?)?);
    }
    Ok(())
}
