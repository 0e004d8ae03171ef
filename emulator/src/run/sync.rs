//! `.sync` operations: an operation runs when all lanes that it names, and that have not ended, have come to it.
//!
//! On a machine with one program counter per warp lanes that stand elsewhere cannot come, so that they are reported as missing. With
//! a counter per thread the group waits. The lanes must meet at the same instruction, by whichever calls they have reached it; only
//! `bar.warp.sync`, which moves no values, may be met at several.

use cranelift_entity::PrimaryMap;
use smallvec::SmallVec;

use super::warp::{values, words};
use crate::api::rule::Rule;
use crate::exec::op::{Ctx, Op};
use crate::exec::rule_violations::Broken;
use crate::machines::{Group, Machine, State, ending};
use crate::program::Program;
use crate::program::code::{BlockId, End};
use crate::program::listing::InstId;
use crate::stats::counts::BlockCounter;

/// The result of a group's arrival at a `.sync` operation.
pub(crate) enum Synced {
    /// It has run, and the lanes went on.
    Ran,
    /// The lanes wait for others. Nothing can be complete yet if it is false.
    Waits(bool),
    /// The lanes that are named and do not come.
    Missing(u32),
}

/// The lanes of a group by the members that they name.
fn classes(ctx: &Ctx<'_>, members: u32, mask: u32) -> SmallVec<[(u32, u32); 2]> {
    let mut classes: SmallVec<[(u32, u32); 2]> = SmallVec::new();
    for (lane, named) in values(words(ctx, members), mask) {
        match classes.iter_mut().find(|(name, _)| *name == named) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => classes.push((named, 1 << lane)),
        }
    }
    classes
}

/// All lanes that the lanes of a group name.
fn named(ctx: &Ctx<'_>, members: u32, mask: u32) -> u32 {
    values(words(ctx, members), mask).fold(0, |all, (_, named)| all | named)
}

/// Lets a group of lanes arrive at an operation. `op` is the op that runs, if any; `members` is the 32-bit row of the lanes named.
pub(crate) fn arrive<M: Machine>(
    machine: &mut M,
    ctx: &mut Ctx<'_>,
    program: &Program,
    (op, members, next, inst): (Option<&Op>, u32, BlockId, InstId),
    mask: u32,
) -> Synced {
    let classes = classes(ctx, members, mask);
    if ctx.seen.is_some() {
        note_members(ctx, &classes, inst);
    }
    // Lanes of the group that name others than a class does have not come to what that one waits for.
    let missing = classes.iter().fold(0, |missing, (named, lanes)| missing | named & machine.live() & !lanes);
    if missing == 0 {
        for &(_, lanes) in &classes {
            perform(ctx, op, lanes);
        }
        machine.goto(next);
        return Synced::Ran;
    }
    if !M::WAITS {
        // Who only ends does so first, as with a program counter per thread.
        let ending = ending(machine, program, missing);
        if ending != missing {
            return Synced::Missing(missing & !ending);
        }
        machine.wait(&[mask]);
        machine.end_first(missing);
        return Synced::Waits(false);
    }
    // Nobody can be released as long as lanes run that the last ones to come wait for.
    let coming = machine.live() & !mask & !machine.waiting();
    let settles = classes.iter().any(|(named, _)| named & coming == 0);
    let parts: SmallVec<[u32; 2]> = classes.iter().map(|&(_, lanes)| lanes).collect();
    machine.wait(&parts);
    Synced::Waits(settles)
}

/// Notes lanes that are not among those that they name.
fn note_members(ctx: &mut Ctx<'_>, classes: &[(u32, u32)], inst: InstId) {
    let Some(seen) = &mut ctx.seen else { return };
    for &(members, lanes) in classes {
        let outside = lanes & !members;
        if members == 0 {
            seen.note(Broken { rule: Rule::NoMembers, inst, lanes });
        } else if outside != 0 {
            seen.note(Broken { rule: Rule::NotMember { members }, inst, lanes: outside });
        }
    }
}

fn perform(ctx: &mut Ctx<'_>, op: Option<&Op>, lanes: u32) {
    ctx.mask = lanes;
    if let Some(op) = op {
        // SAFETY: as for every other op. What lanes do together cannot fault.
        unsafe { (op.run)(ctx, op) };
    }
}

/// Runs every operation for which all named lanes that have not ended wait. Returns the blocks and lanes that ran.
pub(crate) fn settle<M: Machine>(
    machine: &mut M,
    ctx: &mut Ctx<'_>,
    program: &Program,
    counters: &mut PrimaryMap<BlockId, BlockCounter>,
) -> Together {
    let mut ran = Together::new();
    loop {
        let waiting: Vec<Group> = machine.groups().into_iter().filter(|group| group.state == State::Waiting).collect();
        let Some(together) = waiting.iter().find_map(|group| complete(machine, ctx, program, &waiting, group)) else {
            return ran;
        };
        let all = together.iter().fold(0, |all, (_, lanes)| all | lanes);
        if let Some(&(pc, _)) = together.first()
            && let End::Sync { op, members, .. } = program.code.blocks[pc].end
        {
            for (_, lanes) in classes(ctx, members, all) {
                perform(ctx, op.map(|op| &program.ops[op]), lanes);
            }
        }
        for &(pc, lanes) in &together {
            let End::Sync { next, .. } = program.code.blocks[pc].end else { continue };
            counters[pc].executions += 1;
            counters[pc].lanes += u64::from(lanes.count_ones());
            ctx.clock += program.code.blocks[pc].insts().len() as u64;
            machine.resume(lanes, next);
        }
        ran.extend(together);
    }
}

/// Blocks and the lanes at each that together run an operation.
pub(crate) type Together = SmallVec<[(BlockId, u32); 4]>;

/// The lanes that meet with a waiting group, if that are all that it waits for.
fn complete<M: Machine>(
    machine: &M,
    ctx: &Ctx<'_>,
    program: &Program,
    waiting: &[Group],
    group: &Group,
) -> Option<Together> {
    let End::Sync { members, meets, .. } = program.code.blocks[group.pc].end else { return None };
    // A group that waits names one set of lanes: it was taken apart by that when it came. Where lanes cannot be apart, all go on together.
    let named = named(ctx, members, group.lanes);
    let mut together = Together::new();
    for other in waiting {
        let End::Sync { meets: theirs, members, .. } = program.code.blocks[other.pc].end else { continue };
        if theirs != meets || self::named(ctx, members, other.lanes) != named {
            continue;
        }
        match together.iter_mut().find(|(pc, _)| *pc == other.pc) {
            Some((_, lanes)) => *lanes |= other.lanes,
            None => together.push((other.pc, other.lanes)),
        }
    }
    let present = together.iter().fold(0, |all, (_, lanes)| all | lanes);
    (named & machine.live() & !present == 0).then_some(together)
}
