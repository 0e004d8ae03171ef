//! How a launch that did not finish ended: outcomes from where blocks stand.

use std::sync::atomic::Ordering;

use crate::cta::{Cta, Progress, Stop, Worker};
use crate::env::Env;
use crate::grid::SLICE;
use crate::machines::its::Its;
use crate::machines::{Machine, State};
use crate::memory::Memory;
use crate::outcome::{Fault, FaultKind, Outcome, Place};

/// What a launch is in which all resident blocks wait or repeat themselves for ever.
pub(crate) fn deadlock<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: Vec<Cta<M>>) -> Outcome {
    let mut running: Vec<Place> = ctas.iter().flat_map(|cta| places(env, cta, State::Ready)).collect();
    let mut waiting: Vec<Place> = ctas.iter().flat_map(|cta| places(env, cta, State::Arrived)).collect();
    let waiting_blocks = env.total.saturating_sub(env.next.load(Ordering::Relaxed));
    if !waiting.is_empty() && gets_on(env, memory, ctas) {
        let warp = |place: &Place| (place.block, place.warp);
        let involved: Vec<_> = waiting.iter().map(warp).collect();
        running.retain(|place| involved.contains(&warp(place)));
        running.truncate(64);
        waiting.truncate(64);
        return Outcome::SimtDeadlock { running, waiting };
    }
    running.truncate(64);
    if waiting_blocks > 0 { Outcome::Starvation { running, waiting_blocks } } else { Outcome::Livelock { running } }
}

/// Whether blocks that stand still get on with a program counter per thread. They are continued on a copy of the memory, so
/// that what the launch left stays as it is.
fn gets_on<M: Machine>(env: &Env<'_>, memory: &Memory, ctas: Vec<Cta<M>>) -> bool {
    /// After so many rounds in which something still changes, the answer is yes.
    const ROUNDS: u32 = 64;
    let mut copy = memory.clone();
    let mut params = env.params.clone();
    let regions = copy.regions(&mut params, env.program.param_bytes);
    let fair = Env::new(env.program, env.launch, env.params.clone(), env.globals.clone(), regions, 1);
    // Blocks that have not started find no room there either.
    fair.next.store(fair.total, Ordering::Relaxed);
    let mut worker = Worker::new(&fair);
    worker.watch = true;
    let mut active: Vec<Cta<Its>> = ctas.into_iter().map(Cta::under_its).collect();
    for _ in 0..ROUNDS {
        let epoch = fair.epoch();
        let before = active.len();
        let mut repeats = true;
        active.retain_mut(|cta| {
            let progress = cta.run(&mut worker, SLICE);
            repeats &= matches!(progress, Progress::Repeats);
            matches!(progress, Progress::Slice | Progress::Repeats)
        });
        if active.is_empty() {
            return true;
        }
        if repeats && active.len() == before && fair.epoch() == epoch {
            return false;
        }
    }
    true
}

/// The groups of a block that are in a state, as places.
fn places<M: Machine>(env: &Env<'_>, cta: &Cta<M>, state: State) -> Vec<Place> {
    let mut places = Vec::new();
    for (number, warp) in cta.warps.iter().enumerate() {
        for group in warp.machine.groups().into_iter().filter(|group| group.state == state) {
            let site = env.program.block_site(group.pc, false);
            places.push(Place { site, block: cta.linear, warp: number as u32, lanes: group.lanes });
        }
    }
    places
}

/// The outcome of a block that could not go on.
pub(crate) fn stop_outcome<M: Machine>(env: &Env<'_>, cta: &Cta<M>, stop: Stop) -> Outcome {
    let thread = |warp: u32, lane: u32| {
        let [x, y, _] = env.launch.block;
        let thread = 32 * warp + lane;
        [thread % x, thread / x % y, thread / (x * y)]
    };
    match stop {
        Stop::Fault(warp, fault) => {
            let inst = &env.program.insts[fault.id as usize];
            Outcome::Fault(Box::new(Fault {
                kind: fault.kind,
                site: env.program.site(inst),
                opcode: inst.opcode.to_string(),
                address: fault.address,
                bytes: fault.bytes,
                block: cta.index,
                thread: thread(warp, fault.lane),
                lane: fault.lane,
                nearest: None,
            }))
        }
        Stop::Trap(warp, lane, pc) => Outcome::Fault(Box::new(Fault {
            kind: FaultKind::Trap,
            site: env.program.block_site(pc, true),
            opcode: "trap".into(),
            address: 0,
            bytes: 0,
            block: cta.index,
            thread: thread(warp, lane),
            lane,
            nearest: None,
        })),
        Stop::Divergence(warp, pc, lanes, missing) => {
            let place = |pc, lanes| Place { site: env.program.block_site(pc, false), block: cta.linear, warp, lanes };
            let groups = cta.warps[warp as usize].machine.groups();
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
    let (waiting, missing) = all.into_iter().partition(|place| Some(&place.site) == first.as_ref());
    Outcome::BarrierDivergence { waiting, missing }
}

/// The budget was used up while these blocks ran; nothing if the launch has ended otherwise.
pub(crate) fn out_of_budget<M: Machine>(env: &Env<'_>, active: &[Cta<M>]) {
    if !env.deadlocked.load(Ordering::Relaxed) && !env.stop.load(Ordering::Relaxed) {
        let running = active.iter().flat_map(|cta| places(env, cta, State::Ready)).take(64).collect();
        env.finish(Outcome::Budget { running });
    }
}
