//! Breadth-first search on the CPU: the reference that every kernel's result is compared with.

use super::csr::Graph;

/// The least number of edges from `source` to each vertex, -1 where there is no path.
///
/// A `source` that is not a vertex reaches nothing.
#[must_use]
pub fn bfs_levels(graph: &Graph, source: u32) -> Vec<i32> {
    let mut levels = vec![-1; graph.vertices() as usize];
    let Some(start) = levels.get_mut(source as usize) else { return levels };
    *start = 0;
    let mut frontier = vec![source];
    let mut level = 0;
    while !frontier.is_empty() {
        level += 1;
        let mut next = Vec::new();
        for vertex in frontier {
            for &neighbour in graph.neighbours(vertex) {
                let known = &mut levels[neighbour as usize];
                if *known < 0 {
                    *known = level;
                    next.push(neighbour);
                }
            }
        }
        frontier = next;
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;

    /// Relaxes every edge until nothing changes: the definition, with no queue that could be wrong.
    fn by_relaxation(graph: &Graph, source: u32) -> Vec<i32> {
        let mut levels = vec![-1; graph.vertices() as usize];
        levels[source as usize] = 0;
        loop {
            let before = levels.clone();
            for (from, to) in graph.pairs() {
                let through = levels[from as usize] + 1;
                let known = levels[to as usize];
                if through > 0 && (known < 0 || through < known) {
                    levels[to as usize] = through;
                }
            }
            if levels == before {
                return levels;
            }
        }
    }

    #[test]
    fn a_path_a_loop_and_an_island() {
        let graph = Graph::from_edges(5, &[(0, 1), (1, 2), (2, 0), (0, 2), (3, 0), (4, 4)]).unwrap();
        assert_eq!(bfs_levels(&graph, 0), [0, 1, 1, -1, -1]);
        assert_eq!(bfs_levels(&graph, 3), [1, 2, 2, 0, -1]);
        assert_eq!(bfs_levels(&graph, 4), [-1, -1, -1, -1, 0]);
        assert_eq!(bfs_levels(&graph, 5), [-1; 5]);
    }

    #[test]
    fn agrees_with_relaxation_on_random_graphs() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let vertices = 1 + random.below(40);
            let edges: Vec<_> =
                (0..random.below(90)).map(|_| (random.below(vertices), random.below(vertices))).collect();
            let graph = Graph::from_edges(vertices, &edges).unwrap();
            let source = random.below(vertices);
            assert_eq!(bfs_levels(&graph, source), by_relaxation(&graph, source), "{graph:?} from {source}");
        }
    }
}
