//! Silent ways: on to the next instruction that a thread's memory and registers see.

use super::added::{Added, State, Step};
use super::code::{Code, Ending, Next, Point, Way};
use super::mismatch::Reason;

/// The most silent steps that are followed. Code that only finds its way takes a few for each loop.
const LONGEST: u32 = 1 << 16;

/// Where a silent way ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// Before an instruction that is not silent.
    At(Point),
    /// With the thread.
    End(Ending),
    /// Never.
    Never,
}

/// Follows the input, in which only branches without a condition are silent. `each` is told of every point on the way.
pub(super) fn input(code: &Code<'_>, from: Next, mut each: impl FnMut(Point)) -> Stop {
    let mut next = from;
    // Whoever takes more steps than there are instructions comes to one again.
    for _ in 0..=code.end() {
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

/// Follows the output, in which code on added registers is silent too. `each` is told of every point on the way and what was known there.
///
/// # Errors
/// The point of an instruction that is neither silent nor without added registers.
pub(super) fn output(
    code: &Code<'_>,
    added: &Added,
    from: Next,
    state: &mut State,
    mut each: impl FnMut(Point, &State),
) -> Result<Stop, (Reason, Point)> {
    let mut next = from;
    // What is met again is met at a step whose number is a power of two, or soon after one (Brent).
    let (mut steps, mut marked) = (0u32, None);
    loop {
        let point = match next {
            Next::To(point) => point,
            Next::End(ending) => return Ok(Stop::End(ending)),
        };
        each(point, state);
        match added.step(code, point, state).map_err(|reason| (reason, point))? {
            Step::Real => return Ok(Stop::At(point)),
            Step::Silent(there) => next = there,
        }
        steps += 1;
        if marked.as_ref().is_some_and(|(at, known)| *at == next && known == state) {
            return Ok(Stop::Never);
        }
        if steps.is_power_of_two() {
            marked = Some((next, state.clone()));
        }
        if steps > LONGEST {
            return Err((Reason::Long(LONGEST), point));
        }
    }
}
