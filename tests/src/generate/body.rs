//! The shape of a generated kernel: parameters, loop, region, and what stands around them.

use super::LoopShape;
use super::emit::{Class, Code, Reg};
use super::guards::Guards;
use super::lines::Lines;
use super::local_memory::{self, Private};
use super::random::Random;
use super::reduce::Sum;

/// The parameters, in order.
const PARAMETERS: &str = "
.version 9.0
.target sm_90
.address_size 64

.visible .entry k(
\t.param .u64 k_input,
\t.param .u64 k_region,
\t.param .u64 k_counters,
\t.param .u64 k_behind,
\t.param .u64 k_final,
\t.param .u32 k_n,
\t.param .u32 k_salt
)
{
";

pub(super) struct Body<'r> {
    pub(super) code: Code<'r>,
    shape: LoopShape,
    pub(super) mask: u32,
    most_iterations: u32,
    iterations: u32,
    /// The number of regions so far.
    pub(super) regions: u32,
    /// True if most loops that are run in steps count through a range.
    pub(super) ranges: bool,
    /// True if code stands where compilers sink it: loads in front of the marker of a path, and behind the steps of a task what the next iteration needs too.
    pub(super) sinks: bool,
    /// True if most other such loops carry a word that follows from another one.
    pub(super) twins: bool,
    /// True if a path and what follows it in its iteration access the same memory.
    pub(super) depends: bool,
    /// True if the thread has a word of memory that each iteration writes and its paths read.
    pub(super) scratch_word: bool,
    /// True if threads read behind the loop what the paths of their iterations wrote.
    pub(super) reads_behind: bool,
    /// A word that paths read and that is computed between the guard and the loop, as compilers do with what does not change in it.
    pub(super) between: Option<Reg>,
    /// The code of lanes that skip the loop, while others are in it and right behind it.
    pub(super) apart: Option<Apart>,
    /// The accesses to local memory.
    pub(super) private: Option<Private>,
    /// Writes under complementary guards and endless loops of paths.
    pub(super) guards: Option<Guards>,
}

/// Registers that the whole body knows.
pub(super) struct Known {
    pub(super) input: Reg,
    pub(super) region: Reg,
    pub(super) counters: Reg,
    pub(super) behind: Reg,
    pub(super) result: Reg,
    pub(super) n: Reg,
    pub(super) salt: Reg,
    pub(super) thread: Reg,
    pub(super) threads: Reg,
    /// Runs over the iterations.
    pub(super) index: Reg,
    /// Counts the iterations of this thread.
    pub(super) iteration: Reg,
    /// Carried from iteration to iteration.
    pub(super) carried: Reg,
    /// The same in all lanes while they run the same iterations.
    pub(super) uniform: Reg,
    /// Folded into by iterations.
    pub(super) sums: Vec<Sum>,
}

/// The behaviour of lanes that skip the loop, right behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Apart {
    /// They skip what the others do right behind it too.
    Skips,
    /// They do something else.
    Else,
}

/// Registers of one iteration.
pub(super) struct Iteration {
    /// A word of the input that decides branches.
    pub(super) seen: Reg,
    /// The place in memory that belongs to the iteration.
    pub(super) slot: Reg,
    /// Values that regions read and that are read again behind them.
    pub(super) values: Vec<Reg>,
    /// Values that only regions read.
    pub(super) private: Vec<Reg>,
    /// Used in regions and behind them, for different things.
    pub(super) scratch: Reg,
    /// Written behind a region's end marker.
    pub(super) reloaded: Option<Reg>,
    /// True if it is a marked path's own, which hands nothing to the code behind that.
    pub(super) inner: bool,
}

impl<'r> Body<'r> {
    pub(super) fn new(
        random: &'r mut Random,
        shape: LoopShape,
        input_words: u32,
        most_iterations: u32,
        iterations: u32,
    ) -> Body<'r> {
        Body {
            code: Code::new(random),
            shape,
            mask: input_words - 1,
            most_iterations,
            iterations,
            regions: 0,
            ranges: false,
            sinks: false,
            twins: false,
            depends: false,
            scratch_word: false,
            reads_behind: false,
            between: None,
            apart: None,
            private: None,
            guards: None,
        }
    }

    /// The whole module.
    pub(super) fn module(&mut self) -> String {
        let mut known = self.prologue();
        let (sums, directive) = Sum::some(&mut self.code, known.salt);
        known.sums = sums;
        let (head, exit) = (self.code.label(), self.code.label());
        let (other, met) = (self.code.label(), self.code.label());
        let around = match self.apart {
            Some(Apart::Skips) => &met,
            Some(Apart::Else) => &other,
            None => &exit,
        };
        let bound = self.before_loop(&known, &directive, around);
        self.code.place(&head);
        if self.shape == LoopShape::While {
            self.leave_unless(&known, bound, &exit);
        }
        let latch = self.code.label();
        self.iteration(&known, &latch, &exit);
        self.code.place(&latch);
        self.latch(&known, bound, &head);
        self.code.place(&exit);
        self.code.line("//#CCC for_end 1");
        self.read_sums(&known);
        if self.reads_behind {
            self.read_regions(&known, self.most_iterations);
        }
        if let Some(apart) = self.apart {
            self.only_behind_loop(&known, apart, &other, &met);
        }
        let address = self.code.address(known.result, known.thread);
        self.code.line(format!("st.global.u32 [{address}], {};", known.carried));
        self.code.line("ret;");
        let variables = if self.private.is_some() { local_memory::VARIABLES } else { "" };
        let tables = if self.code.lines.is_some() { Lines::tables() } else { String::new() };
        let declarations = self.code.declarations();
        format!("{}{declarations}{variables}{}}}\n{tables}", PARAMETERS.trim_start(), self.code.text)
    }

    fn prologue(&mut self) -> Known {
        let code = &mut self.code;
        let pointer = |code: &mut Code<'_>, name: &str| {
            let (generic, global) = (code.reg(Class::Long), code.reg(Class::Long));
            code.line(format!("ld.param.u64 {generic}, [k_{name}];"));
            code.line(format!("cvta.to.global.u64 {global}, {generic};"));
            global
        };
        let number = |code: &mut Code<'_>, name: &str| {
            let reg = code.reg(Class::Word);
            code.line(format!("ld.param.u32 {reg}, [k_{name}];"));
            reg
        };
        let [input, region, counters, behind, result] =
            ["input", "region", "counters", "behind", "final"].map(|name| pointer(code, name));
        let [n, salt] = ["n", "salt"].map(|name| number(code, name));
        let [x, y, z, nx, ny, nz, block, blocks, local, size, thread, threads] =
            std::array::from_fn(|_| code.reg(Class::Word));
        for (reg, name) in [
            (x, "%tid.x"),
            (y, "%tid.y"),
            (z, "%tid.z"),
            (nx, "%ntid.x"),
            (ny, "%ntid.y"),
            (nz, "%ntid.z"),
            (block, "%ctaid.x"),
            (blocks, "%nctaid.x"),
        ] {
            code.line(format!("mov.u32 {reg}, {name};"));
        }
        code.line(format!("mad.lo.s32 {local}, {z}, {ny}, {y};"));
        code.line(format!("mad.lo.s32 {local}, {local}, {nx}, {x};"));
        code.line(format!("mul.lo.s32 {size}, {nx}, {ny};"));
        code.line(format!("mul.lo.s32 {size}, {size}, {nz};"));
        code.line(format!("mad.lo.s32 {thread}, {block}, {size}, {local};"));
        code.line(format!("mul.lo.s32 {threads}, {size}, {blocks};"));
        self.fill_private(thread, local);
        let code = &mut self.code;
        let [index, iteration, carried, uniform] = std::array::from_fn(|_| code.reg(Class::Word));
        code.line(format!("mov.u32 {index}, {thread};"));
        code.line(format!("mov.u32 {iteration}, 0;"));
        code.line(format!("xor.b32 {carried}, {thread}, {salt};"));
        code.line(format!("mad.lo.s32 {uniform}, {salt}, 3, {n};"));
        let sums = Vec::new();
        Known {
            input,
            region,
            counters,
            behind,
            result,
            n,
            salt,
            thread,
            threads,
            index,
            iteration,
            carried,
            uniform,
            sums,
        }
    }

    /// Guards, and whatever the compiler would put between the guard and the loop; gives the bound of the iterations.
    fn before_loop(&mut self, known: &Known, directive: &str, exit: &str) -> Reg {
        let code = &mut self.code;
        code.line(format!("//#CCC for_begin 1{directive} line 10"));
        let bound = match self.shape {
            LoopShape::Variable => {
                let (word, address) = (code.reg(Class::Word), code.reg(Class::Word));
                code.line(format!("and.b32 {address}, {}, {};", known.thread, self.mask));
                let address = code.address(known.input, address);
                code.line(format!("ld.global.u32 {word}, [{address}];"));
                code.line(format!("and.b32 {word}, {word}, 7;"));
                code.line(format!("min.u32 {word}, {word}, {};", self.most_iterations));
                word
            }
            _ => known.n,
        };
        let skip = code.reg(Class::Pred);
        if self.apart.is_some() && code.random.chance(50) {
            // `if` of the source around the loop, of which the compiler makes another guard.
            let (word, go) = (code.reg(Class::Word), code.label());
            code.line(format!("and.b32 {word}, {}, 3;", known.thread));
            let some = code.random.below(4);
            code.line(format!("setp.ne.u32 {skip}, {word}, {some};"));
            code.line(format!("@{skip} bra {go};"));
            code.line(format!("bra {exit};"));
            code.place(&go);
        }
        match self.shape {
            LoopShape::Rotated | LoopShape::Variable => {
                let counter = if self.shape == LoopShape::Variable { known.iteration } else { known.index };
                code.line(format!("setp.ge.u32 {skip}, {counter}, {bound};"));
                code.line(format!("@{skip} bra {exit};"));
            }
            LoopShape::EarlyReturn => {
                let go = code.label();
                code.line(format!("setp.lt.u32 {skip}, {}, {bound};", known.index));
                code.line(format!("@{skip} bra {go};"));
                code.line("ret;");
                code.place(&go);
            }
            LoopShape::While | LoopShape::Constant => {}
        }
        if let Some(between) = self.between {
            if let Some(lines) = &mut code.lines {
                lines.inline_next();
            }
            code.line(format!("mad.lo.s32 {between}, {}, 5, {};", known.salt, known.n));
        }
        bound
    }

    /// Writes the code that only lanes execute that came to the loop, some of them more than others, and the code of the other lanes.
    fn only_behind_loop(&mut self, known: &Known, apart: Apart, other: &str, met: &str) {
        self.odd_lanes(known, known.carried);
        self.code.line(format!("xor.b32 {}, {}, {};", known.carried, known.carried, known.iteration));
        if apart == Apart::Else {
            self.code.line(format!("bra {met};"));
            self.code.place(other);
            let word = self.load(known, known.thread);
            self.odd_lanes(known, word);
            if self.code.random.chance(30) {
                let address = self.code.address(known.result, known.thread);
                self.code.line(format!("st.global.u32 [{address}], {word};"));
                self.code.line("ret;");
            }
            self.code.line(format!("add.s32 {}, {}, {word};", known.carried, known.carried));
        }
        self.code.place(met);
    }

    /// Changes a word that all lanes carry in those of which a word is odd.
    fn odd_lanes(&mut self, known: &Known, word: Reg) {
        let code = &mut self.code;
        let (bits, odd, around) = (code.reg(Class::Word), code.reg(Class::Pred), code.label());
        code.line(format!("and.b32 {bits}, {word}, 1;"));
        code.line(format!("setp.eq.u32 {odd}, {bits}, 0;"));
        code.line(format!("@{odd} bra {around};"));
        code.line(format!("mad.lo.s32 {}, {}, 9, {};", known.carried, known.carried, known.thread));
        code.place(&around);
    }

    /// Leaves at the top of a loop that is not rotated.
    fn leave_unless(&mut self, known: &Known, bound: Reg, exit: &str) {
        let done = self.code.reg(Class::Pred);
        self.code.line(format!("setp.ge.u32 {done}, {}, {bound};", known.index));
        self.code.line(format!("@{done} bra {exit};"));
    }

    fn latch(&mut self, known: &Known, bound: Reg, head: &str) {
        self.move_sums(known, true);
        let code = &mut self.code;
        let more = code.reg(Class::Pred);
        code.line(format!("add.s32 {}, {}, 1;", known.iteration, known.iteration));
        code.line(format!("add.s32 {}, {}, {};", known.index, known.index, known.threads));
        code.line(format!("add.s32 {}, {}, 7;", known.uniform, known.uniform));
        match self.shape {
            LoopShape::Rotated | LoopShape::EarlyReturn => {
                code.line(format!("setp.lt.u32 {more}, {}, {bound};", known.index));
            }
            LoopShape::Variable => code.line(format!("setp.lt.u32 {more}, {}, {bound};", known.iteration)),
            LoopShape::Constant => {
                code.line(format!("setp.lt.u32 {more}, {}, {};", known.iteration, self.iterations));
            }
            LoopShape::While => {
                code.line(format!("bra {head};"));
                return;
            }
        }
        code.line(format!("@{more} bra {head};"));
    }

    /// One iteration: values, plain `if`s, the region, and what comes behind it.
    fn iteration(&mut self, known: &Known, latch: &str, exit: &str) {
        let slot = self.code.reg(Class::Word);
        self.code.line(format!(
            "mad.lo.s32 {slot}, {}, {}, {};",
            known.thread,
            self.most_iterations.max(1),
            known.iteration
        ));
        let seen = self.load(known, known.index);
        self.use_private(known);
        self.move_sums(known, false);
        self.fold_into_sums(known, known.iteration, 20);
        let mut values = self.values(known, seen);
        self.derive(known, &mut values);
        self.plain_if(&mut values, seen);
        if self.code.random.chance(15) {
            self.leave(seen, exit);
        }
        if self.code.random.chance(15) {
            self.leave(seen, latch);
        }
        let before = self.code.text.len();
        let around = self.code.random.chance(25).then(|| {
            let behind = self.code.label();
            self.leave(seen, &behind);
            behind
        });
        // Values that only one region uses may change in it; the others are alive behind it.
        let private = values.split_off(values.len() / 2);
        let scratch = self.code.reg(Class::Word);
        // As where a compiler reloads a value at the end of the path, behind the end marker.
        let reloaded = self.code.random.chance(25).then(|| self.code.reg(Class::Word));
        if let Some(reloaded) = reloaded {
            // What goes around the paths reads it too.
            self.code.text.insert_str(before, &format!("\tmov.u32 {reloaded}, {seen};\n"));
            values.push(reloaded);
        }
        let iteration = Iteration { seen, slot, values, private, scratch, reloaded, inner: false };
        self.fill_scratch_word(known, seen);
        self.paths(known, &iteration);
        let values = iteration.values;
        if let Some(behind) = around {
            let folded = self.code.fold(values[0]);
            let target = known.carried;
            self.code.word_into(target, target, folded);
            self.code.place(&behind);
        }
        self.depend(known, slot, seen);
        self.behind(known, slot, &values, scratch);
        self.fold_into_sums(known, scratch, 20);
        self.break_the_rules(known, scratch);
    }

    pub(super) fn load(&mut self, known: &Known, index: Reg) -> Reg {
        let code = &mut self.code;
        let (place, word) = (code.reg(Class::Word), code.reg(Class::Word));
        let factor = code.random.below(50) | 1;
        code.line(format!("mul.lo.s32 {place}, {index}, {factor};"));
        code.line(format!("and.b32 {place}, {place}, {};", self.mask));
        let address = code.address(known.input, place);
        code.line(format!("ld.global.u32 {word}, [{address}];"));
        word
    }

    /// Two to nine values of random classes, from everything that there is to make them from.
    fn values(&mut self, known: &Known, seen: Reg) -> Vec<Reg> {
        let sources =
            [known.index, seen, known.thread, known.uniform, known.carried, known.salt, known.n, known.iteration];
        let count = 2 + self.code.random.below(8);
        let mut values = Vec::new();
        for _ in 0..count {
            let class = *self.code.random.pick(Class::ALL);
            let source = *self.code.random.pick(&sources);
            values.push(self.code.value(class, source));
        }
        values
    }

    /// Sometimes an `if` that changes a value, with or without `else`.
    fn plain_if(&mut self, values: &mut [Reg], seen: Reg) {
        if !self.code.random.chance(50) {
            return;
        }
        let (otherwise, join) = (self.code.label(), self.code.label());
        self.leave(seen, &otherwise);
        let word = self.code.fold(values[0]);
        let changed = self.code.reg(Class::Word);
        self.code.word_into(changed, word, seen);
        self.code.line(format!("bra {join};"));
        self.code.place(&otherwise);
        self.code.line(format!("mov.u32 {changed}, {seen};"));
        self.code.place(&join);
        values[0] = changed;
    }

    /// A branch that some lanes take, by the bits of a word.
    pub(super) fn leave(&mut self, word: Reg, to: &str) {
        let code = &mut self.code;
        let (bits, test) = (code.reg(Class::Word), code.reg(Class::Pred));
        let (shift, limit) = (code.random.below(24), code.random.below(9));
        code.line(format!("shr.u32 {bits}, {word}, {shift};"));
        code.line(format!("and.b32 {bits}, {bits}, 7;"));
        code.line(format!("setp.lt.u32 {test}, {bits}, {limit};"));
        if code.random.chance(50) {
            code.line(format!("@{test} bra {to};"));
        } else {
            code.line(format!("@!{test} bra {to};"));
        }
    }

    /// Behind the region: values from before it are used again, and its scratch register holds something else.
    fn behind(&mut self, known: &Known, slot: Reg, values: &[Reg], scratch: Reg) {
        self.code.line(format!("mov.u32 {scratch}, {};", known.iteration));
        for &value in values {
            let word = self.code.fold(value);
            self.code.word_into(scratch, scratch, word);
        }
        let address = self.code.address(known.behind, slot);
        self.code.line(format!("st.global.u32 [{address}], {scratch};"));
        self.code.word_into(known.carried, known.carried, scratch);
    }
}
