//! Compressed sparse rows.

/// The most vertices, and the most edges, that a graph may have: kernels count them with an `int`.
pub const LIMIT: u32 = i32::MAX as u32;

/// A directed graph in compressed sparse row form. Parallel edges and self-loops are kept as they were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    vertices: u32,
    offsets: Vec<u32>,
    edges: Vec<u32>,
}

impl Graph {
    /// Builds a graph from its edges `(from, to)`. The neighbours of a vertex keep the order of the list.
    ///
    /// Returns `None` if an edge names a vertex that does not exist, or if there are more than [`LIMIT`] vertices
    /// or edges.
    #[must_use]
    pub fn from_edges(vertices: u32, list: &[(u32, u32)]) -> Option<Graph> {
        if vertices > LIMIT || list.len() > LIMIT as usize {
            return None;
        }
        if list.iter().any(|&(from, to)| from >= vertices || to >= vertices) {
            return None;
        }
        let mut offsets = vec![0_u32; vertices as usize + 1];
        for &(from, _) in list {
            offsets[from as usize + 1] += 1;
        }
        for vertex in 0..vertices as usize {
            offsets[vertex + 1] += offsets[vertex];
        }
        let mut next = offsets.clone();
        let mut edges = vec![0; list.len()];
        for &(from, to) in list {
            let slot = &mut next[from as usize];
            edges[*slot as usize] = to;
            *slot += 1;
        }
        Some(Graph { vertices, offsets, edges })
    }

    /// Returns how many vertices there are.
    #[must_use]
    pub fn vertices(&self) -> u32 {
        self.vertices
    }

    /// Returns where each vertex's edges begin in [`edges`](Self::edges); one more entry than there are vertices.
    #[must_use]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The vertices that edges point to, grouped by the vertex that they come from.
    #[must_use]
    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    /// The vertices that `vertex` points to; none for a vertex that does not exist.
    #[must_use]
    pub fn neighbours(&self, vertex: u32) -> &[u32] {
        match (self.offsets.get(vertex as usize), self.offsets.get(vertex as usize + 1)) {
            (Some(&begin), Some(&end)) => &self.edges[begin as usize..end as usize],
            _ => &[],
        }
    }

    /// The vertex with the most outgoing edges, the lowest one among equals: where a search starts unless said
    /// otherwise, because it is all but certain to lie in the largest component. `None` for a graph without vertices.
    #[must_use]
    pub fn busiest_vertex(&self) -> Option<u32> {
        (0..self.vertices).max_by_key(|&vertex| (self.neighbours(vertex).len(), std::cmp::Reverse(vertex)))
    }

    /// The same graph with every edge in both directions, each once. Self-loops stay single.
    ///
    /// Returns `None` if that takes more than [`LIMIT`] edges.
    #[must_use]
    pub fn undirected(&self) -> Option<Graph> {
        let mut list = Vec::with_capacity(self.edges.len().saturating_mul(2));
        for (from, to) in self.pairs() {
            list.push((from, to));
            list.push((to, from));
        }
        list.sort_unstable();
        list.dedup();
        Graph::from_edges(self.vertices, &list)
    }

    /// Returns true if every edge leads from a lower vertex to a higher one, or every edge to a lower one. That is how files
    /// look which list each edge of an undirected graph once.
    #[must_use]
    pub fn is_one_sided(&self) -> bool {
        !self.edges.is_empty()
            && (self.pairs().all(|(from, to)| from <= to) || self.pairs().all(|(from, to)| from >= to))
    }

    /// All edges as `(from, to)`.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.vertices).flat_map(|from| self.neighbours(from).iter().map(move |&to| (from, to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_grouped_by_their_origin() {
        let graph = Graph::from_edges(4, &[(2, 0), (0, 1), (2, 3), (0, 0)]).unwrap();
        assert_eq!(graph.offsets(), [0, 2, 2, 4, 4]);
        assert_eq!(graph.edges(), [1, 0, 0, 3]);
        assert_eq!(graph.neighbours(2), [0, 3]);
        assert_eq!(graph.neighbours(3), [0; 0]);
        assert_eq!(graph.neighbours(4), [0; 0]);
        assert_eq!(graph.neighbours(u32::MAX), [0; 0]);
    }

    #[test]
    fn an_edge_to_nowhere_is_no_graph() {
        assert_eq!(Graph::from_edges(2, &[(0, 2)]), None);
        assert_eq!(Graph::from_edges(0, &[(0, 0)]), None);
        assert_eq!(Graph::from_edges(LIMIT + 1, &[]), None);
    }

    #[test]
    fn the_busiest_vertex_is_the_lowest_of_equals() {
        let graph = Graph::from_edges(4, &[(3, 0), (3, 1), (1, 0), (1, 2), (0, 1)]).unwrap();
        assert_eq!(graph.busiest_vertex(), Some(1));
        assert_eq!(Graph::from_edges(3, &[]).unwrap().busiest_vertex(), Some(0));
        assert_eq!(Graph::from_edges(0, &[]).unwrap().busiest_vertex(), None);
    }

    #[test]
    fn undirected_has_each_edge_once_each_way() {
        let graph = Graph::from_edges(3, &[(0, 1), (0, 1), (1, 0), (2, 2), (1, 2)]).unwrap();
        let both = graph.undirected().unwrap();
        assert_eq!(both.pairs().collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2)]);
    }

    #[test]
    fn one_sided_listings_are_noticed() {
        assert!(Graph::from_edges(3, &[(0, 1), (1, 2)]).unwrap().is_one_sided());
        assert!(Graph::from_edges(3, &[(1, 0), (2, 1)]).unwrap().is_one_sided());
        assert!(!Graph::from_edges(3, &[(0, 1), (2, 1)]).unwrap().is_one_sided());
        assert!(!Graph::from_edges(3, &[]).unwrap().is_one_sided());
    }
}
