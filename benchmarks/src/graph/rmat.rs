//! R-MAT graphs with the parameters of the Graph500 benchmark: few vertices with very many neighbours, many with few.
//!
//! The adjacency matrix is cut into four quadrants, one is drawn with the probabilities A, B, C and D, and the cutting goes
//! on inside it until one cell is left: that cell is the edge (Chakrabarti, Zhan and Faloutsos, "R-MAT: A Recursive
//! Model for Graph Mining", SDM 2004). Graph500 ("Benchmark 1: Search", Kronecker generator) sets the probabilities and
//! 16 edges per vertex, and renames the vertices at random, since otherwise low ids would be the busy ones. The edges
//! are directed, parallel edges and self-loops included, as the generator gives them.

use super::csr::Graph;
use super::random::Random;

/// The probabilities of the upper left, upper right and lower left quadrant; the rest is D = 0.05.
const A: f64 = 0.57;
const B: f64 = 0.19;
const C: f64 = 0.19;

/// The parameters of a generated graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rmat {
    /// The binary logarithm of the number of vertices, up to [`Rmat::MAX_SCALE`].
    pub scale: u32,
    /// The number of edges per vertex, 16 in Graph500.
    pub edge_factor: u32,
    /// The same seed gives the same graph, on every machine.
    pub seed: u64,
}

impl Rmat {
    /// The largest scale: 2^26 vertices with 16 edges each are the most edges (2^30) that fit the kernels' `int`s.
    pub const MAX_SCALE: u32 = 26;

    /// The graph of Graph500 at a scale.
    #[must_use]
    pub fn graph500(scale: u32) -> Rmat {
        Rmat { scale, edge_factor: 16, seed: 1 }
    }
}

/// Generates an R-MAT graph.
///
/// Returns `None` if the scale is beyond [`Rmat::MAX_SCALE`] or the edges are more than [`LIMIT`](super::LIMIT).
#[must_use]
pub fn rmat(shape: &Rmat) -> Option<Graph> {
    if shape.scale > Rmat::MAX_SCALE {
        return None;
    }
    let vertices = 1_u32 << shape.scale;
    let count = vertices.checked_mul(shape.edge_factor).filter(|&count| count <= super::LIMIT)?;
    let mut random = Random::new(shape.seed);
    let names = random.permutation(vertices);
    let mut list = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let (row, column) = cell(shape.scale, &mut random);
        list.push((names[row as usize], names[column as usize]));
    }
    Graph::from_edges(vertices, &list)
}

/// One cell of the adjacency matrix, as `(row, column)`.
fn cell(scale: u32, random: &mut Random) -> (u32, u32) {
    let (mut row, mut column) = (0, 0);
    for _ in 0..scale {
        let draw = random.unit();
        // Without branches, which nobody could predict: the quadrants lie behind each other in [0, 1).
        let down = draw >= A + B;
        let right = (draw >= A) ^ down ^ (draw >= A + B + C);
        row = row << 1 | u32::from(down);
        column = column << 1 | u32::from(right);
    }
    (row, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_graph() {
        let shape = Rmat::graph500(8);
        assert_eq!(rmat(&shape), rmat(&shape));
        assert_ne!(rmat(&shape), rmat(&Rmat { seed: 2, ..shape }));
    }

    #[test]
    fn the_size_is_as_asked() {
        let graph = rmat(&Rmat::graph500(10)).unwrap();
        assert_eq!((graph.vertices(), graph.edges().len()), (1024, 16 * 1024));
        let one = rmat(&Rmat::graph500(0)).unwrap();
        assert_eq!((one.vertices(), one.edges()), (1, [0; 16].as_slice()));
        assert_eq!(rmat(&Rmat::graph500(27)), None);
        assert_eq!(rmat(&Rmat { edge_factor: u32::MAX, ..Rmat::graph500(4) }), None);
    }

    #[test]
    fn quadrants_come_up_as_often_as_their_probabilities() {
        let mut random = Random::new(5);
        let mut seen = [0_u32; 4];
        for _ in 0..100_000 {
            let (row, column) = cell(1, &mut random);
            seen[(2 * row + column) as usize] += 1;
        }
        for (count, expected) in seen.into_iter().zip([57_000, 19_000, 19_000, 5_000]) {
            // Five standard deviations are 783 at most.
            assert!(count.abs_diff(expected) < 783, "{seen:?}");
        }
    }

    /// The top 1 % of the vertices hold over a fifth of the edges, and many have none; in a graph whose edges are drawn
    /// evenly they would hold about 2 % and next to none would be empty.
    #[test]
    fn degrees_are_skewed_and_ids_do_not_tell() {
        let graph = rmat(&Rmat::graph500(12)).unwrap();
        let mut degrees: Vec<usize> = (0..graph.vertices()).map(|vertex| graph.neighbours(vertex).len()).collect();
        let lower_half: usize = degrees[..2048].iter().sum();
        assert!(lower_half.abs_diff(32_768) < 8_000, "{lower_half}");
        degrees.sort_unstable_by(|a, b| b.cmp(a));
        let top: usize = degrees[..41].iter().sum();
        assert!(top > 65_536 / 5, "{top}");
        assert!(degrees.iter().filter(|&&degree| degree == 0).count() > 400);
    }
}
