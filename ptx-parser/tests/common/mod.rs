//! What the tests of this crate share: the samples, kernels around a few lines, and `ptxas` as a second opinion.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)]

pub(crate) mod noise;

use std::path::{Path, PathBuf};
use std::process::Command;

use ptx_parser::{Kernel, Module, Stmt, StmtKind};

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

pub(crate) fn parse(text: &str) -> Module {
    Module::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A module with one kernel `k` whose body is the given lines; registers of every width are declared on the line before.
pub(crate) fn kernel(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{{\n\
         .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .f64 %fd<4>; .reg .v4 .f32 %v;\n\
         {body}\n}}\n"
    )
}

/// The instructions and labels of a module in canonical form: what must survive an edit of anything else.
pub(crate) fn contents(module: &Module) -> Vec<String> {
    module.kernels().iter().flat_map(|kernel| kernel.stmts().iter().filter_map(|stmt| content(kernel, stmt))).collect()
}

fn content(kernel: &Kernel, stmt: &Stmt) -> Option<String> {
    match &stmt.kind {
        StmtKind::Inst(inst) => Some(kernel.inst_text(*inst)),
        StmtKind::Label(label) => Some(format!("{}:", kernel.label_name(*label))),
        StmtKind::Marker(text) => Some(format!("//{text}")),
        StmtKind::Open => Some("{".to_owned()),
        StmtKind::Close => Some("}".to_owned()),
        _ => None,
    }
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

/// Whether two modules say the same: header, variables, kernels with their statements, and every name standing for the same thing.
pub(crate) fn same(one: &Module, other: &Module) -> Result<(), String> {
    let header = |module: &Module| format!("{:?} {:?} {}", module.version(), module.target(), module.address_size());
    differs("the header", &header(one), &header(other))?;
    let variables = |module: &Module| {
        let mut list: Vec<String> = module.variables().iter().map(|variable| format!("{variable:?}")).collect();
        list.sort();
        list
    };
    differs("the variables", &variables(one), &variables(other))?;
    let kernels = |module: &Module| {
        let mut list: Vec<Vec<String>> = module.kernels().iter().map(meaning).collect();
        list.sort();
        list
    };
    for (mine, theirs) in kernels(one).iter().zip(&kernels(other)) {
        for (mine, theirs) in mine.iter().zip(theirs) {
            differs("a statement", mine, theirs)?;
        }
        differs("the number of statements", &mine.len(), &theirs.len())?;
    }
    differs("the number of kernels", &one.kernels().len(), &other.kernels().len())
}

fn differs<T: PartialEq + std::fmt::Debug>(what: &str, one: &T, other: &T) -> Result<(), String> {
    if one == other { Ok(()) } else { Err(format!("{what}: {one:?} is not {other:?}")) }
}

/// A kernel line by line: its header, then its statements, each with what its names stand for. Registers, symbols and labels are numbered
/// in the order in which they are mentioned, so that two of one name in different scopes are told apart.
fn meaning(kernel: &Kernel) -> Vec<String> {
    use ptx_parser::{Base, Operand};
    let mut lines = vec![format!("{} {:?} {:?}", kernel.name(), kernel.params(), kernel.results())];
    let mut directives: Vec<String> = kernel.directives().iter().map(|directive| format!("{directive:?}")).collect();
    directives.sort();
    lines.push(directives.join(" "));
    let mut seen: Vec<String> = Vec::new();
    let mut number = |id: String| {
        seen.iter().position(|other| *other == id).unwrap_or_else(|| {
            seen.push(id);
            seen.len() - 1
        })
    };
    for stmt in kernel.stmts() {
        let mut line = content(kernel, stmt).unwrap_or_default();
        match &stmt.kind {
            StmtKind::Inst(inst) => {
                kernel.visit(*inst, |reg, access| {
                    // The carry flag is there once any instruction writes it; it has no name.
                    if Some(reg) == kernel.carry_flag() {
                        return;
                    }
                    let data = kernel.reg(reg);
                    line += &format!(" {} {:?} {} {access:?}", number(reg.to_string()), data.ty, data.lanes);
                });
                kernel.visit_operands(*inst, |operand| match *operand {
                    Operand::Symbol(symbol, _) | Operand::Address(Base::Symbol(symbol), _) => {
                        line += &format!(" {} {:?}", number(symbol.to_string()), kernel.variable(symbol));
                    }
                    _ => {}
                });
                for label in kernel.branch_targets(*inst) {
                    line += &format!(" {}", number(label.to_string()));
                }
            }
            StmtKind::Label(label) => line += &format!(" {}", number(label.to_string())),
            StmtKind::Loc(loc) => line += &format!("{loc:?}"),
            // Declarations that edits added stand in the text but not in the list; what is mentioned of them is compared.
            StmtKind::Registers | StmtKind::Variables(_) => continue,
            _ => {}
        }
        lines.push(line);
    }
    lines
}
