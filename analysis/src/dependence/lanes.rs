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

use std::cell::RefCell;

use ptx_parser::{Flow, Inst, Kernel, Memory, Space};
use rustc_hash::{FxHashMap, FxHashSet};

use super::difference::{Distance, Point, Side, View};
use super::known::{Knowledge, THREADS};
use super::polynomial::{Axis, Polynomial, Symbol};
use super::shapes::{Apart, Shape, Shapes};
use super::ways::Ways;
use super::{Access, MemoryDependence};
use crate::analyses::Analyses;
use crate::cfg::Block;
use crate::loops::Loop;
use crate::ssa::Value;

/// Kernels with more accesses to memory that lanes share are not looked at pair by pair.
const MOST_ACCESSES: usize = 600;

/// The most combinations of values that are tried.
const MOST_TRIED: u64 = 4096;

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
    /// The class in CTAs whose warps lie in rows.
    pub class: Class,
    /// The class in CTAs of any shape.
    pub class_in_any_shape: Class,
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

    /// Returns the elements of its vector: that of the lanes, then those of the loops.
    #[must_use]
    pub fn vector(&self) -> String {
        let loops = self.iterations.iter().map(|(_, signs)| signs.text());
        let elements: Vec<&str> = std::iter::once(self.lanes.text()).chain(loops).collect();
        format!("({})", elements.join(", "))
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
        let cfg = &analyses.cfg;
        let placed = cfg.reverse_postorder().iter().flat_map(|&block| cfg.insts(block)).copied();
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
                one.class.name(),
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

/// Returns true if an instruction accesses memory that lanes share.
#[must_use]
pub fn accesses_shared_state(kernel: &Kernel, inst: Inst) -> bool {
    let properties = kernel.properties(inst);
    match properties.memory {
        Memory::None | Memory::Fence => false,
        // A call is not an access; its function runs to its end.
        Memory::Unknown if properties.flow == Flow::Call => false,
        Memory::Read if kernel.opcode(inst).is_noncoherent() => false,
        _ => !matches!(properties.space, Some(Space::Const | Space::Param | Space::Local)),
    }
}

/// The possible distances of two accesses, for each shape.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Possible {
    rows: Signs,
    any: Signs,
    kept_in: Shapes,
    apart_in: Shapes,
    certain: bool,
}

/// What decides the distances of two accesses.
type Key = ([Polynomial; 2], [i64; 2], Option<Loop>, [Block; 2]);

struct Finder<'a> {
    kernel: &'a Kernel,
    analyses: &'a Analyses,
    /// Pointers that are passed as different parameters are apart.
    dependence: MemoryDependence<'a>,
    /// They may not be.
    strict: MemoryDependence<'a>,
    knowledge: Knowledge<'a>,
    polynomials: RefCell<FxHashMap<Inst, Option<Polynomial>>>,
    known: RefCell<FxHashMap<Key, (Possible, bool)>>,
    /// For each `%tid.x`, whether a thread that has it may execute an instruction.
    executing: RefCell<FxHashMap<Inst, Option<Vec<bool>>>>,
}

impl<'a> Finder<'a> {
    fn of(kernel: &'a Kernel, analyses: &'a Analyses) -> Finder<'a> {
        let of = |restricted: &[usize]| {
            let Analyses { cfg, loops, values, invariance, .. } = analyses;
            MemoryDependence::of(kernel, cfg, loops, values, invariance, restricted)
        };
        let all: Vec<usize> = (0..kernel.params().len()).collect();
        Finder {
            kernel,
            analyses,
            dependence: of(&all),
            strict: of(&[]),
            knowledge: Knowledge::of(kernel, analyses),
            polynomials: RefCell::default(),
            known: RefCell::default(),
            executing: RefCell::default(),
        }
    }

    fn find(&self, insts: Vec<Inst>) -> LaneDependences {
        let accesses: Vec<Access> = insts.iter().filter_map(|&inst| self.dependence.access(inst)).collect();
        let mut found = LaneDependences { accesses: insts, ..LaneDependences::default() };
        let ways = Ways { kernel: self.kernel, analyses: self.analyses, stops: &|_| false };
        for source in &accesses {
            for sink in &accesses {
                if !self.may_depend(source, sink) {
                    continue;
                }
                let levels = self.levels(source.inst, sink.inst);
                let levels: Vec<Option<Loop>> = levels
                    .into_iter()
                    .filter(|&level| level.is_some() || source.inst != sink.inst)
                    .filter(|&level| ways.lead(source.inst, sink.inst, level))
                    .collect();
                if levels.is_empty() {
                    continue;
                }
                if self.dependence.are_in_different_objects(source, sink) {
                    found.assumes_apart |= !self.strict.are_in_different_objects(source, sink);
                    continue;
                }
                found.dependences.extend(levels.into_iter().filter_map(|level| self.dependence(source, sink, level)));
            }
        }
        found.siblings = self.siblings(&accesses, &mut found.assumes_apart);
        found
    }

    /// Returns true if an order between two accesses may matter, wherever they are.
    fn may_depend(&self, one: &Access, other: &Access) -> bool {
        let is_atomic = |access: &Access| self.kernel.properties(access.inst).memory == Memory::Atomic;
        (one.writes || other.writes) && !(is_atomic(one) && is_atomic(other))
    }

    /// The loops that may carry a dependence, outermost first, behind `None` for the same iteration.
    fn levels(&self, source: Inst, sink: Inst) -> Vec<Option<Loop>> {
        let mut levels = vec![None];
        levels.extend(self.around(source, sink).into_iter().map(Some));
        levels
    }

    /// The loops around two instructions, outermost first.
    fn around(&self, one: Inst, other: Inst) -> Vec<Loop> {
        let Analyses { cfg, loops, .. } = self.analyses;
        let (Some(one), Some(other)) = (cfg.block_of(one), cfg.block_of(other)) else { return Vec::new() };
        let mut around: Vec<Loop> = loops.around(one).filter(|&id| loops.contains(id, other)).collect();
        around.reverse();
        around
    }

    /// Returns the dependence of two accesses in the same iteration, or carried by a loop; `None` if they never meet.
    fn dependence(&self, source: &Access, sink: &Access, level: Option<Loop>) -> Option<LaneDependence> {
        let (possible, assumes_no_wrap) = self.possible(source, sink, level);
        if possible.rows == Signs::NONE && possible.any == Signs::NONE {
            return None;
        }
        let kind = match () {
            () if source.writes && sink.reads => DependenceKind::Flow,
            () if source.reads && sink.writes => DependenceKind::Anti,
            () => DependenceKind::Output,
        };
        let mut behind = false;
        let element = |id: Loop| {
            let signs = match level {
                Some(carrier) if id == carrier => {
                    behind = true;
                    Signs { positive: true, ..Signs::NONE }
                }
                _ if behind => Signs::ANY,
                _ => Signs { zero: true, ..Signs::NONE },
            };
            (id, signs)
        };
        Some(LaneDependence {
            source: source.inst,
            sink: sink.inst,
            kind,
            lanes: possible.rows,
            lanes_in_any_shape: possible.any,
            iterations: self.around(source.inst, sink.inst).into_iter().map(element).collect(),
            carried_by: level,
            class: Class::of(possible.rows),
            class_in_any_shape: Class::of(possible.any),
            kept_in: possible.kept_in,
            apart_in: possible.apart_in,
            is_certain: possible.certain,
            assumes_no_wrap,
        })
    }

    fn polynomial(&self, access: &Access) -> Option<Polynomial> {
        let mut known = self.polynomials.borrow_mut();
        known.entry(access.inst).or_insert_with(|| self.dependence.polynomial(access)).clone()
    }

    /// Returns the possible distances, and whether they rest on counters that do not wrap.
    fn possible(&self, source: &Access, sink: &Access, level: Option<Loop>) -> (Possible, bool) {
        let none = Shapes::default();
        let unknown = Possible { rows: Signs::ANY, any: Signs::ANY, kept_in: none, apart_in: none, certain: false };
        let Analyses { cfg, loops, .. } = self.analyses;
        let both = self.polynomial(source).zip(self.polynomial(sink));
        let (Some((from, to)), Some(one), Some(other)) = (both, cfg.block_of(source.inst), cfg.block_of(sink.inst))
        else {
            return (unknown, false);
        };
        if loops.is_irreducible(one) || loops.is_irreducible(other) {
            return (unknown, false);
        }
        // Instructions of one block are executed under the same conditions, but for their guards.
        let is_guarded = [source, sink].iter().any(|access| self.kernel.inst(access.inst).guard.is_some());
        let key = ([from.clone(), to.clone()], [source.bytes, sink.bytes], level, [one, other]);
        if !is_guarded && let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let of = |wraps| self.distances(&from, &to, source, sink, level, wraps);
        let (strict, loose) = (of(true), of(false));
        let result = if strict == loose { (strict, false) } else { (loose, true) };
        if !is_guarded {
            self.known.borrow_mut().insert(key, result.clone());
        }
        result
    }

    fn distances(
        &self,
        from: &Polynomial,
        to: &Polynomial,
        source: &Access,
        sink: &Access,
        level: Option<Loop>,
        wraps: bool,
    ) -> Possible {
        let none = Shapes::default();
        let mut possible =
            Possible { rows: Signs::NONE, any: Signs::NONE, kept_in: none, apart_in: none, certain: true };
        // Without a coordinate of another dimension, lanes of two rows are like two of one.
        let wanted = mentions(from, Axis::Y) && mentions(to, Axis::Y);
        for shape in Shape::all(wanted) {
            let (signs, certain) = self.signs(from, to, source, sink, level, shape, wraps);
            if matches!(shape, Shape::Rows | Shape::Line) {
                possible.rows = possible.rows.with(signs);
                possible.certain &= certain;
            }
            possible.any = possible.any.with(signs);
            if !signs.negative {
                possible.kept_in.add(shape);
                if !signs.positive {
                    possible.apart_in.add(shape);
                }
            }
        }
        if !wanted {
            let meets = possible.rows != Signs::NONE;
            possible.any =
                if meets || !self.is_fixed_apart(from, to, source, sink, level) { Signs::ANY } else { Signs::NONE };
            if possible.any == Signs::NONE {
                possible.kept_in = Shapes::ALL;
                possible.apart_in = Shapes::ALL;
            }
        }
        possible
    }

    /// Returns true if two accesses never meet, whatever lanes make them: without the coordinates of the thread.
    fn is_fixed_apart(
        &self,
        from: &Polynomial,
        to: &Polynomial,
        source: &Access,
        sink: &Access,
        level: Option<Loop>,
    ) -> bool {
        self.signs(from, to, source, sink, level, Shape::Any, true).0 == Signs::NONE
    }

    /// Returns the signs of the distances of lanes at which two accesses may meet in CTAs of a shape, and whether they certainly do.
    #[expect(clippy::too_many_arguments, reason = "they are what an answer depends on")]
    fn signs(
        &self,
        from: &Polynomial,
        to: &Polynomial,
        source: &Access,
        sink: &Access,
        level: Option<Loop>,
        shape: Shape,
        wraps: bool,
    ) -> (Signs, bool) {
        let same = |value: Value| self.is_same(value, source.inst, sink.inst, level);
        let uniform = |value: Value| self.is_uniform_at(value, source.inst) && self.is_uniform_at(value, sink.inst);
        let same_count = |id: Loop| self.goes_round_alike(id, source.inst, sink.inst, level);
        let view = |tries: bool| View {
            knowledge: &self.knowledge,
            shape,
            same: &same,
            uniform: &uniform,
            same_count: &same_count,
            carried: level,
            tries,
        };
        let mut view_of = view(true);
        let mut distance = Distance::of(from, to, &view_of);
        let tried = distance.tried();
        let combinations = tried.iter().map(|&(_, value)| view_of.range(value).count()).fold(1, u64::saturating_mul);
        if combinations > MOST_TRIED {
            view_of = view(false);
            distance = Distance::of(from, to, &view_of);
        }
        let tried = distance.tried();
        let mut signs = Signs::NONE;
        let mut numbers: Vec<u64> = tried.iter().map(|&(_, value)| view_of.range(value).least).collect();
        loop {
            let given: Vec<(Side, Value, u64)> =
                tried.iter().zip(&numbers).map(|(&(side, value), &number)| (side, value, number)).collect();
            self.add_signs(&distance, &view_of, &given, (source, sink), wraps, &mut signs);
            if signs == Signs::ANY || !next(&mut numbers, &tried, &view_of) {
                break;
            }
        }
        (signs, distance.is_certain())
    }

    /// Adds the signs of the distances at which two accesses may meet, given the numbers of some values.
    fn add_signs(
        &self,
        distance: &Distance,
        view: &View<'_>,
        given: &[(Side, Value, u64)],
        (source, sink): (&Access, &Access),
        wraps: bool,
        signs: &mut Signs,
    ) {
        let bytes = (source.bytes, sink.bytes);
        let (needs_thread, in_rows) = (distance.needs_thread(), view.lies_in_rows());
        let executing = |access: &Access, own: Side| {
            let facts: Vec<(Value, u64)> = given
                .iter()
                .filter(|(side, ..)| *side == own || *side == Side::Both)
                .map(|&(_, value, number)| (value, number))
                .collect();
            if !facts.is_empty() {
                return self.knowledge.may_execute(access.inst, &facts);
            }
            let mut known = self.executing.borrow_mut();
            known.entry(access.inst).or_insert_with(|| self.knowledge.may_execute(access.inst, &[])).clone()
        };
        let (mut from, mut to) = (None, None);
        if in_rows {
            (from, to) = (executing(source, Side::Source), executing(sink, Side::Sink));
        }
        let limited = from.is_some() || to.is_some();
        let executes = |table: &Option<Vec<bool>>, x: i32| {
            table.as_ref().is_none_or(|table| usize::try_from(x).ok().and_then(|x| table.get(x).copied()) == Some(true))
        };
        let threads = 0..THREADS as i32;
        let meets = |apart: Apart| {
            if !needs_thread && !distance.may_meet(&Point { apart, x: None, tried: given }, view, bytes, wraps) {
                return false;
            }
            if !needs_thread && !limited {
                return true;
            }
            threads.clone().any(|x| {
                let other = x + apart.x;
                other < THREADS as i32
                    && Shape::has_both(view.shape, x, other)
                    && executes(&from, x)
                    && executes(&to, other)
                    && (!needs_thread
                        || distance.may_meet(&Point { apart, x: Some(x), tried: given }, view, bytes, wraps))
            })
        };
        for apart in view.shape.pairs() {
            let is_new = if apart.lane < 0 { !signs.negative } else { !signs.positive };
            if is_new && meets(apart) {
                signs.negative |= apart.lane < 0;
                signs.positive |= apart.lane > 0;
            }
        }
        if !signs.zero && meets(Apart { lane: 0, x: 0, y: 0 }) {
            signs.zero = true;
        }
    }

    /// Returns true if all lanes that come to an instruction in the same instance hold the same value there.
    fn is_uniform_at(&self, value: Value, inst: Inst) -> bool {
        let Analyses { cfg, loops, divergence, .. } = self.analyses;
        cfg.block_of(inst).is_some_and(|block| divergence.is_uniform_at(loops, value, block))
    }

    /// Returns true if two lanes see the same value at two accesses, in the same iteration or where a loop has gone round in between.
    fn is_same(&self, value: Value, source: Inst, sink: Inst, level: Option<Loop>) -> bool {
        let Analyses { cfg, loops, values, invariance, .. } = self.analyses;
        if loops.is_irreducible(values.block(value))
            || !self.is_uniform_at(value, source)
            || !self.is_uniform_at(value, sink)
        {
            return false;
        }
        let (Some(one), Some(other)) = (cfg.block_of(source), cfg.block_of(sink)) else { return false };
        let alone = |block: Block, away: Block| loops.around(block).filter(move |&id| !loops.contains(id, away));
        level.is_none_or(|id| invariance.is_invariant_in(value, id))
            && alone(one, other).chain(alone(other, one)).all(|id| invariance.is_invariant_in(value, id))
    }

    /// Returns true if a loop has gone round as often at two accesses: it is around both, or both come behind it and lanes leave it together.
    fn goes_round_alike(&self, id: Loop, source: Inst, sink: Inst, level: Option<Loop>) -> bool {
        let Analyses { cfg, loops, divergence, .. } = self.analyses;
        let (Some(one), Some(other)) = (cfg.block_of(source), cfg.block_of(sink)) else { return false };
        let header = loops.header(id);
        // Loops around this one that only one access is in, or that have gone round in between, run it anew.
        let runs_anew =
            |around: Loop| !(loops.contains(around, one) && loops.contains(around, other)) || Some(around) == level;
        let in_between = |around: Loop| level.is_some_and(|carrier| loops.contains(carrier, loops.header(around)));
        if loops.contains(id, one) && loops.contains(id, other) {
            return !in_between(id);
        }
        let is_behind = !loops.contains(id, one) && !loops.contains(id, other);
        is_behind
            && loops.around(header).all(|around| {
                let holds = [one, other].map(|block| loops.contains(around, block));
                match holds {
                    [true, true] => !runs_anew(around) && !in_between(around),
                    [false, false] => !divergence.is_left_apart(around),
                    _ => false,
                }
            })
    }

    /// The accesses that lanes may depend on across the two ways of a branch.
    fn siblings(&self, accesses: &[Access], assumes: &mut bool) -> Vec<Siblings> {
        let Analyses { cfg, postdominators, divergence, .. } = self.analyses;
        let mut found: Vec<Siblings> = Vec::new();
        for &block in cfg.reverse_postorder() {
            let succs = cfg.distinct_succs(block);
            if succs.len() < 2 || !divergence.branch_is_divergent(block) {
                continue;
            }
            let Some(branch) = cfg.terminator(block) else { continue };
            let join = postdominators.ipdom(block);
            let ways: Vec<FxHashSet<Block>> = succs.iter().map(|&succ| self.until(succ, join, block)).collect();
            for (number, way) in ways.iter().enumerate() {
                for other in ways.iter().skip(number + 1) {
                    let on = |way: &FxHashSet<Block>, access: &Access| {
                        cfg.block_of(access.inst).is_some_and(|block| way.contains(&block))
                    };
                    for first in accesses.iter().filter(|access| on(way, access) && !on(other, access)) {
                        for second in accesses.iter().filter(|access| on(other, access) && !on(way, access)) {
                            if !self.may_depend(first, second) {
                                continue;
                            }
                            if self.dependence.are_in_different_objects(first, second) {
                                *assumes |= !self.strict.are_in_different_objects(first, second);
                                continue;
                            }
                            let (possible, _) = self.possible(first, second, None);
                            if possible.rows.negative || possible.rows.positive {
                                let siblings = Siblings { branch, first: first.inst, second: second.inst };
                                let is_listed = |one: &Siblings| one.first == first.inst && one.second == second.inst;
                                if !found.iter().any(is_listed) {
                                    found.push(siblings);
                                }
                            }
                        }
                    }
                }
            }
        }
        found
    }

    /// The blocks that a thread may come to from one before lanes meet again, without the branch at which they part.
    fn until(&self, start: Block, join: Option<Block>, branch: Block) -> FxHashSet<Block> {
        let mut seen = FxHashSet::default();
        let mut work = vec![start];
        while let Some(block) = work.pop() {
            if Some(block) != join && block != branch && seen.insert(block) {
                work.extend(self.analyses.cfg.distinct_succs(block));
            }
        }
        seen
    }
}

/// Goes to the next combination of numbers. Returns false behind the last one.
fn next(numbers: &mut [u64], tried: &[(Side, Value)], view: &View<'_>) -> bool {
    for (number, &(_, value)) in numbers.iter_mut().zip(tried) {
        let range = view.range(value);
        if *number < range.most {
            *number += 1;
            return true;
        }
        *number = range.least;
    }
    false
}

/// Returns true if a polynomial has a coordinate of the thread in a dimension.
fn mentions(sum: &Polynomial, axis: Axis) -> bool {
    sum.terms.keys().flatten().any(|symbol| match symbol {
        Symbol::Thread(of) => *of == axis,
        Symbol::Extended { sum, .. } => mentions(sum, axis),
        _ => false,
    })
}
