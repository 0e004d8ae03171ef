//! Counts what detection says of many kernels (the paper's Table IV): `detections [--strict] FILE.ptx…`. Prints a line for each finding and, last, how many
//! kernels, branches, loops and findings there are.
#![allow(missing_docs)]

use std::process::ExitCode;

use analysis::Analyses;
use ptx_parser::Module;
use ssde_ptx::{Linked, SeenByCallers};

fn main() -> ExitCode {
    let mut totals = [0_usize; 5];
    let (words, files): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|word| word == "--strict");
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else {
            eprintln!("cannot read {file}");
            return ExitCode::from(2);
        };
        let Ok(module) = Module::parse(&text) else {
            eprintln!("{file} does not parse");
            continue;
        };
        count(&file, &module, !words.is_empty(), &mut totals);
    }
    let [kernels, branches, loops, findings, concerned] = totals;
    println!("{kernels} kernels, {branches} branches, {loops} loops: {findings} findings in {concerned} kernels");
    ExitCode::SUCCESS
}

fn count(file: &str, module: &Module, strict: bool, totals: &mut [usize; 5]) {
    let seen = SeenByCallers::of(module, Linked::WithOthers).strictly(strict);
    for kernel in module.kernels().iter().filter(|kernel| kernel.has_body()) {
        let facts = Analyses::of(kernel);
        let branches = facts.cfg.blocks().filter(|&block| facts.cfg.ways(block) > 1).count();
        let findings = ssde_ptx::find_among(&seen, module, kernel).findings;
        let cycles = facts.loops.iter().count() + facts.loops.irreducible().len();
        for (total, more) in
            totals.iter_mut().zip([1, branches, cycles, findings.len(), usize::from(!findings.is_empty())])
        {
            *total += more;
        }
        for finding in &findings {
            let line = finding.at.map_or(0, |at| at.text.line);
            let lines = |places: Vec<u32>| places.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
            let reads = lines(finding.reads.iter().map(|at| at.text.line).collect());
            let writes = lines(finding.writes.iter().map(|write| write.at.text.line).collect());
            println!("{file}:{line} {}: reads {reads}; writes {writes}", kernel.name());
        }
    }
}
