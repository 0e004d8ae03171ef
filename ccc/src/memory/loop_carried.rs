//! Memory by which iterations of a marked loop provably depend on each other.
//!
//! ```text
//! for (…) {
//!   slot[t] = in[i];              one place in all iterations of a thread:
//!   if (p) out[i] = slot[t];      the path of iteration i would read what iteration i + 1 has left there
//! }
//! ```
//!
//! That iterations are independent is the user's word, and what different iterations access is mostly not known. Where an address is
//! the same in all iterations, it is known that they are not: a lane may come to later iterations before it runs the path of an earlier one, and the paths of several
//! iterations of one thread run side by side, each in a lane of its own. Two strong accesses to a place that threads share do not count: a flag that threads set for each
//! other is read and written by strong ones, or by all of them with the same value, and a ticket is anybody's. Where one of the two is weak, the report says what is assumed. At a place
//! of the thread's own, nobody else decides what the order of iterations leaves: there atomics count that do not commute, and volatile accesses.
//!
//! Shared memory is small, so that iterations use it again: what the loop stores or copies there outside of a path and the path accesses, a tile between two barriers
//! say, is taken for one place, unless the directive says `independent`. So is a row of global memory that an inner loop fills, if nothing that differs between
//! iterations leads to it.
//!
//! Memory that a thread has for itself, a row at its own number, is such a place too, where the path alone uses it: paths of several iterations of the thread would use it
//! at once. Where it also depends on data which part of it an iteration uses, a histogram per thread say, or where its number is one that several iterations have in common,
//! such as a remainder, the report says what is assumed.

use analysis::{Access, MemoryDependence, Relation, Value};
use ptx_parser::{Inst, Linear, Memory, Mnemonic, Modifier, Operand, Space, SpecialName, Uniformity};
use rustc_hash::FxHashSet;

use crate::facts::Facts;
use crate::facts::accesses::{address, commute, is_unused, visible};
use crate::region::Region;

/// The most pairs of accesses that are compared.
const MOST_PAIRS: usize = 1 << 16;

/// The kinds of what a path and another iteration do to one place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Carried {
    /// One reads what the other one writes.
    Value,
    /// Both write, and what is left is that of the last one; or it is not known whether they are to one place.
    Order,
    /// All iterations of a thread use the same part of an object, and one of the two writes.
    Again,
}

/// The accesses of a path, each with one that another iteration makes to the same place.
pub(crate) fn between_iterations(
    facts: &Facts<'_>,
    region: &Region,
    memory: &MemoryDependence<'_>,
    path: &[Access],
) -> Vec<(Inst, Inst, Carried)> {
    let blocks = facts.cfg.blocks().filter(|&block| facts.loops.contains(region.marked_loop, block));
    let insts = blocks.flat_map(|block| facts.cfg.insts(block).iter().copied());
    let all: Vec<Access> = insts.filter_map(|inst| visible(facts.kernel, memory, inst)).collect();
    if path.len().saturating_mul(all.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let weak = |access: &&Access| {
        let plain = matches!(facts.kernel.properties(access.inst).memory, Memory::Read | Memory::Write);
        plain && facts.is_weak(access.inst) && access.address.is_some()
    };
    let meets = |one: &Access, other: &Access| memory.meet_in_all_iterations(one, other, region.marked_loop);
    let mut found = Vec::new();
    // A flag is read and written by strong accesses; one that is weak says that it is none, perhaps.
    let known = |access: &&Access| access.address.is_some();
    let atomics = |one: &Access, other: &Access| [one, other].iter().all(|access| access.reads && access.writes);
    for access in path.iter().filter(known) {
        let mixed = |other: &&Access| weak(&access) != weak(other) && (other.writes || access.writes);
        let one_place = |other: &&Access| meets(access, other) && !store_the_same(facts, region, access, other);
        let mut others = all.iter().filter(known).filter(mixed).filter(|other| !atomics(access, other));
        if let Some(other) = others.find(one_place) {
            found.push((access.inst, other.inst, Carried::Order));
        }
    }
    for access in path.iter().filter(weak) {
        let reads = |other: &&Access| (other.reads || access.reads) && (other.writes || access.writes);
        if let Some(other) = all.iter().filter(weak).filter(reads).find(|other| meets(access, other)) {
            found.push((access.inst, other.inst, Carried::Value));
            continue;
        }
        let writes = |other: &&Access| other.writes && access.writes && !store_the_same(facts, region, access, other);
        if let Some(other) = all.iter().filter(weak).filter(writes).find(|other| meets(access, other)) {
            found.push((access.inst, other.inst, Carried::Order));
        }
    }
    let outside = |access: &&Access| facts.cfg.block_of(access.inst).is_some_and(|block| !region.contains(block));
    let again =
        |access: &&Access| access.space == Some(Space::Shared) || weak(access) && repeats(facts, region, access.inst);
    // What is stored anywhere may be where the path of an earlier iteration would find something else, if it always looks at the same places.
    let rest = all.iter().filter(outside).filter(|access| again(access) || weak(access) && access.writes);
    let rest: Vec<(&Access, bool)> = rest.map(|access| (access, again(&access))).collect();
    let of_path: Vec<(&Access, Option<Own>)> =
        path.iter().map(|access| (access, exclusive_place(facts, region, access))).collect();
    let is_own = |(access, own): (&Access, Option<Own>)| {
        again(&access) || weak(&access) && matches!(own, Some(Own::Always | Own::ByData))
    };
    let asked = of_path.iter().map(|&place| (place.0, is_own(place)));
    for (access, is_own) in asked.filter(|&(access, own)| own || weak(&access)) {
        let meets = |other: &Access| match memory.relation(access, other, region.marked_loop) {
            Relation::Overlapping | Relation::SameObject => true,
            // Other places of one iteration may be the same ones of two.
            Relation::Disjoint if access.space == Some(Space::Shared) => {
                !memory.are_in_different_objects(access, other)
            }
            Relation::Disjoint | Relation::Unknown => false,
        };
        let conflict = |(other, again): &&(&Access, bool)| {
            let changes = if is_own { other.writes || access.writes } else { other.writes && access.reads };
            changes && (*again || is_own && !access.writes) && !atomics(access, other) && meets(other)
        };
        if let Some((other, _)) = rest.iter().find(conflict) {
            found.push((access.inst, other.inst, Carried::Again));
        }
    }
    let rest = all.iter().filter(outside).filter(weak);
    let rest: Vec<(&Access, Own)> =
        rest.filter_map(|access| Some((access, exclusive_place(facts, region, access)?))).collect();
    for &(access, place) in of_path.iter().filter(|(access, _)| weak(access)) {
        let Some(own) = place else { continue };
        let conflict = |&&(other, kind): &&(&Access, Own)| {
            let may_be = |own: Own| matches!(own, Own::InCommon | Own::Data);
            let in_common = may_be(own) && may_be(kind);
            let unknown = || memory.relation(access, other, region.marked_loop) == Relation::Unknown;
            let meet = in_common && in_one_object(memory, region, access, other) || unknown();
            meet && (other.writes || access.writes) && (other.reads || access.reads)
        };
        if let Some((other, _)) = rest.iter().find(conflict) {
            found.push((access.inst, other.inst, Carried::Order));
        }
    }
    let copies = |access: &&Access| facts.kernel.opcode(access.inst).mnemonic() == Mnemonic::Cp && access.writes;
    if let Some(copy) = all.iter().filter(outside).find(copies) {
        let reads = path.iter().filter(|access| access.space == Some(Space::Shared) && access.reads);
        found.extend(reads.map(|access| (access.inst, copy.inst, Carried::Again)));
    }
    found.extend(within(facts, region, memory, &of_path));
    let told = found.iter().map(|&(access, ..)| access).collect();
    found.extend(own_place(facts, region, memory, &of_path, &all, &told));
    found
}

/// Accesses of a path to a place that is its thread's alone, the same one in all iterations, each with one of the loop to that place with which its order matters. Where data also decides
/// which place of several it is, or it is not the same one, they may meet. `told` are those of which that is said already. Where the place may be other threads' too, or several iterations may have it in common, what counts is what is left there:
/// by stores and exchanges, what the last iteration has written.
fn own_place(
    facts: &Facts<'_>,
    region: &Region,
    memory: &MemoryDependence<'_>,
    path: &[(&Access, Option<Own>)],
    all: &[Access],
    told: &FxHashSet<Inst>,
) -> Vec<(Inst, Inst, Carried)> {
    let mut found = Vec::new();
    let repeats = path.iter().filter_map(|&(access, own)| Some((access, own.filter(|&own| own != Own::Data)?)));
    for (access, place) in repeats {
        if place == Own::InCommon || !is_threads_own(facts, access) {
            let other = writes_there_too(facts, region, memory, (access, place), all);
            found.extend(other.map(|other| (access.inst, other, Carried::Order)));
            continue;
        }
        let is_strong = !facts.is_weak(access.inst);
        let in_order = |other: &&Access| {
            (other.writes || access.writes)
                && !commute(facts, access, other)
                && !store_the_same(facts, region, access, other)
        };
        let meets = |other: &&Access| memory.meet_in_all_iterations(access, other, region.marked_loop);
        let strong = |other: &Access| is_strong && !facts.is_weak(other.inst);
        // What weak loads find is said already, and what they would find is left by the same stores.
        let leave_values = |other: &Access| {
            !told.contains(&access.inst) && [access, other].iter().all(|access| left_value(facts, access).is_some())
        };
        let counts = |other: &&Access| strong(other) || leave_values(other);
        if let Some(other) = all.iter().filter(in_order).find(meets) {
            found.push((access.inst, other.inst, Carried::Again));
            continue;
        }
        let others = all.iter().filter(in_order).filter(counts);
        let others = others.filter_map(|other| Some((other, exclusive_place(facts, region, other)?)));
        let others: Vec<(&Access, Own)> =
            others.filter(|(other, _)| in_one_object(memory, region, access, other)).collect();
        // Only an inner loop says which part of it is used: all iterations use the same.
        let by_loads = |access: &Access| depends_on_loads(facts, region, access);
        let one_part = |other: &Access| strong(other) || !by_loads(access) && !by_loads(other);
        let is_always =
            |&&(other, kind): &&(&Access, Own)| place == Own::Always && kind == Own::Always && one_part(other);
        let always = others.iter().find(is_always);
        let kind = if always.is_some() { Carried::Again } else { Carried::Order };
        found.extend(always.or(others.first()).map(|&(other, _)| (access.inst, other.inst, kind)));
    }
    found
}

/// Returns a store or an exchange that another iteration may make where one of the path writes, so that the value of the last one is left.
fn writes_there_too(
    facts: &Facts<'_>,
    region: &Region,
    memory: &MemoryDependence<'_>,
    (access, place): (&Access, Own),
    all: &[Access],
) -> Option<Inst> {
    left_value(facts, access)?;
    let is_such = |other: &Access| match exclusive_place(facts, region, other) {
        Some(Own::InCommon) => place == Own::InCommon,
        Some(Own::Always | Own::ByData) => place != Own::InCommon,
        Some(Own::Data) | None => false,
    };
    let writes = |other: &&Access| {
        left_value(facts, other).is_some()
            && !store_the_same(facts, region, access, other)
            && is_such(other)
            && in_one_object(memory, region, access, other)
    };
    all.iter().find(writes).map(|other| other.inst)
}

/// Returns what an access leaves in memory, whatever was there, if it tells nobody what that was: of several such, the last one is seen.
fn left_value<'f>(facts: &'f Facts<'_>, access: &Access) -> Option<&'f Operand> {
    let at = match facts.kernel.properties(access.inst).memory {
        Memory::Write => 1,
        Memory::Atomic if facts.kernel.opcode(access.inst).has(Modifier::Exch) && is_unused(facts, access.inst) => 2,
        _ => return None,
    };
    facts.kernel.operands(access.inst).get(at)
}

/// Returns true if an access that several iterations make at one place is at one that no other thread has: its address is made of the thread's number, by steps that take different
/// numbers to different ones, and of what all threads have in common or, beside that, of data.
fn is_threads_own(facts: &Facts<'_>, access: &Access) -> bool {
    let mut work: Vec<Value> = address(facts, access.inst).into_iter().collect();
    let mut seen: FxHashSet<Value> = work.iter().copied().collect();
    let mut has_thread = false;
    while let Some(value) = work.pop() {
        if facts.divergence.value_is_uniform(value) || facts.values.phi_inputs(value).len() > 1 {
            continue;
        }
        let Some(inst) = facts.values.made_by(facts.kernel, value) else { return false };
        let properties = facts.kernel.properties(inst);
        if properties.memory != Memory::None {
            continue;
        }
        let is_thread =
            |operand: &Operand| matches!(operand, Operand::Special(special) if special.name == SpecialName::Tid);
        has_thread |= facts.kernel.operands(inst).iter().any(is_thread);
        let keeps_apart = properties.linear.is_some()
            || matches!(facts.kernel.opcode(inst).mnemonic(), Mnemonic::Cvt | Mnemonic::Cvta);
        let inputs = facts.values.inputs(facts.kernel, value);
        if keeps_apart {
            work.extend(inputs.into_iter().filter(|&input| seen.insert(input)));
        } else if inputs.into_iter().any(|input| is_made_of_thread(facts, input)) {
            return false;
        }
    }
    has_thread
}

/// Returns true if a value is computed from the number of the thread, without what is read from memory.
fn is_made_of_thread(facts: &Facts<'_>, value: Value) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
    while let Some(value) = work.pop() {
        if facts.divergence.value_is_uniform(value) || !seen.insert(value) {
            continue;
        }
        if let Some(inst) = facts.values.made_by(facts.kernel, value) {
            if facts.kernel.properties(inst).memory != Memory::None {
                continue;
            }
            if differs_by_lane(facts, inst) {
                return true;
            }
        }
        work.extend(facts.values.inputs(facts.kernel, value));
    }
    false
}

/// Returns true if an instruction uses a special register that differs between the lanes of a warp.
fn differs_by_lane(facts: &Facts<'_>, inst: Inst) -> bool {
    let is_lane = |operand: &Operand| matches!(operand, Operand::Special(special) if special.name.uniformity() == Uniformity::Lane);
    facts.kernel.operands(inst).iter().any(is_lane)
}

/// Returns true if one object is known that both accesses are in; other places of it in one iteration may be the same ones of two.
fn in_one_object(memory: &MemoryDependence<'_>, region: &Region, one: &Access, other: &Access) -> bool {
    match memory.relation(one, other, region.marked_loop) {
        Relation::Overlapping | Relation::SameObject => true,
        Relation::Disjoint => !memory.are_in_different_objects(one, other),
        Relation::Unknown => false,
    }
}

/// Stores of a path to what its thread has for itself, each with a read of the path that may find it there in another iteration.
fn within(
    facts: &Facts<'_>,
    region: &Region,
    memory: &MemoryDependence<'_>,
    path: &[(&Access, Option<Own>)],
) -> Vec<(Inst, Inst, Carried)> {
    let mut found = Vec::new();
    let is_plain = |access: &Access| access.reads != access.writes;
    for &(write, place) in path.iter().filter(|(access, _)| access.writes && is_plain(access)) {
        let Some(place) = place.filter(|_| !store_the_same(facts, region, write, write)) else { continue };
        let meets = |(read, other): &&(&Access, Option<Own>)| {
            let may_repeat = place == Own::Always || other.is_some();
            read.reads && is_plain(read) && may_repeat && in_one_object(memory, region, write, read)
        };
        if let Some((read, other)) = path.iter().find(meets) {
            let always = place == Own::Always || *other == Some(Own::Always);
            found.push((write.inst, read.inst, if always { Carried::Again } else { Carried::Order }));
        }
    }
    found
}

/// Kinds of addresses that are not another one in each iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Own {
    /// It depends on the thread, and is the same in all iterations, but for counters of inner loops.
    Always,
    /// By what is loaded, too.
    ByData,
    /// By what is loaded alone.
    Data,
    /// It depends on what several iterations may have in common: a remainder, a quotient, some bits of their number.
    InCommon,
}

/// The information that a number computed from a counter still has of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Part {
    /// All of it: the number identifies the iteration.
    Whole,
    /// A remainder, some bits, the lesser of two, or anything else.
    Low,
    /// A quotient.
    High,
}

impl Part {
    /// The same behind one more instruction.
    fn behind(self, facts: &Facts<'_>, inst: Inst) -> Part {
        let opcode = facts.kernel.opcode(inst);
        match opcode.mnemonic() {
            Mnemonic::Div | Mnemonic::Shr => Part::High,
            Mnemonic::Cvt | Mnemonic::Cvta => self,
            _ if facts.kernel.properties(inst).linear.is_some() => self,
            _ => Part::Low,
        }
    }
}

/// Finds out whether an access is to a place that the thread has for itself in several iterations, as far as its address says.
fn exclusive_place(facts: &Facts<'_>, region: &Region, access: &Access) -> Option<Own> {
    let header = facts.loops.header(region.marked_loop);
    let mut work: Vec<(Value, Part)> =
        address(facts, access.inst).map(|value| (value, Part::Whole)).into_iter().collect();
    let mut seen = FxHashSet::default();
    let mut parts: Vec<Part> = Vec::new();
    let (mut own, mut has_thread) = (Own::Always, false);
    while let Some((value, mut part)) = work.pop() {
        if !seen.insert((value, part)) {
            continue;
        }
        if facts.invariance.is_invariant_in(value, region.marked_loop) {
            has_thread |= !facts.divergence.value_is_uniform(value);
            continue;
        }
        let is_phi = facts.values.phi_inputs(value).len() > 1;
        if is_phi {
            if facts.values.block(value) == header {
                let counts = counts(facts, region, value);
                parts.push(if counts { part } else { Part::Low });
                has_thread |= !facts.divergence.value_is_uniform(value);
                continue;
            }
        } else {
            let inst = facts.values.made_by(facts.kernel, value)?;
            let properties = facts.kernel.properties(inst);
            match properties.memory {
                Memory::None if properties.is_pure() => part = part.behind(facts, inst),
                Memory::Read if facts.is_weak(inst) => {
                    match repeats(facts, region, inst) {
                        true => has_thread |= !facts.divergence.value_is_uniform(value),
                        false => own = Own::ByData,
                    }
                    continue;
                }
                _ => return None,
            }
            has_thread |= differs_by_lane(facts, inst);
        }
        work.extend(facts.values.inputs(facts.kernel, value).into_iter().map(|input| (input, part)));
    }
    // A quotient and a remainder together say which iteration it is.
    let has = |part: Part| parts.contains(&part);
    if has(Part::Whole) || has(Part::Low) && has(Part::High) {
        return None;
    }
    match own {
        Own::Always if parts.is_empty() => has_thread.then_some(own),
        Own::ByData if parts.is_empty() && has_thread => Some(own),
        Own::ByData if parts.is_empty() => Some(Own::Data),
        _ => Some(Own::InCommon),
    }
}

/// Returns true for a counter of the marked loop: every iteration adds one and the same number to it.
fn counts(facts: &Facts<'_>, region: &Region, phi: Value) -> bool {
    let inputs = facts.values.phi_inputs(phi).iter();
    let mut back = inputs.filter(|(from, _)| facts.loops.contains(region.marked_loop, *from)).map(|&(_, value)| value);
    back.all(|value| {
        let Some(inst) = facts.values.made_by(facts.kernel, value) else { return false };
        let &[_, one, other] = facts.kernel.operands(inst) else { return false };
        let is_phi = |operand: &Operand| {
            facts.values.of_operand(inst, operand).is_some_and(|value| is_copy_of(facts, value, phi))
        };
        let stays = |operand: &Operand| match facts.values.of_operand(inst, operand) {
            Some(value) => facts.invariance.is_invariant_in(value, region.marked_loop),
            None => !matches!(operand, Operand::Int(0)),
        };
        match facts.kernel.properties(inst).linear {
            Some(Linear::Sum) => is_phi(&one) && stays(&other) || is_phi(&other) && stays(&one),
            Some(Linear::Difference) => is_phi(&one) && stays(&other),
            _ => false,
        }
    })
}

/// Returns true for a value that another one is copied to on all ways.
fn is_copy_of(facts: &Facts<'_>, value: Value, original: Value) -> bool {
    let (mut seen, mut work) = (FxHashSet::default(), vec![value]);
    while let Some(value) = work.pop() {
        if value == original || !seen.insert(value) {
            continue;
        }
        let made = facts.values.made_by(facts.kernel, value);
        let copies = made.is_some_and(|inst| facts.kernel.properties(inst).linear == Some(Linear::Same));
        if !copies && facts.values.phi_inputs(value).len() < 2 {
            return false;
        }
        let inputs = facts.values.inputs(facts.kernel, value);
        if inputs.is_empty() {
            return false;
        }
        work.extend(inputs);
    }
    true
}

/// Returns true if an access goes to the same addresses in all iterations: they follow from what is invariant, and from counters of inner loops.
fn repeats(facts: &Facts<'_>, region: &Region, access: Inst) -> bool {
    let header = facts.loops.header(region.marked_loop);
    address(facts, access).is_some()
        && varying_inputs(facts, region, access).into_iter().all(|value| {
            let made = facts.values.made_by(facts.kernel, value).map(|inst| facts.kernel.properties(inst));
            let is_pure = made.is_some_and(|properties| properties.is_pure() && properties.memory == Memory::None);
            let is_phi = facts.values.phi_inputs(value).len() > 1;
            if is_phi { facts.values.block(value) != header } else { is_pure }
        })
}

/// Returns true if what is loaded in the marked loop has a say in the address of an access. Iterations may load different values from one place.
fn depends_on_loads(facts: &Facts<'_>, region: &Region, access: &Access) -> bool {
    varying_inputs(facts, region, access.inst).into_iter().any(|value| {
        let made = facts.values.made_by(facts.kernel, value);
        made.is_some_and(|inst| facts.kernel.properties(inst).memory != Memory::None)
    })
}

/// The values that the address of an access is computed from, and that are not invariant in the marked loop, each once.
fn varying_inputs(facts: &Facts<'_>, region: &Region, access: Inst) -> FxHashSet<Value> {
    let (mut seen, mut work) = (FxHashSet::default(), Vec::from_iter(address(facts, access)));
    while let Some(value) = work.pop() {
        if !facts.invariance.is_invariant_in(value, region.marked_loop) && seen.insert(value) {
            work.extend(facts.values.inputs(facts.kernel, value));
        }
    }
    seen
}

/// Returns true if two stores, or exchanges of which nobody sees what was there, leave one value, in all iterations.
fn store_the_same(facts: &Facts<'_>, region: &Region, one: &Access, other: &Access) -> bool {
    // A number, or a register that keeps its value.
    let stored = |access: &Access| -> Option<(Option<i64>, Option<Value>)> {
        let operand = left_value(facts, access)?;
        if let Some(number) = facts.values.constant(facts.kernel, access.inst, operand) {
            return Some((Some(number), None));
        }
        let value = facts.values.of_operand(access.inst, operand)?;
        facts.invariance.is_invariant_in(value, region.marked_loop).then_some((None, Some(value)))
    };
    stored(one).is_some() && stored(one) == stored(other)
}
