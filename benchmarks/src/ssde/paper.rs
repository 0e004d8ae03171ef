//! The results that the paper reports (MICRO 2016, Section V): Tables III and IV, and the numbers that its text gives for its figures. The
//! bars of Figures 8 to 12 have no numbers, so that the results of single programs cannot be read from them.
//!
//! The paper measured time on a Tesla K20C and in GPGPU-Sim, and compiled with LLVM 3.6 at -O0 and -O2. It compares M at -O2 with
//! an S for which two passes were left out.

use serde::Serialize;

use super::program::{Optimisation, Program};

/// Time of M+SSDE over that of S, at -O0 and at the highest level (Section V.B, Figure 8).
pub const OVERHEAD: [f64; 2] = [1.109, 1.082];

/// Time of S at -O0 over that of M+SSDE at the highest level.
pub const SPEEDUP: f64 = 1.447;

/// The most that tables of four splits and two reconvergence points cost, on the average and at worst, over 32 and 32 (Figure 12).
pub const SMALL_TABLES: [f64; 2] = [1.05, 1.16];

/// One row of Table III for one level: the loops that were transformed, and what M, S and M+SSDE take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StaticCode {
    /// Loops with a true detection.
    pub true_loops: u32,
    /// Loops with a false one.
    pub false_loops: u32,
    /// Static SASS instructions of M, S and M+SSDE.
    pub instructions: [u32; 3],
    /// Registers of M, S and M+SSDE.
    pub registers: [u32; 3],
    /// Bytes of stack of M, S and M+SSDE.
    pub stack_bytes: [u32; 3],
}

impl StaticCode {
    /// The row of a program, if Table III has it.
    #[must_use]
    pub fn of(program: Program, optimisation: Optimisation) -> Option<StaticCode> {
        let row = |loops: (u32, u32), instructions, registers, stack_bytes| {
            Some(StaticCode { true_loops: loops.0, false_loops: loops.1, instructions, registers, stack_bytes })
        };
        match (program, optimisation) {
            (Program::Ht, Optimisation::None) => row((1, 1), [408, 436, 422], [12, 12, 12], [128, 128, 128]),
            (Program::Ht, Optimisation::Full) => row((1, 0), [184, 177, 198], [16, 16, 18], [0, 0, 0]),
            (Program::Atm, Optimisation::None) => row((1, 1), [506, 506, 527], [11, 11, 11], [168, 168, 168]),
            (Program::Atm, Optimisation::Full) => row((1, 0), [233, 247, 394], [20, 21, 30], [0, 0, 0]),
            (Program::CpDs, Optimisation::None) => row((2, 0), [624, 631, 617], [31, 37, 37], [0, 0, 0]),
            (Program::CpDs, Optimisation::Full) => row((2, 0), [631, 631, 632], [31, 39, 46], [0, 0, 0]),
            (Program::BhTb, Optimisation::None) => row((1, 3), [1871, 1836, 1899], [17, 17, 17], [344, 336, 344]),
            (Program::BhTb, Optimisation::Full) => row((1, 3), [534, 891, 1164], [40, 38, 40], [0, 24, 296]),
            (Program::BhSm, Optimisation::None) => row((0, 2), [1983, 1983, 2011], [36, 36, 36], [176, 176, 176]),
            (Program::BhSm, Optimisation::Full) => row((0, 1), [933, 996, 1192], [55, 55, 72], [0, 0, 0]),
            (Program::BhSt, Optimisation::None) => row((1, 0), [520, 485, 541], [16, 16, 16], [96, 88, 96]),
            (Program::BhSt, Optimisation::Full) => row((1, 1), [219, 226, 261], [22, 22, 24], [0, 0, 0]),
            (Program::BhFc, Optimisation::None) => row((0, 3), [1549, 1549, 1591], [36, 36, 36], [272, 272, 272]),
            (Program::BhFc, Optimisation::Full) => row((0, 1), [765, 765, 891], [48, 48, 48], [40, 32, 56]),
            _ => None,
        }
    }
}

/// One row of Table IV.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Detections {
    /// Kernels.
    pub kernels: u32,
    /// Branches in them.
    pub branches: u32,
    /// Loops in them.
    pub loops: u32,
    /// Loops that were found.
    pub detections: u32,
    /// Those that deadlock.
    pub true_detections: u32,
    /// Those that do not.
    pub false_detections: u32,
    /// The latter over all loops.
    pub false_rate: f64,
}

impl Detections {
    /// The row of a level.
    #[must_use]
    pub fn of(optimisation: Optimisation) -> Detections {
        let (kernels, branches, loops, true_detections, false_detections, false_rate) = match optimisation {
            Optimisation::None => (159, 2751, 277, 0, 14, 0.0505),
            Optimisation::Full => (139, 1832, 242, 4, 10, 0.0413),
        };
        let detections = true_detections + false_detections;
        Detections { kernels, branches, loops, detections, true_detections, false_detections, false_rate }
    }
}

impl Program {
    /// Returns true if the paper's Figures 8 to 12 have it: the CUDA and OpenCL kernels, not the microbenchmarks of OpenMP.
    #[must_use]
    pub fn is_in_figures(self) -> bool {
        StaticCode::of(self, Optimisation::Full).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rates_are_false_detections_over_loops() {
        for optimisation in Optimisation::ALL {
            let row = Detections::of(optimisation);
            let rate = f64::from(row.false_detections) / f64::from(row.loops);
            assert!((rate - row.false_rate).abs() < 1e-4, "{row:?}");
        }
    }

    #[test]
    fn table_iii_has_seven_kernels() {
        assert_eq!(Program::ALL.iter().filter(|program| program.is_in_figures()).count(), 7);
    }
}
