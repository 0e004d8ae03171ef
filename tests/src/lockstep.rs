//! Random kernels whose lanes read what other lanes of their warp wrote, without a barrier: they mean something on lanes in lockstep alone.
//!
//! Each warp has a region of shared memory and one of a buffer. Its lanes load and store words there, by indices that grow with the lane, fall, jump, are the same for
//! several lanes, or come from memory; in straight lines, under guards that all lanes share or not, in loops that lanes leave together or apart, with barriers in between.
//! Warps do not touch each other's regions. The two ways of a branch that lanes go apart touch different memory, since nothing says which way is first.
//! At the end, each thread writes what it has read, and the region in shared memory.

use std::fmt::Write as _;

use crate::generate::Random;

/// The words of a warp's region.
const REGION: u32 = 384;

/// The word of a region at which indices begin, so that lanes reach words on both sides.
const MIDDLE: u32 = 100;

/// The registers that hold what was read.
const READ: u32 = 4;

/// A generated kernel and its launch: one block, two buffers.
#[derive(Clone, Debug)]
pub struct WarpSynchronous {
    /// A module with the kernel `k`, which takes the buffers.
    pub ptx: String,
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// What the buffers hold before.
    pub before: [Vec<u32>; 2],
}

/// Makes the kernel of a seed.
#[must_use]
pub fn kernel(seed: u64) -> WarpSynchronous {
    let mut random = Random::new(seed ^ 0x6c6f_636b);
    let block = *random.pick(&[
        [32, 1, 1],
        [32, 1, 1],
        [32, 1, 1],
        [20, 1, 1],
        [64, 1, 1],
        [96, 1, 1],
        [32, 3, 1],
        [64, 2, 1],
        [16, 2, 1],
        [8, 4, 1],
        [16, 8, 1],
        [7, 9, 1],
        [4, 4, 4],
    ]);
    let mut writer = Writer {
        random,
        text: String::new(),
        labels: 0,
        registers: 16,
        depth: 0,
        counters: Vec::new(),
        pointers: Vec::new(),
    };
    writer.lane(block);
    let statements = 4 + writer.random.below(8);
    writer.statements(statements, Memories { shared: true, global: true }, true);
    writer.end();
    let warps = (block.iter().product::<u32>()).div_ceil(32);
    let words = (warps * REGION) as usize;
    let mut values = Random::new(seed);
    let first = (0..words).map(|_| values.below(1000)).collect();
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 a, .param .u64 b)\n{{\n\
         .reg .b32 %r<{}>; .reg .b64 %rd<{0}>; .reg .pred %p<{0}>;\n.shared .align 16 .b8 s[{}];\n{}}}\n",
        writer.registers,
        words * 4,
        writer.text
    );
    WarpSynchronous { ptx, block, before: [first, vec![0; words * 2]] }
}

/// The memories that statements may touch.
#[derive(Clone, Copy)]
struct Memories {
    shared: bool,
    global: bool,
}

struct Writer {
    random: Random,
    text: String,
    labels: u32,
    /// The number of registers that are taken.
    registers: u32,
    depth: u32,
    /// Counters of the loops around, the same for all lanes that are in one.
    counters: Vec<u32>,
    /// Pointers that the loops around move, and the memory.
    pointers: Vec<(u32, bool)>,
}

// Registers: %r0 the lane, %r1 the words in front of the warp's region, %r2 the thread; %r4 to %r7 what was read; %rd1, %rd2 the buffers; %rd4 the region in the first.
impl Writer {
    fn line(&mut self, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{line}");
    }

    fn register(&mut self) -> u32 {
        self.registers += 1;
        self.registers - 1
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// Computes the lane, and where the memory of its warp begins.
    fn lane(&mut self, block: [u32; 3]) {
        let threads: u32 = block.iter().product();
        self.line("ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r3, %tid.x; mov.u32 %r8, %tid.y; mov.u32 %r9, %tid.z;");
        self.line("mov.u32 %r10, %ntid.x; mov.u32 %r11, %ntid.y; mad.lo.u32 %r12, %r9, %r11, %r8; mad.lo.u32 %r2, %r12, %r10, %r3;");
        // In some blocks, the warp and the lane are coordinates, so that addresses are sums of them.
        match block {
            [32, ..] => self.line(&format!("mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r12, {REGION};")),
            _ if threads <= 32 && self.random.chance(80) => {
                let pitch = if self.random.chance(50) { block[0].to_string() } else { "%r10".to_owned() };
                match block {
                    [_, 1, 1] => self.line("mov.u32 %r0, %tid.x; mov.u32 %r1, 0;"),
                    _ => self.line(&format!("mad.lo.u32 %r0, %r8, {pitch}, %r3; mov.u32 %r1, 0;")),
                }
            }
            _ => self.line(&format!("and.b32 %r0, %r2, 31; shr.u32 %r1, %r2, 5; mul.lo.u32 %r1, %r1, {REGION};")),
        }
        self.line("mul.wide.u32 %rd3, %r1, 4; add.u64 %rd4, %rd1, %rd3; shl.b32 %r13, %r1, 2; mov.u32 %r14, s; add.u32 %r14, %r14, %r13;");
        (0..READ).for_each(|number| self.line(&format!("mov.u32 %r{}, {};", 4 + number, number + 1)));
    }

    /// Writes an index, in words from the middle of the region, to a new register.
    fn index(&mut self) -> u32 {
        let into = self.register();
        let by = self.random.below(36);
        let counter = self.counters.last().copied();
        match (self.random.below(14), counter) {
            (0..=3, _) => self.line(&format!("add.u32 %r{into}, %r0, {by};")),
            (4, _) => self.line(&format!("mad.lo.u32 %r{into}, %r0, 2, {by};")),
            (5, _) => self.line(&format!("sub.u32 %r{into}, {by}, %r0;")),
            (6, _) => {
                let bit = 1 << self.random.below(5);
                self.line(&format!("xor.b32 %r{into}, %r0, {bit};"));
            }
            (7, _) => self.line(&format!("add.u32 %r{into}, %r0, {by}; and.b32 %r{into}, %r{into}, 31;")),
            (8, _) => self.line(&format!("mov.u32 %r{into}, {by};")),
            (9, _) => self.line(&format!("shr.u32 %r{into}, %r0, 1;")),
            (10, _) => self.line(&format!("and.b32 %r{into}, %r4, 63;")),
            (11, Some(counter)) => {
                let factor = self.random.below(9);
                self.line(&format!("mad.lo.u32 %r{into}, %r{counter}, {factor}, %r0;"));
            }
            (12, Some(counter)) => self.line(&format!("sub.u32 %r{into}, %r0, %r{counter};")),
            (_, Some(counter)) => self.line(&format!("add.u32 %r{into}, %r0, %r{counter};")),
            (_, None) => self.line(&format!("add.u32 %r{into}, %r0, 16;")),
        }
        into
    }

    /// Returns the state space and the address of a word that is computed here.
    fn address(&mut self, memories: Memories) -> (&'static str, String) {
        let shared = match memories {
            Memories { shared: true, global: true } => self.random.chance(60),
            Memories { shared, .. } => shared,
        };
        let pointer = self.pointers.last().copied().filter(|&(_, moves_in)| moves_in == shared);
        if let Some((pointer, _)) = pointer
            && self.random.chance(60)
        {
            let (kind, by) = (if shared { "r" } else { "rd" }, 4 * (MIDDLE + self.random.below(34)));
            return (if shared { "shared" } else { "global" }, format!("[%{kind}{pointer}+{by}]"));
        }
        let (index, into) = (self.index(), self.register());
        let by = 4 * (MIDDLE + self.random.below(3) * 16);
        if shared {
            self.line(&format!("shl.b32 %r{into}, %r{index}, 2; add.u32 %r{into}, %r14, %r{into};"));
            return ("shared", format!("[%r{into}+{by}]"));
        }
        self.line(&format!("mul.wide.s32 %rd{into}, %r{index}, 4; add.s64 %rd{into}, %rd4, %rd{into};"));
        ("global", format!("[%rd{into}+{by}]"))
    }

    /// Writes a guard of one instruction, or nothing.
    fn guard(&mut self) -> String {
        if !self.random.chance(12) {
            return String::new();
        }
        let predicate = self.condition();
        format!("@%p{predicate} ")
    }

    /// Writes a condition that lanes may differ in to a new predicate.
    fn condition(&mut self) -> u32 {
        let kind = self.random.below(6);
        self.condition_of(kind)
    }

    /// Writes a condition of a branch. A loop in which what was read decides on branches may wait for another lane, so that lanes take turns in it and are not in lockstep.
    fn condition_of_branch(&mut self) -> u32 {
        if self.counters.is_empty() {
            return self.condition();
        }
        let kind = self.random.below(4);
        self.condition_of(kind)
    }

    /// Writes a condition of a kind; that of kind 4 depends on what was read.
    fn condition_of(&mut self, kind: u32) -> u32 {
        let into = self.register();
        let counter = self.counters.last().copied();
        match (kind, counter) {
            (0 | 1, _) => {
                let bound = 1 << self.random.below(5);
                self.line(&format!("setp.lt.u32 %p{into}, %r0, {bound};"));
            }
            (2, _) => self.line(&format!("and.b32 %r{into}, %r0, 1; setp.eq.u32 %p{into}, %r{into}, 0;")),
            (3, Some(counter)) => self.line(&format!("setp.lt.u32 %p{into}, %r0, %r{counter};")),
            (4, _) => self.line(&format!("and.b32 %r{into}, %r4, 3; setp.ne.u32 %p{into}, %r{into}, 0;")),
            _ => self.line(&format!("setp.ge.u32 %p{into}, %r0, {};", self.random.clone().below(30))),
        }
        into
    }

    fn statements(&mut self, count: u32, memories: Memories, together: bool) {
        for _ in 0..count {
            self.statement(memories, together);
        }
    }

    /// Writes a statement. `together` says whether all lanes execute it.
    fn statement(&mut self, memories: Memories, together: bool) {
        let deep = self.depth >= 3;
        match self.random.below(20) {
            0..=4 => self.load(memories),
            5..=8 => self.store(memories),
            9..=11 => self.update(memories),
            12 if together => self.line("bar.sync 0;"),
            13 if together => self.line("bar.warp.sync 0xffffffff;"),
            14 | 15 if !deep => self.branch(memories),
            16 | 17 if !deep => self.counted(memories, together),
            18 if !deep => self.halving(memories, together),
            19 if !deep => self.left_apart(memories),
            _ => self.load(memories),
        }
    }

    fn load(&mut self, memories: Memories) {
        let (space, address) = self.address(memories);
        let (guard, into) = (self.guard(), 4 + self.random.below(READ));
        let value = self.register();
        self.line(&format!("mov.u32 %r{value}, 5; {guard}ld.{space}.u32 %r{value}, {address};"));
        self.line(&format!("mad.lo.u32 %r{into}, %r{into}, 3, %r{value};"));
    }

    fn store(&mut self, memories: Memories) {
        let (space, address) = self.address(memories);
        let (guard, from) = (self.guard(), 4 + self.random.below(READ));
        self.line(&format!("{guard}st.{space}.u32 {address}, %r{from};"));
    }

    /// Writes `a[i] += a[j]`.
    fn update(&mut self, memories: Memories) {
        let one = Memories { shared: memories.shared, global: memories.global && !memories.shared };
        let (space, from) = self.address(one);
        let (_, to) = self.address(one);
        let (guard, x, y) = (self.guard(), self.register(), self.register());
        self.line(&format!(
            "{guard}ld.{space}.u32 %r{x}, {to}; {guard}ld.{space}.u32 %r{y}, {from}; add.u32 %r{x}, %r{x}, %r{y}; {guard}st.{space}.u32 {to}, %r{x};"
        ));
    }

    /// Writes an `if`, of which lanes take different ways, with memory of its own for each.
    fn branch(&mut self, memories: Memories) {
        let (predicate, label) = (self.condition_of_branch(), self.label());
        let both = memories.shared && memories.global && self.random.chance(50);
        let negated = if self.random.chance(50) { "!" } else { "" };
        self.line(&format!("@{negated}%p{predicate} bra ELSE{label};"));
        self.depth += 1;
        let first = if both { Memories { global: false, ..memories } } else { memories };
        let count = 1 + self.random.below(3);
        self.statements(count, first, false);
        if both {
            self.line(&format!("bra JOIN{label};"));
        }
        self.line(&format!("ELSE{label}:"));
        if both {
            self.statements(count, Memories { shared: false, ..memories }, false);
            self.line(&format!("JOIN{label}:"));
        }
        self.depth -= 1;
    }

    /// Writes a loop that all lanes leave together, sometimes one that lanes may leave before.
    fn counted(&mut self, memories: Memories, together: bool) {
        let (counter, predicate, label) = (self.register(), self.register(), self.label());
        let (rounds, step) = (2 + self.random.below(4), 1 + self.random.below(3));
        self.line(&format!("mov.u32 %r{counter}, 0;"));
        let pointer = self
            .random
            .chance(40)
            .then(|| (self.register(), memories.shared && (!memories.global || self.random.chance(50))));
        if let Some((pointer, shared)) = pointer {
            match shared {
                true => self.line(&format!("shl.b32 %r{pointer}, %r0, 2; add.u32 %r{pointer}, %r{pointer}, %r14;")),
                false => {
                    self.line(&format!("mul.wide.u32 %rd{pointer}, %r0, 4; add.u64 %rd{pointer}, %rd{pointer}, %rd4;"))
                }
            }
        }
        self.line(&format!("LOOP{label}:"));
        self.counters.push(counter);
        self.pointers.extend(pointer);
        self.depth += 1;
        let breaks = self.random.chance(25);
        let count = 1 + self.random.below(3);
        self.statements(count, memories, together && !breaks);
        if breaks {
            let leaves = self.condition_of_branch();
            self.line(&format!("@%p{leaves} bra LEFT{label};"));
            self.statements(1, memories, false);
        }
        self.depth -= 1;
        self.counters.pop();
        if let Some((pointer, shared)) = pointer {
            self.pointers.pop();
            let (kind, by) = (if shared { "r" } else { "rd" }, 4 * (i64::from(self.random.below(20)) - 8));
            self.line(&format!("add.s{} %{kind}{pointer}, %{kind}{pointer}, {by};", if shared { 32 } else { 64 }));
        }
        self.line(&format!(
            "add.u32 %r{counter}, %r{counter}, {step}; setp.lt.u32 %p{predicate}, %r{counter}, {}; @%p{predicate} bra LOOP{label};\nLEFT{label}:",
            rounds * step
        ));
    }

    /// Writes a loop as in a reduction.
    fn halving(&mut self, memories: Memories, together: bool) {
        let (half, predicate, label) = (self.register(), self.register(), self.label());
        let first = *self.random.pick(&[16, 16, 32, 64, 8]);
        let last = *self.random.pick(&[0, 0, 0, 16, 31]);
        self.line(&format!("mov.u32 %r{half}, {first};\nLOOP{label}:"));
        let guarded = self.random.chance(60);
        let barrier = together && self.random.chance(40);
        if guarded {
            let inside = self.register();
            self.line(&format!("setp.ge.u32 %p{inside}, %r0, %r{half}; @%p{inside} bra SKIP{label};"));
        }
        let shared = memories.shared && (!memories.global || self.random.chance(70));
        let (own, other, x, y) = (self.register(), self.register(), self.register(), self.register());
        let (space, a, b) = match shared {
            true => {
                self.line(&format!("shl.b32 %r{own}, %r0, 2; add.u32 %r{own}, %r14, %r{own}; shl.b32 %r{other}, %r{half}, 2; add.u32 %r{other}, %r{own}, %r{other};"));
                ("shared", format!("[%r{own}+{}]", 4 * MIDDLE), format!("[%r{other}+{}]", 4 * MIDDLE))
            }
            false => {
                self.line(&format!("mul.wide.u32 %rd{own}, %r0, 4; add.u64 %rd{own}, %rd4, %rd{own}; add.u32 %r{other}, %r0, %r{half}; mul.wide.u32 %rd{other}, %r{other}, 4; add.u64 %rd{other}, %rd4, %rd{other};"));
                ("global", format!("[%rd{own}+{}]", 4 * MIDDLE), format!("[%rd{other}+{}]", 4 * MIDDLE))
            }
        };
        self.line(&format!("ld.{space}.u32 %r{x}, {a}; ld.{space}.u32 %r{y}, {b}; add.u32 %r{x}, %r{x}, %r{y}; st.{space}.u32 {a}, %r{x};"));
        if guarded {
            self.line(&format!("SKIP{label}:"));
        }
        if barrier {
            self.line("bar.sync 0;");
        }
        self.line(&format!("shr.u32 %r{half}, %r{half}, 1; setp.gt.u32 %p{predicate}, %r{half}, {last}; @%p{predicate} bra LOOP{label};"));
    }

    /// Writes a loop that lanes leave apart.
    fn left_apart(&mut self, memories: Memories) {
        let (left, counter, predicate, label) = (self.register(), self.register(), self.register(), self.label());
        self.line(&format!("and.b32 %r{left}, %r0, 3; mov.u32 %r{counter}, 0;\nLOOP{label}:"));
        self.counters.push(counter);
        self.depth += 1;
        let count = 1 + self.random.below(2);
        self.statements(count, memories, false);
        self.depth -= 1;
        self.counters.pop();
        self.line(&format!(
            "add.u32 %r{counter}, %r{counter}, 1; setp.ne.u32 %p{predicate}, %r{left}, 0; sub.u32 %r{left}, %r{left}, 1; @%p{predicate} bra LOOP{label};"
        ));
    }

    /// Writes what was read, and the region in shared memory.
    fn end(&mut self) {
        let own = self.register();
        self.line(&format!("bar.sync 0; add.u32 %r{own}, %r1, %r1; and.b32 %r15, %r2, 31; add.u32 %r{own}, %r{own}, %r15; mul.wide.u32 %rd{own}, %r{own}, 4; add.u64 %rd{own}, %rd2, %rd{own};"));
        for number in 0..READ {
            self.line(&format!("st.global.u32 [%rd{own}+{}], %r{};", 128 * number, 4 + number));
        }
        self.line("shl.b32 %r15, %r15, 2; add.u32 %r15, %r14, %r15;");
        for part in 0..REGION / 32 {
            let value = self.register();
            self.line(&format!(
                "ld.shared.u32 %r{value}, [%r15+{}]; st.global.u32 [%rd{own}+{}], %r{value};",
                128 * part,
                128 * (READ + part)
            ));
        }
        self.line("ret;");
    }
}
