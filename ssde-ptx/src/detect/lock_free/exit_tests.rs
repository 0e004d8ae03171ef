//! The numbers that loops count to, and the predicates that test for them, as data.

use analysis::{Analyses, Value};
use ptx_parser::Kernel;

use super::size_limits::DEEPEST;

/// A number that does not change in the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Number(i64),
    Value(Value),
}

/// Returns a predicate without the moves and negations that it was made by, and whether it holds where the given one does, or does not.
pub(super) fn plain(facts: &Analyses, kernel: &Kernel, predicate: Value, holds: bool) -> (Value, bool) {
    let (mut predicate, mut holds) = (predicate, holds);
    for _ in 0..DEEPEST {
        let Some((from, negated)) = facts.values.passed_on(kernel, predicate) else { break };
        (predicate, holds) = (from, holds != negated);
    }
    (predicate, holds)
}
