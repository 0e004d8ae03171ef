//! What the divergence analysis promises, held against running random programs lane by lane.
//!
//! Each lane runs on its own, as far as it can: only at a vote that the analysis calls uniform does it wait for the
//! other lanes. What a lane did is noted by instance (see the head of the analysis): the number of whole-warp blocks
//! passed, and the trips round each loop about the block since. Then all lanes must have passed the same whole-warp
//! blocks in the same order, and agree wherever the analysis says "uniform". The same is held against lanes that do not end early, of which those that do are gone where they begin
//! to do nothing but end.
use std::collections::{BTreeMap, BTreeSet};

use crate::random::{End, Op, PREDS, Program, REGS, Random, insts, mix};
use analysis::{Analyses, Block, Divergence, Loop};
use ptx_parser::{Inst, Kernel, Reg};

const LANES: usize = 4;
const STEPS: usize = 600;

/// What a note is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum What {
    /// A register where a block begins.
    LiveIn(Block, Reg),
    /// A phi.
    Phi(Block, Reg),
    Use(Inst, Reg),
    Def(Inst, Reg),
    /// Where control went at the end of a block.
    Way(Block),
}

type Instance = (usize, Vec<(Loop, u32)>);

struct Lane<'a> {
    id: usize,
    test: &'a Test<'a>,
    salt: u64,
    regs: [u32; REGS],
    preds: [bool; PREDS],
    /// The generator's block and instruction that come next; `None` when the lane has ended.
    at: Option<(usize, usize)>,
    before: Block,
    trips: BTreeMap<Loop, u32>,
    instance: Instance,
    /// The whole-warp blocks passed.
    passed: Vec<Block>,
    notes: BTreeMap<(What, Instance), u64>,
    steps: usize,
    /// Whether it has left the others to end.
    gone: bool,
}

struct Test<'a> {
    program: &'a Program,
    kernel: &'a Kernel,
    all: &'a Analyses,
    divergence: Divergence,
    /// Per block of the program, its instructions, the terminator included.
    insts: Vec<Vec<Inst>>,
    blocks: Vec<Block>,
    of_those_that_stay: bool,
    /// The blocks in which a lane that ends early is gone, as far as those count that do not.
    gone: BTreeSet<Block>,
}

enum Stop {
    /// The lane contributes this to a vote and waits.
    Vote(bool),
    Ended,
    /// The lane runs too long.
    Endless,
}

impl<'a> Test<'a> {
    fn new(program: &'a Program, kernel: &'a Kernel, all: &'a Analyses, of_those_that_stay: bool) -> Test<'a> {
        let mut rest = insts(kernel).into_iter();
        let size = |end: &End| usize::from(!matches!(end, End::Fall));
        let sizes = program.blocks.iter().map(|block| block.ops.len() + size(&block.end));
        let insts = sizes.map(|size| rest.by_ref().take(size).collect()).collect();
        let block = |name: String| kernel.labels().find(|&label| kernel.label_name(label) == name);
        let blocks = (0..program.blocks.len())
            .map(|index| block(format!("B{index}")).and_then(|label| all.cfg.label_block(label)));
        let blocks = blocks.map(Option::unwrap).collect();
        let divergence =
            if of_those_that_stay { Divergence::of_those_that_stay(kernel, all) } else { all.divergence.clone() };
        let gone = BTreeSet::new();
        let mut test = Test { program, kernel, all, divergence, insts, blocks, of_those_that_stay, gone };
        if of_those_that_stay {
            let reached = all.cfg.blocks().filter(|&block| all.cfg.is_reachable(block));
            test.gone = reached.filter(|&block| test.only_ends(block)).collect();
        }
        test
    }

    /// Whether a lane in a block does nothing any more but end, without a loop or a vote.
    fn only_ends(&self, block: Block) -> bool {
        let votes = |op: &Op| matches!(op, Op::Any(..) | Op::Ballot(..));
        let mut own = self.blocks.iter().zip(&self.program.blocks).filter(|(other, _)| **other == block);
        own.all(|(_, body)| !body.ops.iter().any(|(_, op)| votes(op)))
            && !self.is_in_loop(block)
            && self.all.cfg.distinct_succs(block).into_iter().all(|next| self.only_ends(next))
    }

    fn is_in_loop(&self, block: Block) -> bool {
        self.all.loops.innermost(block).is_some() || self.all.loops.is_irreducible(block)
    }

    /// Whether lanes wait for each other at a vote.
    fn waits(&self, inst: Inst) -> bool {
        self.all.values.defs(inst).iter().all(|(_, value)| self.divergence.value_is_uniform(*value))
    }

    fn is_uniform(&self, what: What) -> bool {
        let (divergence, values) = (&self.divergence, &self.all.values);
        match what {
            What::LiveIn(block, reg) => {
                divergence.is_uniform_at(&self.all.loops, values.live_in(block, reg).unwrap(), block)
            }
            What::Phi(block, reg) => divergence.value_is_uniform(values.live_in(block, reg).unwrap()),
            What::Use(inst, reg) => divergence.use_is_uniform(values, inst, reg),
            What::Def(inst, reg) => divergence.value_is_uniform(values.def(inst, reg).unwrap()),
            What::Way(block) => !divergence.branch_is_divergent(block),
        }
    }
}

impl<'a> Lane<'a> {
    fn new(test: &'a Test<'a>, id: usize, salt: u64) -> Lane<'a> {
        let mut lane = Lane {
            id,
            test,
            salt,
            regs: [0; REGS],
            preds: [false; PREDS],
            at: None,
            before: test.all.cfg.entry(),
            trips: BTreeMap::new(),
            instance: (0, Vec::new()),
            passed: Vec::new(),
            notes: BTreeMap::new(),
            steps: 0,
            gone: false,
        };
        lane.go(0);
        lane
    }

    fn note(&mut self, what: What, value: u64) {
        self.notes.insert((what, self.instance.clone()), value);
    }

    fn value(&self, reg: Reg) -> u64 {
        let name = self.test.kernel.reg_name(reg);
        match name.strip_prefix("%p").map(|number| number.parse::<usize>().unwrap()) {
            Some(p) => u64::from(self.preds[p]),
            None => match name.strip_prefix("%rd") {
                Some(_) => 0,
                None => u64::from(self.regs[name[2..].parse::<usize>().unwrap()]),
            },
        }
    }

    fn go(&mut self, target: usize) {
        let (all, block) = (self.test.all, self.test.blocks[target]);
        for id in all.loops.around(block) {
            if all.loops.header(id) == block {
                let trips = self.trips.entry(id).or_default();
                *trips = if all.loops.contains(id, self.before) { *trips + 1 } else { 0 };
            }
        }
        if self.leaves_for_good(block) {
            (self.at, self.gone) = (None, true);
            return;
        }
        if self.test.divergence.is_whole_warp(block) {
            self.passed.push(block);
            self.trips.values_mut().for_each(|trips| *trips = 0);
        }
        let trips = all.loops.around(block).map(|id| (id, self.trips.get(&id).copied().unwrap_or(0)));
        self.instance = (self.passed.len(), trips.collect());
        self.before = block;
        self.at = Some((target, 0));
        for &reg in all.liveness.live_in(block) {
            self.note(What::LiveIn(block, reg), self.value(reg));
        }
        for &phi in all.values.phis(block) {
            let reg = all.values.reg(phi);
            self.note(What::Phi(block, reg), self.value(reg));
        }
    }

    /// Whether a lane that comes to a block has left the others to end.
    fn leaves_for_good(&self, block: Block) -> bool {
        let parts = self.test.all.cfg.distinct_succs(self.before).len() > 1 && !self.test.is_in_loop(self.before);
        parts && self.test.gone.contains(&block)
    }

    /// Runs up to the next vote at which lanes wait; `answer` is what the one before gave.
    fn run(&mut self, mut answer: Option<u32>) -> Stop {
        while let Some((block, index)) = self.at {
            self.steps += 1;
            if self.steps > STEPS {
                return Stop::Endless;
            }
            let program = self.test.program;
            let Some((guard, op)) = program.blocks[block].ops.get(index).copied() else {
                self.end(block);
                continue;
            };
            let inst = self.test.insts[block][index];
            let runs = guard.is_none_or(|(p, negated)| self.preds[p] != negated);
            let vote = match op {
                Op::Any(_, q) | Op::Ballot(_, q) if runs => Some(self.preds[q]),
                _ => None,
            };
            if let (Some(vote), None, true) = (vote, answer, self.test.waits(inst)) {
                return Stop::Vote(vote);
            }
            for reg in self.test.kernel.uses(inst) {
                self.note(What::Use(inst, reg), self.value(reg));
            }
            if runs {
                self.execute(op, answer.take());
            }
            for reg in self.test.kernel.defs(inst) {
                self.note(What::Def(inst, reg), self.value(reg));
            }
            self.at = Some((block, index + 1));
        }
        Stop::Ended
    }

    fn execute(&mut self, op: Op, answer: Option<u32>) {
        // What nobody knows: any value, another one for each lane and step.
        let unknown = mix(self.salt ^ ((self.id as u64) << 32) ^ self.steps as u64) as u32 % 8;
        let regs = &mut self.regs;
        match op {
            Op::Constant(d, n) => regs[d] = n,
            Op::Tid(d) => regs[d] = self.id as u32,
            Op::Ctaid(d) => regs[d] = 2,
            Op::Param(d) => regs[d] = 5,
            Op::Load(d) => regs[d] = unknown,
            Op::Add(d, a, n) => regs[d] = regs[a].wrapping_add(n),
            Op::Sum(d, a, b) => regs[d] = regs[a].wrapping_add(regs[b]),
            Op::And(d, a, n) => regs[d] = regs[a] & n,
            Op::Select(d, a, b, p) => regs[d] = if self.preds[p] { regs[a] } else { regs[b] },
            Op::Less(p, a, n) => self.preds[p] = regs[a] < n,
            Op::Equal(p, a, b) => self.preds[p] = regs[a] == regs[b],
            Op::Any(p, _) => self.preds[p] = answer.unwrap_or(unknown & 1) != 0,
            Op::Ballot(d, _) => regs[d] = answer.unwrap_or(unknown),
        }
    }

    fn end(&mut self, block: usize) {
        let program = self.test.program;
        if matches!(program.blocks[block].end, End::Fall) && self.test.blocks[block] == self.test.blocks[block + 1] {
            // Two labels in a row: to the analysis, this is one block, which the lane is already in.
            self.at = Some((block + 1, 0));
            return;
        }
        if let Some(&inst) = self.test.insts[block].get(program.blocks[block].ops.len()) {
            for reg in self.test.kernel.uses(inst) {
                self.note(What::Use(inst, reg), self.value(reg));
            }
        }
        let target = match &program.blocks[block].end {
            End::Fall => Some(block + 1),
            End::Jump(target) => Some(*target),
            End::Branch(p, negated, target) => Some(if self.preds[*p] != *negated { *target } else { block + 1 }),
            End::Table(r, targets) => Some(targets[self.regs[*r] as usize % targets.len()]),
            End::Return => None,
            End::ReturnIf(p, negated) => (self.preds[*p] == *negated).then_some(block + 1),
        };
        let way = target.map_or(u64::MAX, |target| u64::from(self.test.blocks[target].as_u32()));
        self.note(What::Way(self.before), way);
        match target {
            Some(target) => self.go(target),
            None => {
                let may_stay = matches!(program.blocks[block].end, End::ReturnIf(..));
                self.gone |= may_stay && self.test.of_those_that_stay && !self.test.is_in_loop(self.before);
                self.at = None;
            }
        }
    }
}

/// Runs all lanes; `None` if one of them does not end.
fn run<'a>(test: &'a Test<'a>, salt: u64) -> Option<Vec<Lane<'a>>> {
    let mut lanes: Vec<Lane<'_>> = (0..LANES).map(|id| Lane::new(test, id, salt)).collect();
    let mut answer = None;
    loop {
        let stops: Vec<Stop> = lanes.iter_mut().map(|lane| lane.run(answer)).collect();
        if stops.iter().any(|stop| matches!(stop, Stop::Endless)) {
            return None;
        }
        if stops.iter().all(|stop| matches!(stop, Stop::Ended)) {
            return Some(lanes);
        }
        let places: Vec<_> = lanes.iter().filter(|lane| !lane.gone).map(|lane| lane.at).collect();
        assert!(places.iter().all(|place| *place == places[0]), "lanes wait at different votes: {places:?}");
        let ballot = stops.iter().enumerate().map(|(id, stop)| u32::from(matches!(stop, Stop::Vote(true))) << id);
        answer = Some(ballot.sum());
    }
}

/// What was seen over many programs, so that a test that compares nothing fails.
#[derive(Default)]
struct Seen {
    ended: usize,
    /// Notes compared that the analysis calls uniform, in programs with a divergent branch.
    compared: usize,
    /// Promises of uniformity behind which some lane executed a divergent block alone.
    apart: usize,
    /// Runs in which some lanes have ended early and others have not.
    gone: usize,
}

fn check(seed: u64, of_those_that_stay: bool, seen: &mut Seen) {
    let mut program = Program::random(&mut Random::new(seed));
    if of_those_that_stay {
        // Some lanes end behind the first block, which is in a loop in some programs.
        program.blocks[0].ops.extend([(None, Op::Tid(0)), (None, Op::Less(0, 0, 2))]);
        program.blocks[0].end = End::ReturnIf(0, seed.is_multiple_of(2));
    }
    let module = program.module();
    let kernel = &module.kernels()[0];
    let all = Analyses::of(kernel);
    let text = || format!("seed {seed}\n{}", program.text());
    let test = Test::new(&program, kernel, &all, of_those_that_stay);
    let divergent = all.cfg.blocks().any(|block| test.divergence.branch_is_divergent(block));
    for salt in 0..3 {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&test, salt)));
        let Some(mut lanes) = outcome.unwrap_or_else(|_| panic!("the lanes could not run\n{}", text())) else {
            continue;
        };
        seen.ended += 1;
        lanes.retain(|lane| !lane.gone);
        seen.gone += usize::from((1..LANES).contains(&lanes.len()));
        for lane in lanes.iter().skip(1) {
            assert_eq!(lane.passed, lanes[0].passed, "whole-warp blocks\n{}", text());
        }
        let mut agreed: BTreeMap<&(What, Instance), u64> = BTreeMap::new();
        for lane in &lanes {
            for (key, &value) in lane.notes.iter().filter(|(key, _)| test.is_uniform(key.0)) {
                let other = *agreed.entry(key).or_insert(value);
                assert_eq!(other, value, "{key:?} in lane {}\n{}", lane.id, text());
                seen.compared += usize::from(divergent);
            }
        }
        seen.apart += agreed.keys().filter(|key| lanes.iter().any(|lane| !lane.notes.contains_key(key))).count();
    }
}

#[test]
fn lanes_agree_on_what_is_called_uniform() {
    // More programs on request: `PXRW_DIVERGENCE_PROGRAMS=100000 cargo test -p pxrw-analysis -- divergence`.
    let wanted = std::env::var("PXRW_DIVERGENCE_PROGRAMS").ok().and_then(|count| count.parse().ok());
    let programs: u64 = wanted.unwrap_or(2000);
    let mut seen = Seen::default();
    (0..programs).for_each(|seed| check(seed, false, &mut seen));
    // There are about 2.5 runs, 15 comparisons and 0.5 facts about lanes that are apart per program; two thirds of
    // that must be there.
    let Seen { ended, compared, apart, .. } = seen;
    let (ended, compared, apart) = (ended as u64, compared as u64, apart as u64);
    println!(
        "{programs} programs: {ended} runs ended, {compared} uniform facts compared, {apart} of them with lanes apart"
    );
    assert!(ended > programs && compared > 10 * programs && 3 * apart > programs, "{ended} {compared} {apart}");
}

#[test]
fn lanes_that_stay_agree_when_others_have_ended() {
    const PROGRAMS: u64 = 2000;
    let mut seen = Seen::default();
    (0..PROGRAMS).for_each(|seed| check(seed, true, &mut seen));
    let (compared, gone) = (seen.compared as u64, seen.gone as u64);
    println!("{PROGRAMS} programs: {compared} uniform facts compared, {gone} runs in which some lanes ended early");
    assert!(compared > 10 * PROGRAMS && 20 * gone > PROGRAMS, "{compared} {gone}");
}
