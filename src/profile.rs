//! `--profile`: how often a kernel's instructions are executed, from the report of an earlier run.
//!
//! What `pxrw run --marked --report json` counts of a file is counted on the PTX that `pxrw ccc` rewrites: markers and all, before the rewrite. A
//! report says of which PTX it is by a digest, because line numbers of another text would mean other instructions.

use std::path::Path;

use ccc::Profile;
use ptx_parser::{Module, StmtKind};
use serde_json::Value;

use crate::diagnostics::Diagnostic;
use crate::failure::Failure;

/// A digest of the kernels of a module: which opcode stands in which line (FNV-1a, 64 bits). That is enough to notice that a text has
/// changed; names are left out, because nvcc makes some of them up anew each time.
pub(crate) fn digest(module: &Module) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        for &byte in bytes {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for kernel in module.kernels() {
        for stmt in kernel.stmts() {
            if let StmtKind::Inst(inst) = stmt.kind {
                add(&kernel.text_position(inst).map_or(0, |at| at.line).to_le_bytes());
                add(kernel.opcode(inst).text().as_bytes());
            }
        }
    }
    format!("{hash:016x}")
}

/// Reads the profile of a module as it was before the rewrite, given its digest; without one, a profile of any module.
pub(crate) fn read(path: &Path, rewritten: Option<&str>) -> Result<Profile, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Diagnostic::error(format!("cannot read the profile `{shown}`: {error}")).help(HELP))?;
    let report: Value = serde_json::from_str(&text)
        .map_err(|error| Diagnostic::error(format!("`{shown}` is not JSON: {error}")).help(HELP))?;
    let text = |key: &str| report.get(key)?.as_str();
    let lines = report.get("ptx_lines").and_then(Value::as_array);
    let (Some(kernel), Some(made_of), Some(lines)) = (text("kernel"), text("ptx_digest"), lines) else {
        return Err(Diagnostic::error(format!("`{shown}` is not a report of a run")).help(HELP).into());
    };
    if rewritten.is_some_and(|rewritten| made_of != rewritten) {
        return Err(Diagnostic::error(format!("the profile `{shown}` is of another PTX than what is rewritten"))
            .note("the file, its name as it was given, the architecture and the compiler must be the same")
            .help(HELP)
            .into());
    }
    let line = |line: &Value| {
        let count = |key: &str| line.get(key)?.as_u64();
        let number = u32::try_from(count("ptx_line")?).ok()?;
        Some((number, (count("warp_instructions")?, count("active_lanes")?)))
    };
    Ok(Profile { kernel: kernel.to_owned(), lines: lines.iter().filter_map(line).collect() })
}

const HELP: &str = "make it with `pxrw run FILE --marked --grid … --block … --arg … --report json > profile.json`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_change_but_not_opcodes_or_lines() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\t.reg .b32 %r;\n\tmov.b32 %r, 1;\n\tret;\n}\n";
        let of = |text: &str| digest(&Module::parse(text).unwrap());
        assert_eq!(of(text), of(&text.replace("%r", "%other")));
        assert_ne!(of(text), of(&text.replace("mov.b32", "mov.u32")));
        assert_ne!(of(text), of(&text.replace("\tret", "\n\tret")));
    }
}
