//! IEFA: values between -1 and 1 of which about a third falls to each of the three polynomials.
//!
//! The error is relative. The CPU has the same polynomials; a test holds them against the error function itself, summed as
//! a series.

use rayon::prelude::*;

use crate::graph::random::Random;
use crate::single_launch::{Once, Value, from_f64, to_f64};
use crate::variant::Source;
use crate::workload::Verdict;
use crate::workload::{Instance, Threads};

pub(super) const SOURCE: Source =
    Source { text: include_str!("iefa.cu"), name: "benchmarks/src/ccc/iefa.cu", kernel: "iefa" };

/// The logarithm and the fused operations of both sides differ in the last bits, which the argument of the far tail multiplies.
const BOUND: f64 = 1e-12;

pub(super) fn instance(tasks: u32) -> Instance {
    let mut random = Random::new(31);
    // The distance from 1 is 10^-u; the polynomials change at about u = 3 and u = 7.2.
    let values: Vec<f64> = (0..tasks)
        .map(|_| {
            let x = 1.0 - 10_f64.powf(-11.0 * random.unit());
            if random.next() & 1 == 0 { x } else { -x }
        })
        .collect();
    let expected: Vec<f64> = values.par_iter().map(|&x| inverse(x)).collect();
    let outputs = vec![0; 8 * values.len()];
    let check = move |results: &[Vec<u8>]| {
        let error = |found: &f64, expected: &f64| (found - expected).abs() / expected.abs().max(f64::MIN_POSITIVE);
        Verdict::compare("value", &to_f64(&results[0]), &expected, BOUND, error)
    };
    let values = vec![
        Value::Scalar(tasks.cast_signed().into()),
        Value::Input("x", from_f64(&values)),
        Value::Output("result", outputs),
    ];
    Instance {
        input: format!("{tasks} values"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once::new(values, true, Box::new(check))),
    }
}

/// Giles' approximation.
fn inverse(x: f64) -> f64 {
    let product = (1.0 - x) * (1.0 + x);
    let w = -product.ln();
    // exp(-6.25) and exp(-16).
    let (coefficients, at): (&[f64], f64) = if product > 0.0019304541362277093 {
        (&CENTRAL, w - 3.125)
    } else if product > 1.1253517471925912e-7 {
        (&TAIL, w.sqrt() - 3.25)
    } else {
        (&FAR_TAIL, w.sqrt() - 5.0)
    };
    x * coefficients.iter().fold(0.0, |sum: f64, &coefficient| sum.mul_add(at, coefficient))
}

const CENTRAL: [f64; 23] = [
    -3.64441206401782e-21,
    -1.6850591381820166e-19,
    1.28584807152564e-18,
    1.1157877678025181e-17,
    -1.333171662854621e-16,
    2.0972767875968562e-17,
    6.637638134358324e-15,
    -4.054566272975207e-14,
    -8.151934197605472e-14,
    2.6335093153082323e-12,
    -1.2975133253453532e-11,
    -5.415412054294628e-11,
    1.0512122733215323e-9,
    -4.112633980346984e-9,
    -2.9070369957882005e-8,
    4.2347877827932404e-7,
    -1.3654692000834679e-6,
    -1.3882523362786469e-5,
    0.00018673420803405714,
    -0.000740702534166267,
    -0.006033670871430149,
    0.24015818242558962,
    1.6536545626831027,
];

const TAIL: [f64; 19] = [
    2.2137376921775787e-9,
    9.075656193888539e-8,
    -2.7517406297064545e-7,
    1.8239629214389228e-8,
    1.5027403968909828e-6,
    -4.013867526981546e-6,
    2.9234449089955446e-6,
    1.2475304481671779e-5,
    -4.7318229009055734e-5,
    6.828485145957318e-5,
    2.4031110387097894e-5,
    -0.0003550375203628475,
    0.0009532893797373805,
    -0.0016882755560235047,
    0.002491442096107851,
    -0.003751208507569241,
    0.005370914553590064,
    1.0052589676941592,
    3.0838856104922208,
];

const FAR_TAIL: [f64; 17] = [
    -2.7109920616438573e-11,
    -2.555641816996525e-10,
    1.5076572693500548e-9,
    -3.789465440126737e-9,
    7.61570120807834e-9,
    -1.496002662714924e-8,
    2.914795345090108e-8,
    -6.771199775845234e-8,
    2.2900482228026655e-7,
    -9.9298272942317e-7,
    4.526062597223154e-6,
    -1.968177810553167e-5,
    7.599527703001776e-5,
    -0.00021503011930044477,
    -0.00013871931833623122,
    1.0103004648645344,
    4.849906401408584,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The error function as its Taylor series, good for small arguments.
    fn erf(y: f64) -> f64 {
        let (mut term, mut sum) = (y, y);
        for n in 1..60 {
            term *= -y * y / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    }

    /// The complementary error function as its continued fraction, good for large arguments.
    fn erfc(y: f64) -> f64 {
        let fraction = (1..200).rev().fold(0.0, |below, n| f64::from(n) / 2.0 / (y + below));
        (-y * y).exp() / ((y + fraction) * std::f64::consts::PI.sqrt())
    }

    #[test]
    fn it_is_the_inverse_of_the_error_function() {
        for x in [-0.9, -0.5, -1e-3, 1e-6, 0.25, 0.75, 0.99] {
            assert!((erf(inverse(x)) - x).abs() < 1e-14, "{x}");
        }
        for tail in [2e-3, 1e-4, 1e-6, 1e-8, 1e-10] {
            // What is left of 1 after rounding is what the function sees.
            let x: f64 = 1.0 - tail;
            assert!((erfc(inverse(x)) / (1.0 - x) - 1.0).abs() < 1e-11, "{tail}");
            assert_eq!(inverse(-x), -inverse(x));
        }
    }

    #[test]
    fn each_polynomial_has_its_share() {
        let w = |x: f64| -((1.0 - x) * (1.0 + x)).ln();
        let mut random = Random::new(31);
        let all: Vec<f64> = (0..3000).map(|_| w(1.0 - 10_f64.powf(-11.0 * random.unit()))).collect();
        let share = |low: f64, high: f64| all.iter().filter(|&&w| (low..high).contains(&w)).count();
        for (low, high) in [(0.0, 6.25), (6.25, 16.0), (16.0, 100.0)] {
            assert!((700..1400).contains(&share(low, high)), "{low}: {}", share(low, high));
        }
    }
}
