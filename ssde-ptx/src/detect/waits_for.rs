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

use analysis::{Analyses, Block};
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap, entity_impl};
use ptx_parser::{Inst, Kernel};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::detect::accesses::accesses;
use crate::detect::alias::{Location, Root};
use crate::detect::blocked_region::{Blockades, PartingId, Region, Way};
use crate::detect::cta_chain::{Direction, Link, has_clusters};
use crate::detect::exit_slice::Controls;
use crate::detect::loops::Cycle;
use crate::detect::module_context::Context;
use crate::detect::nested_loops::TogetherId;
use crate::detect::reachability::{Component, Reach};
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

/// Names a write to what others see. They are numbered in textual order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WriteId(u32);
entity_impl!(WriteId, "write");

/// Names a place that is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct PlaceId(u32);
entity_impl!(PlaceId, "place");

/// The places that are written, each with the writes there.
type Places = PrimaryMap<PlaceId, (Location, Vec<WriteId>)>;

/// A node of the graph of what depends on what.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Node(u32);
entity_impl!(Node, "node");

impl Node {
    /// The node that is that many behind it.
    pub(crate) fn after(self, count: usize) -> Node {
        Node::new(self.index() + count)
    }
}

/// The first nodes of the graph: blocks, loops, places, and writes.
#[derive(Clone, Copy)]
struct Nodes {
    /// The first node of a loop, of a place, and of a write.
    loops: Node,
    places: Node,
    writes: Node,
    /// The node behind them.
    end: Node,
}

impl Nodes {
    fn new(blocks: usize, loops: usize, places: usize, writes: usize) -> Nodes {
        let first_loop = Node::new(blocks);
        let (first_place, first_write) = (first_loop.after(loops), first_loop.after(loops + places));
        Nodes { loops: first_loop, places: first_place, writes: first_write, end: first_write.after(writes) }
    }

    fn of_block(block: Block) -> Node {
        Node::new(block.index())
    }

    fn of_loop(&self, id: TogetherId) -> Node {
        self.loops.after(id.index())
    }

    fn of_place(&self, id: PlaceId) -> Node {
        self.places.after(id.index())
    }

    fn of_write(&self, id: WriteId) -> Node {
        self.writes.after(id.index())
    }
}

/// The writes that the waiting loops of a kernel depend on.
///
/// Dependence is reachability in one graph, so that pairs of loops, or of loops and writes, need not be listed. A loop leads to the places that it reads, a
/// place to the writes there, a write to its block, to the reads that it depends on (by [`Relays`]), and to the loops that part lanes from it (by
/// [`OtherWays`]), a block to those before it and to the loops that begin there.
pub(crate) struct Waiting {
    /// Everything that writes what others see, by its component in the graph.
    writes: Vec<(Component, WriteId, Inst)>,
    /// For each of them, where its block is in the order of [`Blockades::place`].
    places: Spans,
    depends: Reach<Node>,
    nodes: Nodes,
    /// The loops that are links of a chain of CTAs.
    chained: EntitySet<TogetherId>,
    /// The reads that each loop depends on by itself.
    reads: PrimaryMap<TogetherId, Vec<Inst>>,
    /// The reads that decide what is written in loops, by their nodes.
    relayed: Vec<(Node, Inst)>,
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
        loops: &PrimaryMap<TogetherId, Waiter<'_>>,
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
        let writes: PrimaryMap<WriteId, Inst> = insts.filter(|&inst| !written(inst).is_empty()).collect();
        // Many writes go to few places.
        let mut places: Places = PrimaryMap::new();
        let mut ids: FxHashMap<Location, PlaceId> = FxHashMap::default();
        for (write, &inst) in &writes {
            for place in written(inst) {
                let id = *ids.entry(place).or_insert_with(|| places.push((place, Vec::new())));
                places[id].1.push(write);
            }
        }
        let groups = Groups::of(&places);
        // The places that each place that is read has bytes in common with.
        let mut aliases: FxHashMap<Location, Vec<PlaceId>> = FxHashMap::default();
        let mut alias = |reads: &[Inst]| {
            let mut awaited: Vec<PlaceId> = Vec::new();
            for place in reads.iter().flat_map(|&inst| read(inst)) {
                let found = aliases.entry(place).or_insert_with(|| groups.aliases(&place, &places));
                awaited.extend(found.iter());
            }
            awaited.sort_unstable();
            awaited.dedup();
            awaited
        };
        let awaited: PrimaryMap<TogetherId, Vec<PlaceId>> = loops.values().map(|waiter| alias(waiter.reads)).collect();
        let nodes = Nodes::new(facts.cfg.block_count(), loops.len(), places.len(), writes.len());
        // Behind these are those of the branches that part lanes, and those of the slices.
        let (ways, end) = OtherWays::of(blockades, nodes.end);
        let mut edges: Vec<(Node, Node)> = Vec::new();
        for block in facts.cfg.blocks() {
            let preds = facts.cfg.preds(block).iter();
            edges.extend(preds.map(|&pred| (Nodes::of_block(block), Nodes::of_block(pred))));
        }
        for (id, waiter) in loops {
            let node = nodes.of_loop(id);
            if waiter.ignored.is_empty() && waiter.apart.is_empty() {
                edges.extend(awaited[id].iter().map(|&place| (node, nodes.of_place(place))));
            } else {
                let all = awaited[id].iter().flat_map(|&place| &places[place].1);
                let is_left_out = |inst: Inst| waiter.ignored.contains(&inst) || waiter.apart.contains(&inst);
                let all = all.filter(|&&write| !is_left_out(writes[write]));
                edges.extend(all.map(|&write| (node, nodes.of_write(write))));
            }
            if waiter.ends {
                continue;
            }
            // Its blocks lead to each other, so that one stands for all.
            edges.push((Nodes::of_block(waiter.cycle.begin), node));
            let parallel = waiter.region.parallel().iter();
            edges.extend(parallel.flat_map(|&(branch, on)| ways[branch].of_loop(on)).map(|from| (from, node)));
        }
        for (place, (_, writes)) in &places {
            edges.extend(writes.iter().map(|&write| (nodes.of_place(place), nodes.of_write(write))));
        }
        for (write, &inst) in &writes {
            let Some(block) = facts.cfg.block_of(inst) else { continue };
            edges.push((nodes.of_write(write), Nodes::of_block(block)));
            let led_to = blockades.led_to(block).iter();
            let blocking = led_to.flat_map(|&(branch, way)| ways[branch].of_write(way));
            edges.extend(blocking.map(|to| (nodes.of_write(write), to)));
        }
        ways.values().for_each(|ways| edges.extend(ways.edges()));
        let numbered = writes.iter().map(|(write, &inst)| (nodes.of_write(write), inst));
        let relays = Relays::of(facts, kernel, context, lasting, controls, end, numbered);
        let Relays { edges: slices, reads: relayed, end, .. } = relays;
        edges.extend(slices);
        let mut directions: SecondaryMap<Node, Waits> = SecondaryMap::with_default(Waits::Not);
        let with_apart = || loops.values().filter(|waiter| !waiter.apart.is_empty());
        for &(node, inst) in &relayed {
            let awaited = alias(&[inst]);
            if !awaited.is_empty() {
                directions[node] = Waits::Anywhere;
            }
            match with_apart().find(|waiter| waiter.reads.contains(&inst)) {
                Some(waiter) => {
                    let all = awaited.iter().flat_map(|&place| &places[place].1);
                    let all = all.filter(|&&write| !waiter.apart.contains(&writes[write]));
                    edges.extend(all.map(|&write| (node, nodes.of_write(write))));
                }
                None => edges.extend(awaited.into_iter().map(|place| (node, nodes.of_place(place)))),
            }
        }
        let depends = Reach::of(end.index(), edges.into_iter());
        let clusters = has_clusters(facts, kernel);
        let mut links: FxHashMap<Inst, Option<Link>> = FxHashMap::default();
        let mut link = |inst: Inst| *links.entry(inst).or_insert_with(|| Link::of(facts, kernel, inst));
        let mut towards = |id: TogetherId| {
            let mut all = Waits::Not;
            for &inst in loops[id].reads {
                let at = read(inst);
                let aliases = awaited[id].iter().filter(|&&place| at.iter().any(|at| at.may_alias(&places[place].0)));
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
        loops.keys().for_each(|id| directions[nodes.of_loop(id)] = towards(id));
        let waits = depends.fold(Waits::Not, |node| directions[node], Waits::and);
        let is_chain = |id: TogetherId| matches!(waits[depends.component(nodes.of_loop(id))], Waits::Towards(_));
        let mut chained = EntitySet::new();
        chained.extend(loops.keys().filter(|&id| !clusters && is_chain(id)));
        let component = |write: WriteId| depends.component(nodes.of_write(write));
        let mut writes: Vec<(Component, WriteId, Inst)> =
            writes.iter().map(|(write, &inst)| (component(write), write, inst)).collect();
        writes.sort_unstable();
        let place = |&(.., inst): &(Component, WriteId, Inst)| {
            facts.cfg.block_of(inst).map_or(0, |block| blockades.place(block).index())
        };
        let places = Spans::of(writes.iter().map(place).collect());
        let reads = loops.values().map(|waiter| waiter.reads.to_vec()).collect();
        Waiting { writes, places, depends, nodes, chained, reads, relayed }
    }

    /// The reads in a loop that it depends on, also by way of what it writes itself, in the order in which they stand.
    pub(crate) fn reads_in(&self, facts: &Analyses, controls: &Controls, id: TogetherId, cycle: &Cycle) -> Vec<Inst> {
        let inside = |inst: Inst| facts.cfg.block_of(inst).is_some_and(|block| cycle.contains(facts, block));
        let node = self.nodes.of_loop(id);
        let relayed = self.relayed.iter().filter(|&&(from, inst)| inside(inst) && self.depends.leads(node, from));
        let mut reads: Vec<Inst> = relayed.map(|&(_, inst)| inst).chain(self.reads[id].iter().copied()).collect();
        reads.sort_unstable_by_key(|&inst| controls.place(inst));
        reads.dedup();
        reads
    }

    /// Returns true if a loop, and all that it depends on, waits for what CTAs pass on in one direction; see the file `cta_chain.rs`.
    pub(crate) fn is_chained(&self, id: TogetherId) -> bool {
        self.chained.contains(id)
    }

    /// The writes that a loop depends on, in no order.
    pub(crate) fn relevant(&self, id: TogetherId) -> impl Iterator<Item = (WriteId, Inst)> + '_ {
        let ranges = self.depends.ranges(self.nodes.of_loop(id)).iter();
        let writes = ranges.flat_map(move |range| {
            let Range { start, end } = self.between(range);
            self.writes.iter().take(end).skip(start)
        });
        writes.map(|&(_, write, inst)| (write, inst))
    }

    /// Those of them that a loop with a region may block. Where no branch parts lanes around it, that takes no look at the others.
    pub(crate) fn in_question(
        &self,
        id: TogetherId,
        blockades: &Blockades<'_>,
        region: &Region,
    ) -> Vec<(WriteId, Inst)> {
        if !region.parallel().is_empty() {
            return self.relevant(id).collect();
        }
        let mut found = Vec::new();
        for range in self.depends.ranges(self.nodes.of_loop(id)) {
            for places in blockades.behind(region) {
                let places = places.start.index()..places.end.index();
                // There is a span for each write.
                self.places.find(self.between(range), &places, &mut |index| {
                    found.extend(self.writes.get(index).map(|&(_, write, inst)| (write, inst)));
                });
            }
        }
        found
    }

    /// The indices of the writes whose components are in a range.
    fn between(&self, range: &Range<Component>) -> Range<usize> {
        let behind = |component: Component| self.writes.partition_point(|write| write.0 < component);
        behind(range.start)..behind(range.end)
    }
}

/// The nodes of a branch that parts lanes, by which writes on its ways lead to the loops on other ones.
///
/// A node for each way leads to the loops on that and on all before it, another one to those on that and on all behind it. So what is on one way leads to
/// two nodes and not to those of all other ways, which would be quadratic in their number. The last node leads to the loops that several ways lead to.
struct OtherWays {
    first: Node,
    ways: usize,
}

impl OtherWays {
    /// The nodes of all branches, from one on, and the node behind them.
    fn of(blockades: &Blockades<'_>, first: Node) -> (PrimaryMap<PartingId, OtherWays>, Node) {
        let mut next = first;
        let nodes = blockades.ways().map(|ways| {
            let first = next;
            next = first.after(2 * ways + 1);
            OtherWays { first, ways }
        });
        (nodes.collect(), next)
    }

    fn up_to(&self, way: usize) -> Node {
        self.first.after(way)
    }

    fn beginning_with(&self, way: usize) -> Node {
        self.first.after(self.ways + way)
    }

    fn of_several(&self) -> Node {
        self.first.after(2 * self.ways)
    }

    fn edges(&self) -> impl Iterator<Item = (Node, Node)> + '_ {
        (1..self.ways).flat_map(|way| {
            [(self.up_to(way), self.up_to(way - 1)), (self.beginning_with(way - 1), self.beginning_with(way))]
        })
    }

    /// The nodes that lead to a loop.
    fn of_loop(&self, on: Way) -> SmallVec<[Node; 2]> {
        match on {
            Way::Only(way) => SmallVec::from_slice(&[self.up_to(way), self.beginning_with(way)]),
            Way::Several => SmallVec::from_slice(&[self.of_several()]),
        }
    }

    /// The nodes that a write leads to.
    fn of_write(&self, on: Way) -> SmallVec<[Node; 3]> {
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
    groups: FxHashMap<Root, Vec<PlaceId>>,
    /// The number of bytes the longest of them has.
    longest: i64,
}

impl Groups {
    fn of(places: &Places) -> Groups {
        let mut groups: FxHashMap<Root, Vec<PlaceId>> = FxHashMap::default();
        let mut longest = 0;
        for (id, (place, _)) in places {
            let (root, extent) = place.extent();
            longest = extent.map_or(longest, |bytes| longest.max(bytes.end.saturating_sub(bytes.start)));
            groups.entry(root).or_default().push(id);
        }
        // Those without a constant offset come first.
        let begin = |&id: &PlaceId| places[id].0.extent().1.map(|bytes| bytes.start);
        groups.values_mut().for_each(|group| group.sort_by_key(begin));
        Groups { groups, longest }
    }

    /// The places that another one may have a byte in common with, in no order.
    fn aliases(&self, place: &Location, places: &Places) -> Vec<PlaceId> {
        let (root, extent) = place.extent();
        let begin = |id: PlaceId| places[id].0.extent().1.map(|bytes| bytes.start);
        let mut found = Vec::new();
        for (other, group) in &self.groups {
            // Those that are not known to be anywhere, and those that begin near it.
            let (known, first, last) = match &extent {
                Some(bytes) if *other == root && root != Root::Unknown => {
                    let known = group.partition_point(|&id| begin(id).is_none());
                    let least = bytes.start.saturating_sub(self.longest);
                    let first = group.partition_point(|&id| begin(id).is_none_or(|begin| begin < least));
                    let last = group.partition_point(|&id| begin(id).is_none_or(|begin| begin < bytes.end));
                    (known, first, last)
                }
                _ => (group.len(), 0, 0),
            };
            let near = group.iter().take(known).chain(group.iter().take(last).skip(first));
            found.extend(near.filter(|&&id| place.may_alias(&places[id].0)));
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
        let joined = |one: Range<usize>, other: &Range<usize>| one.start.min(other.start)..one.end.max(other.end);
        let mut level: Vec<Range<usize>> = numbers.into_iter().map(|number| number..number + 1).collect();
        level.resize(leaves, nothing.clone());
        // From the leaves to the root.
        let mut levels = Vec::new();
        while level.len() > 1 {
            let above = level.chunks(2).map(|pair| pair.iter().fold(nothing.clone(), joined)).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        levels.push(level);
        let spans = std::iter::once(nothing).chain(levels.into_iter().rev().flatten()).collect();
        Spans { leaves, spans }
    }

    /// Tells the indices in a range whose numbers are in another one.
    fn find(&self, indices: Range<usize>, numbers: &Range<usize>, each: &mut impl FnMut(usize)) {
        let mut work = vec![(1, 0..self.leaves)];
        while let Some((node, covered)) = work.pop() {
            let Some(span) = self.spans.get(node) else { continue };
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
