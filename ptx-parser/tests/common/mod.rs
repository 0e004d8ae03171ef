//! What the tests of this crate share: the samples, kernels around a few lines, and `ptxas` as a second opinion.
#![allow(dead_code, unused_imports, clippy::unwrap_used, clippy::panic)]

pub(crate) mod properties;

pub(crate) use properties::compare::{contents, same};
pub(crate) use properties::{kernel, noise};

use std::path::{Path, PathBuf};
use std::process::Command;

use ptx_parser::{Inst, Kernel, Module, Reg, StmtKind};

/// The texts of `tests/data` with their names, in order.
pub(crate) fn samples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let read = |path: PathBuf| {
        (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap())
    };
    let mut samples: Vec<_> = paths.map(read).collect();
    samples.sort();
    assert!(samples.len() >= 9, "there are samples");
    samples
}

/// The text of `tests/data` of a name.
pub(crate) fn sample(name: &str) -> String {
    samples().into_iter().find(|(other, _)| other == name).unwrap_or_else(|| panic!("no sample `{name}`")).1
}

/// A text that says where it is wrong: without the `¡` before each such place, and the lines and columns of those places.
pub(crate) fn marked(text: &str) -> (String, Vec<(u32, u32)>) {
    let mut places = Vec::new();
    let (mut line, mut column) = (1, 1);
    for c in text.chars() {
        match c {
            '¡' => places.push((line, column)),
            '\n' => (line, column) = (line + 1, 1),
            _ => column += 1,
        }
    }
    (text.replace('¡', ""), places)
}

pub(crate) fn parse(text: &str) -> Module {
    Module::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The instructions of a kernel, in textual order.
pub(crate) fn insts(kernel: &Kernel) -> Vec<Inst> {
    let stmts = kernel.stmts().iter();
    stmts.filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { Some(inst) } else { None }).collect()
}

/// Where the statement stands that begins with this instruction text.
pub(crate) fn find(kernel: &Kernel, text: &str) -> usize {
    let stands = |kind: &StmtKind| match kind {
        StmtKind::Inst(inst) => kernel.inst_text(*inst).starts_with(text),
        StmtKind::Label(label) => format!("{}:", kernel.label_name(*label)) == text,
        _ => false,
    };
    kernel.stmts().iter().position(|stmt| stands(&stmt.kind)).unwrap_or_else(|| panic!("no `{text}`"))
}

/// The register of a name; of several, the outermost.
pub(crate) fn reg(kernel: &Kernel, name: &str) -> Reg {
    kernel.regs().find(|reg| kernel.reg_name(*reg) == name).unwrap()
}

/// What must hold of every module, however it was edited: it prints, the print reads as the same instructions and prints as
/// itself, and `ptxas` takes it. Gives the text back.
pub(crate) fn check(module: &Module) -> String {
    let text = module.to_string();
    let again = parse(&text);
    assert_eq!(contents(&again), contents(module), "{text}");
    assert_eq!(again.to_string(), text);
    for kernel in module.kernels().iter().chain(again.kernels()) {
        kernel.verify().unwrap();
    }
    assemble(&text);
    text
}

/// Has `ptxas` assemble a text for its own target. It is taken from `PXRW_TEST_PTXAS` or else from the `PATH`; without one, this says so and
/// does nothing.
pub(crate) fn assemble(text: &str) {
    let program = std::env::var_os("PXRW_TEST_PTXAS").unwrap_or_else(|| "ptxas".into());
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.ptx");
    std::fs::write(&input, text).unwrap();
    let mut command = Command::new(&program);
    let module = parse(text);
    let target = module.target().first().map_or("sm_90", |target| &**target);
    command.arg(format!("-arch={target}")).args(["-O0", "-c"]);
    if text.contains(".target sm_90, debug") {
        command.arg("-g");
    }
    match command.arg(&input).arg("-o").arg(folder.path().join("out")).output() {
        Ok(output) => {
            let messages = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{messages}\n{text}");
        }
        Err(_) => eprintln!("skipped: no ptxas in PXRW_TEST_PTXAS or on PATH, so its opinion was not asked"),
    }
}
