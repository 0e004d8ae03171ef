//! The signals between threads: flags, chains of flags, counters, turns; and the waits for them.

use super::context::{Context, Held};
use super::kernel_builder::Kernel;
use super::memory::Word;
use super::spin::Attempt;
use crate::generate::emit::{Class, Reg};

/// Something that threads did at a place, for which others may wait later.
#[derive(Clone, Debug)]
pub(super) struct Signal {
    shared: bool,
    /// The first word; one per instance, or for flags one per instance and thread (of the block, if in shared memory).
    first: u32,
    /// The words that are sent along with flags, one per instance and thread of the grid; none with counters.
    payload: Option<u32>,
    loops: Vec<u32>,
    /// The threads that signal, per instance.
    who: Vec<Vec<u32>>,
}

impl Kernel<'_> {
    /// Writes code in a loop that waits, or behind it.
    pub(super) fn when(&mut self, attempt: &Attempt, place: &Context, mut then: impl FnMut(&mut Self)) {
        if self.careful || self.code.random.chance(40) {
            self.within(attempt, then);
        } else {
            self.until(attempt, place);
            then(self);
        }
    }

    /// Threads come one after the other, in an order that is known.
    pub(super) fn turn(&mut self, place: &Context) {
        self.kind("turn");
        let shared = self.code.random.chance(40);
        let count = place.instances();
        let word = self.words(shared, count);
        let data = self.data_words(count * if shared { self.grid } else { 1 });
        let reversed = self.code.random.chance(50);
        let block = self.block;
        let rank = self.table(place, |_, _, who, thread| {
            let fellow = |other: &u32| !shared || other / block == thread / block;
            let before = |&other: &u32| if reversed { other > thread } else { other < thread };
            [who.iter().copied().filter(fellow).filter(before).count() as u32, 0, 0, 0]
        })[0];
        let instance = self.copy(place.instance);
        let word = self.word(shared, word, instance);
        let protected = self.protected(shared, data, count, instance);
        let inside = Context { held: Held::OfPlace, uniform: false, depth: place.depth + 1, ..place.clone() };
        self.when(&Attempt::Equal(word.clone(), rank), place, |kernel| {
            kernel.code.line("membar.gl;");
            kernel.nested(&inside);
            let (old, new) = (kernel.code.reg(Class::Word), kernel.code.reg(Class::Word));
            kernel.code.line(format!("ld.volatile.global.u32 {old}, [{protected}];"));
            kernel.code.line(format!("mad.lo.u32 {new}, {old}, 3, {};", kernel.total));
            kernel.code.line(format!("add.u32 {}, {}, {old};", kernel.total, kernel.total));
            kernel.code.line(format!("st.volatile.global.u32 [{protected}], {new};"));
            kernel.raise(&word, false);
        });
    }

    /// Every thread waits for the flag of the one before it, and raises its own.
    pub(super) fn chain(&mut self, place: &Context) {
        self.kind("chain");
        let signal = self.flags(place);
        let (block, grid, reversed) = (self.block, self.threads, self.code.random.chance(50));
        let (shared, first) = (signal.shared, signal.first);
        let payload = signal.payload.unwrap_or(0);
        let row = self.table(place, |_, instance, who, thread| {
            let mut others = who.iter().copied().filter(|other| !shared || other / block == thread / block);
            let before =
                if reversed { others.find(|&other| other > thread) } else { others.rfind(|&other| other < thread) };
            match before {
                Some(other) if shared => {
                    [first + instance * block + other % block, 1, payload + instance * grid + other, 0]
                }
                Some(other) => [first + instance * grid + other, 1, payload + instance * grid + other, 0],
                None => [super::ALWAYS, 1, 0, 0],
            }
        });
        let (before, mine) = (self.word(shared, 0, row[0]), self.own_flag(place, &signal));
        self.when(&Attempt::Reach(before, row[1]), place, |kernel| {
            kernel.receive(row[2]);
            kernel.send(place, payload);
            kernel.raise(&mine, true);
        });
        self.signals.push(signal);
    }

    /// Something that others may wait for.
    pub(super) fn signal(&mut self, place: &Context) {
        if self.code.random.chance(60) { self.post(place) } else { self.arrive(place) }
    }

    /// Every thread raises its flag.
    fn post(&mut self, place: &Context) {
        self.kind("flag");
        let signal = self.flags(place);
        let mine = self.own_flag(place, &signal);
        self.send(place, signal.payload.unwrap_or(0));
        self.raise(&mine, true);
        self.signals.push(signal);
    }

    /// Every thread adds one to a counter.
    fn arrive(&mut self, place: &Context) {
        self.kind("counter");
        let shared = self.code.random.chance(40);
        let first = self.words(shared, place.instances());
        let instance = self.copy(place.instance);
        let word = self.word(shared, first, instance);
        self.raise(&word, false);
        let (loops, who) = (place.loops.clone(), place.who.clone());
        self.signals.push(Signal { shared, first, payload: None, loops, who });
    }

    /// Waits for something that others did at a place before this one.
    pub(super) fn wait(&mut self, place: &Context) {
        let known = |signal: &&Signal| place.loops.starts_with(&signal.loops);
        let count = self.signals.iter().filter(known).count() as u32;
        if count == 0 || self.code.random.chance(40) {
            return self.wait_for_last(place);
        }
        let chosen = self.code.random.below(count) as usize;
        if let Some(signal) = self.signals.iter().filter(known).nth(chosen).cloned() {
            self.wait_for(place, &signal);
        }
    }

    /// Waits for what was signalled last; for nothing if nothing was.
    pub(super) fn wait_for_last(&mut self, place: &Context) {
        let known = |signal: &&Signal| place.loops.starts_with(&signal.loops);
        if let Some(signal) = self.signals.iter().rfind(known).cloned() {
            self.wait_for(place, &signal);
        }
    }

    fn wait_for(&mut self, place: &Context, signal: &Signal) {
        self.kind(if place.held == Held::Nothing { "wait" } else { "wait in a critical section" });
        if let Some(peer) = self.computed_peer(place, signal) {
            let one = self.code.reg(Class::Word);
            self.code.line(format!("mov.u32 {one}, 1;"));
            let word = self.word(false, signal.first, peer);
            return self.until(&Attempt::Reach(word, one), place);
        }
        let ratio = place.instances() / (signal.who.len() as u32);
        let (block, grid) = (self.block, self.threads);
        let row = self.table(place, |kernel, instance, _, thread| {
            let theirs = instance / ratio;
            let fellow = |other: &u32| !signal.shared || other / block == thread / block;
            let who: Vec<u32> = signal.who[theirs as usize].iter().copied().filter(fellow).collect();
            if who.is_empty() {
                return [super::ALWAYS, 1, 0, 0];
            }
            let Some(payload) = signal.payload else { return [signal.first + theirs, who.len() as u32, 0, 0] };
            let peer = *kernel.code.random.pick(&who);
            let (stride, flag) = if signal.shared { (block, peer % block) } else { (grid, peer) };
            [signal.first + theirs * stride + flag, 1, payload + theirs * grid + peer, 0]
        });
        let word = self.word(signal.shared, 0, row[0]);
        // What is waited for is from before, so that a lane may wait for what the others of its warp wait for.
        if self.newer && !self.parted && place.uniform && place.held == Held::Nothing && self.code.random.chance(60) {
            self.look_together(&word, row[1]);
        } else {
            self.until(&Attempt::Reach(word, row[1]), place);
        }
        self.receive(row[2]);
    }

    /// The flag of a thread whose number is computed from the own one, if all threads raise theirs.
    fn computed_peer(&mut self, place: &Context, signal: &Signal) -> Option<Reg> {
        let threads = self.threads;
        let complete = signal.who.iter().all(|who| who.len() as u32 == threads);
        let same = signal.who.len() as u32 == place.instances();
        if signal.shared || signal.payload.is_none() || !complete || !same || self.code.random.chance(30) {
            return None;
        }
        self.kind("wait for a neighbour");
        let (peer, sum) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        if self.code.random.chance(50) {
            let distance = 1 + self.code.random.below(threads);
            self.code.line(format!("add.u32 {sum}, {}, {distance};", self.thread));
            self.code.line(format!("rem.u32 {peer}, {sum}, {threads};"));
        } else {
            self.code.line(format!("mov.u32 {sum}, {};", threads - 1));
            self.code.line(format!("sub.u32 {peer}, {sum}, {};", self.thread));
        }
        Some(self.index(place.instance, threads, peer))
    }

    fn flags(&mut self, place: &Context) -> Signal {
        let shared = self.code.random.chance(40);
        let stride = if shared { self.block } else { self.threads };
        let first = self.words(shared, place.instances() * stride);
        let payload = Some(self.data_words(place.instances() * self.threads));
        Signal { shared, first, payload, loops: place.loops.clone(), who: place.who.clone() }
    }

    fn own_flag(&mut self, place: &Context, signal: &Signal) -> Word {
        let (stride, number) = if signal.shared { (self.block, self.local) } else { (self.threads, self.thread) };
        let index = self.index(place.instance, stride, number);
        self.word(signal.shared, signal.first, index)
    }

    /// Writes a number for those who wait.
    fn send(&mut self, place: &Context, payload: u32) {
        let index = self.index(place.instance, self.threads, self.thread);
        let address = self.code.address(self.data, index);
        self.code.line(format!("st.volatile.global.u32 [{address}+{}], {};", 4 * payload, self.total));
    }

    /// Reads the number that was sent.
    fn receive(&mut self, index: Reg) {
        let word = self.code.reg(Class::Word);
        let address = self.code.address(self.data, index);
        self.code.line("membar.gl;");
        self.code.line(format!("ld.volatile.global.u32 {word}, [{address}];"));
        self.code.line(format!("mad.lo.u32 {}, {word}, 5, {};", self.total, self.total));
    }
}
