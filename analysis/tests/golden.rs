//! Golden tests: each `tests/golden/*.ptx` is one kernel with one idea. `// RUN: cfg loops` names the analyses whose text is expected.
//!
//! `PXRW_BLESS=1 cargo test -p pxrw-analysis --test golden` writes what they print now.
#![allow(missing_docs)]

use std::path::Path;

use analysis::Analyses;
use ptx_parser::{Kernel, Module};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    golden::run_trials(golden::trials(&folder, "golden", &["ptx"], check));
}

fn check(file: &Path, _: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let module = Module::parse(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let kernel = module.kernels().iter().find(|kernel| kernel.has_body()).ok_or("the file has no kernel")?;
    let runs = text.lines().find_map(|line| line.strip_prefix("// RUN: ")).ok_or("the file has no `// RUN:` line")?;
    let all = Analyses::of(kernel);
    let output: Result<String, String> =
        runs.split_whitespace().map(|run| Ok(format!("--- {run} ---\n{}", describe(run, kernel, &all)?))).collect();
    golden::hold(file, &output?)
}

fn describe(run: &str, kernel: &Kernel, all: &Analyses) -> Result<String, String> {
    Ok(match run {
        "cfg" => all.cfg.describe(kernel),
        "dominators" => all.dominators.describe(kernel, &all.cfg),
        "postdominators" => all.postdominators.describe(kernel, &all.cfg),
        "loops" => all.loops.describe(kernel, &all.cfg),
        "liveness" => all.liveness.describe(kernel, &all.cfg),
        "values" => all.values.describe(kernel, &all.cfg),
        "reaching" => all.reaching(kernel).describe(kernel),
        "invariance" => all.invariance.describe(kernel, &all.cfg, &all.loops, &all.values),
        "divergence" => all.divergence.describe(kernel, &all.cfg, &all.loops, &all.values),
        _ => return Err(format!("there is no analysis named {run}")),
    })
}
