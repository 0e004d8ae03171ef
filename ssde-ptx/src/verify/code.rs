//! A kernel as a list of instructions with what comes after each.

use analysis::{Block, Cfg};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Flow, Guard, Inst, Kernel, KernelKind, Label, Modifier, StmtKind};
use smallvec::SmallVec;

use super::mismatch::ProgramPoint;

/// Before an instruction, in textual order; behind the last one at the end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Point(u32);
entity_impl!(Point, "point");

impl Point {
    /// Before the first instruction.
    pub(super) const START: Point = Point(0);

    /// The point behind the instruction.
    pub(super) fn next(self) -> Point {
        Point(self.0 + 1)
    }

    /// The point before the instruction that ends here; none at the start.
    pub(super) fn previous(self) -> Option<Point> {
        self.0.checked_sub(1).map(Point)
    }
}

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
    insts: PrimaryMap<Point, Inst>,
    labels: SecondaryMap<Label, PackedOption<Point>>,
}

impl<'k> Code<'k> {
    pub(super) fn of(kernel: &'k Kernel) -> Code<'k> {
        let mut code = Code { kernel, cfg: Cfg::of(kernel), insts: PrimaryMap::new(), labels: SecondaryMap::new() };
        for stmt in kernel.stmts() {
            match stmt.kind {
                StmtKind::Inst(inst) => _ = code.insts.push(inst),
                StmtKind::Label(label) => code.labels[label] = code.end().into(),
                _ => {}
            }
        }
        code
    }

    /// The point behind the last instruction.
    pub(super) fn end(&self) -> Point {
        self.insts.next_key()
    }

    /// The points before instructions.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> + use<> {
        self.insts.keys()
    }

    pub(super) fn inst(&self, point: Point) -> Option<Inst> {
        self.insts.get(point).copied()
    }

    pub(super) fn guard(&self, point: Point) -> Option<Guard> {
        self.inst(point).and_then(|inst| self.kernel.inst(inst).guard)
    }

    pub(super) fn block(&self, point: Point) -> Option<Block> {
        self.inst(point).and_then(|inst| self.cfg.block_of(inst))
    }

    /// Returns true if going from one point to another follows an edge of the graph.
    pub(super) fn crosses(&self, from: Point, to: Point) -> bool {
        to != from.next() || self.block(from) != self.block(to)
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
        let target = |label: Label| self.labels[label].expand();
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
