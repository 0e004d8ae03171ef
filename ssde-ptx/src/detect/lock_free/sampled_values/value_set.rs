//! The numbers that are found of a value in one thread, each with how it was made, and what is made of several such values.

use smallvec::{SmallVec, smallvec};

/// The most numbers of each operand that are combined.
const MOST_COMBINED: usize = 4;

/// A number that a value may be in a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Number {
    pub(super) number: i64,
    pub(super) how: How,
}

/// The ways in which a number is made, the surest one first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    /// By nothing but constants and the numbers of the thread.
    Sure,
    /// The same, but it is one of several.
    Chosen,
    /// It stands for a parameter.
    Parameter,
    /// It stands for what others write in memory, or tell.
    Given,
}

/// A value in one thread, as far as it is known.
#[derive(Clone)]
pub(super) struct Found {
    pub(super) numbers: SmallVec<[Number; 4]>,
    pub(super) is_unknown: bool,
    /// The first of the values being followed that it is made of, if it is made of one.
    pub(super) begun: Option<usize>,
}

impl Found {
    pub(super) fn nothing() -> Found {
        Found { numbers: SmallVec::new(), is_unknown: false, begun: None }
    }

    /// A value that is made in a way that is not evaluated.
    pub(super) fn unknown() -> Found {
        Found { is_unknown: true, ..Found::nothing() }
    }

    pub(super) fn number(number: i64, how: How) -> Found {
        Found { numbers: smallvec![Number { number, how }], ..Found::nothing() }
    }

    /// Returns the one number that it is, if it is given by nobody.
    pub(super) fn only(&self) -> Option<i64> {
        match self.numbers[..] {
            [Number { number, how: How::Sure | How::Chosen }] if !self.is_unknown && self.begun.is_none() => {
                Some(number)
            }
            _ => None,
        }
    }

    /// Adds what another value may be that it may be as well.
    pub(super) fn or(mut self, other: Found) -> Found {
        self.numbers.extend(other.numbers);
        self.numbers.sort_unstable();
        self.numbers.dedup();
        if self.numbers.windows(2).any(|pair| matches!(pair, [one, other] if one.number != other.number)) {
            self.numbers.iter_mut().for_each(|number| number.how = number.how.max(How::Chosen));
        }
        self.is_unknown |= other.is_unknown;
        self.begun = self.begun.into_iter().chain(other.begun).min();
        self
    }

    /// Returns what is made of each number.
    pub(super) fn map(mut self, result: impl Fn(i64) -> i64) -> Found {
        self.numbers.iter_mut().for_each(|number| number.number = result(number.number));
        self
    }

    /// Marks what is given as chosen by the kernel.
    pub(super) fn chosen(mut self) -> Found {
        self.numbers.iter_mut().for_each(|number| number.how = number.how.min(How::Chosen));
        self
    }

    /// Marks what is sure as one of several: another may be stored over it.
    pub(super) fn at_best_chosen(mut self) -> Found {
        self.numbers.iter_mut().for_each(|number| number.how = number.how.max(How::Chosen));
        self
    }

    /// Marks all numbers as given by others.
    pub(super) fn given(mut self) -> Found {
        self.numbers.iter_mut().for_each(|number| number.how = How::Given);
        self
    }
}

/// Returns what is made of each combination of some numbers. The result of one is `None` where nothing is known of it, and no number where it is none that is meant. It is told how the numbers were made, the one
/// that is least sure, and how many of them were chosen.
pub(super) fn combined(of: &[Found], result: impl Fn(&[i64], How, usize) -> Option<Option<i64>>) -> Found {
    let mut combinations: Vec<SmallVec<[Number; 4]>> = vec![SmallVec::new()];
    for found in of {
        let longer = |before: &SmallVec<[Number; 4]>| {
            let with = |&number: &Number| before.iter().copied().chain([number]).collect();
            outermost(&found.numbers).map(with).collect::<Vec<_>>()
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    let mut found =
        Found { is_unknown: of.iter().any(|found| found.is_unknown || found.begun.is_some()), ..Found::nothing() };
    for of in combinations {
        let how = of.iter().map(|number| number.how).max().unwrap_or(How::Sure);
        let chosen = of.iter().filter(|number| number.how == How::Chosen).count();
        let of: SmallVec<[i64; 4]> = of.iter().map(|number| number.number).collect();
        match result(&of, how, chosen) {
            Some(number) => found.numbers.extend(number.map(|number| Number { number, how })),
            None => found.is_unknown = true,
        }
    }
    found.numbers.sort_unstable();
    found.numbers.dedup();
    found
}

/// Returns the first and the last of some numbers, as many as are combined.
fn outermost(numbers: &[Number]) -> impl Iterator<Item = &Number> {
    let half = MOST_COMBINED / 2;
    let last = numbers.len().saturating_sub(half);
    numbers.iter().enumerate().filter(move |&(at, _)| at < half || at >= last).map(|(_, number)| number)
}
