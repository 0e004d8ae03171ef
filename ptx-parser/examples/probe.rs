//! Counts how often the lanes of a launch come to the head of each loop: puts an atomic counter there.
//!
//! ```text
//! cargo run -p pxrw-ptx --example probe -- kernels.ptx > probed.ptx
//! ```
//!
//! The counters are the elements of the variable `loop_counts`, in the order of the kernels and of the labels in them. A loop is found
//! by a branch back to a label; the crate `analysis` finds loops by dominators.

use std::collections::{BTreeSet, HashMap};
use std::error::Error;

use ptx_parser::{Kernel, Module, Patch, StmtKind};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a PTX file")?;
    let (module, count) = probe(&std::fs::read_to_string(path)?)?;
    eprintln!("{count} loops");
    print!("{module}");
    Ok(())
}

/// The module with a counter at the head of each loop, and how many loops there are.
pub fn probe(text: &str) -> Result<(Module, usize), Box<dyn Error>> {
    let mut module = Module::parse(text)?;
    let mut count = 0;
    for kernel in module.kernels_mut() {
        let mut patch = Patch::new();
        for label in heads(kernel) {
            let code = kernel.fragment(&format!("red.global.add.u64 [loop_counts+{}], 1;", 8 * count))?;
            patch.insert_after(label, code);
            count += 1;
        }
        kernel.apply(patch)?;
    }
    if count > 0 {
        module.add(&format!(".visible .global .align 8 .b64 loop_counts[{count}];"))?;
    }
    Ok((module, count))
}

/// The statements of the labels to which a branch behind them goes.
fn heads(kernel: &Kernel) -> BTreeSet<usize> {
    let mut defined = HashMap::new();
    let mut heads = BTreeSet::new();
    for (index, stmt) in kernel.stmts().iter().enumerate() {
        match stmt.kind {
            StmtKind::Label(label) => _ = defined.insert(label, index),
            StmtKind::Inst(inst) => {
                heads.extend(kernel.branch_targets(inst).iter().filter_map(|label| defined.get(label)))
            }
            _ => {}
        }
    }
    heads
}
