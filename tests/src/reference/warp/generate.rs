//! Random kernels whose lanes part, and that do things together all the same.
//!
//! Masks drawn blindly would hardly ever be right. So the generator keeps in mind which lanes come to a place: a set that it knows, or one that a register
//! holds because lanes have voted on where they go. Some kernels are wild, and name others now and then.

use super::kernel::{
    Cond, DATA, DATA_VARS, Expr, FREE, Fold, HASH, Kernel, LANE, Mode, Op, Step, THREAD, Value, Var, Vote, Warp,
};
use super::model::source;
use crate::generate::Random;

/// The lanes that come to a place.
#[derive(Clone, Copy, Debug)]
enum Scope {
    /// These, but for those that have ended.
    Known(u32),
    /// Those in the mask that a register of each of them holds.
    In(Var),
    Unknown,
}

struct Generator {
    random: Random,
    kernel: Kernel,
    /// Lanes that have ended for certain.
    gone: u32,
    wild: bool,
    /// Lanes also meet in functions.
    functions: bool,
    /// Statements that may still be written.
    left: u32,
}

impl Kernel {
    /// The kernel of a seed.
    #[must_use]
    pub fn of(seed: u64) -> Kernel {
        let mut random = Random::new(seed);
        let threads = *random.pick(&[1, 7, 31, 32, 33, 48, 64, 64]);
        let kernel = Kernel { steps: Vec::new(), threads, vars: FREE, slots: 0 };
        let (wild, left) = (random.chance(25), 3 + random.below(6));
        let mut generator = Generator { random, kernel, gone: 0, wild, functions: seed % 4 == 1, left };
        generator.begin();
        while generator.left > 0 {
            generator.statement(Scope::Known(u32::MAX), 0);
        }
        generator.push(Step::End);
        generator.kernel
    }
}

impl Generator {
    fn below(&mut self, bound: u32) -> u32 {
        self.random.below(bound)
    }

    fn word(&mut self) -> u32 {
        self.random.next() as u32
    }

    fn push(&mut self, step: Step) -> usize {
        self.kernel.steps.push(step);
        self.kernel.steps.len() - 1
    }

    fn set(&mut self, var: Var, expr: Expr) {
        self.push(Step::Set(var, expr));
    }

    fn fresh(&mut self) -> Var {
        self.kernel.vars += 1;
        self.kernel.vars - 1
    }

    fn compute(&mut self, expr: Expr) -> Var {
        let var = self.fresh();
        self.set(var, expr);
        var
    }

    fn data(&mut self) -> Var {
        DATA + self.below(DATA_VARS as u32) as usize
    }

    fn begin(&mut self) {
        for var in DATA..FREE {
            let factor = if self.below(4) == 0 { self.below(3) } else { self.word() };
            let term = self.word();
            self.set(var, Expr::Affine(THREAD, factor, term));
            let high = self.compute(Expr::Shr(var, 11));
            self.set(var, Expr::Xor(var, high));
            if self.below(3) == 0 {
                self.set(var, Expr::And(var, Value::Const(3)));
            }
        }
        self.set(HASH, Expr::Value(Value::Var(THREAD)));
    }

    /// A condition that differs from lane to lane.
    fn condition(&mut self) -> Cond {
        match self.below(5) {
            0..3 => Cond::Lanes(self.lanes()),
            3 => Cond::Bit(self.data(), self.random.below(3)),
            _ => Cond::Less(self.data(), Value::Const(self.random.next() as u32)),
        }
    }

    fn lanes(&mut self) -> u32 {
        match self.below(4) {
            0 => (1 << self.below(32)) - 1,
            1 => *self.random.pick(&[0x5555_5555, 0x0f0f_0f0f, 0x0000_ffff, 1, 0x8000_0000, 0xff]),
            _ => self.word(),
        }
    }

    /// A mask for an operation of the lanes that come to a place.
    fn members(&mut self, scope: Scope) -> Value {
        if self.wild && self.random.chance(20) {
            return match (self.below(4), scope) {
                (0, _) => Value::Const(0),
                (1, _) => Value::Const(self.word()),
                (2, Scope::In(var)) => {
                    let only = self.word() | self.word();
                    Value::Var(self.compute(Expr::And(var, Value::Const(only))))
                }
                (2, Scope::Known(lanes)) => Value::Const(lanes ^ 1 << self.below(32)),
                _ => Value::Var(self.data()),
            };
        }
        match scope {
            Scope::Known(lanes) => {
                // Lanes that have ended may be named or not.
                let but = if self.below(2) == 0 { self.gone & self.word() } else { 0 };
                let lanes = Value::Const(lanes & !but);
                if self.below(3) == 0 { Value::Var(self.compute(Expr::Value(lanes))) } else { lanes }
            }
            Scope::In(var) => Value::Var(var),
            Scope::Unknown => Value::Var(self.compute(Expr::Own)),
        }
    }

    /// The lanes of each warp that execute what is at a place.
    fn present(&self, lanes: u32) -> Vec<u32> {
        (0..self.kernel.warps()).map(|warp| lanes & self.kernel.lanes(warp) & !self.gone).collect()
    }

    /// A shuffle; in most cases one that reads from lanes that take part.
    fn shuffle(&mut self, scope: Scope, members: Value) -> Op {
        let a = self.data();
        let any = self.random.chance(if self.wild { 20 } else { 2 });
        for _ in 0..12 {
            let mode = *self.random.pick(&[Mode::Up, Mode::Down, Mode::Bfly, Mode::Idx]);
            let b = match self.below(8) {
                0 => self.word(),
                1..4 => 1 << self.below(5),
                _ => self.below(33),
            };
            let any_segment = self.below(32);
            let segment = *self.random.pick(&[0, 0, 16, 24, 28, 30, 31, any_segment]);
            let clamp = match self.below(6) {
                0 => self.below(32),
                _ if mode == Mode::Up => 0,
                _ => 31,
            };
            let c = segment << 8 | clamp | self.below(2) << 20;
            let Scope::Known(lanes) = scope else { break };
            let reads = |from: u32, present: u32| present >> from & 1 == 1;
            let safe = |lane: u32, b: u32, present: u32| reads(source(mode, lane, b, c).0, present);
            let fits = self
                .present(lanes)
                .into_iter()
                .all(|present| (0..32).filter(|lane| present >> lane & 1 == 1).all(|lane| safe(lane, b, present)));
            if any || fits {
                return Op::Shuffle { mode, a, b: Value::Const(b), c: Value::Const(c) };
            }
            let whole = self.present(lanes).into_iter().all(|present| present == u32::MAX);
            if whole && self.below(2) == 0 {
                let c = if self.below(4) == 0 { Value::Var(self.data()) } else { Value::Const(c) };
                return Op::Shuffle { mode, a, b: Value::Var(self.data()), c };
            }
        }
        let first = match members {
            Value::Const(lanes) => Value::Const(lanes.trailing_zeros()),
            Value::Var(var) => Value::Var(self.compute(Expr::First(var))),
        };
        let c = Value::Const(31);
        match self.below(4) {
            0 => Op::Shuffle { mode: Mode::Idx, a, b: Value::Var(LANE), c },
            1 => Op::Shuffle { mode: Mode::Down, a, b: Value::Const(32), c },
            _ => Op::Shuffle { mode: Mode::Idx, a, b: first, c },
        }
    }

    /// An operation that gives lanes a word.
    fn operation(&mut self, scope: Scope, members: Value) -> (Op, bool) {
        let a = self.data();
        match self.below(10) {
            0..4 => (self.shuffle(scope, members), self.random.below(2) == 0),
            4 => {
                let (of, negated) = (self.condition(), self.random.below(3) == 0);
                (Op::Vote { vote: *self.random.pick(&[Vote::All, Vote::Any, Vote::Uni]), of, negated }, false)
            }
            5 => (Op::Ballot { of: self.condition(), negated: self.random.below(3) == 0 }, false),
            6 | 7 => {
                let all = self.below(2) == 0;
                let upper = (self.below(2) == 0).then(|| self.data());
                // Values that are seldom the same say little.
                let mask = *self.random.pick(&[0, 1, 3, 7]);
                let a = self.compute(Expr::And(a, Value::Const(mask)));
                let upper = upper.map(|upper| self.compute(Expr::And(upper, Value::Const(mask >> 1))));
                (Op::Match { all, a, upper }, all && self.random.below(2) == 0)
            }
            _ => {
                let folds = [Fold::Add, Fold::MinU, Fold::MaxU, Fold::MinS, Fold::MaxS, Fold::And, Fold::Or, Fold::Xor];
                (Op::Fold(*self.random.pick(&folds), a), false)
            }
        }
    }

    /// Writes an operation, and folds what it gives into the hash.
    fn act(&mut self, scope: Scope) {
        let members = self.members(scope);
        self.act_with(scope, members);
    }

    fn act_with(&mut self, scope: Scope, members: Value) -> Var {
        let (op, predicate) = self.operation(scope, members);
        let d = self.fresh();
        let p = predicate.then(|| self.fresh());
        self.push(Step::Warp(Warp { op, members, d, p, guard: None, function: None }));
        self.keep(d, p);
        d
    }

    fn keep(&mut self, d: Var, p: Option<Var>) {
        self.set(HASH, Expr::Mix(HASH, d));
        if let Some(p) = p {
            self.set(HASH, Expr::Mix(HASH, p));
        }
        if self.below(3) == 0 {
            let data = self.data();
            self.set(data, Expr::Xor(data, d));
        }
    }

    fn statement(&mut self, scope: Scope, depth: u32) {
        self.left = self.left.saturating_sub(1);
        match self.below(if depth >= 3 {
            12
        } else if self.functions {
            28
        } else {
            24
        }) {
            0 => {
                let (data, other) = (self.data(), self.data());
                self.set(data, Expr::Xor(data, other));
                let (factor, term) = (self.word() | 1, self.word());
                self.set(data, Expr::Affine(data, factor, term));
            }
            1 => self.exchange(scope),
            2 => self.elect(scope),
            3 => self.active(scope),
            4 => self.classes(scope),
            5 => self.guarded(scope),
            6..12 => self.act(scope),
            12..17 => self.part(scope, depth),
            17..19 => self.exit(scope),
            19 | 20 => self.repeat(scope, depth),
            21 => self.shrinking(scope, depth),
            22 => self.staggered(scope),
            23 => self.meet_at_two(scope),
            _ => self.meet_in_a_function(scope),
        }
    }

    /// A few statements of a part.
    fn body(&mut self, scope: Scope, depth: u32) {
        for _ in 0..1 + self.below(2) {
            self.statement(scope, depth);
        }
    }

    fn ballot(&mut self, of: Cond, members: Value) -> Var {
        let d = self.fresh();
        self.push(Step::Warp(Warp {
            op: Op::Ballot { of, negated: false },
            members,
            d,
            p: None,
            guard: None,
            function: None,
        }));
        d
    }

    /// The lanes for which a condition holds, and the others.
    fn parts(&mut self, scope: Scope, of: Cond) -> (Scope, Scope) {
        match (scope, of) {
            (Scope::Known(lanes), Cond::Lanes(those)) => (Scope::Known(lanes & those), Scope::Known(lanes & !those)),
            (Scope::In(var), Cond::Lanes(those)) => {
                let with = self.compute(Expr::And(var, Value::Const(those)));
                let without = self.compute(Expr::And(var, Value::Const(!those)));
                (Scope::In(with), Scope::In(without))
            }
            (Scope::Known(_) | Scope::In(_), _) if !self.random.chance(15) => {
                let members = self.members(scope);
                let with = self.ballot(of, members);
                let without = self.compute(Expr::AndNot(members, with));
                (Scope::In(with), Scope::In(without))
            }
            _ => (Scope::Unknown, Scope::Unknown),
        }
    }

    fn part(&mut self, scope: Scope, depth: u32) {
        let of = self.condition();
        let (with, without) = self.parts(scope, of);
        let unless = self.push(Step::Unless(of, 0));
        self.body(with, depth + 1);
        if self.below(2) == 0 {
            let over = self.push(Step::Jump(0));
            self.aim(unless);
            self.body(without, depth + 1);
            self.aim(over);
        } else {
            self.aim(unless);
        }
    }

    /// Leads a jump to what comes next.
    fn aim(&mut self, jump: usize) {
        let here = self.kernel.steps.len();
        match &mut self.kernel.steps[jump] {
            Step::Unless(_, to) | Step::Jump(to) => *to = here,
            _ => {}
        }
    }

    fn exit(&mut self, scope: Scope) {
        let of = match self.below(4) {
            0 => self.condition(),
            _ => Cond::Lanes(self.lanes() & self.random.next() as u32),
        };
        if let (Scope::Known(lanes), Cond::Lanes(those)) = (scope, of) {
            self.gone |= lanes & those;
        }
        let unless = self.push(Step::Unless(of, 0));
        self.push(Step::End);
        self.aim(unless);
    }

    fn guarded(&mut self, scope: Scope) {
        let of = self.condition();
        let (with, _) = self.parts(scope, of);
        let members = self.members(with);
        let (op, predicate) = self.operation(with, members);
        let d = self.fresh();
        let p = predicate.then(|| self.fresh());
        self.push(Step::Warp(Warp { op, members, d, p, guard: Some(of), function: None }));
        self.keep(d, p);
    }

    /// A loop that all go round equally often, or each as often as its data says, which nobody knows then.
    fn repeat(&mut self, scope: Scope, depth: u32) {
        let i = self.compute(Expr::Value(Value::Const(0)));
        let equally = self.below(2) == 0;
        let count = if equally {
            Value::Const(1 + self.below(3))
        } else {
            let data = self.data();
            Value::Var(self.compute(Expr::And(data, Value::Const(3))))
        };
        let top = self.push(Step::Unless(Cond::Less(i, count), 0));
        self.body(if equally { scope } else { Scope::Unknown }, depth + 1);
        self.set(i, Expr::Affine(i, 1, 1));
        self.push(Step::Jump(top));
        self.aim(top);
    }

    /// A loop in which lanes vote on who goes on.
    fn shrinking(&mut self, scope: Scope, depth: u32) {
        if matches!(scope, Scope::Unknown) {
            return self.act(scope);
        }
        let (i, data) = (self.compute(Expr::Value(Value::Const(0))), self.data());
        let count = self.compute(Expr::And(data, Value::Const(3)));
        let members = self.members(scope);
        let mask = self.compute(Expr::Value(members));
        let goes = Cond::Less(i, Value::Var(count));
        let top = self.kernel.steps.len();
        let voted = self.ballot(goes, Value::Var(mask));
        self.set(mask, Expr::Value(Value::Var(voted)));
        let out = self.push(Step::Unless(goes, 0));
        self.body(Scope::In(mask), depth + 1);
        self.set(i, Expr::Affine(i, 1, 1));
        self.push(Step::Jump(top));
        self.aim(out);
    }

    /// Every lane comes to one operation, each in another round of a loop.
    fn staggered(&mut self, scope: Scope) {
        let (i, data) = (self.compute(Expr::Value(Value::Const(0))), self.data());
        let turn = self.compute(Expr::And(data, Value::Const(3)));
        let top = self.push(Step::Unless(Cond::Less(i, Value::Const(4)), 0));
        let not_yet = self.push(Step::Unless(Cond::Same(i, turn), 0));
        self.act(scope);
        self.aim(not_yet);
        self.set(i, Expr::Affine(i, 1, 1));
        self.push(Step::Jump(top));
        self.aim(top);
    }

    /// Two sides of a branch with an operation each for all: lanes meet only if that is a barrier.
    fn meet_at_two(&mut self, scope: Scope) {
        let of = self.condition();
        let members = self.members(scope);
        let barrier = Op::Barrier { closes: false };
        let other = if self.wild && self.below(3) == 0 { self.operation(scope, members).0 } else { barrier };
        let d = self.fresh();
        let unless = self.push(Step::Unless(of, 0));
        self.push(Step::Warp(Warp { op: other, members, d, p: None, guard: None, function: None }));
        let over = self.push(Step::Jump(0));
        self.aim(unless);
        self.push(Step::Warp(Warp { op: other, members, d, p: None, guard: None, function: None }));
        self.aim(over);
    }

    /// Two sides of a branch that call the same function, which has an operation for all. Some sides change the operands before.
    fn meet_in_a_function(&mut self, scope: Scope) {
        let of = self.condition();
        let members = self.members(scope);
        let (op, predicate) = self.operation(scope, members);
        let (d, p) = (self.fresh(), predicate.then(|| self.fresh()));
        let function = Some(self.kernel.steps.len());
        let warp = Step::Warp(Warp { op, members, d, p, guard: None, function });
        let unless = self.push(Step::Unless(of, 0));
        if self.below(2) == 0 {
            let data = self.data();
            self.set(data, Expr::Xor(data, THREAD));
        }
        self.push(warp);
        let over = self.push(Step::Jump(0));
        self.aim(unless);
        self.push(warp);
        self.aim(over);
        self.keep(d, p);
    }

    /// Lanes of one value go on in a mask of their own.
    fn classes(&mut self, scope: Scope) {
        let members = self.members(scope);
        let data = self.data();
        let kinds = *self.random.pick(&[1, 2, 3, 7]);
        let a = self.compute(Expr::And(data, Value::Const(kinds)));
        let mask = self.fresh();
        let op = Op::Match { all: false, a, upper: None };
        self.push(Step::Warp(Warp { op, members, d: mask, p: None, guard: None, function: None }));
        self.keep(mask, None);
        for _ in 0..1 + self.below(2) {
            self.act(Scope::In(mask));
        }
    }

    /// Only what holds whoever leads is kept: all agree on one of them, and it knows.
    fn elect(&mut self, scope: Scope) {
        let members = self.members(scope);
        let (d, p) = (self.fresh(), self.fresh());
        self.push(Step::Warp(Warp { op: Op::Elect, members, d, p: Some(p), guard: None, function: None }));
        let mask = self.compute(Expr::Value(members));
        let named = self.compute(Expr::BitAt(mask, d));
        let leads = self.compute(Expr::Same(d, LANE));
        self.set(leads, Expr::Xor(leads, p));
        self.keep(named, Some(leads));
        let (agreed, all) = (self.fresh(), self.fresh());
        let op = Op::Match { all: true, a: d, upper: None };
        self.push(Step::Warp(Warp { op, members, d: agreed, p: Some(all), guard: None, function: None }));
        self.keep(agreed, Some(all));
    }

    /// `activemask` has the lane itself, and none that cannot be here.
    fn active(&mut self, scope: Scope) {
        let d = self.fresh();
        self.push(Step::Active(d));
        let itself = self.compute(Expr::BitAt(d, LANE));
        let others = match scope {
            Scope::Known(lanes) => self.compute(Expr::And(d, Value::Const(!lanes))),
            Scope::In(var) => {
                let others = self.compute(Expr::Xor(d, var));
                self.compute(Expr::AndNot(Value::Var(others), var))
            }
            Scope::Unknown => itself,
        };
        self.set(HASH, Expr::Mix(HASH, itself));
        self.set(HASH, Expr::Mix(HASH, others));
    }

    /// A word through shared memory, between two `bar.warp.sync`.
    fn exchange(&mut self, scope: Scope) {
        let members = self.members(scope);
        let slot = self.kernel.slots;
        self.kernel.slots += 1;
        let from = match (scope, members) {
            (Scope::Known(lanes), _) if self.present(lanes).iter().all(|&present| present == u32::MAX) => {
                let other = self.word();
                self.compute(Expr::Affine(LANE, 1, other))
            }
            (_, Value::Var(var)) => self.compute(Expr::First(var)),
            (_, Value::Const(lanes)) => {
                let present = lanes & !self.gone;
                self.compute(Expr::Value(Value::Const(present.trailing_zeros())))
            }
        };
        let (data, d) = (self.data(), self.fresh());
        let barrier = |closes: bool| {
            Step::Warp(Warp { op: Op::Barrier { closes }, members, d, p: None, guard: None, function: None })
        };
        self.push(Step::Put(slot, data));
        self.push(barrier(false));
        let got = self.fresh();
        self.push(Step::Get(got, slot, from));
        self.push(barrier(true));
        self.keep(got, None);
    }
}
