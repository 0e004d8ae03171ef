//! Whether collecting a path is worth it, where a profile or its directive says how often it is run.
//!
//! Of `n` iterations of a warp, `w` come to the path, and full warps would run it `f` times. Without collecting it, the path's instructions
//! are issued `w` times, with it `f` times and once more for each of the `e` times that the loop is entered, for what is left at its end.
//! What collecting costs is counted on the code that is written for it:
//!
//! ```text
//! n - w times   the vote finds nobody
//! w - f times   the lanes that want the path push their contexts
//! f times       others pop, what does not travel is computed, and the path leads back
//! w times       lanes note that they want the path, or
//! n times       all lanes find out together, without the branches that were there before
//! n times       its share of the head of the loop, and of what the compiler makes worse of the loop because it is marked
//! e times       its share of what stands before the loop, and the drain, to which the vote leads twice
//! ```
//!
//! What the compiler makes of all this is not counted. So a path is collected only if that saves a twentieth more than it costs.
//!
//! A directive's `probability(P)` says as much of an iteration: where lanes take the path independently of each other, a warp comes to it with
//! `w = 1 - (1 - P)^32`, and full warps would run it `f = P` times, each instruction of it once. How long the loop is, the directive does not say: it
//! is taken for long, so that what stands before it and the drain count for nothing. How often an inner loop goes round, or what a called function
//! executes, is not known either: such a path is collected, as one of which nothing is known.
//!
//! Of a path that is run in steps, it is not known how often a lane takes up another task. There only the vote after each step counts, so that
//! such a path is left out only if that alone costs more than is saved.

use analysis::Block;
use ptx_parser::{Code, Flow, Inst, Label, Operand, Running, Stmt, StmtKind};

use crate::facts::Facts;
use crate::plan::Path;
use crate::rank::come;
use crate::rank::profile::{Counts, Uses};
use crate::refusal::Refusal;
use crate::write::stage::Stage;

/// What collecting must save, as a multiple of what it costs.
const MARGIN: f64 = 1.05;

/// How often a path is run, and what it is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Used {
    pub(crate) uses: Uses,
    /// Instructions that warps execute in it, paths that lie in it left out.
    pub(crate) executed: f64,
    /// Those among them that copy one register to another.
    pub(crate) copied: f64,
}

/// Warp instructions per iteration of a warp.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// What collecting the path costs.
    pub cost: f64,
    /// What it saves.
    pub saved: f64,
}

// Both fields are never NaN.
impl Eq for Balance {}

/// Warp instructions that a path takes outside of its stage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// In every iteration, beyond those of the branches that are conditions now.
    pub(crate) each: f64,
    /// Where lanes note on their way that they want the path.
    pub(crate) note: usize,
    /// In a run of the path, beside its own.
    pub(crate) run: usize,
}

/// Warp instructions of the code that collects one path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Price {
    cost: Cost,
    /// Where nobody wants it.
    nobody: usize,
    push: usize,
    /// From the vote to the path, where lanes pop.
    pop: usize,
    /// Behind a step.
    step: usize,
    /// Where nothing more will come.
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

    fn cost(&self, path: &Path, uses: Uses) -> f64 {
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

/// How often each path of a loop is run, as far as a profile or its directive says.
pub(crate) fn used(facts: &Facts<'_>, counts: Option<&Counts>, paths: &[Path]) -> Vec<Option<Used>> {
    let used = |(index, path): (usize, &Path)| {
        let own = own(index, paths);
        match (counts, path.site.probability) {
            (Some(counts), _) => {
                let uses = counts.region(facts, &path.region)?;
                Some(Used::of(facts, uses, &own, |inst| counts.inst(facts.kernel, inst).0 as f64))
            }
            (None, Some(probability)) if is_straight(facts, path, &own) => {
                let uses = Uses { entries: 0.0, iterations: 1.0, runs: come(probability), full: probability };
                Some(Used::of(facts, uses, &own, |_| uses.runs))
            }
            (None, _) => None,
        }
    };
    paths.iter().enumerate().map(used).collect()
}

/// The blocks of a path, those of paths that lie in it left out.
fn own(index: usize, paths: &[Path]) -> Vec<Block> {
    let inside =
        |block: Block| paths.iter().any(|path| path.region.outer == Some(index) && path.region.contains(block));
    paths[index].region.blocks.iter().copied().filter(|&block| !inside(block)).collect()
}

/// Whether a lane that takes the path executes each of these blocks once at most, and nothing elsewhere.
fn is_straight(facts: &Facts<'_>, path: &Path, blocks: &[Block]) -> bool {
    let level = |block: Block| facts.loops.innermost(block) == Some(path.region.marked_loop);
    let calls =
        |block: Block| facts.cfg.insts(block).iter().any(|&inst| facts.kernel.properties(inst).flow == Flow::Call);
    !path.region.steps && blocks.iter().all(|&block| level(block) && !calls(block))
}

impl Used {
    /// With what its instructions, which stand in these blocks, are executed by warps.
    fn of(facts: &Facts<'_>, uses: Uses, blocks: &[Block], often: impl Fn(Inst) -> f64) -> Used {
        let kernel = facts.kernel;
        let is_copy = |inst: Inst| {
            let mut registers = true;
            kernel.visit_operands(inst, |operand| registers &= matches!(operand, Operand::Reg(_)));
            registers && kernel.properties(inst).running == Some(Running::Copy)
        };
        let insts = || blocks.iter().flat_map(|&block| facts.cfg.insts(block)).copied();
        let copied = insts().filter(|&inst| is_copy(inst)).map(&often).sum();
        Used { uses, executed: insts().map(&often).sum(), copied }
    }
}

/// Of the paths of a loop of which it is known how often they are run, those that are not worth it, by their number.
///
/// `overhead` are the instructions of an iteration that the loop has only because it is marked.
pub(crate) fn left_out(paths: &[Path], prices: &[Price], shared: Shared, overhead: f64) -> Vec<(usize, Refusal)> {
    let share = |count: f64| count / paths.len().max(1) as f64;
    let (once, head) = (share(shared.once as f64), share(shared.head as f64 + overhead));
    let balance = |(path, price): (&Path, &Price)| {
        let Used { mut uses, executed, copied } = path.used?;
        let each = |count: f64| if uses.runs > 0.0 { count / uses.runs } else { 0.0 };
        // Of copies of registers, ptxas makes no instruction where the path stays in its place.
        let (executed, copied) = (each(executed - copied), each(copied));
        // Where the path around it is collected, that one's runs are full; as many come to this one, at most.
        let outer = path.region.outer.and_then(|outer| paths[outer].used).filter(|_| !path.region.steps);
        if let Some(outer) = outer {
            uses.runs = uses.runs.min(outer.uses.full.max(uses.full));
        }
        let saved = (uses.runs - uses.full - uses.entries) * executed / uses.iterations;
        let cost = price.cost(path, uses) + copied * (uses.full + uses.entries) + once * uses.entries;
        Some(Balance { cost: cost / uses.iterations + head, saved })
    };
    let balances = paths.iter().zip(prices).map(balance).enumerate();
    let known = balances.filter_map(|(index, balance)| Some((index, balance?)));
    let losing = known.filter(|(_, balance)| balance.cost * MARGIN >= balance.saved);
    losing.map(|(index, balance)| (index, Refusal::NotWorth { balance, rank: paths[index].rank })).collect()
}
