//! Statements that are only control flow: branches and loops, also such as no nesting of `if`s and loops is.

use super::context::{Condition, Context, Form, Held};
use super::kernel_builder::{INSTANCES, Kernel};
use crate::generate::emit::Class;

/// The iterations that threads execute of a loop, and the ways in and out of it.
struct Trip {
    /// The iterations are these and a number that differs between threads; at most so many.
    base: u32,
    trips: Form,
    most: u32,
    /// The condition under which a thread enters it in its middle.
    enters: Option<Condition>,
    /// The condition under which a thread leaves it there.
    leaves: Option<Condition>,
}

impl Trip {
    /// All threads do the same.
    fn uniform(&self) -> bool {
        self.most == self.base && self.enters.is_none() && self.leaves.is_none()
    }

    /// Says who comes to the first and to the second half of the loop, per instance, and who has left it in its middle.
    fn fill(&self, input: &[u32], place: &Context, [first, second, gone]: [&mut Context; 3]) {
        for (outer, who) in place.who.iter().enumerate() {
            let outer = outer as u32;
            let (mut alive, mut broke) = (who.clone(), Vec::new());
            for inner in 0..self.most {
                let instance = outer * self.most + inner;
                alive.retain(|&thread| self.trips.of(input, thread, outer) + self.base > inner);
                let skips = |thread| inner == 0 && self.enters.is_some_and(|at| at.of(input, thread, outer));
                first.who.push(alive.iter().copied().filter(|&thread| !skips(thread)).collect());
                let leaves = |thread| self.leaves.is_some_and(|at| at.of(input, thread, instance));
                let (leaving, staying): (Vec<u32>, _) = alive.iter().partition(|&&thread| leaves(thread));
                broke.extend(leaving);
                alive = staying;
                second.who.push(alive.clone());
            }
            broke.sort_unstable();
            gone.who.push(broke);
        }
    }
}

impl Kernel<'_> {
    /// `if`, with or without `else`; either side may be the one that is jumped to.
    pub(super) fn branch(&mut self, place: &Context) {
        let uniform = self.code.random.chance(15);
        let condition = if uniform { Condition::uniform(self.code.random) } else { Condition::draw(self.code.random) };
        self.kind(if uniform { "uniform if" } else { "divergent if" });
        let holds = condition.emit(&mut self.code, self.thread, place.instance, self.input);
        let input = self.input_words.clone();
        let mut then = place.inside(|thread, instance| condition.of(&input, thread, instance));
        let mut other = place.inside(|thread, instance| !condition.of(&input, thread, instance));
        (then.uniform, other.uniform) = (place.uniform && uniform, place.uniform && uniform);
        // Where nothing is held, one side often waits for the other.
        let crossed = place.held == Held::Nothing && self.code.random.chance(30);
        let then = self.captured(|kernel| {
            kernel.nested(&then);
            if crossed {
                kernel.signal(&then);
            }
        });
        let other = self.captured(|kernel| {
            if crossed {
                kernel.kind("wait for the other side");
                kernel.wait_for_last(&other);
            }
            kernel.nested(&other);
        });
        let (jumped, join) = (self.code.label(), self.code.label());
        let swapped = self.code.random.chance(50);
        let (near, far, not) = if swapped { (then, other, "!") } else { (other, then, "") };
        self.code.line(format!("@{not}{holds} bra {jumped};"));
        self.code.text.push_str(&near);
        self.code.line(format!("bra {join};"));
        self.code.place(&jumped);
        self.code.text.push_str(&far);
        self.code.place(&join);
    }

    /// `if (a) { X; if (b) goto IN; goto OUT; } Y; if (c) goto OUT; IN: Z; OUT:`, which no nesting of `if`s is.
    pub(super) fn shortcut(&mut self, place: &Context) {
        self.kind("unstructured if");
        let [entry, into, out] = [(); 3].map(|()| self.code.label());
        let [(a, is_a), (b, is_b), (c, is_c)] = [(); 3].map(|()| self.condition(place));
        let input = self.input_words.clone();
        let held = |condition: Condition, thread, instance| condition.of(&input, thread, instance);
        let x = place.inside(|t, i| held(a, t, i));
        let y = place.inside(|t, i| !held(a, t, i));
        let z = place.inside(|t, i| if held(a, t, i) { held(b, t, i) } else { !held(c, t, i) });
        self.code.line(format!("@!{is_a} bra {entry};"));
        self.nested(&x);
        self.code.line(format!("@{is_b} bra {into};"));
        self.code.line(format!("bra {out};"));
        self.code.place(&entry);
        self.nested(&y);
        self.code.line(format!("@{is_c} bra {out};"));
        self.code.place(&into);
        self.nested(&z);
        self.code.place(&out);
    }

    /// Four cases and a table of their labels; one of them falls into the next.
    pub(super) fn switch(&mut self, place: &Context) {
        self.kind("switch");
        let form = Form::draw(self.code.random, 3);
        let number = form.emit(&mut self.code, self.thread, place.instance, self.input);
        let [table, out] = [(); 2].map(|()| self.code.label());
        let labels = [(); 4].map(|()| self.code.label());
        let falls = self.code.random.below(3);
        self.code.line(format!("{table}: .branchtargets {};", labels.join(", ")));
        self.code.line(format!("brx.idx {number}, {table};"));
        let input = self.input_words.clone();
        for (case, label) in (0..).zip(&labels) {
            let comes = |number: u32| number == case || (case == falls + 1 && number == falls);
            self.code.place(label);
            self.nested(&place.inside(|thread, instance| comes(form.of(&input, thread, instance))));
            if case != falls && case < 3 {
                self.code.line(format!("bra {out};"));
            }
        }
        self.code.place(&out);
    }

    /// A loop of statements: the number of iterations may differ between threads, threads may enter it in its middle
    /// and leave it there, to a place of their own.
    pub(super) fn work_loop(&mut self, place: &Context) {
        let trip = self.trip(place);
        let Trip { base, most, .. } = trip;
        let enters = trip.enters.map(|at| at.emit(&mut self.code, self.thread, place.instance, self.input));
        let number = trip.trips.emit(&mut self.code, self.thread, place.instance, self.input);
        let [count, i, instance] = [(); 3].map(|()| self.code.reg(Class::Word));
        let [head, middle, left, out] = [(); 4].map(|()| self.code.label());
        self.code.line(format!("add.u32 {count}, {number}, {base};"));
        self.code.line(format!("mov.u32 {i}, 0;"));
        self.code.line(format!("mul.lo.u32 {instance}, {}, {most};", place.instance));
        self.loops += 1;
        let mut first = Context { instance, depth: place.depth + 1, who: Vec::new(), ..place.clone() };
        first.loops.push(self.loops);
        first.uniform &= trip.uniform();
        let mut second = first.clone();
        let mut gone = Context { uniform: false, depth: place.depth + 1, who: Vec::new(), ..place.clone() };
        trip.fill(&self.input_words, place, [&mut first, &mut second, &mut gone]);
        if let Some(enters) = enters {
            self.code.line(format!("@{enters} bra {middle};"));
        }
        self.code.place(&head);
        self.nested(&first);
        self.code.place(&middle);
        if let Some(leaves) = trip.leaves {
            let leaves = leaves.emit(&mut self.code, self.thread, instance, self.input);
            self.code.line(format!("@{leaves} bra {left};"));
        }
        self.nested(&second);
        let again = self.code.reg(Class::Pred);
        self.code.line(format!("add.u32 {i}, {i}, 1;"));
        self.code.line(format!("add.u32 {instance}, {instance}, 1;"));
        self.code.line(format!("setp.lt.u32 {again}, {i}, {count};"));
        self.code.line(format!("@{again} bra {head};"));
        if trip.leaves.is_some() {
            self.code.line(format!("bra {out};"));
            self.code.place(&left);
            self.nested(&gone);
        }
        self.code.place(&out);
    }

    /// Returns how often threads go through a loop, drawn.
    fn trip(&mut self, place: &Context) -> Trip {
        let base = 1 + self.code.random.below(2);
        let uniform = self.code.random.chance(35);
        let mask = match (INSTANCES / place.instances()).saturating_sub(base) {
            _ if uniform => 0,
            0 => 0,
            1 | 2 => 1,
            _ => 3,
        };
        let trips = Form::draw(self.code.random, mask);
        let enters = (!uniform && self.code.random.chance(25)).then(|| Condition::draw(self.code.random));
        let leaves = (!uniform && self.code.random.chance(40)).then(|| Condition::draw(self.code.random));
        self.kind(match (uniform, enters.is_some(), leaves.is_some()) {
            (true, ..) => "uniform loop",
            (_, true, _) => "loop entered in two places",
            (_, _, true) => "loop with two exits",
            _ => "divergent loop",
        });
        Trip { base, trips, most: base + mask, enters, leaves }
    }

    /// Some threads end here, so that no barrier may follow.
    pub(super) fn early_return(&mut self, place: &mut Context, results: u32) {
        self.kind("early return");
        let (condition, holds) = self.condition(place);
        let stays = |thread: u32| !condition.of(&self.input_words, thread, 0);
        place.who[0].retain(|&thread| stays(thread));
        place.uniform = false;
        if self.code.random.chance(50) {
            let exit = self.exit.clone();
            return self.code.line(format!("@{holds} bra {exit};"));
        }
        let on = self.code.label();
        self.code.line(format!("@!{holds} bra {on};"));
        self.result(results);
        self.code.place(&on);
    }
}
