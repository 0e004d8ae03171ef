//! The distances of accesses: which lanes may access a common byte, found by trying threads and values.

use std::cell::RefCell;

use ptx_parser::{Inst, Kernel, Memory};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::access::Access;
use super::super::difference::{Distance, Point, Side, View};
use super::super::known::{Knowledge, THREADS};
use super::super::memory::MemoryDependence;
use super::super::polynomial::{Axis, Polynomial, Symbol};
use super::super::shapes::{Apart, Shape, Shapes};
use super::super::ways::Ways;
use super::{DependenceKind, LaneDependence, LaneDependences, Siblings, Signs};
use crate::analyses::Analyses;
use crate::cfg::Block;
use crate::loops::Loop;
use crate::ssa::Value;

/// The most combinations of values that are tried.
const MOST_TRIED: u64 = 4096;

/// The possible distances of two accesses, for each shape.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Possible {
    rows: Signs,
    any: Signs,
    kept_in: Shapes,
    apart_in: Shapes,
    certain: bool,
}

/// Two accesses of which the distances are looked for: their addresses, and the loop that goes round in between.
struct Pair<'p> {
    source: &'p Access,
    sink: &'p Access,
    from: Polynomial,
    to: Polynomial,
    level: Option<Loop>,
}

/// What decides the distances of two accesses.
type Key = ([Polynomial; 2], [i64; 2], Option<Loop>, [Block; 2]);

/// Finds the dependences of a kernel.
pub(super) struct Finder<'a> {
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
    pub(super) fn of(kernel: &'a Kernel, analyses: &'a Analyses) -> Finder<'a> {
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

    pub(super) fn find(&self, insts: Vec<Inst>) -> LaneDependences {
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
        let pair = Pair { source, sink, from, to, level };
        let (strict, loose) = (self.distances(&pair, true), self.distances(&pair, false));
        let result = if strict == loose { (strict, false) } else { (loose, true) };
        if !is_guarded {
            self.known.borrow_mut().insert(key, result.clone());
        }
        result
    }

    /// `wraps` says whether a counter of 32 bits may go past its last number and begin again.
    fn distances(&self, pair: &Pair<'_>, wraps: bool) -> Possible {
        let none = Shapes::default();
        let mut possible =
            Possible { rows: Signs::NONE, any: Signs::NONE, kept_in: none, apart_in: none, certain: true };
        // Without a coordinate of another dimension, lanes of two rows are like two of one.
        let wanted = mentions(&pair.from, Axis::Y) && mentions(&pair.to, Axis::Y);
        for shape in Shape::all(wanted) {
            let (signs, certain) = self.signs(pair, shape, wraps);
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
            // Without the coordinates of the thread: accesses that never meet, whatever lanes make them.
            let meets = possible.rows != Signs::NONE || self.signs(pair, Shape::Any, true).0 != Signs::NONE;
            possible.any = if meets { Signs::ANY } else { Signs::NONE };
            if possible.any == Signs::NONE {
                possible.kept_in = Shapes::ALL;
                possible.apart_in = Shapes::ALL;
            }
        }
        possible
    }

    /// Returns the signs of the distances of lanes at which two accesses may meet in CTAs of a shape, and whether they certainly do.
    fn signs(&self, pair: &Pair<'_>, shape: Shape, wraps: bool) -> (Signs, bool) {
        let &Pair { source, sink, level, .. } = pair;
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
        let mut distance = Distance::of(&pair.from, &pair.to, &view_of);
        let tried = distance.tried();
        let combinations = tried.iter().map(|&(_, value)| view_of.range(value).count()).fold(1, u64::saturating_mul);
        if combinations > MOST_TRIED {
            view_of = view(false);
            distance = Distance::of(&pair.from, &pair.to, &view_of);
        }
        let tried = distance.tried();
        let mut signs = Signs::NONE;
        let mut numbers: Vec<u64> = tried.iter().map(|&(_, value)| view_of.range(value).least).collect();
        loop {
            let given: Vec<(Side, Value, u64)> =
                tried.iter().zip(&numbers).map(|(&(side, value), &number)| (side, value, number)).collect();
            self.add_signs(&distance, &view_of, &given, pair, wraps, &mut signs);
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
        pair: &Pair<'_>,
        wraps: bool,
        signs: &mut Signs,
    ) {
        let &Pair { source, sink, .. } = pair;
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
