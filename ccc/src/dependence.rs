//! Memory that a path and the rest of its iteration have in common.
//!
//! ```text
//! for (…) {                       collected, the path of iteration i runs behind
//!   if (p) b[i] = x;              the rest of iteration i:
//!   out[i] = b[i];                which would read b[i] too early
//! }
//! ```
//!
//! That iterations are independent of each other is the user's word, but where they provably are not ([`crate::carried`]). What a path and the code behind it in its *own* iteration
//! do to each other is looked at here: each access of the path with each one that the iteration may come to behind it, other paths among
//! them, where one of the two writes ([`analysis::MemoryDependence`]).
//!
//! - **Disjoint**: nothing is changed by doing one after the other.
//! - **Overlapping**, or in one object and perhaps overlapping: what follows the path, up to the last such access, becomes a part
//!   of its task ([`crate::extend`]). Where it cannot, the path is refused; in the second case the directive can say that they do not meet.
//! - **Unknown**, such as through two pointers of the host's: the path is collected, and the report says what is assumed.
//!
//! A fence, or anything that releases, tells other threads that all before it is done: what is behind it must stay behind the path.
//! So must a barrier, which cannot move. A loop of the rest that waits for what the path writes would never end. A fence in the path says the same
//! of what the rest writes, and of what it reads where the path may have read what another thread tells: that nobody relies on the latter is assumed.
//!
//! Code behind the loop is not concerned: the loop is left when all paths have run, behind a `bar.warp.sync`.

mod fences;

use analysis::{Access, Block, Exclusion, Loop, MemoryDependence, Relation, Value};
use cpp_demangle::DemangleOptions;
use cranelift_entity::EntitySet;
use ptx_parser::{Flow, Inst, Kernel, Memory, Operand, Ordering, Space, Word};
use rustc_hash::FxHashSet;

use crate::carried::{self, Carried};
use crate::facts::Facts;
use crate::markers::{self, Parameter, Site};
use crate::refusal::{Place, Refusal};
use crate::region::Region;
use crate::same_load::SameLoads;

/// The most pairs of accesses that are compared by their offsets; of more, only the objects are.
const MOST_PAIRS: usize = 1 << 18;

/// An access that is assumed to meet another one nowhere, or that does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessEntry {
    /// What it does: `store to`, `load of`, `atomic on`, `call of`, `fence` …
    pub does: &'static str,
    /// The variable, parameter or function; `None` where it is not known.
    pub object: Option<String>,
    /// The opcode.
    pub opcode: String,
    /// Where it stands.
    pub at: Place,
}

impl AccessEntry {
    /// Names the access without its place: "the store to `out`".
    #[must_use]
    pub fn text(&self) -> String {
        match &self.object {
            Some(object) if !self.does.is_empty() => format!("the {} `{object}`", self.does),
            _ => format!("`{}`", self.opcode),
        }
    }

    /// Names the access with its place, which is given in words.
    #[must_use]
    pub fn at(&self, place: &str) -> String {
        format!("{} at {place}", self.text())
    }
}

impl std::fmt::Display for AccessEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.at(&self.at.to_string()))
    }
}

/// Two accesses of one iteration.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AccessPair {
    /// The access in the path.
    pub path: AccessEntry,
    /// The access behind it.
    pub rest: AccessEntry,
    /// In which way they may be connected.
    pub link: Link,
}

/// The ways in which two accesses may be connected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Link {
    /// Both could be to one place, in one iteration.
    Place,
    /// Both could be to one place, in two iterations.
    Iterations,
    /// The second one could wait for what other threads do when they see the first one.
    Answer,
    /// The second one could rely on what the first one has read.
    Order,
}

impl AccessPair {
    /// Returns true if what is assumed is the same with the two exchanged.
    fn is_mutual(&self) -> bool {
        !self.rest.does.is_empty() && matches!(self.link, Link::Place | Link::Iterations)
    }

    /// Says what is assumed of the two, each in the words that are given: of accesses that they never meet, of a barrier or a vote, which accesses nothing,
    /// that it is not there for the path.
    #[must_use]
    pub fn assumption(&self, path: &str, rest: &str) -> String {
        match self.rest.does {
            "" => format!("assumes that no thread relies on {rest} to come behind {path}"),
            _ => match self.link {
                Link::Place => format!("assumes that {path} and {rest} never meet"),
                Link::Iterations => format!("assumes that {path} and {rest} never meet in two iterations"),
                Link::Answer => format!("assumes that {rest} does not wait for an answer to {path}"),
                Link::Order => format!("assumes that {rest} need not come behind {path}"),
            },
        }
    }
}

/// Why a path may not simply run behind what follows it.
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

/// Checks a path as it is. Returns what is assumed of it.
///
/// # Errors
/// It depends on what follows it, or may and nothing may be assumed.
pub(crate) fn check(facts: &Facts<'_>, region: &Region, site: &Site, strict: bool) -> Result<Vec<AccessPair>, Refusal> {
    let search = Search::of(facts, region);
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
    for (one, other, why) in carried::between_iterations(facts, region, &search.memory, &search.path) {
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
    let key = |entry: &AccessEntry| (entry.does, entry.object.clone(), entry.at.file, entry.at.line);
    let same = |other: &AccessPair| {
        let (path, rest) = (key(&other.path), key(&other.rest));
        (&path, &rest) == (&key(&pair.path), &key(&pair.rest)) && pair.path.at.line > 0
    };
    let mirrored = |other: &AccessPair| {
        let places = |one: &AccessEntry, other: &AccessEntry| match one.at.line {
            0 => one.at.ptx_line == other.at.ptx_line && key(one) == key(other),
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
/// `None` if a loop waits for the path.
pub(crate) fn dependents(facts: &Facts<'_>, region: &Region, site: &Site) -> Option<Vec<Inst>> {
    let mut found = Vec::new();
    for conflict in Search::of(facts, region).conflicts() {
        match conflict.why {
            Why::Waits => return None,
            Why::Overlapping | Why::Published => found.push(conflict.rest),
            Why::SameObject if !site.independent => found.push(conflict.rest),
            Why::SameObject | Why::Unknown | Why::Barrier | Why::Acquired | Why::Answer => {}
        }
    }
    Some(found)
}

/// Returns true if a load may be put off from where it stands to where its path runs: nothing that is executed meanwhile may write what it
/// reads.
pub(crate) fn may_be_put_off(facts: &Facts<'_>, load: Inst, marked_loop: Loop, end: Block) -> bool {
    let parameters = markers::parameters(facts.kernel);
    let memory = memory(facts, &parameters);
    let Some(read) = memory.access(load) else { return true };
    let ahead = facts.ahead(marked_loop, end);
    let mut insts = facts.cfg.blocks().filter(|&block| ahead.contains(block)).flat_map(|block| facts.cfg.insts(block));
    insts.all(|&inst| {
        let writes = memory.access(inst).filter(|access| access.writes && !is_own_output(facts.kernel, inst));
        writes.is_none_or(|write| memory.relation(&read, &write, marked_loop) == Relation::Disjoint)
    })
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

fn memory<'a>(facts: &'a Facts<'_>, parameters: &[Parameter]) -> MemoryDependence<'a> {
    let restricted = parameters.iter().enumerate().filter(|(_, one)| one.restricted).map(|(index, _)| index);
    let restricted: Vec<usize> = restricted.collect();
    MemoryDependence::of(facts.kernel, &facts.cfg, &facts.loops, &facts.values, &facts.invariance, &restricted)
}

/// Returns true for a call that touches nothing that the kernel itself accesses: output, and memory that it gets or gives back.
pub(crate) fn is_own_output(kernel: &Kernel, inst: Inst) -> bool {
    kernel.properties(inst).flow == Flow::Call
        && callee(kernel, inst).is_some_and(|name| matches!(name, "vprintf" | "malloc" | "free" | "__assertfail"))
}

fn callee(kernel: &Kernel, inst: Inst) -> Option<&str> {
    kernel.operands(inst).iter().find_map(|operand| match operand {
        Operand::Symbol(symbol, _) => Some(kernel.symbol_name(*symbol)),
        _ => None,
    })
}

/// A path and what follows it in its iteration.
struct Search<'a, 'k> {
    facts: &'a Facts<'k>,
    region: &'a Region,
    memory: MemoryDependence<'a>,
    parameters: Vec<Parameter>,
    /// What other threads can see of the path.
    path: Vec<Access>,
    /// The blocks behind it that a thread may come to in the same iteration.
    ahead: EntitySet<Block>,
    /// Those of them that are in other marked paths.
    marked: EntitySet<Block>,
}

impl<'a, 'k> Search<'a, 'k> {
    fn of(facts: &'a Facts<'k>, region: &'a Region) -> Search<'a, 'k> {
        let parameters = markers::parameters(facts.kernel);
        let memory = memory(facts, &parameters);
        let insts = region.blocks.iter().flat_map(|&block| facts.cfg.insts(block));
        let path = insts.filter_map(|&inst| visible(facts.kernel, &memory, inst)).collect();
        let ahead = executed_behind(facts, &memory, region);
        Search { facts, region, memory, parameters, path, ahead, marked: marked(facts, region) }
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
        AccessEntry { does, object, opcode: self.facts.opcode(inst), at: Place::of(kernel, inst) }
    }

    /// The user's name of an object: PTX has numbers for parameters.
    fn name(&self, object: &str) -> String {
        let params = self.facts.kernel.params();
        let number = params.iter().position(|param| &*param.name == object);
        let named = number.and_then(|number| self.parameters.get(number));
        named.map_or_else(|| unmangled(object), |parameter| parameter.name.clone())
    }
}

/// Whether a loop reads the same address in all of its rounds, as one that waits does.
fn is_repeated(facts: &Facts<'_>, id: Loop, read: Inst) -> bool {
    carried::address(facts, read).is_none_or(|address| facts.invariance.is_invariant_in(address, id))
}

/// The name that the user gave a variable, without those of the function and the namespaces that it is in.
pub(crate) fn unmangled(name: &str) -> String {
    demangled(name, &DemangleOptions::default())
        .as_deref()
        .and_then(|text| text.rsplit("::").next())
        .unwrap_or(name)
        .to_owned()
}

/// The name that the user gave a function, without its parameters; functions of one file alone are in a namespace of the compiler.
pub(crate) fn called(name: &str) -> String {
    let text = demangled(name, &DemangleOptions::new().no_params()).unwrap_or_else(|| name.to_owned());
    let own = text.strip_prefix("_INTERNAL_").and_then(|rest| rest.split_once("::")).map(|(_, own)| own.to_owned());
    own.unwrap_or(text)
}

fn demangled(name: &str, options: &DemangleOptions) -> Option<String> {
    let symbol = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok()).flatten()?;
    symbol.demangle(options).ok()
}

/// The blocks of the other marked paths of a loop: of steps, those of the loop that makes them. What follows a path and belongs to its task ([`crate::extend`],
/// [`crate::region::step`]) is not marked: that it is independent of other paths nobody says.
fn marked(facts: &Facts<'_>, region: &Region) -> EntitySet<Block> {
    let mut marked = EntitySet::new();
    for site in markers::sites(facts.kernel) {
        let Ok(other) = Region::of(facts, &Site { task_end: None, ..site }) else { continue };
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

/// The access of an instruction, if other code can see it.
pub(crate) fn visible(kernel: &Kernel, memory: &MemoryDependence<'_>, inst: Inst) -> Option<Access> {
    if is_own_output(kernel, inst) {
        return None;
    }
    memory.access(inst).filter(|access| access.space != Some(Space::Local))
}

/// Returns true for two updates of memory that leave the same in both orders: by one operator, and nobody looks at what was there. Sums of floats are rounded in another way in another order; that counts at
/// places which no other thread updates, where the program has one order.
pub(crate) fn commute(facts: &Facts<'_>, one: &Access, other: &Access) -> bool {
    const OPERATORS: [Word; 6] = [Word::Add, Word::And, Word::Or, Word::Xor, Word::Min, Word::Max];
    let kernel = facts.kernel;
    let operator = |inst: Inst| {
        let opcode = kernel.opcode(inst);
        let plain = matches!(opcode.family(), Word::Red | Word::Atom) && is_unused(facts, inst);
        let found = OPERATORS.into_iter().find(|&word| opcode.is(word));
        found.filter(|_| plain && kernel.properties(inst).ordering == Ordering::Relaxed)
    };
    let (first, second) = (kernel.opcode(one.inst), kernel.opcode(other.inst));
    let rounds = first.is(Word::Add) && first.types().iter().any(|ty| ty.is_float());
    let same_type = first.types() == second.types();
    let by = operator(one.inst);
    same_type && by.is_some() && by == operator(other.inst) && !(rounds && is_of_numbers(facts, one))
}

/// Returns true if an address is made of the numbers of threads and iterations, and of nothing that is read, so that other threads hardly have it too.
fn is_of_numbers(facts: &Facts<'_>, access: &Access) -> bool {
    let Some(address) = carried::address(facts, access.inst) else { return false };
    if facts.divergence.value_is_uniform(address) {
        return false;
    }
    let (mut seen, mut work) = (FxHashSet::from_iter([address]), vec![address]);
    while let Some(value) = work.pop() {
        let made = facts.values.made_by(facts.kernel, value);
        let reads = |inst: Inst| {
            let properties = facts.kernel.properties(inst);
            properties.memory != Memory::None && properties.space != Some(Space::Param)
        };
        if made.is_some_and(reads) {
            return false;
        }
        work.extend(facts.values.inputs(facts.kernel, value).into_iter().filter(|&input| seen.insert(input)));
    }
    true
}

/// Returns true if nobody looks at what an instruction gives.
pub(crate) fn is_unused(facts: &Facts<'_>, inst: Inst) -> bool {
    facts.values.defs(inst).iter().all(|(_, value)| facts.values.users(*value).is_empty())
}
