//! Detection (paper, Algorithms 1 and 2): loops that wait for a write which cannot happen while lanes of the same warp are in the loop, and where their
//! lanes may meet instead.
//!
//! In this order:
//!
//! 1. [`local_promotion`] makes a copy of the kernel in which the local memory of a thread is in registers.
//! 2. [`loops`] finds loops, also irreducible ones, and where the lanes that leave them reconverge; [`nested_loops`] those that lanes wait in together with a loop around them.
//! 3. [`exit_slice`] says what the exit of a loop depends on ([`selecting_branches`]: which branches select the value of a register where control flow joins);
//!    [`spin_loops`] whether it can see what other threads write; [`accesses`] and [`alias`] which accesses those are, and which of them may be to the same place.
//! 4. [`lock_free`] proves of loops that they wait for no other thread, or says what is assumed.
//! 5. [`waits_for`] finds the writes that a loop waits for, and [`relay`] those that these wait for.
//! 6. [`blocked_region`] says which of these cannot be executed while a lane is in the loop; [`single_lane`] and [`cta_chain`] which waits a single lane, or a
//!    chain of CTAs, cannot block. [`mod@survey`] puts all that together, and [`finding`] is what comes of it.
//! 7. [`safe_points`] finds where the lanes of a found loop can reconverge. [`reachability`] serves both.
//!
//! Waits that are not loops: [`mod@divergent_barriers`], [`recursion`]. Atomic updates that need lanes in lockstep: [`lockstep_updates`]. Facts of the module: [`module_context`], [`call_effects`].

pub(crate) mod accesses;
pub(crate) mod alias;
pub(crate) mod blocked_region;
pub(crate) mod call_effects;
pub(crate) mod cta_chain;
pub(crate) mod divergent_barriers;
pub(crate) mod exit_slice;
pub(crate) mod finding;
pub(crate) mod local_promotion;
pub(crate) mod lock_free;
pub(crate) mod lockstep_updates;
pub(crate) mod loops;
pub(crate) mod module_context;
pub(crate) mod nested_loops;
pub(crate) mod reachability;
pub(crate) mod recursion;
pub(crate) mod relay;
pub(crate) mod safe_points;
pub(crate) mod selecting_branches;
pub(crate) mod single_lane;
pub(crate) mod spin_loops;
pub(crate) mod survey;
pub(crate) mod waits_for;

use analysis::Analyses;
use ptx_parser::{Inst, Kernel, Position};

use finding::{Assumption, At, BothWays, Finding, SafePoint, Write, instruction_at};
use local_promotion::InRegisters;
use lock_free::Assumed;
use loops::CycleId;
use module_context::Context;
use survey::{DetectedId, Survey, survey};

use blocked_region::Blocked;

/// Finds the loops of a kernel that may deadlock on a machine with a reconvergence stack, and where their lanes may safely meet. Nothing is assumed of lock-free
/// loops.
#[must_use]
pub fn detect(kernel: &Kernel) -> Vec<Finding> {
    Detection::of(kernel, &Context::default().strictly(true)).findings(kernel)
}

/// The facts that were found about a kernel, for the list of its findings and for its rewrite.
pub(crate) struct Detection {
    pub(crate) facts: Analyses,
    pub(crate) survey: Survey,
}

impl Detection {
    /// Looks at a kernel, with what is known of the functions that it calls.
    pub(crate) fn of(kernel: &Kernel, context: &Context) -> Detection {
        let facts = Analyses::beside_traps(kernel);
        let survey = match InRegisters::of(&facts, kernel) {
            Some(copy) => survey(&Analyses::beside_traps(&copy.kernel), &copy.kernel, context).of_original(&copy),
            None => survey(&facts, kernel, context),
        };
        Detection { facts, survey }
    }

    /// The loops that may deadlock, of the kernel that was looked at.
    pub(crate) fn findings(&self, kernel: &Kernel) -> Vec<Finding> {
        let Detection { facts, survey } = self;
        let points = safe_points::points(facts, survey);
        let at = |inst: Inst| At::of(kernel, inst);
        let write = |(inst, blocked): &(Inst, Blocked)| Write {
            at: at(*inst),
            reachable: blocked.reachable,
            parallel: !blocked.parting.is_empty(),
        };
        let finding = |(id, safe): (DetectedId, Option<SafePoint>)| {
            let detected = &survey.detected[id];
            let cycle = &survey.cycles[detected.cycle];
            Finding {
                header: cycle.begin,
                at: facts.cfg.insts(cycle.begin).first().map(|&inst| at(inst)),
                instructions: cycle.insts(facts).count(),
                reads: detected.reads.iter().map(|&inst| at(inst)).collect(),
                weak: detected.weak,
                writes: detected.writes.iter().map(write).collect(),
                safe,
                meets_at: safe.and_then(|safe| instruction_at(&facts.cfg, safe)).map(at),
                meeting: cycle.meeting,
            }
        };
        points.into_iter().map(finding).collect()
    }
}

impl Detection {
    /// The branches with barriers on both ways that lanes of one warp are assumed not to part at.
    /// `origin` says where instructions were copied from.
    pub(crate) fn both_ways(&self, kernel: &Kernel, origin: &dyn Fn(Inst) -> Option<Position>) -> Vec<BothWays> {
        let at = |inst: Inst| At::of(kernel, inst);
        let pairs = divergent_barriers::pairs(&self.facts, kernel, origin).into_iter();
        let of = |pair: divergent_barriers::Pair| {
            let branch = self.facts.cfg.terminator(pair.branch)?;
            Some(BothWays { branch: at(branch), barriers: [at(pair.one), at(pair.other)], copies: pair.copies })
        };
        pairs.filter_map(of).collect()
    }

    /// Returns what is assumed of loops of the kernel that are not found for that.
    pub(crate) fn assumptions(&self, kernel: &Kernel) -> Vec<Assumption> {
        let Detection { facts, survey } = self;
        let at = |&inst: &Inst| At::of(kernel, inst);
        let assumption = |(cycle, assumed): &(CycleId, Assumed)| {
            let header = survey.cycles[*cycle].begin;
            Assumption { at: facts.cfg.insts(header).first().map(at), ..assumed.map(at) }
        };
        survey.assumed.iter().map(assumption).collect()
    }
}
