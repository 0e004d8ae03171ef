//! Memory that a path and the rest of its iteration have in common.
//!
//! ```text
//! for (…) {                       collected, the path of iteration i runs behind
//!   if (p) b[i] = x;              the rest of iteration i:
//!   out[i] = b[i];                which would read b[i] too early
//! }
//! ```
//!
//! That iterations are independent of each other is the user's word, but where they provably are not ([`crate::memory::loop_carried`]). What a path and the code behind it in its *own* iteration
//! do to each other is looked at here: each access of the path with each one that the iteration may come to behind it, other paths among
//! them, where one of the two writes ([`analysis::MemoryDependence`]).
//!
//! - **Disjoint**: nothing is changed by doing one after the other.
//! - **Overlapping**, or in one object and perhaps overlapping: what follows the path, up to the last such access, becomes a part
//!   of its task ([`crate::prepare::extend`]). Where it cannot, the path is refused; in the second case the directive can say that they do not meet.
//! - **Unknown**, such as through two pointers of the host's: the path is collected, and the report says what is assumed.
//!
//! A fence, or anything that releases, tells other threads that all before it is done: what is behind it must stay behind the path.
//! So must a barrier, which cannot move. A loop of the rest that waits for what the path writes would never end. A fence in the path says the same
//! of what the rest writes, and of what it reads where the path may have read what another thread tells: that nobody relies on the latter is assumed.
//!
//! Code behind the loop is not concerned: the loop is left when all paths have run, behind a `bar.warp.sync`.

pub(crate) mod fences;
pub(crate) mod loop_carried;
pub(crate) mod same_load;

use analysis::{Access, Block, Exclusion, Loop, MemoryDependence, Relation, Value};
use cranelift_entity::EntitySet;
use ptx_parser::{Flow, Inst, Memory};
use rustc_hash::FxHashSet;

use crate::access_pair::{AccessEntry, AccessPair, Link};
use crate::facts::Facts;
use crate::facts::accesses::{address, memory};
use crate::facts::accesses::{callee, commute, visible};
use crate::markers::{self, Parameter, Site};
use crate::memory::loop_carried::Carried;
use crate::memory::same_load::SameLoads;
use crate::origin::Origin;
use crate::refusal::Refusal;
use crate::region::Region;
use crate::source_names::{called, unmangled};

/// The most pairs of accesses that are compared by their offsets; of more, only the objects are.
const MOST_PAIRS: usize = 1 << 18;

/// The reason why a path may not simply run behind what follows it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Why {
    /// Both access a byte in common.
    Overlapping,
    /// Both access one object, and may have bytes in common.
    SameObject,
    /// Both may access memory in common.
    Unknown,
    /// Other threads are told that the path has run.
    Published,
    /// Other threads may be told that, at a barrier that does nothing to memory which the path accesses, as far as is known.
    Barrier,
    /// The path may read what another thread tells, and what is read behind it may rely on that.
    Acquired,
    /// A loop waits for what the path writes.
    Waits,
    /// A loop waits for something that other threads may write when they see what the path writes.
    Answer,
}

/// An access of a path, and an instruction behind it that must stay there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Conflict {
    pub(crate) path: Inst,
    pub(crate) rest: Inst,
    pub(crate) why: Why,
}

impl Conflict {
    /// Returns true if the result is wrong where the path runs behind the rest.
    fn is_certain(&self) -> bool {
        matches!(self.why, Why::Overlapping | Why::Published | Why::Waits)
    }
}

/// Checks a path as it is. Returns what is assumed of it. `all` are the marked regions of the kernel.
///
/// # Errors
/// It depends on what follows it, or may and nothing may be assumed.
pub(crate) fn check(
    facts: &Facts<'_>,
    region: &Region,
    site: &Site,
    all: &[Site],
    strict: bool,
) -> Result<Vec<AccessPair>, Refusal> {
    let search = Search::of(facts, region, all);
    let mut assumptions: Vec<AccessPair> = Vec::new();
    for conflict in search.conflicts() {
        let entry = |inst| search.entry(inst);
        let link = match conflict.why {
            Why::Answer => Link::Answer,
            Why::Acquired => Link::Order,
            _ => Link::Place,
        };
        let pair = AccessPair { path: entry(conflict.path), rest: entry(conflict.rest), link };
        if conflict.why == Why::Waits {
            return Err(Refusal::Waits { accesses: Box::new(pair) });
        }
        if conflict.is_certain() {
            return Err(Refusal::Dependent { accesses: Box::new(pair) });
        }
        if site.independent {
            continue;
        }
        if conflict.why == Why::SameObject {
            return Err(Refusal::SameObject { accesses: Box::new(pair) });
        }
        if strict {
            return Err(Refusal::Assumed { accesses: Box::new(pair) });
        }
        note(&mut assumptions, pair);
    }
    for (one, other, why) in loop_carried::between_iterations(facts, region, &search.memory, &search.path) {
        let pair = AccessPair { path: search.entry(one), rest: search.entry(other), link: Link::Iterations };
        match why {
            Carried::Value => return Err(Refusal::Carried { accesses: Box::new(pair) }),
            Carried::Order | Carried::Again if site.independent => {}
            Carried::Again => return Err(Refusal::Again { accesses: Box::new(pair) }),
            Carried::Order if strict => return Err(Refusal::Assumed { accesses: Box::new(pair) }),
            Carried::Order => note(&mut assumptions, pair),
        }
    }
    Ok(assumptions)
}

/// Adds an assumption; of several in one line, one is said, and of two that say the same of two accesses.
fn note(assumptions: &mut Vec<AccessPair>, pair: AccessPair) {
    let key = |entry: &AccessEntry| (entry.does, entry.object.clone(), entry.at.file, entry.at.source.line);
    let same = |other: &AccessPair| {
        let (path, rest) = (key(&other.path), key(&other.rest));
        (&path, &rest) == (&key(&pair.path), &key(&pair.rest)) && pair.path.at.source.line > 0
    };
    let mirrored = |other: &AccessPair| {
        let places = |one: &AccessEntry, other: &AccessEntry| match one.at.source.line {
            0 => one.at.ptx.line == other.at.ptx.line && key(one) == key(other),
            _ => key(one) == key(other),
        };
        let both_ways = pair.is_mutual() && pair.link == other.link;
        both_ways && places(&pair.path, &other.rest) && places(&pair.rest, &other.path)
    };
    if !assumptions.iter().any(|other| same(other) || mirrored(other)) {
        assumptions.push(pair);
    }
}

/// The instructions behind a path that its task must hold: all that depend on it, or may and nothing says that they do not.
/// `None` if a loop waits for the path. `all` are the marked regions of the kernel.
pub(crate) fn dependents(facts: &Facts<'_>, region: &Region, site: &Site, all: &[Site]) -> Option<Vec<Inst>> {
    let mut found = Vec::new();
    for conflict in Search::of(facts, region, all).conflicts() {
        match conflict.why {
            Why::Waits => return None,
            Why::Overlapping | Why::Published => found.push(conflict.rest),
            Why::SameObject if !site.independent => found.push(conflict.rest),
            Why::SameObject | Why::Unknown | Why::Barrier | Why::Acquired | Why::Answer => {}
        }
    }
    Some(found)
}

/// The blocks that a thread which has run the path may come to behind it in the same iteration.
fn executed_behind(facts: &Facts<'_>, memory: &MemoryDependence<'_>, region: &Region) -> EntitySet<Block> {
    let all = facts.ahead(region.marked_loop, region.exit);
    let (mut ahead, mut excluded) = (all.clone(), EntitySet::new());
    let loads = SameLoads::of(facts, memory, region);
    // What is excluded writes nothing, so that more loads give the same, which may exclude more.
    loop {
        let exclusion = Exclusion {
            kernel: facts.kernel,
            cfg: &facts.cfg,
            dominators: &facts.dominators,
            loops: &facts.loops,
            values: &facts.values,
            invariance: &facts.invariance,
            equal: &loads.equal(&excluded),
        };
        let exclude = |&block: &Block| exclusion.exclude(region.entry, block, region.marked_loop);
        let more: Vec<Block> = ahead.iter().filter(exclude).collect();
        if more.is_empty() {
            return ahead;
        }
        for block in more {
            ahead.remove(block);
            excluded.insert(block);
        }
    }
}

/// A path and what follows it in its iteration.
struct Search<'a, 'k> {
    facts: &'a Facts<'k>,
    region: &'a Region,
    memory: MemoryDependence<'a>,
    parameters: Vec<Parameter>,
    /// The accesses of the path that other threads can see.
    path: Vec<Access>,
    /// The blocks behind it that a thread may come to in the same iteration.
    ahead: EntitySet<Block>,
    /// Those of them that are in other marked paths.
    marked: EntitySet<Block>,
}

impl<'a, 'k> Search<'a, 'k> {
    fn of(facts: &'a Facts<'k>, region: &'a Region, all: &[Site]) -> Search<'a, 'k> {
        let parameters = markers::parameters(facts.kernel);
        let memory = memory(facts, &parameters);
        let insts = region.blocks.iter().flat_map(|&block| facts.cfg.insts(block));
        let path = insts.filter_map(|&inst| visible(facts.kernel, &memory, inst)).collect();
        let ahead = executed_behind(facts, &memory, region);
        Search { facts, region, memory, parameters, path, ahead, marked: marked(facts, region, all) }
    }

    /// The instructions that may follow the path in its iteration.
    fn rest(&self) -> impl Iterator<Item = Inst> + '_ {
        let blocks = self.facts.cfg.blocks().filter(|&block| self.ahead.contains(block));
        blocks.flat_map(|block| self.facts.cfg.insts(block).iter().copied())
    }

    fn conflicts(&self) -> Vec<Conflict> {
        let Some(first) = self.path.first() else { return Vec::new() };
        let mut found = self.waits();
        let kernel = self.facts.kernel;
        let rest: Vec<Access> = self.rest().filter_map(|inst| visible(kernel, &self.memory, inst)).collect();
        let few = rest.len().saturating_mul(self.path.len()) <= MOST_PAIRS;
        for access in &rest {
            for path in &self.path {
                if let Some(why) = self.clash(path, access, few) {
                    found.push(Conflict { path: path.inst, rest: access.inst, why });
                }
            }
        }
        found.extend(self.behind_fences(&rest));
        let writer = self.path.iter().find(|access| access.writes).unwrap_or(first);
        for inst in self.rest() {
            if let Some(why) = self.publishes(inst) {
                found.push(Conflict { path: writer.inst, rest: inst, why });
                if why == Why::Published {
                    let told = self.told_behind(inst);
                    found.extend(told.into_iter().map(|rest| Conflict { path: writer.inst, rest, why }));
                }
            }
        }
        found
    }

    /// Returns why two accesses must stay in their order, if they must.
    fn clash(&self, path: &Access, rest: &Access, few: bool) -> Option<Why> {
        if !(path.writes || rest.writes) || commute(self.facts, path, rest) {
            return None;
        }
        let relation = match few {
            true => self.memory.relation(path, rest, self.region.marked_loop),
            false if self.memory.are_in_different_objects(path, rest) => Relation::Disjoint,
            false => Relation::Unknown,
        };
        match relation {
            Relation::Disjoint => None,
            Relation::Overlapping => Some(Why::Overlapping),
            // What a marked path does is only known when it runs; that two of them are independent is mostly so.
            Relation::SameObject if self.is_marked(rest.inst) => Some(Why::Unknown),
            Relation::SameObject => Some(Why::SameObject),
            Relation::Unknown => Some(Why::Unknown),
        }
    }

    /// Returns true if an instruction is in another marked path.
    fn is_marked(&self, inst: Inst) -> bool {
        self.facts.cfg.block_of(inst).is_some_and(|block| self.marked.contains(block))
    }

    /// Loops of the iteration, outside of the path, that end only if something changes which the path writes.
    fn waits(&self) -> Vec<Conflict> {
        let (facts, region) = (self.facts, self.region);
        let mut found = Vec::new();
        let writes: Vec<&Access> = self.path.iter().filter(|access| access.writes).collect();
        if writes.is_empty() {
            return found;
        }
        let inner = |&id: &Loop| {
            id != region.marked_loop
                && facts.loops.contains(region.marked_loop, facts.loops.header(id))
                && !facts.loops.blocks(id).iter().any(|&block| region.contains(block))
        };
        for id in facts.loops.iter().filter(inner) {
            let Some(conditions) = self.conditions(id) else { continue };
            for &inst in facts.loops.blocks(id).iter().flat_map(|&block| facts.cfg.insts(block)) {
                let decides = facts
                    .values
                    .defs(inst)
                    .iter()
                    .any(|(_, value)| conditions.iter().all(|condition| condition.contains(value)));
                let Some(read) = visible(facts.kernel, &self.memory, inst).filter(|access| access.reads) else {
                    continue;
                };
                let object = |write: &&&Access| write.bases.only().is_some() && write.bases.only() == read.bases.only();
                if facts.is_weak(inst) || !decides {
                    continue;
                }
                let told = writes.iter().find(|write| !facts.is_weak(write.inst));
                if let Some(write) = writes.iter().find(object) {
                    found.push(Conflict { path: write.inst, rest: inst, why: Why::Waits });
                } else if let Some(write) = told.filter(|_| is_repeated(facts, id, inst)) {
                    found.push(Conflict { path: write.inst, rest: inst, why: Why::Answer });
                }
            }
        }
        found
    }

    /// For each way out of a loop, the values in the loop that decide whether it is taken; `None` if there is no way out.
    fn conditions(&self, id: Loop) -> Option<Vec<FxHashSet<Value>>> {
        let facts = self.facts;
        let exits = facts.loops.exits(id);
        let of = |from: Block| {
            let mut seen = FxHashSet::default();
            let terminator = facts.cfg.terminator(from);
            let uses = terminator.map_or(&[][..], |inst| facts.values.uses(inst));
            let mut work: Vec<Value> = uses.iter().map(|(_, value)| *value).collect();
            while let Some(value) = work.pop() {
                if facts.loops.contains(id, facts.values.block(value)) && seen.insert(value) {
                    work.extend(facts.values.inputs(facts.kernel, value));
                }
            }
            seen
        };
        (!exits.is_empty()).then(|| exits.iter().map(|edge| of(edge.from)).collect())
    }

    fn entry(&self, inst: Inst) -> AccessEntry {
        let kernel = self.facts.kernel;
        let properties = kernel.properties(inst);
        let does = match properties.memory {
            _ if properties.flow == Flow::Call => "call of",
            Memory::Read => "load of",
            Memory::Write => "store to",
            Memory::Atomic => "atomic on",
            Memory::Fence => "fence",
            Memory::None | Memory::Unknown => "",
        };
        let access = self.memory.access(inst);
        let object = match properties.flow {
            Flow::Call => callee(kernel, inst).map(called),
            _ => {
                access.and_then(|access| access.bases.only()).map(|origin| self.name(&self.memory.origin_name(origin)))
            }
        };
        AccessEntry { does, object, opcode: self.facts.opcode(inst), at: Origin::of(kernel, inst) }
    }

    /// The user's name of an object: PTX has numbers for parameters.
    fn name(&self, object: &str) -> String {
        let params = self.facts.kernel.params();
        let number = params.iter().position(|param| &*param.name == object);
        let named = number.and_then(|number| self.parameters.get(number));
        named.map_or_else(|| unmangled(object), |parameter| parameter.name.clone())
    }
}

/// Returns true if a loop reads the same address in all of its rounds, as one that waits does.
fn is_repeated(facts: &Facts<'_>, id: Loop, read: Inst) -> bool {
    address(facts, read).is_none_or(|address| facts.invariance.is_invariant_in(address, id))
}

/// The blocks of the other marked paths of a loop: of steps, those of the loop that makes them. What follows a path and belongs to its task ([`crate::prepare::extend`],
/// [`crate::region::step`]) is not marked: that it is independent of other paths nobody says.
fn marked(facts: &Facts<'_>, region: &Region, all: &[Site]) -> EntitySet<Block> {
    let mut marked = EntitySet::new();
    for site in all {
        let Ok(other) = Region::of(facts, &site.unextended()) else { continue };
        if other.marked_loop == region.marked_loop && other.entry != region.entry && !other.overlaps(region) {
            let steps = facts.loops.innermost(other.entry).filter(|_| other.steps);
            // Other lanes may come to what else there is.
            let is_marked = |block: Block| {
                let is_in_steps = steps.is_none_or(|steps| facts.loops.contains(steps, block));
                is_in_steps && facts.dominators.dominates(other.entry, block)
            };
            for &block in other.blocks.iter().filter(|&&block| is_marked(block)) {
                marked.insert(block);
            }
        }
    }
    marked
}
