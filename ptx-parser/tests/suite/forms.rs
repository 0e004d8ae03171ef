//! The grammar table against a list of instruction forms that does not come from it: written after the manual's syntax,
//! each line held against the assembler. A hole in the table, and a row that takes too much, show here.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ptx_parser::{Finding, Level, Module};

/// Declares whatever the lines use.
fn module(target: &str, line: &str) -> String {
    let (target, version) = target.split_once('@').unwrap_or((target, "9.0"));
    format!(
        ".version {version}\n.target {target}\n.address_size 64\n\
         .global .align 128 .b8 gbl[4096];\n.shared .align 128 .b8 sh[4096];\n.const .align 16 .b8 cst[64];\n\
         .global .texref tx;\n.global .surfref sf;\n.extern .func (.param .b32 r) fn1(.param .b32 a);\n\
         .func fn0() {{ ret; }}\n.entry k(.param .u64 kp) {{\n\
         .reg .b8 %rb<9>, %b8_<2>; .reg .b16 %h<40>, %b16_<2>; .reg .b32 %r<300>, %b32_<2>; .reg .b64 %rd<40>, %b64_<2>;\n\
         .reg .b128 %rq<40>, %b128_<2>; .reg .f32 %f<300>, %f32_<2>; .reg .f64 %fd<40>, %f64_<2>; .reg .pred %p<40>, %pred_<2>;\n\
         .reg .u8 %u8_<2>; .reg .s8 %s8_<2>; .reg .u16 %u16_<2>; .reg .s16 %s16_<2>, %rs<20>; .reg .f16 %f16_<2>;\n\
         .reg .u32 %u32_<2>; .reg .s32 %s32_<2>; .reg .u64 %u64_<2>; .reg .s64 %s64_<2>;\n\
         .local .align 16 .b8 lc[64]; .param .b32 cp;\n{line}\nL: ret; }}\n"
    )
}

fn findings(target: &str, line: &str) -> Result<Vec<Finding>, String> {
    let module = Module::parse(&module(target, line)).map_err(|error| error.to_string())?;
    Ok(module.check().into_iter().filter(|finding| finding.level() == Level::Error).collect())
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/forms")
}

/// The lines of a file that are no comments.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn every_form_that_the_assembler_takes_is_typed_and_fits() {
    let mut count = 0;
    let mut wrong = String::new();
    for entry in fs::read_dir(data().join("accepted")).unwrap() {
        for line in lines(&entry.unwrap().path()) {
            let (target, inst) = line.split_once(' ').unwrap();
            count += 1;
            match findings(target, inst) {
                Ok(found) if found.is_empty() => {}
                Ok(found) => writeln!(wrong, "{line}\n    {}", found[0]).unwrap(),
                Err(error) => writeln!(wrong, "{line}\n    {error}").unwrap(),
            }
            let text = module(target, inst);
            let opcode = Module::parse(&text).ok().map(|module| opaque(&module));
            if opcode.is_some_and(|opaque| opaque > 0) {
                writeln!(wrong, "{line}\n    is opaque").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 2000, "only {count} forms were found");
}

/// How many instructions of a module the table does not know.
fn opaque(module: &Module) -> usize {
    let kernel = module.kernel("k").unwrap();
    let insts = kernel.insts();
    insts.filter(|&inst| !kernel.typing(inst).is_known()).count()
}

#[test]
fn every_form_that_the_assembler_refuses_is_an_error() {
    let wrong: Vec<String> = lines(&data().join("refused.txt"))
        .into_iter()
        .filter(|line| findings("sm_100a", line).is_ok_and(|found| found.is_empty()))
        .collect();
    assert_eq!(wrong, Vec::<String>::new(), "these pass, but must not");
}

/// Reads `instruction; words` and compares which words pass with which the file says.
fn verdicts(file: &str, all: &[(&str, String)]) {
    let mut wrong = String::new();
    for line in lines(&data().join(file)) {
        let (inst, taken) = line.split_once(';').unwrap();
        let taken: Vec<&str> = taken.split_whitespace().collect();
        for (word, operand) in all {
            let text = format!("{};", inst.replace('@', operand));
            let passes = findings("sm_100a", &text).is_ok_and(|found| found.is_empty());
            if passes != taken.contains(word) {
                let verdict = if passes { "passes, but must not" } else { "is refused, but must pass" };
                writeln!(wrong, "{text} ({word}) {verdict}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn registers_are_taken_as_the_assembler_takes_them() {
    let types = "b8 u8 s8 b16 u16 s16 f16 b32 u32 s32 f32 b64 u64 s64 f64 pred b128";
    let all: Vec<(&str, String)> = types.split(' ').map(|ty| (ty, format!("%{ty}_1"))).collect();
    verdicts("registers.txt", &all);
}

#[test]
fn operands_are_taken_as_the_assembler_takes_them() {
    let text = fs::read_to_string(data().join("operands.txt")).unwrap();
    let named = text.lines().filter_map(|line| line.strip_prefix("#   ")?.split_once(" = "));
    let all: Vec<(&str, String)> = named.map(|(name, operand)| (name, operand.to_owned())).collect();
    assert!(all.len() > 10);
    verdicts("operands.txt", &all);
}
