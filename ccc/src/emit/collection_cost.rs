//! The cost of collecting a path, counted on the code that does it.

use ptx_parser::{Code, Label, Stmt, StmtKind};

use crate::emit::stage::Stage;
use crate::plan::path::Path;
use crate::rank::Uses;

/// Warp instructions that a path takes outside of its stage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// In every iteration, beyond those of the branches that are conditions now.
    pub(crate) each: f64,
    /// Instructions by which lanes note on their way that they want the path.
    pub(crate) note: usize,
    /// In a run of the path, beside its own.
    pub(crate) run: usize,
}

/// Warp instructions of the code that collects one path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Price {
    cost: Cost,
    /// Instructions if nobody wants it.
    nobody: usize,
    push: usize,
    /// From the vote to the path, where lanes pop.
    pop: usize,
    /// Behind a step.
    step: usize,
    /// Instructions if nothing more will come.
    drain: usize,
}

/// Warp instructions that the paths of a loop share.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shared {
    /// Before the loop.
    pub(crate) once: usize,
    /// At its head.
    pub(crate) head: usize,
}

impl Price {
    /// Counts the code of a stage, which goes on to `next` where there is nothing to do.
    pub(crate) fn of(stage: &Stage, [tail, again, drain, push]: [&Code; 4], cost: Cost, next: Label) -> Price {
        let labels = &stage.labels;
        Price {
            cost,
            nobody: tail.instructions_until(next),
            push: tail.instructions_until(labels.push) + push.instructions(),
            pop: tail.instructions(),
            step: labels.steps.as_ref().map_or(0, |steps| again.instructions_until(steps.step)),
            drain: drain.instructions() + 2 * tail.instructions_until(labels.drain),
        }
    }

    pub(crate) fn cost(&self, path: &Path, uses: Uses) -> f64 {
        let Uses { entries, iterations, runs, full } = uses;
        let times = |count: usize, times: f64| count as f64 * times.max(0.0);
        if path.region.steps {
            return times(self.step, full);
        }
        times(self.nobody, iterations - runs)
            + times(self.push, runs - full)
            + times(self.pop + self.cost.run, full)
            + times(self.cost.note, runs)
            + times(self.drain + self.cost.run, entries)
            + self.cost.each * iterations
    }
}

/// The instructions of statements.
pub(crate) fn instructions_of(stmts: &[Stmt]) -> usize {
    stmts.iter().filter(|stmt| matches!(stmt.kind, StmtKind::Inst(_))).count()
}
