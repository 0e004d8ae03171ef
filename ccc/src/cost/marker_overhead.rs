//! The cost of a loop as the compiler leaves it without markers, so that what marking it takes counts against collecting its paths.
//!
//! A loop that is not unrolled executes its counter, its comparison and its address arithmetic in every iteration:
//!
//! ```text
//! without markers                           with markers
//! H: ld; ld; ld; ld; … 4 times the path     H: ld; the path; add; setp; bra H
//!    add; setp; bra H
//! ```
//!
//! A loop is found again by its accesses to memory: the compiler made `n` iterations into one where a loop has each kind of access `n` times as often.
//! If no loop has, the cost is unknown and counts as 0.

use std::collections::{BTreeMap, HashMap};

use analysis::{Analyses, Block, Cfg};
use ptx_parser::{Kernel, Memory, Module};

/// A loop's accesses to memory and its instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Shape {
    /// The number of instructions with each opcode that accesses memory.
    accesses: BTreeMap<String, usize>,
    instructions: usize,
}

/// The loops of kernels without markers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unmarked {
    loops: HashMap<String, Vec<Shape>>,
}

impl Unmarked {
    /// Looks at all kernels of a module that was compiled without markers.
    #[must_use]
    pub fn of(module: &Module) -> Unmarked {
        let shapes = |kernel: &Kernel| {
            let Analyses { cfg, loops, .. } = Analyses::of(kernel);
            loops.iter().map(|id| Shape::of(kernel, &cfg, loops.blocks(id))).collect()
        };
        let kernels = module.kernels().iter().filter(|kernel| kernel.has_body());
        Unmarked { loops: kernels.map(|kernel| (kernel.name().to_owned(), shapes(kernel))).collect() }
    }

    /// Instructions per iteration that a marked loop, which consists of these blocks, has more than without markers; 0 where that is not known.
    pub(crate) fn overhead(&self, kernel: &Kernel, cfg: &Cfg, blocks: &[Block]) -> f64 {
        let marked = Shape::of(kernel, cfg, blocks);
        let known = self.loops.get(kernel.name()).into_iter().flatten();
        let cheapest = known.filter_map(|plain| {
            let times = plain.times(&marked)?;
            Some(plain.instructions as f64 / times as f64)
        });
        let cheapest = cheapest.fold(f64::INFINITY, f64::min);
        if cheapest.is_finite() { (marked.instructions as f64 - cheapest).max(0.0) } else { 0.0 }
    }
}

impl Shape {
    fn of(kernel: &Kernel, cfg: &Cfg, blocks: &[Block]) -> Shape {
        let mut shape = Shape::default();
        for &inst in blocks.iter().flat_map(|&block| cfg.insts(block)) {
            shape.instructions += 1;
            if kernel.properties(inst).memory != Memory::None {
                *shape.accesses.entry(kernel.opcode(inst).text().to_owned()).or_default() += 1;
            }
        }
        shape
    }

    /// Returns the number of iterations of another loop that one iteration of this one executes, by its accesses.
    fn times(&self, other: &Shape) -> Option<usize> {
        let (opcode, &once) = other.accesses.first_key_value()?;
        let times = self.accesses.get(opcode)? / once;
        let same = times > 0
            && self.accesses.len() == other.accesses.len()
            && other.accesses.iter().all(|(opcode, count)| self.accesses.get(opcode) == Some(&(count * times)));
        same.then_some(times)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(body: &str) -> Module {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p)\n{{\n.reg .pred %q; .reg .b32 %r<9>; .reg .b64 %d;\n\
             ld.param.u64 %d, [p];\nmov.b32 %r1, 0;\nH:\n{body}setp.lt.s32 %q, %r1, 64;\n@%q bra H;\nret;\n}}\n"
        );
        Module::parse(&text).unwrap()
    }

    fn overhead(plain: &str, marked: &str) -> f64 {
        let (plain, marked) = (module(plain), module(marked));
        let kernel = &marked.kernels()[0];
        let Analyses { cfg, loops, .. } = Analyses::of(kernel);
        let id = loops.iter().next().unwrap();
        Unmarked::of(&plain).overhead(kernel, &cfg, loops.blocks(id))
    }

    #[test]
    fn what_an_unrolled_loop_saves_is_known() {
        let once = "ld.global.u32 %r2, [%d];\nst.global.u32 [%d], %r2;\n";
        let rolled = format!("{once}add.s32 %r1, %r1, 1;\n");
        let unrolled = format!("{}add.s32 %r1, %r1, 4;\n", once.repeat(4));
        // Two accesses and three instructions for the loop, which four iterations share.
        assert_eq!(overhead(&unrolled, &rolled), 5.0 - 11.0 / 4.0);
        assert_eq!(overhead(&rolled, &rolled), 0.0);
        assert_eq!(overhead(&rolled, &unrolled), 0.0, "the marked loop is the cheaper one");
        let other = "ld.global.u32 %r2, [%d];\nadd.s32 %r1, %r1, 4;\n";
        assert_eq!(overhead(other, &rolled), 0.0, "another loop");
    }
}
