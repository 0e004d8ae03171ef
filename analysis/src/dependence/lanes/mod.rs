//! Dependences between lanes of one warp that execute in lockstep (Guo et al., PACT 2011, Section V).
//!
//! Lanes in lockstep execute an instruction together, and an iteration of a loop before the next one. So of two accesses, the one that comes first is the source of a
//! dependence: a way leads from it to the other, the sink, in the same iteration of the loops around both, or in a later one of the loop that carries the dependence. If a thread
//! loop executes the code on that way instead, one lane after the other in ascending order, the source still comes first where its lane is not behind that of the sink.
//! That is Theorem 1, with the source written first: the first element of the vector is the lane of the sink minus that of the source, and the others are
//! lexicographically positive or zero.
//!
//! | class | lane of the sink minus lane of the source | a thread loop |
//! | --- | --- | --- |
//! | intra | 0 only: condition 1 | keeps the order |
//! | benign | not negative: conditions 2 and 3 | keeps it |
//! | reversible | not positive | keeps it if it is run in descending order |
//! | critical | both signs, or unknown | must be cut between the two |
//!
//! Which distances are possible is found by trying them: addresses are polynomials of the thread's number, of how often loops have gone round, and of values that both accesses
//! see alike. What is not known may be anything. Ways with a barrier of the CTA, or `bar.warp.sync` of all lanes, carry no dependence. A single instruction that lanes execute
//! together is none either, nor are two atomics, whose order lockstep does not decide.

mod finder;

use ptx_parser::{Inst, Kernel};
use rustc_hash::FxHashSet;

use self::finder::Finder;
use super::shapes::Shapes;
use super::ways::Ways;
use crate::analyses::Analyses;
use crate::loops::Loop;
use crate::shared_state::accesses_shared_state;

/// Kernels with more accesses to memory that lanes share are not looked at pair by pair.
const MOST_ACCESSES: usize = 600;

/// A set of signs of a distance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Signs {
    /// The source has the higher number.
    pub negative: bool,
    /// They have the same.
    pub zero: bool,
    /// The sink has the higher number.
    pub positive: bool,
}

impl Signs {
    /// Nothing is known.
    pub const ANY: Signs = Signs { negative: true, zero: true, positive: true };
    const NONE: Signs = Signs { negative: false, zero: false, positive: false };

    fn with(self, other: Signs) -> Signs {
        Signs {
            negative: self.negative || other.negative,
            zero: self.zero || other.zero,
            positive: self.positive || other.positive,
        }
    }

    /// Returns it as in a direction vector: `<` where the source has the lower number.
    #[must_use]
    pub fn text(self) -> &'static str {
        match (self.negative, self.zero, self.positive) {
            (false, false, false) => "none",
            (false, true, false) => "=",
            (false, false, true) => "<",
            (false, true, true) => "<=",
            (true, false, false) => ">",
            (true, true, false) => ">=",
            (true, ..) => "*",
        }
    }
}

/// What the first access of a dependence does, and what the second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DependenceKind {
    /// The sink reads what the source writes.
    Flow,
    /// The sink overwrites what the source reads.
    Anti,
    /// Both write.
    Output,
}

impl DependenceKind {
    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
        }
    }
}

/// The class of a dependence (Guo et al., Section VI-A, step 3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// Within one lane.
    Intra,
    /// A thread loop keeps it.
    Benign,
    /// A thread loop in descending order keeps it.
    Reversible,
    /// No thread loop keeps it.
    Critical,
}

impl Class {
    /// The class of a dependence by the signs of the distance of its lanes.
    #[must_use]
    pub fn of(lanes: Signs) -> Class {
        match (lanes.negative, lanes.positive) {
            (false, false) => Class::Intra,
            (false, true) => Class::Benign,
            (true, false) => Class::Reversible,
            (true, true) => Class::Critical,
        }
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Intra => "intra",
            Class::Benign => "benign",
            Class::Reversible => "reversible",
            Class::Critical => "critical",
        }
    }
}

/// A dependence between accesses of lanes in lockstep: the source comes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaneDependence {
    /// The access that comes first.
    pub source: Inst,
    /// The one that has to come after it.
    pub sink: Inst,
    /// What they do.
    pub kind: DependenceKind,
    /// The lane of the sink minus that of the source, in CTAs whose warps lie in rows ([`Shapes::ROWS`]).
    pub lanes: Signs,
    /// The same in CTAs of any shape.
    pub lanes_in_any_shape: Signs,
    /// The iteration of the sink minus that of the source, for each loop around both, outermost first.
    pub iterations: Vec<(Loop, Signs)>,
    /// The loop that has to go round before the sink is executed; `None` for the same iteration.
    pub carried_by: Option<Loop>,
    /// The shapes in which a thread loop in ascending order keeps it.
    pub kept_in: Shapes,
    /// The shapes in which it is between no two lanes of a warp.
    pub apart_in: Shapes,
    /// Both addresses and their difference are known, so that the distance is that of accesses which do meet if they are executed.
    pub is_certain: bool,
    /// No counter of 32 bits is taken to go past its last number and to begin again.
    pub assumes_no_wrap: bool,
}

impl LaneDependence {
    /// Returns true if a thread may come from the source to the sink without meeting the other lanes of its warp. `stops` says of an instruction whether they meet in front of it.
    #[must_use]
    pub fn is_open(&self, kernel: &Kernel, analyses: &Analyses, stops: &dyn Fn(Inst) -> bool) -> bool {
        Ways { kernel, analyses, stops }.lead(self.source, self.sink, self.carried_by)
    }

    /// The class in CTAs whose warps lie in rows.
    #[must_use]
    pub fn class(&self) -> Class {
        Class::of(self.lanes)
    }

    /// The class in CTAs of any shape.
    #[must_use]
    pub fn class_in_any_shape(&self) -> Class {
        Class::of(self.lanes_in_any_shape)
    }

    /// Returns the elements of its vector: that of the lanes, then those of the loops.
    #[must_use]
    pub fn elements(&self) -> Vec<&'static str> {
        let loops = self.iterations.iter().map(|(_, signs)| signs.text());
        std::iter::once(self.lanes.text()).chain(loops).collect()
    }

    /// Returns its vector as text.
    #[must_use]
    pub fn vector(&self) -> String {
        format!("({})", self.elements().join(", "))
    }
}

/// Accesses on different ways of a branch that lanes may depend on: nothing says which way is executed first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Siblings {
    /// The branch.
    pub branch: Inst,
    /// An access on one way.
    pub first: Inst,
    /// One on the other.
    pub second: Inst,
}

/// The dependences between lanes of one warp.
#[derive(Clone, Default, Debug)]
pub struct LaneDependences {
    /// All of them, by source and sink in the order of the control flow.
    pub dependences: Vec<LaneDependence>,
    /// Those between ways of branches, in CTAs whose warps lie in rows.
    pub siblings: Vec<Siblings>,
    /// The accesses to memory that lanes share.
    pub accesses: Vec<Inst>,
    /// Pairs were taken for independent because pointers that are passed as different parameters are taken to point to memory that does not overlap.
    pub assumes_apart: bool,
    /// There are too many accesses, so that none of the dependences is known.
    pub too_many: bool,
}

impl LaneDependences {
    /// Computes them.
    #[must_use]
    pub fn of(kernel: &Kernel, analyses: &Analyses) -> LaneDependences {
        let placed = analyses.cfg.insts_in_order();
        let accesses: Vec<Inst> = placed.filter(|&inst| accesses_shared_state(kernel, inst)).collect();
        if accesses.len() > MOST_ACCESSES {
            return LaneDependences { accesses, too_many: true, ..LaneDependences::default() };
        }
        Finder::of(kernel, analyses).find(accesses)
    }

    /// Returns the instructions that a thread may come to from in front of one before it meets all other lanes of its warp.
    #[must_use]
    pub fn reached_from(kernel: &Kernel, analyses: &Analyses, inst: Inst) -> FxHashSet<Inst> {
        Ways { kernel, analyses, stops: &|_| false }.reached(inst)
    }

    /// One line for each dependence, with the lines of its accesses.
    #[must_use]
    pub fn describe(&self, kernel: &Kernel) -> String {
        use std::fmt::Write as _;
        let line = |inst: Inst| kernel.text_position(inst).map_or(0, |at| at.line);
        let mut text = String::new();
        for one in &self.dependences {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "L{} -> L{}: {} {} {}{}{}",
                line(one.source),
                line(one.sink),
                one.kind.name(),
                one.vector(),
                one.class().name(),
                if one.is_certain { "" } else { ", not certain" },
                if one.assumes_no_wrap { ", assumes no wrap" } else { "" },
            );
        }
        for siblings in &self.siblings {
            let [branch, first, second] = [siblings.branch, siblings.first, siblings.second].map(line);
            let _ = writeln!(text, "L{first} | L{second}: ways of L{branch}");
        }
        text
    }
}
