//! Whether two modules say the same, for tests that hold a module against what its print reads as.

use ptx_parser::{Base, Kernel, Module, Operand, Stmt, StmtKind};

/// The instructions and labels of a module in canonical form: what must survive an edit of anything else.
pub(crate) fn contents(module: &Module) -> Vec<String> {
    module.kernels().iter().flat_map(|kernel| kernel.stmts().iter().filter_map(|stmt| content(kernel, stmt))).collect()
}

fn content(kernel: &Kernel, stmt: &Stmt) -> Option<String> {
    match &stmt.kind {
        StmtKind::Inst(inst) => Some(kernel.inst_text(*inst)),
        StmtKind::Label(label) => Some(format!("{}:", kernel.label_name(*label))),
        StmtKind::Marker(marker) => Some(format!("//{}", kernel.marker_text(*marker))),
        StmtKind::Open => Some("{".to_owned()),
        StmtKind::Close => Some("}".to_owned()),
        _ => None,
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
            StmtKind::Loc(loc) => line += &format!("{:?}", kernel.loc_of(*loc)),
            // Declarations that edits added stand in the text but not in the list; what is mentioned of them is compared.
            StmtKind::Registers | StmtKind::Variables(_) => continue,
            _ => {}
        }
        lines.push(line);
    }
    lines
}
