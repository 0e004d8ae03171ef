//! The difference of two addresses of two lanes of a warp, in CTAs of one shape.
//!
//! It is a sum of numbers that the distance of the lanes decides, of multiples of how many iterations lie between the accesses, of values that are tried one by one, and of
//! multiples of what is unknown.

use super::affine::{Difference, Gap, extended_difference};
use super::known::{Knowledge, Range};
use super::polynomial::{Axis, Polynomial, Symbol, cut};
use super::shapes::{Apart, Shape};
use crate::loops::Loop;
use crate::ssa::Value;

/// The most numbers of a value that are tried.
const MOST_TRIED: u64 = 1024;

/// The accesses that see a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Side {
    Both,
    Source,
    Sink,
}

/// What two accesses see.
pub(super) struct View<'a> {
    pub(super) knowledge: &'a Knowledge<'a>,
    pub(super) shape: Shape,
    /// Says of a value whether both see the same.
    pub(super) same: &'a dyn Fn(Value) -> bool,
    /// Says of a value whether all lanes see the same at one access.
    pub(super) uniform: &'a dyn Fn(Value) -> bool,
    /// Says of a loop whether it has gone round as often at both.
    pub(super) same_count: &'a dyn Fn(Loop) -> bool,
    /// The loop of which some iterations lie between the two.
    pub(super) carried: Option<Loop>,
    /// True if values in a small range are tried one by one.
    pub(super) tries: bool,
}

/// A function of `%tid.x`: itself, or a value that it decides.
pub(super) type Function = Option<Value>;

/// The address of the sink minus that of the source.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Distance {
    pub(super) bits: u32,
    constant: i64,
    x: i64,
    y: i64,
    lane: i64,
    /// The factor of the number of iterations that lie between.
    count: i64,
    /// Factors of what is unknown.
    rest: Vec<i64>,
    /// Factors of values that are tried.
    tried: Vec<(i64, Side, Value)>,
    /// Factors of what `%tid.x` decides.
    functions: Vec<(i64, Side, Function)>,
    /// Factors of numbers of 32 bits that are extended, and whether both are extended alike.
    extended: Vec<(i64, bool, Distance)>,
}

/// The place of two lanes and what they see.
pub(super) struct Point<'a> {
    pub(super) apart: Apart,
    /// The `%tid.x` of the first lane, where that matters.
    pub(super) x: Option<i32>,
    /// The numbers of values that are tried.
    pub(super) tried: &'a [(Side, Value, u64)],
}

impl Distance {
    /// Compares two addresses.
    pub(super) fn of(source: &Polynomial, sink: &Polynomial, view: &View<'_>) -> Distance {
        let (source, sink) = match (source.bits, sink.bits) {
            // An address of shared memory may be kept in 32 bits; its window is no larger.
            (64, 32) | (32, 64) => (source.low(), sink.low()),
            _ => (source.clone(), sink.clone()),
        };
        let (source, sink) = (view.shaped(&source), view.shaped(&sink));
        let mut distance = Distance::none(source.bits);
        let mut symbols: Vec<&Vec<Symbol>> = source.terms.keys().chain(sink.terms.keys()).collect();
        symbols.sort_unstable();
        symbols.dedup();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for product in symbols {
            let factor = |sum: &Polynomial| sum.terms.get(product).copied().unwrap_or(0);
            let (one, other) = (factor(&source), factor(&sink));
            match product.as_slice() {
                [Symbol::Extended { signed, sum }] => {
                    first.extend((one != 0).then_some((one, *signed, &**sum)));
                    second.extend((other != 0).then_some((other, *signed, &**sum)));
                }
                _ => distance.add(product, one, other, view),
            }
        }
        for (times, signed, sum) in first {
            // The partner is the one with the least that is unknown.
            let fits = second.iter().enumerate().filter(|(_, other)| other.0 == times);
            let compared = fits.map(|(at, other)| (at, other.1, Distance::of(sum, other.2, view)));
            match compared.min_by_key(|(_, _, distance)| distance.unknown()) {
                Some((at, as_signed, distance_of_sums)) => {
                    let second_sum = Some(second.remove(at).2);
                    let is_small = |sum: &Polynomial| sum.is_small();
                    if signed == as_signed && is_small(sum) && second_sum.is_some_and(is_small) {
                        distance.plus(&distance_of_sums, times);
                    } else if distance_of_sums != Distance::none(32) || signed != as_signed {
                        distance.extended.push((times, signed == as_signed, distance_of_sums));
                    }
                }
                None => distance.extended.push((times, true, Distance { rest: vec![1], ..Distance::none(32) })),
            }
        }
        for (times, ..) in second {
            distance.extended.push((times, true, Distance { rest: vec![1], ..Distance::none(32) }));
        }
        distance.rest.retain(|&times| times != 0);
        distance.rest.sort_unstable();
        distance.rest.dedup();
        distance
    }

    /// No distance.
    fn none(bits: u32) -> Distance {
        Distance {
            bits,
            constant: 0,
            x: 0,
            y: 0,
            lane: 0,
            count: 0,
            rest: Vec::new(),
            tried: Vec::new(),
            functions: Vec::new(),
            extended: Vec::new(),
        }
    }

    /// Adds another one, of sums that do not wrap.
    fn plus(&mut self, other: &Distance, times: i64) {
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(times));
        self.x = self.x.wrapping_add(other.x.wrapping_mul(times));
        self.y = self.y.wrapping_add(other.y.wrapping_mul(times));
        self.lane = self.lane.wrapping_add(other.lane.wrapping_mul(times));
        self.functions
            .extend(other.functions.iter().map(|&(by, side, function)| (by.wrapping_mul(times), side, function)));
        self.rest.extend(other.rest.iter().map(|by| by.wrapping_mul(times)));
    }

    /// How much of it is unknown.
    fn unknown(&self) -> usize {
        self.rest.len() + self.tried.len() + self.functions.len() + usize::from(self.count != 0)
    }

    /// Adds a product that the source has `one` times and the sink `other` times.
    fn add(&mut self, product: &[Symbol], one: i64, other: i64, view: &View<'_>) {
        let rest = |times: i64| cut(self.bits, times.wrapping_mul(view.divisor(product)));
        let is_common = product.iter().all(|symbol| view.is_common(symbol));
        if product.is_empty() {
            self.constant = cut(self.bits, other.wrapping_sub(one));
            return;
        }
        if one == other {
            let differing: Vec<&Symbol> = product.iter().filter(|symbol| !view.is_common(symbol)).collect();
            match (differing.as_slice(), product.len()) {
                ([], _) => return,
                ([Symbol::Thread(Axis::X)], 1) if view.shape != Shape::Any => return self.x = one,
                ([Symbol::Thread(Axis::Y)], 1) if matches!(view.shape, Shape::Width(_)) => return self.y = one,
                ([Symbol::Linear | Symbol::Lane], 1) => {
                    self.lane = cut(self.bits, self.lane.wrapping_add(one));
                    return;
                }
                ([Symbol::Count(id)], 1) if Some(*id) == view.carried => return self.count = one,
                _ => {}
            }
        }
        let uneven = cut(self.bits, other.wrapping_sub(one));
        match product {
            [Symbol::Value(value)] if is_common => match view.is_tried(*value) {
                true => self.tried.push((uneven, Side::Both, *value)),
                false => self.rest.push(rest(uneven)),
            },
            _ if is_common => self.rest.push(rest(uneven)),
            _ => {
                for (times, side) in [(one.wrapping_neg(), Side::Source), (other, Side::Sink)] {
                    if times == 0 {
                        continue;
                    }
                    match product {
                        [Symbol::Value(value)] if view.is_tried(*value) => self.tried.push((times, side, *value)),
                        [Symbol::Value(value)] if view.is_function(*value) => {
                            self.functions.push((times, side, Some(*value)));
                        }
                        [Symbol::Thread(Axis::X)] if view.lies_in_rows() => self.functions.push((times, side, None)),
                        _ => self.rest.push(rest(times)),
                    }
                }
            }
        }
    }

    /// The values that are tried, each once.
    pub(super) fn tried(&self) -> Vec<(Side, Value)> {
        let mut all: Vec<(Side, Value)> = self.tried.iter().map(|&(_, side, value)| (side, value)).collect();
        all.extend(self.extended.iter().flat_map(|(_, _, sum)| sum.tried()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns true if `%tid.x` itself matters, and not only by how much two lanes differ in it.
    pub(super) fn needs_thread(&self) -> bool {
        !self.functions.is_empty() || self.extended.iter().any(|(_, _, sum)| sum.needs_thread())
    }

    /// Returns true if nothing of it is unknown.
    pub(super) fn is_certain(&self) -> bool {
        self.rest.is_empty() && self.tried.is_empty() && self.extended.iter().all(|(_, _, sum)| sum.is_certain())
    }

    /// Returns the distance without what depends on the number of iterations, and the factor of that number.
    fn at(&self, point: &Point<'_>, view: &View<'_>) -> i128 {
        let product = |times: i64, number: i32| i128::from(times) * i128::from(number);
        let Apart { lane, x, y } = point.apart;
        let mut sum = i128::from(self.constant) + product(self.x, x) + product(self.y, y) + product(self.lane, lane);
        for (times, side, value) in &self.tried {
            let number = point.tried.iter().find(|(of, tried, _)| of == side && tried == value);
            sum += i128::from(*times) * number.map_or(0, |&(_, _, number)| i128::from(number));
        }
        for (times, side, function) in &self.functions {
            let x = point.x.unwrap_or(0) + if *side == Side::Sink { point.apart.x } else { 0 };
            let number = match function {
                None => Some(x.cast_unsigned()),
                Some(value) => view
                    .knowledge
                    .function_of_thread(*value)
                    .and_then(|numbers| numbers.get(usize::try_from(x).ok()?).copied()),
            };
            sum += i128::from(*times) * number.map_or(0, i128::from);
        }
        sum
    }

    /// Returns true if an access of `sink` bytes may have a byte in common with one of `source` bytes at the address that this is the distance from. `wraps` says whether a
    /// counter of 32 bits may go past its last number and begin again.
    pub(super) fn may_meet(&self, point: &Point<'_>, view: &View<'_>, (source, sink): (i64, i64), wraps: bool) -> bool {
        let mut numbers = vec![self.at(point, view)];
        let mut rest: Vec<(i64, bool)> = self.rest.iter().map(|&times| (times, false)).collect();
        let mut count = i128::from(self.count);
        for (times, alike, sum) in &self.extended {
            let number = sum.at(point, view);
            let times = i128::from(*times);
            let counts = sum.count != 0 && (wraps || !sum.rest.is_empty());
            let unknown = sum.rest.iter().copied().chain(counts.then_some(sum.count));
            // What is unknown is a multiple of this, modulo 2^32.
            let step = unknown.map(|times| times.trailing_zeros().min(32)).min();
            let parts = match step {
                Some(zeros) => {
                    rest.push(((times << zeros) as i64, true));
                    vec![number.rem_euclid(1 << 32)]
                }
                None if sum.count != 0 => {
                    count += times * i128::from(sum.count);
                    vec![i128::from(number as i32)]
                }
                None if *alike && !wraps => vec![i128::from(number as i32)],
                None if *alike => extended_difference(number),
                None => (-2..=2).map(|turns| number.rem_euclid(1 << 32) + (turns << 32)).collect(),
            };
            numbers = numbers.iter().flat_map(|sum| parts.iter().map(move |part| sum + part * times)).collect();
        }
        if count != 0 && !rest.is_empty() {
            rest.push((count as i64, false));
            count = 0;
        }
        if count == 0 {
            return Gap::new(self.bits, numbers, rest).overlaps(sink, source) != Difference::Never;
        }
        // Pointers stay within their objects, so that addresses do not wrap.
        let (least, most) = (1 - i128::from(sink), i128::from(source) - 1);
        let turn = 1i128 << self.bits;
        numbers.iter().any(|&number| {
            let number = match number.rem_euclid(turn) {
                large if large >= turn / 2 => large - turn,
                small => small,
            };
            // The first number of iterations, one at least, by which the distance is not on the near side of these bytes any more.
            let (number, step, least, most) =
                if count > 0 { (number, count, least, most) } else { (-number, -count, -most, -least) };
            let rounds = (least - number + step - 1).div_euclid(step).max(1);
            number + rounds * step <= most
        })
    }
}

impl View<'_> {
    pub(super) fn lies_in_rows(&self) -> bool {
        matches!(self.shape, Shape::Rows | Shape::Line)
    }

    /// Puts what the shape says of sizes into a polynomial.
    fn shaped(&self, sum: &Polynomial) -> Polynomial {
        let mut shaped = Polynomial::zero(sum.bits);
        for (product, &times) in &sum.terms {
            let (mut times, mut rest) = (times, Vec::new());
            for symbol in product {
                match symbol {
                    Symbol::Size(axis) if self.shape.size(*axis).is_some() => {
                        times = times.wrapping_mul(self.shape.size(*axis).unwrap_or(1));
                    }
                    Symbol::Thread(Axis::Y | Axis::Z) if self.shape == Shape::Line => times = 0,
                    Symbol::Extended { signed, sum } => {
                        rest.push(Symbol::Extended { signed: *signed, sum: Box::new(self.shaped(sum)) });
                    }
                    other => rest.push(other.clone()),
                }
            }
            rest.sort_unstable();
            shaped.add(rest, times);
        }
        // The number of the thread is one symbol.
        let (x, y, z) = (Symbol::Thread(Axis::X), Symbol::Thread(Axis::Y), Symbol::Thread(Axis::Z));
        let (width, height) = (Symbol::Size(Axis::X), Symbol::Size(Axis::Y));
        let products = [vec![x], sorted(vec![y, width.clone()]), sorted(vec![z, width, height])];
        let factors = products.each_ref().map(|product| shaped.terms.get(product).copied());
        if let [Some(one), Some(other), Some(third)] = factors
            && one == other
            && other == third
            && self.shape == Shape::Any
        {
            products.into_iter().for_each(|product| shaped.add(product, one.wrapping_neg()));
            shaped.add(vec![Symbol::Linear], one);
        }
        shaped
    }

    /// Returns true if both accesses see the same.
    fn is_common(&self, symbol: &Symbol) -> bool {
        match symbol {
            Symbol::Thread(axis) => self.shape.is_common(*axis),
            Symbol::Size(_) | Symbol::Fixed(_) => true,
            Symbol::Linear | Symbol::Lane | Symbol::Special(_) => false,
            Symbol::Value(value) | Symbol::Low(value) => (self.same)(*value),
            Symbol::Count(id) => (self.same_count)(*id),
            Symbol::Extended { sum, .. } => sum.terms.keys().flatten().all(|symbol| self.is_common(symbol)),
        }
    }

    fn is_tried(&self, value: Value) -> bool {
        self.tries && self.is_word(value) && (self.uniform)(value) && self.range(value).count() <= MOST_TRIED
    }

    /// The range of a value.
    pub(super) fn range(&self, value: Value) -> Range {
        self.knowledge.range(value)
    }

    fn is_function(&self, value: Value) -> bool {
        self.lies_in_rows() && self.is_word(value) && self.knowledge.function_of_thread(value).is_some()
    }

    fn is_word(&self, value: Value) -> bool {
        self.knowledge.bits(value) == 32
    }

    /// Returns what a product is a multiple of.
    fn divisor(&self, product: &[Symbol]) -> i64 {
        product.iter().map(|symbol| self.divisor_of(symbol)).fold(1, i64::wrapping_mul)
    }

    fn divisor_of(&self, symbol: &Symbol) -> i64 {
        match symbol {
            Symbol::Size(axis) => self.shape.divisor(*axis),
            _ => 1,
        }
    }
}

fn sorted(mut product: Vec<Symbol>) -> Vec<Symbol> {
    product.sort_unstable();
    product
}
