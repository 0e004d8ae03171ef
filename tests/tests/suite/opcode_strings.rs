//! Only the parser's table knows opcodes by their text; everything else asks `Properties`, or for a `Mnemonic` and its `Modifier`s, so
//! that a new instruction is described in one place. New instructions are built from typed parts.

use std::fs;
use std::path::{Path, PathBuf};

use ptx_parser::{Mnemonic, OpcodeData, Reason, Typing};
use tests::workspace_sources::sources;

/// The crates that must not name opcodes by their text, and the command line.
const ROOMS: [&str; 10] =
    ["analysis", "annotate", "benchmarks", "ccc", "cpu", "device", "emulator", "ssde-ptx", "toolkit", "."];

/// Methods that take the text of an opcode apart.
const DISSECTIONS: [&str; 4] = [".split(", ".starts_with(", ".ends_with(", ".contains("];

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
fn opcodes_are_named_only_where_they_are_described() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let files: Vec<PathBuf> = ROOMS.iter().flat_map(|room| sources(&root.join(room).join("src")).unwrap()).collect();
    assert!(files.len() > 50, "the sources were not found");
    let mut found = Vec::new();
    for file in files {
        let place = file.strip_prefix(&root).unwrap_or(&file);
        if is_test(place) {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().take_while(|line| !line.contains("#[cfg(test)]"));
        for (number, line) in code.enumerate() {
            if takes_opcode_apart(line) || literals(line).any(is_opcode) {
                found.push(format!("{}:{}: {}", place.display(), number + 1, line.trim()));
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
    let writes = |file: &PathBuf| {
        let text = fs::read_to_string(file).unwrap();
        text.lines().take_while(|line| !line.contains("#[cfg(test)]")).any(writes_code)
    };
    let is_test = |file: &PathBuf| is_test(file.strip_prefix(&root).unwrap_or(file));
    let found: Vec<PathBuf> = files.into_iter().filter(|file| !is_test(file) && writes(file)).collect();
    assert_eq!(found, Vec::<PathBuf>::new(), "build it with `Code`, or copy it with `Copier`");
}

/// Returns true if a line of code has the text of an instruction, or has PTX read as part of a kernel.
fn writes_code(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    let is_inst = |literal: &str| {
        let Some((opcode, _)) = literal.split_once(' ').filter(|_| literal.trim_end_matches("\\n").ends_with(';'))
        else {
            return false;
        };
        // Behind the mnemonic, a format string may have anything.
        let mnemonic = opcode.split_once('.').map(|(mnemonic, _)| OpcodeData::new(mnemonic).mnemonic());
        mnemonic.is_some_and(|mnemonic| mnemonic != Mnemonic::Other)
    };
    code.contains(".fragment(") || literals(code).any(is_inst)
}

/// Returns true if a file of the workspace is a module of tests.
fn is_test(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "tests.rs") || file.components().any(|part| part.as_os_str() == "tests")
}

#[test]
fn the_scan_tells_opcodes_from_other_words() {
    assert!(is_opcode("vote.sync.ballot.b32") && is_opcode("ld.global") && is_opcode("bar.sync"));
    assert!(takes_opcode_apart("let words = kernel.opcode(inst).text().split('.');"));
    assert!(takes_opcode_apart("name(kernel.opcode(made).text()) || text == \"bfi.\""));
    assert!(takes_opcode_apart("let mut words = opcode.split('.');"));
    assert!(!takes_opcode_apart("let same = kernel.opcode(inst).text() == kernel.opcode(first).text();"));
    assert!(writes_code("kernel.fragment(text)") && writes_code("format!(\"mov.b{bits} {to}, {from};\\n\")"));
    assert!(
        !writes_code("format!(\"done. {count} of them;\")")
            && !writes_code("code.ins().mov(ty, to, from); // mov.b32 a, b;")
    );
    assert!(!is_opcode("min") && !is_opcode("README.md") && !is_opcode("ld of something.") && !is_opcode("%tid.x"));
}
