//! Estimates of the sizes of a kernel's tables, so that they need not grow while it is read.
//!
//! Compilers end a body with a line that begins with a brace, which is found quickly. The number of entries for so many bytes is learned
//! from the kernel before. Where the estimate is wrong, tables grow as usual.

use memchr::memmem;

use crate::kernel::Kernel;

/// Bytes of a body per instruction, per statement, per operand, per register.
#[derive(Clone, Copy)]
struct Density {
    inst: usize,
    stmt: usize,
    operand: usize,
    reg: usize,
}

/// Guesses the sizes of tables.
pub(super) struct Capacity {
    density: Density,
    /// The length of the body that is being read, as far as it is known.
    body: usize,
    /// The bytes of bodies that may still be reserved for. A text in which each body seems to reach to the end does not get
    /// more than one that does.
    budget: usize,
}

impl Capacity {
    /// For a text of so many bytes.
    pub(super) fn of(text: usize) -> Capacity {
        Capacity { density: Density { inst: 32, stmt: 28, operand: 12, reg: 64 }, body: 0, budget: text }
    }

    /// Makes room for what a body will hold. `body` is the text from its opening brace on.
    pub(super) fn reserve(&mut self, kernel: &mut Kernel, body: &str) {
        let near = body.as_bytes().get(..self.budget).unwrap_or(body.as_bytes());
        let end = memmem::find(near, b"\n}");
        // What was searched counts whether or not an end was found, so that all searches together read the text once.
        self.budget -= end.unwrap_or(near.len());
        self.body = end.unwrap_or(0);
        // A little more than expected: a table that is too small by one entry is copied.
        let body = self.body + self.body / 16;
        kernel.insts.reserve(body / self.density.inst);
        kernel.stmts.reserve(body / self.density.stmt);
        kernel.pool.reserve(body / self.density.operand);
        kernel.regs.reserve(body / self.density.reg);
        // The small ones grow slowly with the body. For each, allocating once is less work than growing twice.
        let small = (body / 64).clamp(4, 32);
        kernel.opcodes.reserve(small);
        kernel.symbols.reserve(small / 2);
        kernel.labels.reserve(small / 2);
        kernel.lists.reserve(small / 2);
        kernel.families.reserve(8);
    }

    /// Learns from a kernel that has been read.
    pub(super) fn learn(&mut self, kernel: &Kernel) {
        const LARGE: usize = 1024;
        if self.body < LARGE {
            return;
        }
        let per = |count: usize| (self.body / count.max(1)).max(4);
        self.density = Density {
            inst: per(kernel.insts.len()),
            stmt: per(kernel.stmts.len()),
            operand: per(kernel.pool.len()),
            reg: per(kernel.regs.len()),
        };
    }
}
