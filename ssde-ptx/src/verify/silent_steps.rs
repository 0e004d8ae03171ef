//! Silent ways: on to the next instruction that a thread's memory and registers see.
//!
//! A branch by what is not known, which lanes are there, must be a wait: one of its ways comes back to it with nothing changed, so that the thread goes the
//! other one, if it goes on at all.

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::added_registers::{Added, State, Step};
use super::code::{Code, Ending, Next, Point, Way};
use super::mismatch::Reason;

/// The most silent steps that are followed. Code that only finds its way takes a few for each loop.
const LONGEST: u32 = 1 << 16;

/// The end of a silent path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Before an instruction that is not silent.
    At(Point),
    /// With the thread.
    End(Ending),
    /// Never.
    Never,
    /// At a point that another path has passed with the same state. The rest of that path was followed already.
    Joined,
}

/// Follows the input, in which only branches without a condition are silent. `each` is told of every point on the way.
pub(super) fn input(code: &Code<'_>, from: Next, mut each: impl FnMut(Point)) -> Stop {
    let mut next = from;
    // Whoever takes more steps than there are instructions comes to one again.
    for _ in 0..=code.end().index() {
        let point = match next {
            Next::To(point) => point,
            Next::End(ending) => return Stop::End(ending),
        };
        each(point);
        next = match (code.way(point), code.guard(point)) {
            (Way::Jump(next), None) => next,
            _ => return Stop::At(point),
        };
    }
    Stop::Never
}

/// Sees the points of a way through the output.
pub(super) trait Visitor: Clone {
    /// A point on the way, and what is known there.
    fn pass(&mut self, point: Point, known: &State);
}

/// A stretch of a way on which lanes do not draw.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Stretch(u32);
entity_impl!(Stretch, "stretch");

impl Stretch {
    /// The stretch before lanes first draw.
    const FIRST: Stretch = Stretch(0);
}

/// A way through the output that is being followed.
#[derive(Clone)]
struct Walk<V> {
    next: Next,
    state: State,
    visitor: V,
    steps: u32,
    /// The place and the state at the last step whose number is a power of two. A path that repeats itself comes back to them, now or after
    /// a later such step (Brent).
    marked: Option<(Next, State)>,
    /// The stretch since lanes last drew.
    stretch: Stretch,
}

/// The points and states that paths have passed since lanes first drew.
struct Seen {
    /// The stretch on which a branch led to a point with a state.
    stretches: FxHashMap<(Point, State), Stretch>,
    /// For each stretch, the one before it; the first has itself.
    before: PrimaryMap<Stretch, Stretch>,
}

impl Seen {
    /// A new stretch behind another one.
    fn part(&mut self, before: Stretch) -> Stretch {
        self.before.push(before)
    }

    /// Notes that a stretch comes to a point; where it does that again, how it ends.
    ///
    /// Ways are followed depth first: what was seen by no stretch before this one was followed to its ends.
    fn visit(&mut self, point: Point, state: &State, stretch: Stretch) -> Option<Stop> {
        let Some(&known) = self.stretches.get(&(point, state.clone())) else {
            self.stretches.insert((point, state.clone()), stretch);
            return None;
        };
        let mut last = stretch;
        while last != known && last != self.before[last] {
            last = self.before[last];
        }
        Some(if last == known { Stop::Never } else { Stop::Joined })
    }
}

/// Follows the output, in which code on added registers is silent too, by each way that lanes may draw. `end` is told of the end of each.
///
/// # Errors
/// The point of an instruction that is neither silent nor without added registers.
pub(super) fn output<V: Visitor>(
    code: &Code<'_>,
    added: &Added,
    (from, state): (Next, State),
    visitor: V,
    mut end: impl FnMut(Stop, State, V),
) -> Result<(), (Reason, Point)> {
    let mut all = 0;
    let mut seen = Seen { before: PrimaryMap::from_iter([Stretch::FIRST]), stretches: FxHashMap::default() };
    let mut walks: SmallVec<[Walk<V>; 1]> = SmallVec::new();
    walks.push(Walk { next: from, state, visitor, steps: 0, marked: None, stretch: Stretch::FIRST });
    while let Some(mut walk) = walks.pop() {
        let stop = loop {
            let point = match walk.next {
                Next::To(point) => point,
                Next::End(ending) => break Stop::End(ending),
            };
            walk.visitor.pass(point, &walk.state);
            match added.step(code, point, &mut walk.state).map_err(|reason| (reason, point))? {
                Step::Real => break Stop::At(point),
                Step::Silent(next) => walk.next = next,
                Step::Drawn(one, other) => {
                    let stretch = seen.part(walk.stretch);
                    walks.push(Walk { next: other, stretch, ..walk.clone() });
                    (walk.next, walk.stretch) = (one, seen.part(walk.stretch));
                }
                Step::Either(one, other) => {
                    let here = (point, added.kept(point, &walk.state));
                    walk.next = match (comes_round(code, added, one, &here), comes_round(code, added, other, &here)) {
                        (true, false) => other,
                        (false, true) => one,
                        (true, true) => break Stop::Never,
                        (false, false) => return Err((added.unknown(code, point), point)),
                    };
                }
            }
            walk.steps += 1;
            all += 1;
            match walk.next {
                Next::To(next) if walk.stretch != Stretch::FIRST && next != point.next() => {
                    if let Some(stop) = seen.visit(next, &walk.state, walk.stretch) {
                        break stop;
                    }
                }
                _ if walk.marked.as_ref().is_some_and(|(at, known)| *at == walk.next && *known == walk.state) => {
                    break Stop::Never;
                }
                _ => {}
            }
            if walk.steps.is_power_of_two() {
                walk.marked = Some((walk.next, walk.state.clone()));
            }
            if all > LONGEST {
                return Err((Reason::Long(LONGEST), point));
            }
        };
        end(stop, walk.state, walk.visitor);
    }
    Ok(())
}

/// Returns true if a way leads back to a branch with the same known there: whoever goes it waits, and comes to the branch again.
fn comes_round(code: &Code<'_>, added: &Added, from: Next, (point, known): &(Point, State)) -> bool {
    let (mut next, mut state) = (from, known.clone());
    for _ in 0..LONGEST {
        let Next::To(at) = next else { return false };
        if at == *point {
            return added.kept(at, &state) == *known;
        }
        next = match added.step(code, at, &mut state) {
            Ok(Step::Silent(there)) => there,
            _ => return false,
        };
    }
    false
}
