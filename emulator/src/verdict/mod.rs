//! The outcome of a launch that did not finish, derived from the places of its blocks.

pub(crate) mod progress;
pub(crate) mod slice;
mod state;
mod trial;

use std::sync::atomic::Ordering;

use crate::api::launch::in_three;
use crate::api::outcome::{Fault, FaultKind, LanesAt, Outcome};
use crate::machines::{Group, Machine, State};
use crate::memory::Memory;
use crate::memory::access::Access;
use crate::memory::space::MemorySpace;
use crate::run::cta::Cta;
use crate::run::env::Env;
use crate::run::warp::WarpId;
use crate::run::worker::Stop;

use trial::{Room, gets_on, room_helps};

/// The most places that an outcome names.
const MOST_PLACES: usize = 64;

/// Returns what a launch is in which all resident blocks wait or repeat themselves for ever.
pub(crate) fn deadlock<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: Vec<Cta<M>>) -> Outcome {
    let all = |state| -> Vec<LanesAt> { ctas.iter().flat_map(|cta| places(env, cta, state)).collect() };
    let (mut running, mut arrived) = (all(State::Ready), all(State::Arrived));
    let unstarted = env.total.saturating_sub(env.next.0.load(Ordering::Relaxed));
    if !arrived.is_empty() && gets_on(env, memory, &ctas) {
        let warp = |place: &LanesAt| (place.block, place.warp);
        let involved: Vec<_> = arrived.iter().map(warp).collect();
        running.retain(|place| involved.contains(&warp(place)));
        running.truncate(MOST_PLACES);
        arrived.truncate(MOST_PLACES);
        return Outcome::SimtDeadlock { running, waiting: arrived };
    }
    running.truncate(MOST_PLACES);
    let room = if unstarted > 0 { room_helps(env, memory, &ctas) } else { Room::DoesNotHelp };
    let needs = match room {
        Room::DoesNotHelp => {
            let mut waiting = arrived;
            waiting.extend(all(State::Waiting));
            waiting.truncate(MOST_PLACES);
            return Outcome::Livelock { running, waiting };
        }
        Room::Helps(resident) => Some(resident),
        Room::Unknown => None,
    };
    Outcome::Starvation { running, waiting_blocks: unstarted, needs }
}

/// The lanes of a block that are in a state, as places: one per warp and block of code.
fn places<M: Machine>(env: &Env<'_>, cta: &Cta<M>, state: State) -> Vec<LanesAt> {
    let mut places = Vec::new();
    for (number, warp) in &cta.warps {
        let mut groups: Vec<Group> = Vec::new();
        for group in warp.machine.groups().into_iter().filter(|group| group.state == state) {
            match groups.iter_mut().find(|other| other.pc == group.pc) {
                Some(other) => other.lanes |= group.lanes,
                None => groups.push(group),
            }
        }
        places.extend(groups.into_iter().map(|group| {
            let site = env.program.block_site(group.pc, false);
            LanesAt { site, block: cta.linear, warp: number.as_u32(), lanes: group.lanes }
        }));
    }
    places
}

/// The outcome of a block that could not go on.
pub(crate) fn stop_outcome<M: Machine>(env: &Env<'_>, cta: &Cta<M>, stop: Stop) -> Outcome {
    let thread = |warp: WarpId, lane: u32| in_three(u64::from(32 * warp.as_u32() + lane), env.launch.block);
    match stop {
        Stop::Fault(warp, fault) => {
            let inst = &env.program.listing.insts[fault.id];
            let place = |access: Access| access.place(fault.address);
            let (space, address) = inst.access.map_or((MemorySpace::Global, fault.address), place);
            Outcome::Fault(Box::new(Fault {
                kind: fault.kind,
                site: env.program.listing.site(inst),
                opcode: inst.opcode.to_string(),
                address,
                bytes: fault.bytes,
                block: cta.index,
                thread: thread(warp, fault.lane),
                lane: fault.lane,
                space: Some(space),
                nearest: None,
                note: match fault.kind {
                    FaultKind::Assertion => env.system.assertion(),
                    _ => env.system.describe(fault.address).map(|(text, ..)| text),
                },
                freed: false,
            }))
        }
        Stop::Trap(warp, lane, pc) => Outcome::Fault(Box::new(Fault {
            kind: if env.program.last_opcode(pc) == "brkpt" { FaultKind::Breakpoint } else { FaultKind::Trap },
            site: env.program.block_site(pc, true),
            opcode: env.program.last_opcode(pc).into(),
            address: 0,
            bytes: 0,
            block: cta.index,
            thread: thread(warp, lane),
            lane,
            space: None,
            nearest: None,
            note: None,
            freed: false,
        })),
        Stop::Divergence(warp, pc, lanes, missing) => {
            let place = |pc, lanes| {
                let site = env.program.block_site(pc, false);
                LanesAt { site, block: cta.linear, warp: warp.as_u32(), lanes }
            };
            let groups = cta.warps[warp].machine.groups();
            let absent = groups.iter().filter(|group| group.lanes & missing != 0);
            Outcome::BarrierDivergence {
                waiting: vec![place(pc, lanes)],
                missing: absent.map(|group| place(group.pc, group.lanes & missing)).collect(),
            }
        }
        Stop::Stuck => stuck(env, cta),
    }
}

/// All warps wait: those at the barrier or operation that the first waiting group is at, and those elsewhere.
fn stuck<M: Machine>(env: &Env<'_>, cta: &Cta<M>) -> Outcome {
    let all = places(env, cta, State::Waiting);
    let first = all.first().map(|place| place.site.clone());
    let (waiting, mut missing): (Vec<LanesAt>, Vec<LanesAt>) =
        all.into_iter().partition(|place| Some(&place.site) == first.as_ref());
    missing.extend(places(env, cta, State::Arrived));
    missing.extend(places(env, cta, State::Ready));
    Outcome::BarrierDivergence { waiting, missing }
}

/// The budget was used up while these blocks ran; nothing if the launch has ended otherwise.
pub(crate) fn out_of_budget<M: Machine>(env: &Env<'_>, active: &[Cta<M>]) {
    if !env.deadlocked.load(Ordering::Relaxed) && !env.stop.load(Ordering::Relaxed) {
        let running = active.iter().flat_map(|cta| places(env, cta, State::Ready)).take(MOST_PLACES).collect();
        let interrupted = env.launch.monitor.as_ref().is_some_and(|monitor| monitor.is_interrupted());
        env.finish(if interrupted { Outcome::Interrupted { running } } else { Outcome::Budget { running } });
    }
}
