//! The writes that a loop waits for, directly or transitively.
//!
//! A lane in a loop waits for a write of some thread. That thread may be in a loop itself before it reaches the write, in any warp. Or a
//! lane in a loop on the other side of a branch may block it. That loop waits for another write, and so on. If the first lane blocks the
//! last thread of such a chain, the result is a deadlock:
//!
//! ```text
//! warp 0, lane 0:  while (x == 0);                     waits for x, and keeps lane 1 back, which has left the loop
//! warp 0, lane 1:  …               f = 1;
//! warp 1:          while (f == 0);  x = 1;             waits for f
//! ```
//!
//! So a loop must not block
//!
//! - a write that it waits for (paper, Algorithm 1);
//! - a write that another loop waits for, if that loop may precede or block such a write;
//! - a write that decides what is written in loops that may run for ever (`relay.rs`).

use std::ops::Range;

use analysis::Analyses;
use cranelift_entity::EntityRef;
use ptx_parser::{Inst, Kernel};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::detect::accesses::accesses;
use crate::detect::alias::{Location, Root};
use crate::detect::blocked_region::{Blockades, Region, Way};
use crate::detect::cta_chain::{Direction, Link, has_clusters};
use crate::detect::exit_slice::Controls;
use crate::detect::loops::Cycle;
use crate::detect::module_context::Context;
use crate::detect::reachability::Reach;
use crate::detect::relay::{Lasting, Relays};

/// A loop, with the reads that decide whether a lane leaves it, and with what it blocks.
pub(crate) struct Waiter<'a> {
    pub(crate) cycle: &'a Cycle,
    pub(crate) reads: &'a [Inst],
    pub(crate) region: &'a Region,
    /// True if it ends whatever others do, so that nobody waits for what it waits for.
    pub(crate) ends: bool,
    /// Writes that get no lane out of it (`lock_free/`).
    pub(crate) ignored: &'a FxHashSet<Inst>,
    /// Writes that are assumed to be elsewhere than where its reads read, whatever these are needed for (`lock_free/progress/slot_claims.rs`).
    pub(crate) apart: &'a FxHashSet<Inst>,
}

/// The writes that the waiting loops of a kernel depend on.
///
/// Dependence is reachability in one graph, so that pairs of loops, or of loops and writes, need not be listed. A loop leads to the places that it reads, a
/// place to the writes there, a write to its block, to the reads that it depends on (by [`Relays`]), and to the loops that part lanes from it (by
/// [`OtherWays`]), a block to those before it and to the loops that begin there.
pub(crate) struct Waiting {
    /// Everything that writes what others see, by its component in the graph, with its number in the text.
    writes: Vec<(usize, usize, Inst)>,
    /// For each of them, where its block is in the order of [`Blockades::place`].
    places: Spans,
    depends: Reach,
    /// The number of the first loop among the nodes.
    first: usize,
    /// The loops that are links of a chain of CTAs.
    chained: Vec<bool>,
    /// The reads that each loop depends on by itself.
    reads: Vec<Vec<Inst>>,
    /// The reads that decide what is written in loops, by their nodes.
    relayed: Vec<(usize, Inst)>,
}

/// In which direction some loops wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// For nothing.
    Not,
    /// All of them in one.
    Towards(Direction),
    /// In none, or in several.
    Anywhere,
}

impl Waits {
    fn and(self, other: Waits) -> Waits {
        match (self, other) {
            (Waits::Not, one) | (one, Waits::Not) => one,
            (one, other) if one == other => one,
            _ => Waits::Anywhere,
        }
    }
}

impl Waiting {
    pub(crate) fn of(
        facts: &Analyses,
        kernel: &Kernel,
        context: &Context,
        blockades: &Blockades<'_>,
        controls: &Controls,
        lasting: &Lasting,
        loops: &[Waiter<'_>],
    ) -> Waiting {
        let insts = facts.cfg.blocks().flat_map(|block| facts.cfg.insts(block).iter().copied());
        let written = |inst: Inst| -> SmallVec<[Location; 2]> {
            let all = accesses(facts, kernel, context, inst).into_iter();
            all.filter(|access| access.writes).map(|access| access.place).collect()
        };
        let read = |inst: Inst| -> SmallVec<[Location; 2]> {
            let all = accesses(facts, kernel, context, inst).into_iter();
            all.filter(|access| access.reads).map(|access| access.place).collect()
        };
        let writes: Vec<Inst> = insts.filter(|&inst| !written(inst).is_empty()).collect();
        // Many writes go to few places.
        let mut places: Vec<(Location, Vec<usize>)> = Vec::new();
        let mut numbers: FxHashMap<Location, usize> = FxHashMap::default();
        for (write, &inst) in writes.iter().enumerate() {
            for place in written(inst) {
                let number = *numbers.entry(place).or_insert(places.len());
                if number == places.len() {
                    places.push((place, Vec::new()));
                }
                places[number].1.push(write);
            }
        }
        let groups = Groups::of(&places);
        // The places that each place that is read has bytes in common with, by their numbers.
        let mut aliases: FxHashMap<Location, Vec<usize>> = FxHashMap::default();
        let mut alias = |reads: &[Inst]| {
            let mut awaited: Vec<usize> = Vec::new();
            for place in reads.iter().flat_map(|&inst| read(inst)) {
                let found = aliases.entry(place).or_insert_with(|| groups.aliases(&place, &places));
                awaited.extend(found.iter());
            }
            awaited.sort_unstable();
            awaited.dedup();
            awaited
        };
        let awaited: Vec<Vec<usize>> = loops.iter().map(|waiter| alias(waiter.reads)).collect();
        let blocks = facts.cfg.block_count();
        // The nodes: blocks, loops, places, writes, and those of the branches that part lanes.
        let first = blocks;
        let first_place = first + loops.len();
        let first_write = first_place + places.len();
        let (ways, end) = OtherWays::of(blockades, first_write + writes.len());
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for block in facts.cfg.blocks() {
            edges.extend(facts.cfg.preds(block).iter().map(|pred| (block.index(), pred.index())));
        }
        for (number, waiter) in loops.iter().enumerate() {
            let node = first + number;
            if waiter.ignored.is_empty() && waiter.apart.is_empty() {
                edges.extend(awaited[number].iter().map(|&place| (node, first_place + place)));
            } else {
                let all = awaited[number].iter().flat_map(|&place| &places[place].1);
                let is_left_out = |inst: Inst| waiter.ignored.contains(&inst) || waiter.apart.contains(&inst);
                let all = all.filter(|&&write| !is_left_out(writes[write]));
                edges.extend(all.map(|&write| (node, first_write + write)));
            }
            if waiter.ends {
                continue;
            }
            // Its blocks lead to each other, so that one stands for all.
            let block = waiter.cycle.entries.first().or_else(|| waiter.cycle.blocks(facts).first());
            edges.extend(block.map(|block| (block.index(), node)));
            let parallel = waiter.region.parallel().iter();
            edges.extend(parallel.flat_map(|&(branch, on)| ways[branch].of_loop(on)).map(|from| (from, node)));
        }
        for (number, (_, writes)) in places.iter().enumerate() {
            edges.extend(writes.iter().map(|&write| (first_place + number, first_write + write)));
        }
        for (write, &inst) in writes.iter().enumerate() {
            let Some(block) = facts.cfg.block_of(inst) else { continue };
            edges.push((first_write + write, block.index()));
            let led_to = blockades.led_to(block).iter();
            let blocking = led_to.flat_map(|&(branch, way)| ways[branch].of_write(way));
            edges.extend(blocking.map(|to| (first_write + write, to)));
        }
        ways.iter().for_each(|ways| edges.extend(ways.edges()));
        let numbered = writes.iter().enumerate().map(|(write, &inst)| (first_write + write, inst));
        let relays = Relays::of(facts, kernel, context, lasting, controls, end, numbered);
        let end = relays.end();
        let Relays { edges: slices, reads: relayed, .. } = relays;
        edges.extend(slices);
        let mut passes_on = vec![false; end];
        let with_apart = || loops.iter().filter(|waiter| !waiter.apart.is_empty());
        for &(node, inst) in &relayed {
            let awaited = alias(&[inst]);
            passes_on[node] = !awaited.is_empty();
            match with_apart().find(|waiter| waiter.reads.contains(&inst)) {
                Some(waiter) => {
                    let all = awaited.iter().flat_map(|&place| &places[place].1);
                    let all = all.filter(|&&write| !waiter.apart.contains(&writes[write]));
                    edges.extend(all.map(|&write| (node, first_write + write)));
                }
                None => edges.extend(awaited.into_iter().map(|place| (node, first_place + place))),
            }
        }
        let depends = Reach::of(end, edges.into_iter());
        let clusters = has_clusters(facts, kernel);
        let mut links: FxHashMap<Inst, Option<Link>> = FxHashMap::default();
        let mut link = |inst: Inst| *links.entry(inst).or_insert_with(|| Link::of(facts, kernel, inst));
        let mut towards = |number: usize| {
            let mut all = Waits::Not;
            for &inst in loops[number].reads {
                let at = read(inst);
                let aliases =
                    awaited[number].iter().filter(|&&place| at.iter().any(|at| at.may_alias(&places[place].0)));
                for &write in aliases.flat_map(|&place| &places[place].1) {
                    let direction = link(inst).zip(link(writes[write])).and_then(|(read, write)| read.towards(&write));
                    all = all.and(direction.map_or(Waits::Anywhere, Waits::Towards));
                    if all == Waits::Anywhere {
                        return all;
                    }
                }
            }
            all
        };
        let directions: Vec<Waits> = (0..loops.len()).map(&mut towards).collect();
        let of = |node: usize| match node.checked_sub(first).and_then(|number| directions.get(number)) {
            Some(&waits) => waits,
            None if passes_on[node] => Waits::Anywhere,
            None => Waits::Not,
        };
        let waits = depends.fold(Waits::Not, of, Waits::and);
        let is_chain = |number: usize| matches!(waits[depends.component(first + number)], Waits::Towards(_));
        let chained = (0..loops.len()).map(|number| !clusters && is_chain(number)).collect();
        let mut writes: Vec<(usize, usize, Inst)> = writes
            .iter()
            .enumerate()
            .map(|(write, &inst)| (depends.component(first_write + write), write, inst))
            .collect();
        writes.sort_unstable();
        let place =
            |&(.., inst): &(usize, usize, Inst)| facts.cfg.block_of(inst).map_or(0, |block| blockades.place(block));
        let places = Spans::of(writes.iter().map(place).collect());
        let reads = loops.iter().map(|waiter| waiter.reads.to_vec()).collect();
        Waiting { writes, places, depends, first, chained, reads, relayed }
    }

    /// The reads in a loop that it depends on, also by way of what it writes itself, in the order in which they stand.
    pub(crate) fn reads_in(&self, facts: &Analyses, controls: &Controls, number: usize, cycle: &Cycle) -> Vec<Inst> {
        let inside = |inst: Inst| facts.cfg.block_of(inst).is_some_and(|block| cycle.contains(facts, block));
        let node = self.first + number;
        let relayed = self.relayed.iter().filter(|&&(from, inst)| inside(inst) && self.depends.leads(node, from));
        let mut reads: Vec<Inst> = relayed.map(|&(_, inst)| inst).chain(self.reads[number].iter().copied()).collect();
        reads.sort_unstable_by_key(|&inst| controls.place(inst));
        reads.dedup();
        reads
    }

    /// Returns true if a loop, and all that it depends on, waits for what CTAs pass on in one direction; see the file `cta_chain.rs`.
    pub(crate) fn is_chained(&self, number: usize) -> bool {
        self.chained[number]
    }

    /// The writes that a loop depends on, each with its number in the text, in no order.
    pub(crate) fn relevant(&self, number: usize) -> impl Iterator<Item = (usize, Inst)> + '_ {
        let ranges = self.depends.ranges(self.first + number).iter();
        let writes = ranges.flat_map(move |range| &self.writes[self.between(range)]);
        writes.map(|&(_, write, inst)| (write, inst))
    }

    /// Those of them that a loop with a region may block. Where no branch parts lanes around it, that takes no look at the others.
    pub(crate) fn in_question(&self, number: usize, blockades: &Blockades<'_>, region: &Region) -> Vec<(usize, Inst)> {
        if !region.parallel().is_empty() {
            return self.relevant(number).collect();
        }
        let mut found = Vec::new();
        for range in self.depends.ranges(self.first + number) {
            for places in blockades.behind(region) {
                self.places.find(self.between(range), places, &mut |index| {
                    let (_, write, inst) = self.writes[index];
                    found.push((write, inst));
                });
            }
        }
        found
    }

    /// The indices of the writes whose components are in a range.
    fn between(&self, range: &Range<usize>) -> Range<usize> {
        let behind = |component: usize| self.writes.partition_point(|write| write.0 < component);
        behind(range.start)..behind(range.end)
    }
}

/// The nodes of a branch that parts lanes, by which writes on its ways lead to the loops on other ones.
///
/// A node for each way leads to the loops on that and on all before it, another one to those on that and on all behind it. So what is on one way leads to
/// two nodes and not to those of all other ways, which would be quadratic in their number. The last node leads to the loops that several ways lead to.
struct OtherWays {
    first: usize,
    ways: usize,
}

impl OtherWays {
    /// The nodes of all branches, from a number on, and the number behind them.
    fn of(blockades: &Blockades<'_>, first: usize) -> (Vec<OtherWays>, usize) {
        let mut next = first;
        let nodes = blockades.ways().map(|ways| {
            let first = next;
            next += 2 * ways + 1;
            OtherWays { first, ways }
        });
        (nodes.collect(), next)
    }

    fn up_to(&self, way: usize) -> usize {
        self.first + way
    }

    fn beginning_with(&self, way: usize) -> usize {
        self.first + self.ways + way
    }

    fn of_several(&self) -> usize {
        self.first + 2 * self.ways
    }

    fn edges(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (1..self.ways).flat_map(|way| {
            [(self.up_to(way), self.up_to(way - 1)), (self.beginning_with(way - 1), self.beginning_with(way))]
        })
    }

    /// The nodes that lead to a loop.
    fn of_loop(&self, on: Way) -> SmallVec<[usize; 2]> {
        match on {
            Way::Only(way) => SmallVec::from_slice(&[self.up_to(way), self.beginning_with(way)]),
            Way::Several => SmallVec::from_slice(&[self.of_several()]),
        }
    }

    /// The nodes that a write leads to.
    fn of_write(&self, on: Way) -> SmallVec<[usize; 3]> {
        let mut nodes = SmallVec::from_slice(&[self.of_several()]);
        match on {
            Way::Only(way) => {
                nodes.extend(way.checked_sub(1).map(|before| self.up_to(before)));
                nodes.extend((way + 1 < self.ways).then(|| self.beginning_with(way + 1)));
            }
            Way::Several => nodes.push(self.beginning_with(0)),
        }
        nodes
    }
}

/// Places that are made from the same, in the order of their constant offsets. Of those, few are near another one.
struct Groups {
    groups: Vec<(Root, Vec<usize>)>,
    /// The number of bytes the longest of them has.
    longest: i64,
}

impl Groups {
    fn of(places: &[(Location, Vec<usize>)]) -> Groups {
        let mut groups: Vec<(Root, Vec<usize>)> = Vec::new();
        let mut numbers: FxHashMap<Root, usize> = FxHashMap::default();
        let mut longest = 0;
        for (number, (place, _)) in places.iter().enumerate() {
            let (root, extent) = place.extent();
            longest = extent.map_or(longest, |bytes| longest.max(bytes.end.saturating_sub(bytes.start)));
            let group = *numbers.entry(root).or_insert(groups.len());
            if group == groups.len() {
                groups.push((root, Vec::new()));
            }
            groups[group].1.push(number);
        }
        // Those without a constant offset come first.
        let begin = |&number: &usize| places[number].0.extent().1.map(|bytes| bytes.start);
        groups.iter_mut().for_each(|(_, group)| group.sort_by_key(begin));
        Groups { groups, longest }
    }

    /// The places that another one may have a byte in common with.
    fn aliases(&self, place: &Location, places: &[(Location, Vec<usize>)]) -> Vec<usize> {
        let (root, extent) = place.extent();
        let begin = |number: usize| places[number].0.extent().1.map(|bytes| bytes.start);
        let mut found = Vec::new();
        for (other, group) in &self.groups {
            let near = match &extent {
                Some(bytes) if *other == root && root != Root::Unknown => {
                    let known = group.partition_point(|&number| begin(number).is_none());
                    let least = bytes.start.saturating_sub(self.longest);
                    let first = group.partition_point(|&number| begin(number).is_none_or(|begin| begin < least));
                    let last = group.partition_point(|&number| begin(number).is_none_or(|begin| begin < bytes.end));
                    [0..known, first.max(known)..last.max(first).max(known)]
                }
                _ => [0..group.len(), 0..0],
            };
            let near = near.into_iter().flat_map(|range| &group[range]);
            found.extend(near.filter(|&&number| place.may_alias(&places[number].0)));
        }
        found
    }
}

/// Numbers in a row, with the span of those in each half, quarter, and so on: a binary tree, whose root is at 1.
struct Spans {
    leaves: usize,
    spans: Vec<Range<usize>>,
}

impl Spans {
    fn of(numbers: Vec<usize>) -> Spans {
        let leaves = numbers.len().next_power_of_two();
        // Joined with any other span, it is that one.
        let nothing = Range { start: usize::MAX, end: 0 };
        let mut spans = vec![nothing.clone(); leaves];
        spans.extend(numbers.into_iter().map(|number| number..number + 1));
        spans.resize(2 * leaves, nothing);
        for node in (1..leaves).rev() {
            let (one, other) = (&spans[2 * node], &spans[2 * node + 1]);
            spans[node] = one.start.min(other.start)..one.end.max(other.end);
        }
        Spans { leaves, spans }
    }

    /// Tells the indices in a range whose numbers are in another one.
    fn find(&self, indices: Range<usize>, numbers: &Range<usize>, each: &mut impl FnMut(usize)) {
        let mut work = vec![(1, 0..self.leaves)];
        while let Some((node, covered)) = work.pop() {
            let span = &self.spans[node];
            let apart = covered.end <= indices.start || indices.end <= covered.start;
            if apart || span.end <= numbers.start || numbers.end <= span.start {
                continue;
            }
            if node >= self.leaves {
                each(node - self.leaves);
                continue;
            }
            let middle = covered.start.midpoint(covered.end);
            work.extend([(2 * node, covered.start..middle), (2 * node + 1, middle..covered.end)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_tell_what_a_look_at_all_numbers_does() {
        for count in [0, 1, 2, 7, 64, 100] {
            let numbers: Vec<usize> = (0..count).map(|index| index * 37 % 50).collect();
            let spans = Spans::of(numbers.clone());
            for (indices, wanted) in
                [(0..count, 0..50), (1..count.max(1), 10..11), (3..count.max(3), 20..45), (0..0, 0..50)]
            {
                let mut found = Vec::new();
                spans.find(indices.clone(), &wanted, &mut |index| found.push(index));
                found.sort_unstable();
                let expected: Vec<usize> = indices.clone().filter(|&index| wanted.contains(&numbers[index])).collect();
                assert_eq!(found, expected, "{indices:?} {wanted:?} of {count}");
            }
        }
    }
}
