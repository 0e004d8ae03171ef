//! Random kernels with one marked loop and one to five marked regions, as PTX text.
//!
//! The kernels are what nvcc could have made: rotated and unrotated loops, guards, early returns, breaks, plain `if`s around, before and
//! behind the regions, inner loops and nested `if`s in them, values of every width that are alive across them, registers that are used
//! again for something else, words that a loop carries and that follow from each other. Regions are marked `if`s one after the other, `else if` chains, and cases of a `switch` with a table;
//! loops that are run in steps, of none, one or many, with and without code behind them; loops over ranges, whose steps are independent
//! of each other; and such paths in marked `if`s.
//! Some have source positions with functions that are inlined into each other, read behind the loop what the paths of their iterations wrote, and have local
//! memory, an address of which is stored and read through in paths.
//! In some, lanes that skip the loop also skip what the others do with its result, or do something else.
//! In some, paths have registers that two instructions with complementary guards write together, or loops that never end and that no lane comes to.
//! Some carry accumulators from iteration to iteration, with every operator, which regions fold values into; some of them begin with subnormal numbers, and
//! fold with `.ftz`. In some, instructions are in scopes that declare registers, also of names that the kernel has elsewhere.
//! Iterations are independent, as the directives say: a region reads an input that nobody writes, stores to places that
//! belong to the iteration and to it, and adds to counters with atomics. So the memory afterwards does not depend on the order
//! in which regions of different iterations run. In some kernels, what follows a region in its iteration reads or writes what it writes or reads.
//!
//! Everything follows from a seed.

mod body;
mod derived_values;
pub(crate) mod emit;
mod guards;
mod lines;
mod local_memory;
mod memory_dependence;
mod paths;
mod random;
mod range;
mod reduce;
mod region;
mod scopes;
mod steps;
mod twin_registers;

pub use local_memory::LocalUse;
pub use random::Random;

use body::{Apart, Body};
use emit::Class;
use guards::Guards;
use lines::Lines;
use local_memory::Private;
use scopes::Scopes;

/// The way in which lanes enter the loop and leave it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LoopShape {
    /// `for (i = gtid; i < n; i += stride)`, test at the bottom, guarded by the same test before.
    Rotated,
    /// The same behind `if (gtid >= n) return;`.
    EarlyReturn,
    /// Test at the top.
    While,
    /// The same number of iterations for all threads, no guard.
    Constant,
    /// A number of iterations that each thread reads from memory.
    Variable,
}

/// A generated kernel and what it needs to run.
#[derive(Clone, Debug)]
pub struct Generated {
    /// A whole module with one kernel named `k`.
    pub ptx: String,
    /// The seed that it came from.
    pub seed: u64,
    /// The shape of its loop.
    pub shape: LoopShape,
    /// Threads of a block in x, y, z.
    pub block: [u32; 3],
    /// Blocks.
    pub grid: u32,
    /// The bound of grid-stride loops.
    pub n: u32,
    /// A number that is the same for all threads.
    pub salt: u32,
    /// Words of the input; a power of two.
    pub input_words: u32,
    /// The most iterations that a thread runs.
    pub most_iterations: u32,
    /// The accesses to local memory, if there are any.
    pub local: Option<LocalUse>,
}

impl Generated {
    /// All threads of the launch.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.grid * self.block.iter().product::<u32>()
    }

    /// Words that regions store to: one slot for each region of each iteration of each thread.
    #[must_use]
    pub fn region_slots(&self) -> u32 {
        self.slots() * MOST_REGIONS
    }

    /// Words that iterations store to: one slot for each iteration of each thread.
    #[must_use]
    pub fn slots(&self) -> u32 {
        self.threads() * self.most_iterations.max(1)
    }

    /// Returns what the buffers hold before the launch, in the order of the parameters; the first one is only read.
    #[must_use]
    pub fn buffers(&self) -> [(&'static str, Vec<u32>); 5] {
        let unwritten = |words: u32| vec![0xdead_beef; words as usize];
        [
            ("input", self.input()),
            ("region", unwritten(self.region_slots())),
            ("counters", vec![0; COUNTERS as usize]),
            ("behind", unwritten(self.slots())),
            ("final", unwritten(self.threads())),
        ]
    }

    /// The input, from the seed.
    #[must_use]
    pub fn input(&self) -> Vec<u32> {
        let mut random = Random::new(self.seed ^ 0x5eed);
        (0..self.input_words).map(|_| random.next() as u32).collect()
    }
}

/// The most regions of a loop.
pub const MOST_REGIONS: u32 = 5;

/// Counters that regions add to.
pub const COUNTERS: u32 = 16;

/// Makes the kernel of a seed.
#[must_use]
pub fn kernel(seed: u64) -> Generated {
    let mut random = Random::new(seed);
    let shape = *random.pick(&[
        LoopShape::Rotated,
        LoopShape::Rotated,
        LoopShape::EarlyReturn,
        LoopShape::While,
        LoopShape::Constant,
        LoopShape::Variable,
    ]);
    let block = *random.pick(&[
        [1, 1, 1],
        [31, 1, 1],
        [32, 1, 1],
        [33, 1, 1],
        [64, 1, 1],
        [7, 5, 1],
        [16, 3, 2],
        [100, 1, 1],
        [256, 1, 1],
    ]);
    let grid = 1 + random.below(3);
    let threads = grid * block.iter().product::<u32>();
    let n = match random.below(8) {
        0 => 0,
        1 => 1,
        2 => threads.saturating_sub(1),
        3 => threads + 1,
        _ => random.below(threads * 6 + 7),
    };
    let salt = random.next() as u32;
    let iterations = 1 + random.below(7);
    let most_iterations = match shape {
        LoopShape::Rotated | LoopShape::EarlyReturn | LoopShape::While => n.div_ceil(threads),
        LoopShape::Constant => iterations,
        LoopShape::Variable => 7,
    };
    let input_words = 1 << (6 + random.below(4));
    let mut body = Body::new(&mut random, shape, input_words, most_iterations, iterations);
    // In some kernels, most loops that are run in steps count through a range.
    body.ranges = matches!(seed % 5, 1 | 3);
    body.sinks = seed % 7 == 2;
    body.twins = seed.is_multiple_of(4);
    body.depends = seed % 6 == 2;
    body.reads_behind = seed % 3 == 1;
    body.code.lines = (seed % 4 == 1).then(|| Lines::new(seed ^ 0x11e5));
    body.code.scopes = (seed % 7 == 3).then(|| Scopes::new(seed ^ 0x5c09e5));
    body.code.subnormal = (seed % 5 == 4).then(|| Random::new(seed ^ 0x50b));
    body.between = (seed % 4 == 1).then(|| body.code.reg(Class::Word));
    body.apart = match seed % 10 {
        3 => Some(Apart::Skips),
        8 => Some(Apart::Else),
        _ => None,
    };
    body.guards = matches!(seed % 9, 4 | 7).then(|| Guards::new(seed ^ 0x9a2d5, seed % 9 == 7));
    let uses = [LocalUse::Kept, LocalUse::Stored, LocalUse::Read];
    let local = (seed % 6 == 5).then(|| uses[(seed / 6 % 3) as usize]);
    body.private = local.map(|usage| Private::new(seed ^ 0x10ca1, usage));
    let ptx = body.module();
    Generated { ptx, seed, shape, block, grid, n, salt, input_words, most_iterations, local }
}
