//! Each `golden/NAME.cu` is annotated. What is expected of it begins with the directives and what became of them and goes on with the text.
//!
//! `PXRW_BLESS=1 cargo test -p annotate --test golden` writes it anew; read the difference before you keep it.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::{Annotated, annotate};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    golden::run_trials(golden::trials(&folder, "golden", &["cu"], check));
}

fn check(file: &Path, _: &str) -> Result<(), String> {
    let source = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let said = |error: &annotate::Error| format!("{}: {error}\n", error.span());
    let annotated = annotate(&source, &name).map_err(|errors| errors.iter().map(said).collect::<String>())?;
    golden::hold(file, &format!("{}---\n{}", report(&annotated), annotated.text))
}

fn report(annotated: &Annotated) -> String {
    let mut out = String::new();
    for d in &annotated.directives {
        write!(out, "{}:{} {} {:?} line {}", d.line, d.column, d.id, d.kind, d.target_line).unwrap();
        for (what, value) in [("block", d.block), ("loop", d.loop_id)] {
            value.iter().for_each(|value| write!(out, " {what} {value}").unwrap());
        }
        d.host_function.iter().for_each(|name| write!(out, " in {name}").unwrap());
        out.push('\n');
    }
    out
}
