//! Implicit synchronisation: the instructions in front of which lanes of a warp meet, because on a GPU they execute in lockstep (Guo et al., Sections V and VI-A).
//!
//! Between barriers a thread loop runs one lane after the other, in ascending order. [`LaneDependences`] says which dependences between lanes that does not keep: those that are
//! critical, and those that are reversible, as long as no loop is reversed. `splitting` cuts the loop on every way from the source of such a dependence to its sink: in front of
//! the sink, unless another cut is there already. (Figure 6 cuts at each statement that is involved, and runs what it has collected before it in two loops, which would change
//! the order of statements within a lane.)
//!
//! A cut in a block that not all lanes execute keeps some lanes back while others go on. Then the order of lanes is no longer ascending, and a benign dependence is lost if its
//! source lies behind such a cut. So it gets a cut in front of its sink, too.
//!
//! Lanes that part at a branch take its ways in the order of the text, whole ways one after the other. A dependence between two ways is kept only on a machine that does the
//! same; a note says where one may exist.

use analysis::{Analyses, Class, LaneDependence, LaneDependences, Shapes, accesses_shared_state};
use ptx_parser::{Inst, Kernel};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Sync;
use crate::cuts::is_collective;

/// What `splitting` takes for granted of pointers, as a sentence.
pub(crate) const ASSUMPTION: &str =
    "pointers that are passed as different parameters are taken to point to memory that does not overlap";

/// What it takes for granted of indices.
pub(crate) const NO_WRAP: &str =
    "indices and counters of 32 bits are taken not to go past their last number and begin again";

/// Cuts are not thinned out if that takes more looks at dependences.
const MOST_LOOKS: usize = 20_000;

/// The instructions in front of which lanes of a warp meet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meetings {
    /// In any block.
    pub(crate) insts: FxHashSet<Inst>,
    /// The shapes of blocks that need none.
    pub(crate) none_in: Shapes,
    /// The cuts with the dependence that demands each, in the order of the control flow.
    pub(crate) cuts: Vec<Demand>,
    /// What is known of the lanes of a warp; empty unless the treatment is `splitting`.
    pub(crate) dependences: LaneDependences,
}

/// A cut, and why it is there.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    /// The instruction in front of which lanes meet.
    pub(crate) inst: Inst,
    /// The number of the dependence in [`LaneDependences::dependences`]; `None` where all accesses are cut.
    pub(crate) dependence: Option<usize>,
    /// Blocks need it whose warps lie in rows: of one dimension, or with a multiple of 32 threads in x. Others are for other blocks alone.
    pub(crate) in_rows: bool,
}

impl Meetings {
    /// Finds them for a treatment.
    pub(crate) fn of(kernel: &Kernel, analyses: &Analyses, sync: Sync) -> Meetings {
        match sync {
            Sync::Basic => Meetings { none_in: Shapes::ALL, ..Meetings::default() },
            Sync::Merging => {
                let placed = analyses.cfg.insts_in_order();
                Meetings::at_all(placed.filter(|&inst| accesses_shared_state(kernel, inst)))
            }
            Sync::Splitting => splitting(kernel, analyses),
        }
    }

    fn at_all(accesses: impl Iterator<Item = Inst>) -> Meetings {
        Meetings { insts: accesses.collect(), ..Meetings::default() }
    }

    /// What is taken for granted, as sentences.
    pub(crate) fn assumptions(&self) -> Vec<&'static str> {
        let wraps = self.dependences.dependences.iter().any(|one| one.assumes_no_wrap);
        let used = [(ASSUMPTION, self.dependences.assumes_apart), (NO_WRAP, wraps)];
        used.into_iter().filter(|&(_, used)| used).map(|(text, _)| text).collect()
    }
}

fn splitting(kernel: &Kernel, analyses: &Analyses) -> Meetings {
    let dependences = LaneDependences::of(kernel, analyses);
    if dependences.too_many {
        let accesses = dependences.accesses.clone();
        let cuts = accesses.iter().map(|&inst| Demand { inst, dependence: None, in_rows: true }).collect();
        return Meetings { cuts, dependences, ..Meetings::at_all(accesses.into_iter()) };
    }
    let places = analyses.cfg.insts_in_order().enumerate().map(|(place, inst)| (inst, place)).collect();
    let splitter = Splitter { kernel, analyses, dependences: &dependences.dependences, places };
    let of_any = splitter.cuts(&|one| one.class_in_any_shape());
    let of_rows = splitter.cuts(&|one| one.class());
    let none_in = dependences.dependences.iter().fold(Shapes::ALL, |all, one| all.and(one.kept_in));
    let mut cuts: Vec<Demand> = Vec::new();
    for &inst in &dependences.accesses {
        let find =
            |cuts: &[(Inst, usize)]| cuts.iter().find(|(cut, _)| *cut == inst).map(|&(_, dependence)| dependence);
        let (rows, any) = (find(&of_rows), find(&of_any));
        if rows.or(any).is_some() {
            cuts.push(Demand { inst, dependence: rows.or(any), in_rows: rows.is_some() });
        }
    }
    Meetings { insts: cuts.iter().map(|cut| cut.inst).collect(), none_in, cuts, dependences }
}

struct Splitter<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    dependences: &'a [LaneDependence],
    /// The place of each instruction in the order of the control flow.
    places: FxHashMap<Inst, usize>,
}

impl Splitter<'_> {
    /// Returns the cuts and the number of a dependence that demands each, given the classes of dependences.
    fn cuts(&self, class: &dyn Fn(&LaneDependence) -> Class) -> Vec<(Inst, usize)> {
        let mut cuts: Vec<(Inst, usize)> = Vec::new();
        let lost = |one: &LaneDependence| matches!(class(one), Class::Reversible | Class::Critical);
        self.cover(&lost, &mut cuts);
        // Benign dependences behind cuts that some lanes wait at alone.
        loop {
            let delayed = self.delayed(&cuts);
            let endangered = |one: &LaneDependence| class(one) == Class::Benign && delayed.contains(&one.source);
            let before = cuts.len();
            self.cover(&endangered, &mut cuts);
            if cuts.len() == before {
                break;
            }
        }
        self.thin(class, cuts)
    }

    /// Cuts all ways of some dependences on which lanes do not meet yet.
    fn cover(&self, demanded: &dyn Fn(&LaneDependence) -> bool, cuts: &mut Vec<(Inst, usize)>) {
        let numbered = || self.dependences.iter().enumerate().filter(|(_, one)| demanded(one));
        let mut sinks: Vec<(Option<usize>, Inst)> =
            numbered().map(|(_, one)| (self.places.get(&one.sink).copied(), one.sink)).collect();
        sinks.sort_unstable();
        sinks.dedup();
        for (_, sink) in sinks {
            let open = numbered().find(|(_, one)| one.sink == sink && self.is_open(one, cuts));
            if let Some((number, _)) = open {
                cuts.push((sink, number));
            }
        }
    }

    /// Leaves out cuts without which all ways still have one.
    fn thin(&self, class: &dyn Fn(&LaneDependence) -> Class, mut cuts: Vec<(Inst, usize)>) -> Vec<(Inst, usize)> {
        let mut at = 0;
        if cuts.len() * self.dependences.len() > MOST_LOOKS {
            return cuts;
        }
        while at < cuts.len() {
            let mut fewer = cuts.clone();
            fewer.remove(at);
            let delayed = self.delayed(&fewer);
            let demanded = |one: &LaneDependence| match class(one) {
                Class::Intra => false,
                Class::Benign => delayed.contains(&one.source),
                Class::Reversible | Class::Critical => true,
            };
            if self.dependences.iter().any(|one| demanded(one) && self.is_open(one, &fewer)) {
                at += 1;
            } else {
                cuts = fewer;
            }
        }
        cuts
    }

    /// Returns true if a way leads from the source of a dependence to its sink on which lanes do not meet. Those that meet at a cut which not all come to have met only if the
    /// cut is in front of the sink.
    fn is_open(&self, one: &LaneDependence, cuts: &[(Inst, usize)]) -> bool {
        let stops =
            |inst: Inst| cuts.iter().any(|&(cut, _)| cut == inst && (inst == one.sink || !self.parts_lanes(inst)));
        one.is_open(self.kernel, self.analyses, &stops)
    }

    /// The instructions that lanes may come to behind a cut that others do not wait at.
    fn delayed(&self, cuts: &[(Inst, usize)]) -> FxHashSet<Inst> {
        let collectives = self.analyses.cfg.insts_in_order().filter(|&inst| is_collective(self.kernel, inst));
        let all = cuts.iter().map(|&(cut, _)| cut).chain(collectives).filter(|&inst| self.parts_lanes(inst));
        all.flat_map(|inst| LaneDependences::reached_from(self.kernel, self.analyses, inst)).collect()
    }

    /// Returns true if some lanes may execute an instruction, or wait in front of it, where others do not.
    fn parts_lanes(&self, inst: Inst) -> bool {
        self.analyses.cfg.block_of(inst).is_none_or(|block| self.analyses.divergence.block_is_divergent(block))
    }
}
