//! What is known of the lanes of a kernel's warps, as data for reports: their dependences, the cuts and which dependence demands each, and what was assumed.
//!
//! Lines are those of the PTX text.

use analysis::{Analyses, LaneDependence, Loop};
use ptx_parser::{Inst, Kernel};

use crate::implicit::Meetings;

/// What is known of the lanes of a kernel's warps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Synchronisation {
    /// The name of the kernel in the PTX.
    pub kernel: String,
    /// The dependences between accesses to memory that lanes share; empty unless the treatment is `splitting`.
    pub dependences: Vec<Dependence>,
    /// The cuts at which lanes of a warp meet because of them, in the order of the control flow.
    pub cuts: Vec<Cut>,
    /// Accesses on different ways of a branch that lanes may depend on.
    pub siblings: Vec<Siblings>,
    /// What was assumed, a sentence for each.
    pub assumptions: Vec<&'static str>,
    /// There are too many accesses for a look at each pair, so that lanes meet in front of each.
    pub too_many: bool,
    /// The shapes of blocks that need no cut, as [`analysis::Shapes::bits`] has them.
    pub shapes_without_cuts: u64,
}

/// A dependence between accesses of two lanes, or of one. In lockstep, the source is executed first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependence {
    /// The line of the access that comes first.
    pub source: u32,
    /// The line of the one that comes after it.
    pub sink: u32,
    /// The two instructions.
    pub opcodes: [String; 2],
    /// `flow`, `anti` or `output`.
    pub kind: &'static str,
    /// The lane of the sink against that of the source, then the iterations of the loops around both, the outermost first: `<` where the source has the lower number, `=`, `>`,
    /// `*` for any. In blocks whose warps lie in rows; `none` if no lanes depend on each other there.
    pub vector: Vec<&'static str>,
    /// The lines at which those loops begin.
    pub loops: Vec<u32>,
    /// `intra`, `benign`, `reversible` or `critical`, in blocks whose warps lie in rows.
    pub class: &'static str,
    /// The class in blocks of any shape.
    pub class_in_any_shape: &'static str,
    /// The difference of the addresses is known.
    pub certain: bool,
    /// It takes indices and counters of 32 bits not to wrap.
    pub assumes_no_wrap: bool,
}

/// An instruction in front of which the lanes of a warp meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Its line.
    pub line: u32,
    /// The instruction.
    pub opcode: String,
    /// The index of the dependence that demands it; `None` if all accesses have one.
    pub dependence: Option<usize>,
    /// Blocks whose warps lie in rows have it, too. Others are for other blocks alone.
    pub in_rows: bool,
}

/// Accesses on different ways of a branch that lanes may depend on: machines may take either way first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Siblings {
    /// The line of the branch.
    pub branch: u32,
    /// The lines of the accesses.
    pub accesses: [u32; 2],
}

impl Synchronisation {
    pub(crate) fn of(kernel: &Kernel, analyses: &Analyses, meetings: &Meetings) -> Synchronisation {
        let line = |inst: Inst| kernel.text_position(inst).map_or(0, |at| at.line);
        let opcode = |inst: Inst| kernel.opcode(inst).text().to_owned();
        let header = |id: Loop| analyses.cfg.insts(analyses.loops.header(id)).first().map_or(0, |&inst| line(inst));
        let dependence = |one: &LaneDependence| Dependence {
            source: line(one.source),
            sink: line(one.sink),
            opcodes: [one.source, one.sink].map(opcode),
            kind: one.kind.name(),
            vector: one.elements(),
            loops: one.iterations.iter().map(|&(id, _)| header(id)).collect(),
            class: one.class().name(),
            class_in_any_shape: one.class_in_any_shape().name(),
            certain: one.is_certain,
            assumes_no_wrap: one.assumes_no_wrap,
        };
        let found = &meetings.dependences;
        let cuts = meetings.cuts.iter().map(|cut| Cut {
            line: line(cut.inst),
            opcode: opcode(cut.inst),
            dependence: cut.dependence,
            in_rows: cut.in_rows,
        });
        let siblings = found.siblings.iter().map(|siblings| Siblings {
            branch: line(siblings.branch),
            accesses: [siblings.first, siblings.second].map(line),
        });
        Synchronisation {
            kernel: kernel.name().to_owned(),
            dependences: found.dependences.iter().map(dependence).collect(),
            cuts: cuts.collect(),
            siblings: siblings.collect(),
            assumptions: meetings.assumptions(),
            too_many: found.too_many,
            shapes_without_cuts: meetings.none_in.bits(),
        }
    }

    /// Returns the sentences that a run shows: what was assumed, and where the order of two ways of a branch matters.
    pub(crate) fn notes(&self) -> Vec<String> {
        let assumptions = self.assumptions.iter().map(|&assumption| format!("{}: {assumption}", self.kernel));
        let mut branches: Vec<u32> = self.siblings.iter().map(|siblings| siblings.branch).collect();
        branches.dedup();
        let siblings = branches.into_iter().map(|branch| {
            format!(
                "{}: lanes may depend on accesses on both ways of the branch at PTX line {branch}; they take the ways in the order of the text, which a GPU need not do",
                self.kernel
            )
        });
        assumptions.chain(siblings).collect()
    }
}
