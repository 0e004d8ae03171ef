//! Counts the instructions of every kernel of a PTX file by class.
//!
//! ```text
//! cargo run -p pxrw-ptx --example count -- kernels.ptx
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

use ptx_parser::{Module, StmtKind};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a PTX file")?;
    print!("{}", count(&std::fs::read_to_string(path)?)?);
    Ok(())
}

/// A table of the instructions of each kernel or function with a body, the most frequent class first.
pub fn count(text: &str) -> Result<String, Box<dyn Error>> {
    let module = Module::parse(text)?;
    let mut table = String::new();
    for kernel in module.kernels().iter().filter(|kernel| kernel.has_body()) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for stmt in kernel.stmts() {
            if let StmtKind::Inst(inst) = stmt.kind {
                // An opcode that the table does not list belongs to no class that one could rely on.
                let properties = kernel.properties(inst);
                let class = if properties.known { format!("{:?}", properties.class) } else { "unknown".to_owned() };
                *counts.entry(class.to_lowercase()).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        writeln!(table, "{}", kernel.name())?;
        for (class, count) in counts {
            writeln!(table, "{count:8} {class}")?;
        }
    }
    Ok(table)
}
