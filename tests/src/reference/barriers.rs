//! Barriers of a block, by exhaustive search: random small kernels, and every outcome that the PTX ISA ("bar, barrier") allows them, whoever runs next.
//!
//! A kernel has up to three warps of one or two threads; the other lanes of a warp end at some time, which is one more thing that
//! barriers have to get right. Each thread has a list of actions: it writes a word of shared memory of its own, reads another thread's, comes to a
//! barrier in one of the three forms, or ends. The search goes through all interleavings of these actions, with barriers as the ISA has them, thread by
//! thread: nothing of the emulator is used.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use emulator::{Checks, Launch, Machine, Memory, Outcome, Program, run};
use ptx_parser::Module;

use crate::generate::Random;

/// Lanes of a warp.
const LANES: u32 = 32;
/// More states than this are not searched; the seed is then left out.
const MOST_STATES: usize = 20_000;

/// An action of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Action {
    /// Writes a number to its word; threads of a warp that do the same share one.
    Write(u8),
    /// Reads the word of a thread, by its place among all, and keeps it; 0 if there is no such thread.
    Read(u8),
    /// Comes to a barrier: its number, the warps that it is for, if it says so.
    Barrier(Form, u8, Option<u8>),
    /// Ends here.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    Sync,
    Arrive,
    /// `red.popc` with a predicate; keeps the result.
    Popc(bool),
}

/// A thread: its warp, its lane, and what it does.
#[derive(Clone, Debug)]
struct Thread {
    warp: u8,
    lane: u8,
    /// The place of its word.
    word: u8,
    actions: Vec<Action>,
}

/// A kernel of one block.
#[derive(Clone, Debug)]
pub struct Kernel {
    threads: Vec<Thread>,
    /// The number of them that do something; behind them is one for each warp that stands for its other lanes, which only end.
    busy: usize,
    warps: u8,
    /// Threads of the last warp that exist at all.
    last: u8,
    /// The threads of each warp do the same, so that they come to barriers together.
    uniform: bool,
}

/// The possible outcomes of a kernel.
#[derive(Clone, Debug, Default)]
struct Outcomes {
    /// The values that the threads have kept, for each end of the block.
    finished: BTreeSet<Vec<u8>>,
    /// True if threads may wait for ever.
    hangs: bool,
    /// The ISA's rules that some interleaving breaks.
    may_break: BTreeSet<&'static str>,
    /// The rules that every interleaving breaks that was searched to its end.
    always_breaks: Option<BTreeSet<&'static str>>,
}

impl Kernel {
    /// The kernel of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Kernel {
        let mut random = Random::new(seed);
        let warps = 1 + random.below(3) as u8;
        let uniform = random.below(2) == 0;
        let last = 3 + random.below(LANES - 2) as u8;
        // Whole kernels in which all is as it should be would be rare: a plan that every warp follows, and changes to it.
        let plan: Vec<(u8, Option<u8>)> = (0..1 + random.below(3))
            .map(|_| {
                let count =
                    (random.below(3) > 0).then(|| if random.below(8) == 0 { 1 + random.below(3) as u8 } else { warps });
                (random.below(2) as u8, count)
            })
            .collect();
        let mut threads: Vec<Thread> = Vec::new();
        for warp in 0..warps {
            let mut lanes: Vec<u8> = Vec::new();
            for _ in 0..1 + random.below(2) {
                let lane = random.below(if warp + 1 == warps { u32::from(last) } else { LANES }) as u8;
                if !lanes.contains(&lane) {
                    lanes.push(lane);
                }
            }
            lanes.sort_unstable();
            let shared = actions(&mut random, &plan);
            let first = threads.len() as u8;
            for lane in lanes {
                let actions =
                    if uniform || random.below(2) == 0 { shared.clone() } else { actions(&mut random, &plan) };
                let word = if uniform { first } else { threads.len() as u8 };
                threads.push(Thread { warp, lane, word, actions });
            }
        }
        let busy = threads.len();
        threads.extend((0..warps).map(|warp| Thread { warp, lane: 0, word: 0, actions: Vec::new() }));
        Kernel { threads, busy, warps, last, uniform }
    }

    /// The kernel as PTX: a module with one kernel `k`, whose parameter is where the words go that threads have kept.
    #[must_use]
    pub fn ptx(&self) -> String {
        let mut text = String::from(
            ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 4 .b32 words[32];\n\
             ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n",
        );
        // Who has nothing to do ends first.
        text += "setp.ne.u32 %p2, %r1, %r1;\n";
        for thread in &self.threads[..self.busy] {
            let _ = writeln!(text, "setp.eq.u32 %p1, %r1, {};\nor.pred %p2, %p2, %p1;", thread.number());
        }
        text += "@!%p2 ret;\nshr.u32 %r2, %r1, 5;\n";
        let form = if self.uniform { "bar" } else { "barrier" };
        // Threads of a warp that do the same go through the same text, and together.
        let leads = |index: &usize| usize::from(self.threads[*index].word) == *index;
        for index in (0..self.busy).filter(leads) {
            let thread = &self.threads[index];
            let (register, number) =
                if self.uniform { ("%r2", u32::from(thread.warp)) } else { ("%r1", thread.number()) };
            let _ = writeln!(text, "setp.eq.u32 %p1, {register}, {number};\n@%p1 bra T{index};");
        }
        text += "ret;\n";
        for index in (0..self.busy).filter(leads) {
            let thread = &self.threads[index];
            let _ = writeln!(text, "T{index}:");
            let mut kept = 0;
            for action in &thread.actions {
                let keep = |text: &mut String, kept: u32| {
                    let _ =
                        writeln!(text, "mad.wide.u32 %rd2, %r1, 32, %rd1;\nst.global.u32 [%rd2+{}], %r3;", 4 * kept);
                };
                match *action {
                    Action::Write(number) => {
                        let _ = writeln!(
                            text,
                            "mov.u32 %r3, {number};\nst.volatile.shared.u32 [words+{}], %r3;",
                            4 * index
                        );
                    }
                    Action::Read(of) => {
                        let _ = writeln!(text, "ld.volatile.shared.u32 %r3, [words+{}];", 4 * of);
                        keep(&mut text, kept);
                        kept += 1;
                    }
                    Action::Barrier(kind, number, warps) => {
                        let count = warps.map_or(String::new(), |warps| format!(", {}", LANES * u32::from(warps)));
                        match kind {
                            Form::Sync => {
                                let _ = writeln!(text, "{form}.sync {number}{count};");
                            }
                            Form::Arrive => {
                                let _ = writeln!(text, "{form}.arrive {number}{count};");
                            }
                            Form::Popc(holds) => {
                                let holds = if holds { "eq" } else { "ne" };
                                let _ = writeln!(text, "setp.{holds}.u32 %p1, %r1, %r1;");
                                let _ = writeln!(text, "{form}.red.popc.u32 %r3, {number}{count}, %p1;");
                                keep(&mut text, kept);
                                kept += 1;
                            }
                        }
                    }
                    Action::End => text += "exit;\n",
                }
            }
            text += "ret;\n";
        }
        text + "}\n"
    }

    /// Every outcome that the ISA allows; `None` if there are too many states.
    fn outcomes(&self) -> Option<Outcomes> {
        let mut outcomes = Outcomes::default();
        let mut seen: HashSet<State> = HashSet::new();
        let mut work = vec![State::of(self)];
        while let Some(state) = work.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            if seen.len() > MOST_STATES {
                return None;
            }
            outcomes.may_break.extend(state.broken.iter());
            let next: Vec<State> = (0..self.threads.len()).filter_map(|thread| state.step(self, thread)).collect();
            if next.is_empty() {
                let broken: BTreeSet<&'static str> = state.broken.iter().copied().collect();
                outcomes.always_breaks = Some(match outcomes.always_breaks.take() {
                    Some(before) => before.intersection(&broken).copied().collect(),
                    None => broken,
                });
                if state.threads.iter().all(|thread| thread.at == At::Ended) {
                    outcomes.finished.insert(
                        state.threads[..self.busy].iter().flat_map(|thread| thread.kept_or_nothing()).collect(),
                    );
                } else {
                    outcomes.hangs = true;
                }
            }
            work.extend(next);
        }
        Some(outcomes)
    }
}

impl Thread {
    /// Its number in the block.
    fn number(&self) -> u32 {
        LANES * u32::from(self.warp) + u32::from(self.lane)
    }
}

/// Returns what a thread does that follows a plan of barriers.
fn actions(random: &mut Random, plan: &[(u8, Option<u8>)]) -> Vec<Action> {
    let mut actions = Vec::new();
    for &(number, count) in plan {
        if random.below(2) == 0 {
            actions.push(Action::Write(1 + random.below(200) as u8));
        }
        let form = match random.below(8) {
            0..4 => Form::Sync,
            4..6 if count.is_some() => Form::Arrive,
            6 => Form::Popc(random.below(2) == 0),
            _ => Form::Sync,
        };
        match random.below(16) {
            0 => {}
            1 => actions.push(Action::End),
            2 => actions.push(Action::Barrier(form, random.below(2) as u8, count)),
            _ => actions.push(Action::Barrier(form, number, count)),
        }
        if random.below(2) == 0 {
            actions.push(Action::Read(random.below(6) as u8));
        }
    }
    actions
}

/// The state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum At {
    Running,
    /// At a barrier, until the rest of its warp is.
    Gathering,
    /// At a barrier, until it opens.
    Waiting,
    Ended,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Progress {
    at: At,
    /// Actions that are done; that of a barrier once it is left.
    done: u8,
    kept: Vec<u8>,
}

impl Progress {
    fn kept_or_nothing(&self) -> impl Iterator<Item = u8> {
        (0..4).map(|index| self.kept.get(index).copied().unwrap_or(0))
    }
}

/// The phase of a barrier that has begun.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Phase {
    /// Per warp, how often it has arrived.
    arrivals: Vec<u8>,
    /// The warps that it is for, as who came last said.
    count: Option<u8>,
    /// True if anybody is or has been here since it opened.
    active: bool,
    reduces: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: Vec<Progress>,
    words: Vec<u8>,
    barriers: [Phase; 2],
    broken: BTreeSet<&'static str>,
}

impl State {
    fn of(kernel: &Kernel) -> State {
        let thread = Progress { at: At::Running, done: 0, kept: Vec::new() };
        let phase = Phase { arrivals: vec![0; usize::from(kernel.warps)], ..Phase::default() };
        State {
            threads: vec![thread; kernel.threads.len()],
            words: vec![0; 6],
            barriers: [phase.clone(), phase],
            broken: BTreeSet::new(),
        }
    }

    /// A thread does what is next; `None` if it waits or has ended.
    fn step(&self, kernel: &Kernel, number: usize) -> Option<State> {
        if self.threads[number].at != At::Running {
            return None;
        }
        let mut state = self.clone();
        let thread = &mut state.threads[number];
        match kernel.threads[number].actions.get(usize::from(thread.done)) {
            None | Some(Action::End) => thread.at = At::Ended,
            Some(&Action::Write(value)) => {
                state.words[usize::from(kernel.threads[number].word)] = value;
                thread.done += 1;
            }
            Some(&Action::Read(of)) => {
                thread.kept.push(state.words[usize::from(of)]);
                thread.done += 1;
            }
            Some(&Action::Barrier(form, id, count)) => {
                thread.at = At::Gathering;
                let phase = &mut state.barriers[usize::from(id)];
                let reduces = matches!(form, Form::Popc(_));
                let all = kernel.warps;
                if phase.active && phase.count.unwrap_or(all) != count.unwrap_or(all) {
                    state.broken.insert("counts");
                }
                if phase.active && phase.reduces != reduces {
                    state.broken.insert("kinds");
                }
                if phase.arrivals[usize::from(kernel.threads[number].warp)] > 0 {
                    state.broken.insert("twice");
                }
                (phase.active, phase.count, phase.reduces) = (true, count, reduces);
            }
        }
        while state.settle(kernel) {}
        Some(state)
    }

    /// The barrier that a thread is at.
    fn barrier(&self, kernel: &Kernel, number: usize) -> Option<(Form, u8)> {
        match kernel.threads[number].actions.get(usize::from(self.threads[number].done)) {
            Some(&Action::Barrier(form, id, _)) => Some((form, id)),
            _ => None,
        }
    }

    /// Lets a warp arrive or a barrier open; whether there was one.
    fn settle(&mut self, kernel: &Kernel) -> bool {
        let of = |warp: u8| (0..kernel.threads.len()).filter(move |&number| kernel.threads[number].warp == warp);
        for id in 0..2u8 {
            for warp in 0..kernel.warps {
                let here = |number: &usize| {
                    let at = self.threads[*number].at;
                    at == At::Ended
                        || (at != At::Running && self.barrier(kernel, *number).is_some_and(|(_, at)| at == id))
                };
                let gathers = |number: usize| {
                    self.threads[number].at == At::Gathering
                        && self.barrier(kernel, number).is_some_and(|(_, at)| at == id)
                };
                if of(warp).any(gathers) && of(warp).all(|number| here(&number)) {
                    let all: Vec<usize> = of(warp).filter(|&number| gathers(number)).collect();
                    self.barriers[usize::from(id)].arrivals[usize::from(warp)] += 1;
                    for number in all {
                        if matches!(self.barrier(kernel, number), Some((Form::Arrive, _))) {
                            self.threads[number].at = At::Running;
                            self.threads[number].done += 1;
                        } else {
                            self.threads[number].at = At::Waiting;
                        }
                    }
                    return true;
                }
            }
            let phase = &self.barriers[usize::from(id)];
            let arrived: u8 = phase.arrivals.iter().sum();
            let enough = match phase.count {
                Some(count) => arrived >= count,
                None => (0..kernel.warps).all(|warp| {
                    phase.arrivals[usize::from(warp)] > 0 || of(warp).all(|number| self.threads[number].at == At::Ended)
                }),
            };
            if arrived > 0 && enough {
                self.open(kernel, id);
                return true;
            }
        }
        false
    }

    fn open(&mut self, kernel: &Kernel, id: u8) {
        let waits = |state: &State, number: usize| {
            state.threads[number].at == At::Waiting && state.barrier(kernel, number).is_some_and(|(_, at)| at == id)
        };
        let waiting: Vec<usize> = (0..self.threads.len()).filter(|&number| waits(self, number)).collect();
        let holds = |number: &&usize| matches!(self.barrier(kernel, **number), Some((Form::Popc(true), _)));
        let holding = waiting.iter().filter(holds).count() as u8;
        for number in waiting {
            if matches!(self.barrier(kernel, number), Some((Form::Popc(_), _))) {
                self.threads[number].kept.push(holding);
            }
            self.threads[number].at = At::Running;
            self.threads[number].done += 1;
        }
        let gathers = |number: usize| {
            self.threads[number].at == At::Gathering && self.barrier(kernel, number).is_some_and(|(_, at)| at == id)
        };
        let stays = (0..self.threads.len()).any(gathers);
        let phase = &mut self.barriers[usize::from(id)];
        phase.arrivals.fill(0);
        phase.active = stays;
    }
}

/// The result of checking a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// One outcome is possible, and the emulator has it.
    One,
    /// Several are possible.
    Several,
    /// Some interleaving breaks a rule, so that nothing is said of the outcome.
    Undefined,
    /// Its threads always wait for ever.
    Hangs,
    /// There are too many interleavings.
    TooMany,
}

/// Runs the kernel of a seed on all machines, and compares with what is possible.
///
/// # Errors
/// The outcome of a machine that the ISA does not allow, as a text with the kernel.
pub fn check(seed: u64) -> Result<Checked, String> {
    let kernel = Kernel::of(seed);
    let Some(outcomes) = kernel.outcomes() else { return Ok(Checked::TooMany) };
    let text = kernel.ptx();
    let module = Module::parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    let program = Program::decode(&module, "k").map_err(|error| format!("{error}\n{text}"))?;
    for &machine in Machine::ALL {
        for draw in 0..if machine == Machine::Mimd { 4 } else { 1 } {
            one(&kernel, &outcomes, &program, machine, draw)
                .map_err(|what| format!("{} (seed {draw}): {what}\n{text}", machine.name()))?;
        }
    }
    Ok(match () {
        () if !outcomes.may_break.is_empty() => Checked::Undefined,
        () if outcomes.finished.is_empty() => Checked::Hangs,
        () if outcomes.finished.len() == 1 && !outcomes.hangs => Checked::One,
        () => Checked::Several,
    })
}

fn one(kernel: &Kernel, outcomes: &Outcomes, program: &Program, machine: Machine, seed: u64) -> Result<(), String> {
    let threads = LANES * u32::from(kernel.warps - 1) + u32::from(kernel.last);
    let mut memory = Memory::new();
    let out = memory.alloc(32 * u64::from(threads), "out");
    let mut launch = Launch::new(1, threads).arg(out).on(machine);
    launch.seed = seed;
    launch.step_budget = 1 << 20;
    launch.checks = Checks { undefined: true, ..Checks::default() };
    let report = run(program, &mut memory, &launch).map_err(|error| error.to_string())?;
    let kept = memory.read::<u32>(out, 8 * threads as usize).map_err(|error| error.to_string())?;
    let of = |thread: &Thread| {
        let first = 8 * (LANES as usize * usize::from(thread.warp) + usize::from(thread.lane));
        kept[first..first + 4].iter().map(|&word| word as u8).collect::<Vec<u8>>()
    };
    let kept: Vec<u8> = kernel.threads[..kernel.busy].iter().flat_map(of).collect();
    let named = report.findings.undefined.unwrap_or_default();
    let early =
        machine == Machine::Stack && !kernel.uniform && matches!(report.outcome, Outcome::BarrierDivergence { .. });
    if early {
        // Lanes that stand elsewhere cannot come, so that the launch ends.
        return Ok(());
    }
    if !outcomes.may_break.is_empty() {
        // Behind what is undefined anything may follow; but it has to be said.
        let silent = outcomes.always_breaks.iter().flatten().next().filter(|_| named.is_empty());
        return silent.map_or(Ok(()), |rule| Err(format!("it does not say that a rule is broken: {rule}")));
    }
    if let Some(strange) = named.first() {
        return Err(format!("it says without a reason: {strange}"));
    }
    match report.outcome {
        Outcome::Finished if outcomes.finished.contains(&kept) => Ok(()),
        Outcome::Finished => Err(format!("it ends with {kept:?}; possible are {:?}", outcomes.finished)),
        Outcome::BarrierDivergence { .. } if outcomes.hangs => Ok(()),
        outcome => Err(format!("{outcome}; possible are {:?}, hangs: {}", outcomes.finished, outcomes.hangs)),
    }
}
