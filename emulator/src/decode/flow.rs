//! Control flow: branches, returns, barriers, and waiting for the lanes of a `.sync` operation.
//!
//! A barrier or `.sync` operation is a block of its own, so that a group that waits stands at a block like any other.
//! Where such an instruction, a call or a trap has a guard, it is put behind a branch; the instruction is then counted with
//! that branch, once for the warp that comes by, as the hardware issues it.

use ptx_parser::{Flow, Inst, Mnemonic, Modifier, Type};

use super::rows::Width;
use super::{Decoder, Frame, View, warp};
use crate::api::error::Error;
use crate::exec::op::NONE;
use crate::program::code::{BarrierKind, BlockId, End, NO_BLOCK};
use crate::program::listing::InstId;
use crate::program::registers::{Source, untagged};

impl<'m> Decoder<'m> {
    /// A branch, call, return, exit or trap.
    pub(super) fn control(&mut self, frame: &mut Frame<'m>, inst: Inst) -> Result<(), Error> {
        let kernel = frame.kernel;
        let flow = kernel.properties(inst).flow;
        // Labels need the frame mutably, so they are looked up before the view borrows it.
        let targets: Vec<BlockId> =
            kernel.branch_targets(inst).into_iter().map(|label| self.label(frame, label)).collect();
        let view = View { frame, inst, data: kernel.inst(inst), opcode: kernel.opcode(inst) };
        match flow {
            Flow::Branch => match targets.first() {
                Some(&target) => self.go(&view, target),
                None => Err(self.unsupported(&view, "only branches to labels are modelled")),
            },
            Flow::IndirectBranch => self.switch(&view, targets),
            Flow::Return => match view.frame.back {
                Some(back) => self.go(&view, back),
                None => self.exit(&view),
            },
            Flow::Exit => self.exit(&view),
            // `brkpt` is the one here that is no control flow: it suspends the launch, and no debugger is there to let it go on.
            Flow::Trap | Flow::Next => {
                self.behind_guard(&view);
                self.drafts.end(End::Trap);
                self.after(&view)
            }
            Flow::Call => self.call(&view),
        }
    }

    /// To one block, for the lanes whose guard holds.
    fn go(&mut self, view: &View<'_, 'm>, target: BlockId) -> Result<(), Error> {
        let guard = self.guard(view);
        let inst = self.meta(view, guard != NONE);
        if guard == NONE {
            self.drafts.end(End::Jump(target));
        } else {
            let next = self.drafts.new_block();
            self.drafts.end(End::Branch { pred: guard, taken: target, next, meet: NO_BLOCK, inst });
            self.drafts.start(next);
        }
        Ok(())
    }

    fn exit(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        let guard = self.guard(view);
        let inst = self.meta(view, guard != NONE);
        if guard == NONE {
            self.drafts.end(End::Exit);
        } else {
            let next = self.drafts.new_block();
            self.drafts.end(End::ExitIf { pred: guard, next, inst });
            self.drafts.start(next);
        }
        Ok(())
    }

    fn switch(&mut self, view: &View<'_, 'm>, targets: Vec<BlockId>) -> Result<(), Error> {
        if targets.is_empty() {
            return Err(self.unsupported(view, "its list of targets is missing"));
        }
        self.behind_guard(view);
        let index = self.source(view, 0, Type::U32)?;
        let table = self.drafts.add_switch(targets.into());
        self.drafts.end(End::Switch { index, table, meet: NO_BLOCK });
        self.after(view)
    }

    /// Counts an instruction, and puts what follows behind a branch if it has a guard. Returns the instruction's number.
    pub(super) fn behind_guard(&mut self, view: &View<'_, 'm>) -> InstId {
        let guard = self.guard(view);
        let inst = self.meta(view, guard != NONE);
        if guard != NONE {
            let (body, next) = (self.drafts.new_block(), self.drafts.new_block());
            self.drafts.end(End::Branch { pred: guard, taken: body, next, meet: NO_BLOCK, inst });
            self.current.pending = Some(next);
            self.drafts.start(body);
        }
        inst
    }

    /// Goes on where lanes without the guard went.
    fn after(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        if view.data.guard.is_some()
            && let Some(next) = self.current.pending.take()
        {
            self.drafts.start(next);
        }
        Ok(())
    }

    /// A barrier, or an operation that lanes of a warp execute together.
    pub(super) fn together(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        let barrier = matches!(view.opcode.mnemonic(), Mnemonic::Bar | Mnemonic::Barrier);
        // A block of its own. With a guard it is not counted: the branch before it is.
        if view.data.guard.is_none() {
            let block = self.drafts.new_block();
            self.drafts.start(block);
        }
        let id = self.behind_guard(view);
        let next = self.drafts.new_block();
        let end = if barrier && !view.has(Modifier::Warp) {
            self.barrier(view, next, id)?
        } else {
            let before = self.drafts.ops.len();
            let members = warp::members(self, view)?;
            let op = if barrier {
                None
            } else {
                let mut op = warp::decode(self, view)?;
                op.id = id;
                Some(self.drafts.ops.push(op))
            };
            if self.drafts.ops.len() > before + usize::from(op.is_some()) {
                return Err(self.unsupported(view, "the address of a local variable must be in a register here"));
            }
            // `bar.warp.sync` moves no values, so that lanes meet at different ones too. Calls of a function share its registers, so that any
            // copy of an instruction works on the values of all lanes.
            let key = (view.frame.function, view.inst);
            let meets = op.map(|_| *self.functions.synced.entry(key).or_insert(id));
            End::Sync { op, members, next, inst: id, meets }
        };
        self.drafts.end(end);
        if let (Some(_), Some(around)) = (view.data.guard, self.current.pending.take()) {
            self.drafts.start(next);
            self.drafts.start(around);
        } else {
            self.drafts.start(next);
        }
        Ok(())
    }

    fn barrier(&mut self, view: &View<'_, 'm>, next: BlockId, inst: InstId) -> Result<End, Error> {
        let aligned = view.opcode.mnemonic() == Mnemonic::Bar || view.has(Modifier::Aligned);
        if view.has(Modifier::Cluster) {
            let kind = if view.has(Modifier::Arrive) { BarrierKind::ClusterArrive } else { BarrierKind::ClusterWait };
            return Ok(End::Barrier { kind, id: NONE, count: None, next, aligned, inst });
        }
        let count = view.operands().len();
        let number = |d: &mut Self, index: usize| d.source(view, index, Type::U32);
        if view.has(Modifier::Red) {
            let popc = view.has(Modifier::Popc);
            if count != 3 && count != 4 {
                return Err(self.unsupported(view, "a barrier reduction has 3 or 4 operands"));
            }
            let result = self.result(view, 0, if popc { Type::U32 } else { Type::Pred })?;
            let id = number(self, 1)?;
            let threads = if count == 4 { Some(number(self, 2)?) } else { None };
            let pred = self.predicate(view, count - 1)?;
            let kind = match () {
                () if popc => BarrierKind::Popc(pred, result),
                () if view.has(Modifier::And) => BarrierKind::And(pred, result),
                () => BarrierKind::Or(pred, result),
            };
            return Ok(End::Barrier { kind, id, count: threads, next, aligned, inst });
        }
        let kind = if view.has(Modifier::Arrive) { BarrierKind::Arrive } else { BarrierKind::Sync };
        let id = if count == 0 { untagged(self.constant(Width::W32, Source::Bits(0))) } else { number(self, 0)? };
        let threads = if count >= 2 { Some(number(self, 1)?) } else { None };
        if kind == BarrierKind::Arrive && threads.is_none() {
            return Err(self.unsupported(view, "`bar.arrive` needs a thread count"));
        }
        Ok(End::Barrier { kind, id, count: threads, next, aligned, inst })
    }
}
