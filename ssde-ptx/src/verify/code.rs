//! A kernel as a list of instructions with what comes after each.

use analysis::{Block, Cfg};
use cranelift_entity::SecondaryMap;
use ptx_parser::{Flow, Guard, Inst, Kernel, KernelKind, Label, Modifier, StmtKind};
use smallvec::SmallVec;

use super::mismatch::ProgramPoint;

/// Before an instruction, by its number in the text; behind the last one at the end.
pub(super) type Point = u32;

/// The label of nobody.
const NOWHERE: Point = Point::MAX;

/// The way in which a thread ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// It is over.
    Thread,
    /// It goes back to the caller.
    Function,
}

/// The place where control continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    To(Point),
    End(Ending),
}

/// The effect of an instruction on control. If the guard does not hold, control goes to the next point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// To the next point.
    On,
    /// There.
    Jump(Next),
    /// To one of these points, by an index.
    Table(SmallVec<[Point; 4]>),
    /// Nowhere: the grid is aborted.
    Abort,
    /// The targets are not known.
    Anywhere,
}

/// A kernel, made for walking.
pub(super) struct Code<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) cfg: Cfg,
    insts: Vec<Inst>,
    labels: SecondaryMap<Label, Point>,
}

impl<'k> Code<'k> {
    pub(super) fn of(kernel: &'k Kernel) -> Code<'k> {
        let mut code =
            Code { kernel, cfg: Cfg::of(kernel), insts: Vec::new(), labels: SecondaryMap::with_default(NOWHERE) };
        for stmt in kernel.stmts() {
            match stmt.kind {
                StmtKind::Inst(inst) => code.insts.push(inst),
                StmtKind::Label(label) => code.labels[label] = code.end(),
                _ => {}
            }
        }
        code
    }

    /// The point behind the last instruction.
    pub(super) fn end(&self) -> Point {
        // A text of less than 4 GiB has fewer instructions.
        self.insts.len() as Point
    }

    pub(super) fn inst(&self, point: Point) -> Option<Inst> {
        self.insts.get(point as usize).copied()
    }

    pub(super) fn guard(&self, point: Point) -> Option<Guard> {
        self.inst(point).and_then(|inst| self.kernel.inst(inst).guard)
    }

    pub(super) fn block(&self, point: Point) -> Option<Block> {
        self.inst(point).and_then(|inst| self.cfg.block_of(inst))
    }

    /// Returns true if going from one point to another follows an edge of the graph.
    pub(super) fn crosses(&self, from: Point, to: Point) -> bool {
        to != from + 1 || self.block(from) != self.block(to)
    }

    /// Returns how the end of the body is left, as by `ret`.
    pub(super) fn ending(&self) -> Ending {
        match self.kernel.kind() {
            KernelKind::Entry => Ending::Thread,
            KernelKind::Func => Ending::Function,
        }
    }

    /// Returns what the instruction at a point does to control.
    pub(super) fn way(&self, point: Point) -> Way {
        let Some(inst) = self.inst(point) else { return Way::Jump(Next::End(self.ending())) };
        let target = |label: Label| Some(self.labels[label]).filter(|&point| point != NOWHERE);
        match self.kernel.properties(inst).flow {
            Flow::Next | Flow::Call => Way::On,
            Flow::Branch => {
                let point = self.kernel.branch_target(inst).and_then(target);
                point.map_or(Way::Anywhere, |point| Way::Jump(Next::To(point)))
            }
            Flow::IndirectBranch => {
                let points: Option<SmallVec<[Point; 4]>> =
                    self.kernel.branch_targets(inst).into_iter().map(target).collect();
                points.filter(|points| !points.is_empty()).map_or(Way::Anywhere, Way::Table)
            }
            Flow::Return => Way::Jump(Next::End(self.ending())),
            Flow::Exit => Way::Jump(Next::End(Ending::Thread)),
            Flow::Trap => Way::Abort,
        }
    }

    /// Returns true if a branch or return promises that all lanes of the warp go one way (PTX ISA, "bra").
    pub(super) fn promises_uniform(&self, inst: Inst) -> bool {
        self.kernel.opcode(inst).has(Modifier::Uni)
    }

    /// A point, for people.
    pub(super) fn shown(&self, point: Point) -> ProgramPoint {
        let inst = self.inst(point);
        let position = inst.and_then(|inst| self.kernel.text_position(inst)).unwrap_or_default();
        ProgramPoint { position, text: inst.map_or_else(Box::default, |inst| self.kernel.inst_text(inst).into()) }
    }
}
