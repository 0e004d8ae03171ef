//! The blocks of a marked region, from control flow: from the marked branch to its immediate postdominator.
//!
//! The begin marker names the first block of the path (*entry*). The path ends (*exit*) at its end marker, if every way through it
//! comes there, and else at the immediate postdominator of the branches that lead to it. (The entry's own immediate
//! postdominator may be a join inside the path.) The region is every block that can be reached from the entry without passing
//! the exit. It must have one entry and one exit, both in the marked loop. A region that is run in steps begins at an inner loop
//! ([`crate::region::step`]).

pub(crate) mod arrival;
pub(crate) mod rules;
pub(crate) mod step;

use analysis::{Block, Loop};
use cranelift_entity::EntitySet;
use ptx_parser::{Error, Flow, Inst, Kernel, Marker, Memory, Patch, Reg, Stmt, StmtKind};

use crate::facts::{Facts, accesses};
use crate::markers::{Kind, Site};
use crate::origin::Origin;
use crate::plan::path_id::PathId;
use crate::refusal::Refusal;

/// A region that has one entry and one exit.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The loop whose iterations are collected.
    pub(crate) marked_loop: Loop,
    /// The first block of the marked path; of a region that is run in steps, the header of the loop that makes them.
    pub(crate) entry: Block,
    /// The end of the path: the first block behind it, not part of it.
    pub(crate) exit: Block,
    /// The blocks of the path, in textual order.
    pub(crate) blocks: Vec<Block>,
    /// True if the way back to the entry is a step, before which the lanes vote.
    pub(crate) steps: bool,
    /// True if what follows belongs to it, whether or not a lane has taken the path.
    task: bool,
    /// A register of the context that the region changes itself, so that it must not be computed again: the bound of a range that
    /// idle lanes share.
    pub(crate) bound: Option<Reg>,
    /// For a region that is run in steps: true if the counter of its loop keeps its value, whichever lane runs it.
    pub(crate) counter_stays: bool,
    /// Blocks that lanes which do not run the region come to as well. They stay where they are; the region has copies.
    pub(crate) shared: EntitySet<Block>,
    /// The index of the loop's region that it lies in, the innermost one.
    pub(crate) outer: Option<PathId>,
    members: EntitySet<Block>,
}

impl Region {
    /// Finds the region of a marker.
    pub(crate) fn of(facts: &Facts<'_>, site: &Site) -> Result<Region, Refusal> {
        let (marked_loop, entry, exit) = span(facts, site)?;
        let members = reach(facts, marked_loop, entry, exit)?;
        let Some(exit) = exit else {
            // Everything that the path reaches is in the loop, so that its end is too; a loop without an end has none.
            return Err(Refusal::Leaves { at: facts.place(entry) });
        };
        let blocks = facts.cfg.blocks().filter(|&block| members.contains(block)).collect();
        let steps = site.kind != Kind::If;
        let shared = EntitySet::new();
        let mut region = Region {
            marked_loop,
            entry,
            exit,
            blocks,
            steps,
            task: steps || site.task_end.is_some(),
            bound: None,
            counter_stays: steps,
            shared,
            outer: None,
            members,
        };
        region.find_shared(facts)?;
        Ok(region)
    }

    /// Returns true if a block is part of the path.
    pub(crate) fn contains(&self, block: Block) -> bool {
        self.members.contains(block)
    }

    /// Returns true if the two have blocks in common.
    pub(crate) fn overlaps(&self, other: &Region) -> bool {
        self.blocks.iter().any(|&block| other.contains(block))
    }

    /// Returns true if another region lies in this one, which goes on where the other one begins.
    pub(crate) fn holds(&self, other: &Region) -> bool {
        self.entry != other.entry && other.blocks.iter().all(|&block| self.contains(block))
    }

    /// Returns true if a block leaves its place for the region's.
    pub(crate) fn takes(&self, block: Block) -> bool {
        self.contains(block) && !self.shared.contains(block)
    }

    /// Finds the blocks that can be reached from outside without passing the entry. Only what follows a path in its task may be such.
    fn find_shared(&mut self, facts: &Facts<'_>) -> Result<(), Refusal> {
        let mut work = Vec::new();
        for &block in self.blocks.iter().filter(|&&block| block != self.entry) {
            if let Some(&outside) = facts.cfg.preds(block).iter().find(|&&pred| !self.contains(pred)) {
                work.push((block, outside));
            }
        }
        while let Some((block, outside)) = work.pop() {
            if !self.task || block == self.entry || !step::is_copyable(facts, block) {
                return Err(Refusal::SecondEntry { at: facts.branch_place(outside) });
            }
            if self.shared.insert(block) {
                let next = facts.cfg.distinct_succs(block).into_iter().filter(|&next| self.contains(next));
                work.extend(next.map(|next| (next, outside)));
            }
        }
        Ok(())
    }
}

/// The marked loop of a region, its entry, and its exit if that is in the loop. What lies in between is not looked at.
pub(crate) fn span(facts: &Facts<'_>, site: &Site) -> Result<(Loop, Block, Option<Block>), Refusal> {
    let begin = begin(facts, site).ok_or(Refusal::AlwaysTaken)?;
    if !facts.cfg.is_reachable(begin) {
        return Err(Refusal::NoLoop);
    }
    let marked_loop = marked_loop(facts, site, begin)?;
    let (entry, exit) = match site.kind {
        Kind::If => {
            check_level(facts, marked_loop, begin)?;
            if facts.postdominators.postdominates(begin, facts.loops.header(marked_loop)) {
                return Err(Refusal::AlwaysTaken);
            }
            let end = end(facts, site, marked_loop, begin);
            check_begin(facts, site, begin)?;
            (begin, end)
        }
        Kind::Steps | Kind::FreeSteps | Kind::Recursion => {
            let steps = step::inner_loop(facts, site, marked_loop)?;
            (facts.loops.header(steps), step::end(facts, site, marked_loop, steps))
        }
    };
    let task_end = site.task_end.map(|marker| facts.block_of_marker(marker));
    let exit = task_end.unwrap_or(exit).filter(|&exit| facts.loops.contains(marked_loop, exit));
    Ok((marked_loop, entry, exit))
}

/// The block in which the directive's marker stands. A marker right above a loop is not in it.
fn begin(facts: &Facts<'_>, site: &Site) -> Option<Block> {
    let behind = facts.block_behind(site.marker)?;
    let own = facts.block_of_marker(site.marker)?;
    let apart = facts.loops.innermost(own) != facts.loops.innermost(behind);
    Some(if site.kind != Kind::If || apart { own } else { behind })
}

/// Refuses a path in front of whose marker something happens in the same block: it would be put off with the path.
///
/// The compiler moves what only the path needs to where the branch leads: arithmetic, and loads. Those that may not be put off stay where they are
/// ([`split_begins`]). What has an effect stands there if the compiler has dropped the branch, or is part of a call of a function without effects, which the
/// compiler moves as it moves arithmetic.
fn check_begin(facts: &Facts<'_>, site: &Site, begin: Block) -> Result<(), Refusal> {
    let insts = || {
        let stmts = in_front(facts, site, begin);
        stmts.filter_map(|stmt| if let StmtKind::Inst(inst) = stmt.kind { Some(inst) } else { None })
    };
    if insts().all(|inst| facts.kernel.properties(inst).is_pure() || is_plain_load(facts, inst)) {
        return Ok(());
    }
    let mut calls = insts().filter(|&inst| facts.kernel.properties(inst).flow == Flow::Call);
    calls.try_for_each(|call| rules::check_call(facts, call, Origin::of(facts.kernel, call)))?;
    Err(Refusal::AlwaysTaken)
}

/// The statements of the first block of a path in front of its marker.
fn in_front<'k>(facts: &Facts<'k>, site: &Site, begin: Block) -> impl Iterator<Item = &'k Stmt> + use<'k> {
    let first = facts.cfg.stmts(begin).start;
    let marker = facts.kernel.index_of(site.marker).unwrap_or(first);
    facts.kernel.stmts().iter().take(marker).skip(first)
}

/// Returns true for a load that may be executed later, as far as it goes itself.
fn is_plain_load(facts: &Facts<'_>, inst: Inst) -> bool {
    let properties = facts.kernel.properties(inst);
    properties.memory == Memory::Read
        && properties.known
        && !properties.convergent
        && facts.is_weak(inst)
        && properties.flow == Flow::Next
}

/// Lets a block begin at the marker of each path in front of which the compiler has put a load that may not be put off with the path: code behind the
/// path may write what it reads. Then the load is executed where it stands, by the lanes that want the path.
///
/// # Errors
/// None that a kernel as it was read could cause: a fresh label fits everywhere.
pub(crate) fn split_begins(kernel: &mut Kernel, sites: &[Site]) -> Result<(), Error> {
    let facts = Facts::of(kernel);
    let mut places = Vec::new();
    for site in sites.iter().filter(|site| site.kind == Kind::If) {
        let Some(begin) = begin(&facts, site) else { continue };
        let Ok(region) = Region::of(&facts, site) else { continue };
        let stays = |stmt: &Stmt| match stmt.kind {
            StmtKind::Inst(inst) if is_plain_load(&facts, inst) => {
                !accesses::may_be_put_off(&facts, inst, region.marked_loop, region.exit)
            }
            _ => false,
        };
        if in_front(&facts, site, begin).any(stays) {
            places.extend(kernel.index_of(site.marker));
        }
    }
    drop(facts);
    let mut patch = Patch::new();
    for place in places {
        let label = kernel.new_label("ccc_path");
        let label = kernel.label_stmt(label);
        patch.insert_before(place, [label]);
    }
    kernel.apply(patch)
}

/// Refuses a path in a loop that is inside the marked one.
fn check_level(facts: &Facts<'_>, marked_loop: Loop, entry: Block) -> Result<(), Refusal> {
    match facts.loops.innermost(entry) {
        Some(inner) if inner != marked_loop => Err(Refusal::InnerLoop { at: facts.place(facts.loops.header(inner)) }),
        _ => Ok(()),
    }
}

/// Returns where the path ends.
fn end(facts: &Facts<'_>, site: &Site, marked_loop: Loop, entry: Block) -> Option<Block> {
    let joined = || join(facts, entry).filter(|&exit| facts.loops.contains(marked_loop, exit));
    // The compiler may have made copies; only one that every way from this entry comes to is the end.
    let ends = site.ends.iter();
    let behind: Vec<Block> = ends
        .filter_map(|&marker| facts.block_behind(marker))
        .filter(|&block| block != entry && facts.postdominators.postdominates(block, entry))
        .filter(|&block| facts.loops.innermost(block) == facts.loops.innermost(entry))
        .collect();
    match behind.as_slice() {
        // A block that only branches on has nothing that the path would have to leave behind.
        [only] if facts.cfg.insts(*only).len() > 1 || facts.cfg.terminator(*only).is_none() => Some(*only),
        // Where other lanes leave the loop instead of joining, what it branches to is the end.
        [only] => joined().or_else(|| match facts.cfg.distinct_succs(*only).as_slice() {
            [next] => Some(*next),
            _ => None,
        }),
        _ => joined(),
    }
}

/// The block where all lanes that could have taken the path are together again.
fn join(facts: &Facts<'_>, entry: Block) -> Option<Block> {
    let outside = facts.cfg.preds(entry).iter().filter(|&&pred| !facts.dominators.dominates(entry, pred));
    // The branch may stand above a block with nothing but the marker in it.
    let parting = |pred: Block| {
        let mut above = std::iter::successors(Some(pred), |&block| facts.dominators.idom(block));
        above.find(|&block| !facts.postdominators.postdominates(entry, block))
    };
    let mut ends = outside.map(|&pred| facts.postdominators.ipdom(parting(pred)?));
    let first = ends.next()??;
    ends.try_fold(first, |common, end| facts.postdominators.common(common, end?))
}

/// The blocks from the entry up to the exit; an edge out of the loop is refused where it is.
fn reach(facts: &Facts<'_>, marked_loop: Loop, entry: Block, exit: Option<Block>) -> Result<EntitySet<Block>, Refusal> {
    let header = facts.loops.header(marked_loop);
    let mut members = EntitySet::new();
    let mut work = vec![entry];
    let mut goes_on = None;
    members.insert(entry);
    while let Some(block) = work.pop() {
        if facts.cfg.exits(block) {
            return Err(leaves(facts, block, block));
        }
        let successors = facts.cfg.distinct_succs(block);
        // Where a way out keeps the path from having an end, that way is what the user has to look at, not the end of the iteration.
        if exit != Some(header) && successors.contains(&header) {
            goes_on.get_or_insert(block);
            continue;
        }
        for successor in successors {
            if Some(successor) == exit || members.contains(successor) {
                continue;
            }
            // Without an exit in the loop the walk ends at the edge that leaves; blocks that the path shares with the other
            // lanes are not what the user has to look at.
            if !facts.loops.contains(marked_loop, successor) {
                return Err(leaves(facts, block, successor));
            }
            members.insert(successor);
            work.push(successor);
        }
    }
    match goes_on {
        Some(block) => Err(Refusal::SecondEntry { at: facts.branch_place(block) }),
        None => Ok(members),
    }
}

/// The refusal of a path that leaves the loop from one block to another: by a branch, or because it aborts the grid there or never ends.
fn leaves(facts: &Facts<'_>, from: Block, to: Block) -> Refusal {
    if facts.endless().contains(to) {
        return Refusal::Endless { at: facts.place(to) };
    }
    let trap = facts.cfg.terminator(to).filter(|&inst| facts.kernel.properties(inst).flow == Flow::Trap);
    match trap {
        Some(inst) => Refusal::ThreadState { opcode: facts.opcode(inst), at: Origin::of(facts.kernel, inst) },
        None => Refusal::Leaves { at: facts.branch_place(from) },
    }
}

/// The loop that the directive named: the outermost one around the entry that the loop's begin marker stands before.
fn marked_loop(facts: &Facts<'_>, site: &Site, entry: Block) -> Result<Loop, Refusal> {
    if facts.loops.is_irreducible(entry) {
        return Err(Refusal::ControlFlow { what: "a cycle with two entries".to_owned(), at: facts.place(entry) });
    }
    let place = |&marker: &Marker| Some((facts.kernel.index_of(marker)?, facts.block_behind(marker)?));
    let begins: Vec<(usize, Block)> = site.for_begins.iter().filter_map(place).collect();
    let is_marked = |candidate: Loop| {
        let header = facts.loops.header(candidate);
        begins.iter().any(|&(stmt, begin)| {
            // A marker right above the header stands before the loop, one in the header's block in it.
            let above = begin == header && stmt < facts.cfg.stmts(header).start;
            (above || !facts.loops.contains(candidate, begin)) && facts.dominators.dominates(begin, header)
        })
    };
    let around: Vec<Loop> = facts.loops.around(entry).collect();
    if let Some(marked) = around.iter().rev().copied().find(|&candidate| is_marked(candidate)) {
        return Ok(marked);
    }
    // A path that ends the loop is behind it.
    let leaves = |candidate: &Loop| {
        let exits = facts.loops.exits(*candidate);
        is_marked(*candidate) && exits.iter().any(|edge| facts.dominators.dominates(edge.to, entry))
    };
    if facts.loops.iter().any(|candidate| leaves(&candidate)) {
        let at = facts.place(entry);
        return Err(if facts.endless().contains(entry) { Refusal::Endless { at } } else { Refusal::Leaves { at } });
    }
    Err(if site.for_begins.is_empty() { Refusal::NoLoop } else { Refusal::Unrolled })
}
