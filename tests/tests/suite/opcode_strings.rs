//! Only the parser's table knows opcodes by their text; everything else asks `Properties`, or for a `Mnemonic` and its `Modifier`s, so
//! that a new instruction is described in one place. New instructions are built from typed parts.

use std::fs;
use std::path::{Path, PathBuf};

use ptx_parser::{OpcodeData, Reason, Typing};
use tests::workspace_sources::sources;

/// The crates that must not compare opcodes, and the command line.
const ROOMS: [&str; 9] =
    ["analysis", "annotate", "benchmarks", "ccc", "device", "emulator", "ssde-ptx", "toolkit", "."];

/// Methods that take the text of an opcode apart.
const DISSECTIONS: [&str; 4] = [".split(", ".starts_with(", ".ends_with(", ".contains("];

/// What compares a literal with something.
const COMPARISONS: [&str; 7] = ["==", "!=", "=>", "matches!(", ".contains(", "starts_with(", "ends_with("];

/// The string literals of a line of code, without those of format strings that hold blanks.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or("");
    code.split('"').skip(1).step_by(2)
}

/// Whether a literal is an opcode: a mnemonic of the table with modifiers that it has.
fn is_opcode(literal: &str) -> bool {
    let plain = literal.chars().all(|c| c.is_ascii_alphanumeric() || "._:".contains(c));
    // A mnemonic alone may be any word (`min`, `set`, `call`); with a modifier it is an opcode.
    let opcode = || match OpcodeData::new(literal).typing() {
        Typing::Known => true,
        Typing::Opaque(reason) => matches!(reason, Reason::Missing { .. } | Reason::Combination { .. }),
    };
    plain && literal.contains('.') && !literal.starts_with('.') && opcode()
}

/// Returns true if a line of code takes the text of an opcode apart.
fn takes_opcode_apart(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    let texts = ["opcode", "opcode.text()", "opcode(inst).text()"];
    texts.iter().any(|text| DISSECTIONS.iter().any(|method| code.contains(&format!("{text}{method}"))))
        || code.contains("opcode") && code.contains(".text()") && literals(code).any(|literal| literal.ends_with('.'))
}

#[test]
fn opcodes_are_compared_only_where_they_are_described() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files: Vec<PathBuf> = ROOMS.iter().flat_map(|room| sources(&root.join(room).join("src")).unwrap()).collect();
    assert!(files.len() > 50, "the sources were not found");
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().take_while(|line| !line.contains("#[cfg(test)]"));
        for (number, line) in code.enumerate() {
            // The inliner writes whole bodies a second time.
            let dissects = takes_opcode_apart(line) && !file.starts_with(root.join("ssde-ptx/src/inline"));
            let compares = COMPARISONS.iter().any(|word| line.contains(word)) && literals(line).any(is_opcode);
            if dissects || compares {
                let place = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
                found.push(format!("{place}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_eq!(found, Vec::<String>::new(), "ask `Properties`, or for a `Mnemonic` and its `Modifier`s instead");
}

#[test]
fn new_code_is_built_and_not_written_as_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files: Vec<PathBuf> = ROOMS.iter().flat_map(|room| sources(&root.join(room).join("src")).unwrap()).collect();
    assert!(files.len() > 50, "the sources were not found");
    // The inliner writes whole bodies a second time, with other names.
    let inliner = root.join("ssde-ptx/src/inline");
    let writes = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().take_while(|line| !line.contains("#[cfg(test)]")).any(|line| line.contains(".fragment("))
    };
    let found: Vec<PathBuf> = files.into_iter().filter(|file| writes(file)).collect();
    assert!(found.iter().any(|file| file.starts_with(&inliner)), "the scan finds what writes text");
    let others: Vec<PathBuf> = found.into_iter().filter(|file| !file.starts_with(&inliner)).collect();
    assert_eq!(others, Vec::<PathBuf>::new(), "build it with `Code`, and add to `Ins` what is missing");
}

#[test]
fn the_scan_tells_opcodes_from_other_words() {
    assert!(is_opcode("vote.sync.ballot.b32") && is_opcode("ld.global") && is_opcode("bar.sync"));
    assert!(takes_opcode_apart("let words = kernel.opcode(inst).text().split('.');"));
    assert!(takes_opcode_apart("name(kernel.opcode(made).text()) || text == \"bfi.\""));
    assert!(takes_opcode_apart("let mut words = opcode.split('.');"));
    assert!(!takes_opcode_apart("let same = kernel.opcode(inst).text() == kernel.opcode(first).text();"));
    assert!(!is_opcode("min") && !is_opcode("README.md") && !is_opcode("ld of something.") && !is_opcode("%tid.x"));
}
