//! RT: 80 spheres in a picture that is half as high as it is wide; every ray and every hit is the CPU's bit for bit.

use device::Argument;

use super::once::{Once, Value, from_f32, from_u64, to_u64};
use super::work::{Instance, Threads, Verdict};
use crate::graph::random::Random;
use crate::variant::Source;

pub(super) const SOURCE: Source =
    Source { text: include_str!("rt.cu"), name: "benchmarks/src/ccc/rt.cu", kernel: "ray_trace" };

/// As many as in the paper.
const SPHERES: usize = 80;

/// Centre in x, y and z, and radius.
type Sphere = [f32; 4];

pub(super) fn instance(tasks: u32) -> Instance {
    let width = ((2.0 * f64::from(tasks)).sqrt().ceil() as u32).max(1);
    let height = tasks.div_ceil(width);
    let scene = scene(width as f32, height as f32);
    let expected: Vec<u64> = (0..tasks).map(|ray| trace(&scene, (ray % width) as f32, (ray / width) as f32)).collect();
    let check = move |results: &[Vec<u8>]| {
        let found = to_u64(&results[0]);
        Verdict::compare("ray", &found, &expected, 0.0, |found, expected| f64::from(u8::from(found != expected)))
    };
    let values = vec![
        Value::Scalar(Argument::from(width.cast_signed())),
        Value::Scalar(Argument::from(tasks.cast_signed())),
        Value::Scalar(Argument::from(SPHERES as i32)),
        Value::Input("scene", from_f32(scene.as_flattened())),
        Value::Output("image", from_u64(&vec![0; tasks as usize])),
    ];
    Instance {
        input: format!("{width} by {height} rays, {SPHERES} spheres"),
        tasks,
        threads: Threads::Stride,
        work: Box::new(Once { values, ordered: true, check: Box::new(check) }),
    }
}

/// Spheres anywhere in the picture and in front of it, of a tenth of its width at most.
fn scene(width: f32, height: f32) -> Vec<Sphere> {
    let mut random = Random::new(80);
    let mut upto = |limit: f32| random.unit() as f32 * limit;
    let largest = (width / 10.0).max(1.0);
    let sphere = |_| [upto(width), upto(height), largest + upto(width), largest * 0.2 + upto(largest * 0.8)];
    (0..SPHERES).map(sphere).collect()
}

/// What the kernel keeps of the nearest hit of a ray, 0 without one.
fn trace(scene: &[Sphere], x: f32, y: f32) -> u64 {
    let hit = |(index, &[centre_x, centre_y, z, radius]): (usize, &Sphere)| {
        let (across, down) = (x - centre_x, y - centre_y);
        let inside = (-down).mul_add(down, (-across).mul_add(across, radius * radius));
        let height = inside.sqrt();
        let (depth, shade) = (height + z, height / radius);
        let low = (index as u32) << 16 | (shade * 65535.0) as u32;
        if inside > 0.0 { u64::from(depth.to_bits()) << 32 | u64::from(low) } else { 0 }
    };
    scene.iter().enumerate().map(hit).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_sphere_is_seen() {
        let scene = [[0.0, 0.0, 5.0, 2.0], [0.0, 0.0, 9.0, 1.0]];
        let seen = |x: f32| {
            let pixel = trace(&scene, x, 0.0);
            (f32::from_bits((pixel >> 32) as u32), (pixel >> 16) as u16, pixel as u16)
        };
        assert_eq!(seen(0.0), (10.0, 1, 65535));
        assert_eq!(seen(1.5).1, 0);
        assert_eq!(trace(&scene, 2.0, 0.0), 0);
    }
}
