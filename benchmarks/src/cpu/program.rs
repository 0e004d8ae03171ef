//! The programs by name.

use serde::{Deserialize, Serialize};
use toolkit::Toolkit;

use super::case::Case;
use super::ways::Texts;
use super::{cg, collected, common, dense, reduction, sorting};
use crate::error::Error;
use crate::variant::Source;
use crate::{ccc, emulator};

/// A program that is translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// Conjugate gradients.
    Cg,
    /// The sum of an array.
    Reduction,
    /// Bitonic and odd-even merge sort.
    SortingNetworks,
    /// A product of matrices with sums in registers.
    Sgemm,
    /// A matrix with rows and columns exchanged.
    Transpose,
    /// `y = a x + y`.
    Saxpy,
    /// Forces between all pairs of bodies.
    Nbody,
    /// A product of matrices in tiles.
    Matmul,
    /// Breadth-first search.
    Bfs,
    /// Steps of the Collatz sequence.
    Collatz,
    /// Points of the Mandelbrot set.
    Mandelbrot,
    /// Sweeps over a grid.
    Stencil,
    /// A program of the CCC paper, as it is before that rewrite.
    Collected(ccc::Program),
}

/// The size of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Size {
    /// Sizes for times: 3 to 100 ms of native code.
    Usual,
    /// Sizes for a look at the results: a few blocks.
    Quick,
}

impl Program {
    /// All of them: the paper's in the order of its Table I, then kernels that are known from elsewhere, then those of the CCC paper.
    pub const ALL: [Program; 20] = [
        Program::Cg,
        Program::Reduction,
        Program::SortingNetworks,
        Program::Sgemm,
        Program::Transpose,
        Program::Saxpy,
        Program::Nbody,
        Program::Matmul,
        Program::Bfs,
        Program::Collatz,
        Program::Mandelbrot,
        Program::Stencil,
        Program::Collected(ccc::Program::Bfs),
        Program::Collected(ccc::Program::Dqg),
        Program::Collected(ccc::Program::Emies),
        Program::Collected(ccc::Program::Ff),
        Program::Collected(ccc::Program::Hash),
        Program::Collected(ccc::Program::Iefa),
        Program::Collected(ccc::Program::Rt),
        Program::Collected(ccc::Program::Sssp),
    ];

    /// Says in one line what it is.
    #[must_use]
    pub fn about(self) -> &'static str {
        match self {
            Program::Cg => "Conjugate gradients; sums of warps without barriers",
            Program::Reduction => "Sum of an array; the last six levels without barriers",
            Program::SortingNetworks => "Bitonic and odd-even merge sort; steps within a warp without barriers",
            Program::Sgemm => "Matrix product in the style of Volkov; barriers only",
            Program::Transpose => "Matrix transpose in tiles; barriers only",
            Program::Saxpy => "Memory alone",
            Program::Nbody => "Arithmetic alone",
            Program::Matmul => "Matrix product in tiles; shared memory and barriers",
            Program::Bfs => "Breadth-first search; divergence and scattered accesses",
            Program::Collatz => "Collatz sequences; loops that diverge, of whole numbers",
            Program::Mandelbrot => "Mandelbrot set; loops that diverge, of floats",
            Program::Stencil => "Sweeps over a 2-D grid; neighbours in memory",
            Program::Collected(program) => program.about(),
        }
    }

    /// The program's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Program::Cg => "cg",
            Program::Reduction => "reduction",
            Program::SortingNetworks => "sorting-networks",
            Program::Sgemm => "sgemm",
            Program::Transpose => "transpose",
            Program::Saxpy => "saxpy",
            Program::Nbody => "nbody",
            Program::Matmul => "matmul",
            Program::Bfs => "bfs",
            Program::Collatz => "collatz",
            Program::Mandelbrot => "mandelbrot",
            Program::Stencil => "stencil",
            Program::Collected(program) => match program {
                ccc::Program::Bfs => "ccc-bfs",
                ccc::Program::Dqg => "ccc-dqg",
                ccc::Program::Emies => "ccc-emies",
                ccc::Program::Ff => "ccc-ff",
                ccc::Program::Hash => "ccc-hash",
                ccc::Program::Iefa => "ccc-iefa",
                ccc::Program::Rt => "ccc-rt",
                ccc::Program::Sssp => "ccc-sssp",
            },
        }
    }

    /// True if it is one of the paper's five.
    #[must_use]
    pub fn is_of_the_paper(self) -> bool {
        use Program::{Cg, Reduction, Sgemm, SortingNetworks, Transpose};
        matches!(self, Cg | Reduction | SortingNetworks | Sgemm | Transpose)
    }

    /// True if it relies on lanes of a warp executing in lockstep.
    #[must_use]
    pub fn is_warp_synchronous(self) -> bool {
        matches!(self, Program::Cg | Program::Reduction | Program::SortingNetworks)
    }

    /// Compiles its kernels, and rewrites those of the CCC paper.
    ///
    /// # Errors
    /// What the CUDA compiler or the rewriter have against them.
    pub(super) fn texts(self, arch: &str, toolkit: &Toolkit) -> Result<Texts, Error> {
        let plain = |source: Source<'_>, options: &[&str]| {
            Ok(Texts { ptx: source.ptx(options, arch, toolkit)?, rewritten: None })
        };
        match self {
            Program::Cg => plain(cg::SOURCE, &[]),
            Program::Reduction => plain(reduction::SOURCE, &[]),
            Program::SortingNetworks => plain(sorting::SOURCE, &[]),
            Program::Sgemm => plain(dense::SGEMM, &[]),
            Program::Transpose => plain(dense::TRANSPOSE, &[]),
            Program::Saxpy | Program::Nbody | Program::Matmul | Program::Bfs => plain(common::SHARED, &[]),
            Program::Collatz | Program::Mandelbrot | Program::Stencil => plain(common::LOOPS, &["-fmad=false"]),
            Program::Collected(program) => {
                let variants = program.source().build(&program.rewrites(), collected::BLOCK, arch, toolkit)?;
                let rewritten = variants.rewritten.into_iter().next().map(|first| first.variant.ptx);
                Ok(Texts { ptx: variants.original.ptx, rewritten })
            }
        }
    }

    /// The program with its input, the same on each run.
    ///
    /// # Errors
    /// A size that the program cannot have.
    pub(super) fn case(self, size: Size, arch: &str) -> Result<Case, Error> {
        let of = |usual: u32, quick: u32| if size == Size::Usual { usual } else { quick };
        // Both arrays of saxpy together are larger than most caches.
        let usual = |program: emulator::Program| match program {
            emulator::Program::Saxpy => 1 << 23,
            program => program.size(),
        };
        let shared = |program: emulator::Program, quick: u32| common::shared(program, of(usual(program), quick));
        Ok(match self {
            Program::Cg => cg::case(of(1 << 14, 1 << 10)),
            Program::Reduction => reduction::case(self.count(size)),
            Program::SortingNetworks => sorting::case(of(512, 4)),
            Program::Sgemm => dense::sgemm(of(768, 128)),
            Program::Transpose => dense::transpose(of(2048, 128)),
            Program::Saxpy => shared(emulator::Program::Saxpy, 1 << 14),
            Program::Nbody => shared(emulator::Program::Nbody, 256),
            Program::Matmul => shared(emulator::Program::Matmul, 64),
            Program::Bfs => shared(emulator::Program::Bfs, 1 << 12),
            Program::Collatz => common::collatz(of(1 << 19, 1 << 12)),
            Program::Mandelbrot => common::mandelbrot(of(512, 64)),
            Program::Stencil => common::stencil(of(2048, 100)),
            Program::Collected(program) => {
                collected::case(program, of(program.tasks(ccc::Size::Emulator), 1 << 9), arch)?
            }
        })
    }

    /// Numbers that `reduction` adds up, also where they are ones.
    pub(super) fn count(self, size: Size) -> u32 {
        match size {
            Size::Usual => 1 << 24,
            Size::Quick => 1 << 16,
        }
    }
}
