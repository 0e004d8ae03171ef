//! The rules that a launch has seen broken, gathered per host thread.

use rustc_hash::FxHashMap;

use crate::api::rule::{Rule, Undefined};
use crate::program::code::{BlockId, Code, End};
use crate::program::graph;
use crate::program::listing::{InstId, Listing};

/// A rule that lanes of the warp which has its turn break.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Broken {
    pub(crate) rule: Rule,
    pub(crate) inst: InstId,
    pub(crate) lanes: u32,
}

/// The first breach of a rule, and the number of breaches.
#[derive(Clone, Copy, Debug)]
struct First {
    rule: Rule,
    block: u64,
    warp: u32,
    lanes: u32,
    count: u64,
}

/// The breaches of rules that one host thread has seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The block whose turn it is.
    pub(crate) block: u64,
    pub(crate) warp: u32,
    /// True for a barrier's block and another one that does something and is surely behind it; the pairs that were asked about.
    behind: FxHashMap<(BlockId, BlockId), bool>,
    /// By instruction and rule, whatever numbers the rule has.
    found: FxHashMap<(InstId, std::mem::Discriminant<Rule>), First>,
}

impl Seen {
    /// Notes lanes that execute a block while others of their warp wait at aligned barriers, if it is behind one of these and leads to it no more: the lanes have passed by.
    ///
    /// Lanes that have returned early and only end execute nothing that is behind a barrier. Between iterations of a loop nothing is said, because the lanes may still come.
    pub(crate) fn pass_by(&mut self, code: &Code, listing: &Listing, waits_at: &[BlockId], pc: BlockId, lanes: u32) {
        let reaches = |from, to| graph::reaches(&code.blocks, &code.switches, from, to);
        for &at in waits_at {
            let is_behind = || acts(code, listing, pc) && reaches(at, pc) && !reaches(pc, at);
            if *self.behind.entry((at, pc)).or_insert_with(is_behind)
                && let End::Barrier { inst, .. } = code.blocks[at].end
            {
                self.note(Broken { rule: Rule::BarrierPassed, inst, lanes });
            }
        }
    }

    /// Notes what the warp that has its turn does.
    #[cold]
    pub(crate) fn note(&mut self, broken: Broken) {
        let Broken { rule, inst, lanes } = broken;
        let first = First { rule, block: self.block, warp: self.warp, lanes, count: 1 };
        self.add(inst, first);
    }

    /// As [`Seen::note`], where each lane is told by itself; the lanes of the first warp are shown together, and each lane counts.
    #[cold]
    pub(crate) fn note_lane(&mut self, broken: Broken) {
        let (block, warp) = (self.block, self.warp);
        if let Some(first) = self.found.get_mut(&(broken.inst, std::mem::discriminant(&broken.rule)))
            && (first.block, first.warp) == (block, warp)
        {
            first.lanes |= broken.lanes;
        }
        self.note(broken);
    }

    /// Adds breaches of a rule by an instruction. The report shows the first block in the grid, so that it does not
    /// depend on the number of host threads.
    fn add(&mut self, inst: InstId, new: First) {
        let entry = self.found.entry((inst, std::mem::discriminant(&new.rule)));
        let first = entry.or_insert(First { count: 0, ..new });
        let count = first.count + new.count;
        if (new.block, new.warp) < (first.block, first.warp) {
            *first = new;
        }
        first.count = count;
    }

    /// Adds what another host thread has seen.
    pub(crate) fn merge(&mut self, other: Seen) {
        for ((inst, _), first) in other.found {
            self.add(inst, first);
        }
    }

    /// Returns what was found, in the order of the code.
    pub(crate) fn finish(self, listing: &Listing) -> Vec<Undefined> {
        let mut found: Vec<(InstId, First)> = self.found.into_iter().map(|((inst, _), first)| (inst, first)).collect();
        found.sort_unstable_by_key(|(inst, first)| (*inst, first.rule));
        let show = |(inst, first): (InstId, First)| {
            let inst = &listing.insts[inst];
            let First { rule, block, warp, lanes, count } = first;
            Undefined { rule, site: listing.site(inst), opcode: inst.opcode.to_string(), block, warp, lanes, count }
        };
        found.into_iter().map(show).collect()
    }
}

/// Returns true if a block does more than compute or jump: accesses memory, meets others, calls.
fn acts(code: &Code, listing: &Listing, block: BlockId) -> bool {
    let block = &code.blocks[block];
    let meets = matches!(block.end, End::Barrier { .. } | End::Sync { .. } | End::Call { .. });
    meets || block.insts().any(|inst| listing.insts[inst].access.is_some())
}
