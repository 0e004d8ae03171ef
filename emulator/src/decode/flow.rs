//! Control flow: branches, calls, returns, barriers, and waiting for the lanes of a `.sync` operation.
//!
//! A barrier or `.sync` operation is a block of its own, so that a group that waits stands at a block like any other.
//! Where such an instruction, a call or a trap has a guard, it is put behind a branch; the instruction is then counted with
//! that branch, once for the warp that comes by, as the hardware issues it.

use ptx_parser::{Flow, Inst, Kernel, KernelKind, Operand, Space, Type};
use rustc_hash::FxHashMap;

use super::operands::Width;
use super::places::Place;
use super::{Decoder, Frame, View, warp};
use crate::error::Error;
use crate::exec::integer::Move;
use crate::exec::rows::Map1;
use crate::exec::scalar::untagged;
use crate::exec::{NONE, Op, pick};
use crate::program::{BarrierKind, End, NO_BLOCK, Source};

/// How deep calls may be nested; every level is expanded in place.
const MAX_CALL_DEPTH: usize = 128;

impl<'m> Decoder<'m> {
    /// A branch, call, return, exit or trap.
    pub(super) fn control(&mut self, frame: &mut Frame<'m>, inst: Inst) -> Result<(), Error> {
        let kernel = frame.kernel;
        let flow = kernel.properties(inst).flow;
        // Labels need the frame mutably, so they are looked up before the view borrows it.
        let targets: Vec<u32> = kernel.branch_targets(inst).into_iter().map(|label| self.label(frame, label)).collect();
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
            Flow::Trap => {
                self.behind_guard(&view);
                self.end(End::Trap);
                self.after(&view)
            }
            Flow::Call => self.call(&view),
            Flow::Next => Ok(()),
        }
    }

    /// To one block, for the lanes whose guard holds.
    fn go(&mut self, view: &View<'_, 'm>, target: u32) -> Result<(), Error> {
        let guard = self.guard(view);
        let inst = self.meta(view, guard != NONE);
        if guard == NONE {
            self.end(End::Jump(target));
        } else {
            let next = self.new_block();
            self.end(End::Branch { pred: guard, taken: target, next, meet: NO_BLOCK, inst });
            self.start(next);
        }
        Ok(())
    }

    fn exit(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        let guard = self.guard(view);
        let inst = self.meta(view, guard != NONE);
        if guard == NONE {
            self.end(End::Exit);
        } else {
            let next = self.new_block();
            self.end(End::ExitIf { pred: guard, next, inst });
            self.start(next);
        }
        Ok(())
    }

    fn switch(&mut self, view: &View<'_, 'm>, targets: Vec<u32>) -> Result<(), Error> {
        if targets.is_empty() {
            return Err(self.unsupported(view, "its list of targets is missing"));
        }
        self.behind_guard(view);
        let index = self.source(view, 0, Type::U32)?;
        self.switches.push(targets.into());
        self.end(End::Switch { index, table: self.switches.len() as u32 - 1, meet: NO_BLOCK });
        self.after(view)
    }

    /// Counts an instruction, and puts what follows behind a branch if it has a guard. Returns the instruction's number.
    fn behind_guard(&mut self, view: &View<'_, 'm>) -> u32 {
        let guard = self.guard(view);
        let inst = self.meta(view, guard != NONE);
        if guard != NONE {
            let (body, next) = (self.new_block(), self.new_block());
            self.end(End::Branch { pred: guard, taken: body, next, meet: NO_BLOCK, inst });
            self.pending = Some(next);
            self.start(body);
        }
        inst
    }

    /// Goes on where lanes without the guard went.
    fn after(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        if view.data.guard.is_some()
            && let Some(next) = self.pending.take()
        {
            self.start(next);
        }
        Ok(())
    }

    /// A barrier, or an operation that lanes of a warp execute together.
    pub(super) fn together(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        if view.has("cluster") {
            return Err(self.unsupported(view, "clusters are not modelled"));
        }
        let barrier = matches!(view.opcode.mnemonic(), "bar" | "barrier");
        // A block of its own. With a guard it is not counted: the branch before it is.
        if view.data.guard.is_none() {
            let block = self.new_block();
            self.start(block);
        }
        let id = self.behind_guard(view);
        let next = self.new_block();
        let end = if barrier && !view.has("warp") {
            self.barrier(view, next)?
        } else {
            let members = warp::members(self, view)?;
            let op = if barrier {
                None
            } else {
                let mut op = warp::decode(self, view)?;
                op.id = id;
                self.ops.push(op);
                Some(self.ops.len() as u32 - 1)
            };
            End::Sync { op, members, next }
        };
        self.end(end);
        if let (Some(_), Some(around)) = (view.data.guard, self.pending.take()) {
            self.start(next);
            self.start(around);
        } else {
            self.start(next);
        }
        Ok(())
    }

    fn barrier(&mut self, view: &View<'_, 'm>, next: u32) -> Result<End, Error> {
        let count = view.operands().len();
        let number = |d: &mut Self, index: usize| d.source(view, index, Type::U32);
        if view.has("red") {
            let popc = view.has("popc");
            if count != 3 && count != 4 {
                return Err(self.unsupported(view, "a barrier reduction has 3 or 4 operands"));
            }
            let result = self.result(view, 0, if popc { Type::U32 } else { Type::Pred })?;
            let id = number(self, 1)?;
            let threads = if count == 4 { Some(number(self, 2)?) } else { None };
            let pred = self.predicate(view, count - 1)?;
            let kind = match () {
                () if popc => BarrierKind::Popc(pred, result),
                () if view.has("and") => BarrierKind::And(pred, result),
                () => BarrierKind::Or(pred, result),
            };
            return Ok(End::Barrier { kind, id, count: threads, next });
        }
        let kind = if view.has("arrive") { BarrierKind::Arrive } else { BarrierKind::Sync };
        let id = if count == 0 { untagged(self.constant(Width::W32, Source::Bits(0))) } else { number(self, 0)? };
        let threads = if count >= 2 { Some(number(self, 1)?) } else { None };
        if kind == BarrierKind::Arrive && threads.is_none() {
            return Err(self.unsupported(view, "`bar.arrive` needs a thread count"));
        }
        Ok(End::Barrier { kind, id, count: threads, next })
    }

    fn call(&mut self, view: &View<'_, 'm>) -> Result<(), Error> {
        let kernel = view.frame.kernel;
        let operands = view.operands();
        let (results, rest): (&[Operand], _) = match operands.first() {
            Some(Operand::Tuple(list)) => (kernel.list(*list), &operands[1..]),
            _ => (&[], operands),
        };
        let Some(Operand::Symbol(symbol, 0)) = rest.first() else {
            return Err(self.unsupported(view, "only calls of functions by name are modelled"));
        };
        let arguments: &[Operand] = match rest.get(1) {
            Some(Operand::Tuple(list)) => kernel.list(*list),
            _ => &[],
        };
        let name = kernel.symbol_name(*symbol);
        let callee = match self.module.kernel(name) {
            Some(callee) if callee.has_body() && callee.kind() == KernelKind::Func => callee,
            _ => return Err(self.unsupported(view, format!("the module has no body of the function `{name}`"))),
        };
        if self.stack.contains(&name) {
            return Err(self.unsupported(view, format!("`{name}` calls itself; recursion is not modelled")));
        }
        if self.stack.len() >= MAX_CALL_DEPTH {
            return Err(self.unsupported(view, format!("calls are nested more than {MAX_CALL_DEPTH} deep")));
        }
        if results.len() != callee.results().len() || arguments.len() != callee.params().len() {
            return Err(self.unsupported(view, format!("`{name}` has another number of parameters or results")));
        }
        let id = self.behind_guard(view);
        let around = self.pending.take();
        let function = self.function(callee.name());
        let inner =
            Frame { kernel: callee, function, labels: FxHashMap::default(), params: FxHashMap::default(), back: None };
        let mut params: FxHashMap<&'m str, Place> = FxHashMap::default();
        for (formal, actual) in callee.params().iter().zip(arguments) {
            if formal.space == Space::Reg {
                let to = self.formal_register(view, &inner, &formal.name)?;
                let from = self.value(view, actual, formal.ty)?;
                self.copy(view, id, to, from)?;
            } else {
                params.insert(&formal.name, self.actual_place(view, actual)?);
            }
        }
        for (formal, actual) in callee.results().iter().zip(results) {
            if formal.space != Space::Reg {
                params.insert(&formal.name, self.actual_place(view, actual)?);
            }
        }
        let back = self.new_block();
        self.body(callee, params, Some(back))?;
        self.start(back);
        for (formal, actual) in callee.results().iter().zip(results) {
            if formal.space == Space::Reg {
                let from = self.formal_register(view, &inner, &formal.name)?;
                let to = self.value(view, actual, formal.ty)?;
                self.copy(view, id, to, from)?;
            }
        }
        if let Some(around) = around {
            self.start(around);
        }
        Ok(())
    }

    /// The row of a parameter or result that is a register of the function.
    fn formal_register(&mut self, view: &View<'_, 'm>, inner: &Frame<'m>, name: &str) -> Result<u32, Error> {
        let callee: &Kernel = inner.kernel;
        let bare = name.trim_start_matches('%');
        match callee.regs().find(|&reg| callee.reg_name(reg).trim_start_matches('%') == bare) {
            Some(reg) => Ok(self.row(inner, reg)),
            // A parameter that the body never mentions.
            None => Err(self.unsupported(view, format!("the register parameter `{name}` is never used"))),
        }
    }

    /// The place of an argument that is a parameter variable.
    fn actual_place(&mut self, view: &View<'_, 'm>, actual: &Operand) -> Result<Place, Error> {
        match *actual {
            Operand::Symbol(symbol, 0) => self.place(view, symbol),
            _ => Err(self.unsupported(view, "only variables in .param can be passed to a .param parameter")),
        }
    }

    /// A move that is part of a call and not counted.
    fn copy(&mut self, view: &View<'_, 'm>, id: u32, to: u32, from: u32) -> Result<(), Error> {
        let run = match (Width::of_row(to), Width::of_row(from)) {
            (Width::W32, Width::W32) => pick::<Map1<Move<u32>>>(),
            (Width::W64, Width::W64) => pick::<Map1<Move<u64>>>(),
            _ => return Err(self.unsupported(view, "an argument has another width than its parameter")),
        };
        let op = Op { d: untagged(to), a: untagged(from), id, ..self.op(run) };
        self.ops.push(op);
        self.drafts[self.current].ops.end = self.ops.len() as u32;
        Ok(())
    }
}
