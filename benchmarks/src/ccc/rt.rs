//! RT: 80 spheres in a picture that is as wide as it is high; every ray and every hit is the CPU's bit for bit.
//!
//! The scene has the proportions of the book's: a picture of 1000 by 1000, spheres anywhere in it with radii from 20 to 120. Rays
//! come in the order in which a progressive renderer takes them, so that a picture is whole early and only gets finer: the
//! points of Halton's sequence of the bases 2 and 3. The lanes of a warp look at 32 places all over the picture. (Row by row, the
//! lanes of a warp look at one place: 98 % of them are active in the original kernel, and there is nothing to collect.)

use device::Argument;
use rayon::prelude::*;

use crate::graph::random::Random;
use crate::single_launch::{Once, Value, from_f32, from_u64, to_u64};
use crate::variant::Source;
use crate::workload::Verdict;
use crate::workload::{Instance, Threads};

pub(super) const SOURCE: Source =
    Source { text: include_str!("rt.cu"), name: "benchmarks/src/ccc/rt.cu", kernel: "ray_trace" };

/// As many as in the paper.
const SPHERES: usize = 80;

/// The picture's width and height.
const SIDE: f64 = 1000.0;

/// Centre in x, y and z, radius, and colour in red, green and blue from 0 to 1.
type Sphere = [f32; 7];

pub(super) fn instance(tasks: u32) -> Instance {
    let scene = scene();
    let origins: Vec<[f32; 2]> =
        (0..tasks).map(|ray| [2, 3].map(|base| (SIDE * radical_inverse(base, ray + 1)) as f32)).collect();
    let expected: Vec<u64> = origins.par_iter().map(|&[x, y]| trace(&scene, x, y)).collect();
    let check = move |results: &[Vec<u8>]| {
        let found = to_u64(&results[0]);
        Verdict::compare("ray", &found, &expected, 0.0, |found, expected| f64::from(u8::from(found != expected)))
    };
    let values = vec![
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(SPHERES as i32)),
        Value::Input("origin", from_f32(origins.as_flattened())),
        Value::Input("scene", from_f32(scene.as_flattened())),
        Value::Output("image", from_u64(&vec![0; tasks as usize])),
    ];
    Instance {
        input: format!("{tasks} rays in progressive order, {SPHERES} spheres"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once::new(values, true, Box::new(check))),
    }
}

/// Spheres anywhere in the picture and in front of it.
fn scene() -> Vec<Sphere> {
    let mut random = Random::new(80);
    let mut from = |low: f64, high: f64| (low + random.unit() * (high - low)) as f32;
    let sphere = |_| {
        let (x, y, z, radius) = (from(0.0, SIDE), from(0.0, SIDE), from(SIDE, 2.0 * SIDE), from(20.0, 120.0));
        [x, y, z, radius, from(0.0, 1.0), from(0.0, 1.0), from(0.0, 1.0)]
    };
    (0..SPHERES).map(sphere).collect()
}

/// The digits of a number in a base behind the point, in reverse: the next of Halton's points.
fn radical_inverse(base: u32, mut number: u32) -> f64 {
    let (mut inverse, mut digit) = (0.0, 1.0);
    while number > 0 {
        digit /= f64::from(base);
        inverse += digit * f64::from(number % base);
        number /= base;
    }
    inverse
}

/// Returns what the kernel keeps of the nearest hit of a ray, 0 without one.
fn trace(scene: &[Sphere], x: f32, y: f32) -> u64 {
    let hit = |&[centre_x, centre_y, z, radius, red, green, blue]: &Sphere| {
        let (across, down) = (x - centre_x, y - centre_y);
        let inside = (-down).mul_add(down, (-across).mul_add(across, radius * radius));
        let height = inside.sqrt();
        let (depth, shade) = (height + z, height / radius);
        let step = |colour: f32| (colour * shade * 255.0) as u32;
        let colour = step(red) << 16 | step(green) << 8 | step(blue);
        if inside > 0.0 { u64::from(depth.to_bits()) << 32 | u64::from(colour) } else { 0 }
    };
    scene.iter().map(hit).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_sphere_is_seen() {
        let scene = [[0.0, 0.0, 5.0, 2.0, 1.0, 0.5, 0.0], [0.0, 0.0, 9.0, 1.0, 0.0, 0.0, 1.0]];
        let seen = |x: f32| {
            let pixel = trace(&scene, x, 0.0);
            (f32::from_bits((pixel >> 32) as u32), pixel as u32)
        };
        assert_eq!(seen(0.0), (10.0, 0xff));
        assert_eq!(seen(1.0), (5.0 + 3.0_f32.sqrt(), 0x00dc_6e00));
        assert_eq!(trace(&scene, 2.0, 0.0), 0);
    }

    #[test]
    fn rays_fill_the_picture_ever_more_finely() {
        let points = |base: u32| (1..=4).map(move |ray| radical_inverse(base, ray)).collect::<Vec<_>>();
        assert_eq!(points(2), [0.5, 0.25, 0.75, 0.125]);
        assert!(points(3).iter().zip([1.0, 2.0, 3.0 / 9.0, 12.0 / 9.0]).all(|(a, b)| (a * 3.0 - b).abs() < 1e-12));
    }
}
