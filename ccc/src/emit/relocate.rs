//! A region leaves its place: what stands there instead, and the region's statements where they run.
//!
//! The place may be in another region: then what is collected are that one's copies. An outer region is put together from its own
//! blocks and, where an inner one begins, from the code that collects for it.

use analysis::{Block, Edge};
use cranelift_entity::PrimaryMap;
use ptx_parser::{Code, Error, Guard, Inst, Label, Operand, Stmt, StmtKind};
use rustc_hash::FxHashMap;

use crate::context::value::Source;
use crate::emit::register_copies::Copies;
use crate::emit::{Work, branch, collection_cost, hoisted_loads};
use crate::markers::{self, MarkerKind};
use crate::plan::path::Path;
use crate::plan::path_id::PathId;

impl Work<'_> {
    /// Labels each block where one outermost region ends and another one begins. The label comes before what the other one collects.
    pub(crate) fn label_meetings(&mut self) {
        let outermost = || self.edit.paths.values().filter(|path| path.region.outer.is_none());
        let meetings: Vec<Block> = outermost()
            .map(|path| path.region.exit)
            .filter(|&exit| outermost().any(|other| other.region.entry == exit))
            .collect();
        for exit in meetings {
            self.label(exit);
        }
    }

    /// Builds what stands in the place of a region: the lane notes its context and that it wants the region.
    fn noted(&self, index: PathId, copies: &PrimaryMap<PathId, Copies>) -> Code {
        let mut code = Code::new();
        self.context(index, copies, None, &mut code);
        self.machinery.stages[index].wanted(&mut code);
        code
    }

    /// The context of a region goes to the copies. What the loop's own registers need of it has a guard, or none.
    pub(crate) fn context(
        &self,
        index: PathId,
        copies: &PrimaryMap<PathId, Copies>,
        guard: Option<Guard>,
        code: &mut Code,
    ) {
        let Path { region, context, lasting, parts, .. } = &self.edit.paths[index];
        let deposits = self.machinery.deposits.as_ref();
        let outer = region.outer.map(|outer| &copies[outer]);
        let at_once = |source: Source| !matches!(source, Source::Reg(reg) if lasting.contains(&reg));
        for value in context.values.iter().filter(|value| at_once(value.source)) {
            let Some(copy) = copies[index].of(value.source) else { continue };
            let from: Operand = match (outer.and_then(|outer| outer.of(value.source)), value.source) {
                (Some(reg), _) | (None, Source::Reg(reg)) => reg.into(),
                (None, Source::Special(special)) => special.into(),
                // Its load stands before this.
                (None, Source::Loaded(_)) => continue,
                (None, Source::Owner) => match deposits {
                    Some(deposits) => deposits.own.into(),
                    None => continue,
                },
            };
            code.ins().copy(value.ty, copy, from);
        }
        if let Some(deposits) = deposits {
            deposits.pass(self.kernel, parts, guard, code);
        }
    }

    /// Puts that where the region begins, unless the place is in another region; the lane goes on behind the region. Gives back how many
    /// instructions that takes.
    pub(crate) fn collect(&mut self, index: PathId, copies: &PrimaryMap<PathId, Copies>) -> Result<usize, Error> {
        let edit = self.edit;
        let Path { region, context, .. } = &edit.paths[index];
        let converted = edit.conversions.iter().any(|conversion| conversion.regions.contains(&index));
        if converted {
            return Ok(0);
        }
        let mut noted = self.noted(index, copies);
        if region.outer.is_some() {
            return Ok(noted.instructions());
        }
        // What stands between the region's entry and its exit may be the region alone.
        let next = edit.cfg.blocks().find(|&block| block > region.entry && !region.takes(block));
        if region.exit == edit.header {
            noted.ins().bra(self.machinery.tail());
        } else if next != Some(region.exit) {
            noted.ins().bra(self.label(region.exit));
        }
        let mut code = hoisted_loads::loads(&context.loads, self.kernel, &copies[index])?;
        code.extend(self.kernel.build(noted)?);
        // Labels in a row, with source positions between them perhaps, are one way in.
        let mut stmts = edit.cfg.stmts_of(self.kernel, region.entry);
        let last_label = stmts.rfind(|(_, stmt)| matches!(stmt.kind, StmtKind::Label(_)));
        let count = collection_cost::instructions_of(&code);
        let place = last_label.map_or(edit.cfg.stmts(region.entry).start, |(label, _)| label + 1);
        self.patch.insert_before(place, code);
        Ok(count)
    }

    /// The instructions that a run of the region takes besides its own: what it gets itself, and the branch that leads back if it fell
    /// through to what is behind it.
    pub(crate) fn besides(&self, index: PathId, copies: &PrimaryMap<PathId, Copies>) -> usize {
        let edit = self.edit;
        let Path { region, context, .. } = &edit.paths[index];
        let stage = &self.machinery.stages[index];
        let mut fresh = Code::new();
        stage.fresh_copies(self.kernel, context, &copies[index], &mut fresh);
        stage.copy_values(self.kernel, &mut fresh);
        let falls = |&block: &Block| {
            edit.cfg.succs(block).iter().any(|next| next.block == region.exit && next.edge == Edge::Fallthrough)
        };
        fresh.instructions() + usize::from(region.blocks.iter().any(falls))
    }

    /// The blocks of a region in the order in which they will stand, the entry first. Where an inner region begins stands its entry.
    fn order(&self, index: PathId) -> Vec<Block> {
        let paths = &self.edit.paths;
        let region = &paths[index].region;
        let inner = || paths.values().map(|path| &path.region).filter(|other| other.outer == Some(index));
        let own = |block: Block| !inner().any(|inner| inner.takes(block) && inner.entry != block);
        let others = region.blocks.iter().copied().filter(|&block| block != region.entry && own(block));
        std::iter::once(region.entry).chain(others).collect()
    }

    /// Takes the region's statements out of their place and gives them back with the edges that they need elsewhere, and whether any of
    /// them leads out of the region. `restored` is the code that computes what did not travel. Inner regions come first, because what they have copies of is still as it was.
    pub(crate) fn move_region(
        &mut self,
        index: PathId,
        copies: &PrimaryMap<PathId, Copies>,
        restored: Vec<Stmt>,
    ) -> Result<(Vec<Stmt>, bool), Error> {
        let edit = self.edit;
        let path = &edit.paths[index];
        let Path { region, context, .. } = path;
        let mut order = self.order(index);
        let end = self.end_of_task(index, &order);
        order.retain(|block| !end.as_ref().is_some_and(|end| end.skipped.contains(block)));
        let deposits = self.machinery.deposits.as_ref().filter(|_| !path.parts.is_empty());
        let ways = self.ways(index, &order);
        let stage = &self.machinery.stages[index];
        // What the region gets itself names registers and copies as they are meant.
        let mut fresh = Code::new();
        fresh.label(stage.labels.region);
        stage.copy_values(self.kernel, &mut fresh);
        stage.fresh_copies(self.kernel, context, &copies[index], &mut fresh);
        if let Some(deposits) = deposits {
            deposits.start(&path.parts, &copies[index], &mut fresh);
        }
        let mut moved = self.kernel.build(fresh)?;
        moved.extend(restored);
        for (place, &block) in order.iter().enumerate() {
            if let Some(&label) = ways.fresh.get(&block) {
                moved.push(self.kernel.label_stmt(label));
            }
            let falls = match self.inner(index, block) {
                Some(inner) => {
                    let noted = self.noted(inner, copies);
                    moved.extend(self.kernel.build(noted)?);
                    Some(edit.paths[inner].region.exit)
                }
                None => {
                    let from = moved.len();
                    match region.shared.contains(block) {
                        true => self.copy_block(block, &ways, &mut moved),
                        false => self.take_block(index, block, &ways, &mut moved),
                    }
                    let end = end.as_ref().filter(|end| end.latch == block);
                    if let Some(end) = end {
                        moved.pop();
                        let mut goes_on = Code::new();
                        goes_on.ins().test(stage.want, end.guard);
                        moved.extend(self.kernel.build(goes_on)?);
                    }
                    for stmt in moved.iter().skip(from) {
                        if let StmtKind::Inst(inst) = stmt.kind {
                            copies[index].rename(self.kernel, inst)?;
                        }
                    }
                    match end {
                        // Behind the region stands what leads to the vote.
                        Some(end) if place + 1 == order.len() && !end.leaves => None,
                        Some(_) => Some(region.entry),
                        None => edit.cfg.succs(block).iter().find(|s| s.edge == Edge::Fallthrough).map(|s| s.block),
                    }
                }
            };
            if let Some(next) = falls
                && (order.get(place + 1) != Some(&next) || next == region.entry)
            {
                moved.extend(self.kernel.build(branch(ways.to(next)))?);
            }
        }
        if let Some(deposits) = deposits {
            let mut code = Code::new();
            code.label(ways.left);
            code.append(deposits.deposit(self.kernel, path, &self.machinery.names, &copies[index]));
            code.ins().bra(self.machinery.behind(index));
            moved.extend(self.kernel.build(code)?);
        }
        let leaves = end.is_none_or(|end| end.leaves);
        Ok((moved, leaves))
    }

    /// The step that a task ends with, if its last branch decides whether there is another one and nothing else is left to do: then the
    /// lane's flag is what the branch asks, and lanes do not part.
    fn end_of_task(&self, index: PathId, order: &[Block]) -> Option<EndOfTask> {
        let Path { region, parts, .. } = &self.edit.paths[index];
        let cfg = &self.edit.cfg;
        let own = |block: &Block| self.inner(index, *block).is_none();
        let latches = |block: &Block| region.steps && cfg.distinct_succs(*block).contains(&region.entry);
        let latch = order.iter().copied().filter(own).find(latches).filter(|_| parts.is_empty())?;
        let (_, branch) = self.terminator_stmt(latch)?;
        let guard = self.kernel.inst(branch).guard.filter(|_| self.branches_to(latch, region.entry))?;
        let mut skipped = Vec::new();
        let mut next = cfg.distinct_succs(latch).into_iter().find(|&next| next != region.entry)?;
        while next != region.exit {
            let [behind] = cfg.distinct_succs(next)[..] else { return None };
            let idle = cfg.insts(next).iter().all(|&inst| cfg.terminator(next) == Some(inst));
            if !idle || !own(&next) || !order.contains(&next) || skipped.contains(&next) {
                return None;
            }
            skipped.push(next);
            next = behind;
        }
        // Others may come there as well.
        let mut alone = vec![latch];
        skipped.retain(|&block| {
            let reached =
                cfg.preds(block).iter().filter(|pred| region.contains(**pred)).all(|pred| alone.contains(pred));
            alone.extend(reached.then_some(block));
            reached
        });
        let leaves = |&block: &Block| match self.inner(index, block) {
            Some(inner) => self.edit.paths[inner].region.exit == region.exit,
            None => cfg.distinct_succs(block).contains(&region.exit),
        };
        let mut others = order.iter().filter(|block| !alone.contains(block));
        Some(EndOfTask { latch, guard, leaves: others.any(leaves), skipped })
    }

    /// The region that begins at a block of another one.
    fn inner(&self, index: PathId, block: Block) -> Option<PathId> {
        let begins = |path: &Path| path.region.outer == Some(index) && path.region.entry == block;
        self.edit.paths.iter().find(|(_, path)| begins(path)).map(|(inner, _)| inner)
    }

    /// The labels of a moved region's blocks. Each has one, so that a block that used to fall through can be followed by any other.
    fn ways(&mut self, index: PathId, order: &[Block]) -> Ways {
        let edit = self.edit;
        let region = &edit.paths[index].region;
        let stage = &self.machinery.stages[index];
        let steps = stage.labels.steps.as_ref();
        // A region that adds to reductions ends with its deposits, which have a label of their own.
        let deposits = !edit.paths[index].parts.is_empty();
        let left =
            if deposits { self.kernel.new_label("ccc_deposit") } else { stage.left(self.machinery.behind(index)) };
        let again = steps.map(|steps| (region.entry, steps.again));
        let step = steps.map(|steps| steps.step);
        let (mut labels, mut fresh) = (FxHashMap::default(), FxHashMap::default());
        for &block in order {
            let stays = block == region.entry || self.inner(index, block).is_some() || region.shared.contains(block);
            let label = match edit.cfg.label(block).filter(|_| !stays) {
                Some(label) => label,
                None => {
                    let own = step.filter(|_| block == region.entry);
                    let label = own.unwrap_or_else(|| self.kernel.new_label("ccc_path"));
                    fresh.insert(block, label);
                    label
                }
            };
            labels.insert(block, label);
        }
        Ways { labels, fresh, again, left }
    }

    /// Moves the statements of a block of the region, except those that stay: declarations, the entry's labels, and what stands behind the
    /// terminator, which is about the block behind it. Variables of a scope that opens in the block move with it;
    /// registers are declared for the whole body ([`Kernel::widen_register_scopes`](ptx_parser::Kernel::widen_register_scopes)).
    fn take_block(&mut self, path: PathId, block: Block, ways: &Ways, moved: &mut Vec<Stmt>) {
        let edit = self.edit;
        let Path { site, region, context, .. } = &edit.paths[path];
        let terminator = self.terminator_stmt(block);
        let last = terminator.map_or(usize::MAX, |(stmt, _)| stmt);
        let mut depth = 0_usize;
        for (index, stmt) in edit.cfg.stmts_of(self.kernel, block) {
            let own = match markers::of_stmt(self.kernel, stmt) {
                Some(MarkerKind::PathBegin { id, .. } | MarkerKind::PathEnd { id }) => id == site.id,
                _ => false,
            };
            match stmt.kind {
                _ if own => self.patch.remove(index),
                _ if index > last => {}
                StmtKind::Registers | StmtKind::Variables(_) if depth == 0 => {}
                StmtKind::Label(_) if block == region.entry => {}
                StmtKind::Inst(inst) if context.loads.dropped.contains(inst) => self.patch.remove(index),
                StmtKind::Loc(_) => moved.push(stmt.clone()),
                _ => {
                    match stmt.kind {
                        StmtKind::Open => depth += 1,
                        StmtKind::Close => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    moved.push(stmt.clone());
                    self.patch.remove(index);
                }
            }
        }
        if let Some((_, inst)) = terminator {
            self.lead_branch(inst, inst, ways);
        }
    }

    /// Writes the statements of a block of the region a second time.
    fn copy_block(&mut self, block: Block, ways: &Ways, moved: &mut Vec<Stmt>) {
        let edit = self.edit;
        let terminator = self.terminator_stmt(block);
        let last = terminator.map_or(usize::MAX, |(stmt, _)| stmt);
        let stmts = edit.cfg.stmts_of(self.kernel, block).take_while(|&(index, _)| index <= last);
        let stmts: Vec<(usize, Stmt)> = stmts.map(|(index, stmt)| (index, stmt.clone())).collect();
        for (index, stmt) in stmts {
            match stmt.kind {
                StmtKind::Loc(_) => moved.push(stmt),
                StmtKind::Inst(inst) => {
                    let (copy, stmt) = self.kernel.duplicate(inst);
                    if index == last {
                        self.lead_branch(copy, inst, ways);
                    }
                    moved.push(stmt);
                }
                _ => {}
            }
        }
    }

    /// Lets a branch go where another one goes, in the region.
    fn lead_branch(&mut self, inst: Inst, like: Inst, ways: &Ways) {
        let target = self.kernel.branch_target(like).and_then(|label| self.edit.cfg.label_block(label));
        if let Some(target) = target {
            self.patch.retarget(inst, ways.to(target));
        }
    }
}

/// The end of a task that has no code behind its last step.
struct EndOfTask {
    /// The block that decides whether there is another step.
    latch: Block,
    /// Under which guard there is.
    guard: Guard,
    /// Blocks that nothing leads to any more.
    skipped: Vec<Block>,
    /// True if tasks end elsewhere, too.
    leaves: bool,
}

/// The targets of the edges of a moved region.
struct Ways {
    labels: FxHashMap<Block, Label>,
    /// The labels that do not stand in a block already.
    fresh: FxHashMap<Block, Label>,
    /// The target of the way back to the entry.
    again: Option<(Block, Label)>,
    /// The target of the way out of the region.
    left: Label,
}

impl Ways {
    fn to(&self, block: Block) -> Label {
        match self.again {
            Some((entry, again)) if entry == block => again,
            _ => self.labels.get(&block).copied().unwrap_or(self.left),
        }
    }
}
