//! Golden tests: each `tests/golden/*.ptx` is one kernel with one idea. `// RUN: cfg loops` names the analyses whose
//! text is checked against the `// CHECK:`, `// NEXT:` and `// NOT:` lines (the `check:`, `nextln:` and `not:` of the
//! crate `filecheck`).
//!
//! With `PXRW_BLESS=1`, the CHECK and NEXT lines of every file are replaced by what the analyses print now.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use analysis::Analyses;
use filecheck::{CheckerBuilder, NO_VARIABLES};
use libtest_mimic::{Arguments, Failed, Trial};
use ptx_parser::{Kernel, Module};

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "ptx"));
    files.sort();
    assert!(!files.is_empty(), "no golden tests in {}", folder.display());
    let name = |file: &Path| file.file_stem().unwrap().to_string_lossy().into_owned();
    let trials = files.into_iter().map(|file| Trial::test(name(&file), move || check(&file))).collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn check(file: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(file)?;
    let module = Module::parse(&text).map_err(|error| format!("{}: {error}", file.display()))?;
    let kernel = module.kernels().iter().find(|kernel| kernel.has_body()).ok_or("the file has no kernel")?;
    let runs = text.lines().find_map(|line| line.strip_prefix("// RUN: ")).ok_or("the file has no `// RUN:` line")?;
    let all = Analyses::of(kernel);
    let output: Result<String, String> =
        runs.split_whitespace().map(|run| Ok(format!("--- {run} ---\n{}", describe(run, kernel, &all)?))).collect();
    let output = output?;
    if std::env::var_os("PXRW_BLESS").is_some() {
        return bless(file, &text, &output);
    }
    let mut builder = CheckerBuilder::new();
    let mut directives = 0;
    for line in text.lines() {
        let directive = [("// CHECK: ", "check: "), ("// NEXT: ", "nextln: "), ("// NOT: ", "not: ")]
            .into_iter()
            .find_map(|(ours, theirs)| Some(format!("{theirs}{}", line.strip_prefix(ours)?)));
        if let Some(directive) = directive {
            builder.directive(&directive)?;
            directives += 1;
        }
    }
    if directives == 0 {
        return Err("the file checks nothing".into());
    }
    let (matches, explanation) = builder.finish().explain(&output, NO_VARIABLES)?;
    if matches { Ok(()) } else { Err(format!("{explanation}\nThe whole output:\n{output}").into()) }
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

/// Puts today's output behind the kernel, as one block of checks per analysis.
fn bless(file: &Path, text: &str, output: &str) -> Result<(), Failed> {
    let is_check = |line: &&str| line.starts_with("// CHECK: ") || line.starts_with("// NEXT: ");
    let kept: Vec<&str> = text.lines().filter(|line| !is_check(line)).collect();
    let checks = output.lines().map(|line| match line.starts_with("---") {
        true => format!("// CHECK: {line}\n"),
        false => format!("// NEXT: {}\n", line.trim()),
    });
    std::fs::write(file, format!("{}\n\n{}", kept.join("\n").trim_end(), checks.collect::<String>()))?;
    Ok(())
}
