//! The part of a kernel whose loops go round by one switch: from where they begin to the point where their lanes meet.
//!
//! ```text
//!              outside
//!                 │
//!     ┌──────> first gate        the one way in, which dominates the section
//!     │        loop A ───┐
//!     │        …         │       lanes that would go round, and those that have come to the end,
//!     │        loop B ───┤
//!     │        …         │
//!     └─────── switch <──┘       meet here, which postdominates it
//!                 │
//!               point
//! ```
//!
//! In a section nobody waits for anybody: each loop in it that may wait goes round by the switch, and so do the loops around those, whose next
//! iteration may wait again. So all lanes come to the switch. There those that have come to the end wait until nobody goes round any more, and behind it
//! stands nothing that somebody in the section depends on ([`crate::detect::safe_points`]). Where a branch before a loop parts those that wait from those
//! that they wait for, all that is on its ways belongs to the section. With one way in, which dominates all of it, the switch is also the
//! reconvergence point of the branches in it where that must be dominated by the branch (paper, Section IV.A.1).

use analysis::{Analyses, Block};
use cranelift_entity::{EntitySet, SecondaryMap};
use ptx_parser::{Flow, Inst, Kernel, Mnemonic, Modifier};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::detect::finding::{At, SafePoint};
use crate::detect::loops::{Cycle, CycleId};
use crate::detect::module_context::Context;
use crate::detect::safe_points;
use crate::detect::survey::{Detected, Survey};
use crate::rewrite::order_dependence::noisy_turns;
use crate::rewrite::refusal::Refusal;

/// Loops that go round by one switch.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    /// The point where their lanes meet; `None` for the end of the kernel.
    pub(crate) point: Option<SafePoint>,
    loops: EntitySet<CycleId>,
    /// The edges by which they go round.
    turns: FxHashSet<(Block, Block)>,
    /// Branches before the section that part lanes around it: what is on their ways belongs to it.
    parting: FxHashSet<Block>,
    /// The edges among them on which lanes draw when they go round ([`crate::rewrite::backoff`]).
    drawn: FxHashSet<(Block, Block)>,
    /// All blocks of the section; that of the point belongs to it if the point is not its beginning.
    blocks: EntitySet<Block>,
}

/// The sections of a kernel, which share no block.
///
/// # Errors
/// Why lanes cannot meet there.
pub(crate) fn sections(
    facts: &Analyses,
    kernel: &Kernel,
    context: &Context,
    survey: &Survey,
) -> Result<Vec<Section>, Refusal> {
    let candidates = Candidates::of(survey);
    let mut sections = Sections::default();
    for (id, point) in safe_points::points(facts, survey) {
        let mut section = Section::new(point, [&survey.detected[id]]);
        section.grow(facts, survey, &candidates);
        while let Some(other) = sections.first_touched(&section) {
            let other = sections.take(other);
            section.point = safe_points::common(facts, section.point, other.point);
            section.loops.extend(other.loops.iter());
            section.parting.extend(other.parting);
            section.grow(facts, survey, &candidates);
        }
        sections.add(section);
    }
    let Sections { mut all, .. } = sections;
    all.iter().try_for_each(|section| section.check(facts, kernel))?;
    all.iter_mut().for_each(|section| section.vary(facts, kernel, context, survey));
    Ok(all)
}

/// Sections that touch none of the others, by their blocks and by their points. Two touch if lanes could come from one switch to the other without
/// leaving either's section: they have the same point or a block in common, or the point of one is in the other.
#[derive(Default)]
struct Sections {
    all: Vec<Section>,
    /// The section that a block belongs to.
    owners: FxHashMap<Block, usize>,
    /// The sections whose points are in a block, or at the end of the kernel.
    points: FxHashMap<Option<Block>, Vec<usize>>,
}

impl Sections {
    /// The first section that another one touches.
    fn first_touched(&self, section: &Section) -> Option<usize> {
        let pointing = |block: Option<Block>| self.points.get(&block).into_iter().flatten().copied();
        let point = section.point.map(|point| point.block);
        let same =
            pointing(point).filter(|&other| self.all.get(other).is_some_and(|other| other.point == section.point));
        let inside = section.blocks().flat_map(|block| pointing(Some(block)).chain(self.owners.get(&block).copied()));
        let around = point.and_then(|block| self.owners.get(&block).copied());
        same.chain(inside).chain(around).min()
    }

    fn add(&mut self, section: Section) {
        self.note(self.all.len(), &section);
        self.all.push(section);
    }

    fn note(&mut self, number: usize, section: &Section) {
        self.owners.extend(section.blocks().map(|block| (block, number)));
        self.points.entry(section.point.map(|point| point.block)).or_default().push(number);
    }

    fn forget(&mut self, number: usize, section: &Section) {
        section.blocks().for_each(|block| _ = self.owners.remove(&block));
        if let Some(numbers) = self.points.get_mut(&section.point.map(|point| point.block)) {
            numbers.retain(|&other| other != number);
        }
    }

    /// Takes a section out; the last one gets its number.
    fn take(&mut self, number: usize) -> Section {
        let taken = self.all.swap_remove(number);
        self.forget(number, &taken);
        if let Some(moved) = self.all.get(number).cloned() {
            self.forget(self.all.len(), &moved);
            self.note(number, &moved);
        }
        taken
    }
}

/// The loops that a section may take in.
struct Candidates {
    /// The loops that begin in a block.
    begin: SecondaryMap<Block, Vec<CycleId>>,
    /// Those that may wait.
    waiting: EntitySet<CycleId>,
}

impl Candidates {
    fn of(survey: &Survey) -> Candidates {
        let mut begin: SecondaryMap<Block, Vec<CycleId>> = SecondaryMap::new();
        for (id, cycle) in &survey.cycles {
            begin[cycle.begin].push(id);
        }
        let mut waiting = EntitySet::new();
        waiting.extend(survey.waiting.iter().copied());
        Candidates { begin, waiting }
    }
}

/// Families of which each thread executes what it does by itself, unless it says `.sync` or `.aligned` (PTX ISA, "Asynchronous copy", "mbarrier",
/// "st.async", "red.async", "multimem", "griddepcontrol"): the groups of its copies are its own, and it arrives for itself at an `mbarrier`.
const BY_ITSELF: [Mnemonic; 6] =
    [Mnemonic::Cp, Mnemonic::Griddepcontrol, Mnemonic::Mbarrier, Mnemonic::Multimem, Mnemonic::Red, Mnemonic::St];

/// Returns true if lanes execute an instruction together: a barrier, a vote, an exchange.
pub(crate) fn is_together(kernel: &Kernel, inst: Inst) -> bool {
    let (properties, opcode) = (kernel.properties(inst), kernel.opcode(inst));
    // A lane may be told of any company that it is in: it names no other lane, and waits for none.
    let alone = match opcode.mnemonic() {
        Mnemonic::Activemask => true,
        family => BY_ITSELF.contains(&family) && !opcode.has(Modifier::Sync) && !opcode.has(Modifier::Aligned),
    };
    properties.convergent && properties.flow != Flow::Call && !alone
}

impl Section {
    /// The section of all detected loops whose lanes meet at the end of the kernel.
    ///
    /// # Errors
    /// Why they cannot meet there.
    pub(crate) fn to_the_end(
        facts: &Analyses,
        kernel: &Kernel,
        context: &Context,
        survey: &Survey,
    ) -> Result<Section, Refusal> {
        let mut section = Section::new(None, survey.detected.values());
        section.grow(facts, survey, &Candidates::of(survey));
        section.check(facts, kernel)?;
        section.vary(facts, kernel, context, survey);
        Ok(section)
    }

    fn new<'a>(point: Option<SafePoint>, found: impl IntoIterator<Item = &'a Detected>) -> Section {
        let (loops, turns, drawn, parting) = Default::default();
        let mut section = Section { point, loops, turns, drawn, parting, blocks: EntitySet::new() };
        for found in found {
            section.loops.insert(found.cycle);
            section.parting.extend(found.writes.iter().flat_map(|(_, blocked)| blocked.parting.iter().copied()));
        }
        section
    }

    /// Returns true if an edge leads from a branch that parts lanes around the section straight to its point.
    pub(crate) fn skips(&self, from: Block, to: Block) -> bool {
        let to_point = self.point.is_some_and(|point| point.block == to && point.index == 0);
        to_point && self.parting.contains(&from) && !self.leads_from(from)
    }

    /// Returns true if a block belongs to it, in part at least.
    pub(crate) fn contains(&self, block: Block) -> bool {
        self.blocks.contains(block)
    }

    /// Returns true if an edge from a block starts in it: behind the point nothing does.
    pub(crate) fn leads_from(&self, block: Block) -> bool {
        self.contains(block) && self.point.is_none_or(|point| point.block != block)
    }

    /// Its blocks, in textual order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        self.blocks.iter()
    }

    /// Takes in all loops that have to go round by its switch, and all blocks from where they begin to the point.
    fn grow(&mut self, facts: &Analyses, survey: &Survey, candidates: &Candidates) {
        loop {
            self.turns = turns(facts, self.loops.iter().map(|id| &survey.cycles[id])).into_iter().collect();
            self.blocks = self.ahead(facts);
            let mut back: FxHashMap<Block, Vec<Block>> = FxHashMap::default();
            self.turns.iter().for_each(|&(from, to)| back.entry(from).or_default().push(to));
            let held = |cycle: &Cycle| cycle.blocks(facts).iter().all(|&block| self.leads_from(block));
            let around = |cycle: &Cycle| {
                let turns = cycle.blocks(facts).iter().filter_map(|from| back.get(from)).flatten();
                turns.into_iter().any(|&to| cycle.contains(facts, to))
            };
            let inside = self.blocks.iter().flat_map(|block| candidates.begin[block].iter().copied());
            let more = inside.filter(|id| {
                let cycle = &survey.cycles[*id];
                !self.loops.contains(*id) && held(cycle) && (candidates.waiting.contains(*id) || around(cycle))
            });
            let more: Vec<CycleId> = more.collect();
            if more.is_empty() {
                return;
            }
            self.loops.extend(more);
        }
    }

    /// Decides on which edges lanes draw: where loops that may wait write and go round all the same.
    fn vary(&mut self, facts: &Analyses, kernel: &Kernel, context: &Context, survey: &Survey) {
        let waiting = survey.waiting.iter().filter(|&&id| self.loops.contains(id));
        self.drawn = waiting.flat_map(|&id| noisy_turns(facts, kernel, context, &survey.cycles[id])).collect();
    }

    /// Returns true if lanes draw anywhere in it.
    pub(crate) fn is_varied(&self) -> bool {
        !self.drawn.is_empty()
    }

    /// Returns true if lanes draw on an edge by which its loops go round.
    pub(crate) fn is_drawn(&self, edge: (Block, Block)) -> bool {
        self.drawn.contains(&edge)
    }

    /// Returns true if its loops go round by an edge.
    pub(crate) fn is_turn(&self, edge: (Block, Block)) -> bool {
        self.turns.contains(&edge)
    }

    /// The blocks that its loops go round to.
    pub(crate) fn turned_to(&self) -> FxHashSet<Block> {
        self.turns.iter().map(|&(_, to)| to).collect()
    }

    /// Returns what the loops lead to before the point.
    fn ahead(&self, facts: &Analyses) -> EntitySet<Block> {
        let mut seen = EntitySet::new();
        let mut work: Vec<Block> = self.turns.iter().map(|&(_, to)| to).collect();
        work.extend(self.parting.iter().flat_map(|&branch| facts.cfg.distinct_succs(branch)));
        while let Some(block) = work.pop() {
            let at_point = self.point.filter(|point| point.block == block);
            match at_point {
                Some(SafePoint { index: 0, .. }) => {}
                Some(_) => {
                    seen.insert(block);
                }
                None if seen.insert(block) => work.extend(facts.cfg.distinct_succs(block)),
                None => {}
            }
        }
        seen
    }

    /// Refuses what keeps lanes in the section from coming to the switch: what lanes do together.
    fn check(&self, facts: &Analyses, kernel: &Kernel) -> Result<(), Refusal> {
        let before = |block: Block| {
            let end = self.point.filter(|point| point.block == block).map_or(usize::MAX, |point| point.index);
            facts.cfg.insts(block).iter().copied().take(end)
        };
        let together = self.blocks.iter().flat_map(before).find(|&inst| is_together(kernel, inst));
        together.map_or(Ok(()), |inst| Err(Refusal::Together { at: At::of(kernel, inst) }))
    }
}

/// The edges by which loops go round, each once: those that lead to where a loop begins from a block of it.
pub(crate) fn turns<'a>(facts: &Analyses, loops: impl Iterator<Item = &'a Cycle>) -> Vec<(Block, Block)> {
    let (mut turns, mut known) = (Vec::new(), FxHashSet::default());
    for cycle in loops {
        for &to in &cycle.entries {
            for &from in facts.cfg.preds(to) {
                if cycle.contains(facts, from) && known.insert((from, to)) {
                    turns.push((from, to));
                }
            }
        }
    }
    turns
}
