//! Everything that is known of a kernel before a region of it is rewritten, computed afresh for each region.

pub(crate) mod accesses;
pub(crate) mod local;
pub(crate) mod rematerializable;

use analysis::{Analyses, Block, Cfg, Loop, Loops, Value};
use cranelift_entity::EntitySet;
use ptx_parser::{Flow, Inst, Kernel, Marker, Ordering, Stmt, StmtKind};

use crate::facts::local::Local;
use crate::markers::LOOP_NOTE;
use crate::origin::Origin;

/// The kernel and its side tables.
#[derive(Debug)]
pub(crate) struct Facts<'k> {
    pub(crate) kernel: &'k Kernel,
    all: Analyses,
    local: Local,
}

impl std::ops::Deref for Facts<'_> {
    type Target = Analyses;

    fn deref(&self) -> &Analyses {
        &self.all
    }
}

impl<'k> Facts<'k> {
    pub(crate) fn of(kernel: &'k Kernel) -> Facts<'k> {
        let all = Analyses::of(kernel);
        let local = Local::of(kernel, &all.cfg, &all.values);
        Facts { kernel, all, local }
    }

    /// As [`Facts::of`], for lanes that do not trap.
    pub(crate) fn beside_traps(kernel: &'k Kernel) -> Facts<'k> {
        let all = Analyses::beside_traps(kernel);
        let local = Local::of(kernel, &all.cfg, &all.values);
        Facts { kernel, all, local }
    }

    /// The reachable blocks from which no path ends the kernel.
    pub(crate) fn endless(&self) -> EntitySet<Block> {
        endless(&self.cfg)
    }

    /// The graph and the loops alone, which do not hold on to the kernel.
    pub(crate) fn into_graph(self) -> (Cfg, Loops) {
        (self.all.cfg, self.all.loops)
    }

    /// Returns true if an instruction has to do with the address of a local variable.
    pub(crate) fn touches_local(&self, inst: Inst) -> bool {
        self.local.touches(inst)
    }

    /// Returns the instruction by which an address of local memory escapes, if another one may access local memory through it.
    pub(crate) fn escaped_to(&self, inst: Inst) -> Option<Inst> {
        self.local.reached_by(self.kernel, &self.values, inst)
    }

    /// The block in whose range a marker stands.
    pub(crate) fn block_of_marker(&self, marker: Marker) -> Option<Block> {
        self.cfg.block_of_stmt(self.kernel.index_of(marker)?)
    }

    /// The block whose instructions follow a marker. What stands behind a terminator is, for the graph, part of the block
    /// that the terminator ends; a marker there is about the block behind it.
    pub(crate) fn block_behind(&self, marker: Marker) -> Option<Block> {
        let stmt = self.kernel.index_of(marker)?;
        let mut behind = self.kernel.stmts().iter().enumerate().skip(stmt);
        let (next, _) = behind.find(|(_, stmt)| matches!(stmt.kind, StmtKind::Inst(_) | StmtKind::Label(_)))?;
        self.cfg.block_of_stmt(next)
    }

    /// The blocks that one iteration of a loop can come to from a block on: that one and what follows, up to the loop's header or end.
    pub(crate) fn ahead(&self, marked_loop: Loop, from: Block) -> EntitySet<Block> {
        let header = self.loops.header(marked_loop);
        let mut seen = EntitySet::new();
        let mut work = vec![from];
        while let Some(block) = work.pop() {
            if block != header && self.loops.contains(marked_loop, block) && seen.insert(block) {
                work.extend(self.cfg.distinct_succs(block));
            }
        }
        seen
    }

    /// The blocks that one iteration of a loop can come to behind a block: that one too, if a loop in it leads there again.
    pub(crate) fn behind(&self, marked_loop: Loop, from: Block) -> EntitySet<Block> {
        let mut behind = EntitySet::new();
        for next in self.cfg.distinct_succs(from) {
            behind.extend(self.ahead(marked_loop, next).iter());
        }
        behind
    }

    /// Returns true if an access is neither volatile nor ordered: by itself it tells other threads nothing (PTX ISA, "Memory Consistency Model").
    pub(crate) fn is_weak(&self, inst: Inst) -> bool {
        let properties = self.kernel.properties(inst);
        !properties.volatile && properties.ordering == Ordering::Weak
    }

    /// The block that threads come to from a block on without anything being done: behind blocks that only branch on.
    pub(crate) fn through(&self, mut block: Block) -> Block {
        // A path longer than the number of blocks would be a cycle.
        for _ in 0..self.cfg.block_count() {
            let branches = |&inst: &Inst| self.kernel.properties(inst).flow == Flow::Branch;
            match (self.cfg.insts(block), self.cfg.distinct_succs(block).as_slice()) {
                (insts, &[only]) if insts.iter().all(branches) && !self.cfg.exits(block) => block = only,
                _ => break,
            }
        }
        block
    }

    /// Returns true if a loop is one that an earlier rewrite made.
    pub(crate) fn is_collected(&self, id: Loop) -> bool {
        let noted = |(_, stmt): (usize, &Stmt)| match stmt.kind {
            StmtKind::Marker(marker) => self.kernel.marker_text(marker).starts_with(LOOP_NOTE),
            _ => false,
        };
        self.loops.blocks(id).iter().any(|&block| self.cfg.stmts_of(self.kernel, block).any(noted))
    }

    /// Returns where a block is, for messages: its first instruction that has a position, else its first instruction.
    pub(crate) fn place(&self, block: Block) -> Origin {
        let insts = self.cfg.insts(block);
        let known = insts.iter().copied().find(|&inst| self.kernel.loc(inst).is_some_and(|loc| loc.line > 0));
        known.or_else(|| insts.first().copied()).map(|inst| Origin::of(self.kernel, inst)).unwrap_or_default()
    }

    /// Returns where control leaves a block, for messages.
    pub(crate) fn branch_place(&self, block: Block) -> Origin {
        match self.cfg.terminator(block) {
            Some(inst) => Origin::of(self.kernel, inst),
            None => self.place(block),
        }
    }

    /// The opcode of an instruction, as text for messages.
    pub(crate) fn opcode(&self, inst: Inst) -> String {
        self.kernel.opcode(inst).text().to_owned()
    }

    /// Returns what makes a branch divergent, for messages.
    pub(crate) fn branch_cause(&self, block: Block) -> String {
        let cause = self.divergence.reason_branch(block);
        cause.map_or_else(|| "its condition".to_owned(), |cause| cause.text(self.kernel))
    }

    /// Returns what makes a value divergent, for messages.
    pub(crate) fn value_cause(&self, value: Value) -> String {
        let cause = self.divergence.reason_value(value);
        cause.map_or_else(|| "its value is not known".to_owned(), |cause| cause.text(self.kernel))
    }
}

/// The reachable blocks from which no path ends the kernel.
pub(crate) fn endless(cfg: &Cfg) -> EntitySet<Block> {
    let mut ends = EntitySet::new();
    let mut work: Vec<Block> = cfg.blocks().filter(|&block| cfg.exits(block)).collect();
    while let Some(block) = work.pop() {
        if ends.insert(block) {
            work.extend(cfg.preds(block));
        }
    }
    let mut endless = EntitySet::new();
    endless.extend(cfg.blocks().filter(|&block| cfg.is_reachable(block) && !ends.contains(block)));
    endless
}
