//! The results that the CCC paper reports (MICRO 2015, Table 1 and Section 6.2, which names the bars of Figures 11 and 12). They were
//! measured on a GeForce GTX 780 with inputs too large for an emulator.

use serde::Serialize;

use super::program::Program;

/// A figure without CCC and with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Resource {
    /// Without CCC.
    pub before: u32,
    /// With CCC.
    pub after: u32,
}

/// The paper's figures for one program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Paper {
    /// Time of the kernels without CCC over that with it (Figure 11).
    pub speedup: f64,
    /// Warp execution efficiency in percent without CCC (Figure 12).
    pub efficiency_before: u32,
    /// The same with CCC; none where the text does not say it and the figure has no number.
    pub efficiency_after: Option<u32>,
    /// 32-bit registers per thread (Table 1).
    pub registers: Resource,
    /// Bytes of shared memory per thread (Table 1).
    pub shared_bytes: Resource,
}

impl Paper {
    /// Returns what the paper says of a program.
    #[must_use]
    pub fn of(program: Program) -> Paper {
        let figures = |speedup, efficiency: (u32, Option<u32>), registers: (u32, u32), shared: (u32, u32)| Paper {
            speedup,
            efficiency_before: efficiency.0,
            efficiency_after: efficiency.1,
            registers: Resource { before: registers.0, after: registers.1 },
            shared_bytes: Resource { before: shared.0, after: shared.1 },
        };
        match program {
            Program::Bfs => figures(1.13, (58, None), (15, 26), (0, 8)),
            Program::Dqg => figures(1.63, (37, Some(93)), (25, 31), (8, 24)),
            Program::Emies => figures(1.34, (44, Some(92)), (28, 32), (0, 24)),
            Program::Ff => figures(3.08, (13, Some(53)), (21, 29), (0, 24)),
            Program::Hash => figures(1.20, (25, Some(96)), (22, 28), (0, 12)),
            Program::Iefa => figures(2.72, (41, Some(97)), (24, 32), (0, 24)),
            Program::Rt => figures(1.38, (67, Some(96)), (21, 27), (0, 24)),
            Program::Sssp => figures(1.09, (64, None), (19, 29), (0, 16)),
        }
    }

    /// The average warp execution efficiency of the eight programs in percent, without CCC and with it.
    pub const AVERAGE_EFFICIENCY: (f64, f64) = (43.7, 89.8);

    /// The average speedup of the eight programs.
    pub const AVERAGE_SPEEDUP: f64 = 1.69;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The averages that the paper states follow from what it states of each program.
    #[test]
    fn the_averages_are_those_of_the_programs() {
        let all = Program::ALL.map(Paper::of);
        let average = |figure: &dyn Fn(&Paper) -> f64| all.iter().map(figure).sum::<f64>() / all.len() as f64;
        assert!((average(&|paper| paper.speedup) - Paper::AVERAGE_SPEEDUP).abs() < 0.02);
        assert!((average(&|paper| f64::from(paper.efficiency_before)) - Paper::AVERAGE_EFFICIENCY.0).abs() < 0.5);
    }
}
