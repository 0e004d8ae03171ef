//! Every lane as a thread of its own, and `.sync` operations as the PTX ISA has them: one waits until all lanes that its mask names, and that have not
//! ended, execute the same one with the same mask.
//!
//! A lane that does what the ISA leaves undefined stops here, and so does all that depends on it.

use std::collections::BTreeSet;

use super::kernel::{
    Cond, DATA, Expr, FREE, Fold, HASH, Kernel, LANE, Mode, Op, Step, THREAD, Value, Vote, WORDS, Warp,
};

/// The behaviour of a kernel by the ISA.
#[derive(Clone, Debug, Default)]
pub(super) struct Judged {
    /// The words of each thread that ended.
    pub(super) words: Vec<Option<[u32; WORDS]>>,
    /// Steps at which lanes do what is undefined, and what that is.
    pub(super) broken: BTreeSet<(usize, &'static str)>,
    /// Lanes wait for ever.
    pub(super) hangs: bool,
    /// Lanes read shared memory that nothing orders before them.
    pub(super) races: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum At {
    Running,
    Waiting,
    Broken,
    Ended,
}

#[derive(Clone, Debug)]
struct Lane {
    at: At,
    step: usize,
    vars: Vec<u32>,
    /// The lanes that were at the same `bar.warp.sync`, the last one that this lane executed.
    met: u32,
    words: Option<[u32; WORDS]>,
}

/// The lane that a lane reads from, and whether that is in range (PTX ISA, "shfl.sync", semantics).
pub(super) fn source(mode: Mode, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (lane, b, clamp, segment) = (lane as i32, (b & 31) as i32, (c & 31) as i32, (c >> 8 & 31) as i32);
    let most = (lane & segment) | (clamp & (31 - segment));
    let (from, inside) = match mode {
        Mode::Up => (lane - b, lane - b >= most),
        Mode::Down => (lane + b, lane + b <= most),
        Mode::Bfly => (lane ^ b, lane ^ b <= most),
        Mode::Idx => {
            let from = (lane & segment) | (b & (31 - segment));
            (from, from <= most)
        }
    };
    if inside { (from as u32, true) } else { (lane as u32, false) }
}

/// Runs a kernel.
pub(super) fn judge(kernel: &Kernel) -> Judged {
    let mut judged = Judged::default();
    for warp in 0..kernel.warps() {
        Model::of(kernel, warp).run(&mut judged);
    }
    judged
}

struct Model<'k> {
    kernel: &'k Kernel,
    lanes: Vec<Lane>,
    shared: Vec<[u32; 32]>,
}

fn bits(mask: u32) -> impl Iterator<Item = usize> {
    (0..32usize).filter(move |lane| mask >> lane & 1 == 1)
}

impl<'k> Model<'k> {
    fn of(kernel: &'k Kernel, warp: u32) -> Model<'k> {
        let exist = kernel.lanes(warp);
        let lane = |number: u32| {
            let mut vars = vec![0; kernel.vars];
            (vars[LANE], vars[THREAD]) = (number, 32 * warp + number);
            let at = if exist >> number & 1 == 1 { At::Running } else { At::Ended };
            Lane { at, step: 0, vars, met: 0, words: None }
        };
        Model { kernel, lanes: (0..32).map(lane).collect(), shared: vec![[0; 32]; kernel.slots] }
    }

    fn run(mut self, judged: &mut Judged) {
        loop {
            for lane in 0..32 {
                while self.lanes[lane].at == At::Running {
                    self.step(lane, judged);
                }
            }
            let Some(together) = (0..32).find_map(|lane| self.complete(lane)) else { break };
            self.perform(&together, judged);
        }
        judged.hangs |= self.lanes.iter().any(|lane| lane.at == At::Waiting);
        let exist = self.lanes.iter().filter(|lane| lane.vars[THREAD] < self.kernel.threads);
        judged.words.extend(exist.map(|lane| lane.words));
    }

    /// Executes what a lane does without others, or has it wait.
    fn step(&mut self, lane: usize, judged: &mut Judged) {
        let at = self.lanes[lane].step;
        let shared = &mut self.shared;
        let this = &mut self.lanes[lane];
        this.step += 1;
        match self.kernel.steps[at] {
            Step::Set(d, expr) => this.vars[d] = this.compute(expr),
            Step::Unless(cond, to) => {
                if !this.holds(cond) {
                    this.step = to;
                }
            }
            Step::Jump(to) => this.step = to,
            // Only bits that are known are looked at.
            Step::Active(d) => this.vars[d] = 1 << lane,
            Step::Put(slot, var) => shared[slot][lane] = this.vars[var],
            Step::Get(d, slot, from) => {
                let from = this.vars[from] & 31;
                judged.races |= this.met >> from & 1 == 0;
                this.vars[d] = shared[slot][from as usize];
            }
            Step::End => {
                let mut words = [0; WORDS];
                words[..FREE - HASH].copy_from_slice(&this.vars[HASH..FREE]);
                const { assert!(DATA == HASH + 1) };
                (this.at, this.words) = (At::Ended, Some(words));
            }
            Step::Warp(warp) => {
                if warp.guard.is_some_and(|guard| !this.holds(guard)) {
                    this.vars[warp.d] = 0;
                    if let Some(p) = warp.p {
                        this.vars[p] = 0;
                    }
                    return;
                }
                this.step = at;
                this.at = At::Waiting;
                let members = this.value(warp.members);
                if members >> lane & 1 == 0 {
                    this.at = At::Broken;
                    judged.broken.insert((at, if members == 0 { "no members" } else { "not a member" }));
                }
            }
        }
    }

    fn waits_at(&self, lane: usize) -> Option<(usize, &Warp)> {
        let this = &self.lanes[lane];
        match self.kernel.steps.get(this.step) {
            Some(Step::Warp(warp)) if this.at == At::Waiting => Some((this.step, warp)),
            _ => None,
        }
    }

    /// The lanes that run an operation together with a lane, if none is missing.
    fn complete(&self, lane: usize) -> Option<Vec<usize>> {
        let (at, warp) = self.waits_at(lane)?;
        let members = self.lanes[lane].value(warp.members);
        let barrier = matches!(warp.op, Op::Barrier { .. });
        let live: Vec<usize> = bits(members).filter(|&other| self.lanes[other].at != At::Ended).collect();
        let meets = |&other: &usize| {
            self.waits_at(other).is_some_and(|(there, theirs)| {
                let called = warp.function.is_some() && warp.function == theirs.function;
                let same = there == at || called || (barrier && matches!(theirs.op, Op::Barrier { .. }));
                same && self.lanes[other].value(theirs.members) == members
            })
        };
        live.iter().all(meets).then_some(live)
    }

    fn perform(&mut self, together: &[usize], judged: &mut Judged) {
        let mask = together.iter().fold(0u32, |mask, lane| mask | 1 << lane);
        let Some((_, &warp)) = self.waits_at(together[0]) else { return };
        let held = |cond: Cond, negated: bool| {
            together
                .iter()
                .filter(|&&lane| self.lanes[lane].holds(cond) != negated)
                .fold(0u32, |all, lane| all | 1 << lane)
        };
        // The result and the predicate of each lane; none where they are undefined.
        let results: Vec<Option<(u32, u32)>> = match warp.op {
            Op::Shuffle { mode, a, b, c } => {
                let read = |&lane: &usize| {
                    let this = &self.lanes[lane];
                    let (from, inside) = source(mode, lane as u32, this.value(b), this.value(c));
                    (mask >> from & 1 == 1).then(|| (self.lanes[from as usize].vars[a], u32::from(inside)))
                };
                together.iter().map(read).collect()
            }
            Op::Vote { vote, of, negated } => {
                let holds = held(of, negated);
                let result = match vote {
                    Vote::All => holds == mask,
                    Vote::Any => holds != 0,
                    Vote::Uni => holds == mask || holds == 0,
                };
                vec![Some((u32::from(result), 0)); together.len()]
            }
            Op::Ballot { of, negated } => vec![Some((held(of, negated), 0)); together.len()],
            Op::Match { all, a, upper } => {
                let key = |lane: usize| (self.lanes[lane].vars[a], upper.map(|upper| self.lanes[lane].vars[upper]));
                let same = |lane: usize| {
                    together.iter().filter(|&&other| key(other) == key(lane)).fold(0u32, |all, other| all | 1 << other)
                };
                let result = |&lane: &usize| match (all, same(lane)) {
                    (false, same) => (same, 0),
                    (true, same) if same == mask => (same, 1),
                    (true, _) => (0, 0),
                };
                together.iter().map(|lane| Some(result(lane))).collect()
            }
            Op::Fold(fold, a) => {
                let words: Vec<u32> = together.iter().map(|&lane| self.lanes[lane].vars[a]).collect();
                vec![Some((reduce(fold, &words), 0)); together.len()]
            }
            // The kernel only keeps what is the same whoever leads.
            Op::Elect => {
                together.iter().map(|&lane| Some((together[0] as u32, u32::from(lane == together[0])))).collect()
            }
            Op::Barrier { .. } => vec![Some((0, 0)); together.len()],
        };
        let places: Vec<(usize, Warp)> =
            together.iter().filter_map(|&lane| self.waits_at(lane).map(|(at, warp)| (at, *warp))).collect();
        for ((&lane, result), (at, warp)) in together.iter().zip(results).zip(&places) {
            let this = &mut self.lanes[lane];
            let Some((d, p)) = result else {
                this.at = At::Broken;
                judged.broken.insert((*at, "source"));
                continue;
            };
            if let Op::Barrier { closes } = warp.op {
                let here = together.iter().zip(&places).filter(|(_, (there, _))| there == at);
                let met = here.fold(0u32, |met, (lane, _)| met | 1 << lane);
                // Whoever has read must be here before anybody writes again.
                judged.races |= closes && met != this.met;
                this.met = met;
            } else {
                this.vars[warp.d] = d;
                if let Some(var) = warp.p {
                    this.vars[var] = p;
                }
            }
            this.at = At::Running;
            this.step += 1;
        }
    }
}

fn reduce(fold: Fold, words: &[u32]) -> u32 {
    let signed = || words.iter().map(|&word| word as i32);
    match fold {
        Fold::Add => words.iter().map(|&word| u64::from(word)).sum::<u64>() as u32,
        Fold::MinU => words.iter().copied().min().unwrap_or(0),
        Fold::MaxU => words.iter().copied().max().unwrap_or(0),
        Fold::MinS => signed().min().unwrap_or(0) as u32,
        Fold::MaxS => signed().max().unwrap_or(0) as u32,
        Fold::And => words.iter().fold(u32::MAX, |all, word| all & word),
        Fold::Or => words.iter().fold(0, |all, word| all | word),
        Fold::Xor => words.iter().fold(0, |all, word| all ^ word),
    }
}

impl Lane {
    fn value(&self, value: Value) -> u32 {
        match value {
            Value::Var(var) => self.vars[var],
            Value::Const(number) => number,
        }
    }

    fn compute(&self, expr: Expr) -> u32 {
        let var = |var: usize| self.vars[var];
        match expr {
            Expr::Value(value) => self.value(value),
            Expr::Affine(a, factor, term) => var(a).wrapping_mul(factor).wrapping_add(term),
            Expr::Xor(a, b) => var(a) ^ var(b),
            Expr::And(a, b) => var(a) & self.value(b),
            Expr::AndNot(a, b) => self.value(a) & !var(b),
            Expr::Shr(a, by) => var(a) >> by,
            Expr::First(a) => var(a).trailing_zeros(),
            Expr::Own => 1 << var(LANE),
            Expr::Mix(hash, word) => var(hash).wrapping_mul(16_777_619) ^ var(word),
            Expr::BitAt(a, at) => var(a).checked_shr(var(at)).unwrap_or(0) & 1,
            Expr::Same(a, b) => u32::from(var(a) == var(b)),
        }
    }

    fn holds(&self, cond: Cond) -> bool {
        match cond {
            Cond::Lanes(lanes) => lanes >> self.vars[LANE] & 1 == 1,
            Cond::Bit(var, bit) => self.vars[var] >> bit & 1 == 1,
            Cond::Less(var, value) => self.vars[var] < self.value(value),
            Cond::Same(a, b) => self.vars[a] == self.vars[b],
        }
    }
}
