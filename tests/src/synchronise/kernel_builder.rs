//! The kernel as it grows: its registers, the memory it uses, and the statements that are only control flow.

use std::collections::BTreeSet;
use std::mem;

use super::calls::{BESIDE, Copies};
use super::context::{Condition, Context, Form, Held, INPUT};
use super::locks::Bank;
use super::signals::Signal;
use crate::generate::Random;
use crate::generate::emit::{Class, Code, Reg};

/// The most instances of a place.
pub(super) const INSTANCES: u32 = 8;

/// The code at the end of a kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Plain,
    /// Two blocks wait for each other.
    Across,
    /// A thread passes on what others wait for.
    Relay,
}

/// A kernel that is being made.
pub(super) struct Kernel<'r> {
    pub(super) code: Code<'r>,
    /// The input, which conditions may come from.
    pub(super) input_words: Vec<u32>,
    /// Threads of the grid, of a block, and blocks.
    pub(super) threads: u32,
    pub(super) block: u32,
    pub(super) grid: u32,
    /// The addresses of flags and locks, of what they protect, of the tables that say who waits for whom, and of the
    /// input.
    pub(super) sync: Reg,
    pub(super) data: Reg,
    pub(super) plan: Reg,
    pub(super) input: Reg,
    /// The address of shared memory, and the same by another name if it is dynamic and has two.
    pub(super) shared: Reg,
    pub(super) other_view: Reg,
    pub(super) two_views: bool,
    /// The number of the thread in the grid, that in the block, and the block's.
    pub(super) thread: Reg,
    pub(super) local: Reg,
    pub(super) cta: Reg,
    /// The thread's result; the same in any order of the threads.
    pub(super) total: Reg,
    /// For results that nobody reads.
    pub(super) unused: Reg,
    /// The words of each memory that are in use, and the tables.
    pub(super) sync_words: u32,
    pub(super) shared_words: u32,
    pub(super) data_words: u32,
    pub(super) plan_words: Vec<u32>,
    /// The signals that may be waited for, in the order of places.
    pub(super) signals: Vec<Signal>,
    /// Locks that any place may use.
    pub(super) banks: Vec<Bank>,
    /// The constructs in use.
    pub(super) kinds: BTreeSet<&'static str>,
    /// Waits are written so that they end on a reconvergence stack, as far as that is easily said.
    pub(super) careful: bool,
    /// It has what newer code has; see `newer_constructs.rs`.
    pub(super) newer: bool,
    /// Some locks in global memory are taken and given back by functions.
    pub(super) calls: bool,
    /// The function of which there are many that do the same.
    pub(super) copies: Option<Copies>,
    /// Lanes of a warp part for good in it.
    pub(super) parted: bool,
    /// The label at which the kernel ends.
    pub(super) exit: String,
    pub(super) loops: u32,
    /// Statements that may still be written.
    left: u32,
}

impl<'r> Kernel<'r> {
    pub(super) fn new(random: &'r mut Random, block: u32, grid: u32, input_words: Vec<u32>) -> Kernel<'r> {
        let careful = random.chance(40);
        let calls = random.chance(20);
        let left = 4 + random.below(18);
        let mut code = Code::new(random);
        let [sync, data, plan, input] = [(); 4].map(|()| code.reg(Class::Long));
        let [shared, other_view, thread, local, cta, total, unused] = [(); 7].map(|()| code.reg(Class::Word));
        let two_views = code.random.chance(25);
        let exit = code.label();
        Kernel {
            code,
            input_words,
            threads: block * grid,
            block,
            grid,
            sync,
            data,
            plan,
            input,
            shared,
            other_view,
            two_views,
            thread,
            local,
            cta,
            total,
            unused,
            sync_words: super::FIRST_FREE,
            shared_words: super::FIRST_FREE,
            // The first word is always 0: what is sent along with a signal that nobody has to give.
            data_words: 1,
            plan_words: Vec::new(),
            signals: Vec::new(),
            banks: Vec::new(),
            kinds: BTreeSet::new(),
            careful,
            newer: false,
            calls,
            copies: None,
            parted: false,
            exit,
            loops: 0,
            left,
        }
    }

    /// Notes that a construct is in use.
    pub(super) fn kind(&mut self, name: &'static str) {
        self.kinds.insert(name);
    }

    /// Returns true if something in it needs whole warps, or parts of them.
    pub(super) fn comes_together(&self) -> bool {
        ["barrier", "a barrier that counts", "parts of a warp", "spin of a whole warp"]
            .iter()
            .any(|kind| self.kinds.contains(kind))
    }

    /// Writes the whole kernel, at the end of which two blocks may wait for each other.
    pub(super) fn module(&mut self, end: End) -> String {
        let instance = self.code.reg(Class::Word);
        let results = self.data_words;
        self.data_words += self.threads;
        self.make_banks();
        let who = vec![(0..self.threads).collect()];
        let mut place = Context { who, instance, loops: Vec::new(), uniform: true, held: Held::Nothing, depth: 0 };
        while self.left > 0 {
            self.block(&mut place, results);
        }
        if end != End::Plain {
            // Behind it, nothing is written any more that might be what it waits for.
            self.store_result(results);
            match end {
                End::Across => self.across(&place),
                End::Relay | End::Plain => self.relay(&place),
            }
            self.code.line("ret;");
        }
        let exit = self.exit.clone();
        self.code.place(&exit);
        self.result(results);
        let body = mem::take(&mut self.code.text);
        self.prologue(instance);
        let (shared, views) = match self.two_views {
            true => (String::new(), ".extern .shared .align 4 .b32 sh[];\n.extern .shared .align 4 .b32 other_sh[];\n"),
            false => (format!("\t.shared .align 4 .b32 sh[{}];\n", self.shared_words), ""),
        };
        let beside = if self.calls && self.code.random.chance(30) {
            self.kind("another kernel with the same functions");
            BESIDE
        } else {
            ""
        };
        let (declarations, prologue) = (self.code.declarations(), &self.code.text);
        let functions = if self.calls { super::calls::functions(self.copies) } else { String::new() };
        let newer = if self.newer { super::newer_constructs::FUNCTIONS } else { "" };
        format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n{views}{functions}{newer}{beside}\n\
             .visible .entry k(.param .u64 sync, .param .u64 data, \
             .param .u64 plan, .param .u64 input)\n{{\n{declarations}{shared}\t.local .align 4 .b32 scratch[4];\n\n\
             {prologue}{body}}}\n"
        )
    }

    fn prologue(&mut self, instance: Reg) {
        for (to, name) in [(self.sync, "sync"), (self.data, "data"), (self.plan, "plan"), (self.input, "input")] {
            let generic = self.code.reg(Class::Long);
            self.code.line(format!("ld.param.u64 {generic}, [{name}];"));
            self.code.line(format!("cvta.to.global.u64 {to}, {generic};"));
        }
        let (thread, local, cta, total) = (self.thread, self.local, self.cta, self.total);
        self.code.line(format!("mov.u32 {local}, %tid.x;"));
        self.code.line(format!("mov.u32 {cta}, %ctaid.x;"));
        self.code.line(format!("mad.lo.u32 {thread}, {cta}, {}, {local};", self.block));
        self.code.line(format!("mad.lo.u32 {total}, {thread}, 77, 5;"));
        self.code.line(format!("mov.u32 {instance}, 0;"));
        self.code.line("st.local.u32 [scratch], 3;");
        self.code.line(format!("mov.u32 {}, sh;", self.shared));
        if self.shared_words == super::FIRST_FREE {
            return;
        }
        self.kind("shared memory");
        if self.two_views {
            self.kind("two names of dynamic shared memory");
            self.code.line(format!("mov.u32 {}, other_sh;", self.other_view));
        }
        let (head, done) = (self.code.label(), self.code.label());
        let [index, offset, address, value] = [(); 4].map(|()| self.code.reg(Class::Word));
        let p = self.code.reg(Class::Pred);
        self.code.line(format!("mov.u32 {index}, {local};"));
        self.code.place(&head);
        self.code.line(format!("setp.ge.u32 {p}, {index}, {};", self.shared_words));
        self.code.line(format!("@{p} bra {done};"));
        self.code.line(format!("setp.eq.u32 {p}, {index}, {};", super::ALWAYS));
        self.code.line(format!("selp.b32 {value}, 1, 0, {p};"));
        self.code.line(format!("shl.b32 {offset}, {index}, 2;"));
        self.code.line(format!("add.u32 {address}, {}, {offset};", self.shared));
        self.code.line(format!("st.shared.u32 [{address}], {value};"));
        self.code.line(format!("add.u32 {index}, {index}, {};", self.block));
        self.code.line(format!("bra {head};"));
        self.code.place(&done);
        self.code.line("bar.sync 0;");
    }

    /// Stores what the thread has computed, and ends it.
    pub(super) fn result(&mut self, results: u32) {
        self.store_result(results);
        self.code.line("ret;");
    }

    fn store_result(&mut self, results: u32) {
        let address = self.code.address(self.data, self.thread);
        self.code.line(format!("st.global.u32 [{address}+{}], {};", 4 * results, self.total));
    }

    /// A few statements.
    fn block(&mut self, place: &mut Context, results: u32) {
        for _ in 0..1 + self.code.random.below(3) {
            if place.depth == 0 && self.code.random.chance(4) {
                self.early_return(place, results);
            }
            self.statement(place);
        }
    }

    /// Statements in a place inside of another one.
    pub(super) fn nested(&mut self, place: &Context) {
        for _ in 0..self.code.random.below(3) {
            self.statement(place);
        }
    }

    fn statement(&mut self, place: &Context) {
        if self.left == 0 {
            return self.plain();
        }
        self.left -= 1;
        if self.newer && self.code.random.chance(25) {
            self.newer(place);
        }
        let (free, shallow) = (place.held == Held::Nothing, place.depth < 4);
        match self.code.random.below(38) {
            0..6 if shallow => self.branch(place),
            6 | 7 if shallow => self.shortcut(place),
            8 if shallow => self.switch(place),
            9..13 if shallow && place.instances() * 2 <= INSTANCES => self.work_loop(place),
            13..18 => self.lock(place),
            18 | 19 if free => self.ticket(place),
            20 | 21 if free => self.turn(place),
            22 | 23 if free => self.chain(place),
            24..27 if free => self.signal(place),
            27..30 if !matches!(place.held, Held::FromBank(_)) => self.wait(place),
            30 | 31 if place.uniform && free && !self.parted => self.barrier(),
            32 => self.plain_loop(),
            33 | 34 => self.lock_free(place),
            35 | 36 if free => self.count_in_turn(place),
            _ => self.plain(),
        }
    }

    /// A condition, computed.
    pub(super) fn condition(&mut self, place: &Context) -> (Condition, Reg) {
        let condition = Condition::draw(self.code.random);
        (condition, condition.emit(&mut self.code, self.thread, place.instance, self.input))
    }

    /// A number below a power of two, computed.
    pub(super) fn number(&mut self, place: &Context, mask: u32) -> Reg {
        let form = Form::draw(self.code.random, mask);
        form.emit(&mut self.code, self.thread, place.instance, self.input)
    }

    /// Returns what is written meanwhile, for it to stand elsewhere.
    pub(super) fn captured(&mut self, write: impl FnOnce(&mut Self)) -> String {
        let before = mem::take(&mut self.code.text);
        write(self);
        mem::replace(&mut self.code.text, before)
    }

    fn plain(&mut self) {
        let (total, thread) = (self.total, self.thread);
        match self.code.random.below(4) {
            0 => self.code.word_into(total, total, thread),
            1 => {
                let word = self.code.reg(Class::Word);
                self.code.line(format!("ld.local.u32 {word}, [scratch];"));
                self.code.line(format!("st.local.u32 [scratch], {total};"));
                self.code.line(format!("add.u32 {total}, {total}, {word};"));
            }
            2 => {
                let p = self.code.value(Class::Pred, total);
                self.code.line(format!("@{p} xor.b32 {total}, {total}, {thread};"));
            }
            _ => {
                let (index, word) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
                self.code.line(format!("and.b32 {index}, {total}, {};", INPUT - 1));
                let address = self.code.address(self.input, index);
                self.code.line(format!("ld.global.u32 {word}, [{address}];"));
                self.code.line(format!("add.u32 {total}, {total}, {word};"));
            }
        }
    }

    /// A loop that waits for nobody; its iterations differ between threads.
    fn plain_loop(&mut self) {
        self.kind("loop without synchronisation");
        let (head, again) = (self.code.label(), self.code.reg(Class::Pred));
        let (left, low) = (self.code.reg(Class::Word), self.code.reg(Class::Word));
        self.code.line(format!("and.b32 {low}, {}, 7;", self.total));
        self.code.line(format!("mov.u32 {left}, {low};"));
        self.code.place(&head);
        self.plain();
        self.code.line(format!("setp.ne.u32 {again}, {left}, 0;"));
        self.code.line(format!("sub.u32 {left}, {left}, 1;"));
        self.code.line(format!("@{again} bra {head};"));
    }

    fn barrier(&mut self) {
        self.kind("barrier");
        self.code.line("bar.sync 0;");
    }
}
