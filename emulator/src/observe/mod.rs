//! The observation of a running launch, if asked for: for the checks, and as a trace.
//!
//! The loop over a warp's instructions exists twice: as it is in `run/warp_turn.rs`, which knows nothing of this file, and here, where
//! every instruction is shown to the observer first. A turn chooses between them once.

pub(crate) mod checks;
pub(crate) mod local_accesses;
pub(crate) mod trace;

use std::ops::Range;

use cranelift_entity::{PrimaryMap, iter_entity_range};

use crate::api::launch::Launch;
use crate::exec::compare::predicate;
use crate::exec::op::{Ctx, NONE, Op};
use crate::memory::Memory;
use crate::program::Program;
use crate::program::code::{Block, BlockId, End};
use crate::program::listing::InstId;
use checks::Checker;
use local_accesses::Touched;
use trace::Tracer;

/// See the module.
pub(crate) struct Observer {
    pub(crate) checker: Option<Checker>,
    tracer: Option<Tracer>,
    /// Accesses to local memory, while who spins is watched.
    pub(crate) touched: Option<Touched>,
    /// The block whose turn it is.
    block: u64,
    /// The warp whose turn it is.
    pub(crate) warp: u32,
}

impl Observer {
    /// The observer that a launch asks for.
    pub(crate) fn of(launch: &Launch, program: &Program, memory: &Memory) -> Option<Observer> {
        let shared = launch.all_shared(&program.storage);
        let checker = launch.checks.of_memory().then(|| Checker::new(launch.checks, memory, program, shared));
        let tracer = launch.trace.clone().map(Tracer::new);
        let some = checker.is_some() || tracer.is_some();
        some.then_some(Observer { checker, tracer, touched: None, block: 0, warp: 0 })
    }

    /// One that only notes accesses to local memory.
    pub(crate) fn of_local_memory() -> Observer {
        Observer { checker: None, tracer: None, touched: Some(Touched::default()), block: 0, warp: 0 }
    }

    /// Returns true if it is there for the launch, and not only to note accesses to local memory.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.checker.is_some() || self.tracer.is_some()
    }

    /// A block goes on.
    pub(crate) fn enter(&mut self, block: u64) {
        self.block = block;
    }

    /// The current block has ended.
    pub(crate) fn leave(&mut self) {
        if let Some(checker) = &mut self.checker {
            checker.leave(self.block);
        }
    }

    /// A barrier of the current block has opened.
    pub(crate) fn barrier(&mut self) {
        if let Some(checker) = &mut self.checker {
            checker.barrier(self.block);
        }
    }

    /// Lanes of the current warp have executed the `.sync` operation of a block together.
    pub(crate) fn sync(&mut self, ctx: &Ctx<'_>, program: &Program, pc: BlockId, lanes: u32) {
        let block = &program.code.blocks[pc];
        self.pass(ctx, program, block.insts.clone(), lanes);
        // Only `bar.warp.sync`, which has no op, orders what lanes did to memory.
        if let (Some(checker), End::Sync { op: None, .. }) = (&mut self.checker, &block.end) {
            checker.warp_sync(self.block, self.warp);
        }
    }

    /// The launch has ended.
    pub(crate) fn finish(self) -> Option<Checker> {
        if let Some(mut tracer) = self.tracer {
            tracer.finish();
        }
        self.checker
    }

    /// Instructions that need no op of their own: jumps, barriers, votes that lanes waited for.
    pub(crate) fn pass(&mut self, ctx: &Ctx<'_>, program: &Program, insts: Range<InstId>, mask: u32) {
        for inst in iter_entity_range(insts) {
            if let Some(tracer) = &mut self.tracer {
                tracer.before(Some(ctx), program, inst, (self.block, self.warp), mask);
                tracer.after(Some(ctx), program, inst, mask);
            }
        }
    }

    fn before(&mut self, ctx: &Ctx<'_>, program: &Program, op: &Op, traced: bool) {
        if let Some(tracer) = self.tracer.as_mut().filter(|_| traced) {
            tracer.before(Some(ctx), program, op.id, (self.block, self.warp), ctx.mask);
        }
        if let Some(touched) = &mut self.touched {
            touched.note(ctx, program, op);
        }
        if let (Some(checker), Some(access)) = (&mut self.checker, program.listing.insts[op.id].access)
            && ctx.mask != 0
        {
            checker.access(ctx, op, access, self.block, self.warp);
        }
    }

    fn after(&mut self, ctx: &Ctx<'_>, program: &Program, op: &Op, traced: bool) {
        if let Some(tracer) = self.tracer.as_mut().filter(|_| traced) {
            tracer.after(Some(ctx), program, op.id, ctx.mask);
        }
    }

    /// The straight-line part of a block, as `run_ops` of `run/warp_turn.rs` runs it. Returns the first instruction that it did not come to: the end's.
    pub(crate) fn run_ops(
        &mut self,
        ctx: &mut Ctx<'_>,
        program: &Program,
        block: &Block,
        mask: u32,
        guarded: &mut PrimaryMap<InstId, u64>,
    ) -> InstId {
        let mut next = block.insts.start;
        for op in program.ops_of(block) {
            self.pass(ctx, program, next..op.id, mask);
            // A call moves its arguments with ops of its own instruction.
            let traced = op.id >= next;
            next = next.max(op.id.next());
            ctx.mask = mask;
            if op.guard != NONE {
                ctx.mask &= predicate(ctx, op.guard);
                guarded[op.id] += u64::from(ctx.mask.count_ones());
            }
            self.before(ctx, program, op, traced);
            // SAFETY: the decoder took the handler from `pick`, which only returns one that this host can run.
            let done = ctx.mask == 0 || unsafe { (op.run)(ctx, op) };
            self.after(ctx, program, op, traced);
            if !done {
                break;
            }
        }
        next
    }
}
